//! The JDK under measurement: where it is, what it says of itself, compiling our Java programs with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use thiserror::Error;

/// A JVM that answered `-version`.
pub(crate) struct Jdk {
    /// Its JAVA_HOME.
    pub(crate) home: PathBuf,
    /// The VM's own line, e.g. `OpenJDK 64-Bit Server VM (build 17.0.15+6, mixed mode)`.
    pub(crate) version: String,
}

/// Why there is no JVM, or no compiled program.
#[derive(Debug, Error)]
pub(crate) enum JdkError {
    /// Neither named nor found.
    #[error("no JVM: give --java HOME, set JAVA_HOME, or put java on the PATH")]
    NotFound,
    /// There, but it does not run.
    #[error("{java} -version failed: {reason}; give another home by --java")]
    Broken {
        /// The launcher tried.
        java: PathBuf,
        /// What it said.
        reason: String,
    },
    /// A JRE.
    #[error(
        "no javac that compiles {program}: tried {tried}; give a full JDK by --java or JAVA_HOME ({reason})"
    )]
    NoCompiler {
        /// The Java source file.
        program: PathBuf,
        /// Launchers tried.
        tried: String,
        /// What the last one said.
        reason: String,
    },
    /// A JDK without `jar`, or no room.
    #[error("{jar} can't be packed: {reason}; give a full JDK by --java or JAVA_HOME")]
    NotPacked {
        /// What was to be written.
        jar: PathBuf,
        /// What the `jar` tool or the file system said.
        reason: io::Error,
    },
}

impl Jdk {
    /// The JDK at `home`, else at JAVA_HOME, else the one whose `java` is on the PATH.
    pub(crate) fn find(home: Option<&Path>) -> Result<Self, JdkError> {
        let named = home.map(Path::to_path_buf).or_else(|| env::var_os("JAVA_HOME").map(PathBuf::from));
        let home = named.or_else(home_on_path).ok_or(JdkError::NotFound)?;
        let version = version_of(&home.join("bin/java"))?;
        Ok(Self { home, version })
    }

    /// The launcher.
    pub(crate) fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Compiles one source file of `bench/java` into `to`, for Java 11 and later, with what it uses of our Java API.
    ///
    /// Uses this JDK's compiler, else JAVA_HOME's, else the one on the PATH (the JVM under measurement may be a JRE).
    pub(crate) fn compile(&self, program: &str, to: &Path) -> Result<(), JdkError> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java").join(program);
        let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler-java/api/src");
        let java_home = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/javac"));
        let compilers = [Some(self.home.join("bin/javac")), java_home, Some(PathBuf::from("javac"))];
        let (mut tried, mut reason) = (Vec::new(), String::new());
        for javac in compilers.into_iter().flatten() {
            let mut command = Command::new(&javac);
            command.args(["--release", "11", "-sourcepath"]).arg(&api).arg("-d").arg(to).arg(&source);
            match command.output() {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) => reason = String::from_utf8_lossy(&output.stderr).trim().to_owned(),
                Err(error) => reason = error.to_string(),
            }
            tried.push(javac.display().to_string());
        }
        Err(JdkError::NoCompiler { program: source, tried: tried.join(", "), reason })
    }

    /// Compiles one source file of `bench/java`, a Java agent whose class has its name, and packs it as `NAME.jar` into `folder`.
    pub(crate) fn pack_java_agent(&self, name: &str, folder: &Path) -> Result<PathBuf, JdkError> {
        let (classes, manifest) = (folder.join(name), folder.join(format!("{name}.manifest")));
        self.compile(&format!("{name}.java"), &classes)?;
        let jar = folder.join(format!("{name}.jar"));
        let pack = || -> io::Result<()> {
            fs::write(&manifest, format!("Premain-Class: {name}\n"))?;
            let mut command = Command::new(self.home.join("bin/jar"));
            command.arg("--create").arg("--file").arg(&jar).arg("--manifest").arg(&manifest);
            let output = command.arg("-C").arg(&classes).arg(".").output()?;
            let said = || io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned());
            if output.status.success() { Ok(()) } else { Err(said()) }
        };
        pack().map_err(|reason| JdkError::NotPacked { jar: jar.clone(), reason })?;
        Ok(jar)
    }
}

fn home_on_path() -> Option<PathBuf> {
    let launchers =
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join("java")).collect::<Vec<_>>();
    let java = fs::canonicalize(launchers.into_iter().find(|java| java.is_file())?).ok()?;
    Some(java.parent()?.parent()?.to_path_buf())
}

fn version_of(java: &Path) -> Result<String, JdkError> {
    let broken = |reason: String| JdkError::Broken { java: java.to_path_buf(), reason };
    let output = Command::new(java).arg("-version").output().map_err(|error| broken(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(broken(text.trim().to_owned()));
    }
    vm_line(&text).ok_or_else(|| broken(format!("no version in: {text}")))
}

/// The last line of `java -version`, which names the VM and its build.
fn vm_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim).find(|line| line.contains("build")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vm_names_itself_in_the_last_line() {
        let text = "openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)\n\
                    OpenJDK 64-Bit Server VM (build 17.0.15+6, mixed mode, sharing)\n";
        let expected = "OpenJDK 64-Bit Server VM (build 17.0.15+6, mixed mode, sharing)";
        assert_eq!(vm_line(text).as_deref(), Some(expected));
        assert_eq!(vm_line("command not understood"), None);
    }

    #[test]
    fn a_home_without_java_is_refused_by_name() {
        let empty = tempfile::tempdir().expect("temporary folder");
        let error = Jdk::find(Some(empty.path())).err().expect("no java in an empty folder");
        assert!(error.to_string().contains("bin/java -version failed"), "{error}");
    }
}
