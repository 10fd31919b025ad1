package io.mayfly.endpoints;

import io.mayfly.Scope;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Each call of a method of a JAX-RS resource is a scope, named by method and path of its annotations: <code>GET /orders/{id}</code>.
 *
 * <p>The scope is on the thread that runs the method, a worker or the event loop, until it returns: what becomes of a {@code Uni} or a
 * {@code CompletionStage}, and the writing of the response, are not a part of it.
 *
 * <p>CDI may look at all its members, in applications without JAX-RS too, so that none is of a type of JAX-RS.
 */
@Endpoint
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
public class ResourceInterceptor {
  private static final ClassValue<Map<Method, String[]>> ENDPOINTS = new ClassValue<>() {
    @Override
    protected Map<Method, String[]> computeValue(Class<?> type) {
      return new ConcurrentHashMap<>();
    }
  };

  /** Made by CDI. */
  public ResourceInterceptor() {}

  /**
   * Runs the method in its scope.
   *
   * @param call of the method
   * @return what it returns
   * @throws Exception what it throws
   */
  @AroundInvoke
  public Object enter(InvocationContext call) throws Exception {
    Scope scope = Endpoints.areWatched() ? scope(call) : null;
    if (scope == null) {
      return call.proceed();
    }
    try {
      return call.proceed();
    } finally {
      scope.close();
    }
  }

  private static Scope scope(InvocationContext call) {
    try {
      Class<?> type = call.getTarget().getClass();
      String[] endpoint = ENDPOINTS.get(type).computeIfAbsent(call.getMethod(), method -> ResourceNames.of(type, method));
      return endpoint.length == 0 ? null : Endpoints.enter(endpoint[0], endpoint[1]);
    } catch (RuntimeException | LinkageError e) {
      return null;
    }
  }
}
