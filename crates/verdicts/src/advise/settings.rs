//! How the JVM of a recording is set, as far as the recording tells: its flags, and what the old generation needed.

use mayfly_profile::{FlagValue, GcKind, Profile};

use super::gc_log::Promoted;

/// The part of the heap that a young generation leaves to the old one at least.
const OLD_PART: u64 = 4;

/// What is known of the heap; `None`: the JVM did not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The young generation, if its size is fixed (`-Xmn`).
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
        let number = |name: &str| {
            let flag = profile.flags.iter().find(|flag| flag.name == name)?;
            match flag.value {
                FlagValue::Number(number) => Some(number),
                FlagValue::Switch(_) => None,
            }
        };
        let fixed = number("NewSize").filter(|&size| Some(size) == number("MaxNewSize"));
        let old = |after: Option<u64>| after.unwrap_or(0);
        let kept = profile.collections.iter().map(|gc| old(gc.old.map(|old| old.after))).max().unwrap_or(0);
        let room = |heap: u64| heap.saturating_sub(kept).min(heap - heap / OLD_PART);
        Self {
            young: fixed,
            room: number("MaxHeapSize").map(room),
            survivor_ratio: number("SurvivorRatio").filter(|&ratio| ratio > 0),
            threshold: number("MaxTenuringThreshold").and_then(|threshold| u8::try_from(threshold).ok()),
            region: number("G1HeapRegionSize").filter(|&bytes| bytes > 0),
        }
    }
}

/// What the JVM promoted while it was recorded, by its collections; `None` unless each of them is known, and was the program's own.
pub fn promoted_as_recorded(profile: &Profile) -> Option<Promoted> {
    let collections = &profile.collections;
    let all_known = !collections.is_empty() && collections.len() as u64 == u64::from(profile.gcs);
    let forced = collections.iter().any(|gc| gc.cause.contains("Jvmti"));
    if !all_known || forced {
        return None;
    }
    let mut sum = Promoted { bytes: 0, young: 0, full: 0 };
    for gc in collections {
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
    use mayfly_profile::{Collection, Flag, GenerationUse};

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
        assert_eq!(promoted_as_recorded(&profile(vec![grown(10), forced], 2)), None);
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
