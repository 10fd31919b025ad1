package io.mayfly;

import java.util.concurrent.Callable;

/**
 * Takes other threads into a {@link Scope}: {@code executor.submit(scope.handOver().wrap(task))}. What a task allocates then belongs
 * to the scope, and to no other that its thread is in. May be used any number of times, and by any thread.
 *
 * <p>An entry that was handed over ends when its scope is closed and no task is in it any more.
 */
public final class HandOver {
  private final long[] scopes;

  HandOver(long[] scopes) {
    this.scopes = scopes;
  }

  /**
   * A task as a part of the scope.
   *
   * @param task what to run
   * @return runs it in the scope
   */
  public Runnable wrap(Runnable task) {
    return () -> {
      Scope scope = enter();
      try {
        task.run();
      } finally {
        scope.close();
      }
    };
  }

  /**
   * A task as a part of the scope.
   *
   * @param task what to call
   * @param <T> of its result
   * @return calls it in the scope
   */
  public <T> Callable<T> wrap(Callable<T> task) {
    return () -> {
      Scope scope = enter();
      try {
        return task.call();
      } finally {
        scope.close();
      }
    };
  }

  /**
   * Goes on in the scope on this thread, until what is returned is closed on it.
   *
   * @return to be closed
   */
  public Scope enter() {
    return Scope.goOn(scopes);
  }
}
