//! An installed JVM, and what it says of itself.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};

thread_local! {
    /// Whether this thread has asked for a launcher since [`launched_here`].
    static LAUNCHED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread has asked for a JVM's launcher since it was last asked this.
pub(crate) fn launched_here() -> bool {
    LAUNCHED.take()
}

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
    /// The launcher. Noted: a test that asks for none has tested nothing on this JVM.
    pub fn java(&self) -> PathBuf {
        LAUNCHED.set(true);
        self.launcher()
    }

    fn launcher(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Names of the modules it has.
    ///
    /// # Panics
    /// If it does not say.
    pub fn modules(&self) -> Vec<String> {
        let output = Command::new(self.launcher()).arg("--list-modules").output().expect("java can be run");
        let name = |line: &str| line.split('@').next().unwrap_or_default().to_owned();
        String::from_utf8_lossy(&output.stdout).lines().map(name).collect()
    }

    /// The compiler, if this is a full JDK.
    pub fn javac(&self) -> Option<PathBuf> {
        Some(self.home.join("bin/javac")).filter(|path| path.exists())
    }

    /// Asks the JVM in a folder; `None` if there is none that answers.
    pub(crate) fn probe(home: &Path) -> Option<Self> {
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

/// In the output of `-XX:+PrintFlagsFinal`.
fn flag_is_on(flags: &str, name: &str) -> bool {
    flags
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .any(|words| words.starts_with(&["bool", name, "=", "true"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_java_is_no_jvm() {
        assert_eq!(Jvm::probe(Path::new(env!("CARGO_MANIFEST_DIR"))), None);
    }
}
