//! Other processes, by what the kernel tells of them in `/proc`.

use std::{fs, io};

/// Ticks of a second in what Linux tells programs (USER_HZ).
const TICKS_PER_S: f64 = 100.0;

/// User and system CPU time of a process so far, in seconds.
///
/// # Errors
/// It is not there.
pub(crate) fn cpu_s(pid: u32) -> io::Result<f64> {
    times(&fs::read_to_string(format!("/proc/{pid}/stat"))?)
}

/// The same of those of its threads whose names begin so; of such as are there.
///
/// # Errors
/// It is not there.
pub(crate) fn threads_cpu_s(pid: u32, name: &str) -> io::Result<f64> {
    let mut sum = 0.0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?.path();
        // It may end between one look and the next.
        let read = |file: &str| fs::read_to_string(thread.join(file)).unwrap_or_default();
        if read("comm").starts_with(name) {
            sum += times(&read("stat")).unwrap_or(0.0);
        }
    }
    Ok(sum)
}

/// A process of whose command line something holds.
///
/// # Errors
/// There is no `/proc`.
pub(crate) fn process_of(is_it: impl Fn(&[&[u8]]) -> bool) -> io::Result<Option<u32>> {
    let holds = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        is_it(&line.split(|&byte| byte == 0).collect::<Vec<_>>())
    };
    let mut pids =
        fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(pids.find(holds))
}

/// Fields 14 and 15 of `/proc/PID/stat` (proc_pid_stat(5)), counted behind the name, which may hold blanks; in seconds.
fn times(stat: &str) -> io::Result<f64> {
    let ticks = || -> Option<u64> {
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').skip(11).take(2).map(|time| time.parse::<u64>().ok()).sum()
    };
    let ticks = ticks().ok_or_else(|| io::Error::other("no times in /proc/PID/stat"))?;
    Ok(ticks as f64 / TICKS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "12 (a) b 9) S 1 12 12 0 -1 4194560 26600 0 3 0 140 60 7 8 20 0 21 0 5";
        assert_eq!(times(stat).expect("times"), 2.0);
        assert!(times("12 a").is_err());
    }

    #[test]
    fn a_process_is_found_by_its_command_line_and_its_threads_by_name() {
        let own = std::env::args_os().next().expect("a program");
        let is_own = |line: &[&[u8]]| line.first() == Some(&own.as_encoded_bytes());
        assert!(process_of(is_own).expect("/proc").is_some());
        assert_eq!(process_of(|_| false).expect("/proc"), None);
        let pid = std::process::id();
        assert_eq!(threads_cpu_s(pid, "no such thread").expect("there"), 0.0);
        assert!(threads_cpu_s(pid, "").expect("there") <= cpu_s(pid).expect("there"));
    }
}
