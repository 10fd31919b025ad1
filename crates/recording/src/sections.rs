//! Steps as bytes: a field for each section ([`crate::fields`]), with the tag of its kind.
//!
//! What this reader does not know is skipped: sections with a tag of a later Mayfly, and what follows a content that it knows.

use std::collections::BTreeSet;

use mayfly_profile::{SECTION_KINDS, Section};

use crate::fields;
use crate::newest::Newest;

/// The payload of a step.
pub(crate) fn encode(step: &[Section]) -> postcard::Result<Vec<u8>> {
    fields::encode(step)
}

/// The step in a payload; `None` if it holds none. Tags of what was skipped go into `skipped`.
pub(crate) fn decode(payload: &[u8], skipped: &mut BTreeSet<u8>) -> Option<Vec<Section>> {
    let mut step = Vec::new();
    for section in fields::split(payload)? {
        decode_one(section, &mut step, skipped)?;
    }
    Some(step)
}

/// The same, without what `newest` holds of it.
pub(crate) fn decode_but_newest<'a>(
    payload: &'a [u8],
    skipped: &mut BTreeSet<u8>,
    newest: &mut Newest<'a>,
) -> Option<Vec<Section>> {
    let mut step = Vec::new();
    let sections = fields::split(payload)?;
    let is_base = sections.iter().any(|section| is_base(section));
    for section in sections {
        if !is_base && Newest::holds(section[0]) {
            newest.hold(section)?;
        } else {
            decode_one(section, &mut step, skipped)?;
        }
    }
    Some(step)
}

/// Whether a step with this section is what was counted before this file of several began.
fn is_base(section: &[u8]) -> bool {
    const ROTATION: u8 = 12;
    let decoded = (section[0] == ROTATION).then(|| postcard::take_from_bytes(section).ok()).flatten();
    matches!(decoded, Some((Section::Rotation { is_base: true, .. }, _)))
}

fn decode_one(section: &[u8], step: &mut Vec<Section>, skipped: &mut BTreeSet<u8>) -> Option<()> {
    let tag = section[0];
    if usize::from(tag) >= SECTION_KINDS {
        skipped.insert(tag);
        return Some(());
    }
    let (known, unknown) = postcard::take_from_bytes(section).ok()?;
    step.push(known);
    if !unknown.is_empty() {
        skipped.insert(tag);
    }
    Some(())
}
