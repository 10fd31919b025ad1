//! A step as bytes of a recording: for the file, and for those who watch.

use std::borrow::Cow;

use mayfly_profile::{Dropped, Update};
use mayfly_recording::RecordingWriter;

use super::fan_out::Step;
use crate::conduct::notice::say;

/// Whole frames. Where steps were missed, what states trust says how many, and that `why` is so.
pub(super) fn encoded(writer: &mut RecordingWriter, step: &Step, why: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for update in step.updates.iter() {
        match writer.encode(&with_missed(update, step.missed, why)) {
            Ok(mut frame) => bytes.append(&mut frame),
            Err(error) => say(&error.to_string()),
        }
    }
    bytes
}

/// An update that says, if it states what can be trusted, how often its reader was too slow.
pub(super) fn with_missed<'u>(update: &'u Update, missed: u64, why: &str) -> Cow<'u, Update> {
    let mut update = Cow::Borrowed(update);
    if missed > 0 && update.progress().is_some() {
        let steps = if missed == 1 { "1 step" } else { &format!("{missed} steps") };
        let missing = Dropped { cause: format!("{steps} {why}"), objects: 0 };
        if let Some(progress) = update.to_mut().progress_mut() {
            progress.trust.dropped.push(missing);
        }
    }
    update
}
