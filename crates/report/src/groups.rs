//! Who allocates by pool of threads, or by class loader, where stacks name it.
//!
//! Not here: the sums (`mayfly-profile`).

use std::collections::HashMap;

use mayfly_profile::{GroupProfile, Grouping, Profile, SiteProfile, Value, Variances};

use crate::measured::number;
use crate::table::right_aligned;
use crate::units;
use crate::ways::about;

/// What no stack names.
const UNKNOWN: &str = "(not known: no stack was taken)";

/// Relative errors from which on groups are hardly told apart.
const VAGUE: f64 = 0.5;
/// Groups with less than this share of all are small: nobody asks how small.
const SMALL: f64 = 0.1;

/// The table as text, all groups; without names of them the reason.
pub fn groups(profile: &Profile, grouping: Grouping) -> String {
    let rows = profile.groups(grouping);
    let heading = match grouping {
        Grouping::Pool => "By pool of threads:",
        Grouping::Loader => "By class loader, of the innermost code that is not the JDK's:",
    };
    if rows.is_empty() {
        return not_recorded(grouping).to_owned();
    }
    let errors = group_errors(profile, grouping);
    let of = |row: &GroupProfile| row.name.as_deref().and_then(|name| errors.get(name)).copied();
    let all: f64 = rows.iter().map(|row| row.allocated_bytes() as f64).sum();
    let is_vague = |row: &GroupProfile| {
        let bytes = row.allocated_bytes() as f64;
        bytes >= SMALL * all && of(row).is_some_and(|error| error >= VAGUE * bytes)
    };
    let vague = rows.iter().filter(|row| is_vague(row)).count();
    let note = if vague == 0 { String::new() } else { vague_note(vague, rows.len()) };
    format!("{heading}\n{}{note}", table(profile, (grouping, &rows), &of, "  "))
}

/// What to do about rows that say next to nothing.
fn vague_note(vague: usize, rows: usize) -> String {
    format!(
        "  {vague} of these {rows} rest on too few stacks to be told apart (± {:.0} % or more). A sample of all bytes divides them better: \
         mayfly run, or --sampled --sample 16k.\n",
        100.0 * VAGUE
    )
}

fn not_recorded(grouping: Grouping) -> &'static str {
    match grouping {
        Grouping::Pool => {
            "What each thread allocates is not known: stacks do not name threads. Record with mayfly run --threads, or the agent's \
             option #threads.\n"
        }
        Grouping::Loader => {
            "What the code of each class loader allocates is not known: stacks do not name loaders. Record with mayfly run --loaders, or the \
             agent's option #loaders.\n"
        }
    }
}

/// Standard errors of what groups allocated, in bytes, by name; 0 where all stacks were taken. An allocating line is counted exactly, its
/// division among groups is not, even if only one was seen.
pub fn group_errors(profile: &Profile, grouping: Grouping) -> HashMap<&str, f64> {
    let variances = Variances::of(profile);
    let mut groups: HashMap<&str, Vec<&SiteProfile>> = HashMap::new();
    for site in &profile.sites {
        if let Some(name) = grouping.of(&site.stack) {
            groups.entry(name).or_default().push(site);
        }
    }
    let error = |sites: Vec<&SiteProfile>| {
        let alone = sites.iter().map(|site| (site.error * site.allocated.bytes as f64).powi(2)).sum::<f64>();
        let seen = variances.of_sites(sites.iter().copied()).unwrap_or(0.0).max(alone);
        (seen + variances.unseen_at(&sites)).sqrt()
    };
    groups.into_iter().map(|(name, sites)| (name, error(sites))).collect()
}

/// The rows, with what is known of them.
fn table(
    profile: &Profile,
    (grouping, rows): (Grouping, &[GroupProfile]),
    error: &dyn Fn(&GroupProfile) -> Option<f64>,
    indent: &str,
) -> String {
    let about = about(profile);
    let all = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.allocated_bytes()));
    // The first column is what is left of these two.
    let is_shown = |value: Value| !matches!(value, Value::Bytes | Value::OptimisedAway);
    let measures: Vec<_> = profile.group_measures().filter(|&(_, value)| is_shown(value)).collect();
    let names = measures.iter().map(|(measure, _)| measure.short.to_owned());
    let heading = ["allocated", "±", "share"].map(str::to_owned).into_iter().chain(names);
    let mut lines = vec![heading.chain(["sites", grouping.key()].map(str::to_owned)).collect::<Vec<_>>()];
    for row in rows {
        let size = format!("{about}{}", units::bytes(row.allocated_bytes()));
        let error = error(row).map_or_else(String::new, |error| relative(error, row.allocated_bytes()));
        let share = format!("{} %", units::percent(row.allocated_bytes(), all));
        let numbers = measures.iter().map(|&(measure, value)| {
            let of = number(measure.unit, row.amounts.of(value) as f64);
            format!("{about}{of}")
        });
        let name = row.name.as_deref().unwrap_or(UNKNOWN).to_owned();
        lines.push(
            [size, error, share].into_iter().chain(numbers).chain([row.sites.to_string(), name]).collect(),
        );
    }
    right_aligned(&lines, indent)
}

