//! What is called a change: nothing between runs of one law but for the stated rate of false alarms, and what was planted.
//!
//! Everything is drawn from seeds that are written here: a failure is the same each time.

#![expect(
    clippy::disallowed_macros,
    reason = "the rates that it measures are printed: the guide quotes them"
)]

use mayfly_profile::{
    BYTES_BETWEEN_SAMPLES, ClassEstimate, ClassProfile, EngineKind, Estimate, Frame, Gc, Lifetimes, Profile,
    SiteProfile, Tally, Tracking,
};
use mayfly_verdicts::{Clock, Difference, Measure, RowName, Side, Verdict, diff};

const LEVEL: f64 = 0.05;
const CLASSES: usize = 40;

/// Steele, Lea and Flood's SplitMix64: small, and good enough to simulate with.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Above 0, below 1.
    fn share(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }
}

/// One run: each class and its site allocate about 10,000 objects, with a spread of `noise` from run to run; the site of
/// class 7 so many times as much.
fn run(random: &mut Random, noise: f64, planted: f64) -> Profile {
    let mut profile = Profile { complete: true, duration_ms: 1_000, ..Profile::default() };
    profile.run.tracking = Tracking::EveryObject;
    profile.run.jvm.gc = Gc::G1;
    profile.run.stacks = true;
    profile.trust.accounted_bytes = 1;
    profile.trust.jvm_allocated_bytes = Some(1);
    for class in 0..CLASSES {
        let factor = if class == 7 { planted } else { 1.0 };
        let objects =
            (10_000.0 * (class + 1) as f64 * factor * (1.0 + noise * random.normal())).max(0.0) as u64;
        let name = format!("a.Class{class}x");
        let frame = Frame {
            class: name.as_str().into(),
            method: "make".into(),
            line: Some(class as u32),
            ..Frame::default()
        };
        let allocated = Tally::of(objects, 32);
        profile.sites.push(SiteProfile {
            class: name.clone(),
            stack: vec![frame].into(),
            allocated,
            ..SiteProfile::default()
        });
        profile.classes.push(ClassProfile { name, allocated, ..ClassProfile::default() });
    }
    profile
}

fn runs(random: &mut Random, count: usize, noise: f64, planted: f64) -> Vec<Profile> {
    (0..count).map(|_| run(random, noise, planted)).collect()
}

fn side(profiles: &[Profile]) -> Side<'_> {
    Side { runs: profiles.iter().map(|profile| (profile, 1.0)).collect() }
}

fn compared(before: &[Profile], after: &[Profile]) -> Difference {
    diff(&side(before), &side(after), LEVEL, 0.9).expect("comparable")
}

fn changed(difference: &Difference) -> Vec<&RowName> {
    let findings = difference.findings.iter().filter(|finding| finding.verdict != Verdict::Same);
    findings.map(|finding| &finding.row).collect()
}

#[test]
fn a_side_does_not_differ_from_itself() {
    let random = &mut Random(1);
    for count in [1, 2, 3, 5] {
        let mut side = runs(random, count, 0.1, 1.0);
        side.iter_mut().for_each(|run| *run = with_lifetimes(run.clone(), random, 400, 1.0));
        let difference = compared(&side, &side);
        assert!(difference.findings.len() > 3 * CLASSES, "{}", difference.findings.len());
        assert!(changed(&difference).is_empty(), "{count} runs: {:?}", changed(&difference));
    }
}

/// "most live  most live  changed differs 0.047"
#[test]
fn lifetimes_of_which_most_live_on_both_sides_do_not_differ() {
    let run = runs(&mut Random(7), 1, 0.1, 1.0).swap_remove(0);
    // Of a thousand; the others live for five seconds at least.
    let with_dead = |dead: u64| {
        let mut lifetimes = Lifetimes::default();
        for (ages, unit) in [(&mut lifetimes.ms, 1), (&mut lifetimes.bytes, 100), (&mut lifetimes.gcs, 1)] {
            ages.record_deaths(70 * unit, 140 * unit, dead);
            ages.record_living(5_000 * unit, 1_000 - dead);
        }
        (0..1_000).for_each(|_| lifetimes.record_cohort(1));
        let mut run = with_lifetimes(run.clone(), &mut Random(1), 0, 1.0);
        run.classes[CLASSES - 1].lifetimes = Some(lifetimes);
        run
    };
    let differ = |before, after| {
        let difference = compared(&[with_dead(before)], &[with_dead(after)]);
        let is_lifetime =
            |finding: &&mayfly_verdicts::Finding| matches!(finding.measure, Measure::Lifetime(_));
        let lifetimes: Vec<_> = difference.findings.iter().filter(is_lifetime).cloned().collect();
        let are_known = lifetimes.iter().any(|finding| finding.chance < 1e-6);
        assert!(are_known, "the laws are not the same: {lifetimes:?}");
        lifetimes.iter().any(|finding| finding.verdict != Verdict::Same)
    };
    assert!(!differ(10, 400), "most live on both sides");
    assert!(differ(10, 900), "most are dead after");
}

