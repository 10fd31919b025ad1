//! Leaks by growth over dumps.

use mayfly_profile::is_of_expiry;
use mayfly_verdicts::leaks::{Bound, Growth, Starting, Suspicion, Turnover, Watched, growing, is_unsteady};

fn growth(objects: &[u64], soft: &[u64]) -> Growth {
    Growth {
        objects: objects.to_vec(),
        bytes: objects.iter().map(|number| number * 1_000).collect(),
        soft: soft.to_vec(),
        heap_bytes: 10 << 20,
        ..Growth::default()
    }
}

#[track_caller]
fn reason(suspicion: &Suspicion, name: &str, word: &str) {
    assert_eq!(suspicion.name(), name, "{suspicion:?}");
    assert!(suspicion.reason().unwrap_or_default().contains(word), "{word} in {suspicion:?}");
}

#[test]
fn steady_growth_is_a_leak_and_all_else_says_why_it_is_none() {
    assert_eq!(growing(&growth(&[100, 200, 300, 400], &[0; 4])), Suspicion::Leak);
    // A loaded machine does not do the same in each interval.
    assert_eq!(growing(&growth(&[100, 300, 350, 420], &[0; 4])), Suspicion::Leak);
    for (objects, soft, name, word) in [
        (&[100, 200, 300, 300][..], &[0; 4][..], "harmless", "each dump"),
        (&[100, 300, 100, 400], &[0; 4], "harmless", "each dump"),
        (&[100, 101, 102, 103], &[0; 4], "harmless", "too little"),
        (&[100, 200, 250, 275], &[0; 4], "unsure", "ever more slowly"),
        (&[100, 200], &[0; 2], "unsure", "take 4 or more"),
        (&[100, 200, 300, 400], &[1, 100, 200, 300], "unsure", "softly"),
    ] {
        reason(&growing(&growth(objects, soft)), name, word);
    }
}

/// Tags of a finite set that are met by chance, and results of a worker that come and go.
#[test]
fn what_slows_in_each_interval_or_was_less_once_is_in_doubt() {
    let tags = growth(&[1630, 2110, 2410, 2680, 2880, 3060], &[0; 6]);
    reason(&growing(&tags), "unsure", "ever more slowly");
    // Buckets of 4,000 users, met by chance.
    let buckets = growth(&[2810, 3600, 3860, 3960, 3980, 3990], &[0; 6]);
    reason(&growing(&buckets), "harmless", "it has filled");
    let uneven = growth(&[1630, 2110, 2410, 2760, 2960, 3140], &[0; 6]);
    assert_eq!(growing(&uneven), Suspicion::Leak, "one interval brought more than the one before");
    let results = Growth {
        bytes: vec![1_230_000, 1_340_000, 1_470_000, 1_690_000],
        ..growth(&[955, 781, 899, 1330], &[0; 4])
    };
    reason(&growing(&results), "unsure", "of 955 objects 781 were left");
}

/// A pool of buffers under a load that rises until six seconds before the last dump.
#[test]
fn what_slows_is_unsteady_and_one_more_dump_tells() {
    let pool = |objects: &[u64]| growth(objects, &vec![0; objects.len()]);
    let full = pool(&[114, 312, 504, 600]);
    assert!(is_unsteady(&full));
    assert_eq!(growing(&full), Suspicion::Leak, "it looks so until then");
    let later = pool(&[114, 312, 504, 600, 600]);
    assert!(!is_unsteady(&later), "it has");
    assert_eq!(growing(&later).name(), "harmless");
    assert!(!is_unsteady(&pool(&[100, 200, 300, 400])), "steady");
    // The last interval was half as long.
    assert!(!is_unsteady(&Growth { times: vec![0.0, 10.0, 20.0, 25.0], ..full }));
    // Two requests ran at once for the first time in a while.
    assert!(is_unsteady(&pool(&[60, 240, 300, 400])), "it was enlarged by chance");
    assert!(!is_unsteady(&pool(&[100, 300, 450, 650])), "hardly uneven");
    assert!(!is_unsteady(&pool(&[100, 200, 210])), "too few dumps tell nothing anyway");
}

