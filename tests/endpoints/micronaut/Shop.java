package shop;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.runtime.Micronaut;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Mono;

/** Endpoints of which each makes so many objects of 16 bytes, and one keeps them. Nothing in it is for Mayfly. */
@Controller("/shop")
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

  static final class Asking {
    int field;
  }

  static final class Later {
    int field;
  }

  private static final List<Object> KEPT = new ArrayList<>();
  private static volatile Object sink;

  public static void main(String[] args) {
    System.out.println("PORT " + Micronaut.run(Shop.class, args).getBean(EmbeddedServer.class).getPort());
  }

  @Get("/orders/{id:[0-9]+}{?page}")
  @ExecuteOn(TaskExecutors.BLOCKING)
  String order(int id) {
    for (int i = 0; i < 10; i++) {
      sink = new Ordered();
    }
    return "order " + id;
  }

  @Post("/baskets/{who}/items")
  String add(String who) {
    synchronized (KEPT) {
      for (int i = 0; i < 3; i++) {
        KEPT.add(new Kept());
      }
    }
    return "for " + who;
  }

  @Get("/slow/{id}")
  CompletionStage<String> slow(int id) {
    sink = new Asking();
    return CompletableFuture.supplyAsync(
        () -> {
          sink = new Background();
          return "slow " + id;
        });
  }

  @Get("/mono/{id}")
  Mono<String> mono(int id) {
    return Mono.delay(Duration.ofMillis(1))
        .map(
            tick -> {
              sink = new Later();
              return "mono " + id;
            });
  }

  @Get("/fails/{id}")
  @ExecuteOn(TaskExecutors.BLOCKING)
  String fails(int id) {
    throw new IllegalStateException("of the test");
  }

  @Get("/end")
  String end() {
    new Thread(() -> System.exit(0)).start();
    return "end";
  }
}