#[test]
fn counts_of_one_law_give_the_stated_rate_of_false_alarms() {
    const PAIRS: usize = 400;
    for (count, noise) in [(3, 0.001), (3, 0.2), (5, 0.01)] {
        let random = &mut Random(count as u64 * 1000 + (noise * 1e4) as u64);
        let (mut below, mut tests, mut alarms) = (0, 0, 0);
        for _ in 0..PAIRS {
            let (before, after) = (runs(random, count, noise, 1.0), runs(random, count, noise, 1.0));
            let difference = compared(&before, &after);
            below += difference.findings.iter().filter(|finding| finding.chance < LEVEL).count();
            tests += difference.findings.len();
            alarms += usize::from(!changed(&difference).is_empty());
        }
        let (single, family) = (below as f64 / tests as f64, alarms as f64 / PAIRS as f64);
        println!(
            "{count} runs a side, spread {noise}: {single:.4} of tests below 0.05, {family:.4} of diffs with an alarm"
        );
        // Classes, methods and sites are the same numbers three times: about 200 effective pairs of rows each.
        assert!(single < 0.055, "{single}");
        assert!(single > 0.02, "the test has lost its power: {single}");
        // Three standard deviations above 5 %.
        assert!(family < 0.05 + 3.0 * (0.05 * 0.95 / PAIRS as f64).sqrt(), "{family}");
    }
}

/// A run of one class that makes `whole` bytes, and of 200 from a hundredth of that down to a ten thousandth of it, with a spread of a tenth.
fn skewed(random: &mut Random, whole: f64) -> Profile {
    let mut profile = run(random, 0.0, 1.0);
    (profile.classes, profile.sites) = (Vec::new(), Vec::new());
    let mut class = |name: String, bytes: f64| {
        let allocated = Tally::of((bytes / 8.0).max(0.0) as u64, 8);
        profile.classes.push(ClassProfile { name, allocated, ..ClassProfile::default() });
    };
    class("a.Large".to_owned(), whole);
    for at in 0..200 {
        let part = 0.01 * 0.01_f64.powf(f64::from(at) / 200.0);
        class(format!("a.Small{at}x"), 60e6 * part * (1.0 + 0.1 * random.normal()));
    }
    profile
}

#[test]
fn rows_of_very_different_sizes_give_the_stated_rate_of_false_alarms() {
    const PAIRS: usize = 200;
    let random = &mut Random(18);
    let (mut alarms, mut of_whole) = (0, 0);
    for _ in 0..PAIRS {
        let mut one = |_| {
            let whole = 60e6 * (1.0 + 0.1 * random.normal());
            skewed(random, whole)
        };
        let mut side = || (0..3).map(&mut one).collect();
        let (before, after): (Vec<_>, Vec<_>) = (side(), side());
        let difference = compared(&before, &after);
        let changed = changed(&difference);
        alarms += usize::from(!changed.is_empty());
        of_whole += usize::from(changed.contains(&&RowName::Total));
    }
    let (family, whole) = (alarms as f64 / PAIRS as f64, of_whole as f64 / PAIRS as f64);
    println!(
        "rows of very different sizes: {family:.4} of diffs with an alarm, {whole:.4} of the whole program"
    );
    assert!(family < 0.05 + 3.0 * (0.05 * 0.95 / PAIRS as f64).sqrt(), "{family}");
    assert!(whole < 0.025 + 3.0 * (0.025 * 0.975 / PAIRS as f64).sqrt(), "{whole}");
}

/// A service that made half as much, three runs a side, was "0.742" of 2,341 comparisons.
#[test]
fn that_the_whole_program_allocates_half_is_one_question_however_many_rows_there_are() {
    let random = &mut Random(58);
    let mut side = |wholes: [f64; 3]| wholes.map(|whole| skewed(random, whole * 1000.0)).to_vec();
    let (before, after) = (side([73_962.0, 59_576.0, 59_361.0]), side([34_643.0, 30_919.0, 30_852.0]));
    let difference = compared(&before, &after);
    assert!(difference.findings.len() > 100, "{}", difference.findings.len());
    let changed = changed(&difference);
    assert!(changed.contains(&&RowName::Total), "{:?}", difference.findings[0]);
    assert!(changed.contains(&&RowName::Class("a.Large".to_owned())), "most of the bytes: {changed:?}");
}

