//! Skips that are seen: a test that can't run here says why, past libtest's capture.

use std::io::Write;

/// Prints `skip: what: why` to stderr, also when the test passes. The caller then returns.
pub fn skip(what: &str, why: &str) {
    // Straight to the stream: `eprintln!` would be captured and never shown for a passing test.
    let _ = writeln!(std::io::stderr(), "skip: {what}: {why}");
}
