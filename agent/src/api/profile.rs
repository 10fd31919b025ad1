//! The profile so far, as `io.mayfly.Profile` and `io.mayfly.Totals` take it: lines of fields between tabs, or a few numbers.
//!
//! What a field is, the Java side says too (`Profile.java`): both have the same order. An empty field is not known.

use std::fmt::Display;

use mayfly_jvmti::Jni;
use mayfly_profile::{Ages, ClassProfile, EngineKind, Lifetimes, Profile, Tally, Tracking};

use crate::steering::{self, Profiler};

/// Number of bytes that the JVM does not count.
const UNKNOWN: i64 = -1;

/// Lines for the run, for all classes together and for each; `None` before profiling began and once it ended. `collect`: what
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
    let mut text = line(&run(profile), "");
    text += &line(&row("all", &together(profile), took_bytes(profile)), "");
    for class in &profile.classes {
        text += &line(&row("class", class, profile.allocated_bytes(class)), &class.name);
    }
    text
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

fn took_bytes(profile: &Profile) -> u64 {
    profile.classes.iter().map(|class| profile.allocated_bytes(class)).sum()
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

fn row(kind: &str, class: &ClassProfile, took_bytes: u64) -> Vec<String> {
    let known = class.lifetimes.as_ref();
    let dead = class.live.map(|_| class.dead());
    let mut fields = vec![
        kind.to_owned(),
        class.allocated.objects.to_string(),
        class.allocated.bytes.to_string(),
        took_bytes.to_string(),
    ];
    for tally in [class.live, dead] {
        fields.extend([field(tally.map(|tally| tally.objects)), field(tally.map(|tally| tally.bytes))]);
    }
    fields.push(field(known.and_then(Lifetimes::died_before_first_gc_share)));
    for q in [0.5, 0.99] {
        fields.extend(quantiles(known, q).map(field));
    }
    fields.extend(
        known.map_or([None; 3], |known| [&known.ms, &known.gcs, &known.bytes].map(oldest)).map(field),
    );
    fields
}

/// The age that a share of the objects does not pass: in milliseconds, collections survived, bytes allocated meanwhile.
fn quantiles(known: Option<&Lifetimes>, q: f64) -> [Option<f64>; 3] {
    let Some(known) = known else { return [None; 3] };
    let time = known.in_time().map(|time| time.quantile(q));
    let bytes = known.in_bytes().map(|bytes| bytes.quantile(q));
    [time, known.gcs_survived(q), bytes].map(|quantile| quantile.and_then(|quantile| quantile.point))
}

/// The greatest age at which one was seen alive; `None` if none was counted.
fn oldest(ages: &Ages) -> Option<u64> {
    let dead = ages.deaths().map(|(after, _, _)| after);
    dead.chain(ages.living().map(|(age, _)| age)).max()
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

    #[test]
    fn every_line_has_its_fields_whatever_a_name_holds() {
        let text = text(&profile());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        let (run, all) = (&lines[0], &lines[1]);
        assert_eq!(run[..], ["run", "0", "0", "0", "128", "", "0", "1", "1", ""]);
        assert_eq!(all[..9], ["all", "8", "128", "128", "2", "32", "6", "96", "1"]);
        assert_eq!(lines.iter().skip(1).map(Vec::len).collect::<Vec<_>>(), [19, 19, 19]);
        assert_eq!(lines[3][18], "a C D");
    }

    #[test]
    fn the_oldest_is_the_one_seen_alive_last() {
        let text = text(&profile());
        let row: Vec<&str> = text.lines().nth(2).expect("a class").split('\t').collect();
        let oldest: u64 = row[15].parse().expect("milliseconds");
        assert!((38..=40).contains(&oldest), "{oldest}");
        assert_eq!(row[16..18], ["", ""], "on the other clocks nothing was noted");
    }

    #[test]
    fn without_lifetimes_the_living_are_not_known() {
        let mut profile = profile();
        profile.run.lifetimes = false;
        for class in &mut profile.classes {
            (class.live, class.lifetimes) = (None, None);
        }
        let text = text(&profile);
        for row in text.lines().skip(1) {
            let fields: Vec<&str> = row.split('\t').collect();
            assert!(fields[4..18].iter().all(|field| field.is_empty()), "{row}");
        }
    }
}