/// `12 %`; empty where the number is exact.
fn relative(error: f64, of: u64) -> String {
    if error == 0.0 { String::new() } else { format!("{:.0} %", (100.0 * error / of.max(1) as f64).ceil()) }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, Frame, Share, SiteProfile, Tally, Tracking};

    use super::*;

    #[test]
    fn pools_stand_by_what_they_allocate_and_what_is_not_known_has_no_column() {
        let site = |pool: &str, bytes| SiteProfile {
            class: "a.A".into(),
            stack: vec![Frame { class: "a.B".into(), ..Frame::default() }, Frame::of_thread(pool)].into(),
            allocated: Tally::of(1, bytes),
            ..SiteProfile::default()
        };
        let sites = vec![site("main", 256 << 10), site("http-nio-8080-exec-*", 768 << 10)];
        let all = Tally { objects: 2, bytes: 1 << 20, largest: 768 << 10 };
        let classes = vec![ClassProfile { name: "a.A".into(), allocated: all, ..ClassProfile::default() }];
        let text = groups(&Profile { classes, sites, ..Profile::default() }, Grouping::Pool);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "By pool of threads:",
                "  allocated  ±  share  objects  sites  pool",
                "    768 KiB      75 %        1      1  http-nio-8080-exec-*",
                "    256 KiB      25 %        1      1  main",
            ]
        );
    }

    #[test]
    fn one_pool_seen_at_a_line_is_not_the_only_one_for_certain() {
        let site = SiteProfile {
            class: "a.A".into(),
            stack: vec![Frame { class: "a.B".into(), ..Frame::default() }, Frame::of_thread("main")].into(),
            allocated: Tally::of(10, 100),
            error: 0.5,
            ..SiteProfile::default()
        };
        let class =
            ClassProfile { name: "a.A".into(), allocated: Tally::of(10, 100), ..ClassProfile::default() };
        let profile = Profile { classes: vec![class], sites: vec![site], ..Profile::default() };
        assert_eq!(group_errors(&profile, Grouping::Pool), [("main", 500.0)].into());
        let text = groups(&profile, Grouping::Pool);
        assert!(text.contains("~1000 B  50 %  100 %"), "{text}");
        assert!(
            text.contains("1 of these 1 rest on too few stacks to be told apart (± 50 % or more)"),
            "{text}"
        );
        let mut surer = profile;
        surer.sites[0].error = 0.4;
        assert!(!groups(&surer, Grouping::Pool).contains("too few stacks"));
    }

    /// Of a frequent class one object of 65,536 is followed: a pool of which none was may have made as many.
    #[test]
    fn a_pool_may_have_made_what_no_sample_of_a_frequent_class_met() {
        const ONE_IN: u64 = 1 << 16;
        let site = |class: &str, pool: &str, allocated| SiteProfile {
            class: class.into(),
            stack: vec![Frame { class: "a.B".into(), ..Frame::default() }, Frame::of_thread(pool)].into(),
            allocated,
            ..SiteProfile::default()
        };
        let class =
            |name: &str, allocated| ClassProfile { name: name.into(), allocated, ..ClassProfile::default() };
        let (rare, frequent) = (Tally::of(10, 40), Tally::of(40 * ONE_IN, 24));
        let mut share = Share::default();
        (0..40).for_each(|_| share.record(ONE_IN, Some(ONE_IN)));
        let mut profile = Profile {
            classes: vec![class("a.Rare", rare), class("java.lang.String", frequent)],
            sites: vec![site("a.Rare", "quiet", rare), site("java.lang.String", "busy", frequent)],
            ..Profile::default()
        };
        (profile.run.stacks, profile.run.tracking) = (true, Tracking::Balanced);
        profile.shares.insert("java.lang.String".into(), share);
        let unseen = (ONE_IN * 24) as f64;
        let error = group_errors(&profile, Grouping::Pool)["quiet"];
        assert!((0.99 * unseen..2.0 * unseen).contains(&error), "{error} of {unseen}");
    }

    #[test]
    fn without_names_it_says_how_to_record_them() {
        for (grouping, option) in [(Grouping::Pool, "--threads"), (Grouping::Loader, "--loaders")] {
            assert!(groups(&Profile::default(), grouping).contains(option));
        }
    }
}
