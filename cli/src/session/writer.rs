//! Which process writes a file: the JVM whose agent keeps this recording.
//!
//! By what processes have open, so it is found from outside a container, too, and is never a later process of the same
//! number. Not here: what the recording itself tells of its JVM (`outline`).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::session::process::all_pids;

/// The process that has the file open for writing, if it is one that we may look into.
pub(crate) fn of(path: &Path) -> Option<u32> {
    let file = fs::metadata(path).ok()?;
    let file = (file.dev(), file.ino());
    all_pids().into_iter().find(|&pid| writes(pid, file).unwrap_or(false))
}

fn writes(pid: u32, file: (u64, u64)) -> Option<bool> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let same = |descriptor: &fs::DirEntry| {
        fs::metadata(descriptor.path()).is_ok_and(|found| (found.dev(), found.ino()) == file)
    };
    Some(open.filter(same).any(|descriptor| {
        let name = descriptor.file_name();
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{}", name.to_string_lossy()));
        info.ok().and_then(|info| is_for_writing(&info)).unwrap_or(false)
    }))
}

/// By the flags in `/proc/PID/fdinfo/N` (proc(5)): access mode 1 or 2.
fn is_for_writing(info: &str) -> Option<bool> {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
    Some(u32::from_str_radix(flags.trim(), 8).ok()? & 3 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process;

    use super::*;

    #[test]
    fn who_writes_is_told_from_who_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let written = File::create(&path).expect("a file");
        assert_eq!(of(&path), Some(process::id()));
        drop(written);
        let _read = File::open(&path).expect("there");
        assert_eq!(of(&path), None);
        assert_eq!(of(&folder.path().join("nothing")), None);
    }
}
