//! The JVMs that run here: which processes they are, and what they tell of themselves without being asked.
//!
//! Not here: asking the agent inside (`connect`).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use crate::session::folder::{Folder, read_at_most};
use crate::session::perf_data::{Heap, Metaspace, PerfData};
use crate::session::process::{Process, all_pids};
use crate::session::unreachable::Unreachable;

/// How names of the agent's library begin, copies for attaching included.
pub(crate) const AGENT_PREFIXES: [&str; 2] = ["libmayfly", ".libmayfly"];

/// Set by `java -jar mayfly.jar` (profiler-java/mayfly): its own process id.
const LAUNCHER: &str = "MAYFLY_LAUNCHER";

/// More than a JVM's counters or a JDK's `release` take.
const MOST_FILE_BYTES: u64 = 4 << 20;

/// A JVM, as it looks from outside.
#[derive(Clone, Debug)]
pub(crate) struct Jvm {
    /// The process.
    pub(crate) process: Process,
    /// How long it has run.
    pub(crate) uptime: Option<Duration>,
    /// `java.version`, e.g. `17.0.15`; `None` if it does not tell.
    pub(crate) java: Option<String>,
    /// Main class or jar, and arguments.
    pub(crate) command: String,
    /// Its heap at the end of the last collection; `None` if it does not tell.
    pub(crate) heap: Option<Heap>,
    /// What its classes take, if it tells.
    pub(crate) metaspace: Option<Metaspace>,
    /// The agent's library as it is mapped; `None` if it has none, or does not let us see.
    pub(crate) agent_library: Option<String>,
    /// What it has loaded can be seen.
    pub(crate) shows_libraries: bool,
}

impl Jvm {
    /// Main class, or name of the jar.
    pub(crate) fn main(&self) -> &str {
        main_of(&self.command)
    }

    /// Whether a user may call it so: by its main class with or without package, or its jar with or without folder.
    fn is_called(&self, name: &str) -> bool {
        let word = self.command.split(' ').next().unwrap_or_default();
        let class = word.rsplit('/').next().unwrap_or_default();
        let simple = class.rsplit('.').next().unwrap_or_default();
        name == word || name == class || (!class.ends_with(".jar") && name == simple)
    }
}

/// `a.B` of `a.B x y`, `app.jar` of `/opt/app.jar x`, `a.B` of `module/a.B`.
fn main_of(command: &str) -> &str {
    let word = command.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default()
}

/// All JVMs that we may look at, but the one that is only there to run this command.
pub(crate) fn all() -> Vec<Jvm> {
    let launcher = launcher();
    let others = all_pids().into_iter().filter(|&pid| Some(pid) != launcher);
    others.filter_map(|pid| look_at(pid).ok()).collect()
}

/// The JVM of `java -jar mayfly.jar`, if that is what has started this process; what this process starts inherits the variable.
fn launcher() -> Option<u32> {
    let named = std::env::var(LAUNCHER).ok()?.parse().ok()?;
    let parent = rustix::process::getppid()?.as_raw_nonzero().get();
    (u32::try_from(parent) == Ok(named)).then_some(named)
}

/// Whether a word names a jar, which may be there as a file, but is neither a recording nor a dump: the JVM that runs it is meant.
pub(crate) fn is_jar(word: &Path) -> bool {
    word.extension().is_some_and(|extension| extension == "jar")
}

/// The process id that a user means: a number, or what exactly one JVM runs.
///
/// # Errors
/// [`Unreachable::NoSuchJvm`], [`Unreachable::Ambiguous`].
pub(crate) fn pid_of(target: &str) -> Result<u32, Unreachable> {
    if target.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number too large for a process is none of them.
        return target.parse().map_err(|_| Unreachable::NoSuchJvm { name: target.to_owned() });
    }
    let called: Vec<_> = all().into_iter().filter(|jvm| jvm.is_called(target)).collect();
    match called.as_slice() {
        [] => Err(Unreachable::NoSuchJvm { name: target.to_owned() }),
        [jvm] => Ok(jvm.process.pid),
        several => Err(Unreachable::Ambiguous {
            name: target.to_owned(),
            pids: several.iter().map(|jvm| jvm.process.pid).collect(),
        }),
    }
}

