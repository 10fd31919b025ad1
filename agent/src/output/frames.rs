//! A step as bytes of a recording: for the file, and for those who watch.

use std::borrow::{Borrow, Cow};

use mayfly_profile::{Dropped, Update};
use mayfly_recording::RecordingWriter;

use super::fan_out::Step;
use crate::conduct::notice::say;

/// Whole frames. Where steps were missed, what states trust says how many, and that `why` is so.
pub(super) fn encoded(writer: &mut RecordingWriter, step: &Step, why: &str) -> Vec<u8> {
    frames_of(writer, step.updates.iter().map(|update| with_missed(update, step.missed, why)))
}

/// Whole frames of these; what can't be written is said.
pub(super) fn frames_of(
    writer: &mut RecordingWriter,
    updates: impl Iterator<Item = impl Borrow<Update>>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for update in updates {
        match writer.encode(update.borrow()) {
            Ok(mut frame) => bytes.append(&mut frame),
            Err(error) => say(&error.to_string()),
        }
    }
    bytes
}

/// An update that says, if it states what can be trusted, how often its reader was too slow.
fn with_missed<'u>(update: &'u Update, missed: u64, why: &str) -> Cow<'u, Update> {
    if missed == 0 {
        return Cow::Borrowed(update);
    }
    with_dropped(update, &[missed_steps(missed, why)])
}

/// So many steps were left out.
pub(super) fn missed_steps(missed: u64, why: &str) -> Dropped {
    let steps = if missed == 1 { "1 step" } else { &format!("{missed} steps") };
    Dropped { cause: format!("{steps} {why}"), objects: 0 }
}

/// An update that says, if it states what can be trusted, what is missing.
pub(super) fn with_dropped<'u>(update: &'u Update, missing: &[Dropped]) -> Cow<'u, Update> {
    let mut update = Cow::Borrowed(update);
    if !missing.is_empty()
        && update.progress().is_some()
        && let Some(progress) = update.to_mut().progress_mut()
    {
        progress.trust.dropped.extend_from_slice(missing);
    }
    update
}
