//! What judgements look like: one file per form, each from the same values of `mayfly-verdicts`.

mod annotations;
mod bmf;
mod checked_recording;
mod diff_json;
mod diff_text;
mod junit;
mod markdown;
mod text;
mod wording;

pub(crate) use annotations::annotations;
pub(crate) use bmf::bmf;
pub(crate) use checked_recording::CheckedRecording;
pub(crate) use diff_json::diff_json;
pub(crate) use diff_text::diff_text;
pub(crate) use junit::junit;
pub(crate) use markdown::markdown;
pub(crate) use text::text;
