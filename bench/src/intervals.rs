//! `intervals`: small programs that know what they make, each run with many seeds in each way of sampling: how often does what is
//! reported, give or take two of its standard errors, hold the truth? And how often does `mayfly diff` find a difference between
//! two runs of one seed?

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use clap::Args;
use serde_json::Value;

use crate::jdk::Jdk;
use crate::leak_ways::find_mayfly;
use crate::table;

/// The programs of `bench/java/Truth.java`.
const PROGRAMS: [&str; 10] = [
    "one-class",
    "mixed-sizes",
    "brief-threads",
    "many-sites",
    "rare-classes",
    "large-arrays",
    "kept",
    "phases",
    "threads-at-once",
    "skewed-sizes",
];

/// Standard errors on each side.
const WIDTH: f64 = 2.0;

/// Options of `intervals`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// JVMs by their JAVA_HOME, one after the other [default: $JAVA_HOME, else java on the PATH]
    #[arg(long = "jvm", value_name = "HOME")]
    jvms: Vec<PathBuf>,
    /// Programs [default: all ten]
    #[arg(long, value_delimiter = ',')]
    names: Vec<String>,
    /// Seeds; each is run twice in each way
    #[arg(long, default_value_t = 50)]
    seeds: u32,
    /// How `mayfly run` is told to sample, as its options
    #[arg(long, value_delimiter = ',', default_values_t = ["".to_owned(), "--sampled".to_owned(), "--every-object".to_owned()])]
    ways: Vec<String>,
    /// The command under test [default: mayfly beside this program]
    #[arg(long, value_name = "FILE")]
    mayfly: Option<PathBuf>,
}

/// Intervals, and those that hold the truth.
#[derive(Clone, Copy, Default)]
struct Held {
    all: u32,
    held: u32,
    /// Rows of which there is no figure at all.
    absent: u32,
}

impl Held {
    fn note(&mut self, held: Option<bool>) {
        match held {
            Some(held) => {
                self.all += 1;
                self.held += u32::from(held);
            }
            None => self.absent += 1,
        }
    }

    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.held += other.held;
        self.absent += other.absent;
    }

    fn text(self) -> String {
        if self.all == 0 {
            return "-".into();
        }
        let percent = 100.0 * f64::from(self.held) / f64::from(self.all);
        let absent = if self.absent > 0 { format!(", {} absent", self.absent) } else { String::new() };
        format!("{percent:.0} % of {}{absent}", self.all)
    }
}

/// What came out of the runs of one program in one way.
#[derive(Clone, Copy, Default)]
struct Outcome {
    classes: Held,
    sites: Held,
    /// What is live, of classes and of methods.
    live: Held,
    /// Rows of `diff` that it leaves alone.
    same: Held,
    failed: u32,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.classes.add(other.classes);
        self.sites.add(other.sites);
        self.live.add(other.live);
        self.same.add(other.same);
        self.failed += other.failed;
    }
}

/// Bytes by class and method.
type Made = BTreeMap<(String, String), f64>;

/// What a program said of itself.
#[derive(Default)]
struct Truth {
    made: Made,
    live: Made,
}

/// Runs all, and prints the tables. `false` if a run had no answer.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let folder = tempfile::Builder::new().prefix("mayfly-bench-").tempdir()?;
    let mayfly = find_mayfly(arguments.mayfly.as_deref())?;
    let jvms = if arguments.jvms.is_empty() { vec![None] } else { arguments.jvms.iter().map(Some).collect() };
    let mut answered = true;
    for jvm in jvms {
        let jdk = Jdk::find(jvm.map(PathBuf::as_path))?;
        if !folder.path().join("Truth.class").exists() {
            jdk.compile("Truth.java", folder.path())?;
        }
        let bench = Bench { mayfly: &mayfly, jdk: &jdk, folder: folder.path() };
        println!("{}", table::provenance("Intervals that hold the truth", &jdk));
        answered &= print_table(arguments, &bench);
    }
    Ok(answered)
}

