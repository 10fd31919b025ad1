package io.mayfly.web;

import io.mayfly.Mayfly;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Date;
import java.util.Locale;

/**
 * Four buttons that steer the profiler of this JVM: a page, and a path for each button that answers in a line of plain text.
 *
 * <p>Only POST changes anything. It must bring the token that the page has, which pages of other sites can't read; and a
 * browser that says where the request comes from must name this site. Nothing is asked of the person: whoever may see the
 * page may press its buttons. The build makes a {@code javax} copy of this source for older containers.
 */
public final class ConsoleServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final String TOKEN = "token";

  /** What a button does, and what is said then. */
  private enum Button {
    START("Mayfly Profiling started!") {
      @Override
      void press() {
        Mayfly.start();
      }
    },
    PAUSE("Mayfly Profiling disabled!") {
      @Override
      void press() {
        Mayfly.pause();
      }
    },
    RESET("Mayfly Data Reset!") {
      @Override
      void press() {
        Mayfly.reset();
      }
    },
    OUTPUT("Mayfly Data Output!") {
      @Override
      void press() {
        Mayfly.report();
      }
    };

    private final String said;

    Button(String said) {
      this.said = said;
    }

    abstract void press();

    /** The one at a path; null if there is none. */
    static Button at(String path) {
      for (Button button : values()) {
        if (path != null && path.equals("/" + button.name().toLowerCase(Locale.ROOT))) {
          return button;
        }
      }
      return null;
    }
  }

  private transient byte[] token;
  private transient String page;

  @Override
  public void init() throws ServletException {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    StringBuilder hex = new StringBuilder();
    for (byte part : random) {
      hex.append(String.format("%02x", part));
    }
    token = hex.toString().getBytes(StandardCharsets.US_ASCII);
    try (InputStream in = ConsoleServlet.class.getResourceAsStream("console.html")) {
      page = new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("${token}", hex);
    } catch (IOException e) {
      throw new ServletException("the page can't be read", e);
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String path = request.getPathInfo();
    if (Button.at(path) != null) {
      response.setHeader("Allow", "POST");
      answer(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "Mayfly: a button is pressed by POST only");
    } else if (path != null && !path.equals("/")) {
      answer(response, HttpServletResponse.SC_NOT_FOUND, "Mayfly: there is no such page");
    } else {
      restrict(response);
      response.setContentType("text/html;charset=UTF-8");
      // As the old pages had it, for caches that heed no header.
      response.getWriter().print(page.replace("${cb}", Long.toString(System.currentTimeMillis())));
    }
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Button button = Button.at(request.getPathInfo());
    if (button == null) {
      answer(response, HttpServletResponse.SC_NOT_FOUND, "Mayfly: there is no such button");
    } else if (!isOfThisSite(request) || !hasToken(request)) {
      answer(response, HttpServletResponse.SC_FORBIDDEN, "Mayfly: refused, as the request is not of this site's page");
    } else if (!Mayfly.isLoaded()) {
      answer(
          response,
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "Mayfly: no agent is in this JVM: start it with -agentpath:libmayfly.so");
    } else {
      button.press();
      answer(response, HttpServletResponse.SC_OK, button.said);
    }
  }

  private boolean hasToken(HttpServletRequest request) {
    String given = request.getParameter(TOKEN);
    return given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), token);
  }

  /** Whether the browser names no other site; programs that are no browsers name none. */
  private static boolean isOfThisSite(HttpServletRequest request) {
    String fetched = request.getHeader("Sec-Fetch-Site");
    if (fetched != null && !fetched.equals("same-origin")) {
      return false;
    }
    String origin = request.getHeader("Origin");
    if (origin == null) {
      return true;
    }
    try {
      String site = new URI(origin).getRawAuthority();
      return site != null && site.equalsIgnoreCase(request.getHeader("Host"));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static void answer(HttpServletResponse response, int status, String said) throws IOException {
    restrict(response);
    response.setStatus(status);
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().print(new Date() + " : " + said + "\n");
  }

  /** Kept nowhere, shown in no other site's frame, and without scripts. */
  private static void restrict(HttpServletResponse response) {
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Frame-Options", "SAMEORIGIN");
    response.setHeader("Referrer-Policy", "same-origin");
    response.setHeader(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; frame-ancestors 'self'");
  }
}
