package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test method must not allocate more than so many bytes on its thread, by the JVM's own count; on a class, none of its test
 * methods.
 *
 * <p>What the JIT compiler removes is not allocated, and what happens once only is: class loading, caches, and in the first test
 * of a JVM up to some 30 KiB of JUnit's own call. Give limits with room for that, or run the code once before the test.
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
}
