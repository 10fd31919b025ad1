package io.mayfly;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Each call of the method is a {@link Scope}, until it returns or throws: reports say what is allocated in it, what of that survives it,
 * and for how long.
 *
 * <pre>{@code
 * @Scoped("checkout")
 * Response handle(Request request) { … }
 * }</pre>
 *
 * <p>The agent enters and leaves the scope, if it is there from the start of the JVM and counts exactly; without it the annotation does
 * nothing. It is not inherited: it belongs on the method that has the code. An abstract or native method is refused in one line on
 * stderr.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Scoped {
  /**
   * The scope's name, one of few.
   *
   * @return the name; if it is empty, the class's and the method's: {@code com.acme.Handler.handle}
   */
  String value() default "";
}
