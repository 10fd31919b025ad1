//! What stands in the way of a recording: here, and in one JVM. Nothing is changed: no agent is loaded, no signal sent.
//!
//! Not here: how it is shown (`commands/doctor`).

use std::path::{Path, PathBuf};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use crate::error::Error;
use crate::session::elf::{CLibrary, Needs, Version};
use crate::session::folder::Folder;
use crate::session::java;
use crate::session::jvms::{self, Jvm};
use crate::session::library_copy::{self, Provided};
use crate::session::process::{Process, javas_of_others};
use crate::session::unreachable::Unreachable;
use crate::session::{agent_library, attach};

/// Oldest release that the agent works in.
const OLDEST: u32 = 11;
/// Libraries of others that may have the JVM's one sampler, by how their names begin.
const WITH_SAMPLER: [&str; 3] = ["libasyncProfiler", "libjavaProfiler", "libYourKit"];

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// As it should be.
    Fine,
    /// It can't be told, or is in the way of some things only.
    Unsure,
    /// A recording can't be started.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// What it is.
    pub(crate) name: &'static str,
    /// How it stands.
    pub(crate) state: State,
    /// What was found; what to do, if it is bad.
    pub(crate) text: String,
}

impl Finding {
    fn new(name: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { name, state, text: text.into() }
    }

    fn fine(name: &'static str, text: impl Into<String>) -> Self {
        Self::new(name, State::Fine, text)
    }

    fn of(name: &'static str, checked: Result<String, String>) -> Self {
        match checked {
            Ok(text) => Self::fine(name, text),
            Err(text) => Self::new(name, State::Bad, text),
        }
    }
}

/// What is found of this installation and this machine.
pub(crate) fn here() -> Vec<Finding> {
    let java = match java::find(None) {
        Ok(java) => Finding::fine("java", java.launcher.display().to_string()),
        Err(_) => Finding::new(
            "java",
            State::Unsure,
            "none in JAVA_HOME or on the PATH: mayfly run needs a path, mayfly demo --java",
        ),
    };
    let (own, others) = (jvms::all().len(), javas_of_others());
    let state = if others > 0 { State::Unsure } else { State::Fine };
    let others = if others > 0 {
        format!("; {others} more of other users, for which to be root")
    } else {
        String::new()
    };
    vec![
        agent(&agent_library::find()),
        java,
        Finding::new("JVMs", state, format!("{own} to be reached{others}")),
    ]
}

fn agent(found: &Result<PathBuf, Error>) -> Finding {
    let of = |path: &PathBuf| match Needs::of(path) {
        Some(needs) => Ok(format!("{}, {}", path.display(), fits(&needs))),
        None => Err(format!("{} is no library of 64 bits, or damaged; install it again", path.display())),
    };
    Finding::of("agent", found.as_ref().map_err(ToString::to_string).and_then(of))
}

fn fits(needs: &Needs) -> String {
    let glibc = |(major, minor): Version| format!("for glibc {major}.{minor} or newer");
    let musl = needs.missing_in(CLibrary::Musl).is_none();
    match needs.glibc.map(glibc) {
        Some(glibc) if musl => format!("{glibc}, and musl"),
        Some(glibc) => format!("{glibc}, not for musl"),
        None => "for musl".into(),
    }
}

/// What is found of one JVM. Ends with the first thing that leaves nothing more to be looked at.
pub(crate) fn of_jvm(pid: u32) -> Vec<Finding> {
    let jvm = match jvms::look_at(pid).and_then(|jvm| jvm.process.check_running().map(|()| jvm)) {
        Ok(jvm) => jvm,
        Err(why) => return vec![Finding::new("process", State::Bad, why.to_string())],
    };
    let process = &jvm.process;
    let mut found = vec![Finding::fine("process", described(&jvm)), release(&jvm), collector(process)];
    if jvm.agent_library.is_some() {
        let text = format!("there already: mayfly status {pid} tells what it does");
        found.push(Finding::fine("agent inside", text));
        return found;
    }
    let files = process.mapped_files().unwrap_or_default();
    found.push(sampler(&files));
    found.push(Finding::of("attach", attachable(process)));
    match agent_library::find() {
        Ok(library) => found.extend(library_for(process, &library, &files)),
        Err(why) => found.push(Finding::new("agent", State::Bad, why.to_string())),
    }
    found
}

fn described(jvm: &Jvm) -> String {
    let process = &jvm.process;
    let inner = match process.inner_pid {
        inner if inner == process.pid => String::new(),
        inner => format!(", in a container, where it is {inner}"),
    };
    let main = if jvm.main().is_empty() { "?" } else { jvm.main() };
    format!("JVM {}, {main}, of user {}{inner}", process.pid, process.uid)
}

/// Its JDK.
fn release(jvm: &Jvm) -> Finding {
    let Some(java) = &jvm.java else {
        return Finding::new(
            "jdk",
            State::Unsure,
            format!("it does not tell its release; {OLDEST} or newer is needed"),
        );
    };
    let text = format!("HotSpot {java}");
    match feature(java) {
        Some(feature) if feature >= OLDEST => Finding::fine("jdk", text),
        Some(_) => {
            Finding::new("jdk", State::Bad, format!("{text}: too old, run the program on {OLDEST} or newer"))
        }
        None => Finding::new("jdk", State::Unsure, text),
    }
}

