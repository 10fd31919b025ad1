package shop;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Endpoints of which each makes so many objects of 16 bytes, and one keeps them. Nothing in it is for Mayfly. */
@Path("/shop")
public class Shop implements Catalog {
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

  static final class Listed {
    int field;
  }

  private static final List<Object> KEPT = new ArrayList<>();
  private static volatile Object sink;

  @GET
  @Path("orders/{id: [0-9]{1,9}}")
  public String order(@PathParam("id") int id) {
    for (int i = 0; i < 10; i++) {
      sink = new Ordered();
    }
    return "order " + id;
  }

  @POST
  @Path("/baskets/{who}/items")
  public String add(@PathParam("who") String who) {
    synchronized (KEPT) {
      for (int i = 0; i < 3; i++) {
        KEPT.add(new Kept());
      }
    }
    return "for " + who;
  }

  @GET
  @Path("slow/{id}")
  public CompletionStage<String> slow(@PathParam("id") int id) {
    sink = new Asking();
    return CompletableFuture.supplyAsync(
        () -> {
          sink = new Background();
          return "slow " + id;
        });
  }

  @GET
  @Path("fails/{id}")
  public String fails(@PathParam("id") int id) {
    throw new IllegalStateException("of the test");
  }

  @Override
  public String item(int id) {
    sink = new Listed();
    return "item " + id;
  }

  @GET
  @Path("end")
  public String end() {
    new Thread(() -> System.exit(0)).start();
    return "end";
  }
}
