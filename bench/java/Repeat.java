import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.Permission;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * An agent that runs a program's main method several times before the JVM does so itself: a command-line tool becomes one that is warm.
 * Only the JVM's own run prints on stdout. Needs a JVM that lets an agent catch {@code System.exit}: JDK 17 or before.
 */
public final class Repeat {
    /** Thrown instead of an exit. */
    private static final class Exit extends Error {
        final int status;

        Exit(int status) {
            super(null, null, false, false);
            this.status = status;
        }
    }

    /** Allows all but an exit. */
    private static final class NoExit extends SecurityManager {
        @Override
        public void checkExit(int status) {
            throw new Exit(status);
        }

        @Override
        public void checkPermission(Permission permission) {}

        @Override
        public void checkPermission(Permission permission, Object context) {}
    }

    private Repeat() {}

    /** @param times how often main is to run, the JVM's own run included */
    public static void premain(String times, Instrumentation unused) throws Exception {
        String[] command = System.getProperty("sun.java.command").split(" ");
        Method main = mainMethod(command[0]);
        PrintStream out = System.out;
        System.setSecurityManager(new NoExit());
        for (int run = 1; run < Integer.parseInt(times); run++) {
            System.setOut(new PrintStream(OutputStream.nullOutputStream()));
            runOnce(main, Arrays.copyOfRange(command, 1, command.length));
        }
        System.setSecurityManager(null);
        System.setOut(out);
    }

    private static void runOnce(Method main, String[] arguments) throws Exception {
        try {
            main.invoke(null, (Object) arguments);
        } catch (InvocationTargetException thrown) {
            if (!(thrown.getCause() instanceof Exit) || ((Exit) thrown.getCause()).status != 0) {
                throw thrown;
            }
        }
    }

    /** Of what the launcher was given: a jar, a class, or a class in a module. */
    private static Method mainMethod(String given) throws Exception {
        String name = given.substring(given.indexOf('/') + 1);
        if (new File(given).isFile()) {
            try (JarFile jar = new JarFile(given)) {
                name = jar.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            }
        }
        return ClassLoader.getSystemClassLoader().loadClass(name).getMethod("main", String[].class);
    }
}
