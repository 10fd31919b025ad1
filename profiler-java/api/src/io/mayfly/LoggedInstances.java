package io.mayfly;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Takes the parameters of log records for instances to follow. Loaded only if asked for: it needs java.logging. */
final class LoggedInstances extends Handler implements AutoCloseable {
  private final InstanceTracker tracker;
  private final Logger logger;
  private final String message;
  private final Level before;

  LoggedInstances(InstanceTracker tracker, Logger logger, String message, Level level) {
    this.tracker = tracker;
    this.logger = logger;
    this.message = message;
    this.before = logger.getLevel();
    setLevel(level);
    if (!logger.isLoggable(level)) {
      logger.setLevel(level);
    }
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getParameters() == null || message != null && !message.equals(record.getMessage())) {
      return;
    }
    for (Object parameter : record.getParameters()) {
      tracker.track(record.getMessage(), parameter);
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