/// The same; `None`: no JVM is called so, and the word is that of a file, which is then not there.
///
/// # Errors
/// As [`pid_of`], where the word is none of a file.
pub(crate) fn pid_or_file(target: &str) -> Result<Option<u32>, Unreachable> {
    match pid_of(target) {
        Err(Unreachable::NoSuchJvm { .. }) if is_file_name(target) => Ok(None),
        known => known.map(Some),
    }
}

/// Whether a word looks like the name of a recording or a dump, or like a path.
pub(crate) fn is_file_name(word: &str) -> bool {
    word.contains('/') || [".mayfly", ".hprof", ".mayheap"].iter().any(|end| word.ends_with(end))
}

/// A JVM's facts.
///
/// # Errors
/// It is none, or can't be looked at.
pub(crate) fn look_at(pid: u32) -> Result<Jvm, Unreachable> {
    let process = Process::find(pid)?;
    process.check_user()?;
    let files = hotspot_files(&process)?;
    let perf_data = perf_data(&process);
    let text = |name| perf_data.as_ref().and_then(|data| data.text(name)).filter(|text| !text.is_empty());
    let java = text("java.property.java.version").or_else(|| release_of(&process, &files));
    let command = text("sun.rt.javaCommand").or_else(|| command_of(&process.command_line()));
    Ok(Jvm {
        uptime: process.uptime(),
        java,
        command: command.unwrap_or_default(),
        heap: perf_data.as_ref().and_then(PerfData::heap),
        metaspace: perf_data.as_ref().and_then(PerfData::metaspace),
        agent_library: agent_library(&files),
        shows_libraries: !files.is_empty(),
        process,
    })
}

/// The files mapped into a HotSpot JVM; none if the system keeps them from us and the process tells by its counters that it is one.
///
/// # Errors
/// [`Unreachable::NotAJvm`], [`Unreachable::NotHotSpot`], or the process can't be looked at.
pub(crate) fn hotspot_files(process: &Process) -> Result<Vec<String>, Unreachable> {
    let files = match process.mapped_files() {
        Err(Unreachable::Closed { .. }) if perf_data(process).is_some() => return Ok(Vec::new()),
        files => files?,
    };
    if files.iter().any(|file| file.contains("/libj9vm")) {
        return Err(Unreachable::NotHotSpot { pid: process.pid });
    }
    if libjvm(&files).is_none() {
        return Err(Unreachable::NotAJvm { pid: process.pid });
    }
    Ok(files)
}

/// Whether a process of ours has loaded HotSpot.
pub(crate) fn is_jvm(pid: u32) -> bool {
    Process::find(pid).and_then(|process| hotspot_files(&process)).is_ok()
}

/// The agent's library among mapped files.
pub(crate) fn agent_library(files: &[String]) -> Option<String> {
    let is_agent = |file: &&String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        AGENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && name.contains(".so")
    };
    files.iter().find(is_agent).cloned()
}

/// What the JVM writes into its file of performance counters; `None` with `-XX:-UsePerfData`.
pub(crate) fn perf_data(process: &Process) -> Option<PerfData> {
    let tmp = Folder::of(process, "/tmp").ok()?;
    let folders = fs::read_dir(tmp.path()).ok()?.flatten();
    let of_users = folders.filter(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && entry.file_name().to_string_lossy().starts_with("hsperfdata_")
    });
    let paths = of_users.map(|folder| folder.path().join(process.inner_pid.to_string()));
    let ours = |path: &Path| {
        fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.uid() == process.uid)
    };
    paths.filter(|path| ours(path)).find_map(|path| PerfData::of(read_at_most(&path, MOST_FILE_BYTES).ok()?))
}

/// The JVM itself among the files that a process has mapped.
pub(super) fn libjvm(files: &[String]) -> Option<&str> {
    files.iter().map(|file| file.trim_end_matches(" (deleted)")).find(|file| file.ends_with("/libjvm.so"))
}

/// `JAVA_VERSION` of the JDK's file `release`, two or three folders above `libjvm.so`.
fn release_of(process: &Process, files: &[String]) -> Option<String> {
    let home = Path::new(libjvm(files)?).ancestors().skip(3).take(2);
    let texts = home
        .filter_map(|home| read_at_most(&process.path(home.join("release").to_str()?), MOST_FILE_BYTES).ok());
    texts
        .filter_map(|text| {
            let text = String::from_utf8_lossy(&text).into_owned();
            let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=").map(str::to_owned))?;
            Some(line.trim_matches('"').to_owned())
        })
        .next()
}

