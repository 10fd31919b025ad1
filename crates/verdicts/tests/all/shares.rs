//! Methods in sessions that follow a share of each class: an object of a frequent class stands for 65,536, of a rare one for itself.
//! What a method made of the frequent ones may have been met by no sample.

#![expect(clippy::disallowed_macros, reason = "the rates that it measures are printed")]

use mayfly_profile::{ClassProfile, Frame, Profile, Share, SiteProfile, Tally, Tracking, Variances};
use mayfly_verdicts::{Budget, Judgement, Measure, RowName, Side, check, diff};

/// Each object of a class is followed up to here.
const EACH: u64 = 500;
/// Later one of so many is.
const ONE_IN: u64 = 65_536;
/// Objects of a frequent class in each method, in [`ONE_IN`]: the last is the hot one.
const METHODS: [f64; 9] = [0.02, 0.1, 0.3, 0.6, 0.6, 1.0, 1.6, 3.0, 40.0];
/// Classes: frequent ones, by the size of their objects.
const FREQUENT: [(&str, u64); 2] = [("java.lang.String", 24), ("[B", 56)];

struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 11) as f64) + 0.5) / (1u64 << 53) as f64
    }

    /// How many of so many are picked, one in [`ONE_IN`].
    fn picked(&mut self, of: u64) -> u64 {
        let (mut picked, mut at) = (0, 0.0);
        loop {
            at += (self.share().ln() / (-1.0 / ONE_IN as f64).ln_1p()).ceil();
            if at > of as f64 {
                return picked;
            }
            picked += 1;
        }
    }
}

fn made(method: usize) -> u64 {
    (METHODS[method] * ONE_IN as f64) as u64
}

/// Bytes that a method made of all classes.
fn truth(method: usize) -> f64 {
    let frequent: u64 = FREQUENT.iter().map(|(_, size)| made(method) * size).sum();
    (frequent + rare(method).bytes) as f64
}

/// Of a rare class each method makes some, and each is seen.
fn rare(method: usize) -> Tally {
    Tally::of(10 + method as u64, 40)
}

fn method_name(method: usize) -> String {
    format!("a.Main.m{}x", ["a", "b", "c", "d", "e", "f", "g", "h", "i"][method])
}

fn site(class: &str, method: usize, allocated: Tally) -> SiteProfile {
    let name = method_name(method);
    let frame =
        Frame { class: "a.Main".into(), method: name["a.Main.".len()..].into(), file: None, line: Some(7) };
    SiteProfile {
        class: class.to_owned(),
        stack: std::iter::once(frame).collect(),
        allocated,
        live: Some(Tally::default()),
        ..SiteProfile::default()
    }
}

fn class(name: &str, allocated: Tally) -> ClassProfile {
    ClassProfile { name: name.to_owned(), allocated, live: Some(Tally::default()), ..ClassProfile::default() }
}

/// A run, as balanced tracking sees it.
fn run(random: &mut Random) -> Profile {
    let mut profile = Profile { complete: true, duration_ms: 1_000, ..Profile::default() };
    (profile.run.stacks, profile.run.lifetimes) = (true, true);
    profile.run.tracking = Tracking::Balanced;
    (profile.trust.accounted_bytes, profile.trust.jvm_allocated_bytes) = (1, Some(1));
    for (name, size) in FREQUENT {
        let mut share = Share::default();
        let all: u64 = (0..METHODS.len()).map(made).sum();
        let mut told = Vec::new();
        for method in 0..METHODS.len() {
            // The first of the class are seen one by one: some methods begin early.
            let first = if method % 2 == 0 { EACH / METHODS.len() as u64 } else { 0 };
            (0..first).for_each(|_| share.record(1, Some(1)));
            let picked = random.picked(made(method) - first);
            (0..picked).for_each(|_| share.record(ONE_IN, Some(ONE_IN)));
            told.push(first + picked * ONE_IN);
        }
        let sum: u64 = told.iter().sum();
        for (method, told) in told.into_iter().enumerate().filter(|(_, told)| *told > 0) {
            let objects = (told as f64 * all as f64 / sum as f64).round() as u64;
            profile.sites.push(site(name, method, Tally::of(objects, size)));
        }
        profile.classes.push(class(name, Tally::of(all, size)));
        profile.shares.insert(name.to_owned(), share);
    }
    (0..METHODS.len()).for_each(|method| profile.sites.push(site("a.Rare", method, rare(method))));
    let all = (0..METHODS.len()).map(|method| rare(method).objects).sum();
    profile.classes.push(class("a.Rare", Tally::of(all, 40)));
    profile
}

