import java.io.File;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;

/**
 * Asks NetBeans' library of an hprof file what the benchmark asks of ours: {@code HeapReader histogram|retained FILE}. Prints the 20 largest
 * rows.
 */
public final class HeapReader {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[1]));
        if (args[0].equals("histogram")) {
            // The library's lists have no element types.
            List<JavaClass> classes = new ArrayList<>();
            for (Object of : heap.getAllClasses()) {
                classes.add((JavaClass) of);
            }
            classes.sort(Comparator.comparingLong(JavaClass::getAllInstancesSize).reversed());
            for (JavaClass of : classes.subList(0, Math.min(20, classes.size()))) {
                System.out.println(of.getName() + " " + of.getInstancesCount() + " " + of.getAllInstancesSize());
            }
        } else {
            for (Object of : heap.getBiggestObjectsByRetainedSize(20)) {
                Instance instance = (Instance) of;
                System.out.println(instance.getJavaClass().getName() + " " + instance.getRetainedSize());
            }
        }
    }
}
