//! A recording: whose survivors are of every age, and where they are allocated.

use std::path::Path;

use mayfly_verdicts::leaks::{Keeper, Kept, recorded};

use crate::error::Error;
use crate::recording_input;
use crate::verdicts::{Leaks, Searched, Survivors, Suspect, frame};

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
        Ok(mut keepers) => {
            let more = keepers.len().saturating_sub(MOST);
            keepers.truncate(MOST);
            Leaks { searched, suspects: keepers.into_iter().map(suspect).collect(), more, untold: None }
        }
        Err(why) => Leaks { searched, suspects: Vec::new(), more: 0, untold: Some(why) },
    })
}

fn suspect(keeper: Keeper) -> Suspect {
    let survivors = keeper.kept.iter().map(survivors).collect();
    Suspect {
        suspicion: keeper.suspicion,
        what: keeper.kept.first().map(|kept| kept.class.clone()).unwrap_or_default(),
        allocated_by: keeper.method,
        survivors,
        ..Suspect::default()
    }
}

fn survivors(kept: &Kept) -> Survivors {
    Survivors {
        class: kept.class.clone(),
        objects: kept.live.objects,
        bytes: kept.live.bytes,
        born: [kept.shape.early, kept.shape.middle, kept.shape.recent].map(|number| number as u64),
        died_old: kept.shape.died_old as u64,
        stack: kept.stack.iter().map(frame).collect(),
    }
}
