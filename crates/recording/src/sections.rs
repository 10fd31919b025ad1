//! Steps as bytes: each section has its length, and the tag of its kind.
//!
//! ```text
//!  0               4     5               4+len           then the next
//! ┌───────────────┬─────┬──────── ─ ─ ──┐
//! │ len           │ tag │ content       │
//! └───────────────┴─────┴──────── ─ ─ ──┘
//!   tag and content: a Section in postcard encoding; tags are below 128
//! ```
//!
//! What this reader does not know is skipped: sections with a tag of a later Mayfly, and what follows a content that it knows.

use std::collections::BTreeSet;

use mayfly_profile::{SECTION_KINDS, Section};

/// Length of a section's length, in bytes.
const LEN: usize = 4;

/// The payload of a step.
pub(crate) fn encode(step: &[Section]) -> postcard::Result<Vec<u8>> {
    let mut payload = Vec::new();
    for section in step {
        let at = payload.len();
        payload.extend_from_slice(&[0; LEN]);
        payload = postcard::to_extend(section, payload)?;
        // One that is longer is not written: a frame holds no more.
        let len = u32::try_from(payload.len() - at - LEN).unwrap_or(u32::MAX);
        payload[at..at + LEN].copy_from_slice(&len.to_le_bytes());
    }
    Ok(payload)
}

/// The step in a payload; `None` if it holds none. Tags of what was skipped go into `skipped`.
pub(crate) fn decode(mut payload: &[u8], skipped: &mut BTreeSet<u8>) -> Option<Vec<Section>> {
    let mut step = Vec::new();
    while let Some((len, rest)) = payload.split_first_chunk::<LEN>() {
        let (section, next) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        payload = next;
        let tag = *section.first()?;
        if usize::from(tag) >= SECTION_KINDS {
            skipped.insert(tag);
            continue;
        }
        let (known, unknown) = postcard::take_from_bytes(section).ok()?;
        step.push(known);
        if !unknown.is_empty() {
            skipped.insert(tag);
        }
    }
    payload.is_empty().then_some(step)
}
