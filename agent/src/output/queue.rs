//! A short queue before a thread that writes: nobody who fills it waits, unless he asks to.
//!
//! Not here: what is written, and what becomes of what found no room.

use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, TrySendError, bounded};

use crate::conduct::notice::say;

/// How long anybody waits at most for something to be written.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How often a waiting thread looks whether the writer gets ahead.
const LOOK: Duration = Duration::from_millis(20);

enum Item<T> {
    Write(T),
    Flush(Sender<()>),
}

/// Why an item found no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// Others wait already.
    Full,
    /// Nobody takes anything any more.
    Left,
}

/// The end that is filled.
pub(super) struct Queue<T> {
    sender: Sender<Item<T>>,
    pace: Arc<Pace>,
}

/// The end that is emptied, until a thread takes it.
pub(super) struct Unserved<T> {
    receiver: Receiver<Item<T>>,
    pace: Arc<Pace>,
}

/// Whether the writer gets ahead.
#[derive(Default)]
pub(super) struct Pace(Mutex<Writer>);

/// What the writer does.
#[derive(Clone, Copy, Default)]
enum Writer {
    /// It waits for work.
    #[default]
    Idle,
    /// It was last seen to get ahead then.
    Busy(Instant),
    /// Nothing any more. What was added since is not written, and not dropped before the queue is.
    Left,
}

impl Pace {
    /// Something was written, or is about to be.
    pub(super) fn ahead(&self) {
        self.set(Writer::Busy(Instant::now()));
    }

    fn set(&self, writer: Writer) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = writer;
    }

    fn stands_for(&self, time: Duration) -> bool {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Writer::Idle => false,
            Writer::Busy(since) => since.elapsed() >= time,
            Writer::Left => true,
        }
    }
}

/// Tells, however the writer ends, that it has left.
struct Leaves(Arc<Pace>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.set(Writer::Left);
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), pace: Arc::clone(&self.pace) }
    }
}

/// A queue that holds so many items.
pub(super) fn queue<T>(room: usize) -> (Queue<T>, Unserved<T>) {
    let (sender, receiver) = bounded(room);
    let pace = Arc::<Pace>::default();
    (Queue { sender, pace: Arc::clone(&pace) }, Unserved { receiver, pace })
}

impl<T> Queue<T> {
    /// Adds an item if there is room, and never waits.
    ///
    /// # Errors
    /// Why it was not added.
    pub(super) fn offer(&self, item: T) -> Result<(), NotTaken> {
        self.sender.try_send(Item::Write(item)).map_err(|error| match error {
            TrySendError::Full(_) => NotTaken::Full,
            TrySendError::Disconnected(_) => NotTaken::Left,
        })
    }

    /// Whether another item finds room.
    pub(super) fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.sender.is_empty()
    }

    /// Adds an item; waits for room as long as the writer gets ahead within `patience`. Whether there was room.
    pub(super) fn put(&self, item: T, patience: Duration) -> bool {
        self.send(Item::Write(item), patience)
    }

    /// Waits until all that was added before is written, as long as the writer gets ahead within `patience`.
    pub(super) fn flush(&self, patience: Duration) -> bool {
        let (done, written) = bounded(1);
        if !self.send(Item::Flush(done), patience) {
            return false;
        }
        let began = Instant::now();
        loop {
            match written.recv_timeout(LOOK) {
                Ok(()) => return true,
                Err(RecvTimeoutError::Timeout) if self.may_wait(began, patience) => {}
                Err(_) => return false,
            }
        }
    }

    fn send(&self, mut item: Item<T>, patience: Duration) -> bool {
        let began = Instant::now();
        loop {
            match self.sender.send_timeout(item, LOOK) {
                Ok(()) => return true,
                Err(SendTimeoutError::Timeout(back)) if self.may_wait(began, patience) => item = back,
                Err(_) => return false,
            }
        }
    }

    fn may_wait(&self, began: Instant, patience: Duration) -> bool {
        began.elapsed() < LONGEST_WAIT && !self.pace.stands_for(patience)
    }
}