#[test]
fn a_planted_change_of_five_percent_in_one_site_is_found() {
    let random = &mut Random(42);
    const TRIES: usize = 100;
    let (mut found, mut others) = (0, 0);
    for _ in 0..TRIES {
        let (before, after) = (runs(random, 5, 0.003, 1.0), runs(random, 5, 0.003, 1.05));
        let difference = compared(&before, &after);
        let changed = changed(&difference);
        let is_planted = |row: &&&RowName| matches!(row, RowName::Site { class, .. } if class == "a.Class7x");
        found += changed.iter().filter(is_planted).count();
        let is_elsewhere = |row: &&&RowName| match row {
            RowName::Site { class, .. } | RowName::Class(class) => class != "a.Class7x",
            // A method has the numbers of its one site.
            RowName::Total | RowName::Method(_) | RowName::Through(_) => false,
        };
        others += changed.iter().filter(is_elsewhere).count();
    }
    println!(
        "5 % more in one of {CLASSES} sites, 5 runs a side, spread 0.3 %: found {found} of {TRIES}, {others} others"
    );
    assert!(found >= TRIES * 95 / 100, "{found}");
    assert!(others <= TRIES / 5, "{others}");
}

/// `profile` with each site called from two places, which share its count by samples: `share` of it, with that relative error.
fn called_twice(mut profile: Profile, share: f64, error: f64) -> Profile {
    let caller = |method: &str| Frame { class: "a.Caller".into(), method: method.into(), ..Frame::default() };
    let both = |site: &SiteProfile| {
        let objects = (site.allocated.objects as f64 * share) as u64;
        [("one", objects), ("other", site.allocated.objects - objects)].map(|(method, objects)| SiteProfile {
            stack: site.stack.iter().cloned().chain([caller(method)]).collect(),
            allocated: Tally::of(objects, 32),
            error,
            ..site.clone()
        })
    };
    profile.sites = profile.sites.iter().flat_map(both).collect();
    profile
}

#[test]
fn of_an_exact_count_a_method_is_surer_than_its_stacks() {
    let random = &mut Random(8);
    let mut side = |planted, engine| -> Vec<Profile> {
        let runs = runs(random, 5, 0.003, planted).into_iter().enumerate();
        runs.map(|(at, run)| {
            let mut run = called_twice(run, 0.4 + 0.05 * at as f64, 0.2);
            run.run.engine = engine;
            run
        })
        .collect()
    };
    for engine in [EngineKind::Exact, EngineKind::Sampled] {
        let (before, after) = (side(1.0, engine), side(1.05, engine));
        let difference = compared(&before, &after);
        let changed = changed(&difference);
        let is_method =
            |row: &&&RowName| matches!(row, RowName::Method(method) if method == "a.Class7x.make");
        assert_eq!(changed.iter().any(|row| is_method(&row)), engine == EngineKind::Exact, "{changed:?}");
        assert!(!changed.iter().any(|row| matches!(row, RowName::Site { .. })), "{changed:?}");
    }
}

#[test]
fn single_runs_differ_and_are_not_called_changed() {
    let random = &mut Random(3);
    let (before, after) = (runs(random, 1, 0.001, 1.0), runs(random, 1, 0.001, 1.5));
    let difference = compared(&before, &after);
    assert!(!difference.replicated);
    assert!(difference.findings.iter().all(|finding| finding.verdict != Verdict::Changed));
    assert_eq!(changed(&difference).len(), 3, "class, method and site: {:?}", changed(&difference));
}

/// "ArrayNode.elements -88.9 % differs" in three tables: the same code, as many iterators executed, of which the JIT removed those of one line.
#[test]
fn what_the_jit_removed_is_no_difference_of_single_runs() {
    const INTERVAL: u64 = 16 << 10;
    let run = |taken: [u64; 2], executed: u64| {
        let mut profile = Profile { complete: true, duration_ms: 1_000, ..Profile::default() };
        profile.run.stacks = true;
        profile.run.tracking = Tracking::ByteSample(INTERVAL);
        profile.trust.sample_interval = Some(INTERVAL);
        let class = |name: &str, objects| ClassProfile {
            name: name.to_owned(),
            allocated: Tally::of(objects, 32),
            ..ClassProfile::default()
        };
        profile.classes = vec![class("a.Itr", executed), class("a.Node", 2_000_000)];
        let mut estimate = ClassEstimate::default();
        let bytes = (taken.iter().sum::<u64>() * 32) as f64;
        estimate.allocated.add(Estimate::of_bytes(bytes, (bytes * INTERVAL as f64).sqrt()));
        profile.estimates.insert("a.Itr".to_owned(), estimate);
        let accounted = (executed + 2_000_000) * 32;
        (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) =
            (accounted, Some(accounted - (executed - taken.iter().sum::<u64>()) * 32));
        let of_nodes = (0..20).map(|at| ("a.Node", format!("m{at}"), 100_000));
        let of_class = ["elements", "format"].into_iter().zip(taken);
        let of_class = of_class.map(|(method, objects)| ("a.Itr", method.to_owned(), objects));
        for (class, method, objects) in of_class.chain(of_nodes) {
            let frame =
                Frame { class: "a.Page".into(), method: method.into(), line: Some(7), ..Frame::default() };
            profile.sites.push(SiteProfile {
                class: class.to_owned(),
                stack: [frame].into_iter().collect(),
                allocated: Tally::of(objects, 32),
                ..SiteProfile::default()
            });
        }
        profile
    };
    let (both, one) = (run([240_000, 120_000], 360_000), run([26_000, 120_000], 360_000));
    assert_eq!(changed(&compared(std::slice::from_ref(&both), &[one])), [] as [&RowName; 0]);
    let fewer = run([26_000, 120_000], 146_000);
    let difference = compared(&[both], &[fewer]);
    let elements = RowName::Method("a.Page.elements".to_owned());
    assert!(changed(&difference).contains(&&elements), "that it executes fewer is one: {difference:#?}");
}

