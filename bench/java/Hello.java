/** Starts and ends: what a JVM costs before a program does anything. */
public final class Hello {
    private Hello() {}

    public static void main(String[] arguments) {
        System.out.println("hello");
    }
}
