//! What the fixtures say they allocate (`EXPECT class objects others [bytes]`), against what was counted.

use std::collections::BTreeMap;
use std::fmt;

use crate::jvm::Jvm;

/// Objects and bytes of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of objects.
    pub objects: u64,
    /// Their shallow sizes.
    pub bytes: u64,
}

/// What was counted, per class name.
pub type Counts = BTreeMap<String, Count>;

/// A line `EXPECT class objects others [bytes]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// As `Class.getName()` gives it; with a trailing `*`, a prefix.
    pub class: String,
    /// Objects that the program makes.
    pub objects: u64,
    /// At most this many more are made by the JDK.
    pub others: u64,
    /// Exact bytes with headers of 12 bytes, if the program knows them.
    pub bytes: Option<u64>,
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What was expected.
    pub expected: Expectation,
    /// What was counted.
    pub counted: Count,
}

impl Expectation {
    /// All of a program's stdout, in order.
    pub fn all(stdout: &str) -> Vec<Self> {
        stdout.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<_> = line.strip_prefix("EXPECT ")?.split(' ').collect();
        let number =
            |at: usize| fields.get(at).map(|field| field.parse().expect("a number in an EXPECT line"));
        Some(Self { class: fields[0].to_owned(), objects: number(1)?, others: number(2)?, bytes: number(3) })
    }

    /// Compares with what was counted.
    ///
    /// # Errors
    /// With both, if they differ.
    pub fn check(&self, counts: &Counts) -> Result<(), Mismatch> {
        let counted = self.counted(counts);
        let objects = (self.objects..=self.objects + self.others).contains(&counted.objects);
        let bytes = self.bytes.is_none_or(|bytes| bytes == counted.bytes);
        if objects && bytes { Ok(()) } else { Err(Mismatch { expected: self.clone(), counted }) }
    }

    fn counted(&self, counts: &Counts) -> Count {
        let Some(prefix) = self.class.strip_suffix('*') else {
            return counts.get(&self.class).copied().unwrap_or_default();
        };
        counts.iter().filter(|(class, _)| class.starts_with(prefix)).fold(
            Count::default(),
            |sum, (_, count)| Count { objects: sum.objects + count.objects, bytes: sum.bytes + count.bytes },
        )
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expectation { class, objects, others, bytes } = &self.expected;
        write!(f, "{class}: expected {objects}")?;
        if *others > 0 {
            write!(f, " to {}", objects + others)?;
        }
        write!(f, " objects")?;
        if let Some(bytes) = bytes {
            write!(f, ", {bytes} bytes")?;
        }
        write!(f, "; counted {} objects, {} bytes", self.counted.objects, self.counted.bytes)
    }
}

/// Checks everything a program's stdout states; not bytes where this JVM's headers are compact.
///
/// # Errors
/// One line per expectation that does not hold; also if there is none, or no line `DONE`.
pub fn check_all(jvm: &Jvm, stdout: &str, counts: &Counts) -> Result<(), String> {
    if !stdout.lines().any(|line| line.starts_with("DONE")) {
        return Err(format!("the program did not say DONE:\n{stdout}"));
    }
    let mut expectations = Expectation::all(stdout);
    if jvm.compact_headers {
        expectations.iter_mut().for_each(|expectation| expectation.bytes = None);
    }
    if expectations.is_empty() {
        return Err(format!("the program states no expectation:\n{stdout}"));
    }
    let mismatches: Vec<_> =
        expectations.iter().filter_map(|e| e.check(counts).err()).map(|m| m.to_string()).collect();
    if mismatches.is_empty() { Ok(()) } else { Err(mismatches.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rows: &[(&str, u64, u64)]) -> Counts {
        let row = |&(class, objects, bytes): &(&str, u64, u64)| (class.to_owned(), Count { objects, bytes });
        rows.iter().map(row).collect()
    }

    fn jvm(compact_headers: bool) -> Jvm {
        Jvm { home: "/none".into(), feature: 17, version: String::new(), compact_headers }
    }

    const STDOUT: &str = "EXPECT a.A 3 0 48\nEXPECT [B 10 5\nEXPECT a.L$$Lambda* 2 0\nDONE\n";
    const RIGHT: &[(&str, u64, u64)] =
        &[("a.A", 3, 48), ("[B", 15, 300), ("a.L$$Lambda$1/0x1", 1, 16), ("a.L$$Lambda$2/0x2", 1, 16)];

    fn with(class: &str, objects: u64, bytes: u64) -> Result<(), String> {
        let mut counts = counts(RIGHT);
        counts.insert(class.to_owned(), Count { objects, bytes });
        check_all(&jvm(false), STDOUT, &counts)
    }

    #[test]
    fn what_is_right_passes() {
        assert_eq!(check_all(&jvm(false), STDOUT, &counts(RIGHT)), Ok(()));
    }

    #[test]
    fn one_object_too_few_or_too_many_fails() {
        assert!(with("a.A", 2, 48).is_err());
        assert!(with("a.A", 4, 48).is_err());
        assert!(with("[B", 9, 300).is_err());
        assert!(with("[B", 16, 300).is_err());
        assert!(with("a.L$$Lambda$3/0x3", 1, 16).is_err());
    }

    #[test]
    fn wrong_bytes_fail_and_both_numbers_are_told() {
        let told = with("a.A", 3, 40).expect_err("40 is not 48");
        assert_eq!(told, "a.A: expected 3 objects, 48 bytes; counted 3 objects, 40 bytes");
    }

    #[test]
    fn only_bytes_are_passed_over_where_headers_are_compact() {
        let mut counts = counts(RIGHT);
        counts.insert("a.A".to_owned(), Count { objects: 3, bytes: 24 });
        assert_eq!(check_all(&jvm(true), STDOUT, &counts), Ok(()));
        counts.insert("a.A".to_owned(), Count { objects: 2, bytes: 24 });
        assert!(check_all(&jvm(true), STDOUT, &counts).is_err());
    }

    #[test]
    fn a_program_that_broke_off_or_states_nothing_fails() {
        assert!(check_all(&jvm(false), "EXPECT a.A 3 0 48\n", &counts(RIGHT)).is_err());
        assert!(check_all(&jvm(false), "DONE\n", &counts(RIGHT)).is_err());
    }
}
