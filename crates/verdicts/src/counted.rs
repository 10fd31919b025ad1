//! How far counts of tracked objects are estimates: their variance, and what one sample stands for.
//!
//! Not here: counts of all allocations, which the exact engine has without error.

use mayfly_profile::{ClassProfile, Profile, Tally, Tracking};

use crate::amount::Amount;

/// How objects were picked to be tracked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Picked {
    /// Each of them.
    #[default]
    Each,
    /// One of so many.
    OneIn(f64),
    /// One per so many bytes.
    PerBytes(f64),
}

impl Picked {
    /// How the tracked objects of `profile` were picked; the worst of all classes, where each has its share.
    pub(crate) fn tracked(profile: &Profile) -> Self {
        let thinned = profile.trust.following.thinned_to_one_in.max(1) as f64;
        match profile.run.tracking {
            Tracking::EveryNth(n) if n as f64 * thinned > 1.0 => Self::OneIn(n as f64 * thinned),
            Tracking::ByteSample(interval) => {
                Self::PerBytes(profile.bytes_between_samples().unwrap_or(interval as f64) * thinned)
            }
            Tracking::Balanced if !profile.shares.is_empty() => {
                let one_in = profile.classes.iter().map(|class| Self::tracked_of(profile, class).one_in(0.0));
                Self::OneIn(one_in.fold(1.0, f64::max))
            }
            _ if thinned > 1.0 => Self::OneIn(thinned),
            _ => Self::Each,
        }
    }

    /// How those of one class were picked.
    pub(crate) fn tracked_of(profile: &Profile, class: &ClassProfile) -> Self {
        if profile.run.tracking != Tracking::Balanced {
            return Self::tracked(profile);
        }
        match profile.shares.get(&class.name).map(|share| share.variance_of_one(class.allocated.objects)) {
            Some(variance) if variance > 0.0 => Self::OneIn(1.0 + variance),
            _ => Self::Each,
        }
    }

    /// How many objects of such a size one that was picked stands for.
    pub(crate) fn one_in(self, size: f64) -> f64 {
        match self {
            Self::Each => 1.0,
            Self::OneIn(n) => n,
            // Of size 0: as if of one byte.
            Self::PerBytes(interval) => -1.0 / (-size.max(1.0) / interval.max(1.0)).exp_m1(),
        }
    }

    /// Of `tally`, whose objects are picked so: objects, and bytes. `size` is taken for that of one object where there are none.
    pub(crate) fn amounts(self, tally: Tally, size: f64) -> (Amount, Amount) {
        let (objects, bytes) = (tally.objects as f64, tally.bytes as f64);
        let size = if tally.objects > 0 { bytes / objects } else { size };
        let one_in = self.one_in(size);
        if one_in <= 1.0 {
            return (Amount::exact(objects), Amount::exact(bytes));
        }
        let variance = objects * (one_in - 1.0);
        (
            Amount::estimated(objects, variance, one_in),
            Amount::estimated(bytes, variance * size * size, one_in * size.max(1.0)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_bytes_has_the_error_of_its_samples() {
        let (objects, bytes) = Picked::PerBytes(1000.0).amounts(Tally::of(10_000, 10), 0.0);
        // A hundred samples: about a fifth either way.
        assert!((0.75..0.85).contains(&(bytes.low / bytes.value)), "{bytes:?}");
        assert!((1.18..1.25).contains(&(objects.high / objects.value)), "{objects:?}");
        let (objects, bytes) = Picked::PerBytes(1000.0).amounts(Tally::default(), 10.0);
        assert!(bytes.high > 3_000.0 && objects.high > 300.0, "{objects:?} {bytes:?}");
    }

    #[test]
    fn thinning_makes_estimates_of_counts() {
        let mut profile = Profile::default();
        profile.run.tracking = Tracking::EveryObject;
        let live = Tally::of(64, 16);
        assert!(Picked::tracked(&profile).amounts(live, 0.0).0.is_exact());
        profile.trust.following.thinned_to_one_in = 4;
        assert!(!Picked::tracked(&profile).amounts(live, 0.0).0.is_exact());
    }
}
