package sample;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.management.NotificationEmitter;

/** Notes each collection for ever, as metrics do. */
final class Listening {
  static final class Noted {
    final String what;

    Noted(String what) {
      this.what = what;
    }
  }

  static final List<Noted> NOTED = Collections.synchronizedList(new ArrayList<>());

  private static boolean begun;

  private Listening() {}

  static synchronized void begin() {
    if (begun) {
      return;
    }
    begun = true;
    for (Object bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean)
          .addNotificationListener((notification, handback) -> NOTED.add(new Noted(notification.getMessage())), null, null);
    }
  }
}
