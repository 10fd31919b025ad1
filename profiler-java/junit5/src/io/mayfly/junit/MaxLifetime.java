package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * No object of some classes that a test makes may live longer than a limit; on a class, in none of its test methods. At least one
 * limit is to be given.
 *
 * <p>Needs an agent that follows lifetimes, or the test fails: {@code -agentpath:libmayfly.so=#trackcollections}. An object is known
 * to be alive at a collection only, and at the end of the test, after {@code @AfterEach}, where one is forced: the test fails if an
 * object was seen alive at a greater age. Births are known to some milliseconds, so an age in time or bytes is proved beyond that only. {@code #gc-every-BYTES} makes collections come often enough. All counts are set to zero when
 * the test begins.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Inherited
@ExtendWith(MayflyExtension.class)
public @interface MaxLifetime {
  /**
   * The classes of interest; subclasses do not count.
   *
   * @return at least one
   */
  Class<?>[] value();

  /**
   * What the whole JVM may allocate while one of them lives: a limit that does not depend on the machine's speed.
   *
   * @return bytes, with {@code k}, {@code m} or {@code g} for powers of 1024; empty for no such limit
   */
  String bytes() default "";

  /**
   * How many collections one of them may survive, the last one of the test included.
   *
   * @return collections; -1 for no such limit
   */
  int collections() default -1;

  /**
   * For how long one of them may live.
   *
   * @return milliseconds; -1 for no such limit
   */
  long millis() default -1;
}
