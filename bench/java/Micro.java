import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Allocation workloads on one thread, measured by that thread's CPU time.
 *
 * <p>Arguments: workload, warm-up in ms, number of intervals, ms per interval (CPU time). One line per interval on
 * stdout: operations, the thread's CPU ns, the process's CPU ns, bytes the thread allocated by the JVM's counter.
 */
public final class Micro {
    private static final int CHUNK = 50_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static Object sink;
    private static final Map<String, List<String>> CACHE = new HashMap<>();

    private Micro() {}

    /** 24 bytes: header and three ints. */
    private static final class Triple {
        final int a;
        final int b;
        final int c;

        Triple(int a, int b, int c) {
            this.a = a;
            this.b = b;
            this.c = c;
        }
    }

    /** Escaping objects of 24 bytes. */
    private static int obj1(int n) {
        for (int i = 0; i < n; i++) {
            sink = new Triple(i, n, 1);
        }
        return n;
    }

    /** Escaping arrays of 64 bytes and a header. */
    private static int arr1(int n) {
        for (int i = 0; i < n; i++) {
            sink = new byte[64];
        }
        return n;
    }

    /** Objects that never leave the loop: a good JIT allocates none of them. */
    private static int ea1(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Triple triple = new Triple(i, sum, 1);
            sum = triple.a + triple.b * 31 + triple.c;
        }
        return sum;
    }

    /** Calls of a small method that allocates one object of 24 bytes: what a scope costs where each call is one. */
    private static int call(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += request(i);
        }
        return sum;
    }

    private static int request(int i) {
        sink = new Triple(i, i, 1);
        return i;
    }

    /** Everyday churn: strings, lists, boxes, map entries; a cache of 1,000 keys lives on for a while. */
    private static int mix(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            String key = "key-" + i % 1000;
            List<String> values = new ArrayList<>();
            for (int k = 0; k < 4; k++) {
                values.add(key + k);
            }
            Map<Integer, String> byLength = new HashMap<>();
            for (String value : values) {
                byLength.merge(value.length() * 100 + i % 7, value, (a, b) -> a);
            }
            sum += byLength.size() + CACHE.getOrDefault(key, values).size();
            CACHE.put(key, values);
        }
        return sum;
    }

    private static IntUnaryOperator workload(String name) {
        switch (name) {
            case "obj1":
                return Micro::obj1;
            case "arr1":
                return Micro::arr1;
            case "ea1":
                return Micro::ea1;
            case "mix":
                return Micro::mix;
            case "call":
                return Micro::call;
            default:
                throw new IllegalArgumentException("no workload " + name + ": obj1, arr1, ea1, mix, call");
        }
    }

    private static int checksum;

    /** Runs chunks until the thread used this much CPU time; returns the operations done. */
    private static long runFor(IntUnaryOperator work, int chunk, long cpuNanos) {
        long end = THREADS.getCurrentThreadCpuTime() + cpuNanos;
        long operations = 0;
        do {
            checksum += work.applyAsInt(chunk);
            operations += chunk;
        } while (THREADS.getCurrentThreadCpuTime() < end);
        return operations;
    }

    public static void main(String[] arguments) {
        IntUnaryOperator work = workload(arguments[0]);
        int chunk = arguments[0].equals("mix") ? CHUNK / 50 : CHUNK;
        long warmUp = Long.parseLong(arguments[1]) * 1_000_000;
        int intervals = Integer.parseInt(arguments[2]);
        long interval = Long.parseLong(arguments[3]) * 1_000_000;
        long thread = Thread.currentThread().getId();
        runFor(work, chunk, warmUp);
        for (int i = 0; i < intervals; i++) {
            long bytes = THREADS.getThreadAllocatedBytes(thread);
            long process = PROCESS.getProcessCpuTime();
            long cpu = THREADS.getCurrentThreadCpuTime();
            long operations = runFor(work, chunk, interval);
            cpu = THREADS.getCurrentThreadCpuTime() - cpu;
            process = PROCESS.getProcessCpuTime() - process;
            bytes = THREADS.getThreadAllocatedBytes(thread) - bytes;
            System.out.println("interval operations=" + operations + " cpu_ns=" + cpu + " process_ns=" + process
                    + " bytes=" + bytes);
        }
        System.out.println("checksum " + checksum);
    }
}
