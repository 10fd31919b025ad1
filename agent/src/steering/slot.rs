//! Where the session is while it lasts.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds what is opened once and closed once. Its lock also orders all that is done with it.
pub(super) struct Slot<S> {
    open: Mutex<Option<S>>,
    /// Held by who closes it.
    closing: Mutex<()>,
}

impl<S> Default for Slot<S> {
    fn default() -> Self {
        Self { open: Mutex::new(None), closing: Mutex::new(()) }
    }
}

impl<S> Slot<S> {
    /// What is in it, for one thread at a time; `None` before it is opened, and once its end has begun.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<S>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it out for good, and has it closed, which may wait for readers: meanwhile others find that it ended. Returns when
    /// it is closed, whoever does it.
    pub(super) fn close(&self, close: impl FnOnce(S)) {
        let _until_closed = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.lock().take();
        if let Some(taken) = taken {
            close(taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn while_it_is_closed_others_find_it_ended_and_a_second_end_waits() {
        let slot = Arc::new(Slot::default());
        *slot.lock() = Some("session");
        let ((closing, is_closing), (go, may_go)) = (channel(), channel::<()>());
        let slow = Arc::clone(&slot);
        let writer = thread::spawn(move || {
            slow.close(|_| {
                closing.send(()).expect("the test listens");
                may_go.recv_timeout(PATIENCE).expect("a go");
            });
        });
        is_closing.recv_timeout(PATIENCE).expect("it is being closed");

        let (asked, answer) = channel();
        let asking = Arc::clone(&slot);
        thread::spawn(move || asked.send(asking.lock().is_none()));
        assert!(answer.recv_timeout(PATIENCE).expect("nobody who asks waits for the writing"), "it ended");

        let (ended, has_ended) = channel();
        let ending = Arc::clone(&slot);
        thread::spawn(move || {
            ending.close(|_| panic!("it is closed once"));
            ended.send(())
        });
        assert!(has_ended.recv_timeout(Duration::from_millis(50)).is_err(), "the JVM waits for the writing");
        go.send(()).expect("the writer waits");
        has_ended.recv_timeout(PATIENCE).expect("it goes on once all is written");
        writer.join().expect("no panic");
    }
}
