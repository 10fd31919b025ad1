//! One stream, many readers: each update goes to all of them, and none holds the others or the sender up.
//!
//! Each reader has a short queue. Steps that find no room in it are left out for that reader alone; when it takes again,
//! it is told all names and counts anew, so that nothing stays missing. How often that happened goes with each step. Not
//! here: what readers do with the stream.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_profile::{Profile, ProfileBuilder, Rotation, Section, Update};

use super::queue::{NotTaken, Queue, Unserved, queue};
use crate::conduct::notice::say;

/// Steps that wait for one reader at most. Few: a step left out is made up for, and each may hold megabytes.
const WAITING: usize = 8;

/// Collections that a reader is told of which it missed, or which were before it came: the newest.
const COLLECTIONS_KEPT: usize = 2_048;

/// Some updates that belong together, for one reader.
pub(super) struct Step {
    pub(super) updates: Arc<Vec<Update>>,
    /// Steps that this reader was too slow for, so far. What they said is in this one or a later one.
    pub(super) missed: u64,
    /// With what a new file begins that is written behind this step: all that was counted before. Empty: none does.
    pub(super) anew: Vec<Update>,
}

/// By which a reader asks for what a new file begins with.
#[derive(Clone, Default)]
pub(super) struct Anew(Arc<Mutex<Option<Rotation>>>);

