package io.mayfly.endpoints;

import io.mayfly.HandOver;
import io.mayfly.Scope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.Callable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * In Spring MVC each request is a scope, named by its method and the pattern that its handler is mapped to:
 * <code>GET /orders/{id}</code>. Spring Boot 3 and newer finds this by itself, if the jar is in the application.
 *
 * <p>The scope lasts from the first interceptor to the end of the response's rendering; filters, those of Spring Security too, are outside of
 * it. {@code Callable} and {@code StreamingResponseBody} are a part of it on whichever thread they run, as is what the handler does when an
 * asynchronous request is dispatched again. What other threads do until then (of {@code DeferredResult}, {@code SseEmitter}) is
 * not measured. An error is handled in a scope of its own, {@code GET /error}.
 */
@AutoConfiguration
@ConditionalOnClass(WebMvcConfigurer.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public class SpringEndpoints implements WebMvcConfigurer, AsyncHandlerInterceptor, CallableProcessingInterceptor {
  private static final String ENTERED = "io.mayfly.endpoints.entered";
  private static final String REST = "io.mayfly.endpoints.rest";

  /** Of the task that the thread runs. A request may be over before its task is, and can't keep it. */
  private static final ThreadLocal<Scope> TASK = new ThreadLocal<>();

  /** The innermost scope of a request: it has several while it is forwarded. */
  private static final class Entered {
    final Scope scope;
    final Entered outer;

    Entered(Scope scope, Entered outer) {
      this.scope = scope;
      this.outer = outer;
    }
  }

  /** Made by Spring. */
  public SpringEndpoints() {}

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(this).order(Ordered.HIGHEST_PRECEDENCE);
  }

  @Override
  public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
    configurer.registerCallableInterceptors(this);
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (Endpoints.areWatched()) {
      Scope scope = request.getDispatcherType() == DispatcherType.ASYNC ? goOn(request) : enter(request);
      request.setAttribute(ENTERED, new Entered(scope, (Entered) request.getAttribute(ENTERED)));
    }
    return true;
  }

  private static Scope enter(HttpServletRequest request) {
    Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    return Endpoints.enter(request.getMethod(), pattern == null ? "/**" : pattern.toString());
  }

  /** Null if the request was not seen at its begin. */
  private static Scope goOn(HttpServletRequest request) {
    HandOver rest = (HandOver) request.getAttribute(REST);
    return rest == null ? null : rest.enter();
  }

  @Override
  public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
    Entered entered = (Entered) request.getAttribute(ENTERED);
    if (entered != null) {
      request.setAttribute(ENTERED, entered.outer);
      if (entered.scope != null) {
        entered.scope.close();
      }
    }
  }

  @Override
  public void afterConcurrentHandlingStarted(HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (request.getAttribute(REST) == null) {
      request.setAttribute(REST, rest((Entered) request.getAttribute(ENTERED)));
    }
    afterCompletion(request, response, handler, null);
  }

  /** What is handed over to who goes on with a request; null if it is in no scope. */
  private static HandOver rest(Entered entered) {
    return entered == null || entered.scope == null ? null : entered.scope.handOver();
  }

  /** On the thread of the request, before the task may run. */
  @Override
  public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> task) {
    Object entered = request.getAttribute(ENTERED, RequestAttributes.SCOPE_REQUEST);
    HandOver rest = rest((Entered) entered);
    if (rest != null) {
      request.setAttribute(REST, rest, RequestAttributes.SCOPE_REQUEST);
    }
  }

  @Override
  public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
    HandOver rest = (HandOver) request.getAttribute(REST, RequestAttributes.SCOPE_REQUEST);
    if (rest != null) {
      TASK.set(rest.enter());
    }
  }

  @Override
  public <T> void postProcess(NativeWebRequest request, Callable<T> task, Object result) {
    Scope scope = TASK.get();
    if (scope != null) {
      TASK.remove();
      scope.close();
    }
  }
}
