//! Which flag: from what collections cost.

use mayfly_profile::{
    ClassProfile, Collection, Flag, FlagValue, Gc, GcKind, GenerationUse, Held, OffHeap, Point, Profile,
    Tally,
};
use mayfly_verdicts::advise::{Answer, Direct, GcCpu, Known, Missing, Nothing, Promotion, Reason, answer};

const MIB: u64 = 1 << 20;

/// Pauses of one kind, spread over ten seconds.
#[derive(Clone, Copy)]
struct Row {
    kind: GcKind,
    cause: &'static str,
    number: u64,
    pause_us: u64,
    /// What it leaves in the young and in the old generation.
    left: (u64, u64),
}

const YOUNG: Row = Row {
    kind: GcKind::Young,
    cause: "Allocation Failure",
    number: 100,
    pause_us: 500,
    left: (MIB / 4, 10 * MIB),
};
const FULL: Row = Row { kind: GcKind::Full, ..YOUNG };

fn jvm(gc: Gc, rows: &[Row], flags: &[(&str, u64)]) -> Profile {
    let used =
        |before, after| Some(GenerationUse { before: Some(before), after, ..GenerationUse::default() });
    let mut collections: Vec<_> = rows
        .iter()
        .flat_map(|row| (0..row.number).map(move |at| (row, (at + 1) * 10_000 / (row.number + 1))))
        .map(|(row, at_ms)| Collection {
            at_ms,
            bytes: at_ms * 40_000,
            kind: row.kind,
            cause: row.cause.to_owned(),
            pause_us: row.pause_us,
            young: used(4 * MIB, row.left.0 + at_ms % 7 * 10_000),
            old: used(row.left.1, row.left.1),
            ..Collection::default()
        })
        .collect();
    collections.sort_by_key(|gc| gc.at_ms);
    let flags =
        flags.iter().map(|&(name, value)| Flag { name: name.into(), value: FlagValue::Number(value) });
    let mut profile = Profile {
        gcs: collections.len() as u32,
        collections,
        duration_ms: 10_000,
        complete: true,
        flags: flags.collect(),
        ..Profile::default()
    };
    profile.run.jvm.gc = gc;
    profile
}