/// A run of eight methods that make 200,000 arrays of 80 bytes each, of which the JVM's sampler picks one per 512 KiB; so do all
/// classes if `sampled`.
fn eight_methods(random: &mut Random, sampled: bool) -> Profile {
    const INTERVAL: u64 = 512 << 10;
    let (count, size) = (200_000u64, 80u64);
    let mut profile = Profile { complete: true, duration_ms: 1_000, ..Profile::default() };
    (profile.run.stacks, profile.run.lifetimes) = (true, true);
    profile.run.tracking = Tracking::ByteSample(INTERVAL);
    profile.run.engine = if sampled { EngineKind::Sampled } else { EngineKind::Exact };
    profile.trust.sample_interval = Some(INTERVAL);
    (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) = (1, Some(1));
    let p = -(-(size as f64) / INTERVAL as f64).exp_m1();
    let mut all = ClassEstimate::default();
    for method in 0..8 {
        let mut estimate = ClassEstimate::default();
        let mut ahead = -random.share().ln() / p;
        while ahead < count as f64 {
            estimate.allocated.add(Estimate::of_sample(size, INTERVAL));
            ahead += -random.share().ln() / p;
        }
        all.add(estimate);
        let objects = estimate.allocated.bytes() / size;
        let name = if sampled { format!("a.Class{method}x") } else { "[B".to_owned() };
        let frames =
            [("jdk.internal.Unsafe", "make"), ("a.Main", ["a", "b", "c", "d", "e", "f", "g", "h"][method])];
        let frame = |(class, method): (&str, &str)| Frame {
            class: class.into(),
            method: method.into(),
            file: Some("Main.java".into()),
            line: Some(7),
        };
        let allocated = Tally::of(objects, size);
        if sampled {
            profile.estimates.insert(name.clone(), estimate);
            profile.classes.push(ClassProfile {
                name: name.clone(),
                allocated,
                live: Some(Tally::default()),
                ..ClassProfile::default()
            });
        }
        if objects > 0 {
            profile.sites.push(SiteProfile {
                class: name,
                stack: frames.into_iter().map(frame).collect(),
                allocated,
                live: Some(Tally::default()),
                ..SiteProfile::default()
            });
        }
    }
    if !sampled {
        let allocated = Tally::of(8 * count, size);
        // Sites are fitted to what was counted of their class.
        let told: u64 = profile.sites.iter().map(|site| site.allocated.objects).sum();
        for site in &mut profile.sites {
            site.allocated = Tally::of(site.allocated.objects * 8 * count / told, size);
        }
        profile.estimates.insert("[B".to_owned(), all);
        profile.classes.push(ClassProfile {
            name: "[B".to_owned(),
            allocated,
            live: Some(Tally::default()),
            ..ClassProfile::default()
        });
    }
    profile
}

