//! The profile so far, as `io.mayfly.Profile` and `io.mayfly.Totals` take it: lines of fields between tabs, or a few numbers.
//!
//! The fields of a row are the measures, under a line of their keys; those of the run the Java side knows by place (`Profile.java`).
//! An empty field is not known.

use std::fmt::Display;

use mayfly_jvmti::Jni;
use mayfly_profile::{ClassProfile, EngineKind, Lifetimes, MEASURES, Measure, Profile, Tally, Tracking};

use crate::steering::{self, Profiler};

/// Number of bytes that the JVM does not count.
const UNKNOWN: i64 = -1;

/// Lines for the run, for keys, for all classes together and for each; `None` before profiling began and once it ended. `collect`: what
/// can be collected is so first, and known to be dead.
pub(crate) fn profile(profiler: &Profiler, jni: Jni<'_>, collect: bool) -> Option<String> {
    if collect {
        steering::collect_now(profiler, jni);
    }
    steering::snapshot(profiler, jni).map(|profile| text(&profile))
}

/// Objects counted since the last reset; bytes counted, and bytes that the JVM says all threads allocated, since the agent
/// started; collections.
pub(crate) fn totals(profiler: &Profiler, jni: Jni<'_>) -> Option<[i64; 4]> {
    let profile = steering::snapshot(profiler, jni)?;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let objects = profile.classes.iter().map(|class| class.allocated.objects).sum();
    let Profile { trust, gcs, .. } = profile;
    let jvm = trust.jvm_allocated_bytes.map_or(UNKNOWN, whole);
    Some([whole(objects), whole(trust.accounted_bytes), jvm, i64::from(gcs)])
}

fn text(profile: &Profile) -> String {
    let all = together(profile);
    let mut text = line(&run(profile), "");
    text += &line(&keys(), "name");
    text += &line(&row("all", |measure| measure.of_all(profile, &all)), "");
    for class in &profile.classes {
        text += &line(&row("class", |measure| measure.number(profile, class)), &class.name);
    }
    text
}

/// What the fields of rows are.
fn keys() -> Vec<String> {
    let keys = MEASURES.iter().map(|measure| measure.key);
    std::iter::once("keys").chain(keys).map(str::to_owned).collect()
}

fn run(profile: &Profile) -> Vec<String> {
    let run = &profile.run;
    let estimated = run.engine == EngineKind::Sampled;
    let every =
        matches!(run.tracking, Tracking::EveryObject) && profile.trust.following.thinned_to_one_in <= 1;
    let flag = |is: bool| u8::from(is).to_string();
    vec![
        "run".into(),
        profile.duration_ms.to_string(),
        profile.gcs.to_string(),
        profile.resets.to_string(),
        profile.trust.accounted_bytes.to_string(),
        field(profile.trust.jvm_allocated_bytes),
        flag(estimated),
        flag(run.lifetimes),
        flag(every),
    ]
}

/// All classes as one.
fn together(profile: &Profile) -> ClassProfile {
    let mut all =
        ClassProfile { live: profile.run.lifetimes.then(Tally::default), ..ClassProfile::default() };
    let mut lifetimes = Lifetimes::default();
    for class in &profile.classes {
        all.allocated.add(class.allocated);
        if let (Some(sum), Some(live)) = (&mut all.live, class.live) {
            sum.add(live);
        }
        all.collected.extend(&class.collected);
        class.lifetimes.iter().for_each(|known| lifetimes.merge(known));
    }
    all.lifetimes = (!lifetimes.is_empty()).then_some(lifetimes);
    all
}

fn row(kind: &str, number: impl Fn(&Measure) -> Option<f64>) -> Vec<String> {
    let numbers = MEASURES.iter().map(|measure| field(number(measure)));
    std::iter::once(kind.to_owned()).chain(numbers).collect()
}

fn field(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// One row a line, whatever is in a name.
fn line(fields: &[String], name: &str) -> String {
    format!("{}\t{}\n", fields.join("\t"), name.replace(['\t', '\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mayfly_profile::Needs;

    use super::*;

    fn class(name: &str, objects: u64) -> ClassProfile {
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_deaths(10, 20, objects - 1);
        lifetimes.ms.record_living(40, 1);
        lifetimes.died_before_first_gc = objects - 1;
        ClassProfile {
            name: name.into(),
            allocated: Tally::of(objects, 16),
            live: Some(Tally::of(1, 16)),
            collected: vec![Tally::of(objects - 1, 16)],
            lifetimes: Some(lifetimes),
            byte_ages: None,
            between_samples: None,
            unjudged: Tally::default(),
        }
    }

    fn profile() -> Profile {
        let mut profile =
            Profile { classes: vec![class("a.B", 3), class("a\tC\nD", 5)], ..Profile::default() };
        profile.run.lifetimes = true;
        profile.run.tracking = Tracking::EveryObject;
        profile.trust.accounted_bytes = 128;
        profile
    }

    /// The numbers of a line of `text`, by key; what is not known has none.
    fn numbers(text: &str, line: usize) -> BTreeMap<&str, f64> {
        let fields = |line: usize| text.lines().nth(line).expect("a line").split('\t').collect::<Vec<_>>();
        let (keys, row) = (fields(1), fields(line));
        assert_eq!(keys.len(), row.len());
        let numbers = keys.into_iter().zip(row).skip(1);
        numbers.filter_map(|(key, field)| Some((key, field.parse().ok()?))).collect()
    }

    #[test]
    fn every_line_has_its_fields_whatever_a_name_holds() {
        let text = text(&profile());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(lines[0][..], ["run", "0", "0", "0", "128", "", "0", "1", "1", ""]);
        let all = numbers(&text, 2);
        let wanted = [
            ("objects", 8.0),
            ("bytes", 128.0),
            ("rank_bytes", 128.0),
            ("live_objects", 2.0),
            ("live_bytes", 32.0),
            ("dead_objects", 6.0),
            ("dead_bytes", 96.0),
            ("died_before_first_gc_share", 1.0),
        ];
        for (key, number) in wanted {
            assert_eq!(all.get(key), Some(&number), "{key}");
        }
        assert_eq!(lines[4].last(), Some(&"a C D"));
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn the_oldest_is_the_one_seen_alive_last() {
        let text = text(&profile());
        let row = numbers(&text, 3);
        assert!((0.038..=0.04).contains(&row["oldest_s"]), "{row:?}");
        assert_eq!(row.get("oldest_gcs"), None, "on the other clocks nothing was noted");
    }

    #[test]
    fn without_lifetimes_the_living_are_not_known() {
        let mut profile = profile();
        profile.run.lifetimes = false;
        for class in &mut profile.classes {
            (class.live, class.lifetimes) = (None, None);
        }
        let text = text(&profile);
        for line in 2..5 {
            let known = numbers(&text, line);
            for measure in MEASURES {
                assert_eq!(
                    known.contains_key(measure.key),
                    measure.needs == Needs::Counts,
                    "{}",
                    measure.key
                );
            }
        }
    }
}
