//! Metrics in OpenMetrics 1.0, as Prometheus and its relatives read them: as of the end of the profile, a sample per class. And in the older
//! text format, as the textfile collector of node_exporter takes them: without times, and with labels that tell JVMs apart.

use std::fmt::Write as _;
use std::io::{self, Write};

use mayfly_profile::{Collection, GcKind, MEASURES, Measure, Profile, Unit};

use crate::choice::Choice;

pub(crate) fn write(profile: &Profile, _choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Text::of(profile, Dialect::OpenMetrics);
    text.all(profile);
    text.lines.push_str("# EOF\n");
    out.write_all(text.lines.as_bytes())
}

/// The same in Prometheus's text format 0.0.4.
pub(crate) fn textfile(profile: &Profile) -> String {
    let mut text = Text::of(profile, Dialect::Textfile);
    text.all(profile);
    text.lines
}

/// How the same numbers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    OpenMetrics,
    /// Refuses times, and types that it does not know.
    Textfile,
}

/// Lines so far, and the moment of all samples.
struct Text {
    lines: String,
    seconds: f64,
    dialect: Dialect,
    /// Behind the labels of each sample.
    labels: Vec<(&'static str, String)>,
}

impl Text {
    fn of(profile: &Profile, dialect: Dialect) -> Self {
        let ms = profile.run.started_unix_ms.saturating_add(profile.duration_ms);
        let mut all = profile.all_labels();
        let named = ["application", "pid"].into_iter().filter_map(|name| Some((name, all.remove(name)?)));
        let labels = if dialect == Dialect::Textfile { named.collect() } else { Vec::new() };
        Self { lines: String::new(), seconds: ms as f64 / 1_000.0, dialect, labels }
    }

    fn all(&mut self, profile: &Profile) {
        self.run(profile);
        for measure in MEASURES.iter().filter(|measure| measure.is_known(profile)) {
            self.measure(measure, profile);
        }
        self.pauses(&profile.collections);
    }

    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        if self.dialect == Dialect::Textfile {
            let (name, kind) = match kind {
                "counter" => (format!("{name}_total"), kind),
                "info" => (format!("{name}_info"), "gauge"),
                kind => (name.to_owned(), kind),
            };
            let help = help.replace('\\', "\\\\");
            let _ = writeln!(self.lines, "# HELP {name} {help}\n# TYPE {name} {kind}");
            return;
        }
        let _ = writeln!(self.lines, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.lines, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.lines, "# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, kind: &str, labels: &[(&str, &str)], value: f64) {
        let suffix = if kind == "counter" { "_total" } else { "" };
        let of_all = self.labels.iter().map(|(key, value)| (*key, value.as_str()));
        // A label may be given once.
        let of_all = of_all.filter(|(key, _)| labels.iter().all(|(given, _)| given != key));
        let all = labels.iter().copied().chain(of_all);
        let labels: Vec<_> = all.map(|(key, value)| format!("{key}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let time = match self.dialect {
            Dialect::OpenMetrics => format!(" {:.3}", self.seconds),
            Dialect::Textfile => String::new(),
        };
        let _ = writeln!(self.lines, "{name}{suffix}{labels} {value}{time}");
    }

    /// A number of each class of which it is known.
    fn measure(&mut self, measure: &Measure, profile: &Profile) {
        let kind = if measure.grows { "counter" } else { "gauge" };
        let unit = match measure.unit {
            Unit::Bytes => "bytes",
            Unit::Seconds => "seconds",
            Unit::Objects | Unit::ByteSeconds | Unit::Collections | Unit::Share => "",
        };
        self.family(measure.metric, kind, unit, &sentence(measure.meaning));
        for class in &profile.classes {
            if let Some(number) = measure.number(profile, class) {
                let number = if measure.adds_up { number.round() } else { number };
                self.sample(measure.metric, kind, &[("class", &class.name)], number);
            }
        }
    }

    fn run(&mut self, profile: &Profile) {
        let run = &profile.run;
        self.family("mayfly_run", "info", "", "The program that was profiled.");
        let pid = run.jvm.pid.to_string();
        let facts = [
            ("command", run.jvm.command.as_str()),
            ("engine", run.engine.name()),
            ("gc", run.jvm.gc.name()),
            ("jvm", &run.jvm.version),
            ("pid", &pid),
        ];
        self.sample("mayfly_run_info", "info", &facts, 1.0);
        self.single(
            "mayfly_profiled_seconds",
            "gauge",
            "seconds",
            "Profiled time.",
            profile.duration_ms as f64 / 1_000.0,
        );
        let trust = &profile.trust;
        self.single(
            "mayfly_counted_bytes",
            "counter",
            "bytes",
            "Bytes counted, of all classes, whatever is shown.",
            trust.accounted_bytes as f64,
        );
        if let Some(bytes) = trust.jvm_allocated_bytes {
            let help = "Bytes that the JVM's own counters say were allocated.";
            self.single("mayfly_jvm_allocated_bytes", "counter", "bytes", help, bytes as f64);
        }
    }

    fn single(&mut self, name: &str, kind: &str, unit: &str, help: &str, value: f64) {
        self.family(name, kind, unit, help);
        self.sample(name, kind, &[], value);
    }

    fn pauses(&mut self, collections: &[Collection]) {
        if collections.is_empty() {
            return;
        }
        self.family(
            "mayfly_pause_seconds",
            "summary",
            "seconds",
            "Pauses of the collector, by what they did.",
        );
        for kind in GcKind::ALL {
            let of_kind = || collections.iter().filter(|gc| gc.kind == kind);
            let seconds = of_kind().map(|gc| gc.pause_us).sum::<u64>() as f64 / 1e6;
            let labels = [("kind", kind.name())];
            if of_kind().next().is_some() {
                self.sample("mayfly_pause_seconds_count", "summary", &labels, of_kind().count() as f64);
                self.sample("mayfly_pause_seconds_sum", "summary", &labels, seconds);
            }
        }
    }
}

/// With a capital, and a full stop.
fn sentence(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}.", first.to_uppercase())
}

/// As in a label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mayfly_profile::{ClassProfile, Tally};
    use serde_json::Value;

