//! `mayfly agent`: where the agent's library is, or a copy of it for who can't look for it.
//!
//! Not here: where it is looked for (`session/agent_library`).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::args::running::AgentArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::agent_library;

/// Prints the path of the library, or of its copy.
pub(crate) fn run(args: &AgentArgs) -> Result<u8, Error> {
    let library = agent_library::find()?;
    let path = match &args.copy_to {
        Some(folder) => copy(&library, folder)
            .map_err(|source| Error::NotWritten { name: folder.display().to_string(), source })?,
        None => library,
    };
    output::text(&format!("{}\n", path.display()), None)?;
    Ok(exit_codes::SUCCESS)
}

/// Renamed when it is whole: a JVM that starts meanwhile never loads half of it, and one that has loaded the old file keeps that.
fn copy(library: &Path, folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    let name = library.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut copy = tempfile::Builder::new().prefix(".libmayfly-").tempfile_in(&folder)?;
    io::copy(&mut fs::File::open(library)?, &mut copy)?;
    copy.as_file().set_permissions(Permissions::from_mode(0o755))?;
    let to = folder.join(name);
    copy.persist(&to)?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_replaces_an_older_one_and_all_may_read_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let library = folder.path().join("libmayfly.so");
        fs::write(&library, "new").expect("write");
        let to = folder.path().join("to");
        fs::create_dir(&to).expect("create");
        fs::write(to.join("libmayfly.so"), "old").expect("write");
        let copied = copy(&library, &to).expect("copied");
        assert_eq!(fs::read_to_string(&copied).expect("read"), "new");
        assert_eq!(fs::metadata(&copied).expect("there").permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(&to).expect("read").count(), 1, "nothing is left beside it");
        assert!(copy(&library, &folder.path().join("no such folder")).is_err());
    }
}
