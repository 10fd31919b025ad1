package shop;

import io.mayfly.Scope;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Endpoints of which each makes so many objects of 16 bytes, and one keeps them. The test makes a javax copy for older containers. */
@WebServlet(
    urlPatterns = {"/orders/*", "/baskets", "/async/*", "/tasks/*", "/fails", "/oops", "/end", "/"},
    asyncSupported = true)
public final class Shop extends HttpServlet {
  private static final long serialVersionUID = 1;

  static final class Ordered {
    int field;
  }

  static final class Kept {
    int field;
  }

  static final class Background {
    int field;
  }

  static final class InTask {
    int field;
  }

  static final class Dispatched {
    int field;
  }

  static final class Failing {
    int field;
  }

  private static final List<Object> KEPT = new ArrayList<>();
  private static volatile Object sink;

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
    switch (request.getServletPath()) {
      case "/orders":
        for (int i = 0; i < 10; i++) {
          sink = new Ordered();
        }
        break;
      case "/baskets":
        synchronized (KEPT) {
          for (int i = 0; i < 3; i++) {
            KEPT.add(new Kept());
          }
        }
        break;
      case "/async":
      case "/tasks":
        if (request.getDispatcherType() != DispatcherType.ASYNC) {
          begin(request);
          return;
        }
        sink = new Dispatched();
        break;
      case "/fails":
        sink = new Failing();
        response.sendError(500);
        return;
      case "/oops":
        sink = new Failing();
        break;
      case "/end":
        new Thread(() -> System.exit(0)).start();
        break;
      default:
    }
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().print(request.getMethod() + " of " + request.getServletPath() + " " + request.getPathInfo());
  }

  /** Another thread does a part, and has the request dispatched again; of a task that part belongs to the request. */
  private static void begin(HttpServletRequest request) {
    AsyncContext context = request.startAsync();
    Runnable part = () -> sink = request.getServletPath().equals("/tasks") ? new InTask() : new Background();
    Scope scope = (Scope) request.getAttribute("io.mayfly.Scope");
    boolean isTask = request.getServletPath().equals("/tasks") && scope != null;
    Runnable wrapped = isTask ? scope.handOver().wrap(part) : part;
    new Thread(
            () -> {
              wrapped.run();
              context.dispatch();
            })
        .start();
  }
}
