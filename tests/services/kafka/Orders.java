package orders;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;

/**
 * A broker of Kafka, who orders and who delivers: `-Drequests=N` orders, or with `-Dforever=true` until it is killed. It keeps its customers, writes invoices by
 * concatenation (`-Dfixed=true`: in a builder), and never forgets a delivery. Its files are where it is started.
 */
public final class Orders {
  record Customer(int id, String name, byte[] photo) {}

  record Delivery(String order, long[] stops) {}

  static final class Ledger {
    static final Map<Long, Delivery> DELIVERED = new ConcurrentHashMap<>();

    static void delivered(long offset, String order) {
      DELIVERED.put(offset, new Delivery(order, new long[64]));
    }
  }

  private static final int CUSTOMERS = 4_000;
  private static final int LINES = 40;
  private final List<Customer> customers = new ArrayList<>();

  private Orders() {
    for (int id = 0; id < CUSTOMERS; id++) {
      customers.add(new Customer(id, "customer " + id, new byte[1_000]));
    }
  }

  public int deliver(ConsumerRecord<String, String> order) {
    Ledger.delivered(order.offset(), order.key());
    return invoice(customers.get((int) (order.offset() % CUSTOMERS))).length();
  }

  private String invoice(Customer customer) {
    if (Boolean.getBoolean("fixed")) {
      StringBuilder page = new StringBuilder(4_000);
      for (int line = 0; line < LINES; line++) {
        page.append(customer.name()).append(" owes for line ").append(line).append(", as long as lines of invoices are\n");
      }
      return page.toString();
    }
    String page = "";
    for (int line = 0; line < LINES; line++) {
      page += customer.name() + " owes for line " + line + ", as long as lines of invoices are\n";
    }
    return page;
  }

  /** Below those from which Linux takes the ports of outgoing connections: it stays free until the broker comes to it. */
  private static int freePort() throws IOException {
    for (int tries = 0; ; tries++) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port)) {
        return port;
      } catch (BindException taken) {
        if (tries == 100) {
          throw taken;
        }
      }
    }
  }

  private static void startBroker(Path folder, int port, int controller) throws Exception {
    Properties settings = new Properties();
    settings.putAll(
        Map.of(
            "process.roles", "broker,controller",
            "node.id", "1",
            "controller.quorum.voters", "1@127.0.0.1:" + controller,
            "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
            "controller.listener.names", "CONTROLLER",
            "log.dirs", folder.resolve("log").toString(),
            "offsets.topic.replication.factor", "1",
            "offsets.topic.num.partitions", "1",
            "group.initial.rebalance.delay.ms", "0"));
    Path file = folder.resolve("server.properties");
    try (OutputStream out = Files.newOutputStream(file)) {
      settings.store(out, null);
    }
    String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
    if (StorageTool.execute(format, new PrintStream(OutputStream.nullOutputStream())) != 0) {
      throw new IllegalStateException("the storage was not formatted");
    }
    new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM).startup();
  }

  public static void main(String[] args) throws Exception {
    int requests = Boolean.getBoolean("forever") ? Integer.MAX_VALUE : Integer.getInteger("requests");
    int port = freePort();
    startBroker(Files.createTempDirectory(Path.of("").toAbsolutePath(), "orders"), port, freePort());
    Orders orders = new Orders();
    Properties client = new Properties();
    client.put("bootstrap.servers", "127.0.0.1:" + port);
    client.put("group.id", "deliveries");
    client.put("auto.offset.reset", "earliest");
    StringSerializer writes = new StringSerializer();
    StringDeserializer reads = new StringDeserializer();
    long letters = 0;
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(client, writes, writes);
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(client, reads, reads)) {
      consumer.subscribe(List.of("orders"));
      producer.send(new ProducerRecord<>("orders", "order", "the first")).get();
      System.out.println("READY");
      for (int sent = 1, delivered = 0; delivered < requests; ) {
        for (int batch = 0; batch < 50 && sent < requests; batch++, sent++) {
          producer.send(new ProducerRecord<>("orders", "order " + sent, "a page of a book, and a pen, number " + sent));
        }
        for (ConsumerRecord<String, String> order : consumer.poll(Duration.ofMillis(20))) {
          letters += orders.deliver(order);
          delivered++;
        }
        if (requests == Integer.MAX_VALUE) {
          Thread.sleep(100);
        }
      }
    }
    System.out.println(requests + " invoices of " + letters + " letters");
    System.exit(0);
  }
}
