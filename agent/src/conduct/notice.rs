//! What the agent says on stderr outside of reports: one line each, never on stdout.

use std::io::Write;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::descriptors::Stderr;

/// Exit code for options or a JVM that the agent can't work with (design: usage).
const EXIT_USAGE: i32 = 2;

static LINES: AtomicU64 = AtomicU64::new(0);

/// Says one line.
pub(crate) fn say(text: &str) {
    say_as("mayfly:", text);
}

/// Says one line under another name than ours.
pub(crate) fn say_as(who: &str, text: &str) {
    LINES.fetch_add(1, Relaxed);
    // In one write, so that lines of other threads do not mix in; a closed stderr is nobody's fault.
    let _ = Stderr.write_all(format!("{who} {}\n", mayfly_report::printable(text)).as_bytes());
}

/// Lines said so far. Who draws over what it wrote last asks whether that still is the last.
pub(crate) fn lines() -> u64 {
    LINES.load(Relaxed)
}

/// Says why the agent can't start, and ends the launch before `main`: what can be counted would be wrong, or nothing.
pub(crate) fn refuse_launch(text: &str) -> ! {
    say(text);
    process::exit(EXIT_USAGE)
}

/// Says why the agent can't start. Ends the launch before `main`, unless the program `continues` without it.
pub(crate) fn give_up(why: &str, continues: bool) {
    if !continues {
        refuse_launch(&format!(
            "{why}; the program was not started: with #on-error-continue it runs without Mayfly"
        ))
    }
    say(&format!("{why}; the program runs without Mayfly (#on-error-continue)"));
}

/// Makes panics one line on stderr, said once, instead of a backtrace in somebody's log.
pub(crate) fn install_panic_hook() {
    static SAID: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|panic| {
        if !SAID.swap(true, Relaxed) {
            let place =
                panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
            say(&format!(
                "internal error{place}: {}; profiling is switched off, the program goes on. Please report this.",
                panic.payload_as_str().unwrap_or("no message")
            ));
        }
    }));
}
