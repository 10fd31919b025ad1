package io.mayfly.endpoints;

import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.ClassConfig;
import jakarta.enterprise.inject.build.compatible.spi.Discovery;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.MethodConfig;
import jakarta.enterprise.inject.build.compatible.spi.ScannedClasses;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Where JAX-RS resources are beans of CDI 4 or newer (Quarkus, when it builds the application), has {@link ResourceInterceptor} run round
 * each of their methods. CDI finds this by itself, if the jar is in the application.
 */
public final class CdiEndpoints implements BuildCompatibleExtension {
  private static final String JAX_RS = "jakarta.ws.rs.";
  private static final Set<String> METHODS = new HashSet<>(Arrays.asList("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"));
  private static final String CLIENT = "org.eclipse.microprofile.rest.client.inject.RegisterRestClient";

  /** Made by CDI. */
  public CdiEndpoints() {}

  /**
   * Makes the interceptor known.
   *
   * @param classes where beans are looked for
   */
  @Discovery
  public void discover(ScannedClasses classes) {
    classes.add(Endpoint.class.getName());
    classes.add(ResourceInterceptor.class.getName());
  }

  /**
   * Binds the interceptor to methods that answer requests.
   *
   * @param type a class of the application
   */
  @Enhancement(types = Object.class, withSubtypes = true)
  public void bind(ClassConfig type) {
    try {
      ClassInfo info = type.info();
      // CDI refuses interceptors of what it can't override.
      if (!info.isInterface() && !info.isFinal()) {
        bindMethods(info, type.methods());
      }
    } catch (RuntimeException | LinkageError e) {
      // A class that refers to what isn't there stays as it is.
    }
  }

  private static void bindMethods(ClassInfo type, Collection<MethodConfig> methods) {
    for (MethodConfig method : methods) {
      MethodInfo info = method.info();
      boolean isOverridable = !info.isFinal() && !info.isStatic() && !info.isAbstract() && !isPrivate(info);
      if (isOverridable && isEndpoint(type, info)) {
        method.addAnnotation(Endpoint.class);
      }
    }
  }

  private static boolean isPrivate(MethodInfo method) {
    return java.lang.reflect.Modifier.isPrivate(method.modifiers());
  }

  /** By its own annotation, or by one of what it overrides. Parameters are not compared: the interceptor does that. */
  private static boolean isEndpoint(ClassInfo type, MethodInfo method) {
    if (type == null || type.hasAnnotation(annotation -> annotation.name().equals(CLIENT))) {
      return false;
    }
    for (MethodInfo other : type.methods()) {
      if (other.name().equals(method.name()) && other.hasAnnotation(annotation -> isMethod(annotation.name()))) {
        return true;
      }
    }
    for (ClassInfo parent : type.superInterfacesDeclarations()) {
      if (isEndpoint(parent, method)) {
        return true;
      }
    }
    return isEndpoint(type.superClassDeclaration(), method);
  }

  private static boolean isMethod(String annotation) {
    return annotation.startsWith(JAX_RS) && METHODS.contains(annotation.substring(JAX_RS.length()));
  }
}