fn print_table(arguments: &Arguments, bench: &Bench<'_>) -> bool {
    let chosen = |name: &&&str| arguments.names.is_empty() || arguments.names.iter().any(|it| it == **name);
    let mut failed = 0;
    for way in &arguments.ways {
        let mut sum = Outcome::default();
        let mut rows = Vec::new();
        for program in PROGRAMS.iter().filter(chosen) {
            let outcome = bench.all_seeds(program, way, arguments.seeds);
            rows.push(row(program, outcome));
            sum.add(outcome);
        }
        rows.push(row("all", sum));
        failed += sum.failed;
        println!("`mayfly run{}{way}`:\n", if way.is_empty() { "" } else { " " });
        println!(
            "{}",
            table::markdown(
                &["program", "classes", "methods", "live", "rows of `diff` called the same"],
                &rows
            )
        );
    }
    if failed > 0 {
        println!("{failed} runs had no answer.");
    }
    failed == 0
}

fn row(name: &str, outcome: Outcome) -> Vec<String> {
    vec![
        name.to_owned(),
        outcome.classes.text(),
        outcome.sites.text(),
        outcome.live.text(),
        outcome.same.text(),
    ]
}

struct Bench<'a> {
    mayfly: &'a Path,
    jdk: &'a Jdk,
    folder: &'a Path,
}

