/**
 * Holds millions of small objects, three of them and four references per link of a list: {@code HeapScale OBJECTS}. Says
 * READY when they are there, and ends when its standard input does.
 */
public final class HeapScale {
    static final class Link {
        Link next;
        Object plain;
        byte[] bytes;
    }

    /** At the far end of the lists: what a path has to find. */
    static final class Needle {
        Object itself = this;
    }

    /** Short lists in one array, so that a path is not as long as the heap is large. */
    static Link[] lists;

    public static void main(String[] args) throws Exception {
        int links = Integer.parseInt(args[0]) / 3;
        lists = new Link[Math.max(1, links / 100)];
        for (int i = 0; i < links; i++) {
            Link link = new Link();
            link.plain = i == links / 2 ? new Needle() : new Object();
            link.bytes = new byte[8];
            link.next = lists[i % lists.length];
            lists[i % lists.length] = link;
        }
        System.gc();
        System.out.println("READY");
        while (System.in.read() >= 0) {
            // Until its end.
        }
    }
}
