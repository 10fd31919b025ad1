//! The JDK under measurement: where it is, what it says of itself, compiling our Java programs with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

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
    #[error("no {tool} that {does} {file}: tried {tried}; give a full JDK by --java or JAVA_HOME ({reason})")]
    NoTool {
        /// `javac`, `jar`.
        tool: &'static str,
        /// What it does.
        does: &'static str,
        /// What it was to work on.
        file: PathBuf,
        /// Launchers tried.
        tried: String,
        /// What the last one said.
        reason: String,
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
    pub(crate) fn compile(&self, program: &str, to: &Path) -> Result<(), JdkError> {
        let source = java_sources().join(program);
        let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler-java/api/src");
        self.run_tool(("javac", "compiles"), &source, |command| {
            command.args(["--release", "11", "-sourcepath"]).arg(&api).arg("-d").arg(to).arg(&source);
        })
    }

    /// Compiles a folder of `fixtures` to `to`, for Java 11 and later.
    pub(crate) fn compile_fixture(&self, name: &str, to: &Path) -> Result<(), JdkError> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let sources: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|extension| extension == "java")).collect();
        self.run_tool(("javac", "compiles"), &folder, |command| {
            command.args(["--release", "11", "-nowarn", "-d"]).arg(to).args(&sources);
        })
    }

    /// The release of Java, if its version says it: `(build 17.0.15+6, …`.
    pub(crate) fn release(&self) -> Option<u32> {
        let (_, build) = self.version.split_once("(build ")?;
        build.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    }

    /// Compiles `bench/java/NAME.java`, a Java agent, and packs it with `NAME.manifest` as `NAME.jar` into `folder`.
    pub(crate) fn pack_java_agent(&self, name: &str, folder: &Path) -> Result<PathBuf, JdkError> {
        let (classes, jar) = (folder.join(name), folder.join(format!("{name}.jar")));
        self.compile(&format!("{name}.java"), &classes)?;
        let manifest = java_sources().join(format!("{name}.manifest"));
        self.run_tool(("jar", "packs"), &jar, |command| {
            command.arg("--create").arg("--file").arg(&jar).arg("--manifest").arg(&manifest);
            command.arg("-C").arg(&classes).arg(".");
        })?;
        Ok(jar)
    }

    /// Runs this JDK's tool, else JAVA_HOME's, else the one on the PATH (the JVM under measurement may be a JRE).
    fn run_tool(
        &self,
        (tool, does): (&'static str, &'static str),
        file: &Path,
        set_up: impl Fn(&mut Command),
    ) -> Result<(), JdkError> {
        let in_home = |home: &Path| home.join("bin").join(tool);
        let java_home = env::var_os("JAVA_HOME").map(|home| in_home(Path::new(&home)));
        let launchers = [Some(in_home(&self.home)), java_home, Some(PathBuf::from(tool))];
        let (mut tried, mut reason) = (Vec::new(), String::new());
        for launcher in launchers.into_iter().flatten() {
            let mut command = Command::new(&launcher);
            set_up(&mut command);
            match command.output() {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) => reason = String::from_utf8_lossy(&output.stderr).trim().to_owned(),
                Err(error) => reason = error.to_string(),
            }
            tried.push(launcher.display().to_string());
        }
        Err(JdkError::NoTool { tool, does, file: file.to_owned(), tried: tried.join(", "), reason })
    }
}

/// Where our Java programs are.
fn java_sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java")
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
    fn the_release_is_the_first_number_of_the_build() {
        let of = |version: &str| Jdk { home: PathBuf::new(), version: version.into() }.release();
        assert_eq!(of("OpenJDK 64-Bit Server VM (build 17.0.15+6, mixed mode, sharing)"), Some(17));
        assert_eq!(of("OpenJDK 64-Bit Server VM (build 25+36-LTS, mixed mode)"), Some(25));
        assert_eq!(of("another VM"), None);
    }

    #[test]
    fn a_home_without_java_is_refused_by_name() {
        let empty = tempfile::tempdir().expect("temporary folder");
        let error = Jdk::find(Some(empty.path())).err().expect("no java in an empty folder");
        assert!(error.to_string().contains("bin/java -version failed"), "{error}");
    }
}
