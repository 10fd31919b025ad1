//! What a profile contradicts itself in, and what has no place, in words.

use mayfly_profile::{Contradiction, Profile, Tally};

use crate::names::class_text;
use crate::units;

/// Doubts that are written at most.
const MOST: usize = 5;

/// What stands where a stack would.
pub(crate) const NO_PLACE: &str =
    "made without a known place (by native code or the JVM, or there was no room for the stack)";

/// What is doubted of a profile, a sentence each, the sum of all counts first.
pub fn doubts(profile: &Profile) -> Vec<String> {
    let doubts = profile.doubts();
    let mut lines: Vec<_> = doubts.iter().take(MOST).map(doubted).collect();
    if let Some(more) = doubts.len().checked_sub(MOST).filter(|&more| more > 0) {
        lines.push(format!("Doubted: {more} more of the kind"));
    }
    lines
}

fn doubted(doubt: &Contradiction) -> String {
    let size = units::bytes;
    match doubt {
        Contradiction::Count { class, counted, sampled } => format!(
            "Doubted: the count of {}, {}: the JVM's own samples say {} ± {}",
            class_text(class),
            size(*counted),
            size(sampled.bytes()),
            size(sampled.error_bytes())
        ),
        Contradiction::LiveBySite { class, sites, live } => format!(
            "Doubted: what lives by site of {}, {}: of the class {} live",
            class_text(class),
            size(*sites),
            size(*live)
        ),
        Contradiction::AllocatedBySite { class, sites, allocated } => format!(
            "Doubted: allocation by site of {}, {}: the class allocated {}",
            class_text(class),
            size(*sites),
            size(*allocated)
        ),
        Contradiction::Sum { unexplained, allocated } => format!(
            "Doubted: the sum of all counts: of the {} that the JVM allocated {} have no known cause",
            size(*allocated),
            size(*unexplained)
        ),
    }
}

/// Doubts, and how much has no place; each line is indented by two spaces.
pub(crate) fn doubts_block(profile: &Profile) -> String {
    let lines = doubts(profile).into_iter().chain(without_place(profile));
    lines.map(|line| format!("  {line}\n")).collect()
}

/// How much was made without a known place; `None` where each object has one, or no stacks are taken.
fn without_place(profile: &Profile) -> Option<String> {
    let without = profile.sites.iter().filter(|site| site.stack.is_empty());
    let sum = without.fold(Tally::default(), |mut sum, site| {
        sum.add(site.allocated);
        sum
    });
    let objects = units::count(sum.objects);
    (!sum.is_empty())
        .then(|| format!("without a stack: {objects} objects, {}: {NO_PLACE}", units::bytes(sum.bytes)))
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, SiteProfile};

    use super::*;

    #[test]
    fn what_is_doubted_and_what_has_no_place_is_said_with_its_size() {
        let tally = |bytes| Tally { objects: 2, bytes, largest: bytes };
        let class = ClassProfile { name: "a.B".into(), allocated: tally(1 << 20), ..ClassProfile::default() };
        let site = SiteProfile { class: "a.B".into(), allocated: tally(8 << 20), ..SiteProfile::default() };
        let profile = Profile { classes: vec![class], sites: vec![site], ..Profile::default() };
        assert_eq!(
            doubts_block(&profile),
            "  Doubted: allocation by site of a.B, 8.00 MiB: the class allocated 1.00 MiB\n  \
             without a stack: 2 objects, 8.00 MiB: made without a known place (by native code or the JVM, or there was no room \
             for the stack)\n"
        );
        assert_eq!(doubts_block(&Profile::default()), "");
    }
}
