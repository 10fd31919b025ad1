//! Passes signals on to the program we wait for, so that it is the one to decide what they mean.
//!
//! What the terminal sends (Ctrl-C, Ctrl-\, hang-up) reaches the program without us, as a member of the same process
//! group: passing it on would deliver it twice. Only what another process sent to us alone is passed on.

use std::fs;
use std::io;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::origin::{Origin, WithOrigin};
use signal_hook::low_level::siginfo::Cause;

const FORWARDED: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Holds our own signals while a program runs.
pub(crate) struct SignalWatch(SignalsInfo<WithOrigin>);

impl SignalWatch {
    /// Takes over the signals from now on. One that we were told to ignore (`nohup`) stays ignored, for the program too.
    ///
    /// # Errors
    /// What the system says about installing the handlers.
    pub(crate) fn new() -> io::Result<Self> {
        let ignored = ignored_signals();
        let ours = FORWARDED.into_iter().filter(|signal| !ignored.contains(signal));
        SignalsInfo::new(ours.chain([SIGCHLD])).map(Self)
    }

    /// Passes signals on until `child` has ended.
    ///
    /// # Errors
    /// What the system says about waiting.
    pub(crate) fn forward_until_end(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        loop {
            // One thread waits and passes on: a signal never goes to a process id that is free again.
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            for origin in self.0.wait() {
                pass_on(&origin, child)?;
            }
        }
    }
}

fn pass_on(origin: &Origin, child: &mut Child) -> io::Result<()> {
    if origin.signal == SIGCHLD || origin.cause == Cause::Kernel || child.try_wait()?.is_some() {
        return Ok(());
    }
    if let Some(signal) = Signal::from_named_raw(origin.signal) {
        // The child is ours and not waited for yet: this can't miss.
        kill_process(Pid::from_child(child), signal)?;
    }
    Ok(())
}

/// The signals ignored by this process, from `SigIgn` in `/proc/self/status`; none where there is no such file.
fn ignored_signals() -> Vec<i32> {
    let mask =
        fs::read_to_string("/proc/self/status").ok().and_then(|status| ignore_mask(&status)).unwrap_or(0);
    (1..=64).filter(|signal| mask >> (signal - 1) & 1 == 1).collect()
}

fn ignore_mask(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read_from_its_line() {
        let status = "Name:\tmayfly\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignore_mask(status), Some(0x1001));
        assert_eq!(ignore_mask("Name:\tmayfly\n"), None);
    }

    #[test]
    fn rust_ignores_broken_pipes_and_so_does_this_process() {
        assert!(ignored_signals().contains(&signal_hook::consts::SIGPIPE));
    }
}