/// The same program, counted: each object with its stack.
fn counted() -> Profile {
    let mut profile = run(&mut Random(1));
    profile.run.tracking = Tracking::EveryObject;
    profile.shares.clear();
    profile.sites.clear();
    for method in 0..METHODS.len() {
        for (name, size) in FREQUENT {
            profile.sites.push(site(name, method, Tally::of(made(method), size)));
        }
        profile.sites.push(site("a.Rare", method, rare(method)));
    }
    profile
}

#[test]
fn two_standard_errors_hold_what_each_method_made() {
    const RUNS: usize = 300;
    let random = &mut Random(39);
    for (method, weights) in METHODS.iter().enumerate() {
        let mut held = 0;
        for _ in 0..RUNS {
            let profile = run(random);
            let name = method_name(method);
            let is_its = |site: &&SiteProfile| {
                site.stack.first().is_some_and(|frame| format!("a.Main.{}", frame.method) == name)
            };
            let sites: Vec<_> = profile.sites.iter().filter(is_its).collect();
            let bytes: u64 = sites.iter().map(|site| site.allocated.bytes).sum();
            let variances = Variances::of(&profile);
            let seen = variances.of_sites(sites.iter().copied()).unwrap_or(0.0);
            let error = (seen + variances.unseen_at(&sites)).sqrt();
            held += usize::from((bytes as f64 - truth(method)).abs() <= 2.0 * error);
        }
        let share = held as f64 / RUNS as f64;
        println!("{weights} weights: {share:.3} of intervals hold the truth");
        assert!(share >= 0.93, "{weights} weights: {share}");
    }
}

/// Issue 39: a start-up that was the same in both "differs, chance < 0.001".
#[test]
fn equal_work_recorded_in_two_ways_does_not_differ() {
    const PAIRS: usize = 200;
    let random = &mut Random(40);
    let counted = counted();
    let (mut alarms, mut tests) = (0, 0);
    for _ in 0..PAIRS {
        let shared = run(random);
        let side = |profile| Side { runs: vec![(profile, 1.0)] };
        let difference = diff(&side(&counted), &side(&shared), 0.05, 0.9).expect("comparable");
        let rows = difference.findings.iter().filter(|finding| {
            matches!(finding.row, RowName::Method(_)) && finding.measure == Measure::Allocated
        });
        for finding in rows {
            tests += 1;
            alarms += usize::from(finding.chance < 0.01);
        }
    }
    let share = alarms as f64 / tests as f64;
    println!("{share:.4} of {tests} tests below 0.01");
    assert!(tests >= 5 * PAIRS && share <= 0.015, "{share} of {tests}");
}

/// A method of which only a rare class was seen: of the frequent ones it may have made as much as one sample stands for.
#[test]
fn a_budget_of_a_site_within_the_error_of_what_no_sample_met_is_not_kept() {
    let random = &mut Random(41);
    let only_rare = |profile: &Profile| {
        let its = |site: &&SiteProfile| site.stack.first().is_some_and(|frame| &*frame.method == "mbx");
        profile.sites.iter().filter(its).all(|site| site.class == "a.Rare")
    };
    let profile =
        std::iter::repeat_with(|| run(random)).take(50).find(only_rare).expect("a tenth of a sample");
    let judged = |bound: u64| {
        let text = format!("[[site]]\nprefix = 'a.Main.mbx'\nbytes = {bound}\n");
        let checked = check(&profile, &Budget::parse(&text).expect("a budget"));
        (checked.outcomes[0].judgement.clone(), checked.outcomes[0].measured.expect("known"))
    };
    let within = Judgement::Unknown("the limit lies within the error of the measurement".to_owned());
    let seen = rare(1).bytes;
    assert_eq!(judged(seen - 1).0, Judgement::Exceeded, "what was seen is sure");
    let weight = ONE_IN * FREQUENT[1].1;
    for bound in [seen, weight / 2, weight] {
        assert_eq!(judged(bound).0, within, "{bound}");
    }
    let (kept, measured) = judged(4 * weight);
    assert_eq!(kept, Judgement::Kept, "{measured:?}, {weight} bytes a sample");
    assert_eq!((measured.value, measured.low), (seen as f64, seen as f64));
    assert!(measured.high > weight as f64, "{measured:?}");
}