/// `17` of `17.0.15`, `8` of `1.8.0_442`.
fn feature(java: &str) -> Option<u32> {
    let mut numbers = java.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match numbers.next()? {
        Ok(1) => numbers.next()?.ok(),
        first => first.ok(),
    }
}

/// What collects its garbage, as it names itself.
fn collector(process: &Process) -> Finding {
    let told = jvms::perf_data(process).and_then(|data| data.text("sun.gc.collector.0.name"));
    match told.as_deref().and_then(collector_of) {
        Some(name) => Finding::fine("collector", name),
        None => Finding::new(
            "collector",
            State::Unsure,
            "not known before the agent is there; any of HotSpot's will do but Epsilon, which never collects",
        ),
    }
}

/// By the name of its first kind of pause (JDK 11 to 27).
fn collector_of(pause: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 6] = [
        ("G1", "G1"),
        ("PSScavenge", "Parallel"),
        ("PSParallel", "Parallel"),
        ("Copy", "Serial"),
        ("Z", "ZGC"),
        ("Shenandoah", "Shenandoah"),
    ];
    let known = NAMES.iter().find(|(begin, _)| pause.starts_with(begin)).map(|(_, name)| *name);
    known.or_else(|| pause.starts_with("Serial").then_some("Serial"))
}

/// The JVM has one, and nobody but the one who has it can tell.
fn sampler(files: &[String]) -> Finding {
    let name = |file: &String| file.rsplit('/').next().unwrap_or_default().to_owned();
    let others = files.iter().map(name).find(|name| WITH_SAMPLER.iter().any(|begin| name.starts_with(begin)));
    match others {
        Some(other) => Finding::new(
            "sampler",
            State::Unsure,
            format!(
                "{other} is loaded, and may have the JVM's one sampler: mayfly start says so, if it has; stop that one, then"
            ),
        ),
        None => Finding::fine("sampler", "no other profiler that is known to take it is loaded"),
    }
}

/// Whether the JVM would let us in.
fn attachable(process: &Process) -> Result<String, String> {
    let told = |why: Unreachable| why.to_string();
    attach::check_enabled(process).map_err(told)?;
    if attach::has(process, "-XX:-EnableDynamicAgentLoading") {
        return Err(Unreachable::LoadingDisabled { pid: process.pid }.to_string());
    }
    if !process.catches_quit {
        return Err(Unreachable::NoSignal { pid: process.pid }.to_string());
    }
    let folder = Folder::of(process, "/tmp").map_err(|cause| told(process.not_permitted(cause)))?;
    let is_read_only = statvfs(folder.path()).is_ok_and(|it| it.f_flag.contains(StatVfsMountFlags::RDONLY));
    if is_read_only || access(folder.path(), Access::WRITE_OK).is_err() {
        let cause = std::io::ErrorKind::ReadOnlyFilesystem.into();
        return Err(told(Unreachable::NoRoomToAttach { pid: process.pid, cause }));
    }
    Ok("enabled, and its /tmp can be written".into())
}

/// Whether the library fits, and how the JVM would come to it.
fn library_for(process: &Process, library: &Path, files: &[String]) -> Vec<Finding> {
    let c_library = CLibrary::of(process, files);
    let shown =
        c_library.map_or_else(|| "neither glibc nor musl is found in it".to_owned(), |it| it.to_string());
    let fits = library_copy::check_loadable(process, library).map_err(|why| why.to_string());
    let state = if c_library.is_some() { State::Fine } else { State::Unsure };
    let provided =
        Provided::to(process, library).map_err(|why| why.to_string()).map(|provided| {
            match provided.path.as_str() == library.to_string_lossy() {
                true => "the JVM sees the same file".to_owned(),
                false => format!("a copy for the JVM could be made: {}", provided.path),
            }
        });
    vec![
        Finding::new("C library", state, shown),
        Finding::of("agent", fits.map(|()| format!("{} fits", library.display()))),
        Finding::of("way to it", provided),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_collectors_are_known_by_their_names() {
        for (java, number) in [("17.0.15", 17), ("1.8.0_442", 8), ("27-ea", 27), ("11", 11)] {
            assert_eq!(feature(java), Some(number), "{java}");
        }
        assert_eq!(feature("unknown"), None);
        for (pause, name) in [
            ("G1 young collection pauses", Some("G1")),
            ("PSScavenge", Some("Parallel")),
            ("Copy", Some("Serial")),
            ("Serial young collection pauses", Some("Serial")),
            ("ZGC minor collection pauses", Some("ZGC")),
            ("Shenandoah concurrent phases", Some("Shenandoah")),
            ("other", None),
        ] {
            assert_eq!(collector_of(pause), name, "{pause}");
        }
    }

    #[test]
    fn another_profiler_leaves_the_sampler_in_doubt() {
        let files = |names: &[&str]| names.iter().map(|name| format!("/opt/{name}")).collect::<Vec<_>>();
        assert_eq!(sampler(&files(&["libjvm.so"])).state, State::Fine);
        assert_eq!(sampler(&files(&["libjvm.so", "libasyncProfiler.so"])).state, State::Unsure);
    }

    #[test]
    fn what_is_no_jvm_is_not_looked_at_further() {
        let found = of_jvm(std::process::id());
        assert!(found.len() == 1 && found[0].state == State::Bad, "{found:?}");
        assert!(found[0].text.contains("is no JVM"), "{found:?}");
    }
}
