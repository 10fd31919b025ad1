//! What judgements look like: one file per form, each from the same values of `mayfly-verdicts`.

mod advice;
mod advice_answer;
mod advice_json;
mod advice_text;
mod annotations;
mod bmf;
mod checked_recording;
mod compared;
mod diff_json;
mod diff_page;
mod diff_text;
mod diff_work;
mod junit;
mod leaks;
mod leaks_json;
mod leaks_text;
mod markdown;
mod text;
mod wording;

pub(crate) use advice::Advised;
pub(crate) use advice_json::advice_json;
pub(crate) use advice_text::advice_text;
pub(crate) use annotations::annotations;
pub(crate) use bmf::bmf;
pub(crate) use checked_recording::CheckedRecording;
pub(crate) use compared::Compared;
pub(crate) use diff_json::diff_json;
pub(crate) use diff_page::diff_page;
pub(crate) use diff_text::diff_text;
pub(crate) use junit::junit;
pub(crate) use leaks::{Floor, Leaks, Rate, Searched, Survivors, Suspect};
pub(crate) use leaks_json::leaks_json;
pub(crate) use leaks_text::leaks_text;
pub(crate) use markdown::markdown;
pub(crate) use text::text;
pub(crate) use wording::frame;
