//! Watchers: readers of the stream from outside the JVM, who come and go while it runs.
//!
//! Each has a thread and a queue of its own, as the recording has: one that is slow misses steps of its own, one that stalls or
//! dies harms nobody. Not here: the way to them (`remote`).

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use mayfly_recording::RecordingWriter;

use super::fan_out::{FanOut, Step};
use super::frames::encoded;
use super::queue::Pace;

/// Watchers at once at most: each costs a thread, and a share of each step.
const MOST: usize = 8;
/// How long the end of the JVM waits for one that takes nothing.
const LAST_PATIENCE: Duration = Duration::from_millis(200);
/// Why steps are missing, as trust says it.
const MISSED: &str = "left out of this view, which was too slow for a while";

/// The way to a watcher.
pub(crate) trait Watcher: Send + 'static {
    /// Sends the next bytes of a recording.
    ///
    /// # Errors
    /// It is gone, or takes nothing: it gets no more.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Says that nothing follows.
    fn end(&mut self);
}

/// Why somebody can't watch.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchError {
    /// Too many do.
    #[error("{MOST} views of this JVM are open already; close one")]
    TooMany,
    /// See there.
    #[error("the JVM's process can't start another thread ({0}); try again when it has memory")]
    NoThread(#[from] io::Error),
}

/// Who watches.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    count: Arc<AtomicUsize>,
}

impl Watchers {
    /// Whether anybody does.
    pub(super) fn any(&self) -> bool {
        self.count.load(Relaxed) > 0
    }

    /// Tells a watcher everything so far, and what follows.
    pub(super) fn add(&self, stream: &FanOut, mut watcher: impl Watcher) -> Result<(), WatchError> {
        let place = Place::take(&self.count).ok_or(WatchError::TooMany)?;
        let mut writer = RecordingWriter::new();
        let write = move |step: Step, pace: &Pace| {
            // Until the thread ends, however it does.
            let _place = &place;
            let sent = encoded(&mut writer, &step, MISSED)
                .chunks(mayfly_recording::control::CHUNK_BYTES)
                .try_for_each(|bytes| {
                    pace.ahead();
                    watcher.send(bytes)
                });
            match sent {
                Err(_) => ControlFlow::Break(()),
                Ok(()) if step.is_last() => {
                    watcher.end();
                    ControlFlow::Break(())
                }
                Ok(()) => ControlFlow::Continue(()),
            }
        };
        Ok(stream.join(LAST_PATIENCE).serve_until("mayfly-watch", write)?)
    }
}

/// A place among the watchers.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(count: &Arc<AtomicUsize>) -> Option<Self> {
        let one_more = |watchers| (watchers < MOST).then_some(watchers + 1);
        count.try_update(Relaxed, Relaxed, one_more).ok().map(|_| Self(Arc::clone(count)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use mayfly_profile::{ClassCounts, ClassId, Progress, Tally, Update};
    use mayfly_recording::read_profile;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// Hands on what it gets, each piece after a go.
    struct Listening {
        gate: Receiver<()>,
        pieces: Sender<Vec<u8>>,
    }

    impl Watcher for Listening {
        fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
            let _ = self.gate.recv();
            self.pieces.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe.into())
        }

        fn end(&mut self) {
            let _ = self.pieces.send(b"end".to_vec());
        }
    }

    fn listening() -> (Sender<()>, Receiver<Vec<u8>>, Listening) {
        let ((go, gate), (pieces, read)) = (channel(), channel());
        (go, read, Listening { gate, pieces })
    }

    fn counted(id: u32) -> Vec<Update> {
        let counts =
            ClassCounts { id: ClassId(id), allocated: Tally::of(u64::from(id) + 1, 16), lifetimes: None };
        let progress = Progress { classes: vec![counts], ..Progress::default() };
        vec![Update::Class { id: ClassId(id), name: format!("a.C{id}") }, Update::from(progress)]
    }

    fn started() -> FanOut {
        let stream = FanOut::default();
        stream.send(vec![Update::Start(Box::default())]);
        (0..5).for_each(|id| stream.send(counted(id)));
        stream
    }

    /// What it read, and whether it was told that it is all.
    fn whole(read: &Receiver<Vec<u8>>) -> (Vec<u8>, bool) {
        let mut pieces: Vec<_> = read.iter().collect();
        let ended = pieces.pop_if(|last| last == b"end").is_some();
        (pieces.concat(), ended)
    }

    #[test]
    fn who_comes_late_reads_a_whole_recording() {
        let (stream, watchers) = (started(), Watchers::default());
        let (go, read, watcher) = listening();
        drop(go);
        watchers.add(&stream, watcher).expect("a place");
        (5..9).for_each(|id| stream.send(counted(id)));
        stream.close(vec![Update::End], PATIENCE);
        let (bytes, ended) = whole(&read);
        assert!(ended);
        assert_eq!(read_profile(&bytes).expect("a recording"), (stream.profile(), None));
        let (go, read, watcher) = listening();
        drop(go);
        watchers.add(&stream, watcher).expect("a place after the end");
        let (bytes, ended) = whole(&read);
        assert!(ended);
        assert_eq!(read_profile(&bytes).expect("a recording"), (stream.profile(), None));
    }

    #[test]
    fn one_that_stalls_loses_steps_of_its_own_and_trust_says_so() {
        let (stream, watchers) = (started(), Watchers::default());
        let ((go, slow_read, slow), (free, fast_read, fast)) = (listening(), listening());
        drop(free);
        watchers.add(&stream, slow).expect("a place");
        watchers.add(&stream, fast).expect("a place");
        let mut fast_bytes = fast_read.recv_timeout(PATIENCE).expect("all so far");
        for id in 5..40 {
            stream.send(counted(id));
            fast_bytes.append(&mut fast_read.recv_timeout(PATIENCE).expect("a step"));
        }
        drop(go);
        stream.close(vec![Update::End], PATIENCE);
        fast_bytes.append(&mut whole(&fast_read).0);
        let profile = stream.profile();
        assert_eq!(read_profile(&fast_bytes).expect("a recording"), (profile.clone(), None));
        let (late, damage) = read_profile(&whole(&slow_read).0).expect("a recording");
        let dropped: Vec<_> = late.trust.dropped.iter().map(|it| it.cause.as_str()).collect();
        assert!(dropped.len() == 1 && dropped[0].ends_with(&format!("steps {MISSED}")), "{dropped:?}");
        assert_eq!((late.classes, damage), (profile.classes, None));
    }

    #[test]
    fn one_that_dies_leaves_its_place_and_there_are_only_so_many() {
        let (stream, watchers) = (started(), Watchers::default());
        let mut open = Vec::new();
        for _ in 0..MOST {
            let (go, read, watcher) = listening();
            watchers.add(&stream, watcher).expect("a place");
            open.push((go, read));
        }
        let too_many = watchers.add(&stream, listening().2).expect_err("no place");
        assert!(matches!(too_many, WatchError::TooMany), "{too_many}");
        let began = std::time::Instant::now();
        open.clear();
        while watchers.any() {
            assert!(began.elapsed() < PATIENCE);
            stream.send(counted(9));
            std::thread::yield_now();
        }
        watchers.add(&stream, listening().2).expect("a place again");
    }

    #[test]
    fn the_end_does_not_wait_for_one_that_stands_still() {
        let (stream, watchers) = (started(), Watchers::default());
        let (go, _read, watcher) = listening();
        watchers.add(&stream, watcher).expect("a place");
        (5..30).for_each(|id| stream.send(counted(id)));
        let began = std::time::Instant::now();
        stream.close(vec![Update::End], PATIENCE);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        drop(go);
    }
}
