//! A recording: who keeps more and more, and where that is allocated.

use std::path::Path;

use mayfly_verdicts::leaks::{Keeper, Kept, recorded};

use crate::error::Error;
use crate::recording_input;
use crate::verdicts::{Floor, Leaks, Rate, Searched, Survivors, Suspect, frame};

/// Rows that are shown.
const MOST: usize = 5;

pub(super) fn search(file: &Path, trust: f64) -> Result<Leaks, Error> {
    let profile = recording_input::read(file, None)?;
    let searched = Searched::Recording {
        file: file.display().to_string(),
        collections: profile.gcs,
        seconds: profile.duration_ms as f64 / 1000.0,
    };
    Ok(match recorded(&profile, trust) {
        Ok(mut told) => {
            let more = told.keepers.len().saturating_sub(MOST);
            told.keepers.truncate(MOST);
            let floor = Some(Floor { bytes_per_s: told.floor, is_small: told.floor_is_small });
            let suspects = told.keepers.into_iter().map(suspect).collect();
            Leaks { suspects, more, floor, ..Leaks::of(searched) }
        }
        Err(why) => Leaks { untold: Some(why), ..Leaks::of(searched) },
    })
}

fn suspect(keeper: Keeper) -> Suspect {
    let survivors = keeper.kept.iter().map(survivors).collect();
    Suspect {
        suspicion: keeper.suspicion,
        what: keeper.class,
        allocated_by: keeper.method,
        growth: Some(Rate {
            bytes_per_s: keeper.bytes_per_s,
            since: keeper.since_ms as f64 / 1000.0,
            samples: keeper.samples,
            objects: keeper.live.objects,
            bytes: keeper.live.bytes,
        }),
        survivors,
        ..Suspect::default()
    }
}

fn survivors(kept: &Kept) -> Survivors {
    Survivors {
        class: kept.class.clone(),
        objects: kept.live.objects,
        bytes: kept.live.bytes,
        born: kept.born,
        died_old: kept.died_old,
        stack: kept.stack.iter().map(frame).collect(),
    }
}
