//! Whether the JIT compiler removed objects of a class that was counted, by what the JVM's sampler met of it.

use crate::facts::estimate::ClassEstimate;
use crate::stream::profile::ClassProfile;

/// Objects from this size on may be allocated outside of a thread's buffer, where the sampler of JDK 11 to 24 errs.
pub(super) const LARGE: u64 = 2 << 10;

/// Whether more of a class was executed than was allocated, beyond chance, where samples were so far apart at worst and the JIT removed no
/// more than `most` bytes of all classes. Where enough samples fell on the class, chance goes by how far apart they were: at a program's
/// start few are drawn, and by those alone the `ArrayList` of each `String.format` was put down to the one line whose lists took memory.
/// Not of large arrays, which the JIT removes none of, and of which the sampler of JDK 11 to 24 meets too few.
pub(crate) fn is_removed(
    class: &ClassProfile,
    estimate: ClassEstimate,
    worst: u64,
    most: Option<u64>,
) -> bool {
    const ENOUGH: f64 = 16.0;
    let enough = |apart: &u64| estimate.allocated.bytes() as f64 >= ENOUGH * *apart as f64;
    let is_known = |apart: &u64| class.allocated.largest < LARGE && enough(apart);
    let apart = class.between_samples.filter(is_known).map_or(worst, |apart| apart.min(worst));
    estimate.removed_within(class.allocated.bytes, apart, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::estimate::Estimate;
    use crate::facts::tally::Tally;

    /// 120,148 lists were executed, 20,000 of them took memory; samples were 512 KiB apart in the first second, and 8 since.
    #[test]
    fn chance_goes_by_how_far_apart_the_samples_of_a_class_were() {
        let allocated = Tally::of(120_148, 24);
        let class = ClassProfile { name: "L".into(), allocated, ..ClassProfile::default() };
        let mut estimate = ClassEstimate::default();
        estimate.allocated.add(Estimate::of_bytes(552_742.0, 68_488.0));
        let most = Some(7_700_000);
        let apart = |between_samples| ClassProfile { between_samples, ..class.clone() };
        assert!(is_removed(&apart(Some(8_500)), estimate, 512 << 10, most));
        assert!(!is_removed(&apart(Some(60_000)), estimate, 512 << 10, most), "too few samples");
        assert!(!is_removed(&apart(None), estimate, 512 << 10, most));
        let mut arrays = apart(Some(8_500));
        arrays.allocated.largest = 20_000;
        assert!(!is_removed(&arrays, estimate, 512 << 10, most), "the sampler errs");
        assert!(
            !is_removed(&apart(Some(8_500)), estimate, 512 << 10, Some(100_000)),
            "the JVM allocated them"
        );
    }
}
