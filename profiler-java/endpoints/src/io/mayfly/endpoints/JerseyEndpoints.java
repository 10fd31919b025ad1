package io.mayfly.endpoints;

import io.mayfly.HandOver;
import io.mayfly.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.glassfish.jersey.internal.inject.Binding;
import org.glassfish.jersey.internal.inject.InjectionManager;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.monitoring.ApplicationEvent;
import org.glassfish.jersey.server.monitoring.ApplicationEventListener;
import org.glassfish.jersey.server.monitoring.RequestEvent;
import org.glassfish.jersey.server.monitoring.RequestEventListener;
import org.glassfish.jersey.server.spi.ComponentProvider;
import org.glassfish.jersey.uri.UriTemplate;

/**
 * In Jersey each request of a resource is a scope, named by its method and the templates that its path matches:
 * <code>GET /orders/{id}</code>. Jersey 2.26 and newer finds this by itself, in any server, if the jar
 * is in the application.
 *
 * <p>The scope is on the thread that runs the resource's method, and goes on with response filters and the writing of what the method
 * returned, on whichever thread. What other threads do until then (of {@code AsyncResponse}, {@code CompletionStage}) is not measured.
 *
 * <p>Names nothing of JAX-RS, which is {@code javax.ws.rs} in Jersey 2 and {@code jakarta.ws.rs} later: it is for both.
 */
public final class JerseyEndpoints implements ComponentProvider {
  /** Made by Jersey. */
  public JerseyEndpoints() {}

  @Override
  public void initialize(InjectionManager manager) {
    try {
      manager.register(service(new Requests()).to(ApplicationEventListener.class));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      // A Jersey that has it elsewhere: requests have no scopes.
    }
  }

  /** The class that makes bindings moved in Jersey 4. */
  @SuppressWarnings("unchecked")
  private static <T> Binding<T, ?> service(T service) throws ReflectiveOperationException {
    Class<?> bindings;
    try {
      bindings = Class.forName("org.glassfish.jersey.internal.inject.Bindings");
    } catch (ClassNotFoundException e) {
      bindings = Class.forName("org.glassfish.jersey.innate.inject.Bindings");
    }
    return (Binding<T, ?>) bindings.getMethod("service", Object.class).invoke(null, service);
  }

  @Override
  public boolean bind(Class<?> component, Set<Class<?>> contracts) {
    return false;
  }

  @Override
  public void done() {}

  private static final class Requests implements ApplicationEventListener {
    @Override
    public void onEvent(ApplicationEvent event) {}

    @Override
    public RequestEventListener onRequest(RequestEvent event) {
      return Endpoints.areWatched() ? new Request() : null;
    }
  }

  private static final class Request implements RequestEventListener {
    private volatile HandOver rest;
    /** Of the thread that runs the method. */
    private volatile Scope method;
    /** Of the thread that responds, perhaps while the method goes on. */
    private volatile Scope response;

    @Override
    public void onEvent(RequestEvent event) {
      switch (event.getType()) {
        case RESOURCE_METHOD_START:
          method = enter(event);
          break;
        case RESOURCE_METHOD_FINISHED:
          close(method);
          break;
        case RESP_FILTERS_START:
          response = rest == null ? null : rest.enter();
          break;
        case FINISHED:
          close(response);
          break;
        default:
      }
    }

    private Scope enter(RequestEvent event) {
      try {
        Scope scope = Endpoints.enter(event.getContainerRequest().getMethod(), pattern(event.getUriInfo()));
        rest = scope.handOver();
        return scope;
      } catch (RuntimeException | LinkageError e) {
        return null;
      }
    }

    private static void close(Scope scope) {
      if (scope != null) {
        scope.close();
      }
    }

    private static String pattern(ExtendedUriInfo uri) {
      List<String> templates = new ArrayList<>();
      for (UriTemplate template : uri.getMatchedTemplates()) {
        templates.add(template.getTemplate());
      }
      // The first is what was matched last.
      Collections.reverse(templates);
      return Endpoints.joined(templates);
    }
  }
}
