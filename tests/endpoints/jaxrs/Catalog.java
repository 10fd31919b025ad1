package shop;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

/** Annotations of an interface are those of what implements it. */
public interface Catalog {
  @GET
  @Path("catalog/{id}")
  String item(@PathParam("id") int id);
}
