//! How many soft references there were when: who makes one with each object that stays may be a cache, which the collector empties.

use std::collections::BTreeSet;

use crate::ids::ClassId;

/// How classes of soft references are named.
const NAME: &str = "Soft";
/// Moments that are kept.
const MOST: usize = 512;

/// Whether a class is one of soft references, by its name.
pub(crate) fn is_soft(class: &str) -> bool {
    class.rsplit(['.', '$']).next().is_some_and(|simple| simple.contains(NAME))
}

/// All of these classes that were allocated, by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoftReferences {
    classes: BTreeSet<ClassId>,
    /// Milliseconds of the profiled time, and objects allocated by then: of one step in so many.
    made: Vec<(u64, u64)>,
    /// Two to this power.
    one_in_log2: u32,
    steps: u64,
    /// By the last step.
    in_all: u64,
}

impl SoftReferences {
    /// A class is told of.
    pub(crate) fn name(&mut self, id: ClassId, name: &str) {
        if is_soft(name) {
            self.classes.insert(id);
        }
    }

    /// What was allocated of each class by that time.
    pub(crate) fn step(&mut self, ms: u64, allocated: impl Fn(ClassId) -> u64) {
        if self.classes.is_empty() {
            return;
        }
        self.in_all = self.classes.iter().fold(0u64, |sum, &id| sum.saturating_add(allocated(id)));
        if self.steps.is_multiple_of(1 << self.one_in_log2) {
            self.made.push((ms, self.in_all));
        }
        self.steps += 1;
        if self.made.len() > MOST {
            self.made = self.made.iter().copied().step_by(2).collect();
            self.one_in_log2 += 1;
        }
    }

    /// All counts were set to zero.
    pub(crate) fn reset(&mut self) {
        *self = Self { classes: std::mem::take(&mut self.classes), ..Self::default() };
    }

    /// Those that were allocated after that time, as far as steps tell.
    pub(crate) fn since(&self, ms: u64) -> u64 {
        let steps = self.made.partition_point(|&(at, _)| at <= ms);
        let before = steps.checked_sub(1).map_or(0, |at| self.made[at].1);
        self.in_all.saturating_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_references_are_counted_by_time_in_little_room() {
        let mut soft = SoftReferences::default();
        soft.name(ClassId(1), "java.lang.ref.SoftReference");
        soft.name(ClassId(2), "java.lang.Software$Entry");
        soft.name(ClassId(3), "a.Cache$SoftValue");
        for second in 0..5_000 {
            soft.step(second * 1_000, |id| if id == ClassId(2) { 7 } else { second });
        }
        assert!(soft.made.len() <= MOST);
        let late = soft.since(2_500_000);
        assert!(late.abs_diff(2 * 2_499) < 60, "{late}");
        assert_eq!(SoftReferences::default().since(0), 0);
    }
}
