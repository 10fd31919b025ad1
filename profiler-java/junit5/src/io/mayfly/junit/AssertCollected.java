package io.mayfly.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a test used must be collectable when it is done, or the test fails with the path that holds it.
 *
 * <p>On a <b>field</b> of the test: the object that it refers to when the test and its {@code @AfterEach} methods are done.
 * The extension sets the field to null first, so it must not be final; other fields of the test count as holding it.
 *
 * <p>On a <b>test method</b>, or on a class for all its test methods: every object of the classes named, or of their
 * subclasses, that came while the method ran; without names, of all classes that are not the JDK's or JUnit's. What fields of
 * the test still refer to counts as left behind. Of a {@code @TestFactory} each dynamic test is asked by itself, the factory is not.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.TYPE})
@Inherited
@ExtendWith(MayflyExtension.class)
public @interface AssertCollected {
  /**
   * On a method or class: the classes of interest.
   *
   * @return the classes; none for all of the program's own
   */
  Class<?>[] value() default {};

  /**
   * On a field: whether soft references may hold the object.
   *
   * @return false if that is a failure, too
   */
  boolean allowSoft() default true;
}
