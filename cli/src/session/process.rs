//! A process as `/proc` shows it, also one in another pid or mount namespace.
//!
//! Not here: what makes it a JVM (`jvms`).

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::session::unreachable::Unreachable;

/// SIGQUIT's bit in the signal masks of `/proc/PID/status`.
const SIGQUIT_BIT: u64 = 1 << (signal_hook::consts::SIGQUIT - 1);

/// A process that was there when it was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Its number here.
    pub(crate) pid: u32,
    /// Its number as it sees itself: another one in a container.
    pub(crate) inner_pid: u32,
    /// Its effective user.
    pub(crate) uid: u32,
    /// Whether it does something on SIGQUIT; if not, the signal would end it.
    pub(crate) catches_quit: bool,
    /// Whether it stands still, by SIGSTOP or a debugger.
    pub(crate) is_stopped: bool,
    /// When it started, in clock ticks since the system did; tells it from a later process of the same number.
    pub(crate) started: Option<u64>,
    /// What of it is in memory, in bytes; 0 if the kernel does not tell.
    pub(crate) resident_bytes: u64,
    /// Its address space in bytes; 0 if the kernel does not tell.
    pub(crate) virtual_bytes: u64,
}

/// The most memory that a process has had resident so far, in bytes; `None` if it is gone, or has given its memory back.
pub(crate) fn peak_bytes(pid: u32) -> Option<u64> {
    status_bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM")
}

/// Processor time of a process so far, and of the processes that it waited for; `None` if it is gone.
pub(crate) fn cpu_time(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    cpu_ms(&stat, 4).map(Duration::from_millis)
}

/// A line of `/proc/PID/status`.
fn status_field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// One that is a size, in KiB there.
fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let kib: u64 = status_field(status, name)?.split_whitespace().next()?.parse().ok()?;
    Some(kib.saturating_mul(1024))
}

