//! How many bytes a young generation promotes, from how long bytes live.
//!
//! Each collection of the young generation comes when eden is full. What survives gets one collection older; what has survived as
//! many as the threshold is promoted, and what the survivor space has no room for. The threshold is set after each collection as
//! HotSpot's Serial and G1 do (`AgeTable::compute_tenuring_threshold`): the first age up to which more bytes survive than the
//! desired size, and no more than the maximum.
//!
//! One collection follows the other as in the recording. What survives its first one is what collections kept there at that time
//! (`first_survivors`); how long that lives then, the curve says for the whole of the recording.

use super::curve::{Bound, Curve};

/// Ages that objects have in HotSpot: 4 bits.
const AGES: usize = 15;

/// A young generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Young {
    /// Its size in bytes (`-Xmn`).
    pub size: u64,
    /// Bytes in which objects are made.
    pub eden: u64,
    /// Bytes of one survivor space; what does not fit is promoted.
    pub survivor: u64,
    /// Bytes of survivors from which on the threshold is lowered.
    pub desired: u64,
    /// `-XX:MaxTenuringThreshold`.
    pub threshold: u8,
}

/// HotSpot's spaces are multiples of this.
const ALIGNMENT: u64 = 64 << 10;

impl Young {
    /// Serial's of so many bytes: eden and two survivor spaces, each a share 1 / (ratio + 2); half of one is desired.
    pub fn serial(size: u64, survivor_ratio: u64, threshold: u8) -> Self {
        let survivor = (size / (survivor_ratio + 2) / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
        let eden = size.saturating_sub(2 * survivor).max(ALIGNMENT);
        Self { size, eden, survivor, desired: survivor / 2, threshold }
    }

    /// G1's: survivors may take one part in `survivor_ratio`, of which half is desired; the rest is eden.
    pub fn g1(size: u64, survivor_ratio: u64, threshold: u8) -> Self {
        let survivor = (size / survivor_ratio.max(1)).max(ALIGNMENT);
        Self {
            size,
            eden: size.saturating_sub(survivor / 2).max(ALIGNMENT),
            survivor,
            desired: survivor / 2,
            threshold,
        }
    }
}

/// What a young generation would do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Bytes promoted over the whole recording: at least, likely, at most.
    pub promoted: (f64, f64, f64),
    /// Collections of the young generation.
    pub collections: f64,
    /// The threshold at which objects are promoted, on average.
    pub threshold: f64,
    /// Bytes copied, promoted or not.
    pub copied: f64,
}

/// Predicts for a curve of survival.
pub fn predict(curve: &Curve, young: Young) -> Prediction {
    let [least, likely, most] =
        [Bound::Least, Bound::Likely, Bound::Most].map(|bound| run(curve, young, bound));
    let collections = curve.allocated / young.eden as f64;
    Prediction {
        // A smaller curve can mean a higher threshold: sorted, so that the band holds all three.
        promoted: (least.promoted.min(likely.promoted), likely.promoted, most.promoted.max(likely.promoted)),
        collections,
        threshold: likely.thresholds / collections,
        copied: likely.copied,
    }
}

/// What collections did.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    promoted: f64,
    copied: f64,
    /// Sum of the thresholds by which they went, one each.
    thresholds: f64,
}

/// All collections of the recording.
fn run(curve: &Curve, young: Young, bound: Bound) -> Done {
    let eden = young.eden as f64;
    let collections = curve.allocated / eden;
    // Of one eden's bytes, those that survive their nth collection.
    let surviving: Vec<f64> =
        (0..=AGES).map(|n| curve.alive_bytes(n as f64 * eden, (n + 1) as f64 * eden, bound)).collect();
    let mut simulated = Simulated { part: [0.0; AGES + 1], threshold: young.threshold };
    let mut sum = Done::default();
    for number in 0..collections.ceil() as u64 {
        let from = number as f64 * eden;
        simulated.part[0] = curve.survives(from, from + eden);
        let done = simulated.collect(&surviving, young);
        // The last eden is filled to a part: so likely is one more collection.
        let weight = (collections - number as f64).min(1.0);
        sum.promoted += weight * done.promoted;
        sum.copied += weight * done.copied;
        sum.thresholds += weight * done.thresholds;
    }
    sum
}

/// The survivors, as collections leave them.
struct Simulated {
    /// Of those that survived so many collections, the part that is in the young generation still.
    part: [f64; AGES + 1],
    threshold: u8,
}

impl Simulated {
    fn collect(&mut self, surviving: &[f64], young: Young) -> Done {
        let (mut kept, mut promoted) = ([0.0; AGES + 1], 0.0);
        for age in 0..=AGES {
            let bytes = self.part[age] * surviving[age];
            if age >= usize::from(self.threshold) || age == AGES {
                promoted += bytes
            } else {
                kept[age + 1] = bytes
            }
        }
        let survivors: f64 = kept.iter().sum();
        let room = (young.survivor as f64 / survivors.max(1.0)).min(1.0);
        promoted += survivors * (1.0 - room);
        kept.iter_mut().for_each(|bytes| *bytes *= room);
        for age in 1..=AGES {
            let whole = surviving[age - 1];
            self.part[age] = if whole > 0.0 { kept[age] / whole } else { 0.0 };
        }
        let copied = kept.iter().sum::<f64>() + promoted;
        let done = Done { promoted, copied, thresholds: f64::from(self.threshold) };
        self.threshold = next_threshold(&kept, young);
        done
    }
}

fn next_threshold(by_age: &[f64; AGES + 1], young: Young) -> u8 {
    let mut sum = 0.0;
    let age = (1..=AGES).find(|&age| {
        sum += by_age[age];
        sum > young.desired as f64
    });
    age.map_or(young.threshold, |age| (age as u8).min(young.threshold))
}
