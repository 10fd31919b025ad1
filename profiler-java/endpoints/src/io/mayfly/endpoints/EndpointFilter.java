package io.mayfly.endpoints;

import io.mayfly.HandOver;
import io.mayfly.Scope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Each request is a scope, named by its method and the pattern that its servlet is mapped to: {@code GET /shop/orders/*}. Where one servlet
 * gets all requests ({@code /}, {@code /*}), by its path, with numbers and ids left out: <code>GET /shop/orders/{n}</code>.
 *
 * <p>Containers that look for initialisers register it for all paths, in front of other filters, if its jar is in the application. A dispatch
 * of an asynchronous request goes on in the scope of the request; an error page has a scope of its own. What other threads do is not
 * measured, unless they are let into the scope, see {@link #SCOPE}.
 *
 * <p>Made for {@code jakarta.servlet}; the build makes {@code JavaxEndpointFilter} of the same source for {@code javax.servlet} 4.
 */
public final class EndpointFilter implements Filter, ServletContainerInitializer {
  /** The request's attribute with its {@link Scope}, whose {@link Scope#handOver()} takes other threads into it. */
  public static final String SCOPE = "io.mayfly.Scope";

  private static final String REST = "io.mayfly.endpoints.rest";
  private static final String NAME = "mayfly-endpoints";
  /** Names of endpoints are better there, and its configuration is found by itself. */
  private static final String SPRING_BOOT = "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration";

  /** Made by the container. */
  public EndpointFilter() {}

  @Override
  public void onStartup(Set<Class<?>> classes, ServletContext context) {
    if (isThere(SPRING_BOOT, context.getClassLoader())) {
      return;
    }
    // Null if the application has registered it under that name.
    FilterRegistration.Dynamic filter = context.addFilter(NAME, this);
    if (filter != null) {
      filter.setAsyncSupported(true);
      EnumSet<DispatcherType> dispatches = EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR);
      filter.addMappingForUrlPatterns(dispatches, false, "/*");
    }
  }

  private static boolean isThere(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
    Scope scope = Endpoints.areWatched() && request instanceof HttpServletRequest ? enter((HttpServletRequest) request) : null;
    if (scope == null) {
      chain.doFilter(request, response);
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      leave(scope, request);
    }
  }

  private static Scope enter(HttpServletRequest request) {
    try {
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        // Without it the request was not seen at its begin.
        HandOver rest = (HandOver) request.getAttribute(REST);
        return rest == null ? null : rest.enter();
      }
      Scope scope = Endpoints.enter(request.getMethod(), request.getServletContext().getContextPath() + pattern(request));
      request.setAttribute(SCOPE, scope);
      return scope;
    } catch (RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static void leave(Scope scope, ServletRequest request) {
    try {
      if (request.isAsyncSupported() && request.isAsyncStarted() && request.getAttribute(REST) == null) {
        request.setAttribute(REST, scope.handOver());
      }
    } catch (RuntimeException e) {
      // Its dispatches are in no scope then.
    } finally {
      scope.close();
    }
  }

  private static String pattern(HttpServletRequest request) {
    HttpServletMapping mapping = request.getHttpServletMapping();
    String pattern = mapping.getMappingMatch() == null ? "/" : mapping.getPattern();
    if (!pattern.equals("/") && !pattern.equals("/*")) {
      return pattern.startsWith("/") || pattern.isEmpty() ? pattern : "/" + pattern;
    }
    String path = request.getServletPath();
    String rest = request.getPathInfo();
    return Endpoints.folded(rest == null ? path : path + rest);
  }
}