/// A run that begins with samples half a MiB apart, by which four methods make a MiB each, and then makes 32 MiB in each of four others, with
/// samples 16 KiB apart.
fn begun_sparsely(random: &mut Random) -> Profile {
    const SIZE: u64 = 80;
    let mut profile = Profile { complete: true, duration_ms: 10_000, ..Profile::default() };
    (profile.run.stacks, profile.run.lifetimes) = (true, true);
    let dense = 16 << 10;
    profile.run.tracking = Tracking::ByteSample(dense);
    (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) = (1, Some(1));
    profile.trust.sample_interval = Some(512 << 10);
    let (mut estimate, mut all, mut times) = (ClassEstimate::default(), Tally::default(), 0.0);
    for method in 0..8 {
        let (bytes, between) = if method < 4 { (1 << 20, 512 << 10) } else { (32 << 20, dense) };
        let (count, p) = (bytes / SIZE, -(-(SIZE as f64) / between as f64).exp_m1());
        let (mut ahead, mut here) = (-random.share().ln() / p, Estimate::default());
        while ahead < count as f64 {
            here.add(Estimate::of_sample(SIZE, between));
            ahead += -random.share().ln() / p;
        }
        estimate.allocated.add(here);
        all.add(Tally::of(count, SIZE));
        times += here.unrounded_bytes() * between as f64;
        let frame = Frame { class: "a.Main".into(), method: format!("m{method}").into(), ..Frame::default() };
        if here.bytes() > 0 {
            profile.sites.push(SiteProfile {
                class: "[B".to_owned(),
                stack: [frame].into_iter().collect(),
                allocated: Tally::of(here.bytes() / SIZE, SIZE),
                live: Some(Tally::default()),
                between_samples: Some(between),
                ..SiteProfile::default()
            });
        }
    }
    let mean = (times / estimate.allocated.unrounded_bytes()) as u64;
    profile.readings.0.insert(BYTES_BETWEEN_SAMPLES, mean);
    profile.estimates.insert("[B".to_owned(), estimate);
    profile.classes.push(ClassProfile {
        name: "[B".to_owned(),
        allocated: all,
        live: Some(Tally::default()),
        between_samples: Some(mean),
        ..ClassProfile::default()
    });
    profile
}

/// Ten rows of the start differed between two equal runs of a service, five of them with a chance below 0.001.
#[test]
fn what_few_samples_of_the_start_say_is_no_difference() {
    const PAIRS: usize = 200;
    let random = &mut Random(68);
    let mut alarms = 0;
    for _ in 0..PAIRS {
        let (before, after) = (vec![begun_sparsely(random)], vec![begun_sparsely(random)]);
        alarms += usize::from(!changed(&compared(&before, &after)).is_empty());
    }
    println!("{alarms} of {PAIRS} diffs with an alarm");
    assert!(alarms <= PAIRS * 8 / 100, "{alarms}");
    // A method that came later, of as many bytes, is seen.
    let (before, mut after) = (vec![begun_sparsely(random)], vec![begun_sparsely(random)]);
    let late = after[0].sites.iter_mut().rfind(|site| site.between_samples == Some(16 << 10)).expect("one");
    late.allocated = Tally::of(2 * late.allocated.objects, 80);
    assert!(!changed(&compared(&before, &after)).is_empty());
}

/// faults/44 and 34: what rests on samples was taken for exact, and methods without a sample for nothing.
#[test]
fn equal_runs_whose_methods_or_classes_are_sampled_do_not_differ() {
    const PAIRS: usize = 200;
    for (sampled, count) in [(false, 1), (true, 1), (false, 3), (true, 3)] {
        let random = &mut Random(44 + count as u64);
        let (mut alarms, mut below, mut tests) = (0, 0, 0);
        for _ in 0..PAIRS {
            let mut side = || (0..count).map(|_| eight_methods(random, sampled)).collect::<Vec<_>>();
            let (before, after) = (side(), side());
            let difference = compared(&before, &after);
            alarms += usize::from(!changed(&difference).is_empty());
            let counts = difference.findings.iter().filter(|finding| finding.measure == Measure::Allocated);
            for finding in counts {
                assert!(finding.chance > 0.0, "{finding:?}");
                below += usize::from(finding.chance < LEVEL);
                tests += 1;
            }
        }
        let (family, single) = (alarms as f64 / PAIRS as f64, below as f64 / tests as f64);
        println!(
            "sampled {sampled}, {count} a side: {single:.4} of tests below 0.05, {family:.4} of diffs with an alarm"
        );
        assert!(
            family <= 0.05 + 3.0 * (0.05 * 0.95 / PAIRS as f64).sqrt() && single < 0.06,
            "{family} {single}"
        );
    }
}

#[test]
fn a_method_is_the_programs_own_and_its_place_is_told() {
    let random = &mut Random(9);
    let side: Vec<Profile> = (0..1).map(|_| eight_methods(random, false)).collect();
    let difference = compared(&side, &side);
    let methods = difference.findings.iter().filter(|finding| matches!(finding.row, RowName::Method(_)));
    assert!(methods.clone().count() >= 8);
    for finding in methods {
        let RowName::Method(method) = &finding.row else { continue };
        assert!(method.starts_with("a.Main."), "{method}");
        assert_eq!(difference.places.get(method).map(String::as_str), Some("Main.java:7"));
    }
}

