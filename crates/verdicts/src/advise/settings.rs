//! How the JVM of a recording is set, as far as the recording tells: its flags, and what the old generation needed.

use mayfly_profile::{Collection, GcKind, Profile};

use super::gc_log::Promoted;

/// The part of the heap that a young generation leaves to the old one at least.
const OLD_PART: u64 = 4;

/// What is known of the heap; `None`: the JVM did not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The young generation, if its size is fixed (`-Xmn`).
    pub fixed_young: Option<u64>,
    /// The young generation: what is fixed, or what it was between collections, on average.
    pub young: Option<u64>,
    /// The largest that the heap has room for: `-Xmx` without what was in the old generation.
    pub room: Option<u64>,
    /// `-XX:SurvivorRatio`.
    pub survivor_ratio: Option<u64>,
    /// `-XX:MaxTenuringThreshold`.
    pub threshold: Option<u8>,
    /// `-XX:G1HeapRegionSize`.
    pub region: Option<u64>,
}

impl Settings {
    /// Of the JVM that was recorded.
    pub fn of(profile: &Profile) -> Self {
        let number = |name: &str| profile.flag(name);
        let fixed = number("NewSize").filter(|&size| Some(size) == number("MaxNewSize"));
        let old = |after: Option<u64>| after.unwrap_or(0);
        let kept = profile.collections.iter().map(|gc| old(gc.old.map(|old| old.after))).max().unwrap_or(0);
        let room = |heap: u64| heap.saturating_sub(kept).min(heap - heap / OLD_PART);
        Self {
            fixed_young: fixed,
            young: fixed.or_else(|| observed(profile)),
            room: number("MaxHeapSize").map(room),
            survivor_ratio: number("SurvivorRatio").filter(|&ratio| ratio > 0),
            threshold: number("MaxTenuringThreshold").and_then(|threshold| u8::try_from(threshold).ok()),
            region: number("G1HeapRegionSize").filter(|&bytes| bytes > 0),
        }
    }
}

/// What the program made between its young collections, with what these left in the young generation, on average.
fn observed(profile: &Profile) -> Option<u64> {
    let young: Vec<&Collection> =
        profile.own_collections().filter(|gc| gc.kind == GcKind::Young && gc.young.is_some()).collect();
    let (first, last) = (young.first()?, young.last()?);
    let between = u64::try_from(young.len() - 1).ok().filter(|&between| between > 0)?;
    let eden = last.bytes.checked_sub(first.bytes)? / between;
    let survivors: u64 = young.iter().map(|gc| gc.young.map_or(0, |young| young.after)).sum();
    Some(eden + survivors / (between + 1)).filter(|&bytes| bytes > 0)
}

/// What the JVM promoted while it was recorded, by its collections; `None` unless each of them is known, and was the program's own. One
/// that was forced at the very end changes nothing of those before it.
pub fn promoted_as_recorded(profile: &Profile) -> Option<Promoted> {
    let collections = &profile.collections;
    let all_known = !collections.is_empty() && collections.len() as u64 == u64::from(profile.gcs);
    let own = collections.iter().rposition(|gc| !gc.is_forced()).map_or(0, |last| last + 1);
    let own = &collections[..own];
    if !all_known || own.iter().any(Collection::is_forced) {
        return None;
    }
    let mut sum = Promoted { bytes: 0, young: 0, full: 0 };
    for gc in own {
        match gc.kind {
            GcKind::Young => {
                sum.bytes = sum.bytes.saturating_add(gc.promoted()?);
                sum.young += 1;
            }
            GcKind::Full => sum.full += 1,
            _ => {}
        }
    }
    (sum.young > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Flag, FlagValue, GenerationUse};

    use super::*;

    fn flag(name: &str, number: u64) -> Flag {
        Flag { name: name.to_owned(), value: FlagValue::Number(number) }
    }

    #[test]
    fn recorded_collections_tell_what_was_promoted_if_all_are_known_and_none_was_forced() {
        let grown = |by: u64| Collection {
            kind: GcKind::Young,
            young: Some(GenerationUse::default()),
            old: Some(GenerationUse { before: Some(100), after: 100 + by, ..GenerationUse::default() }),
            ..Collection::default()
        };
        let profile = |collections: Vec<Collection>, gcs| Profile { collections, gcs, ..Profile::default() };
        let told = promoted_as_recorded(&profile(vec![grown(10), grown(32)], 2)).expect("known");
        assert_eq!((told.bytes, told.young, told.full), (42, 2, 0));
        assert_eq!(promoted_as_recorded(&profile(vec![grown(10)], 2)), None);
        assert_eq!(promoted_as_recorded(&profile(vec![], 0)), None);
        let forced = Collection { cause: "JvmtiEnv ForceGarbageCollection".into(), ..grown(10) };
        assert_eq!(promoted_as_recorded(&profile(vec![forced.clone(), grown(10)], 2)), None);
        let told = promoted_as_recorded(&profile(vec![grown(10), forced], 2)).expect("forced at the end");
        assert_eq!((told.bytes, told.young, told.full), (10, 1, 0));
    }

    #[test]
    fn a_young_generation_that_is_not_fixed_is_as_large_as_collections_are_apart() {
        let young = |number: u32, after| Collection {
            number,
            bytes: u64::from(number) * 1000,
            kind: GcKind::Young,
            young: Some(GenerationUse { after, ..GenerationUse::default() }),
            ..Collection::default()
        };
        let forced = Collection { cause: "JvmtiEnv ForceGarbageCollection".into(), ..young(9, 0) };
        let collections = vec![young(1, 10), young(2, 20), young(3, 30), forced];
        let profile = Profile { collections, ..Profile::default() };
        assert_eq!((Settings::of(&profile).fixed_young, Settings::of(&profile).young), (None, Some(1020)));
    }

    #[test]
    fn the_heap_bounds_the_young_generation() {
        let old = Some(GenerationUse { after: 100 << 20, ..GenerationUse::default() });
        let mut profile = Profile {
            flags: vec![
                flag("MaxHeapSize", 256 << 20),
                flag("NewSize", 8 << 20),
                flag("MaxNewSize", 80 << 20),
            ],
            collections: vec![Collection { old, ..Collection::default() }],
            ..Profile::default()
        };
        let settings = Settings::of(&profile);
        assert_eq!((settings.young, settings.room), (None, Some(156 << 20)));
        profile.collections.clear();
        profile.flags[1] = flag("NewSize", 80 << 20);
        let settings = Settings::of(&profile);
        assert_eq!((settings.young, settings.room), (Some(80 << 20), Some(192 << 20)));
        assert_eq!(Settings::of(&Profile::default()), Settings::default());
    }
}
