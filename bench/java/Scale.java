import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Holds millions of small objects and lets others die: {@code Scale LIVE CHURN}. Prints resident memory while all live are
 * there, and number and time of the young collections that the churn took.
 */
public final class Scale {
    static final class Held {
        long a;
    }

    static final class Dust {
        long a, b, c, d, e, f, g, h, i, j;
    }

    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        int live = Integer.parseInt(args[0]);
        int churn = Integer.parseInt(args[1]);
        Held[][] held = new Held[(live + 9_999) / 10_000][];
        for (int i = 0; i < held.length; i++) {
            held[i] = new Held[Math.min(10_000, live - i * 10_000)];
            for (int j = 0; j < held[i].length; j++) {
                held[i][j] = new Held();
            }
        }
        System.gc();
        long[] before = young();
        for (int i = 0; i < churn; i++) {
            sink = new Dust();
        }
        long[] after = young();
        long rss = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
        System.out.println("SCALE " + held.length + " " + rss + " " + (after[0] - before[0]) + " " + (after[1] - before[1]));
    }

    private static long[] young() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean.getName().contains("Young") || bean.getName().contains("Scavenge") || bean.getName().contains("Copy")) {
                return new long[] {bean.getCollectionCount(), bean.getCollectionTime()};
            }
        }
        throw new AssertionError("no young collector");
    }
}