fn heap(mib: u64, young: u64) -> [(&'static str, u64); 3] {
    [("MaxHeapSize", mib * MIB), ("NewSize", young * MIB), ("MaxNewSize", young * MIB)]
}

fn told(profile: &Profile, known: Known) -> Answer {
    answer(profile, &known, &Promotion::default())
}

#[track_caller]
fn tries(answer: Answer) -> Vec<(String, Reason)> {
    let Answer::Try(flags) = answer else { panic!("{answer:?}") };
    flags.into_iter().map(|flag| (flag.flags, flag.reason)).collect()
}

const MEMORY: Known =
    Known { cpu: None, memory: Some(1 << 30), metaspace: None, room: None, collected_whole_ms: None };

#[test]
fn where_collections_are_cheap_nothing_is_to_be_gained_on_any_collector() {
    // 50 ms of 10 s.
    let cheap = |gc| jvm(gc, &[YOUNG], &heap(64, 8));
    for gc in [Gc::Serial, Gc::Parallel, Gc::G1] {
        assert_eq!(told(&cheap(gc), Known::default()), Answer::Nothing(Nothing::Cheap), "{gc}");
    }
    // Their pauses say nothing of what they take.
    assert_eq!(told(&cheap(Gc::Zgc), Known::default()), Answer::Unknown(Missing::CollectorsCpu));
    let cpu = |collector_ms| Known {
        cpu: Some(GcCpu { collector_ms, process_ms: 10_000, wall_ms: 10_000 }),
        ..Known::default()
    };
    assert_eq!(told(&cheap(Gc::Zgc), cpu(100)), Answer::Nothing(Nothing::Cheap));
    assert_ne!(told(&cheap(Gc::Zgc), cpu(1_000)), Answer::Nothing(Nothing::Cheap));
    assert_ne!(
        told(&cheap(Gc::G1), cpu(1_000)),
        Answer::Nothing(Nothing::Cheap),
        "threads beside the pauses"
    );
}

#[test]
fn a_size_that_saves_next_to_nothing_is_not_tried() {
    // 40 ms of 10 s, of a program that does hardly anything: of its processor time collections take more.
    let little = Row { pause_us: 400, ..YOUNG };
    let profile = jvm(Gc::G1, &[little], &heap(256, 4));
    let known = |collector_ms| Known {
        cpu: Some(GcCpu { collector_ms, process_ms: 5_000, wall_ms: 10_000 }),
        ..MEMORY
    };
    let said = told(&profile, known(105));
    let Answer::Nothing(Nothing::Little { time, cpu: Some(cpu) }) = said else { panic!("{said:?}") };
    assert!(time < 0.004 && (0.015..0.02).contains(&cpu), "{time} {cpu}");
    assert_eq!(told(&profile, known(40)), Answer::Nothing(Nothing::Cheap));
    assert_eq!(tries(told(&profile, known(400)))[0].1, Reason::SmallYoung, "a tenth of the processor time");
    let idle = Known { cpu: Some(GcCpu { collector_ms: 102, process_ms: 200, wall_ms: 10_000 }), ..MEMORY };
    let said = told(&profile, idle);
    assert!(matches!(said, Answer::Nothing(Nothing::Little { .. })), "half of next to nothing: {said:?}");
}

#[test]
fn a_heap_that_a_look_into_it_has_shrunk_is_not_judged() {
    let young = Row { pause_us: 5_000, ..YOUNG };
    let changing = [("MaxHeapSize", 256 * MIB)];
    let after = |ms| Known { collected_whole_ms: Some(ms), ..MEMORY };
    let profile = jvm(Gc::G1, &[young], &changing);
    assert_eq!(told(&profile, after(40_000)), Answer::Unknown(Missing::UsualHeap(40_000)));
    assert_eq!(tries(told(&profile, after(900_000)))[0].1, Reason::SmallYoung);
    assert_eq!(tries(told(&jvm(Gc::G1, &[young], &heap(256, 4)), after(40_000)))[0].0, "-Xmn32m", "fixed");
    // Dumps while it was profiled: no heap that is full.
    let look = Row { number: 4, pause_us: 900_000, cause: "Heap Dump Initiated GC", ..FULL };
    let profile = jvm(Gc::G1, &[young, look], &changing);
    let said = told(&profile, MEMORY);
    assert!(matches!(said, Answer::Unknown(Missing::UsualHeap(ms)) if ms < 3_000), "{said:?}");
    let ours = Row { cause: "JvmtiEnv ForceGarbageCollection", ..look };
    let said = told(&jvm(Gc::G1, &[young, ours], &changing), MEMORY);
    assert!(matches!(said, Answer::Unknown(Missing::UsualHeap(_))), "{said:?}");
    let mut ended = jvm(Gc::G1, &[young, Row { number: 1, ..ours }], &changing);
    ended.collections.iter_mut().filter(|gc| gc.is_forced()).for_each(|gc| gc.at_ms = 10_000);
    ended.collections.sort_by_key(|gc| gc.at_ms);
    assert_eq!(tries(told(&ended, MEMORY))[0].1, Reason::SmallYoung, "that of the end");
    let cheap = jvm(Gc::G1, &[YOUNG, look], &changing);
    assert_eq!(told(&cheap, MEMORY), Answer::Nothing(Nothing::Cheap), "they are not the program's");
}

#[test]
fn no_collection_is_nothing_to_gain_and_unknown_ones_are_not() {
    let none = jvm(Gc::G1, &[], &heap(64, 8));
    assert_eq!(told(&none, Known::default()), Answer::Nothing(Nothing::NoCollection));
    let unknown = Profile { gcs: 3, ..none.clone() };
    assert_eq!(told(&unknown, Known::default()), Answer::Unknown(Missing::Pauses));
    let blank = Profile { complete: false, duration_ms: 0, ..none };
    assert_eq!(told(&blank, Known::default()), Answer::Unknown(Missing::Recording));
}

#[test]
fn a_small_young_generation_is_made_larger_within_the_heap() {
    // 500 ms of 10 s.
    let young = Row { pause_us: 5_000, ..YOUNG };
    for gc in [Gc::Serial, Gc::Parallel, Gc::G1] {
        let Answer::Try(flags) = told(&jvm(gc, &[young], &heap(256, 4)), MEMORY) else { panic!("{gc}") };
        let [flag] = &flags[..] else { panic!("{flags:?}") };
        assert_eq!((flag.flags.as_str(), flag.reason, flag.sure), ("-Xmn32m", Reason::SmallYoung, true));
        assert!((flag.then.collections - 100.0 / 8.0).abs() < 0.1, "{flag:?}");
        assert!(flag.then.pause_us.1 < 0.2 * flag.now.pause_us.0, "{flag:?}");
    }
    // 10 MiB live: 17 of 32 MiB are left to it.
    let little = told(&jvm(Gc::Serial, &[young], &heap(32, 4)), MEMORY);
    assert_eq!(tries(little), [("-Xmn16m".to_owned(), Reason::SmallYoung)]);
    let room = Known { room: Some(8 * MIB), ..MEMORY };
    assert_eq!(tries(told(&jvm(Gc::Serial, &[young], &heap(256, 4)), room))[0].0, "-Xmn8m");
}

#[test]
fn where_it_is_not_sure_that_a_size_helps_the_largest_is_tried() {
    // Nearly all is promoted, as much each time: it may die at any age.
    let mut profile = jvm(Gc::Serial, &[Row { pause_us: 5_000, ..YOUNG }], &heap(256, 4));
    for gc in &mut profile.collections {
        gc.young = Some(GenerationUse { before: Some(4 * MIB), after: 200_000, ..GenerationUse::default() });
        gc.old = Some(GenerationUse { before: Some(10 * MIB), after: 13 * MIB, ..GenerationUse::default() });
    }
    let Answer::Try(flags) = told(&profile, MEMORY) else { panic!("none") };
    assert_eq!((flags[0].flags.as_str(), flags[0].sure), ("-Xmn128m", false), "{flags:?}");
}

#[test]
fn a_heap_that_is_full_is_made_larger_within_the_container_or_not_at_all() {
    let full = Row { number: 40, pause_us: 50_000, left: (0, 56 * MIB), ..FULL };
    let profile = jvm(Gc::Serial, &[full, YOUNG], &[("MaxHeapSize", 64 * MIB)]);
    let Answer::Try(flags) = told(&profile, MEMORY) else { panic!("not full") };
    let [flag] = &flags[..] else { panic!("{flags:?}") };
    assert_eq!((flag.flags.as_str(), flag.reason, flag.sure), ("-Xmx128m", Reason::SmallHeap, true));
    let memory = |mib| Known { memory: Some(mib * MIB), ..Known::default() };
    // Three quarters of 128 MiB.
    assert_eq!(tries(told(&profile, memory(128)))[0].0, "-Xmx96m");
    let said = told(&profile, memory(80));
    assert!(
        matches!(said, Answer::Nothing(Nothing::NoRoom { memory, .. }) if memory == 80 * MIB),
        "{said:?}"
    );
    // Nobody knows what there is.
    assert_eq!(told(&profile, Known::default()), Answer::Unknown(Missing::Memory));
    // Rounded down to 16 MiB, 23.5 GiB of memory left "no room for a larger heap".
    let full = Row { number: 40, pause_us: 50_000, left: (0, 15 * MIB), ..FULL };
    let small = jvm(Gc::Serial, &[full, YOUNG], &[("MaxHeapSize", 16 * MIB)]);
    assert_eq!(tries(told(&small, MEMORY))[0].0, "-Xmx32m");
}

#[test]
fn a_young_generation_that_is_a_part_of_the_heap_grows_with_it() {
    let young = Row { pause_us: 5_000, left: (MIB / 4, 30 * MIB), ..YOUNG };
    let of = |young_mib: u64| {
        let mut flags = heap(96, young_mib).to_vec();
        flags.push(("NewRatio", 2));
        told(&jvm(Gc::Serial, &[young], &flags), MEMORY)
    };
    assert!(matches!(of(32), Answer::Try(flags) if flags[0].reason == Reason::SmallHeap));
    let both = ("-Xmx304m -Xmn160m".to_owned(), Reason::SmallYoung);
    assert_eq!(tries(of(40))[0], both, "it is given, and twice as much does not fit");
}

/// "Nothing to gain from a flag", of -Xmx24m -Xmn3m, where -Xmx64m took a fifth of the pauses.
#[test]
fn a_young_generation_that_is_given_grows_with_a_heap_that_is_nearly_full() {
    let young = Row { pause_us: 5_000, left: (MIB / 4, 15 * MIB), ..YOUNG };
    let mut flags = heap(24, 3).to_vec();
    flags.push(("NewRatio", 2));
    let Answer::Try(flags) = told(&jvm(Gc::G1, &[young], &flags), MEMORY) else { panic!("none") };
    let [flag] = &flags[..] else { panic!("{flags:?}") };
    assert_eq!((flag.flags.as_str(), flag.reason, flag.sure), ("-Xmx64m -Xmn24m", Reason::SmallYoung, true));
    assert!(flag.then.pause_us.1 < 0.3 * flag.now.pause_us.0, "{flag:?}");
}

/// Five calls of `System.gc()`, with so many MiB of direct buffers each second; `None`: nothing was read of them.
fn asked(gc: Gc, direct: Option<[u64; 3]>) -> Profile {
    let asked = Row { cause: "System.gc()", number: 5, pause_us: 60_000, ..FULL };
    let mut profile = jvm(gc, &[YOUNG, asked], &heap(256, 64));
    let point = |mib: u64| {
        let direct = Some(Held { number: mib, bytes: mib * MIB });
        Point { span_ms: 1_000, off_heap: Some(OffHeap { direct, ..OffHeap::default() }), ..Point::default() }
    };
    profile.history = direct.into_iter().flatten().map(point).collect();
    profile
}

#[test]
fn collections_that_the_program_asks_for_are_switched_off_or_made_concurrent() {
    let flags = |gc| tries(told(&asked(gc, Some([0; 3])), Known::default()));
    assert_eq!(flags(Gc::Serial)[0], ("-XX:+DisableExplicitGC".to_owned(), Reason::ExplicitCalls));
    assert_eq!(flags(Gc::G1)[0].0, "-XX:+ExplicitGCInvokesConcurrent");
    let rare = Row { cause: "System.gc()", number: 1, pause_us: 20_000, ..FULL };
    let said = told(&jvm(Gc::G1, &[YOUNG, rare], &heap(256, 64)), Known::default());
    assert_eq!(said, Answer::Nothing(Nothing::Cheap));
}

/// A service of Undertow, with -Xmx512m and ParallelGC, died of the flag that was advised.
#[test]
fn collections_that_direct_buffers_need_are_never_switched_off() {
    let full = Some([100, 240, 10]);
    for gc in [Gc::Serial, Gc::Parallel, Gc::G1] {
        let Answer::Try(flags) = told(&asked(gc, full), MEMORY) else { panic!("{gc}: a higher limit") };
        let direct = Direct { most: 240 * MIB, limit: 256 * MIB };
        let told = (flags[0].flags.as_str(), flags[0].reason, flags[0].sure);
        assert_eq!(told, ("-XX:MaxDirectMemorySize=512m", Reason::DirectBuffers(direct), false));
    }
    let small = Known { memory: Some(600 * MIB), ..MEMORY };
    let said = told(&asked(Gc::Parallel, full), small);
    assert!(matches!(said, Answer::Nothing(Nothing::DirectBuffers { .. })), "{said:?}");
    // Their limit is what the JVM was started with.
    let mut limited = asked(Gc::Parallel, Some([0, 30, 0]));
    limited.flags.push(Flag { name: "MaxDirectMemorySize".into(), value: FlagValue::Number(32 * MIB) });
    assert_eq!(tries(told(&limited, MEMORY))[0].0, "-XX:MaxDirectMemorySize=64m");
}

#[test]
fn who_asks_is_not_known_where_direct_buffers_are_in_use_or_not_recorded() {
    for direct in [None, Some([20, 60, 10])] {
        for gc in [Gc::Serial, Gc::Parallel] {
            let said = told(&asked(gc, direct), MEMORY);
            assert!(matches!(said, Answer::Unknown(Missing::WhoCollects(_))), "{direct:?}: {said:?}");
        }
        let Answer::Try(flags) = told(&asked(Gc::G1, direct), MEMORY) else { panic!("harmless") };
        assert_eq!((&*flags[0].flags, flags[0].sure), ("-XX:+ExplicitGCInvokesConcurrent", false));
    }
}

#[test]
fn classes_get_room_from_the_start_and_as_much_as_they_need_if_that_is_known() {
    let classes = Row { cause: "Metadata GC Threshold", number: 2, pause_us: 120_000, ..FULL };
    let profile = jvm(Gc::Parallel, &[YOUNG, classes], &heap(512, 64));
    let known = Known { metaspace: Some(90 * MIB), ..MEMORY };
    assert_eq!(tries(told(&profile, known))[0], ("-XX:MetaspaceSize=128m".to_owned(), Reason::Metaspace));
    // A recording does not hold it.
    let Answer::Try(flags) = told(&profile, MEMORY) else { panic!("a flag") };
    assert_eq!((&*flags[0].flags, flags[0].sure), ("-XX:MetaspaceSize=256m", false));
}

#[test]
fn regions_hold_two_of_the_largest_objects() {
    let large = Row { cause: "G1 Humongous Allocation", number: 30, pause_us: 5_000, ..YOUNG };
    let mut profile =
        jvm(Gc::G1, &[YOUNG, large], &[&heap(256, 64)[..], &[("G1HeapRegionSize", MIB)]].concat());
    let class = |largest| ClassProfile {
        name: "[B".into(),
        allocated: Tally { largest, ..Tally::of(10, 600_000) },
        ..ClassProfile::default()
    };
    profile.classes = vec![class(600_000)];
    let found = |profile: &Profile| tries(told(profile, MEMORY));
    assert_eq!(found(&profile)[0], ("-XX:G1HeapRegionSize=2m".to_owned(), Reason::LargeObjects));
    // A quarter of the heap: no region is so large.
    profile.classes = vec![class(64 * MIB)];
    assert!(!matches!(told(&profile, MEMORY), Answer::Try(flags) if flags[0].reason == Reason::LargeObjects));
}

#[test]
fn a_collector_that_works_beside_the_program_takes_less_in_a_larger_heap() {
    let pause = Row { kind: GcKind::ConcurrentPause, cause: "Allocation Rate", pause_us: 20, ..YOUNG };
    let profile = jvm(Gc::GenerationalZgc, &[pause], &[("MaxHeapSize", 128 * MIB)]);
    let cpu = Some(GcCpu { collector_ms: 1_700, process_ms: 10_000, wall_ms: 10_000 });
    let known = Known { cpu, ..MEMORY };
    let Answer::Try(flags) = told(&profile, known) else { panic!("busy") };
    assert_eq!((flags[0].flags.as_str(), flags[0].sure), ("-Xmx256m", false));
    assert_eq!((flags[0].now.collections, flags[0].then.collections), (100.0, 50.0));
    let (now, then) = flags[0].cpu.expect("of the processor");
    assert!((now - 0.17).abs() < 1e-9 && (then - 0.085).abs() < 1e-9, "{now} {then}");
    let small = Known { memory: Some(160 * MIB), ..known };
    assert!(matches!(told(&profile, small), Answer::Nothing(Nothing::NoRoom { .. })));
}

#[test]
fn a_heap_with_room_is_made_larger_where_the_young_generation_cannot_be() {
    // Half of the heap is young already.
    let young = Row { pause_us: 5_000, ..YOUNG };
    let profile = jvm(Gc::G1, &[young], &[("MaxHeapSize", 64 * MIB)]);
    assert!(Known::default().room.is_none());
    let known = Known { room: Some(4 * MIB), ..MEMORY };
    let Answer::Try(flags) = told(&profile, known) else { panic!("busy") };
    assert_eq!((flags[0].flags.as_str(), flags[0].reason), ("-Xmx128m", Reason::SmallHeap));
    assert!(!flags[0].sure && flags[0].then.collections < 60.0, "{flags:?}");
}

#[test]
fn too_few_collections_tell_nothing_of_sizes() {
    let few = Row { number: 5, pause_us: 100_000, ..YOUNG };
    let said = told(&jvm(Gc::Serial, &[few], &heap(256, 4)), MEMORY);
    assert_eq!(said, Answer::Unknown(Missing::Collections));
}
