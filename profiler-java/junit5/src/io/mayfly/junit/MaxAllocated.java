package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test method must not allocate more than so many bytes on its thread, by the JVM's own count; on a class, none of its test
 * methods. Each invocation of a repeated or parameterized test is measured by itself, and each dynamic test of a factory, but not the
 * factory. The failure says how many classes were loaded meanwhile, and what was made, if an agent profiles.
 *
 * <p>What the JIT compiler removes is not allocated, and what happens once only is: class loading, caches, and in the first test
 * of a JVM up to some 30 KiB of JUnit's own call (what JUnit's assertions and the first lambdas and concatenations take was taken before). Give limits with room for that, or run the code once before the test.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Inherited
@ExtendWith(MayflyExtension.class)
public @interface MaxAllocated {
  /**
   * The limit.
   *
   * @return bytes, with {@code k}, {@code m} or {@code g} for powers of 1024: {@code "64k"}
   */
  String value();

  /**
   * Whether other threads' allocations count as well, also of threads that end meanwhile. So do those of other tests that run at
   * the same time. Needs a JVM that counts all threads together (JDK 21, later updates of 11 and 17), or an agent that profiles; else
   * the test fails.
   *
   * @return false for the test's thread alone
   */
  boolean allThreads() default false;
}
