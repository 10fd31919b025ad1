//! What leaks by a recording alone: who keeps more and more, by who survives ([`mayfly_profile::Growing`]).
//!
//! The end of a recording tells more than its steps: before a full collection has looked, objects that are long dead count as
//! live. Those that are alive after the last one, by when they were born, are the growth that is there to stay.

use mayfly_profile::{Frame, Grower, Growing, Holder, Profile, Stack, Tally};

use super::suspicion::Suspicion;
use crate::grounds::distrust_so_far;

/// What a recording tells of leaks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Leaks first, then by growth. Harmless ones are left out.
    pub keepers: Vec<Keeper>,
    /// The slowest leak that would have been seen, in bytes a second.
    pub floor: f64,
    /// Whether that is of the JDK's objects and arrays only: each object of other classes was followed.
    pub own_are_known: bool,
    /// Whether that is so slow that it would take longer than a day to double what is live.
    pub floor_is_small: bool,
}

/// What allocates objects that stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Keeper {
    /// The first frame that is no part of the JDK, as `class.method` with its line if it is one; `None` where no stacks were
    /// recorded.
    pub method: Option<String>,
    /// The line of the program itself that most of them are made below, if that is another place.
    pub below: Option<Frame>,
    /// The program's own class of most objects; of none the class of most of the bytes.
    pub class: String,
    /// The objects, most bytes first.
    pub kept: Vec<Kept>,
    /// All that is alive of them.
    pub live: Tally,
    /// Whether these numbers are estimated.
    pub is_estimate: bool,
    /// How many of [`Self::class`] are alive, if that is known.
    pub of_class: Option<u64>,
    /// By how much it grew lately, in bytes a second.
    pub bytes_per_s: f64,
    /// From when on, in milliseconds of the profiled time.
    pub since_ms: u64,
    /// When it stopped, as the program had little to do from then on; `None` if it did not.
    pub until_ms: Option<u64>,
    /// Whether it is more: what belongs to it and has few stacks, or none, is not in it.
    pub is_at_least: bool,
    /// On how many samples that rests.
    pub samples: f64,
    /// The standard error of its bytes, as a share of them.
    pub error: f64,
    /// Who holds them, if that was looked for.
    pub holder: Option<Holder>,
    /// What is held of it.
    pub suspicion: Suspicion,
}

/// Objects of one class that stay, allocated by one keeper.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Their class.
    pub class: String,
    /// Where they are allocated; empty without stacks. Innermost frame first.
    pub stack: Stack,
    /// All that are live at the end.
    pub live: Tally,
    /// Objects of these that were born in the first half of the time, in the third quarter, in the last.
    pub born: [u64; 3],
    /// Objects that died after half of the time.
    pub died_old: u64,
}

/// Who keeps more and more. A recording without an end (a snapshot, a JVM that was killed) is judged as of its last step.
///
/// # Errors
/// Why it can't be told.
pub fn recorded(profile: &Profile, trust: f64) -> Result<Recorded, String> {
    if profile.run.lifetimes
        && let Some(why) = distrust_so_far(profile, trust)
    {
        return Err(why);
    }
    let growing = profile.growing()?;
    let floor_is_small = growing.floor_is_small();
    let Growing { growers, floor, own_are_known, .. } = growing;
    Ok(Recorded {
        keepers: growers.into_iter().map(|grower| keeper(profile, grower)).collect(),
        floor,
        own_are_known,
        floor_is_small,
    })
}

fn keeper(profile: &Profile, grower: Grower) -> Keeper {
    let method = grower.method();
    let below = grower.below(profile).cloned();
    let kept = grower.kept.iter().map(|kept| {
        let (class, stack) = if grower.is_class() {
            (&profile.classes[kept.row].name, Stack::NONE)
        } else {
            (&profile.sites[kept.row].class, profile.sites[kept.row].stack.clone())
        };
        let (born, died_old) = (kept.born, kept.died_old);
        Kept { class: class.clone(), stack, live: kept.live, born, died_old }
    });
    Keeper {
        kept: kept.collect(),
        class: grower.named_class().to_owned(),
        live: grower.live,
        of_class: grower.named_objects(profile),
        is_estimate: grower.is_estimate(profile),
        bytes_per_s: grower.bytes_per_s,
        since_ms: grower.since_ms,
        until_ms: grower.until_ms,
        is_at_least: grower.is_at_least,
        samples: grower.samples,
        error: grower.error,
        suspicion: match grower.growth.doubt() {
            None if grower.growth.is_harmless() => Suspicion::Harmless(String::new()),
            None => Suspicion::Leak,
            Some(why) => Suspicion::Unsure(why.to_owned()),
        },
        method,
        below,
        holder: grower.holder,
    }
}
