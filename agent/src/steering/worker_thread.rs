//! The worker's thread as others see it: it is woken, and gone before the JVM ends.
//!
//! A JVM that ends waits 300 ms for threads that it knows and that run native code, as a waiting thread of ours does.

use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// How long the end of the JVM waits: no longer than the JVM would.
const LONGEST_WAIT: Duration = Duration::from_millis(300);

/// The thread, once there is one.
#[derive(Debug, Default)]
pub(super) struct WorkerThread {
    thread: OnceLock<Thread>,
    stands: Mutex<Stands>,
    changed: Condvar,
}

/// Whether the JVM knows the thread, and may be told to forget it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stands {
    /// The JVM does not know it.
    #[default]
    Detached,
    /// The JVM knows it.
    Attached,
    /// The end of the JVM waits for it to detach.
    Awaited,
    /// It is about to detach.
    Detaching,
    /// It is too late for that.
    Staying,
}

impl WorkerThread {
    /// This thread is it, and the JVM knows it.
    pub(super) fn is_attached(&self) {
        let _ = self.thread.set(std::thread::current());
        *self.stands() = Stands::Attached;
    }

    /// Wakes it. Safe inside a GC callback: it neither blocks nor allocates.
    pub(super) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Called by it as the last: it runs `detach` if the JVM goes on, or waits for that.
    pub(super) fn leave(&self, jvm_goes_on: bool, detach: impl FnOnce()) {
        {
            let mut stands = self.stands();
            if *stands != Stands::Awaited && !(jvm_goes_on && *stands == Stands::Attached) {
                return;
            }
            *stands = Stands::Detaching;
        }
        detach();
        *self.stands() = Stands::Detached;
        self.changed.notify_all();
    }

    /// The JVM ends: `tell` has the thread end, too. Returns when it is detached, or does not get there.
    pub(super) fn await_end(&self, tell: impl FnOnce()) {
        {
            let mut stands = self.stands();
            if *stands == Stands::Attached {
                *stands = Stands::Awaited;
            }
        }
        tell();
        self.wake();
        let stands = self.stands();
        let waits = |stands: &mut Stands| matches!(stands, Stands::Awaited | Stands::Detaching);
        let waited = self.changed.wait_timeout_while(stands, LONGEST_WAIT, waits);
        let (mut stands, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *stands == Stands::Awaited {
            *stands = Stands::Staying;
        }
    }

    fn stands(&self) -> MutexGuard<'_, Stands> {
        self.stands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;

    use super::*;

    #[test]
    fn the_end_of_the_jvm_waits_until_the_thread_is_detached() {
        let (worker, ends, detached) =
            (WorkerThread::default(), AtomicBool::new(false), AtomicBool::new(false));
        worker.is_attached();
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ends.load(SeqCst) {
                    thread::yield_now();
                }
                worker.leave(false, || detached.store(true, SeqCst));
            });
            worker.await_end(|| ends.store(true, SeqCst));
            assert!(detached.load(SeqCst));
        });
    }

    #[test]
    fn a_thread_that_comes_too_late_does_not_detach() {
        let worker = WorkerThread::default();
        worker.is_attached();
        worker.await_end(|| {});
        worker.leave(false, || panic!("the JVM is gone"));
        worker.leave(true, || panic!("the JVM is gone"));
    }

    #[test]
    fn nobody_waits_for_a_thread_that_left_while_the_jvm_went_on() {
        let (worker, mut detached) = (WorkerThread::default(), false);
        worker.is_attached();
        worker.leave(true, || detached = true);
        assert!(detached);
        let began = std::time::Instant::now();
        worker.await_end(|| {});
        assert!(began.elapsed() < LONGEST_WAIT);
    }
}