impl Bench<'_> {
    fn all_seeds(&self, program: &str, way: &str, seeds: u32) -> Outcome {
        let (next, sum) = (Mutex::new(0..seeds), Mutex::new(Outcome::default()));
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(seed) = { next.lock().expect("no panic holds it").next() } {
                        let one = self.seed(program, way, seed);
                        let mut sum = sum.lock().expect("no panic holds it");
                        match one {
                            Ok(one) => sum.add(one),
                            Err(error) => {
                                eprintln!("{program}, {way}, seed {seed}: {error}");
                                sum.failed += 1;
                            }
                        }
                    }
                });
            }
        });
        sum.into_inner().expect("no panic holds it")
    }

    /// Two runs of one seed.
    fn seed(&self, program: &str, way: &str, seed: u32) -> Result<Outcome, Box<dyn Error>> {
        let mut outcome = Outcome::default();
        let name = |run: u32| self.folder.join(format!("{program}-{seed}-{run}.mayfly"));
        for run in 0..2 {
            let made = self.record(program, way, seed, &name(run))?;
            let report = self.json(&["report", "--json"], &[&name(run)])?;
            compare(&made, &report, &mut outcome);
        }
        // Without an answer: it may refuse to compare runs of which it knows too little.
        let difference = self.json(&["diff", "--json"], &[&name(0), &name(1)]).unwrap_or_default();
        for finding in difference["findings"].as_array().into_iter().flatten() {
            let row = finding["class"].as_str().or(finding["place"].as_str()).unwrap_or_default();
            if row.contains("Truth") && finding["measure"] == "allocated_bytes" {
                outcome.same.note(Some(finding["verdict"] != "differs" && finding["verdict"] != "changed"));
            }
        }
        (0..2).try_for_each(|run| std::fs::remove_file(name(run)))?;
        Ok(outcome)
    }

    fn record(&self, program: &str, way: &str, seed: u32, to: &Path) -> Result<Truth, Box<dyn Error>> {
        let mut command = Command::new(self.mayfly);
        command.arg("run").args(way.split_whitespace()).arg("-o").arg(to).arg("--").arg(self.jdk.java());
        command.args(["-Xmx128m", "-cp"]).arg(self.folder).args(["Truth", program, &seed.to_string()]);
        let output = command.output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let mut truth = Truth::default();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            if let [what @ ("TRUTH" | "LIVE"), class, method, bytes] = words[..] {
                let of = if what == "LIVE" { &mut truth.live } else { &mut truth.made };
                of.insert((class.to_owned(), format!("Truth.{method}")), bytes.parse()?);
            }
        }
        Ok(truth)
    }

    fn json(&self, question: &[&str], files: &[&Path]) -> Result<Value, Box<dyn Error>> {
        let output = Command::new(self.mayfly).args(question).args(files).output()?;
        serde_json::from_slice(&output.stdout)
            .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

/// Holds what is reported against what was made.
fn compare(truth: &Truth, report: &Value, outcome: &mut Outcome) {
    let Truth { made, live } = truth;
    let mut by_class: BTreeMap<&str, f64> = BTreeMap::new();
    for ((class, _), bytes) in made {
        *by_class.entry(class).or_default() += bytes;
    }
    // Arrays of these are made by the JDK, too.
    for (class, truth) in by_class.into_iter().filter(|(class, _)| class.starts_with("Truth")) {
        outcome.classes.note(class_figure(report, class).map(|figure| holds(figure, truth)));
    }
    for ((class, method), &truth) in made {
        outcome.sites.note(site_figure(report, class, method, made_of).map(|figure| holds(figure, truth)));
    }
    for ((class, method), &truth) in live {
        let row = report["classes"].as_array().into_iter().flatten().find(|row| row["name"] == **class);
        outcome.live.note(row.and_then(live_of).map(|figure| holds(figure, truth)));
        outcome.live.note(site_figure(report, class, method, live_of).map(|figure| holds(figure, truth)));
    }
}

/// Whether a figure, with its standard error, holds the truth; of exact ones to the byte.
fn holds((bytes, error): (f64, f64), truth: f64) -> bool {
    (bytes - truth).abs() <= WIDTH * error + 0.5
}

fn class_figure(report: &Value, class: &str) -> Option<(f64, f64)> {
    let row = report["classes"].as_array()?.iter().find(|row| row["name"] == class)?;
    let bytes = row["allocated"]["bytes"].as_f64()?;
    let error = match row["allocated"]["estimated"].as_bool()? {
        true => row["jvm_allocated"]["error_bytes"].as_f64()?,
        false => 0.0,
    };
    Some((bytes, error))
}

/// What a site made, with its standard error.
fn made_of(row: &Value) -> Option<(f64, f64)> {
    let bytes = row["allocated"]["bytes"].as_f64()?;
    Some((bytes, row["error"].as_f64()? * bytes))
}

/// What is live of a class or a site, with its standard error.
fn live_of(row: &Value) -> Option<(f64, f64)> {
    Some((row["live"]["bytes"].as_f64()?, row["live"]["error_bytes"].as_f64()?))
}

/// All stacks of a class whose first own frame is that method; their errors are taken to be independent.
fn site_figure(
    report: &Value,
    class: &str,
    method: &str,
    figure: fn(&Value) -> Option<(f64, f64)>,
) -> Option<(f64, f64)> {
    let is_it = |row: &&Value| {
        let own = row["stack"].as_array().into_iter().flatten().filter_map(Value::as_str);
        row["class"] == class
            && own
                .clone()
                .find(|frame| frame.starts_with("Truth."))
                .is_some_and(|frame| frame.strip_prefix(method).is_some_and(|rest| rest.starts_with('(')))
    };
    let rows = report["sites"].as_array()?.iter().filter(is_it);
    let figures = rows.filter_map(figure);
    let sum = figures.fold((0.0, 0.0), |(bytes, square): (f64, f64), (more, error)| {
        (bytes + more, square + error * error)
    });
    (sum.0 > 0.0).then_some((sum.0, sum.1.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_figure_is_held_against_what_was_made() {
        let site = |class: &str, method: &str, bytes: u64, error: f64| {
            json!({"class": class, "stack": [format!("java.X.y(X.java:1)"), format!("Truth.{method}(Truth.java:7)")],
                "allocated": {"bytes": bytes}, "error": error})
        };
        let report = json!({
            "classes": [{"name": "Truth$Point", "allocated": {"bytes": 90, "estimated": true}, "jvm_allocated": {"error_bytes": 4}}],
            "sites": [site("Truth$Point", "first", 40, 0.1), site("Truth$Point", "first", 10, 0.3), site("Truth$Point", "firstOther", 9, 0.0)],
        });
        assert_eq!(class_figure(&report, "Truth$Point"), Some((90.0, 4.0)));
        assert_eq!(site_figure(&report, "Truth$Point", "Truth.first", made_of), Some((50.0, 5.0)));
        let mut outcome = Outcome::default();
        let made = |first: f64, second: f64| {
            let key = |method: &str| ("Truth$Point".to_owned(), format!("Truth.{method}"));
            Truth { made: Made::from([(key("first"), first), (key("second"), second)]), ..Truth::default() }
        };
        compare(&made(60.0, 38.0), &report, &mut outcome);
        compare(&made(61.0, 38.0), &report, &mut outcome);
        let held = |held: Held| (held.held, held.all, held.absent);
        assert_eq!((held(outcome.classes), held(outcome.sites)), ((1, 2, 0), (1, 2, 2)));
    }
}
