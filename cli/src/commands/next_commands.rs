//! Commands that the user may type next, spelled so that a shell takes them.

use std::env;
use std::path::{Path, PathBuf};

/// How this program was called.
pub(crate) fn program() -> String {
    let called = env::args_os().next().map(PathBuf::from);
    let path = called.filter(|path| path.components().count() > 1);
    path.map_or("mayfly".to_owned(), |path| shown(&path))
}

/// A path, relative to here if it lies here, quoted if it has to be.
pub(crate) fn shown(path: &Path) -> String {
    let here = env::current_dir().ok();
    quoted(&here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).to_string_lossy())
}

/// A word, quoted if it has to be.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("/a/b-1.mayfly"), "/a/b-1.mayfly");
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }

    #[test]
    fn what_lies_here_is_shown_from_here() {
        let here = env::current_dir().expect("a folder");
        assert_eq!(shown(&here.join("x.mayfly")), "x.mayfly");
        assert_eq!(shown(Path::new("/x.mayfly")), "/x.mayfly");
    }
}
