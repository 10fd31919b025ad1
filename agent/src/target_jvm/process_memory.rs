//! How much memory the process has, how much it may have, and for how long it runs, as Linux says.
//!
//! Not here: what it is for.

use std::fs;

use mayfly_profile::{MEMORY_LIMIT_BYTES, RESIDENT_BYTES, UPTIME_MS};

/// A limit from here on is none: version 1 of control groups writes the largest number of pages.
const NO_LIMIT: u64 = 1 << 60;

/// Ticks of the clock by which Linux states times of processes, in a second (`USER_HZ`, proc(5)).
const TICKS_PER_S: f64 = 100.0;

/// All now, by tag of the reading. What is not known is left out.
pub(super) fn read() -> Vec<(u8, u64)> {
    let text = |path: &str| fs::read_to_string(path).ok();
    let resident = text("/proc/self/status").and_then(|status| resident(&status));
    let limit = text("/proc/self/cgroup").and_then(|groups| limit(&groups, text));
    let known = |tag, value: Option<u64>| value.map(|value| (tag, value));
    let uptime = text("/proc/self/stat").and_then(|stat| uptime_ms(&stat, &text("/proc/uptime")?));
    [known(RESIDENT_BYTES, resident), known(MEMORY_LIMIT_BYTES, limit), known(UPTIME_MS, uptime)]
        .into_iter()
        .flatten()
        .collect()
}

/// Of `/proc/self/stat`, whose second field may hold anything, and `/proc/uptime`.
fn uptime_ms(stat: &str, uptime: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let began: f64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    let now: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some((1_000.0 * (now - began / TICKS_PER_S)).max(0.0) as u64)
}

/// Bytes in memory, of `/proc/self/status`.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The lowest limit of the control groups that the process is in, of `/proc/self/cgroup`; `None` if there is none. Inside of a container
/// its group may be mounted at the root.
fn limit(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        above.filter_map(|path| read(&format!("{root}{}/{file}", path.trim_end_matches('/')))).collect()
    });
    limits.filter_map(|text| text.trim().parse().ok()).filter(|&limit| limit < NO_LIMIT).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_of(groups: &str, files: &[(&str, &str)]) -> Option<u64> {
        let read = |path: &str| Some(files.iter().find(|(name, _)| *name == path)?.1.to_owned());
        limit(groups, read)
    }

    #[test]
    fn what_is_resident_is_in_kib_and_what_is_not_said_is_not_known() {
        assert_eq!(resident("Name:\tjava\nVmHWM:\t  900 kB\nVmRSS:\t  812 kB\n"), Some(812 << 10));
        assert_eq!(resident("Name:\tjava\n"), None);
    }

    #[test]
    fn how_long_it_runs_is_since_its_start() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4250 20 21";
        assert_eq!(uptime_ms(stat, "100.25 7.5\n"), Some(57_750));
        assert_eq!(uptime_ms("7 (java) S 1", "100.25 7.5\n"), None);
        let own = fs::read_to_string("/proc/self/stat").expect("Linux");
        let up = fs::read_to_string("/proc/uptime").expect("Linux");
        assert!(uptime_ms(&own, &up).is_some_and(|ms| ms < 3_600_000), "a test is no hour old: {own}");
    }

    #[test]
    fn the_lowest_limit_of_all_groups_above_counts() {
        let group = "0::/pods/pod7/java\n";
        let pod = ("/sys/fs/cgroup/pods/pod7/memory.max", "1073741824\n");
        assert_eq!(
            limit_of(group, &[("/sys/fs/cgroup/pods/pod7/java/memory.max", "max\n"), pod]),
            Some(1 << 30)
        );
        let own = ("/sys/fs/cgroup/memory.max", "536870912\n");
        assert_eq!(limit_of(group, &[own, pod]), Some(512 << 20), "mounted at the root");
        assert_eq!(limit_of("0::/\n", &[own]), Some(512 << 20));
        assert_eq!(limit_of(group, &[]), None);
    }

    #[test]
    fn of_version_1_the_group_of_memory_counts_and_the_largest_number_is_no_limit() {
        let groups = "5:cpu,cpuacct:/a\n4:memory:/a\n0::/b\n";
        let at = |value| [("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", value)];
        assert_eq!(limit_of(groups, &at("2048\n")), Some(2_048));
        assert_eq!(limit_of(groups, &at("9223372036854771712\n")), None);
    }
}
