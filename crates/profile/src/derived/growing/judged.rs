//! Whether what one pool keeps becomes more and more.
//!
//! A cache that is full, a pool and class initialisation bring no young survivors any more; of sessions, a cache that throws out
//! its oldest, and a batch, none are old. What leaks has survivors of every age, and the old ones do not die. Numbers are samples,
//! so each rule allows for chance.

use super::births::{Births, Clock};
use super::growth::Growth;
use super::pools::Pool;

/// Samples alive from which on growth can be told: of so many on average, growth at an even pace is seen by the rules below in
/// 19 cases of 20.
pub const LEAST_SAMPLES: f64 = 16.0;
/// Samples alive that have to be there: nine in all, three of the first half of the time, two of each quarter since. Ages are coarse,
/// so a part of one may fall elsewhere.
const FOUND: f64 = 8.5;
const FOUND_EARLY: f64 = 2.5;
const FOUND_LATE: f64 = 1.5;
/// Samples alive from which on growth is suspected: four in all, one of the first half, two since.
const SUSPECTED: f64 = 3.5;
const SUSPECTED_EARLY: f64 = 0.75;
/// Where there are as many, but too few of some part of the time: so many times what was recorded.
const LONGER: f64 = 1.5;
/// Samples of a quarter of the time from which on it says something that there is none.
const EXPECTED: f64 = 4.0;
/// Survivors of the last quarter, by the pace of the time before; fewer than the second share of them are none.
const STILL: f64 = 0.3;
const STOPPED: f64 = 0.1;
/// Those of the first half, by the pace since: fewer are none, and fewer than the second share of them may be what is left of more.
const BEGUN: f64 = 0.1;
const EVEN: f64 = 0.6;
/// Of those that became old, so many for one that is alive may have died.
const DIED: f64 = 0.25;
/// Of those that became so old that only a collection of the old generation could see them die, for one that is alive: as many as are made may die.
const DIED_SOME_TIME: f64 = 0.5;

/// Of so many samples of the last quarter, this share came in half of it: of a leak at an even pace one in a thousand.
const MANY: f64 = 12.0;
const AT_ONCE: f64 = 0.95;

/// What the survivors on one clock look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Grows,
    AtOnce,
    Few,
    Slower,
    BeganLately,
    OldOnesDie,
    OldOnesMayHaveDied,
    Stopped,
    Nothing,
}

impl Growth {
    /// Of a pool, by milliseconds and by bytes allocated: start-up, or a busy end, may fill one of the clocks.
    pub(super) fn of(pool: &Pool, clocks: [Clock; 2], least_bytes: f64) -> Self {
        let looks = pool.births.map(|births| look(&births, pool.samples));
        let stays = pool.births[0].staying().max(pool.births[1].staying());
        if stays < least_bytes || looks.contains(&Look::Nothing) {
            return Self::Harmless;
        }
        let any = |wanted: Look| looks.contains(&wanted);
        let both = |wanted: Look| looks == [wanted; 2];
        if both(Look::Stopped) {
            return Self::Harmless;
        }
        let unsure = |why: &str| Self::Unsure(why.to_owned());
        if any(Look::OldOnesDie) {
            return unsure("some of the old objects died: as many may die as are made");
        }
        if any(Look::OldOnesMayHaveDied) {
            return unsure(
                "few of the first half are left, and others died, nobody saw when: as many may die as are made",
            );
        }
        if any(Look::Grows) {
            return Self::Grows;
        }
        if any(Look::AtOnce) {
            return unsure(
                "nearly all that came lately came at once: it may be a pool or a table that was enlarged",
            );
        }
        if any(Look::Few) {
            let seconds = clocks[0].whole / 1000.0 * (LEAST_SAMPLES / pool.samples.max(1.0)).max(LONGER);
            return Self::Unsure(format!(
                "it grew by {:.0} samples so far, too few; to decide, record for some {} s",
                pool.samples,
                seconds.ceil()
            ));
        }
        if any(Look::Stopped) {
            return Self::Harmless;
        }
        if any(Look::Slower) {
            return unsure("it grows ever more slowly: it may be nearly full");
        }
        unsure("none is left of the first half of the time: it began lately, or is dropped after a while")
    }

    /// The same, if as many soft references were made lately.
    pub(super) fn perhaps_softly(self) -> Self {
        if self.is_sure() { Self::PerhapsSoftly } else { self }
    }

    /// Whether a pool may grow as what grows at its line does: it has too few samples to be judged by itself, and was not made once
    /// only.
    pub(super) fn may_go_along(pool: &Pool) -> bool {
        let [births, _] = &pool.births;
        pool.samples < FOUND && births.late() > STILL * births.early
    }

    /// Whether nothing is to be said of it.
    pub fn is_harmless(&self) -> bool {
        *self == Self::Harmless
    }

    /// Whether it surely grows.
    pub fn is_sure(&self) -> bool {
        *self == Self::Grows
    }
}

/// What survivors look like that so many samples are behind.
fn look(births: &Births, samples: f64) -> Look {
    let (living, late) = (births.living(), births.late());
    if living <= 0.0 {
        return Look::Nothing;
    }
    let of = births.times(samples / living);
    // Per quarter of the time.
    let (early, middle, recent) = (births.early / 2.0, births.middle, births.recent());
    let pace = late / 2.0;
    let few = samples < FOUND || of.early < FOUND_EARLY || of.middle < FOUND_LATE || of.recent() < FOUND_LATE;
    let least = |share: f64, of: f64| share * of;
    let may_be_chance = few && of.living() < 4.0 * EXPECTED && of.middle >= FOUND_LATE;
    let is_over = recent <= least(STOPPED, early.max(middle)) || (!few && recent < least(STILL, middle));
    if is_over && !may_be_chance {
        return Look::Stopped;
    }
    if early < least(BEGUN, pace) {
        // What is dropped after a while has some of each age up to that, and some that died.
        return if samples < FOUND
            || births.died() + births.died_unseen > DIED * late
            || births.may_be_at_hand()
        {
            Look::Stopped
        } else {
            Look::BeganLately
        };
    }
    let are_fewer = early < least(EVEN, pace);
    if births.died_old > DIED * births.early
        || births.died_some_time > DIED_SOME_TIME * births.living()
        || (are_fewer
            && births.died_old + births.died_some_time + births.died_unseen_late > DIED * births.early)
        || (are_fewer && births.died() > births.living())
    {
        return match few {
            true => Look::Stopped,
            false if births.died_old > DIED * births.early => Look::OldOnesDie,
            false => Look::OldOnesMayHaveDied,
        };
    }
    if samples < SUSPECTED || of.early < SUSPECTED_EARLY || of.late() < FOUND_LATE {
        return Look::Stopped;
    }
    if pace < least(STILL, early) || recent < least(STILL, early) {
        return if few { Look::Few } else { Look::Slower };
    }
    match few {
        true => Look::Few,
        false if of.recent() >= MANY && births.most_at_once() > AT_ONCE => Look::AtOnce,
        false => Look::Grows,
    }
}
