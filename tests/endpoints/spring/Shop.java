package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.ModelAndView;

/** Endpoints of which each makes so many objects of 16 bytes, and one keeps them. Nothing in it is for Mayfly. */
@SpringBootApplication
@RestController
public class Shop {
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

  private static final List<Object> KEPT = new ArrayList<>();
  private static volatile Object sink;

  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  @EventListener
  void started(WebServerInitializedEvent event) {
    System.out.println("PORT " + event.getWebServer().getPort());
  }

  @GetMapping("/orders/{id}")
  String order(@PathVariable int id) {
    for (int i = 0; i < 10; i++) {
      sink = new Ordered();
    }
    return "order " + id;
  }

  @PostMapping("/baskets/{who}/items")
  String add(@PathVariable String who) {
    synchronized (KEPT) {
      for (int i = 0; i < 3; i++) {
        KEPT.add(new Kept());
      }
    }
    return "for " + who;
  }

  @GetMapping("/slow/{id}")
  Callable<String> slow(@PathVariable int id) {
    return () -> {
      for (int i = 0; i < 4; i++) {
        sink = new InTask();
      }
      return "slow " + id;
    };
  }

  @GetMapping("/deferred/{id}")
  DeferredResult<String> deferred(@PathVariable int id) {
    DeferredResult<String> result = new DeferredResult<>();
    new Thread(
            () -> {
              sink = new Background();
              result.setResult("deferred " + id);
            })
        .start();
    return result;
  }

  @GetMapping("/fails/{id}")
  String fails(@PathVariable int id) {
    throw new IllegalStateException("of the test");
  }

  @GetMapping("/forwarded/{id}")
  ModelAndView forwarded(@PathVariable int id) {
    return new ModelAndView("forward:/orders/" + id);
  }

  @GetMapping("/end")
  String end() {
    new Thread(() -> System.exit(0)).start();
    return "end";
  }
}
