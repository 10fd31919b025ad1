package io.mayfly.endpoints;

import io.mayfly.HandOver;
import io.mayfly.Scope;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextConfigurer;
import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.core.order.Ordered;
import io.micronaut.core.propagation.PropagatedContext;
import io.micronaut.core.propagation.ThreadPropagatedContextElement;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Filter;
import io.micronaut.http.filter.ConditionalFilter;
import io.micronaut.http.filter.HttpServerFilter;
import io.micronaut.http.filter.ServerFilterChain;
import io.micronaut.inject.annotation.MutableAnnotationMetadata;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.UriRouteInfo;
import java.util.Collections;
import java.util.Map;
import org.reactivestreams.Publisher;

/**
 * In Micronaut each request is a scope, named by its method and the template of its route: <code>GET /orders/{id}</code>. Micronaut 4.5 and
 * newer finds this by itself, if the jar is in the application.
 *
 * <p>Micronaut takes the scope to each thread that it takes the request to: event loop, executor of a blocking method, reactive operators.
 * Requests without a route are {@code GET /**}.
 */
public final class MicronautEndpoints implements ApplicationContextConfigurer {
  /** Made by Micronaut. */
  public MicronautEndpoints() {}

  @Override
  public void configure(ApplicationContext context) {
    try {
      register(context);
    } catch (RuntimeException | LinkageError e) {
      // An application without a server.
    }
  }

  private static void register(ApplicationContext context) {
    MutableAnnotationMetadata all = new MutableAnnotationMetadata();
    all.addDeclaredAnnotation(Filter.class.getName(), Map.of("value", new String[] {Filter.MATCH_ALL_PATTERN}));
    context.registerBeanDefinition(RuntimeBeanDefinition.builder(Requests.class, Requests::new).singleton(true).annotationMetadata(all).build());
  }

  static final class Requests implements HttpServerFilter, ConditionalFilter {
    @Override
    public boolean isEnabled(HttpRequest<?> request) {
      return Endpoints.areWatched();
    }

    @Override
    public int getOrder() {
      return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    @SuppressWarnings("try")
    public Publisher<MutableHttpResponse<?>> doFilter(HttpRequest<?> request, ServerFilterChain chain) {
      Part part = part(request);
      if (part == null) {
        return chain.proceed(request);
      }
      try (PropagatedContext.Scope inside = PropagatedContext.getOrEmpty().plus(part).propagate()) {
        return chain.proceed(request);
      }
    }

    private static Part part(HttpRequest<?> request) {
      try (Scope scope = Endpoints.enter(request.getMethodName(), pattern(request))) {
        return new Part(scope.handOver());
      } catch (RuntimeException | LinkageError e) {
        return null;
      }
    }

    private static String pattern(HttpRequest<?> request) {
      Object route = RouteAttributes.getRouteInfo(request).orElse(null);
      return route instanceof UriRouteInfo
          ? Endpoints.joined(Collections.singletonList(((UriRouteInfo<?, ?>) route).getUriMatchTemplate().toPathString()))
          : "/**";
    }
  }

  /** What Micronaut enters and leaves on each thread that works for the request. */
  private static final class Part implements ThreadPropagatedContextElement<Scope> {
    private final HandOver scope;

    Part(HandOver scope) {
      this.scope = scope;
    }

    @Override
    public Scope updateThreadContext() {
      return scope.enter();
    }

    @Override
    public void restoreThreadContext(Scope entered) {
      entered.close();
    }
  }
}
