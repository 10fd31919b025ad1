//! What the collector's threads take of the processor, by the kernel's own account of the threads of a process; and how much metaspace
//! its JVM says it uses. Looked at while the process lives, as nobody knows afterwards.
//!
//! Not here: what collections did (`mayfly-profile`).

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::session::process::{Process, cpu_ms};
use crate::session::{jvms, memory_limit};

/// How often a process is looked at: what it does after the last look is missed.
const LOOK: Duration = Duration::from_millis(250);
/// How the names of the collectors' threads begin, HotSpot 11 to 27; the kernel keeps 15 bytes of a name.
const COLLECTORS: [&str; 12] = [
    "GC Thread#",
    "G1 Conc#",
    "G1 Main Marker",
    "G1 Refine#",
    "G1 Service",
    "ParGC",
    "ZDirector",
    "ZDriver",
    "ZWorker",
    "XDriver",
    "XWorker",
    "Shenandoah",
];
/// Serial collects in it; other collectors only wait there for their own.
const VM_THREAD: &str = "VM Thread";

/// Processor time of a process since it began, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// By threads of collectors.
    pub(crate) collector_ms: u64,
    /// By the thread that runs the JVM's operations.
    pub(crate) vm_thread_ms: u64,
    /// By all.
    pub(crate) process_ms: u64,
}

impl Spent {
    /// Of that process so far; `None` if it is gone, or the kernel does not tell.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let process_ms = spent(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
        let mut all = Self { process_ms, ..Self::default() };
        for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
            let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            let name = name.trim_end();
            let ms = || {
                fs::read_to_string(task.path().join("stat")).ok().and_then(|stat| spent(&stat)).unwrap_or(0)
            };
            if name == VM_THREAD {
                all.vm_thread_ms += ms();
            } else if COLLECTORS.iter().any(|begin| name.starts_with(begin)) {
                all.collector_ms += ms();
            }
        }
        Some(all)
    }

    /// What was spent since then.
    pub(crate) fn since(self, then: Self) -> Self {
        Self {
            collector_ms: self.collector_ms.saturating_sub(then.collector_ms),
            vm_thread_ms: self.vm_thread_ms.saturating_sub(then.vm_thread_ms),
            process_ms: self.process_ms.saturating_sub(then.process_ms),
        }
    }
}

/// User and system time of a line of `/proc/PID/stat`, in milliseconds.
fn spent(stat: &str) -> Option<u64> {
    cpu_ms(stat, 2)
}

/// What was seen of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Since it was first looked at; from the beginning of one that was just started.
    pub(crate) spent: Option<Spent>,
    /// Between the first look and the last.
    pub(crate) wall: Duration,
    /// Bytes of metaspace that were used at last.
    pub(crate) metaspace: Option<u64>,
    /// Bytes that it may have.
    pub(crate) memory: Option<u64>,
    /// How many milliseconds before the first look all of its heap was collected.
    pub(crate) collected_whole_ms: Option<u64>,
}

/// Looks at a process until it is told to stop, or the process ends.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Seen>,
}

impl Watch {
    /// Begins; `None` if there is no thread for it.
    pub(crate) fn begin(pid: u32) -> Option<Self> {
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("watching".to_owned()).spawn(move || watch(pid, &stopped));
        Some(Self { stop, thread: thread.ok()? })
    }

    /// Ends, and says what was seen.
    pub(crate) fn end(self) -> Seen {
        self.stop.store(true, Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

/// Bytes of metaspace that the classes of a JVM take, by its own counters.
pub(crate) fn metaspace_used(process: &Process) -> Option<u64> {
    Some(jvms::perf_data(process)?.metaspace()?.used_bytes)
}

/// How many milliseconds ago all of the heap was collected while the program stood still, by the JVM's counters.
fn collected_whole_ms(process: &Process) -> Option<u64> {
    let at_ms = jvms::perf_data(process)?.collected_whole_at_ms()?;
    Some(u64::try_from(process.uptime()?.as_millis()).ok()?.saturating_sub(at_ms))
}

fn watch(pid: u32, stop: &AtomicBool) -> Seen {
    let begin = Instant::now();
    let first = Spent::of(pid).unwrap_or_default();
    let collected_whole_ms = Process::find(pid).ok().as_ref().and_then(collected_whole_ms);
    let mut seen = Seen { collected_whole_ms, ..Seen::default() };
    loop {
        let Ok(process) = Process::find(pid) else { return seen };
        if let Some(spent) = Spent::of(pid) {
            seen.spent = Some(spent.since(first));
            seen.wall = begin.elapsed();
        }
        seen.memory = seen.memory.or_else(|| memory_limit::of(&process));
        seen.metaspace = metaspace_used(&process).or(seen.metaspace);
        if stop.load(Relaxed) {
            return seen;
        }
        thread::park_timeout(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::TryRecvError;

    use super::*;

    #[test]
    fn time_is_that_of_user_and_system() {
        let per_tick = 1000 / rustix::param::clock_ticks_per_second();
        let stat = "7 (GC (odd) Thread) S 1 2 3 4 5 6 7 8 9 10 30 12 13";
        assert_eq!(spent(stat), Some(42 * per_tick));
        assert_eq!((spent("7 (x) S 1"), spent("")), (None, None));
    }

    #[test]
    fn threads_are_told_by_their_names() {
        let busy = |name: &str| {
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            // Until it was seen: the kernel counts in hundredths of a second.
            let work = move || while receiver.try_recv() == Err(TryRecvError::Empty) {};
            (thread::Builder::new().name(name.to_owned()).spawn(work).expect("a thread"), sender)
        };
        let threads = ["GC Thread#0", "VM Thread", "Reader"].map(busy);
        let begin = Instant::now();
        let both = |spent: Spent| spent.collector_ms > 0 && spent.vm_thread_ms > 0;
        let mut spent = Spent::default();
        while !both(spent) && begin.elapsed() < Duration::from_secs(10) {
            spent = Spent::of(std::process::id()).expect("this process");
            thread::sleep(LOOK / 10);
        }
        assert!(both(spent), "{spent:?}");
        assert!(spent.process_ms >= spent.collector_ms + spent.vm_thread_ms, "{spent:?}");
        for (thread, sender) in threads {
            drop(sender);
            thread.join().expect("ended");
        }
    }

    #[test]
    fn a_process_that_is_gone_is_seen_no_more() {
        let mut child = std::process::Command::new("true").spawn().expect("true starts");
        let pid = child.id();
        child.wait().expect("ended");
        assert_eq!(Spent::of(pid), None);
        assert_eq!(Watch::begin(pid).expect("a thread").end().spent, None);
    }
}