#[test]
fn a_run_that_did_nothing_is_named_and_nothing_is_said_to_have_changed() {
    let random = &mut Random(10);
    let (before, mut after) = (runs(random, 1, 0.001, 1.0), runs(random, 1, 0.001, 1.0));
    let idle = &mut after[0];
    idle.classes.retain(|class| class.name == "a.Class0x");
    idle.sites.retain(|site| site.class == "a.Class0x");
    let difference = compared(&before, &after);
    assert_eq!((difference.idle.as_slice(), changed(&difference).len()), (&[1][..], 0));
    // All of it, a tenth as often: it did less, or better.
    let mut less = before.clone();
    less[0]
        .classes
        .iter_mut()
        .for_each(|class| class.allocated = Tally::of(class.allocated.objects / 10, 32));
    less[0].sites.iter_mut().for_each(|site| site.allocated = Tally::of(site.allocated.objects / 10, 32));
    let difference = compared(&before, &less);
    assert!(difference.idle.is_empty() && !changed(&difference).is_empty());
}

#[test]
fn runs_that_did_less_are_told_from_a_change_of_the_code() {
    let random = &mut Random(12);
    let mut pair_of = |work: f64, usual: f64, planted: f64| {
        let before = run(random, 0.01, usual);
        let mut after = run(random, 0.01, usual * planted);
        after.classes.iter_mut().for_each(|class| {
            class.allocated.bytes = (class.allocated.bytes as f64 * work) as u64;
        });
        after.sites.iter_mut().for_each(|site| {
            site.allocated.bytes = (site.allocated.bytes as f64 * work) as u64;
        });
        compared(&[before], &[after]).alike
    };
    let mut pair = |work, planted| pair_of(work, 1.0, planted);
    let less = pair(0.55, 0.4).expect("all but one method changed by one factor");
    assert!((less.change + 0.45).abs() < 0.02 && less.share > 0.9, "{less:?}");
    assert_eq!(pair(1.0, 0.4), None, "a change of one method");
    assert_eq!(pair(0.95, 1.0), None, "hardly a change");
    // The method that makes most was mended, and twice as many requests came.
    let mut mended = |work| pair_of(work, 1_000.0, 0.1);
    let twice = mended(1.95).expect("all others changed by one factor");
    assert!((twice.change - 0.95).abs() < 0.02, "{twice:?}");
    assert_eq!(twice.apart.as_deref(), Some("a.Class7x.make"));
    assert_eq!(mended(1.0), None, "one method says nothing of the others");
}

/// Start-up and timers allocate as before however many requests come.
#[test]
fn more_work_is_seen_beside_a_start_up_that_did_not_change() {
    let changed = |factor: fn(usize) -> f64| {
        let random = &mut Random(13);
        let (before, mut after) = (run(random, 0.01, 1.0), run(random, 0.01, 1.0));
        for class in 0..CLASSES {
            let more = |tally: &mut Tally| tally.bytes = (tally.bytes as f64 * factor(class)) as u64;
            more(&mut after.classes[class].allocated);
            more(&mut after.sites[class].allocated);
        }
        compared(&[before], &[after])
    };
    let of_requests = |class: usize| (10..20).contains(&class);
    let difference = changed(|class| match class {
        10..20 => 1.95,
        39 => 0.0,
        _ => 1.0,
    });
    let alike = difference.other_work().expect("ten methods changed by one factor");
    let share = (0..CLASSES - 1).filter(|&class| of_requests(class)).map(|class| class + 1).sum::<usize>()
        as f64
        / (1..CLASSES).sum::<usize>() as f64;
    assert!((alike.change - 0.95).abs() < 0.03 && (alike.share - share).abs() < 0.02, "{alike:?}");
    assert_eq!(alike.apart.as_deref(), Some("a.Class39x.make"));
    // As many that changed by another factor beside, unless the largest of all counts, which changed as most did.
    let largest = changed(|class| match class {
        10..15 | 39 => 1.95,
        15..18 => 1.25,
        _ => 1.0,
    });
    let alike = largest.other_work().expect("most of what changed did by one factor");
    assert!((alike.change - 0.95).abs() < 0.03 && alike.apart.is_none(), "{alike:?}");
    let few = changed(|class| if (10..14).contains(&class) { 1.95 } else { 1.0 });
    assert_eq!(few.alike, None, "four methods may have been changed");
    let apart = changed(|class| if (10..20).contains(&class) { class as f64 / 5.0 } else { 1.0 });
    assert_eq!(apart.alike, None, "each by another factor");
}

#[test]
fn what_the_jvm_makes_is_unknown_where_no_sample_met_it() {
    let random = &mut Random(14);
    let mut pair = runs(random, 2, 0.01, 1.0);
    for run in &mut pair {
        run.run.lifetimes = true;
        run.run.tracking = Tracking::EveryNth(10);
        run.classes.iter_mut().for_each(|class| class.live = Some(class.allocated));
    }
    let class = |live| ClassProfile { name: "java.lang.Class".into(), live, ..ClassProfile::default() };
    pair[0].classes.push(class(Some(Tally::of(40_000, 112))));
    pair[1].classes.push(class(Some(Tally::default())));
    let difference = compared(&pair[..1], &pair[1..]);
    let of_class = |finding: &&mayfly_verdicts::Finding| {
        finding.row == RowName::Class("java.lang.Class".to_owned()) && finding.measure == Measure::Live
    };
    let live = difference.findings.iter().find(of_class).expect("a row");
    assert_eq!((live.before, live.after), (Some(40_000.0 * 112.0), None));
    assert_eq!(live.verdict, Verdict::Same);
}

