//! Other readers of hprof files: crates, and the library of NetBeans and VisualVM. Each is asked what it can answer.
//!
//! None is fetched here; what is not there is skipped, and said with the command that brings it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::workspace_root;

use crate::jdk::Jdk;

/// Heap of the JVM that NetBeans' library runs in.
const NETBEANS_HEAP: &str = "-Xmx2g";

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Objects and bytes by class.
    Histogram,
    /// The objects that retain most.
    Retained,
}

/// The readers that are there.
pub(crate) struct Readers {
    slurp: Option<PathBuf>,
    analyzer: Option<PathBuf>,
    netbeans: Option<NetBeans>,
}

/// A question as a command.
pub(crate) struct Invocation {
    /// The reader, and what else it does on the way.
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// A file that it writes, which must not be there before.
    pub(crate) writes: Option<PathBuf>,
}

struct NetBeans {
    java: PathBuf,
    class_path: OsString,
}

impl Readers {
    /// Looks for all of them: `slurp` where it is named, crates in `target/peers` and on the PATH, the library where
    /// `scripts/fetch-second-reader` puts it.
    pub(crate) fn find(slurp: Option<&Path>, jdk: &Jdk, folder: &Path) -> Self {
        let netbeans = NetBeans::find(jdk, folder);
        if let Err(why) = &netbeans {
            println!("skip(no-netbeans-reader): {why}");
        }
        Self {
            slurp: slurp.map(Path::to_owned).or_else(|| installed("hprof-slurp", "0.10.0")),
            analyzer: installed("hprof-analyzer", "0.3.2"),
            netbeans: netbeans.ok(),
        }
    }

    /// The question to each that can answer it.
    pub(crate) fn invocations(&self, question: Question, file: &Path, folder: &Path) -> Vec<Invocation> {
        let mut all = Vec::new();
        if let (Some(slurp), Question::Histogram) = (&self.slurp, question) {
            all.push(Invocation::new("hprof-slurp", slurp, vec![file.into()]));
        }
        if let (Some(analyzer), Question::Retained) = (&self.analyzer, question) {
            let report = folder.join("analyzer.json");
            let invocation = Invocation::new(
                "hprof-analyzer, its report",
                analyzer,
                vec![file.into(), report.clone().into()],
            );
            all.push(Invocation { writes: Some(report), ..invocation });
        }
        all.extend(self.netbeans.as_ref().map(|netbeans| netbeans.invocation(question, file, folder)));
        all
    }
}

impl Invocation {
    fn new(name: &'static str, program: &Path, arguments: Vec<OsString>) -> Self {
        Self { name, program: program.to_owned(), arguments, writes: None }
    }
}

impl NetBeans {
    /// Compiles our program for its library.
    fn find(jdk: &Jdk, folder: &Path) -> Result<Self, String> {
        let fetched = workspace_root().join("target/second-reader");
        let files = fs::read_dir(&fetched).into_iter().flatten().flatten().map(|entry| entry.path());
        let library =
            files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "jar"));
        let library = library.ok_or("fetch it by `scripts/fetch-second-reader`")?;
        let source = workspace_root().join("bench/java/HeapReader.java");
        let mut javac = Command::new(jdk.home.join("bin/javac"));
        let output = javac.arg("-cp").arg(&library).arg("-d").arg(folder).arg(source).output();
        let output = output.map_err(|error| format!("no javac beside {} ({error})", jdk.java().display()))?;
        if !output.status.success() {
            // The library is of Java 17.
            return Err(String::from_utf8_lossy(&output.stderr)
                .lines()
                .next()
                .unwrap_or("no javac")
                .to_owned());
        }
        let class_path = env::join_paths([library, folder.to_owned()]).map_err(|error| error.to_string())?;
        Ok(Self { java: jdk.java(), class_path })
    }

    fn invocation(&self, question: Question, file: &Path, folder: &Path) -> Invocation {
        let mut temporary = OsString::from("-Djava.io.tmpdir=");
        temporary.push(folder);
        let word = match question {
            Question::Histogram => "histogram",
            Question::Retained => "retained",
        };
        let words = [NETBEANS_HEAP.into(), temporary, "-cp".into(), self.class_path.clone()];
        let arguments = words.into_iter().chain(["HeapReader".into(), word.into(), file.into()]).collect();
        Invocation::new("NetBeans' library", &self.java, arguments)
    }
}

/// A crate's program, if somebody installed it.
fn installed(name: &str, version: &str) -> Option<PathBuf> {
    let found = Some(workspace_root().join("target/peers/bin").join(name))
        .filter(|file| file.is_file())
        .or_else(|| on_path(name));
    if found.is_none() {
        println!(
            "skip(no-{name}): install it by `cargo install {name} --version {version} --locked --root target/peers`"
        );
    }
    found
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_is_asked_what_it_can_answer() {
        let file = |name: &str| Some(PathBuf::from(name));
        let netbeans = NetBeans { java: "java".into(), class_path: "library.jar".into() };
        let readers = Readers { slurp: file("slurp"), analyzer: file("analyzer"), netbeans: Some(netbeans) };
        let programs = |question| {
            let invocations = readers.invocations(question, Path::new("a.hprof"), Path::new("tmp"));
            invocations
                .iter()
                .map(|invocation| (invocation.program.display().to_string(), invocation.writes.is_some()))
                .collect::<Vec<_>>()
        };
        assert_eq!(programs(Question::Histogram), [("slurp".into(), false), ("java".into(), false)]);
        assert_eq!(programs(Question::Retained), [("analyzer".into(), true), ("java".into(), false)]);
        let none = Readers { slurp: None, analyzer: None, netbeans: None };
        assert!(none.invocations(Question::Retained, Path::new("a.hprof"), Path::new("tmp")).is_empty());
    }
}
