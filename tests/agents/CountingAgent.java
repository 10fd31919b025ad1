import static net.bytebuddy.matcher.ElementMatchers.named;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/** An agent as many are that are made with Byte Buddy: counts calls of a method, and writes into a file how many there were. */
public final class CountingAgent {
  /** Counts. */
  public static final class Count {
    @Advice.OnMethodEnter
    static void enter() {
      System.setProperty("counted", String.valueOf(Integer.getInteger("counted", 0) + 1));
    }
  }

  public static void premain(String file, Instrumentation instrumentation) {
    new AgentBuilder.Default()
        .type(named("steered.Steered"))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(Count.class).on(named("make"))))
        .installOn(instrumentation);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(Path.of(file))));
  }

  private static void write(Path file) {
    try {
      Files.writeString(file, "CALLS " + System.getProperty("counted"));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
