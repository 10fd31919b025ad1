package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Of what a test made, from before {@code @BeforeEach} to after {@code @AfterEach}, no more than so many bytes may be left after a
 * collection; on a class, of none of its test methods. The failure shows what is left by class, and paths that hold it.
 *
 * <p>What only the test object's own fields hold is not left: they are set to null first, unless they are final or the test object
 * lives on ({@code Lifecycle.PER_CLASS}). Objects of all threads count. Without classes everything counts, arrays and the JDK's
 * objects among them: what happens once only (class initialisation, caches) takes some, and in the first test of a JVM some 150
 * KiB for JUnit and the JDK.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Inherited
@ExtendWith(MayflyExtension.class)
public @interface MaxLive {
  /**
   * The limit.
   *
   * @return bytes, with {@code k}, {@code m} or {@code g} for powers of 1024: {@code "64k"}
   */
  String value();

  /**
   * The classes of interest, with their subclasses.
   *
   * @return the classes; none for all
   */
  Class<?>[] of() default {};
}
