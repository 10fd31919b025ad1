//! The JDK's own view of a running JVM: `jcmd`, where there is one.

use std::process::Command;

use crate::expect::Counts;
use crate::jvm::Jvm;
use crate::running::Running;
use crate::skip::skip;

/// What `jcmd PID COMMAND…` prints; `None`, and a line that says so, if this JVM has no `jcmd`.
///
/// # Panics
/// If it fails.
pub fn jcmd(jvm: &Jvm, running: &Running, command: &[&str]) -> Option<String> {
    let tool = jvm.home.join("bin/jcmd");
    if !tool.exists() {
        skip(&jvm.to_string(), "it has no jcmd");
        return None;
    }
    let output =
        Command::new(tool).arg(running.pid().to_string()).args(command).output().expect("jcmd starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "jcmd {command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

/// The rows of `GC.class_histogram`, by name as `Class.getName()` gives it; loaders merged.
pub fn class_histogram(text: &str) -> Counts {
    let mut counts = Counts::new();
    for line in text.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [rank, objects, bytes, class, ..] = fields[..] else { continue };
        let (Ok(objects), Ok(bytes)) = (objects.parse::<u64>(), bytes.parse::<u64>()) else { continue };
        if rank.ends_with(':') {
            let count = counts.entry(class.to_owned()).or_default();
            count.objects += objects;
            count.bytes += bytes;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::Count;

    #[test]
    fn rows_are_read_and_loaders_merged() {
        let text = "42:\n num     #instances         #bytes  class name (module)\n\
                    -------------------------------------------------------\n\
                    \x20  1:         2             48  [B (java.base@17)\n   2:  1  16  a.B\n   3:  2  32  a.B\n\
                    Total             5             96\n";
        let counts = class_histogram(text);
        assert_eq!(counts.len(), 2);
        assert_eq!(counts["a.B"], Count { objects: 3, bytes: 48 });
    }
}
