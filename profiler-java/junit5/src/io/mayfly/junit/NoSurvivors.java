package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Nothing that a test made, from before {@code @BeforeEach} to after {@code @AfterEach}, may be left after a collection; on a class,
 * of none of its test methods. The failure shows what is left by class, and paths that hold it.
 *
 * <p>What only the test object's own fields hold is not left: they are set to null first, unless they are final or the test object
 * lives on ({@code Lifecycle.PER_CLASS}). That is what {@link AssertCollected} on a method asks more strictly: there the fields
 * count, and {@code @AfterEach} comes too late. Objects of all threads count.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Inherited
@ExtendWith(MayflyExtension.class)
public @interface NoSurvivors {
  /**
   * The classes of interest, with their subclasses.
   *
   * @return the classes; none for all of the program's own
   */
  Class<?>[] value() default {};
}
