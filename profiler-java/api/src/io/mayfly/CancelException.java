package io.mayfly;

/** Thrown by a {@link Progress} to end the search. */
public final class CancelException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Without a message: nobody is shown it. */
  public CancelException() {
    super(null, null, false, false);
  }
}
