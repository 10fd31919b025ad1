import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;

/**
 * Reads an hprof file by NetBeans' library: {@code SecondReader FILE}. For each line of input, {@code ID ID…} in hexadecimal, prints what
 * the first object retains and what all of them take together, both by the library's own sizes.
 */
public final class SecondReader {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = input.readLine()) != null) {
            String[] ids = line.split(" ");
            long together = 0;
            for (String id : ids) {
                together += heap.getInstanceByID(Long.parseUnsignedLong(id, 16)).getSize();
            }
            Instance first = heap.getInstanceByID(Long.parseUnsignedLong(ids[0], 16));
            System.out.println(first.getRetainedSize() + " " + together);
        }
    }
}
