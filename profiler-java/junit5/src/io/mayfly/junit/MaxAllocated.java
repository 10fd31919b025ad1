package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test method must not allocate more than so many bytes on its thread; on a class, none of its test
 * methods. Each invocation of a repeated or parameterized test is measured by itself, and each dynamic test of a factory, but not the
 * factory. The failure names the largest classes and the lines that made them.
 *
 * <p>What the JIT compiler removes is not allocated. What happens once only (classes loaded, lambdas linked) does not count, nor does JUnit's own call. Where the agent's
 * library is not to be had, or an agent profiles, the limit is on the JVM's count of the thread, of which that is a part: up to 30 KiB in the first test of a JVM, and more if the test loads classes.
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