#[test]
fn what_noise_hides_is_named_with_the_runs_that_would_show_it() {
    let random = &mut Random(11);
    // Runs differ by half, as they did different amounts of work; class 7 makes half as much after.
    let mut side = |planted: f64| -> Vec<Profile> {
        let works = [0.5, 1.0, 1.6];
        let run = |work: f64, random: &mut Random| {
            let mut run = run(random, 0.001, planted);
            run.classes
                .iter_mut()
                .for_each(|class| class.allocated.bytes = (class.allocated.bytes as f64 * work) as u64);
            run.sites
                .iter_mut()
                .for_each(|site| site.allocated.bytes = (site.allocated.bytes as f64 * work) as u64);
            run
        };
        works.into_iter().map(|work| run(work, random)).collect()
    };
    let (before, after) = (side(1.0), side(0.4));
    let difference = compared(&before, &after);
    assert!(difference.uneven);
    let of = |wanted: &RowName| {
        difference.findings.iter().find(|finding| finding.row == *wanted).expect("a row").clone()
    };
    let planted = of(&RowName::Method("a.Class7x.make".to_owned()));
    assert!(
        planted.unproven && planted.runs_needed.is_some_and(|runs| (4..40).contains(&runs)),
        "{planted:?}"
    );
    assert_eq!(of(&RowName::Method("a.Class8x.make".to_owned())).runs_needed, None);
    // By the work that each did it is proven, and named.
    let per = |profiles: &'static [Profile]| Side { runs: profiles.iter().zip([0.5, 1.0, 1.6]).collect() };
    let difference = diff(&per(before.leak()), &per(after.leak()), LEVEL, 0.9).expect("comparable");
    let changed = changed(&difference);
    assert!(changed.contains(&&RowName::Method("a.Class7x.make".to_owned())), "{changed:?}");
}

#[test]
fn operations_normalise() {
    let random = &mut Random(4);
    let (before, mut after) = (runs(random, 3, 0.001, 1.0), runs(random, 3, 0.001, 1.0));
    for run in &mut after {
        run.classes.iter_mut().for_each(|class| class.allocated.bytes *= 2);
        run.sites.iter_mut().for_each(|site| site.allocated.bytes *= 2);
    }
    assert!(!changed(&compared(&before, &after)).is_empty());
    let side = |profiles: &'static [Profile], operations| Side {
        runs: profiles.iter().map(|profile| (profile, operations)).collect(),
    };
    let difference =
        diff(&side(before.leak(), 10.0), &side(after.leak(), 20.0), LEVEL, 0.9).expect("comparable");
    assert!(difference.per_operation && changed(&difference).is_empty(), "{:?}", changed(&difference));
}

#[test]
fn what_is_live_is_compared_as_it_is_however_much_work_was_done() {
    let random = &mut Random(11);
    let with_live = |mut runs: Vec<Profile>, factor: u64| {
        for run in &mut runs {
            run.run.lifetimes = true;
            run.classes.iter_mut().for_each(|class| {
                class.allocated.bytes *= factor;
                class.live = Some(Tally { objects: 1_000, bytes: 64_000, largest: 64 });
            });
            run.sites.iter_mut().for_each(|site| site.allocated.bytes *= factor);
        }
        runs
    };
    let before = with_live(runs(random, 3, 0.001, 1.0), 1);
    let after = with_live(runs(random, 3, 0.001, 1.0), 2);
    let side = |profiles: &'static [Profile], operations| Side {
        runs: profiles.iter().map(|profile| (profile, operations)).collect(),
    };
    let difference =
        diff(&side(before.leak(), 10.0), &side(after.leak(), 20.0), LEVEL, 0.9).expect("comparable");
    let of_all = difference
        .findings
        .iter()
        .find(|finding| finding.row == RowName::Total && finding.measure == mayfly_verdicts::Measure::Live);
    let of_all = of_all.expect("it is compared");
    assert_eq!((of_all.before, of_all.after), (Some(40.0 * 64_000.0), Some(40.0 * 64_000.0)));
    assert!(changed(&difference).is_empty(), "{:?}", changed(&difference));
}

