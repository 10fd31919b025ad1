//! A whole recording as one profile, but for what happened when: in half the time, as most rows are passed over.
//!
//! Not here: recordings that are damaged, or of a later Mayfly, of which is to be told what is wrong (`reader`).

use std::collections::BTreeSet;

use mayfly_profile::{Profile, ProfileBuilder, SharedStacks, Update};

use crate::frame::{FRAME_HEAD_LEN, FrameStart, KIND_STEP, KIND_UPDATE, file_header, split_frame};
use crate::newest::Newest;
use crate::{sections, v3};

/// The profile that [`read_profile`](crate::read_profile) gives, with stacks that are shared with other profiles; `None` where anything is
/// wrong. Nobody looks into rows that are passed over.
pub fn read_totals(bytes: &[u8], stacks: &SharedStacks) -> Option<Profile> {
    let (mut builder, mut newest) = (ProfileBuilder::new(), Newest::default());
    let mut frames = bytes.strip_prefix(&file_header())?;
    while !frames.is_empty() {
        let FrameStart::Whole { kind, payload } = split_frame(frames) else { return None };
        frames = &frames[FRAME_HEAD_LEN + payload.len()..];
        let update = match kind {
            KIND_UPDATE => v3::decode(payload)?,
            KIND_STEP => step(payload, &mut newest)?,
            _ => return None,
        };
        // A reset leaves some of what is held, nothing follows the end, and no later step stands for what is taken off.
        if matches!(update, Update::Reset | Update::End) || update.is_base() {
            builder.apply(newest.release()?).ok()?;
        }
        builder.apply(update).ok()?;
    }
    if !builder.is_complete() {
        builder.apply(newest.release()?).ok()?;
    }
    Some(builder.profile_sharing(stacks))
}

/// What of a step is not held; `None` if it is none, or one of a later Mayfly.
fn step<'a>(payload: &'a [u8], newest: &mut Newest<'a>) -> Option<Update> {
    let mut unknown = BTreeSet::new();
    let step = sections::decode_but_newest(payload, &mut unknown, newest)?;
    unknown.is_empty().then_some(Update::Step(step))
}