/// Looked at each ten seconds; a job runs each fourteen, and keeps 600 lines.
#[test]
fn what_a_job_leaves_now_and_then_is_not_called_harmless() {
    let kept = |objects: &[u64], first: &[u64]| {
        let turnover = Turnover { present: objects.to_vec(), first: first.to_vec(), second: Vec::new() };
        Growth { turnover: Some(turnover), ..growth(objects, &vec![0; objects.len()]) }
    };
    for (what, objects, name) in [
        ("a job", &[0, 600, 600, 1_200][..], "unsure"),
        ("the same from the first on", &[0, 0, 600, 1_200], "unsure"),
        ("and a dump later", &[0, 600, 600, 1_200, 1_200], "unsure"),
        ("what filled and stopped", &[0, 600, 1_200, 1_200], "harmless"),
        ("what filled in steps and stopped", &[0, 600, 600, 1_200, 1_200, 1_200], "harmless"),
        ("what came once", &[0, 600, 600, 600], "harmless"),
        ("what was emptied", &[600, 1_200, 0, 600], "harmless"),
        ("few", &[600, 603, 603, 606], "harmless"),
    ] {
        let growth = kept(objects, &vec![objects[0]; objects.len()]);
        let judged = growing(&growth);
        assert_eq!(judged.name(), name, "{what}: {judged:?}");
        assert_eq!(is_unsteady(&growth), name == "unsure", "{what}");
    }
    reason(&growing(&kept(&[0, 600, 600, 1_200], &[0; 4])), "unsure", "nothing of it has gone");
    let lasting = |objects: &[u64]| {
        growing(&Growth { lasting: true, ..kept(objects, &vec![objects[0]; objects.len()]) })
    };
    assert_eq!(lasting(&[0, 0, 0, 600]).name(), "unsure", "it began late");
    assert_eq!(growing(&kept(&[0, 0, 0, 600], &[0; 4])).name(), "harmless", "work at hand");
    assert_eq!(lasting(&[0, 0, 0, 600, 1_200, 1_800]), Suspicion::Leak, "it grew three times since");
    assert_eq!(lasting(&[0, 0, 0, 600, 600, 600]).name(), "harmless");
    let loses = kept(&[600, 900, 900, 1_200], &[600, 500, 400, 300]);
    assert_eq!(growing(&loses).name(), "harmless", "it turns over");
    let unknown = growth(&[0, 600, 600, 1_200], &[0; 4]);
    assert_eq!(growing(&unknown).name(), "harmless", "of files nobody knows what has gone");
}

/// Lucene's index had 2, 3, 4 and 6 segments of 9 KiB, before it merged them.
#[test]
fn a_few_small_objects_more_tell_no_leak() {
    let segments = |each: u64| Growth {
        bytes: [2, 3, 4, 6].map(|number| number * each).to_vec(),
        ..growth(&[2, 3, 4, 6], &[0; 4])
    };
    reason(&growing(&segments(9_000)), "unsure", "4 more tell no leak from chance");
    assert_eq!(growing(&segments(900_000)), Suspicion::Leak);
}

/// In Neo4j 27,200 strings that caches share became 27,700.
#[test]
fn what_nobody_holds_alone_and_hardly_grows_is_no_leak_yet() {
    let strings =
        |from, nobodys| Growth { nobodys, ..growth(&[from, from + 10, from + 20, from + 30], &[0; 4]) };
    reason(&growing(&strings(1_000, true)), "unsure", "became more by 3.0 % only");
    assert_eq!(growing(&strings(1_000, false)), Suspicion::Leak);
    assert_eq!(growing(&strings(100, true)), Suspicion::Leak);
}

