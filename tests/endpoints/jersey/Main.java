package shop;

import java.net.URI;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;

/** The shop in Jersey, in a server that knows no servlets. */
final class Main {
  private Main() {}

  public static void main(String[] args) {
    HttpServer server = GrizzlyHttpServerFactory.createHttpServer(URI.create("http://127.0.0.1:0/"), new ResourceConfig(Shop.class));
    System.out.println("PORT " + server.getListener("grizzly").getPort());
  }
}
