//! What the JVM allocated while nothing was counted: before the start, in pauses, at the very end.

use mayfly_profile::{AT_START_UP, Remainder};

/// Where profiling began in a JVM that ran: what came before is not compared.
const AT_START: &str = "before counting began (since profiling was started)";
const WHILE_PAUSED: &str = "while paused";
const AT_EXIT: &str = "after the last collection, at exit (shutdown hooks, JVM, daemon threads)";

/// By the JVM's totals at each switch, which are 0 where it does not count.
#[derive(Debug)]
pub(super) struct Uncounted {
    /// What the time before the first switch on is called.
    cause_before: &'static str,
    /// Before the first switch on; `None`: there was none.
    before: Option<u64>,
    paused: u64,
    /// The JVM's total at the begin of the pause that lasts, or 0.
    paused_since: u64,
    /// Whether that pause is the end.
    ended_for_good: bool,
}

impl Uncounted {
    /// Nothing yet. `launched`: the JVM's totals are since the launch.
    pub(super) fn new(launched: bool) -> Self {
        let cause_before = if launched { AT_START_UP } else { AT_START };
        Self { cause_before, before: None, paused: 0, paused_since: 0, ended_for_good: false }
    }

    /// Counting begins, or goes on after a pause.
    pub(super) fn starts(&mut self, jvm: u64) {
        if self.before.is_none() {
            self.before = Some(jvm);
        } else {
            self.paused += jvm.saturating_sub(self.paused_since);
            self.paused_since = 0;
        }
    }

    /// A pause begins.
    pub(super) fn stops(&mut self, jvm: u64) {
        self.paused_since = jvm;
    }

    /// Counting ends before the JVM does.
    pub(super) fn ends(&mut self, jvm: u64) {
        self.ended_for_good = true;
        self.stops(jvm);
    }

    /// All of it, by cause, where the JVM's total is `jvm`.
    pub(super) fn parts(&self, jvm: u64) -> Vec<Remainder> {
        let before = self.before.unwrap_or(jvm);
        let open = if self.paused_since > 0 { jvm.saturating_sub(self.paused_since) } else { 0 };
        let (open, at_exit) = if self.ended_for_good { (0, open) } else { (open, 0) };
        vec![
            Remainder::exact(self.cause_before, before as i64),
            Remainder::exact(WHILE_PAUSED, (self.paused + open) as i64),
            Remainder::exact(AT_EXIT, at_exit as i64),
        ]
    }
}
