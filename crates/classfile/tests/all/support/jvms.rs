//! Finding JVMs, and reading the classes of their images.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A class of a JVM's image.
pub(crate) struct DumpedClass {
    /// `module/package/Class.class`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Homes of the JVMs in MAYFLY_JVMS, JAVA_HOME, on PATH and under /usr/lib/jvm, each once, those with an image.
pub(crate) fn homes() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    if let Some(list) = env::var_os("MAYFLY_JVMS") {
        candidates.extend(env::split_paths(&list));
    }
    candidates.extend(env::var_os("JAVA_HOME").map(PathBuf::from));
    for folder in env::var_os("PATH").iter().flat_map(env::split_paths) {
        let java = fs::canonicalize(folder.join("java")).ok();
        candidates.extend(java.and_then(|java| Some(java.parent()?.parent()?.to_path_buf())));
    }
    for entry in fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten() {
        candidates.push(entry.path());
    }
    let homes: BTreeSet<PathBuf> = candidates.iter().filter_map(|home| fs::canonicalize(home).ok()).collect();
    homes
        .into_iter()
        .filter(|home| home.join("lib/modules").is_file() && home.join("bin/java").is_file())
        .collect()
}

/// Says that a test could not run, and why.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
}

/// A fresh folder for one test.
pub(crate) fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// Runs a program of a JVM's `bin`.
pub(crate) fn run(home: &Path, program: &str, arguments: &[&str]) -> Output {
    let program = home.join("bin").join(program);
    Command::new(&program).args(arguments).output().unwrap_or_else(|error| panic!("{program:?}: {error}"))
}

/// As [`run`], failing the test if the program fails.
pub(crate) fn run_well(home: &Path, program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = run(home, program, arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{home:?} {program} {arguments:?}: {}\n{complaint}", output.status);
    output.stdout
}

/// Compiles for the oldest JVM we support, so that one compiler serves all.
pub(crate) fn compile(homes: &[PathBuf], source: &Path, folder: &Path) -> Option<()> {
    let compiler = homes.iter().find(|home| home.join("bin/javac").is_file())?;
    let (source, folder) = (source.to_string_lossy(), folder.to_string_lossy());
    run_well(compiler, "javac", &["--release", "11", "-g", "-d", &folder, &source]);
    Some(())
}

/// All classes of a JVM's image, or of one module. `folder` holds the compiled ClassDump.
pub(crate) fn classes(home: &Path, folder: &Path, module: Option<&str>) -> Vec<DumpedClass> {
    let folder = folder.to_string_lossy();
    let arguments: Vec<&str> =
        ["-Xshare:auto", "-cp", &folder, "ClassDump"].into_iter().chain(module).collect();
    let dump = run_well(home, "java", &arguments);
    let mut rest = dump.as_slice();
    let mut classes = Vec::new();
    while !rest.is_empty() {
        let name = String::from_utf8(block(&mut rest).to_vec()).expect("class names are ASCII");
        classes.push(DumpedClass { name, bytes: block(&mut rest).to_vec() });
    }
    assert!(classes.len() > 1000, "{home:?} dumped only {} classes", classes.len());
    classes
}

/// Source of the program that [`classes`] runs.
pub(crate) fn dump_source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/classdump/ClassDump.java")
}

fn block<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (len, behind) = rest.split_first_chunk::<4>().expect("a length");
    let (block, behind) = behind.split_at(u32::from_be_bytes(*len) as usize);
    *rest = behind;
    block
}