impl Anew {
    /// The next step is to bring it, for a file of this number.
    pub(super) fn ask(&self, files: Rotation) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(files);
    }

    fn is_asked(&self) -> Option<Rotation> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_answered(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Step {
    /// Whether nothing follows.
    pub(super) fn is_last(&self) -> bool {
        self.updates.last() == Some(&Update::End)
    }
}

/// Where the stream goes.
#[derive(Default)]
pub(super) struct FanOut {
    state: Mutex<State>,
}

struct State {
    /// All that was said, folded: for reports, and for readers that missed some of it.
    so_far: ProfileBuilder,
    readers: Vec<Reader>,
    /// Nothing is sent any more.
    closed: bool,
}

impl Default for State {
    fn default() -> Self {
        let so_far = ProfileBuilder::keeping_collections(COLLECTIONS_KEPT);
        Self { so_far, readers: Vec::new(), closed: false }
    }
}

struct Reader {
    queue: Queue<Step>,
    /// How long the end of the JVM waits for it at most, if it stands still.
    patience: Duration,
    missed: u64,
    /// Resets that it has read, if it has missed something since.
    behind: Option<u32>,
    anew: Anew,
}

impl FanOut {
    /// A new reader, who gets all that is sent from now on, and may begin anew from time to time.
    pub(super) fn subscribe(&self) -> (Unserved<Step>, Anew) {
        let (queue, unserved) = queue(WAITING);
        let reader = Reader::new(queue, Duration::MAX);
        let anew = reader.anew.clone();
        self.state().readers.push(reader);
        (unserved, anew)
    }

    /// A new reader who may come late, and leave when it wants: it gets all that was sent so far at once. The end of the JVM
    /// waits for it no longer than `patience`.
    pub(super) fn join(&self, patience: Duration) -> Unserved<Step> {
        let (queue, unserved) = queue(WAITING);
        let mut state = self.state();
        let so_far: Vec<_> = state.so_far.from_its_start().collect();
        if !so_far.is_empty() {
            // There is room for the first.
            let _ = queue.offer(Step { updates: Arc::new(so_far), missed: 0, anew: Vec::new() });
        }
        if !state.closed {
            state.readers.push(Reader::new(queue, patience));
        }
        unserved
    }

    /// Passes updates on. Never waits for a reader. The caller sees to the order in which steps are sent.
    pub(super) fn send(&self, updates: Vec<Update>) {
        let mut state = self.state();
        let State { so_far, readers, .. } = &mut *state;
        let resets = so_far.resets();
        let step = fold(so_far, updates, !readers.is_empty());
        readers.retain_mut(|reader| reader.offer(&step, resets, so_far));
    }

    /// Passes the last updates on, and waits until all readers have written everything, as long as each gets ahead within
    /// `patience`.
    pub(super) fn close(&self, last: Vec<Update>, patience: Duration) {
        let readers = self.last_steps(last);
        // All have theirs before one is waited for.
        let taken: Vec<_> = readers
            .into_iter()
            .map(|(queue, least, step)| {
                let patience = patience.min(least);
                (queue.put(step, patience), queue, patience)
            })
            .collect();
        for (_, queue, patience) in taken.into_iter().filter(|(taken, ..)| *taken) {
            queue.flush(patience);
        }
    }

    /// The profile as of the last step.
    pub(super) fn profile(&self) -> Profile {
        self.state().so_far.profile()
    }

    /// The same with what happened when.
    pub(super) fn profile_with_history(&self) -> Profile {
        self.state().so_far.profile_with_history()
    }

    /// The same without sites.
    pub(super) fn profile_without_sites(&self) -> Profile {
        self.state().so_far.profile_without_sites()
    }

    fn last_steps(&self, mut last: Vec<Update>) -> Vec<(Queue<Step>, Duration, Step)> {
        let mut state = self.state();
        state.closed = true;
        let State { so_far, readers, .. } = &mut *state;
        let is_read = readers.iter().any(|reader| reader.behind.is_none());
        // A reader who was held up, or makes its steps coarser, has what happened when as finely as we.
        let end = last.pop_if(|update| *update == Update::End);
        let mut step = fold(so_far, last, is_read);
        let course = Section::Course(Box::new(so_far.course()));
        let rest = fold(so_far, [Update::Step(vec![course])].into_iter().chain(end).collect(), is_read);
        Arc::make_mut(&mut step).extend_from_slice(&rest);
        let of = |reader: Reader| {
            let updates = match reader.behind {
                Some(resets) => Arc::new(so_far.catch_up(resets)),
                None => Arc::clone(&step),
            };
            (reader.queue, reader.patience, Step { updates, missed: reader.missed, anew: Vec::new() })
        };
        mem::take(readers).into_iter().map(of).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Folds updates, and gives them back if somebody reads them.
fn fold(so_far: &mut ProfileBuilder, updates: Vec<Update>, read: bool) -> Arc<Vec<Update>> {
    let kept = if read { updates.clone() } else { Vec::new() };
    for update in updates {
        if let Err(error) = so_far.apply(update) {
            say(&format!("{error}; this is a fault of Mayfly, please report it"));
        }
    }
    Arc::new(kept)
}

impl Reader {
    fn new(queue: Queue<Step>, patience: Duration) -> Self {
        Self { queue, patience, missed: 0, behind: None, anew: Anew::default() }
    }

    /// Gives it a step; `resets` is how many there were before it. Whether the reader is still there.
    fn offer(&mut self, step: &Arc<Vec<Update>>, resets: u32, so_far: &ProfileBuilder) -> bool {
        if !self.queue.has_room() {
            self.miss(resets);
            return true;
        }
        let updates = match self.behind {
            Some(read) => Arc::new(so_far.catch_up(read)),
            None => Arc::clone(step),
        };
        let anew = self.anew.is_asked().map(|files| so_far.from_here(files)).unwrap_or_default();
        let is_begun = !anew.is_empty();
        match self.queue.offer(Step { updates, missed: self.missed, anew }) {
            Ok(()) => {
                self.behind = None;
                if is_begun {
                    self.anew.is_answered();
                }
            }
            Err(NotTaken::Full) => self.miss(resets),
            Err(NotTaken::Left) => return false,
        }
        true
    }

    fn miss(&mut self, resets: u32) {
        self.missed += 1;
        self.behind.get_or_insert(resets);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use mayfly_profile::{ClassCounts, ClassId, Progress, Tally};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// A step that names a class and counts it.
    fn counted(id: u32) -> Vec<Update> {
        let counts =
            ClassCounts { id: ClassId(id), allocated: Tally::of(u64::from(id) + 1, 16), lifetimes: None };
        let duration_ms = 1_000 * u64::from(id + 1);
        let progress = Progress { duration_ms, classes: vec![counts], ..Progress::default() };
        vec![Update::Class { id: ClassId(id), name: format!("a.C{id}") }, Update::from(progress)]
    }

    type Read = Receiver<(u64, Arc<Vec<Update>>)>;

    /// A reader that sends on what it read, and then waits for a go. It has read the start.
    fn reader(stream: &FanOut) -> (Sender<()>, Read) {
        let ((go, may_go), (sender, read)) = (channel::<()>(), channel());
        stream.subscribe().0.serve("test", move |step: Step, _| {
            let _ = sender.send((step.missed, step.updates));
            let _ = may_go.recv();
        });
        (go, read)
    }

    fn take(read: &Read, into: &mut ProfileBuilder) -> u64 {
        let (missed, updates) = read.recv_timeout(PATIENCE).expect("a step");
        updates.iter().for_each(|update| into.apply(update.clone()).expect("it fits"));
        missed
    }

    /// All that is read until the stream is closed.
    fn folded(read: &Read) -> (u64, ProfileBuilder) {
        let (mut missed, mut builder) = (0, ProfileBuilder::new());
        for (so_many, updates) in read.iter() {
            missed = so_many;
            updates.iter().for_each(|update| builder.apply(update.clone()).expect("it fits"));
        }
        (missed, builder)
    }

    #[test]
    fn a_slow_reader_misses_steps_of_its_own_and_is_told_them_again() {
        let stream = FanOut::default();
        let ((slow, slow_read), (fast, fast_read)) = (reader(&stream), reader(&stream));
        stream.send(vec![Update::Start(Box::default())]);
        let mut whole = ProfileBuilder::new();
        assert_eq!(take(&fast_read, &mut whole), 0);
        for id in 0..50 {
            let reset = (id == 30).then_some(Update::Reset);
            stream.send(reset.into_iter().chain(counted(id)).collect());
            fast.send(()).expect("it reads");
            assert_eq!(take(&fast_read, &mut whole), 0, "the fast one misses nothing");
        }
        drop((slow, fast));
        stream.close([counted(50), vec![Update::End]].concat(), PATIENCE);
        take(&fast_read, &mut whole);
        let (missed, late) = folded(&slow_read);
        assert!(missed >= 49 - WAITING as u64, "{missed} missed");
        assert_eq!(late.profile(), stream.profile());
        assert_eq!(late.history().points(), whole.history().points(), "what happened when is as fine for it");
        assert!(late.history().points().len() > 15, "{:?}", late.history());
        assert_eq!(whole.profile(), stream.profile());
        assert_eq!(late.profile().classes.len(), 21, "since the reset");
        assert!(late.profile().complete);
    }

    #[test]
    fn a_reader_that_takes_again_is_made_up_for_at_the_next_step() {
        let stream = FanOut::default();
        let (go, read) = reader(&stream);
        let mut builder = ProfileBuilder::new();
        stream.send(vec![Update::Start(Box::default())]);
        take(&read, &mut builder);
        (0..20).for_each(|id| stream.send(counted(id)));
        for _ in 0..WAITING {
            go.send(()).expect("it reads");
            take(&read, &mut builder);
        }
        assert_eq!(builder.profile().classes.len(), WAITING, "what found room");
        go.send(()).expect("it reads");
        stream.send(counted(20));
        assert_eq!(take(&read, &mut builder), 20 - WAITING as u64);
        assert_eq!(builder.profile(), stream.profile());
    }

    #[test]
    fn a_reader_that_never_takes_again_never_sees_the_end() {
        let stream = FanOut::default();
        let (go, read) = reader(&stream);
        stream.send(vec![Update::Start(Box::default())]);
        take(&read, &mut ProfileBuilder::new());
        (0..20).for_each(|id| stream.send(counted(id)));
        stream.close(vec![Update::End], Duration::from_millis(50));
        drop(go);
        assert!(read.iter().all(|(_, updates)| !updates.contains(&Update::End)));
    }
}
