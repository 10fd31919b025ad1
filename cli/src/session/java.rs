//! Java launchers: telling one by its name, and finding one with its compiler.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Whether `program` is a `java` launcher, which takes JVM options on its command line.
pub(crate) fn is_launcher(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("java"))
}

/// A launcher that exists, and a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Java {
    /// Path of `java`.
    pub(crate) launcher: PathBuf,
    /// Path of the `javac` beside it, else of that in `JAVA_HOME` or on the `PATH`; a JRE has none.
    pub(crate) compiler: Option<PathBuf>,
}

/// Finds a launcher: `named` (a launcher or a JDK's folder), else `JAVA_HOME`, else the `PATH`.
///
/// # Errors
/// [`Error::JavaNotFound`] with every place tried. What is named but absent is not replaced by another JVM.
pub(crate) fn find(named: Option<&Path>) -> Result<Java, Error> {
    find_among(named, env::var_os("JAVA_HOME"), env::var_os("PATH"))
}

fn find_among(named: Option<&Path>, home: Option<OsString>, path: Option<OsString>) -> Result<Java, Error> {
    let home = home.filter(|value| !value.is_empty()).map(|home| PathBuf::from(home).join("bin"));
    let path = path.unwrap_or_default();
    let folders: Vec<_> = home.into_iter().chain(env::split_paths(&path)).collect();
    let looked_at = match named {
        Some(folder) if folder.is_dir() => vec![folder.join("bin/java"), folder.join("java")],
        Some(launcher) => vec![launcher.to_owned()],
        None => folders.iter().map(|folder| folder.join("java")).collect(),
    };
    let Some(launcher) = looked_at.iter().find(|path| path.is_file()) else {
        return Err(Error::JavaNotFound { looked_at });
    };
    let other_compiler = || folders.iter().map(|folder| folder.join("javac")).find(|path| path.is_file());
    Ok(Java { launcher: launcher.clone(), compiler: compiler_of(launcher).or_else(other_compiler) })
}

/// `/usr/bin/java` is a link into a JDK: the compiler lies beside the real file.
fn compiler_of(launcher: &Path) -> Option<PathBuf> {
    let real = launcher.canonicalize().ok()?;
    Some(real.with_file_name("javac")).filter(|compiler| compiler.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("temporary folder");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("parent")).expect("create");
            fs::write(path, "").expect("write");
        }
        root
    }

    #[test]
    fn only_java_itself_is_a_launcher() {
        for (program, expected) in [
            ("java", true),
            ("/opt/jdk/bin/java", true),
            ("javac", false),
            ("mvn", false),
            ("/java/sh", false),
        ] {
            assert_eq!(is_launcher(OsStr::new(program)), expected, "{program}");
        }
    }

    #[test]
    fn java_home_comes_before_the_path() {
        let root = folder_with(&["home/bin/java", "home/bin/javac", "bin/java"]);
        let java =
            find_among(None, Some(root.path().join("home").into()), Some(root.path().join("bin").into()))
                .unwrap();
        assert_eq!(java.launcher, root.path().join("home/bin/java"));
        assert_eq!(java.compiler, Some(root.path().canonicalize().unwrap().join("home/bin/javac")));
    }

    #[test]
    fn a_link_leads_to_the_compiler() {
        let root = folder_with(&["jdk/bin/java", "jdk/bin/javac", "bin/x"]);
        symlink(root.path().join("jdk/bin/java"), root.path().join("bin/java")).expect("link");
        let java = find_among(None, None, Some(root.path().join("bin").into())).unwrap();
        assert!(java.compiler.is_some_and(|path| path.ends_with("jdk/bin/javac")));
    }

    #[test]
    fn a_jre_has_no_compiler_but_another_jdk_may() {
        let root = folder_with(&["jre/bin/java", "jdk/bin/java", "jdk/bin/javac"]);
        let (jre, jdk) = (root.path().join("jre"), root.path().join("jdk"));
        assert_eq!(find_among(Some(&jre), None, None).unwrap().compiler, None);
        let java = find_among(Some(&jre), None, Some(jdk.join("bin").into())).unwrap();
        assert_eq!(java.launcher, jre.join("bin/java"));
        assert_eq!(java.compiler, Some(jdk.join("bin/javac")));
    }

    #[test]
    fn what_is_named_is_not_replaced() {
        let root = folder_with(&["bin/java"]);
        let missing = root.path().join("nothing");
        let error = find_among(Some(&missing), Some(root.path().into()), None).unwrap_err().to_string();
        assert!(error.contains("nothing") && !error.contains("bin/java"), "{error}");
    }
}
