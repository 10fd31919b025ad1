package io.mayfly;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Sets of objects told apart by identity. */
final class Identity {
  private Identity() {}

  static Set<Object> setOf(Collection<?> objects) {
    Set<Object> set = Collections.newSetFromMap(new IdentityHashMap<>());
    set.addAll(objects);
    return set;
  }
}
