//! How many objects a tracked one stands for, among those of its class and among those of its site.
//!
//! The JVM's sampler picks an object of s bytes with probability p = 1 − e^(−s/interval), so it stands for 1/p objects
//! (Horvitz–Thompson), which is no whole number. Books count whole objects, so each one's weight is rounded up or down at
//! random, in proportion to what is cut off: right on average for every part of the objects, however it is chosen. What
//! decides is the object's record alone: it stands for the same number when it is born, settles and dies, in the rows of its
//! class and of its site, so all their sums agree. One that is followed for its scope stands for others there alone.

use mayfly_profile::{Estimate, Tally, Tracking};

use crate::gathered::Sums;
use crate::tracked::Tracked;

/// What a tracked object stands for, of its class and of its site.
pub(crate) fn scaled(tracking: Tracking, object: &Tracked) -> Sums {
    if object.is_in_scope_alone() {
        return Sums::default();
    }
    let class = in_scope(tracking, object);
    Sums { class, site: Tally::of(class.objects << object.stack_thinning(), object.size()) }
}

/// What it stands for of its class in the scope in which it was made.
pub(crate) fn in_scope(tracking: Tracking, object: &Tracked) -> Tally {
    // What is due in its scope was not drawn by its size.
    let weight = if object.is_in_scope_alone() { 1 } else { weight(tracking, object) };
    Tally::of(weight << object.thinning(), object.size())
}

fn weight(tracking: Tracking, object: &Tracked) -> u64 {
    match tracking {
        Tracking::Off | Tracking::EveryObject | Tracking::Balanced => 1,
        Tracking::EveryNth(n) => n,
        Tracking::ByteSample(interval) => {
            let probability = Estimate::probability(object.size(), interval);
            // An object without size: as if it were as large as the interval.
            let exact = if probability > 0.0 { 1.0 / probability } else { 1.0 };
            let whole = exact.floor();
            whole as u64 + u64::from(fraction_of(object) < exact - whole)
        }
    }
}

/// A number from 0 to below 1 that the object alone decides, as if drawn at random: SplitMix64's mixing of its record
/// (Steele, Lea and Flood, 2014).
fn fraction_of(object: &Tracked) -> f64 {
    let mix = |x: u64| {
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let born = object.birth_ms() << 32 | u64::from(object.site().0);
    let mixed = mix(mix(object.reference().wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ born);
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use mayfly_profile::SiteId;

    use super::*;

    const INTERVAL: u64 = 512 << 10;

    #[test]
    fn samples_of_any_size_stand_for_all_objects_on_average() {
        const OBJECTS: u64 = 400_000;
        for eighths in [0.08, 1.0, 2.0, 8.0, 12.0, 32.0] {
            let size_8 = (INTERVAL as f64 * eighths / 64.0) as u32;
            let p = -(-f64::from(size_8 * 8) / INTERVAL as f64).exp_m1();
            // Every object whose place among all of them is a multiple of 1/p is picked: only weights are left to chance.
            let picked = (OBJECTS as f64 * p) as u64;
            let weights = (0..picked).map(|at| {
                // References as the JVM gives them out: slots side by side, and many objects born at once.
                let object = Tracked::new(0x7f00_0000_1000 + at * 8, SiteId(3), size_8, at / 1000);
                scaled(Tracking::ByteSample(INTERVAL), &object).class
            });
            let sum = weights.fold(Tally::default(), |mut sum, tally| {
                sum.add(tally);
                sum
            });
            let cut_off = (1.0 / p).fract();
            let error = (picked as f64 * cut_off * (1.0 - cut_off)).sqrt();
            let off = sum.objects as f64 - picked as f64 / p;
            assert!(off.abs() < 3.0 * error, "{} intervals: off by {off} ± {error}", eighths / 8.0);
            assert_eq!(sum.bytes, sum.objects * u64::from(size_8) * 8);
        }
    }

    #[test]
    fn what_is_followed_for_its_scope_is_none_of_its_class() {
        let object = Tracked::new(8, SiteId(3), 2, 7).thinned(4).in_scope_alone();
        for tracking in [Tracking::Balanced, Tracking::ByteSample(INTERVAL)] {
            assert_eq!(in_scope(tracking, &object), Tally::of(16, 16));
            let Sums { class, site } = scaled(tracking, &object);
            assert!(class.is_empty() && site.is_empty());
        }
    }

    #[test]
    fn an_object_always_stands_for_the_same_number_in_its_class_and_its_site() {
        let tracking = Tracking::ByteSample(INTERVAL);
        for at in 0..1000 {
            let object = Tracked::new(at * 8 + 1, SiteId(at as u32), (INTERVAL / 8) as u32, 7).thinned(1);
            let Sums { class, site } = scaled(tracking, &object);
            assert_eq!((class, site), (site, class));
            assert_eq!(scaled(tracking, &object).class, class);
            assert!([2, 4].contains(&class.objects), "{class:?}");
        }
    }
}
