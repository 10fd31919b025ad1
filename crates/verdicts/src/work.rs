//! What each run did, which is compared before anything else: runs that did different amounts of work differ in every row.
//!
//! Not here: rows (`rows`), and who counts operations (`operations`).

use std::collections::HashMap;

use mayfly_profile::Profile;

use crate::operations::reported;
use crate::rows::{frame_name, stable};

/// A run with less than this share of what others allocate may have done nothing.
const LITTLE: f64 = 0.2;
/// It did nothing if methods with this share of the others' bytes allocated nothing at all.
const ABSENT: f64 = 0.9;
/// Runs of a side that differ by more than this factor did different amounts of work.
const UNEVEN: f64 = 1.25;

/// What one run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Profiled time, in milliseconds.
    pub duration_ms: u64,
    /// Bytes allocated, of all classes.
    pub allocated_bytes: u64,
    /// Operations that the program reported, if any.
    pub operations: Option<f64>,
    /// Collections.
    pub gcs: u32,
}

impl Work {
    pub(crate) fn of(profile: &Profile) -> Self {
        let bytes = profile.classes.iter().map(|class| class.allocated.bytes);
        Self {
            duration_ms: profile.duration_ms,
            allocated_bytes: bytes.fold(0, u64::saturating_add),
            operations: reported(profile),
            gcs: profile.gcs,
        }
    }
}

/// Whether runs of one side allocated so differently that they can hardly have done the same.
pub(crate) fn is_uneven(side: &[Work]) -> bool {
    let bytes = || side.iter().map(|work| work.allocated_bytes as f64);
    let (least, most) = (bytes().fold(f64::INFINITY, f64::min), bytes().fold(0.0, f64::max));
    most > least * UNEVEN
}

/// The runs, counted over both sides from 0, in which hardly any method allocated that did in the others.
pub(crate) fn idle(profiles: &[&Profile]) -> Vec<usize> {
    let works: Vec<f64> = profiles.iter().map(|profile| Work::of(profile).allocated_bytes as f64).collect();
    let most = works.iter().copied().fold(0.0, f64::max);
    let little = |at: &usize| works[*at] < LITTLE * most;
    let suspects: Vec<usize> = (0..profiles.len()).filter(little).collect();
    if suspects.is_empty() {
        return suspects;
    }
    let makers: Vec<HashMap<String, f64>> = profiles.iter().map(|profile| makers(profile)).collect();
    let others = (0..profiles.len()).filter(|at| !suspects.contains(at));
    let others: Vec<&HashMap<String, f64>> = others.map(|at| &makers[at]).collect();
    let is_idle = |at: &usize| {
        let (mut all, mut absent) = (0.0, 0.0);
        for (maker, bytes) in others.iter().copied().flatten() {
            all += bytes;
            absent += if makers[*at].contains_key(maker) { 0.0 } else { *bytes };
        }
        absent > ABSENT * all
    };
    suspects.into_iter().filter(is_idle).collect()
}

/// Bytes by the method that is charged; without stacks by class.
fn makers(profile: &Profile) -> HashMap<String, f64> {
    let mut makers: HashMap<String, f64> = HashMap::new();
    for site in &profile.sites {
        if let Some(frame) = site.stack.shown_frame() {
            *makers.entry(frame_name(&frame.class, &frame.method)).or_default() +=
                site.allocated.bytes as f64;
        }
    }
    if makers.is_empty() {
        for class in profile.classes.iter().filter(|class| class.allocated.objects > 0) {
            *makers.entry(stable(&class.name)).or_default() += class.allocated.bytes as f64;
        }
    }
    makers
}
