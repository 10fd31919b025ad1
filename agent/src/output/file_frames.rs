//! Steps as bytes of a recording's file: fewer of them where they are large.
//!
//! Not here: the file (`recorder`).

use std::borrow::Cow;
use std::io;
use std::mem;
use std::time::Duration;

use mayfly_profile::{Dropped, Update};
use mayfly_recording::{Growth, Reached, RecordingWriter, Thinner};

use super::fan_out::Step;
use super::frames::{frames_of, missed_steps, with_dropped};

/// Why steps are missing, as trust says it.
const MISSED: &str = "of the recording left out while its disk stalled, and written later";

/// Makes frames of steps for one file.
pub(super) struct FileFrames {
    pub(super) reached: Reached,
    began: Duration,
    thinner: Thinner,
    writer: RecordingWriter,
    /// Said behind the first step.
    then: Option<Update>,
    lost: Lost,
}

/// What of the recording is in no file.
#[derive(Clone, Default)]
struct Lost {
    ms: u64,
    why: String,
}

impl Default for FileFrames {
    fn default() -> Self {
        let (thinner, writer) = (Thinner::new(Growth::FRESH), RecordingWriter::new());
        let (reached, began) = (Reached::default(), Duration::ZERO);
        Self { reached, began, thinner, writer, then: None, lost: Lost::default() }
    }
}

impl FileFrames {
    /// What is said behind the first step.
    pub(super) fn say_after_first(&mut self, update: Update) {
        self.then = Some(update);
    }

    /// Another file begins; those of the last one. So many milliseconds before it are in none.
    pub(super) fn next(&mut self, began: Duration, lost_ms: Option<u64>) -> Self {
        let mut lost = self.lost.clone();
        lost.ms = lost.ms.saturating_add(lost_ms.unwrap_or(0));
        mem::replace(self, Self { began, lost, ..Self::default() })
    }

    /// Why what follows is lost.
    pub(super) fn lost_for(&mut self, error: &io::Error) {
        self.lost.why = error.to_string();
    }

    /// What is to be written after this step, which comes so long after the first one.
    pub(super) fn after(&mut self, step: &Step, now: Duration) -> Vec<u8> {
        let now_ms = now.saturating_sub(self.began).as_millis() as u64;
        let dropped = self.dropped(step.missed);
        let updates = step.updates.iter().map(|update| with_dropped(update, &dropped));
        // A copy of each step would leave its memory with this thread's part of the allocator.
        let due: Vec<_> = if self.thinner.lets_pass(now_ms) {
            updates.collect()
        } else {
            self.thinner.take(updates.map(Cow::into_owned), now_ms).into_iter().map(Cow::Owned).collect()
        };
        let then = self.then.take();
        let due = due.iter().map(|update| &**update).chain(&then);
        encoded(&mut self.writer, &mut self.reached, &mut self.thinner, due)
    }

    /// What is to be written of these, as they are.
    pub(super) fn told(&mut self, updates: &[Update]) -> Vec<u8> {
        encoded(&mut self.writer, &mut self.reached, &mut self.thinner, updates.iter())
    }

    /// What was held back, and the end.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let rest: Vec<_> = self.thinner.rest().into_iter().chain([Update::End]).collect();
        self.told(&rest)
    }

    fn dropped(&self, missed: u64) -> Vec<Dropped> {
        let missing = (missed > 0).then(|| missed_steps(missed, MISSED));
        let seconds = self.lost.ms.div_ceil(1_000);
        let lost = (seconds > 0)
            .then(|| format!("{seconds} s of the recording, which could not be written ({})", self.lost.why));
        missing.into_iter().chain(lost.map(|cause| Dropped { cause, objects: 0 })).collect()
    }
}

fn encoded<'u>(
    writer: &mut RecordingWriter,
    reached: &mut Reached,
    thinner: &mut Thinner,
    updates: impl Iterator<Item = &'u Update>,
) -> Vec<u8> {
    let bytes = frames_of(writer, updates.inspect(|update| reached.note(update)));
    thinner.wrote(bytes.len());
    bytes
}