    use super::*;

    /// For Grafana.
    const DASHBOARD: &str = include_str!("../../../docs/grafana/mayfly.json");

    /// The names of metrics in a text.
    fn metrics(text: &str) -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        words.filter(|word| word.starts_with("mayfly_")).map(str::to_owned).collect()
    }

    #[test]
    fn each_query_of_the_dashboard_is_of_metrics_that_are_written() {
        let mut profile = Profile { collections: vec![Collection::default()], ..Profile::default() };
        profile.trust.jvm_allocated_bytes = Some(1);
        let text = textfile(&profile);
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        let mut written: BTreeSet<_> = samples.flat_map(metrics).collect();
        let of_class =
            MEASURES.iter().map(|of| format!("{}{}", of.metric, if of.grows { "_total" } else { "" }));
        written.extend(of_class);
        let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
        let panels = dashboard["panels"].as_array().expect("a list");
        for panel in panels {
            let query = panel["targets"][0]["expr"].as_str().expect("a query");
            let asked = metrics(query);
            assert!(!asked.is_empty() && asked.is_subset(&written), "{query}: {asked:?}");
            assert!(query.contains(r#"{application=~"$application",pid=~"$pid"}"#), "{query}");
        }
        assert!(metrics(&dashboard["templating"].to_string()).is_subset(&written), "{dashboard}");
        let places: BTreeSet<_> = panels.iter().map(|panel| panel["gridPos"].to_string()).collect();
        assert_eq!(places.len(), panels.len(), "none lies over another");
    }

    #[test]
    fn the_textfile_collector_gets_types_that_it_knows_and_no_times() {
        let mut profile = Profile { duration_ms: 7_000, ..Profile::default() };
        profile.run.jvm.pid = 4711;
        profile.run.jvm.command = "a.Main x".into();
        profile.classes.push(ClassProfile {
            name: "[B".into(),
            allocated: Tally::of(3, 16),
            ..ClassProfile::default()
        });
        let text = textfile(&profile);
        let of = "class=\"[B\",application=\"a.Main\",pid=\"4711\"";
        assert!(text.contains(&format!("\nmayfly_allocated_bytes_total{{{of}}} 48\n")), "{text}");
        assert!(text.contains("\n# TYPE mayfly_allocated_bytes_total counter\n"), "{text}");
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"), "{text}");
        let samples = || text.lines().filter(|line| !line.starts_with('#'));
        assert!(
            samples().all(|line| line.rsplit_once("} ").is_some_and(|(_, value)| !value.contains(' '))),
            "{text}"
        );
        let kinds: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
        assert!(kinds.iter().all(|(_, kind)| ["counter", "gauge", "summary"].contains(kind)), "{kinds:?}");
        let named = |line: &str| kinds.iter().any(|(name, _)| line.starts_with(&format!("{name}{{")));
        assert!(samples().all(named), "each sample has a type: {text}");
    }

    #[test]
    fn labels_end_where_they_should() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
