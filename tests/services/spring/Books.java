package books;

import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * A book shop of Spring Boot, and its customers: `-Drequests=N` of them, or with `-Dforever=true` until it is killed. It keeps a catalogue, renders pages by
 * concatenation (`-Dfixed=true`: in a builder), and never forgets a visit.
 */
@SpringBootApplication
@RestController
public class Books {
  record Book(int id, String title, byte[] cover) {}

  record Visit(String who, long[] clicks) {}

  static final class Audit {
    static final List<Visit> VISITS = Collections.synchronizedList(new ArrayList<>());

    static void visited(int id) {
      VISITS.add(new Visit("visitor " + id, new long[64]));
    }
  }

  private static final int BOOKS = 4_000;
  private static final int LINES = 40;
  private final List<Book> catalogue = new ArrayList<>();

  public Books() {
    for (int id = 0; id < BOOKS; id++) {
      catalogue.add(new Book(id, "book " + id, new byte[1_000]));
    }
  }

  @GetMapping("/books/{id}")
  public String book(@PathVariable("id") int id) {
    Audit.visited(id);
    return render(catalogue.get(id % BOOKS));
  }

  private String render(Book book) {
    if (Boolean.getBoolean("fixed")) {
      StringBuilder page = new StringBuilder(4_000);
      for (int line = 0; line < LINES; line++) {
        page.append(book.title()).append(" has a line, ").append(line).append(", as long as lines are in books\n");
      }
      return page.toString();
    }
    String page = "";
    for (int line = 0; line < LINES; line++) {
      page += book.title() + " has a line, " + line + ", as long as lines are in books\n";
    }
    return page;
  }

  public static void main(String[] args) throws Exception {
    ServletWebServerApplicationContext context =
        (ServletWebServerApplicationContext) SpringApplication.run(Books.class, "--server.port=0", "--server.address=127.0.0.1");
    int requests = Boolean.getBoolean("forever") ? Integer.MAX_VALUE : Integer.getInteger("requests");
    String shop = "http://127.0.0.1:" + context.getWebServer().getPort() + "/books/";
    System.out.println("READY");
    for (int id = 0; id < requests; id++) {
      HttpURLConnection request = (HttpURLConnection) URI.create(shop + id).toURL().openConnection();
      try (InputStream page = request.getInputStream()) {
        page.readAllBytes();
      }
      if (requests == Integer.MAX_VALUE) {
        Thread.sleep(5);
      }
    }
    System.exit(0);
  }
}
