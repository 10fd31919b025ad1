//! Says on stderr how far long work is, if that is a terminal.
//!
//! Not here: what the work is. Nothing is ever shown for work that is done at once, or to a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mayfly_report::printable;

const BYTES: &str = "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left";
const WORK: &str = "{spinner} {msg} {elapsed}";
const TICK: Duration = Duration::from_millis(120);

/// One piece of work, cleared from the screen when dropped.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Work through so many bytes. indicatif hides it where stderr is no terminal.
    pub(crate) fn bytes(what: &str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        Self(bar.with_style(style(BYTES)).with_message(printable(what).into_owned()))
    }

    /// Work of unknown length.
    pub(crate) fn work(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let bar = bar.with_style(style(WORK)).with_message(printable(what).into_owned());
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    /// So many bytes are done, of so many: a file that is read twice has twice as many.
    pub(crate) fn at(&self, bytes: u64, of: u64) {
        self.0.set_length(of);
        self.0.set_position(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are constants of ours; a bad one would show the plain bar.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
