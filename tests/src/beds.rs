//! Real programs, which are no part of a clone: scripts that install and run one each, in the folder that `MAYFLY_BEDS` names.
//!
//! Not here: what is asked of them. Tests that need them are ignored, and have a recipe in the justfile.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::jvm::Jvm;
use crate::jvms::jdks;
use crate::skip::skip;

/// A script is ended after so many seconds.
const LIMIT_S: &str = "600";
/// Some of the programs need it, or a newer one, and a compiler.
const FEATURE: u32 = 17;

/// The scripts, and the JDK that they run on.
#[derive(Debug)]
pub struct Beds {
    scripts: PathBuf,
    /// The JDK.
    pub jvm: Jvm,
}

impl Beds {
    /// Those at hand; `None`, after saying why, if there are none. `what` is asked of them.
    pub fn found(what: &str) -> Option<Self> {
        let scripts = env::var_os("MAYFLY_BEDS").map(PathBuf::from).filter(|folder| folder.is_dir());
        let jvm = jdks(FEATURE).into_iter().next();
        if scripts.is_none() {
            skip(what, "MAYFLY_BEDS names no folder of scripts of real programs");
        } else if jvm.is_none() {
            skip(what, "no JDK 17 or newer with a compiler");
        }
        Some(Self { scripts: scripts?, jvm: jvm? })
    }

    /// Of these programs the one that `MAYFLY_BED` names, or all.
    pub fn chosen<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let only = env::var("MAYFLY_BED").ok();
        names.iter().copied().filter(|name| only.as_deref().is_none_or(|only| only == *name)).collect()
    }

    /// A program with these flags for each of its JVMs.
    pub fn command(&self, name: &str, flags: &str) -> Command {
        let mut command = Command::new("timeout");
        command.args([LIMIT_S, "bash"]).arg(self.scripts.join(format!("{name}.sh")));
        command.env("JAVA", self.jvm.java()).env("JAVA_OPTS_EXTRA", flags);
        command
    }

    /// Runs it to its end; `heap` stands for its own flags about the heap, unless it is empty.
    ///
    /// # Panics
    /// If it does not come to a result.
    pub fn run(&self, name: &str, heap: &str, flags: &str) {
        let mut command = self.command(name, flags);
        if !heap.is_empty() {
            command.env("HEAP", heap);
        }
        let output = command.output().expect("a script runs");
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let said = said.concat();
        assert!(said.contains("BED-RESULT"), "{name} {heap} {flags}: {said}");
    }
}
