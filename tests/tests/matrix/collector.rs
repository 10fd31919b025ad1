//! The collectors, and whether a JVM offers one: its own word decides, not its version.

use std::fmt;
use std::process::Command;

use mayfly_tests::{Jvm, by_turns};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Collector {
    Serial,
    Parallel,
    G1,
    /// With one generation.
    Z,
    GenerationalZ,
    Shenandoah,
    GenerationalShenandoah,
}

/// Some collectors were experimental in some releases.
const UNLOCK: &str = "-XX:+UnlockExperimentalVMOptions";

impl Collector {
    pub(crate) const ALL: [Self; 7] = [
        Self::Serial,
        Self::Parallel,
        Self::G1,
        Self::Z,
        Self::GenerationalZ,
        Self::Shenandoah,
        Self::GenerationalShenandoah,
    ];

    /// As `jvm.gc` of a JSON report names it.
    pub(crate) fn reported_as(self) -> &'static str {
        match self {
            Self::Serial => "Serial",
            Self::Parallel => "Parallel",
            Self::G1 => "G1",
            Self::Z => "ZGC",
            Self::GenerationalZ => "ZGC (generational)",
            Self::Shenandoah => "Shenandoah",
            Self::GenerationalShenandoah => "Shenandoah (generational)",
        }
    }

    /// The flag that chooses it, and the one that chooses its mode, where it has modes.
    fn flags(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Serial => ("-XX:+UseSerialGC", None),
            Self::Parallel => ("-XX:+UseParallelGC", None),
            Self::G1 => ("-XX:+UseG1GC", None),
            Self::Z => ("-XX:+UseZGC", Some("-XX:-ZGenerational")),
            Self::GenerationalZ => ("-XX:+UseZGC", Some("-XX:+ZGenerational")),
            Self::Shenandoah => ("-XX:+UseShenandoahGC", Some("-XX:ShenandoahGCMode=satb")),
            Self::GenerationalShenandoah => {
                ("-XX:+UseShenandoahGC", Some("-XX:ShenandoahGCMode=generational"))
            }
        }
    }

    /// Whether the collector that wrote this log has the generations that this one has.
    fn wrote(self, log: &str) -> bool {
        match self {
            Self::Z => !log.contains("Old Generation"),
            Self::GenerationalZ => log.contains("Old Generation"),
            Self::Shenandoah => !log.contains("Mode: Generational"),
            Self::GenerationalShenandoah => log.contains("Mode: Generational"),
            Self::Serial | Self::Parallel | Self::G1 => true,
        }
    }

    /// Asks the JVM for the arguments: first for the mode, then, as not every release has a flag for it, without.
    ///
    /// # Errors
    /// What the JVM said, if it does not have it.
    fn offered_by(self, jvm: &Jvm) -> Result<Vec<String>, String> {
        let (flag, mode) = self.flags();
        let mut refusal = None;
        for flags in [[Some(flag), mode], [Some(flag), None]] {
            let args: Vec<_> = [UNLOCK].into_iter().chain(flags.into_iter().flatten()).collect();
            match log(jvm, &args) {
                Ok(log) if self.wrote(&log) => return Ok(args.into_iter().map(str::to_owned).collect()),
                Ok(_) => refusal = refusal.or(Some("it is there with other generations only".to_owned())),
                Err(why) => refusal = refusal.or(Some(why)),
            }
        }
        Err(refusal.unwrap_or_default())
    }
}

/// A JVM, a collector, and the arguments that choose it there, or why it is not run.
pub(crate) type Cell = (&'static Jvm, Collector, Result<Vec<String>, String>);

/// Every JVM with every collector, or every collector on one JVM, by turns.
pub(crate) fn cells() -> Vec<Cell> {
    let mut cells = by_turns(&Collector::ALL, |jvm, collector| collector.offered_by(jvm));
    cells.sort_by_key(|(jvm, collector, _)| (jvm.feature, *collector));
    cells
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Serial => "Serial",
            Self::Parallel => "Parallel",
            Self::G1 => "G1",
            Self::Z => "ZGC",
            Self::GenerationalZ => "ZGC gen.",
            Self::Shenandoah => "Shenandoah",
            Self::GenerationalShenandoah => "Shen. gen.",
        })
    }
}

/// What a JVM's collector logs at its start.
///
/// # Errors
/// Why the JVM does not start with these arguments.
fn log(jvm: &Jvm, args: &[&str]) -> Result<String, String> {
    let output = Command::new(jvm.java())
        .args(args)
        .args(["-Xlog:gc+init", "-version"])
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(said) } else { Err(reason(&said)) }
}

fn reason(said: &str) -> String {
    let line = said.lines().find(|line| !line.starts_with("Error occurred") && !line.starts_with('['));
    line.unwrap_or("it does not start").to_owned()
}
