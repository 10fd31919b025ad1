//! Compiles the Java fixtures once, for every JVM: source and class files of Java 11; those of `release16`, of Java 16.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::folders::{build_folder, workspace_root};
use crate::jvms::compiler;
use crate::skip::skip;

/// Fixtures that Java 11 can't express. JVMs from this release on run them.
const NEWER: &str = "16";

/// The folder of fixtures that each JVM runs from source: they need modules that not every compiler has.
const FROM_SOURCE: &str = "vectors";

/// Folder of the compiled fixtures, the Java API among them: the class path of every run.
///
/// # Panics
/// If no JVM found has a compiler, or the fixtures do not compile.
pub fn fixture_classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let sources = sources();
        let folder = build_folder().join("fixtures");
        fs::create_dir_all(&folder).expect("target/fixtures can be made");
        // Two test processes may come here at once.
        let lock = File::create(folder.join("lock")).expect("target/fixtures can be written");
        lock.lock().expect("target/fixtures/lock can be locked");
        let classes = folder.join(format!("{:016x}", fingerprint(&sources)));
        if !classes.exists() {
            compile(&sources, &classes);
        }
        classes
    })
}

fn sources() -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for folder in ["fixtures", "profiler-java/api/src"] {
        collect_java(&workspace_root().join(folder), &mut sources);
    }
    sources.sort();
    sources
}

fn collect_java(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with(FROM_SOURCE) {
            collect_java(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            sources.push(path);
        }
    }
}

fn fingerprint(sources: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for source in sources {
        fs::read(source).expect("a fixture can be read").hash(&mut hasher);
    }
    hasher.finish()
}

/// Compiles beside the final folder, and renames: what exists is complete.
fn compile(sources: &[PathBuf], classes: &Path) {
    let javac = compiler().expect("a JDK with javac 11 or newer, to compile the fixtures");
    let partial = classes.with_extension("partial");
    let newer_folder = workspace_root().join("fixtures").join(format!("release{NEWER}"));
    let (newer, older): (Vec<_>, Vec<_>) =
        sources.iter().partition(|source| source.starts_with(&newer_folder));
    if let Err(why) = javac_to(&javac, "11", &older, &partial) {
        panic!("{}: {why}", javac.display());
    }
    if let Err(why) = javac_to(&javac, NEWER, &newer, &partial) {
        skip("fixtures of Java 16", &format!("{} does not compile them: {why}", javac.display()));
    }
    fs::rename(&partial, classes).expect("the compiled fixtures can be renamed");
}

fn javac_to(javac: &Path, release: &str, sources: &[&PathBuf], folder: &Path) -> Result<(), String> {
    let output = Command::new(javac)
        .args(["--release", release, "-XDignore.symbol.file", "-nowarn", "-parameters", "-d"])
        .arg(folder)
        .args(sources)
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