#[test]
fn lines_that_move_change_nothing() {
    let random = &mut Random(5);
    let before = runs(random, 3, 0.001, 1.0);
    let mut after = before.clone();
    let moved = |frame: &Frame| Frame { line: frame.line.map(|line| line + 10), ..frame.clone() };
    for site in after.iter_mut().flat_map(|run| &mut run.sites) {
        site.stack = site.stack.iter().map(moved).collect();
    }
    assert!(changed(&compared(&before, &after)).is_empty());
}

#[test]
fn without_trust_there_is_no_verdict() {
    let random = &mut Random(6);
    let (before, mut after) = (runs(random, 3, 0.1, 1.0), runs(random, 3, 0.1, 1.0));
    after[1].trust.jvm_allocated_bytes = Some(2);
    let error = diff(&side(&before), &side(&after), LEVEL, 0.9).expect_err("half is not known");
    assert_eq!(error.run, 4);
    assert!(diff(&side(&before), &Side::default(), LEVEL, 0.9).is_err());
}

/// Gives class 39 the lifetimes of `objects` objects of an exponential law with this mean, in tenths of a second; looked at
/// every 70 ms; those that live longer than a second are still alive.
fn with_lifetimes(mut profile: Profile, random: &mut Random, objects: usize, mean: f64) -> Profile {
    let mut lifetimes = Lifetimes::default();
    for _ in 0..objects {
        let life = -random.share().ln() * 100.0 * mean;
        let born = random.share() * 70.0;
        let passes = ((born + life) / 70.0).floor();
        let seen = |pass: f64| (pass * 70.0 - born).max(0.0).ceil() as u64;
        if life > 1_000.0 {
            lifetimes.ms.record_living(1_000, 1);
            lifetimes.bytes.record_living(100_000, 1);
            lifetimes.gcs.record_living(14, 1);
        } else {
            lifetimes.ms.record_deaths(seen(passes), seen(passes + 1.0), 1);
            lifetimes.bytes.record_deaths(seen(passes) * 100, seen(passes + 1.0) * 100, 1);
            lifetimes.gcs.record_deaths(passes as u64, passes as u64 + 1, 1);
        }
        lifetimes.record_cohort(1);
    }
    profile.run.lifetimes = true;
    profile.classes.iter_mut().for_each(|class| class.live = Some(Tally::default()));
    profile.classes[CLASSES - 1].lifetimes = Some(lifetimes);
    profile
}

/// Chances of the comparisons of lifetimes on one clock.
fn lifetime_chances(count: usize, pairs: usize, mean: f64, clock: Clock, seed: u64) -> Vec<f64> {
    let random = &mut Random(seed);
    let blank = run(random, 0.0, 1.0);
    let chances = (0..pairs).map(|_| {
        let mut side = |mean| -> Vec<_> {
            (0..count).map(|_| with_lifetimes(blank.clone(), random, 300, mean)).collect()
        };
        let (before, after) = (side(1.0), side(mean));
        let difference = compared(&before, &after);
        let measure = Measure::Lifetime(clock);
        difference.findings.iter().find(|finding| finding.measure == measure).expect("lifetimes").chance
    });
    chances.collect()
}

#[test]
fn lifetimes_of_one_law_give_no_more_false_alarms_than_stated() {
    const PAIRS: usize = 150;
    for (count, clock) in [(1, Clock::Time), (1, Clock::Collections), (3, Clock::Bytes)] {
        let chances = lifetime_chances(count, PAIRS, 1.0, clock, 77 + count as u64);
        let below = chances.iter().filter(|&&chance| chance < LEVEL).count() as f64 / PAIRS as f64;
        println!("lifetimes of one law, {count} runs a side, {clock:?}: {below:.4} below 0.05");
        assert!(below < 0.05 + 3.0 * (0.05 * 0.95 / PAIRS as f64).sqrt(), "{count} {clock:?}: {below}");
    }
}

#[test]
fn lives_twice_as_long_are_found() {
    for (count, clock) in [(1, Clock::Time), (1, Clock::Collections), (3, Clock::Bytes)] {
        let chances = lifetime_chances(count, 20, 2.0, clock, 99);
        let found = chances.iter().filter(|&&chance| chance < 0.01).count();
        println!("lives twice as long, {count} runs a side, {clock:?}: {found} of 20 below 0.01");
        assert!(found >= 16, "{count} {clock:?}: {found} of 20");
    }
}

#[test]
fn lives_half_as_long_again_are_found() {
    for (count, clock) in [(1, Clock::Time), (1, Clock::Collections), (3, Clock::Bytes)] {
        let chances = lifetime_chances(count, 20, 1.5, clock, 1234);
        let found = chances.iter().filter(|&&chance| chance < 0.01).count();
        println!("lives half as long again, {count} runs a side, {clock:?}: {found} of 20 below 0.01");
        assert!(found >= 18, "{count} {clock:?}: {found} of 20");
    }
}
