//! Where `libmayfly.so` lies: `MAYFLY_AGENT`, beside the executable, or in `../lib`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Environment variable that names the agent library.
pub(crate) const VARIABLE: &str = "MAYFLY_AGENT";
const FILE_NAME: &str = "libmayfly.so";

/// The agent library's absolute path.
///
/// # Errors
/// [`Error::AgentNotAFile`] if `MAYFLY_AGENT` names no file, [`Error::AgentNotFound`] if there is none anywhere.
pub(crate) fn find() -> Result<PathBuf, Error> {
    // Symbolic links resolved: the agent lies beside the real file.
    let executable = env::current_exe().and_then(|path| path.canonicalize()).ok();
    find_for(env::var_os(VARIABLE), executable.as_deref())
}

fn find_for(variable: Option<OsString>, executable: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(named) = variable.filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        return match path.canonicalize() {
            Ok(absolute) if absolute.is_file() => Ok(absolute),
            _ => Err(Error::AgentNotAFile(path)),
        };
    }
    let folder = executable.and_then(Path::parent).unwrap_or(Path::new(""));
    let looked_at = vec![folder.join(FILE_NAME), folder.join("../lib").join(FILE_NAME)];
    let found = looked_at.iter().filter_map(|path| path.canonicalize().ok()).find(|path| path.is_file());
    found.ok_or(Error::AgentNotFound { looked_at })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder laid out like an installation, with the agent in each of `at`.
    fn installation(at: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().expect("temporary folder");
        for folder in ["bin", "lib", "elsewhere"] {
            fs::create_dir(root.path().join(folder)).expect("create");
        }
        for folder in at {
            fs::write(root.path().join(folder).join(FILE_NAME), "").expect("write");
        }
        let executable = root.path().join("bin/mayfly");
        (root, executable)
    }

    #[test]
    fn beside_the_executable_comes_before_lib() {
        let (root, executable) = installation(&["bin", "lib"]);
        let found = find_for(None, Some(&executable)).expect("found");
        assert_eq!(found, root.path().join("bin").join(FILE_NAME).canonicalize().unwrap());
    }

    #[test]
    fn lib_is_the_second_place() {
        let (root, executable) = installation(&["lib"]);
        let found = find_for(None, Some(&executable)).expect("found");
        assert_eq!(found, root.path().join("lib").join(FILE_NAME).canonicalize().unwrap());
    }

    #[test]
    fn the_variable_wins() {
        let (root, executable) = installation(&["bin", "elsewhere"]);
        let named = root.path().join("elsewhere").join(FILE_NAME);
        let found = find_for(Some(named.clone().into_os_string()), Some(&executable)).expect("found");
        assert_eq!(found, named.canonicalize().unwrap());
    }

    #[test]
    fn a_variable_that_names_no_file_is_an_error_and_no_fallback() {
        let (root, executable) = installation(&["bin"]);
        let error = find_for(Some(root.path().into()), Some(&executable)).unwrap_err().to_string();
        assert!(error.contains("MAYFLY_AGENT") && error.contains("not a file"), "{error}");
    }

    #[test]
    fn nowhere_says_where_it_looked() {
        let (_root, executable) = installation(&[]);
        let error = find_for(None, Some(&executable)).unwrap_err().to_string();
        assert!(error.contains("bin/libmayfly.so") && error.contains("../lib/libmayfly.so"), "{error}");
    }
}
