//! A recording: who keeps more and more, and where that is allocated.

use std::path::Path;

use mayfly_profile::{EngineKind, Profile, Tracking};
use mayfly_report::heap_rises;
use mayfly_verdicts::leaks::{Keeper, Kept, Suspicion, grows_outside, recorded};

use super::makers::named;
use crate::error::Error;
use crate::recording_input;
use crate::verdicts::{Floor, Leaks, Rate, Searched, Survivors, Suspect, frame, shown_frames};

/// Rows that are shown.
const MOST: usize = 5;
/// Bytes between samples that are proposed, if they were further apart: by an option of `mayfly run`, or of the agent's for who attaches.
const DENSER: [(f64, [&str; 2]); 2] =
    [(65_536.0, ["--sample 64k", "'#sample-64k'"]), (8192.0, ["--sample 8k", "'#sample-8k'"])];

pub(super) fn search(file: &Path, trust: f64) -> Result<Leaks, Error> {
    Ok(judged(file, &recording_input::read(file, None)?, trust))
}

/// What was recorded in a file, judged.
pub(super) fn judged(file: &Path, profile: &Profile, trust: f64) -> Leaks {
    let searched = Searched::Recording {
        file: file.display().to_string(),
        collections: profile.gcs,
        seconds: profile.duration_ms as f64 / 1000.0,
    };
    let mut notes = Vec::new();
    if !profile.complete {
        let no_end =
            "The recording has no end (the JVM still runs, or was killed): judged as of its last step.";
        notes.push(no_end.to_owned());
    }
    let told = recorded(profile, trust);
    let leaks =
        told.iter().flat_map(|told| &told.keepers).filter(|keeper| keeper.suspicion == Suspicion::Leak);
    let named: f64 = leaks.map(|leak| leak.bytes_per_s).sum();
    // What is named as leaks explains it.
    let rise = profile.heap_rises().filter(|rise| rise.is_more_than(named));
    notes.extend(rise.map(|rise| {
        let [rises, by] = heap_rises(rise);
        format!(
            "By the JVM's own numbers {rises}, {by}: that may be a leak, or garbage that only a full collection takes."
        )
    }));
    let apart = profile.bytes_between_samples();
    let denser = DENSER.iter().find(|(bytes, _)| apart.is_some_and(|apart| apart > 1.5 * bytes));
    let is_sampled = profile.run.engine == EngineKind::Sampled;
    let outside = off_heap(profile);
    let all = Leaks { notes, ..Leaks::of(searched) };
    match told {
        Ok(mut told) => {
            let more = told.keepers.len().saturating_sub(MOST);
            told.keepers.truncate(MOST);
            let floor = Some(Floor {
                bytes_per_s: told.floor,
                own_are_known: told.own_are_known,
                is_small: told.floor_is_small,
                denser: match profile.run.tracking {
                    Tracking::Balanced => Some("without #track-balanced"),
                    _ => denser.map(|(_, options)| options[usize::from(is_sampled)]),
                },
            });
            let suspects = outside
                .into_iter()
                .chain(told.keepers.into_iter().map(|keeper| suspect(profile, keeper)))
                .collect();
            Leaks { suspects, more, floor, ..all }
        }
        Err(why) => Leaks { untold: Some(why), suspects: outside.into_iter().collect(), ..all },
    }
}

/// Memory outside of the heap that grows, by the JVM's own count. Which object holds it is in no recording.
fn off_heap(profile: &Profile) -> Option<Suspect> {
    let growth = profile.off_heap_growth()?;
    let objects = profile.off_heap()?.direct?.number;
    Some(Suspect {
        suspicion: grows_outside(profile, &growth),
        what: "java.nio.DirectByteBuffer".to_owned(),
        growth: Some(Rate {
            bytes_per_s: growth.bytes_per_s,
            since: growth.since_ms as f64 / 1000.0,
            until: None,
            is_at_least: false,
            samples: None,
            error: 0.0,
            objects,
            bytes: growth.bytes[1],
            of_class: Some(objects),
            is_estimate: false,
        }),
        ..Suspect::default()
    })
}

fn suspect(profile: &Profile, keeper: Keeper) -> Suspect {
    let stacks: Vec<_> = keeper.kept.iter().map(|kept| &kept.stack).collect();
    let own = profile.program_frames(&stacks);
    let survivors =
        keeper.kept.iter().zip(own).map(|(kept, own)| survivors(kept, own, keeper.is_estimate)).collect();
    Suspect {
        suspicion: keeper.suspicion,
        what: keeper.class,
        allocated_by: keeper.method,
        allocated_below: keeper.below.as_ref().map(named),
        holder: keeper.holder.as_ref().and_then(|holder| holder.name.clone()),
        held_by: keeper.holder.map(|holder| holder.path).unwrap_or_default(),
        growth: Some(Rate {
            bytes_per_s: keeper.bytes_per_s,
            since: keeper.since_ms as f64 / 1000.0,
            until: keeper.until_ms.map(|ms| ms as f64 / 1000.0),
            is_at_least: keeper.is_at_least,
            samples: Some(keeper.samples),
            error: keeper.error,
            objects: keeper.live.objects,
            bytes: keeper.live.bytes,
            of_class: keeper.of_class,
            is_estimate: keeper.is_estimate,
        }),
        survivors,
        ..Suspect::default()
    }
}

fn survivors(kept: &Kept, own: Option<usize>, are_estimates: bool) -> Survivors {
    Survivors {
        class: kept.class.clone(),
        objects: kept.live.objects,
        bytes: kept.live.bytes,
        born: kept.born,
        died_old: kept.died_old,
        are_estimates,
        stack: kept.stack.iter().map(frame).collect(),
        shown: shown_frames(&kept.stack, own),
    }
}
