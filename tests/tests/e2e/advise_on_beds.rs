//! `mayfly advise` on real programs: what it predicts beside what the JVM's own log then says, with the settings there are and with
//! others. Where the two agree of the present settings, they have to of the others; where they are far apart, no flag may be suggested.
//! Run by hand, as the scripts of these programs are no part of a clone.
//!
//! Not here: a program with lives of a known law (`advise`).

use std::path::{Path, PathBuf};

use mayfly_tests::{Beds, Workspace, artifacts, mayfly};
use serde_json::Value;

const BEDS: [&str; 6] = ["vnu", "clojure", "h2", "javac-bc", "jruby-rdoc", "spark-sql"];
const COLLECTORS: [&str; 2] = ["Serial", "G1"];
/// The present young generation, and the most there is room for, in MiB.
const NOW: u64 = 32;
const ROOM: u64 = 256;
/// Tried where nothing is suggested.
const OTHER: u64 = 128;
/// As far as a prediction of the present settings may be off, that of others may be by twice as much.
const SELF_CHECK: f64 = 0.10;
const OTHERS: f64 = 0.20;
/// Beyond this nothing is suggested.
const REFUSED: f64 = 0.30;

/// A program under a collector.
struct Tried<'a> {
    beds: &'a Beds,
    bed: &'a str,
    collector: &'a str,
    recording: PathBuf,
}

impl Tried<'_> {
    fn heap(&self, young: u64) -> String {
        // Neither the old generation nor Metaspace fills, so that no collection of all comes in between.
        format!("-XX:+Use{}GC -Xms2g -Xmx2g -XX:MetaspaceSize=512m -Xmn{young}m", self.collector)
    }

    /// Every object followed, and the whole heap looked at once per young generation.
    fn record(&self) {
        let file = self.recording.display();
        let options = format!("#trackcollections#memlimit-2g#gc-every-{NOW}m#live-0#recording-{file}");
        self.beds.run(self.bed, &self.heap(NOW), &artifacts().agent_flag(&options));
    }

    /// What is told beside the log of a run without the agent that has a young generation of `young` MiB.
    fn told(&self, young: u64, folder: &Path) -> Value {
        let log = folder.join(format!("{young}.log"));
        self.beds.run(
            self.bed,
            &self.heap(young),
            &format!("-Xlog:gc*,gc+plab=debug:file={}", log.display()),
        );
        let (young, room) = (format!("{young}m"), format!("{ROOM}m"));
        let [log, recording] = [&log, &self.recording].map(|path| path.display().to_string());
        let words = ["advise", "--json", "--young", &young, "--room", &room, "--gc-log", &log, &recording];
        serde_json::from_str(&mayfly(words).ok().stdout).expect("JSON")
    }

    /// A row of a table; how far the prediction is off, as a share of what was promoted.
    fn row(&self, young: &str, predicted: &Value, told: &Value) -> f64 {
        let number = |value: &Value| value.as_f64().expect("a number");
        let check = &told["self_check"];
        let (predicted, promoted) = (number(predicted), number(&check["promoted_bytes"]));
        let off = predicted / promoted - 1.0;
        println!(
            "| {}, {} | {young} | {:.1} | {:.1} | {:+.0} % | {} of {:.0} | {} |",
            self.bed,
            self.collector,
            predicted / 1e6,
            promoted / 1e6,
            off * 100.0,
            check["young_collections"],
            number(&told["young"]["now"]["collections"]),
            check["full_collections"],
        );
        off
    }
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just advice-on-beds"]
fn predictions_of_real_programs_hold_where_the_self_check_does() {
    let Some(beds) = Beds::found("advice on real programs") else { return };
    println!(
        "| program | -Xmn | predicted MB | promoted MB | off | young collections, of predicted | full |"
    );
    let mut far = Vec::new();
    for bed in Beds::chosen(&BEDS) {
        for collector in COLLECTORS {
            let folder = Workspace::new();
            let tried = Tried { beds: &beds, bed, collector, recording: folder.file("run.mayfly") };
            tried.record();
            let now = tried.told(NOW, folder.path());
            let checked = tried.row(&format!("{NOW}m, now"), &now["self_check"]["predicted_bytes"], &now);
            let name = format!("{bed}, {collector}");
            if checked.abs() > REFUSED && !now["flags"].is_null() {
                far.push(format!("{name}: {} in spite of {checked:+.2}", now["flags"]));
            }
            let others = now["young"]["others"].as_array().expect("a list");
            let other = others.iter().find(|other| other["young_bytes"] == OTHER << 20);
            let suggested = Some(&now["young"]["suggested"]).filter(|suggested| !suggested.is_null());
            let other = suggested.or(other).expect("there is room for it");
            let young = other["young_bytes"].as_u64().expect("bytes") >> 20;
            let then = tried.told(young, folder.path());
            let off = tried.row(&format!("{young}m"), &other["promoted_bytes"], &then);
            if checked.abs() <= SELF_CHECK && off.abs() > OTHERS {
                far.push(format!("{name}: {checked:+.2} now, {off:+.2} at {young}m"));
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}
