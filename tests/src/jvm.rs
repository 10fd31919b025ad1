//! The JVMs at hand. Nothing is downloaded here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fmt, fs, panic};

use crate::artifacts::workspace_root;

/// The oldest feature release that the agent runs on.
const OLDEST: u32 = 11;

/// An installed JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jvm {
    /// Its `JAVA_HOME`, links resolved.
    pub home: PathBuf,
    /// Feature release, e.g. 17.
    pub feature: u32,
    /// `java.vm.version`, e.g. `17.0.15+6-Debian-1deb12u1`.
    pub version: String,
    /// Object headers of 8 bytes instead of 12.
    pub compact_headers: bool,
}

impl Jvm {
    /// The launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Names of the modules it has.
    ///
    /// # Panics
    /// If it does not say.
    pub fn modules(&self) -> Vec<String> {
        let output = Command::new(self.java()).arg("--list-modules").output().expect("java can be run");
        let name = |line: &str| line.split('@').next().unwrap_or_default().to_owned();
        String::from_utf8_lossy(&output.stdout).lines().map(name).collect()
    }

    /// The compiler, if this is a full JDK.
    pub fn javac(&self) -> Option<PathBuf> {
        Some(self.home.join("bin/javac")).filter(|path| path.exists())
    }

    fn probe(home: &Path) -> Option<Self> {
        let output = Command::new(home.join("bin/java"))
            .args(["-XshowSettings:properties", "-XX:+PrintFlagsFinal", "-version"])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let property = |key: &str| {
            text.lines()
                .find_map(|line| line.trim().strip_prefix(key)?.trim().strip_prefix("= ").map(str::to_owned))
        };
        let specification = property("java.specification.version")?;
        let feature = specification.strip_prefix("1.").unwrap_or(&specification).parse().ok()?;
        // Its own word: `home` may be a folder of links.
        let home = fs::canonicalize(property("java.home")?).ok()?;
        let compact_headers = flag_is_on(&String::from_utf8_lossy(&output.stdout), "UseCompactObjectHeaders");
        Some(Self { home, feature, version: property("java.vm.version")?, compact_headers })
    }
}

impl fmt::Display for Jvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JVM {} ({})", self.version, self.home.display())
    }
}

/// The JVMs to test on: those of `MAYFLY_JVMS` (homes, separated by colons) if set, else one per feature release
/// found. Only such as the agent supports.
///
/// # Panics
/// If there is none: an end-to-end test that tests nothing must not pass.
pub fn jvms() -> &'static [Jvm] {
    static JVMS: OnceLock<Vec<Jvm>> = OnceLock::new();
    JVMS.get_or_init(|| {
        let jvms = match named_homes() {
            Some(homes) => probe_all(homes),
            None => one_per_feature(found().to_vec()),
        };
        let jvms: Vec<_> = jvms.into_iter().filter(|jvm| jvm.feature >= OLDEST).collect();
        assert!(
            !jvms.is_empty(),
            "no JVM {OLDEST} or newer found: install one, or set MAYFLY_JVMS or JAVA_HOME"
        );
        jvms
    })
}

/// JVMs older than any that the agent supports.
pub fn jvms_too_old() -> Vec<Jvm> {
    found().iter().filter(|jvm| jvm.feature < OLDEST).cloned().collect()
}

/// Every full JDK found from this feature release on, not only one per release.
pub fn jdks(oldest: u32) -> Vec<Jvm> {
    found().iter().filter(|jvm| jvm.feature >= oldest && jvm.javac().is_some()).cloned().collect()
}

/// A full JDK to compile the fixtures with: the newest found.
pub(crate) fn compiler() -> Option<PathBuf> {
    found().iter().filter(|jvm| jvm.feature >= OLDEST).max_by_key(|jvm| jvm.feature_with_javac())?.javac()
}

impl Jvm {
    fn feature_with_javac(&self) -> u32 {
        self.javac().map_or(0, |_| self.feature)
    }
}

/// Runs a test body on every JVM; says on which ones it failed, after trying all.
///
/// # Panics
/// If the body panics on any.
pub fn each_jvm(body: impl Fn(&Jvm) + panic::RefUnwindSafe) {
    let mut failed = Vec::new();
    for jvm in jvms() {
        println!("on {jvm}");
        if panic::catch_unwind(|| body(jvm)).is_err() {
            println!("FAILED on {jvm}");
            failed.push(jvm.to_string());
        }
    }
    assert!(failed.is_empty(), "failed on {}", failed.join(", "));
}

fn found() -> &'static [Jvm] {
    static FOUND: OnceLock<Vec<Jvm>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut homes = named_homes().unwrap_or_default();
        homes.extend(env::var_os("JAVA_HOME").map(PathBuf::from));
        homes.extend(home_on_path());
        for folder in [PathBuf::from("/usr/lib/jvm"), workspace_root().join("target/jvms")] {
            homes.extend(subfolders(&folder));
        }
        probe_all(homes)
    })
}

/// In the output of `-XX:+PrintFlagsFinal`.
fn flag_is_on(flags: &str, name: &str) -> bool {
    flags
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .any(|words| words.starts_with(&["bool", name, "=", "true"]))
}

fn named_homes() -> Option<Vec<PathBuf>> {
    env::var_os("MAYFLY_JVMS")
        .filter(|value| !value.is_empty())
        .map(|value| env::split_paths(&value).collect())
}

fn home_on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let java = env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.exists())?;
    let java = fs::canonicalize(java).ok()?;
    Some(java.parent()?.parent()?.to_owned())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn probe_all(homes: Vec<PathBuf>) -> Vec<Jvm> {
    let mut seen = BTreeSet::new();
    let new = |jvm: &Jvm| seen.insert(jvm.home.clone());
    homes.iter().filter_map(|home| Jvm::probe(home)).filter(new).collect()
}

/// The first of each feature release, full JDKs before runtimes.
fn one_per_feature(mut jvms: Vec<Jvm>) -> Vec<Jvm> {
    jvms.sort_by_key(|jvm| (jvm.feature, jvm.javac().is_none()));
    jvms.dedup_by_key(|jvm| jvm.feature);
    jvms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_java_is_no_jvm() {
        assert_eq!(Jvm::probe(Path::new(env!("CARGO_MANIFEST_DIR"))), None);
    }

    #[test]
    fn one_of_each_feature_release_is_kept() {
        let jvm = |feature, home: &str| Jvm {
            home: home.into(),
            feature,
            version: String::new(),
            compact_headers: false,
        };
        let kept = one_per_feature(vec![jvm(25, "/none/a"), jvm(17, "/none/b"), jvm(25, "/none/c")]);
        assert_eq!(kept.iter().map(|jvm| jvm.feature).collect::<Vec<_>>(), [17, 25]);
    }

    #[test]
    #[should_panic(expected = "failed on JVM")]
    fn a_failure_on_one_jvm_fails_the_test() {
        each_jvm(|_| panic!("on purpose"));
    }
}
