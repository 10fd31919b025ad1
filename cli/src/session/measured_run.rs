//! A program's run, measured: processor time by the kernel's account of children that were waited for (getrusage(2)), memory as
//! its process has it (proc(5), `VmHWM`), seen while it lives.

use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use mayfly_verdicts::MeasuredRun;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::error::Error;
use crate::session::jvms;
use crate::session::launch::Running;
use crate::session::process::{cpu_time, peak_bytes};

/// How often memory is looked at: what it grows by after the last look is missed.
const LOOK: Duration = Duration::from_millis(10);

/// A program that has come to its end.
pub(crate) struct Measured {
    pub(crate) status: ExitStatus,
    /// Its time was over, and it was sent SIGTERM for that.
    pub(crate) is_out_of_time: bool,
    pub(crate) run: MeasuredRun,
}

/// Waits for the end of a program that was just started, and ends it after `time` if that is given; what it takes from `half` on is its late part. Of a
/// program whose process is no JVM the memory is not known: the JVMs that it starts have theirs.
///
/// # Errors
/// [`Error::NotWatched`].
pub(crate) fn measure(
    running: Running,
    time: Option<Duration>,
    half: Option<Duration>,
) -> Result<Measured, Error> {
    let pid = running.pid();
    let not_watched = |source| Error::NotWatched { program: pid.to_string(), source };
    let (began, before) = (Instant::now(), spent().map_err(not_watched)?);
    let (ended, ends) = mpsc::channel::<()>();
    let looker = thread::spawn(move || {
        let (mut peak, mut deadline) = (None, time.map(|time| Instant::now() + time));
        let (mut half, mut at_half, mut late_cpu) = (half.map(|half| Instant::now() + half), None, None);
        let since = |at: Option<Duration>| at.and_then(|half| cpu_time(pid)?.checked_sub(half));
        let mut is_jvm = false;
        // Opened while it is ours and not waited for: the number is nobody else's.
        let process =
            Pid::from_raw(pid.cast_signed()).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        while ends.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            is_jvm = is_jvm || jvms::is_jvm(pid);
            peak = peak.max(peak_bytes(pid));
            if half.take_if(|at| *at <= Instant::now()).is_some() {
                at_half = cpu_time(pid).filter(|_| is_jvm);
            }
            if time.is_none() {
                // When it ends nobody knows.
                late_cpu = since(at_half).or(late_cpu);
            }
            if deadline.take_if(|at| *at <= Instant::now()).is_some()
                && let Some(process) = &process
            {
                // Before its end, which is no work.
                late_cpu = since(at_half);
                // That it has just ended is as well.
                let _ = pidfd_send_signal(process, Signal::TERM);
            }
        }
        (peak.filter(|_| is_jvm), late_cpu, time.is_some() && deadline.is_none())
    });
    let outcome = running.wait();
    drop(ended);
    let (peak_bytes, late_cpu, is_out_of_time) = looker.join().unwrap_or_default();
    let run = MeasuredRun {
        cpu: spent().map_err(not_watched)?.saturating_sub(before),
        elapsed: began.elapsed(),
        peak_bytes,
        late_cpu,
    };
    Ok(Measured { status: outcome?.status, is_out_of_time, run })
}

/// Processor time of all children that were waited for.
fn spent() -> io::Result<Duration> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}