/// Neo4j keeps its last 8,192 queries in as many slots, which it fills in its first minutes.
#[test]
fn what_fills_slots_that_do_not_become_more_is_no_leak_yet() {
    let filling = |taken| Growth {
        bound: Some(Bound { holder: "a.Ring$Slot".to_owned(), holders: 1_000, taken }),
        watched: Some(Watched { ran_before: 20.0, seconds: 30.0 }),
        ..growth(&[100, 200, 300, 400], &[0; 4])
    };
    reason(
        &growing(&filling(400)),
        "unsure",
        "600 have none yet: a ring or a pool that fills; search again in about 60 s",
    );
    reason(&growing(&filling(1_000)), "unsure", "0 have none yet: a ring or a pool that fills; search again");
}

#[test]
fn what_fills_an_array_that_is_not_replaced_may_be_a_ring() {
    let in_fixed_arrays_of = Some("a.Log".to_owned());
    let ring = Growth { in_fixed_arrays_of, ..growth(&[100, 200, 300, 400], &[0; 4]) };
    reason(&growing(&ring), "unsure", "slots of an array of a.Log");
}

#[test]
fn what_has_a_field_for_its_expiry_is_no_leak_yet() {
    let expiry = |field: &str| is_of_expiry(field).then(|| field.to_owned());
    for field in ["expiredSessions", "byExpiration", "evictionLock", "lock_evict", "idleTTL", "ttlMillis"] {
        let growth = Growth { expiry: expiry(field), ..growth(&[100, 200, 300, 400], &[0; 4]) };
        reason(&growing(&growth), "unsure", field);
    }
    for field in ["sessions", "settled", "reviction", "table", ""] {
        assert_eq!(expiry(field), None);
    }
    // What is harmless anyway stays so.
    let full = Growth { expiry: expiry("expiry"), ..growth(&[100, 200, 200, 200], &[0; 4]) };
    reason(&growing(&full), "harmless", "each dump");
}

/// It grew as fast for half of the JVM's time, or began when it was emptied a short while ago.
#[test]
fn what_fills_since_a_short_while_may_be_a_buffer() {
    let after = |first: u64, ran_before| {
        let objects = [0, 100, 200, 300].map(|more| first + more);
        let watched = Some(Watched { ran_before, seconds: 30.0 });
        growing(&Growth { watched, ..growth(&objects, &[0; 4]) })
    };
    assert_eq!(after(3_000, 500.0), Suspicion::Leak, "filled for 300 s");
    assert_eq!(after(50, 20.0), Suspicion::Leak, "of a JVM that is young");
    assert_eq!(after(7_000, 100_000.0), Suspicion::Leak, "old enough, whatever the JVM did before");
    reason(&after(50, 500.0), "unsure", "search for 70 s");
}

/// Metrics, caches of the JVM's and tables are set up while a program starts.
#[test]
fn what_grows_while_a_program_starts_can_not_be_told_from_a_leak() {
    let among = |loaded, classes| {
        growing(&Growth { starting: Starting::of(loaded, classes), ..growth(&[100, 200, 300, 400], &[0; 4]) })
    };
    reason(&among(415, 6_500), "unsure", "415 of its 6500 classes");
    assert_eq!(among(49, 600), Suspicion::Leak, "few");
    assert_eq!(among(60, 20_000), Suspicion::Leak, "few of so many");
    assert_eq!(growing(&growth(&[100, 200, 300, 400], &[0; 4])), Suspicion::Leak, "not known of files");
}

#[test]
fn what_loses_what_it_had_is_no_leak() {
    let turnover = |first: [u64; 4]| {
        let present = vec![100, 200, 300, 400];
        let second = vec![100, 200, 200, 200];
        Some(Turnover { present, first: first.to_vec(), second })
    };
    let judged =
        |first| growing(&Growth { turnover: turnover(first), ..growth(&[100, 200, 300, 400], &[0; 4]) });
    assert_eq!(judged([100; 4]), Suspicion::Leak);
    reason(&judged([100, 80, 60, 30]), "unsure", "what was there at first is gone");
}

