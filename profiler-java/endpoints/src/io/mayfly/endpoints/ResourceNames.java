package io.mayfly.endpoints;

import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a method of a JAX-RS resource answers, by the annotations of the class, its parents and its interfaces. */
final class ResourceNames {
  private ResourceNames() {}

  /** Method and pattern; none if it answers no request. */
  static String[] of(Class<?> type, Method called) {
    List<Class<?>> types = withParents(type, new ArrayList<>());
    for (Class<?> one : types) {
      for (Method method : one.getDeclaredMethods()) {
        String name = sameAs(called, method) ? httpMethod(method) : null;
        if (name != null) {
          return new String[] {name, Endpoints.joined(Arrays.asList(root(types), path(method.getAnnotation(Path.class))))};
        }
      }
    }
    return new String[0];
  }

  /** A class, its parents, then the interfaces of all, in which annotations are looked for. */
  private static List<Class<?>> withParents(Class<?> type, List<Class<?>> to) {
    for (Class<?> one = type; one != null; one = one.getSuperclass()) {
      to.add(one);
    }
    for (int i = 0; i < to.size(); i++) {
      for (Class<?> parent : to.get(i).getInterfaces()) {
        if (!to.contains(parent)) {
          to.add(parent);
        }
      }
    }
    return to;
  }

  private static boolean sameAs(Method called, Method other) {
    return called.getName().equals(other.getName()) && Arrays.equals(called.getParameterTypes(), other.getParameterTypes());
  }

  private static String httpMethod(Method method) {
    for (Annotation annotation : method.getAnnotations()) {
      HttpMethod name = annotation.annotationType().getAnnotation(HttpMethod.class);
      if (name != null) {
        return name.value();
      }
    }
    return null;
  }

  private static String root(List<Class<?>> types) {
    for (Class<?> type : types) {
      if (type.isAnnotationPresent(Path.class)) {
        return type.getAnnotation(Path.class).value();
      }
    }
    // Of a part of a resource, which does not know the path to it.
    return "**";
  }

  private static String path(Path path) {
    return path == null ? "" : path.value();
  }
}
