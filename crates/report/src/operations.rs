//! How many operations the program reported, and what each of them allocated.
//!
//! Not here: numbers per operation of a comparison or a budget (`mayfly-verdicts`).

use mayfly_profile::{EngineKind, Profile, Tally};

use crate::units;

/// `operations: 12,000 (9.20 KiB and 101 objects each)`; `None` if none were reported.
pub(crate) fn operations_line(profile: &Profile) -> Option<String> {
    let operations = profile.operations;
    if operations == 0 {
        return None;
    }
    let mut all = Tally::default();
    profile.classes.iter().for_each(|class| all.add(class.allocated));
    let about = if profile.run.engine == EngineKind::Sampled { "about " } else { "" };
    let each = |number: u64| number as f64 / operations as f64;
    let bytes = units::few(each(all.bytes))
        .map_or_else(|| units::bytes(rounded(all.bytes, operations)), |b| b + " B");
    let objects =
        units::few(each(all.objects)).unwrap_or_else(|| units::count(rounded(all.objects, operations)));
    Some(format!("operations: {} ({about}{bytes} and {objects} objects each)", units::grouped(operations)))
}

fn rounded(number: u64, operations: u64) -> u64 {
    (number as f64 / operations as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, RunInfo};

    use super::*;

    fn line(operations: u64, objects: u64, size: u64, engine: EngineKind) -> Option<String> {
        let class = |allocated| ClassProfile { allocated, ..ClassProfile::default() };
        let half = Tally::of(objects / 2, size);
        operations_line(&Profile {
            run: RunInfo { engine, ..RunInfo::default() },
            operations,
            classes: vec![class(half), class(half)],
            ..Profile::default()
        })
    }

    #[test]
    fn what_each_operation_allocated_is_of_all_classes() {
        let said = |operations, objects, size| line(operations, objects, size, EngineKind::Exact);
        let expected = "operations: 12,000 (9.47 KiB and 101 objects each)";
        assert_eq!(said(12_000, 1_212_000, 96).as_deref(), Some(expected));
        let few = "operations: 1,234,567 (24 B and 1 objects each)";
        assert_eq!(said(1_234_567, 1_234_566, 24).as_deref(), Some(few));
        assert_eq!(said(4, 2, 15).as_deref(), Some("operations: 4 (7.50 B and 0.50 objects each)"));
        assert_eq!(said(0, 2, 16), None);
    }

    #[test]
    fn estimates_are_named_so() {
        let expected = "operations: 10 (about 96 B and 2 objects each)";
        assert_eq!(line(10, 20, 48, EngineKind::Sampled).as_deref(), Some(expected));
    }
}
