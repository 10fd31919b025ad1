//! Signals that end the view: noted, so that the terminal is put in order first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;

/// The signal that came.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// Notes them from now on, instead of what they do otherwise.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn watch() -> io::Result<Self> {
        let stop = Self::default();
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            flag::register_usize(signal, Arc::clone(&stop.0), signal as usize)?;
        }
        Ok(stop)
    }

    /// The last one, if any came.
    pub(super) fn signal(&self) -> Option<i32> {
        Some(self.0.load(Relaxed) as i32).filter(|&signal| signal != 0)
    }
}