impl Process {
    /// Looks at a process.
    ///
    /// # Errors
    /// [`Unreachable::NoProcess`] if there is none of that number, or it has ended and nobody waited for it yet.
    pub(crate) fn find(pid: u32) -> Result<Self, Unreachable> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok();
        let found =
            status.and_then(|status| Self::parse(pid, &status)).ok_or(Unreachable::NoProcess { pid })?;
        Ok(Self { started: started(pid), ..found })
    }

    fn parse(pid: u32, status: &str) -> Option<Self> {
        let field = |name: &str| status_field(status, name);
        let state = field("State")?;
        if state.starts_with(['Z', 'X']) {
            return None;
        }
        let inner_pid = field("NSpid").and_then(|pids| pids.split_whitespace().last()?.parse().ok());
        let caught = field("SigCgt").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
        Some(Self {
            pid,
            // Kernels before 4.1 do not tell.
            inner_pid: inner_pid.unwrap_or(pid),
            uid: field("Uid")?.split_whitespace().nth(1)?.parse().ok()?,
            catches_quit: caught & SIGQUIT_BIT != 0,
            is_stopped: state.starts_with(['T', 't']),
            started: None,
            resident_bytes: status_bytes(status, "VmRSS").unwrap_or(0),
            virtual_bytes: status_bytes(status, "VmSize").unwrap_or(0),
        })
    }

    /// Whether we may do with it what its own user may.
    ///
    /// # Errors
    /// [`Unreachable::OtherUser`].
    pub(crate) fn check_user(&self) -> Result<(), Unreachable> {
        let own = rustix::process::geteuid();
        if own.is_root() || own.as_raw() == self.uid {
            return Ok(());
        }
        Err(Unreachable::OtherUser { pid: self.pid, owner: self.uid, own: own.as_raw() })
    }

    /// A path of the process as it can be reached from here. Links in it may lead astray: see [`super::folder`].
    pub(crate) fn path(&self, absolute: &str) -> PathBuf {
        let mut path = self.root().into_os_string();
        if path == "/" {
            path.clear();
        }
        path.push(absolute);
        path.into()
    }

    /// Its root folder as it can be reached from here. The system closes `/proc/PID/root` of a process with a capability to its own
    /// user: then it is ours, as long as nothing says that it is in a container.
    pub(crate) fn root(&self) -> PathBuf {
        if self.is_closed() && self.inner_pid == self.pid {
            return "/".into();
        }
        format!("/proc/{}/root", self.pid).into()
    }

    /// Whether the system keeps its files and mappings from us, though it may be our own.
    pub(crate) fn is_closed(&self) -> bool {
        fs::read_link(format!("/proc/{}/root", self.pid))
            .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Whether it can do anything at all.
    ///
    /// # Errors
    /// [`Unreachable::Stopped`].
    pub(crate) fn check_running(&self) -> Result<(), Unreachable> {
        if self.is_stopped { Err(Unreachable::Stopped { pid: self.pid }) } else { Ok(()) }
    }

    /// Files mapped into it, as it named them.
    ///
    /// # Errors
    /// [`Unreachable::NotPermitted`].
    pub(crate) fn mapped_files(&self) -> Result<Vec<String>, Unreachable> {
        let maps = fs::read(format!("/proc/{}/maps", self.pid)).map_err(|cause| self.not_permitted(cause))?;
        let maps = String::from_utf8_lossy(&maps);
        let mut files: Vec<_> =
            maps.lines().filter_map(|line| Some(line[line.find('/')?..].to_owned())).collect();
        files.dedup();
        Ok(files)
    }

    /// Its command line's words.
    pub(crate) fn command_line(&self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let words = bytes.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut words: Vec<_> = words.collect();
        words.pop(); // behind the last zero
        words
    }

    /// How long it has run.
    pub(crate) fn uptime(&self) -> Option<Duration> {
        let started = self.started? as f64;
        let now: f64 = fs::read_to_string("/proc/uptime").ok()?.split_whitespace().next()?.parse().ok()?;
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        Duration::try_from_secs_f64((now - started / ticks).max(0.0)).ok()
    }

    /// Whether it is still there, and not another one of its number.
    pub(crate) fn is_alive(&self) -> bool {
        Self::find(self.pid).is_ok_and(|now| now.started == self.started)
    }

    /// Sends SIGQUIT, which ends a process that does not handle it: so to this one only, though it may end at any time and its
    /// number be given to another.
    ///
    /// # Errors
    /// [`Unreachable::Ended`]; [`Unreachable::NotPermitted`].
    pub(crate) fn send_quit(&self) -> Result<(), Unreachable> {
        let ended = || Unreachable::Ended { pid: self.pid };
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw).ok_or_else(ended)?;
        // Held first: from here on it stands for one process, and the look at it tells which.
        let held = pidfd_open(pid, PidfdFlags::empty());
        if !self.is_alive() {
            return Err(ended());
        }
        let sent = match held {
            Ok(held) => pidfd_send_signal(&held, Signal::QUIT),
            // Kernels before 5.3.
            Err(rustix::io::Errno::NOSYS) => kill_process(pid, Signal::QUIT),
            Err(error) => Err(error),
        };
        match sent {
            Err(rustix::io::Errno::SRCH) => Err(ended()),
            sent => sent.map_err(|error| self.not_permitted(error.into())),
        }
    }

    pub(crate) fn not_permitted(&self, cause: io::Error) -> Unreachable {
        match self.is_alive() {
            true if self.is_closed() => Unreachable::Closed { pid: self.pid, cause },
            true => Unreachable::NotPermitted { pid: self.pid, cause },
            false => Unreachable::NoProcess { pid: self.pid },
        }
    }
}

/// When a process started, in clock ticks since the system did.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat_fields(&stat, 22).next()?.parse().ok()
}

/// The fields of a line of `/proc/PID/stat` from that number on; state, behind the name in parentheses, is 3 (proc_pid_stat(5)).
pub(crate) fn stat_fields(stat: &str, from: usize) -> impl Iterator<Item = &str> {
    stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(from - 3)
}

