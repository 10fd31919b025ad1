package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The object that a field of the test refers to must not keep more than so many bytes alive when the test method is done,
 * before {@code @AfterEach}: its own and those that can be reached through it only. A field that is null passes.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@ExtendWith(MayflyExtension.class)
public @interface MaxRetained {
  /**
   * The limit.
   *
   * @return bytes, with {@code k}, {@code m} or {@code g} for powers of 1024: {@code "1m"}
   */
  String value();
}
