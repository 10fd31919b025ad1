//! Metrics in OpenMetrics 1.0, as Prometheus and its relatives read them: as of the end of the profile, a sample per class.

use std::fmt::Write as _;
use std::io::{self, Write};

use mayfly_profile::{Collection, GcKind, MEASURES, Measure, Profile, Unit};

use crate::choice::Choice;

pub(crate) fn write(profile: &Profile, _choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Text::of(profile);
    text.run(profile);
    for measure in MEASURES.iter().filter(|measure| measure.is_known(profile)) {
        text.measure(measure, profile);
    }
    text.pauses(&profile.collections);
    text.lines.push_str("# EOF\n");
    out.write_all(text.lines.as_bytes())
}

/// Lines so far, and the moment of all samples.
struct Text {
    lines: String,
    seconds: f64,
}

impl Text {
    fn of(profile: &Profile) -> Self {
        let ms = profile.run.started_unix_ms.saturating_add(profile.duration_ms);
        Self { lines: String::new(), seconds: ms as f64 / 1_000.0 }
    }

    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        let _ = writeln!(self.lines, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.lines, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.lines, "# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, kind: &str, labels: &[(&str, &str)], value: f64) {
        let suffix = if kind == "counter" { "_total" } else { "" };
        let labels: Vec<_> =
            labels.iter().map(|(key, value)| format!("{key}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.lines, "{name}{suffix}{labels} {value} {:.3}", self.seconds);
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
    use super::*;

    #[test]
    fn labels_end_where_they_should() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