/// Processor time of a line of `/proc/PID/stat`, in milliseconds: the sum of so many fields, which are by user and by system of itself, then of the
/// processes that it waited for.
pub(crate) fn cpu_ms(stat: &str, fields: usize) -> Option<u64> {
    let mut ticks = stat_fields(stat, 14).map(|ticks| ticks.parse::<u64>().ok());
    let ticks: u64 = (0..fields).map(|_| ticks.next()?).sum::<Option<_>>()?;
    Some(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// How many processes of other users, which are not for us to look at, call themselves `java`.
pub(crate) fn javas_of_others() -> usize {
    let is_java = |pid: &u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm"));
        name.is_ok_and(|name| name.trim_end() == "java")
    };
    let of_another = |pid: u32| Process::find(pid).is_ok_and(|process| process.check_user().is_err());
    all_pids().into_iter().filter(is_java).filter(|&pid| of_another(pid)).count()
}

/// The numbers of all processes.
pub(crate) fn all_pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids: Vec<_> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    pids
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tjava\nState:\tS (sleeping)\nUid:\t1000\t1001\t1000\t1000\nNSpid:\t4711\t12\t1\n\
                          SigCgt:\t0000000000000004\n";

    #[test]
    fn a_container_has_its_own_number_and_the_effective_user_counts() {
        let process = Process::parse(4711, STATUS).expect("alive");
        assert_eq!((process.inner_pid, process.uid, process.catches_quit), (1, 1001, true));
    }

    #[test]
    fn memory_is_told_in_kib() {
        let status = format!("{STATUS}VmSize:\t 4096 kB\nVmRSS:\t    12 kB\n");
        let process = Process::parse(4711, &status).expect("alive");
        assert_eq!((process.resident_bytes, process.virtual_bytes), (12 << 10, 4 << 20));
        let process = Process::parse(4711, STATUS).expect("alive");
        assert_eq!((process.resident_bytes, process.virtual_bytes), (0, 0));
    }

    #[test]
    fn without_namespaces_the_numbers_are_the_same() {
        let status = STATUS.replace("NSpid:\t4711\t12\t1\n", "").replace("0004", "0003");
        let process = Process::parse(4711, &status).expect("alive");
        assert_eq!((process.inner_pid, process.catches_quit), (4711, false));
    }

    #[test]
    fn a_zombie_is_no_process() {
        assert!(Process::parse(4711, &STATUS.replace("S (sleeping)", "Z (zombie)")).is_none());
        assert!(Process::parse(4711, "").is_none());
        let stopped = Process::parse(4711, &STATUS.replace("S (sleeping)", "T (stopped)")).expect("alive");
        assert!(stopped.check_running().is_err());
    }

    /// What has the number by now is not signalled: SIGQUIT would end it.
    #[test]
    fn a_later_process_of_the_same_number_is_left_alone() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("cat starts");
        let found = Process::find(child.id()).expect("alive");
        let earlier = Process { started: found.started.map(|ticks| ticks - 1), ..found.clone() };
        assert!(!earlier.is_alive() && found.is_alive());
        assert!(matches!(earlier.send_quit(), Err(Unreachable::Ended { .. })));
        drop(child.stdin.take());
        assert!(child.wait().expect("ended").success(), "it came to its own end");
        assert!(matches!(found.send_quit(), Err(Unreachable::Ended { .. })));
    }

    #[test]
    fn this_process_is_found() {
        let own = Process::find(std::process::id()).expect("alive");
        assert_eq!(own.uid, rustix::process::geteuid().as_raw());
        assert!(own.uptime().is_some() && own.is_alive() && own.check_user().is_ok());
        assert!(!own.command_line().is_empty() && !own.mapped_files().expect("ours").is_empty());
        assert!(all_pids().contains(&own.pid));
    }
}
