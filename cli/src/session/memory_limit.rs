//! How much memory a process may have: what its control groups allow, or else what the machine has.
//!
//! Not here: what of it the process has (`process`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::session::process::Process;

/// Where control groups are, as this process sees them.
const GROUPS: &str = "/sys/fs/cgroup";
/// Above this a limit of version 1 is none.
const NO_LIMIT: u64 = 1 << 62;

/// Bytes that the process may have; `None` if the kernel does not tell.
pub(crate) fn of(process: &Process) -> Option<u64> {
    let groups = fs::read_to_string(format!("/proc/{}/cgroup", process.pid)).unwrap_or_default();
    // From within a container its own group is at the root of what is mounted there.
    let roots = [PathBuf::from(GROUPS), process.path(GROUPS)];
    let limits = roots.iter().flat_map(|root| files(&groups, root)).filter_map(|file| limit(&file));
    limits.chain(machine()).min()
}

/// The files that may hold a limit: of each group of the process, and of those around it.
fn files(groups: &str, root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (below, name) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        files.extend(path.ancestors().map(|group| below.join(group).join(name)));
    }
    files
}

fn limit(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok().filter(|&bytes| bytes < NO_LIMIT)
}

fn machine() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_and_those_around_them_may_limit() {
        let named = |groups: &str| {
            let files = files(groups, Path::new("/g"));
            files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(named("0::/a/b"), ["/g/a/b/memory.max", "/g/a/memory.max", "/g/memory.max"]);
        assert_eq!(named("0::/"), ["/g/memory.max"]);
        let first = "5:cpu:/x\n4:memory,hugetlb:/a\n";
        assert_eq!(named(first), ["/g/memory/a/memory.limit_in_bytes", "/g/memory/memory.limit_in_bytes"]);
        assert!(named("").is_empty() && named("nonsense").is_empty());
    }

    #[test]
    fn no_limit_is_none_and_a_number_is_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, expected) in
            [("max\n", None), ("9223372036854771712\n", None), ("67108864\n", Some(64 << 20))]
        {
            let file = folder.path().join("memory.max");
            fs::write(&file, text).expect("written");
            assert_eq!(limit(&file), expected, "{text}");
        }
    }

    #[test]
    fn the_machine_is_the_last_limit() {
        let own = Process::find(std::process::id()).expect("alive");
        assert!(of(&own).is_some_and(|bytes| bytes > 1 << 20 && Some(bytes) <= machine()));
    }
}
