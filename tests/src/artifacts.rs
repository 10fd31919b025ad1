//! The products under test, built as a user builds them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;

use crate::folders::{build_folder, workspace_root};
use crate::jvms::two_stand_for_all;

/// The two files that users get.
#[derive(Clone, Debug)]
pub struct Artifacts {
    /// `libmayfly.so`.
    pub agent: PathBuf,
    /// `mayfly`.
    pub cli: PathBuf,
}

impl Artifacts {
    /// The flag by which a JVM loads the agent with these options (`#…`, or nothing).
    pub fn agent_flag(&self, options: &str) -> String {
        agent_flag(&self.agent, options)
    }
}

/// As [`Artifacts::agent_flag`], of another file.
pub(crate) fn agent_flag(library: &Path, options: &str) -> String {
    let equals = if options.is_empty() { "" } else { "=" };
    format!("-agentpath:{}{equals}{options}", library.display())
}

/// The agent and CLI, once per test process; cargo itself keeps processes apart. As they ship; but where two JVMs stand for all and
/// nothing was built for release yet, those that the tests' own build made ([`debug_artifacts`]). `MAYFLY_ARTIFACTS` names a
/// folder with both to test instead.
///
/// # Panics
/// If the build fails.
pub fn artifacts() -> &'static Artifacts {
    static ARTIFACTS: OnceLock<Artifacts> = OnceLock::new();
    ARTIFACTS.get_or_init(|| match env::var_os("MAYFLY_ARTIFACTS") {
        Some(folder) => given(Path::new(&folder)),
        None if debug_will_do() => debug_artifacts().clone(),
        None => built(&["--release", "-p", "mayfly-agent", "-p", "mayfly-cli"]),
    })
}

/// Agent and CLI as `cargo test --workspace` makes them on its way, so that a run of all tests builds nothing twice. Fewer packages
/// would be other features of their dependencies. This agent can be made to panic (`agent/src/conduct/faults.rs`).
///
/// # Panics
/// If the build fails.
pub fn debug_artifacts() -> &'static Artifacts {
    static ARTIFACTS: OnceLock<Artifacts> = OnceLock::new();
    ARTIFACTS.get_or_init(|| built(&["--workspace", "--lib", "--tests", "--bin", "mayfly"]))
}

/// Whether nobody waits for what ships. Benchmarks, themselves built for release, do.
fn debug_will_do() -> bool {
    let is_there = build_folder().join("release/libmayfly.so").exists();
    cfg!(debug_assertions) && two_stand_for_all() && !is_there
}

fn given(folder: &Path) -> Artifacts {
    let folder =
        fs::canonicalize(folder).unwrap_or_else(|e| panic!("MAYFLY_ARTIFACTS {}: {e}", folder.display()));
    Artifacts { agent: folder.join("libmayfly.so"), cli: folder.join("mayfly") }
}

fn built(args: &[&str]) -> Artifacts {
    let files = cargo_build(args);
    Artifacts { agent: find(&files, "libmayfly.so"), cli: find(&files, "mayfly") }
}

/// What `cargo build` with these arguments made.
fn cargo_build(args: &[&str]) -> Vec<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .arg("build")
        .args(args)
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(workspace_root())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "the build failed: {args:?}");
    built_files(&String::from_utf8_lossy(&output.stdout))
}

fn find(files: &[PathBuf], name: &str) -> PathBuf {
    let file = files.iter().find(|path| path.ends_with(name));
    file.unwrap_or_else(|| panic!("the build made no {name}")).clone()
}

/// Files named by cargo's `compiler-artifact` messages.
fn built_files(messages: &str) -> Vec<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .collect()
}
