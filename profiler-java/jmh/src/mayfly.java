import io.mayfly.jmh.MayflyProfiler;
import org.openjdk.jmh.profile.ProfilerException;

/** The short name: JMH finds {@code -prof mayfly} by the name of a class. */
public final class mayfly extends MayflyProfiler {
  /** Without options. */
  public mayfly() {}

  /**
   * With options.
   *
   * @param options what follows the colon
   * @throws ProfilerException if they make no sense
   */
  public mayfly(String options) throws ProfilerException {
    super(options);
  }
}