impl<T: Send + 'static> Unserved<T> {
    /// Starts a thread of this name that does `write` with each item. It tells the pace if one item takes several writes.
    pub(super) fn serve(self, name: &str, mut write: impl FnMut(T, &Pace) + Send + 'static) {
        let all = move |item, pace: &Pace| {
            write(item, pace);
            ControlFlow::Continue(())
        };
        if let Err(error) = self.serve_until(name, all) {
            say(&format!("cannot start a thread ({error}): there will be no {name}"));
        }
    }

    /// The same until `write` breaks off; the queue takes no more then.
    ///
    /// # Errors
    /// There is no such thread.
    pub(super) fn serve_until(
        self,
        name: &str,
        mut write: impl FnMut(T, &Pace) -> ControlFlow<()> + Send + 'static,
    ) -> io::Result<()> {
        let Self { receiver, pace } = self;
        let run = move || {
            let _leaves = Leaves(Arc::clone(&pace));
            while let Ok(item) = receiver.recv() {
                pace.ahead();
                let goes_on = match item {
                    Item::Write(item) => write(item, &pace),
                    Item::Flush(done) => {
                        // Whoever waited may have given up.
                        let _ = done.send(());
                        ControlFlow::Continue(())
                    }
                };
                pace.set(Writer::Idle);
                if goes_on.is_break() {
                    break;
                }
            }
        };
        thread::Builder::new().name(name.into()).spawn(run).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(60);

    #[test]
    fn what_finds_no_room_comes_back_at_once() {
        let (queue, _unserved) = queue(1);
        assert_eq!((queue.offer(1), queue.offer(2)), (Ok(()), Err(NotTaken::Full)));
        assert!(!queue.has_room() && !queue.is_empty());
    }

    #[test]
    fn a_flush_waits_for_what_was_added_before() {
        let (queue, unserved) = queue(4);
        let (sender, seen) = bounded(4);
        unserved.serve("test", move |item: u32, _| sender.send(item).expect("a test that listens"));
        assert!((1..=3).all(|item| queue.put(item, SHORT)) && queue.flush(SHORT));
        assert_eq!(seen.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn nobody_waits_for_a_writer_that_has_left() {
        let (queue, unserved) = queue(2);
        let (go_on, held) = bounded::<()>(0);
        let leave = move |(): (), _: &Pace| {
            let _ = held.recv();
            ControlFlow::Break(())
        };
        unserved.serve_until("test", leave).expect("a thread");
        let began = Instant::now();
        assert!(queue.put((), LONGEST_WAIT));
        while !queue.is_empty() {
            thread::yield_now();
        }
        // Asked for before the writer leaves, never answered.
        thread::scope(|scope| {
            let flushed = scope.spawn(|| queue.flush(LONGEST_WAIT));
            while queue.is_empty() {
                thread::yield_now();
            }
            drop(go_on);
            assert!(!flushed.join().expect("it returns"));
        });
        assert!(began.elapsed() < LONGEST_WAIT / 2, "{:?}", began.elapsed());
    }

    #[test]
    fn nobody_waits_for_a_writer_that_panicked() {
        let (queue, unserved) = queue(2);
        unserved.serve("test", |(): (), _| panic!("of a test"));
        let began = Instant::now();
        assert!(queue.put((), LONGEST_WAIT) && !queue.flush(LONGEST_WAIT));
        assert!(began.elapsed() < LONGEST_WAIT / 2, "{:?}", began.elapsed());
    }

    #[test]
    fn nobody_waits_for_a_writer_that_stands_still() {
        let (queue, unserved) = queue(1);
        let (go_on, stalled) = bounded::<()>(0);
        unserved.serve("test", move |(): (), _| {
            let _ = stalled.recv();
        });
        let began = Instant::now();
        assert!(queue.put((), SHORT), "the writer takes it");
        assert!(!queue.flush(SHORT) && !queue.flush(SHORT));
        assert!(began.elapsed() < LONGEST_WAIT / 2, "{:?}", began.elapsed());
        drop(go_on);
        assert!(queue.flush(LONGEST_WAIT), "it goes on");
    }
}
