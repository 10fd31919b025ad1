package io.mayfly;

/** The agent's library is not there, so nothing can be said about the heap: no assertion passes. */
public final class AgentMissingException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  AgentMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