/// The main class or jar, and what follows, of a launcher's command line.
fn command_of(words: &[String]) -> Option<String> {
    /// Options whose value is the next word.
    const WITH_VALUE: [&str; 10] = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--upgrade-module-path",
        "--add-modules",
        "--limit-modules",
        "--source",
        "--describe-module",
    ];
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let at_main = match word.as_str() {
            "-jar" | "-m" | "--module" => words.next()?,
            option if WITH_VALUE.contains(&option) => {
                words.next();
                continue;
            }
            option if option.starts_with(['-', '@']) => continue,
            main => main,
        };
        let rest = words.map(String::as_str);
        return Some(std::iter::once(at_main).chain(rest).collect::<Vec<_>>().join(" "));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jvm(command: &str) -> Jvm {
        let process = Process {
            pid: 1,
            inner_pid: 1,
            uid: 0,
            catches_quit: true,
            is_stopped: false,
            started: None,
            resident_bytes: 0,
            virtual_bytes: 0,
        };
        let (command, uptime, java) = (command.into(), None, None);
        let (heap, metaspace) = (None, None);
        Jvm { process, uptime, java, command, heap, metaspace, agent_library: None, shows_libraries: true }
    }

    #[test]
    fn a_main_class_is_called_with_or_without_its_package() {
        for (command, names, others) in [
            (
                "org.example.Main -v",
                &["org.example.Main", "Main"][..],
                &["example.Main", "main", "-v", ""][..],
            ),
            ("/opt/app.jar x", &["/opt/app.jar", "app.jar"], &["jar", "app", "x"]),
            ("app/org.example.Main", &["app/org.example.Main", "org.example.Main", "Main"], &["app"]),
        ] {
            assert!(names.iter().all(|name| jvm(command).is_called(name)), "{command}");
            assert!(!others.iter().any(|name| jvm(command).is_called(name)), "{command}");
        }
        assert_eq!(jvm("/opt/app.jar x").main(), "app.jar");
    }

    #[test]
    fn the_main_class_is_found_on_a_command_line() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (line, command) in [
            ("java -Xmx1g -cp a:b org.example.Main -v", "org.example.Main -v"),
            ("/jdk/bin/java -jar /opt/app.jar x y", "/opt/app.jar x y"),
            ("java --module-path m -m app/org.example.Main", "app/org.example.Main"),
            ("java @args org.example.Main", "org.example.Main"),
        ] {
            assert_eq!(command_of(&words(line)).as_deref(), Some(command), "{line}");
        }
        assert_eq!(command_of(&words("java -version")), None);
        assert_eq!(command_of(&[]), None);
    }

    #[test]
    fn the_agent_is_known_by_its_name_also_when_its_file_is_gone() {
        let files = ["/jdk/lib/server/libjvm.so", "/tmp/.libmayfly-x1.so (deleted)"].map(str::to_owned);
        assert_eq!(agent_library(&files), Some(files[1].clone()));
        assert_eq!(agent_library(&files[..1]), None);
        assert_eq!(agent_library(&["/home/me/libmayfly/run.mayfly".to_owned()]), None);
    }

    #[test]
    fn this_process_is_no_jvm() {
        let own = Process::find(std::process::id()).expect("alive");
        assert!(matches!(hotspot_files(&own), Err(Unreachable::NotAJvm { .. })));
        assert!(matches!(pid_of("no.such.Main"), Err(Unreachable::NoSuchJvm { .. })));
        assert!(matches!(pid_of("99999999999999"), Err(Unreachable::NoSuchJvm { .. })));
        assert_eq!(pid_of("17").ok(), Some(17));
        for file in ["gone.mayfly", "gone.hprof", "gone.mayheap", "./gone", "a/gone.jar"] {
            assert_eq!(pid_or_file(file).ok(), Some(None), "{file}");
        }
        assert!(matches!(pid_or_file("no.such.Main"), Err(Unreachable::NoSuchJvm { .. })));
        assert!(matches!(pid_or_file("app.jar"), Err(Unreachable::NoSuchJvm { .. })));
        assert_eq!(pid_or_file("17").ok(), Some(Some(17)));
    }
}
