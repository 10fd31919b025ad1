//! Who allocates by pool of threads, where stacks name it.
//!
//! Not here: the sums (`mayfly-profile`).

use std::collections::HashMap;

use mayfly_profile::{Profile, SiteProfile, ThreadProfile, Value, Variances};

use crate::measured::number;
use crate::table::right_aligned;
use crate::units;
use crate::ways::about;

/// What no stack names.
const UNKNOWN: &str = "(not known: no stack was taken)";

/// The table as text, all pools; without names of threads the reason.
pub fn threads(profile: &Profile) -> String {
    let rows = profile.threads();
    if rows.is_empty() {
        return "What each thread allocates is not known: stacks do not name threads. Record with mayfly run --threads, or the agent's \
                option #threads.\n"
            .to_owned();
    }
    format!("By pool of threads:\n{}", table(profile, &rows, "  "))
}

/// Standard errors of what pools allocated, in bytes, by name; 0 where all stacks were taken. An allocating line is counted exactly, its
/// division among pools is not, even if only one was seen.
pub fn thread_errors(profile: &Profile) -> HashMap<&str, f64> {
    let variances = Variances::of(profile);
    let mut pools: HashMap<&str, Vec<&SiteProfile>> = HashMap::new();
    for site in &profile.sites {
        if let Some(pool) = site.stack.thread() {
            pools.entry(pool).or_default().push(site);
        }
    }
    let error = |sites: Vec<&SiteProfile>| {
        let alone = sites.iter().map(|site| (site.error * site.allocated.bytes as f64).powi(2)).sum::<f64>();
        let seen = variances.of_sites(sites.iter().copied()).unwrap_or(0.0).max(alone);
        (seen + variances.unseen_at(&sites)).sqrt()
    };
    pools.into_iter().map(|(pool, sites)| (pool, error(sites))).collect()
}

/// The rows, with what is known of them.
fn table(profile: &Profile, rows: &[ThreadProfile], indent: &str) -> String {
    let about = about(profile);
    let all = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.allocated_bytes()));
    // The first column is what is left of these two.
    let is_shown = |value: Value| !matches!(value, Value::Bytes | Value::OptimisedAway);
    let measures: Vec<_> = profile.thread_measures().filter(|&(_, value)| is_shown(value)).collect();
    let names = measures.iter().map(|(measure, _)| measure.short.to_owned());
    let errors = thread_errors(profile);
    let heading = ["allocated", "±", "share"].map(str::to_owned).into_iter().chain(names);
    let mut lines = vec![heading.chain(["sites", "pool"].map(str::to_owned)).collect::<Vec<_>>()];
    for row in rows {
        let size = format!("{about}{}", units::bytes(row.allocated_bytes()));
        let error = row.pool.as_deref().and_then(|pool| errors.get(pool)).copied();
        let error = error.map_or_else(String::new, |error| relative(error, row.allocated_bytes()));
        let share = format!("{} %", units::percent(row.allocated_bytes(), all));
        let numbers = measures.iter().map(|&(measure, value)| {
            let of = number(measure.unit, row.amounts.of(value) as f64);
            format!("{about}{of}")
        });
        let name = row.pool.as_deref().unwrap_or(UNKNOWN).to_owned();
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
        let text = threads(&Profile { classes, sites, ..Profile::default() });
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
        assert_eq!(thread_errors(&profile), [("main", 500.0)].into());
        assert!(threads(&profile).contains("~1000 B  50 %  100 %"), "{}", threads(&profile));
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
        let error = thread_errors(&profile)["quiet"];
        assert!((0.99 * unseen..2.0 * unseen).contains(&error), "{error} of {unseen}");
    }

    #[test]
    fn without_names_of_threads_it_says_how_to_record_them() {
        assert!(threads(&Profile::default()).contains("--threads"));
    }
}
