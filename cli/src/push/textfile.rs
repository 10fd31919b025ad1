//! Metrics in a file that is always whole: of the textfile collector of node_exporter, or whoever else reads it in between.
//!
//! Not here: the metrics (`mayfly-formats`), and where profiles come from (`commands/push`).

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A file that is replaced as a whole.
pub(crate) struct Textfile {
    path: PathBuf,
}

impl Textfile {
    /// Nothing is written yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Puts `text` in its place. Who reads meanwhile has the old one or this one.
    ///
    /// # Errors
    /// What the system says; the old one is still there.
    pub(crate) fn replace(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        // Not *.prom, which would be read.
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mut file =
            tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(".part").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        // The collector is another user.
        file.as_file().set_permissions(Permissions::from_mode(0o644))?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// There is nothing more to be told: what ended would be reported for ever.
    pub(crate) fn remove(&self) {
        // It may be gone already.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_replaced_as_a_whole_and_others_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("app.prom");
        let file = Textfile::new(path.clone());
        file.replace("a 1\n").expect("written");
        let reader = fs::File::open(&path).expect("there");
        file.replace("a 2\nb 3\n").expect("written");
        assert_eq!(io::read_to_string(reader).expect("readable"), "a 1\n", "who reads has the old one");
        assert_eq!(fs::read_to_string(&path).expect("there"), "a 2\nb 3\n");
        assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing beside it");
        file.remove();
        assert!(!path.exists());
        assert!(Textfile::new(folder.path().join("no/app.prom")).replace("").is_err());
    }
}
