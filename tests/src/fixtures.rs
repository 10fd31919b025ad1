//! Compiles the Java fixtures once, for every JVM: source and class files of Java 11.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::artifacts::{build_folder, workspace_root};
use crate::jvm::compiler;

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
        if path.is_dir() {
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
    let output = Command::new(&javac)
        .args(["--release", "11", "-XDignore.symbol.file", "-nowarn", "-d"])
        .arg(&partial)
        .args(sources)
        .output()
        .expect("javac starts");
    assert!(output.status.success(), "{}: {}", javac.display(), String::from_utf8_lossy(&output.stderr));
    fs::rename(&partial, classes).expect("the compiled fixtures can be renamed");
}
