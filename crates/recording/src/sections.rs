//! Steps as bytes: a field for each section ([`crate::fields`]), with the tag of its kind.
//!
//! What this reader does not know is skipped: sections with a tag of a later Mayfly, and what follows a content that it knows.

use std::collections::BTreeSet;

use mayfly_profile::{SECTION_KINDS, Section};

use crate::fields;

/// The payload of a step.
pub(crate) fn encode(step: &[Section]) -> postcard::Result<Vec<u8>> {
    fields::encode(step)
}

/// The step in a payload; `None` if it holds none. Tags of what was skipped go into `skipped`.
pub(crate) fn decode(payload: &[u8], skipped: &mut BTreeSet<u8>) -> Option<Vec<Section>> {
    let mut step = Vec::new();
    for section in fields::split(payload)? {
        let tag = section[0];
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
    Some(step)
}