/// A queue to which 200 come a second, and from which 60 are taken, looked at each 10 seconds; and a window that is about full.
#[test]
fn a_backlog_loses_what_it_had_and_is_not_called_harmless() {
    let backlog = Turnover {
        present: vec![0, 700, 2_700, 4_700],
        first: vec![500, 0, 0, 0],
        second: vec![0, 1_900, 1_300, 700],
    };
    let queue = growth(&[500, 1_900, 3_300, 4_700], &[0; 4]);
    let unknown = Growth { turnover: Some(backlog.clone()), ..queue };
    reason(&growing(&unknown), "unsure", "more comes than goes");
    let at = |times: [f64; 4]| growing(&Growth { times: times.to_vec(), ..unknown.clone() });
    assert_eq!(at([0.0, 10.0, 20.0, 30.0]), Suspicion::Leak);
    // The last interval was half as long: twice as many came in a second.
    reason(&at([0.0, 10.0, 20.0, 25.0]), "unsure", "more comes than goes");
    let window =
        Turnover { present: vec![0, 0, 100, 2_100], first: vec![500, 0, 0, 0], second: vec![0, 1_800, 0, 0] };
    let full = growth(&[500, 1_800, 2_000, 2_100], &[0; 4]);
    reason(&growing(&Growth { turnover: Some(window), ..full }), "harmless", "are gone");
}

/// Looked at each 10 seconds: what came, stayed and went.
fn each_ten_seconds(objects: [u64; 4], first: [u64; 4], second: [u64; 4], present: [u64; 4]) -> Suspicion {
    let turnover =
        Some(Turnover { present: present.to_vec(), first: first.to_vec(), second: second.to_vec() });
    let times = vec![0.0, 10.0, 20.0, 30.0];
    growing(&Growth { turnover, times, ..growth(&objects, &[0; 4]) })
}

/// A queue is told from what lives for a while by Little's law: if no more come, each waits longer.
#[test]
fn what_waits_ever_longer_leaks_and_what_lives_for_a_while_does_not() {
    // An LRU cache that drops one for two that it takes.
    let half = each_ten_seconds(
        [1_200, 2_700, 4_200, 5_700],
        [1_200, 0, 0, 0],
        [0, 2_700, 1_500, 0],
        [0, 0, 2_700, 5_700],
    );
    assert_eq!(half, Suspicion::Leak);
    // 200 a second come, and 60 go; of the first dump's all have gone long before the second, so how many would have is not known.
    let mails = each_ten_seconds(
        [420, 1_820, 3_220, 4_620],
        [420, 0, 0, 0],
        [0, 1_820, 1_220, 620],
        [0, 620, 2_620, 4_620],
    );
    assert_eq!(mails, Suspicion::Leak);
    let pages = each_ten_seconds(
        [550, 1_550, 2_550, 3_550],
        [550, 0, 0, 0],
        [0, 1_550, 550, 0],
        [0, 0, 1_550, 3_550],
    );
    assert_eq!(pages, Suspicion::Leak);
    // Pauses make intervals longer; in the first, half of what came has gone.
    let turnover = Turnover {
        present: vec![0, 0, 1_795, 3_905],
        first: vec![581, 0, 0, 0],
        second: vec![0, 1_666, 616, 0],
    };
    let times = vec![0.0, 10.9, 22.2, 32.9];
    let long = Growth { turnover: Some(turnover), times, ..growth(&[581, 1_666, 2_845, 3_905], &[0; 4]) };
    assert_eq!(growing(&long), Suspicion::Leak);
    // A window of eight seconds, under a load that rose by half between the first two dumps.
    let window =
        each_ten_seconds([800, 1_600, 1_610, 1_620], [800, 0, 0, 0], [0, 1_600, 0, 0], [0, 0, 0, 1_620]);
    assert_ne!(window, Suspicion::Leak);
    // Each lives for twelve seconds, and a third more come in each ten.
    let rises = each_ten_seconds(
        [1_000, 1_330, 1_769, 2_353],
        [1_000, 0, 0, 0],
        [0, 1_330, 222, 0],
        [0, 0, 295, 2_353],
    );
    assert_ne!(rises, Suspicion::Leak);
    // One of sixteen seconds while it fills: nothing is left of the first, and as many go as come in the end.
    let fills = each_ten_seconds(
        [300, 1_300, 1_600, 1_610],
        [300, 300, 0, 0],
        [300, 1_300, 600, 0],
        [0, 0, 600, 1_610],
    );
    assert_ne!(fills, Suspicion::Leak);
    // Sessions of 20 s on average, 8 s after the first: more go as there are more.
    let sessions = each_ten_seconds(
        [330, 590, 750, 850],
        [330, 200, 120, 74],
        [200, 590, 358, 217],
        [74, 217, 455, 850],
    );
    assert_ne!(sessions, Suspicion::Leak);
    // Each lives for three seconds: as many come as are there in the end.
    let load =
        each_ten_seconds([1_000, 1_500, 2_200, 3_300], [1_000, 0, 0, 0], [0, 1_500, 0, 0], [0, 0, 0, 3_300]);
    assert_ne!(load, Suspicion::Leak);
}

