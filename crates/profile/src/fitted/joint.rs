//! How estimates of objects and of their bytes go together, so that parts can be fitted to exact numbers of both at once.
//!
//! Parts of different sizes can't be mistaken for each other where both are known: of arrays of 24 and of 40,000 bytes, a class's
//! objects and bytes say how many there are of each, however badly they were sampled. (Calibration to two totals: Deville and Särndal,
//! as `calibration` does it to one.)

use crate::facts::tally::Tally;

/// Sums that differ less than this from being one and the same say nothing twice.
const LEAST_APART: f64 = 1e-6;

/// Variances of a part's objects and of its bytes, and what they have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Joint {
    objects: f64,
    both: f64,
    bytes: f64,
}

impl Joint {
    /// Of a part each of whose objects adds so much to the variance of their number. Bytes follow from objects as far as all are of one
    /// size.
    pub(crate) fn of(part: Tally, of_one: f64) -> Self {
        let size = part.bytes as f64 / (part.objects as f64).max(1.0);
        let alike = if part.largest > 0 { (size / part.largest as f64).min(1.0) } else { 0.0 };
        let objects = part.objects as f64 * of_one;
        Self { objects, both: objects * size * alike, bytes: objects * size * size }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.objects += other.objects;
        self.both += other.both;
        self.bytes += other.bytes;
    }

    /// Of these together, whether objects and bytes tell of different things.
    pub(crate) fn tells_two(self) -> bool {
        self.determinant() > LEAST_APART * self.objects * self.bytes
    }

    fn determinant(self) -> f64 {
        self.objects * self.bytes - self.both * self.both
    }

    /// How far objects and bytes of `part` of these move if so many are missing of all together.
    pub(crate) fn moved(self, part: Self, (objects, bytes): (f64, f64)) -> (f64, f64) {
        let determinant = self.determinant();
        let a = (self.bytes * objects - self.both * bytes) / determinant;
        let b = (self.objects * bytes - self.both * objects) / determinant;
        (part.objects * a + part.both * b, part.both * a + part.bytes * b)
    }

    /// What is left of the variances of `part` of these, objects' and bytes', once both sums are known.
    pub(crate) fn left(self, part: Self) -> (f64, f64) {
        let determinant = self.determinant();
        let quadratic = |x: f64, y: f64| {
            (self.bytes * x * x - 2.0 * self.both * x * y + self.objects * y * y) / determinant
        };
        let objects = part.objects - quadratic(part.objects, part.both);
        let bytes = part.bytes - quadratic(part.both, part.bytes);
        (objects.max(0.0), bytes.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sizes_follow_from_both_sums() {
        // Of 40,000 arrays of 40,016 bytes and 4,000,000 of 40, samples told 43,500 and 3,900,000.
        let (big, little) = (Tally::of(43_500, 40_016), Tally::of(3_900_000, 40));
        let parts = [Joint::of(big, 12.6), Joint::of(little, 13_106.0)];
        let mut all = Joint::default();
        parts.iter().for_each(|part| all.add(*part));
        assert!(all.tells_two());
        let wanted = (4_040_000.0, 40_000.0 * 40_016.0 + 4_000_000.0 * 40.0);
        let missing = (wanted.0 - 3_943_500.0, wanted.1 - (big.bytes + little.bytes) as f64);
        let moved = all.moved(parts[0], missing);
        assert!((43_500.0 + moved.0 - 40_000.0).abs() < 1.0, "{moved:?}");
        let (objects, bytes) = all.left(parts[0]);
        assert!(objects.sqrt() < 40.0 && bytes.sqrt() < 40.0 * 40_016.0, "{objects} {bytes}");
    }

    #[test]
    fn one_size_tells_one_thing_and_mixed_sizes_are_left_uncertain() {
        let mut all = Joint::of(Tally::of(100, 24), 9.0);
        all.add(Joint::of(Tally::of(300, 24), 9.0));
        assert!(!all.tells_two());
        let mixed = Joint::of(Tally { objects: 100, bytes: 100_000, largest: 10_000 }, 9.0);
        all.add(mixed);
        let (objects, bytes) = all.left(mixed);
        assert!(all.tells_two() && objects > 0.1 * 900.0 && bytes > 0.0, "{objects} {bytes}");
    }
}