/// A builder's array doubles; the search sees two of three steps.
#[test]
fn one_array_that_is_made_larger_now_and_then_can_not_be_told() {
    let of = |bytes: [u64; 4], objects: u64| {
        growing(&Growth { bytes: bytes.to_vec(), ..growth(&[objects; 4], &[0; 4]) })
    };
    reason(&of([4 << 20, 8 << 20, 8 << 20, 16 << 20], 1), "unsure", "replaced by a larger one");
    reason(&of([4 << 20, 8 << 20, 8 << 20, 8 << 20], 1), "harmless", "each dump");
    reason(&of([4 << 20, 8 << 20, 4 << 20, 16 << 20], 1), "harmless", "each dump");
    reason(&of([4 << 20, 8 << 20, 8 << 20, 16 << 20], 2), "harmless", "each dump");
    assert_eq!(of([4 << 20, 8 << 20, 12 << 20, 16 << 20], 1), Suspicion::Leak);
}

/// 400 a second come, and stay for less than ten seconds, but ever longer: of no dump's objects any is there in the next.
#[test]
fn a_backlog_that_turns_over_between_dumps_grows_all_the_same() {
    let all_gone = |objects: [u64; 4]| {
        each_ten_seconds(objects, [objects[0], 0, 0, 0], [0, objects[1], 0, 0], [0, 0, 0, objects[3]])
    };
    reason(&all_gone([1_000, 2_000, 3_000, 4_000]), "unsure", "a backlog that grows");
    reason(&all_gone([4_000, 5_100, 5_900, 7_000]), "unsure", "come and go between the dumps");
    // Some are left of the last interval but one.
    let some = each_ten_seconds(
        [1_000, 2_000, 3_000, 4_000],
        [1_000, 0, 0, 0],
        [0, 2_000, 0, 0],
        [0, 0, 1_000, 4_000],
    );
    reason(&some, "unsure", "a backlog that grows");
    for (what, objects) in [
        ("an LRU cache that is full", [4_000, 4_000, 4_000, 4_000]),
        ("one that hardly grows", [4_000, 4_010, 4_020, 4_030]),
        ("a window after a load that rose", [1_000, 3_000, 3_300, 3_400]),
        ("a buffer that is emptied each few seconds", [1_000, 3_000, 500, 2_000]),
        ("the same, by chance in order", [100, 200, 2_500, 2_600]),
        ("sessions of 20 s", [330, 590, 750, 850]),
    ] {
        assert_eq!(all_gone(objects).name(), "harmless", "{what}");
    }
}
