//! The MBean `io.mayfly:type=Profiler`: registering it for `#mbean`, and what it tells.
//!
//! Not here: the bean, which is Java (`io.mayfly.ManagedProfiler`), nor its native methods (`exports`).

use mayfly_jvmti::Jni;
use mayfly_profile::Profile;
use mayfly_recording::control::Profiling;
use mayfly_recording::write_profile;
use mayfly_report::followed_text;

use crate::conduct::notice::say;
use crate::steering::{self, Profiler};
use crate::target_jvm::Target;

/// Has the Java API register its bean, if the options say so. Runs Java, before anything is counted.
pub(super) fn register(target: &Target, jni: Jni<'_>) {
    let Some(jar) = &target.options.mbean else { return };
    if let Some(jar) = jar
        && !target.jvmti.add_to_class_path(jar)
    {
        return say(&format!("#mbean: the JVM can't read {jar}; name mayfly-api.jar"));
    }
    let Some(class) = jni.find_class(c"io/mayfly/Mayfly") else {
        return say(
            "#mbean: io.mayfly.Mayfly is not on the class path; write #mbean-JAR with mayfly-api.jar's path",
        );
    };
    if !jni.call_static_with_nothing(class, c"registerMBean", c"()V") {
        say("#mbean: the MBean can't be registered: does this JVM lack java.management?");
    }
}

/// What `mayfly status` shows, as lines of name, tab, value; `None` without an agent.
pub(super) fn status() -> Option<String> {
    let status = steering::status(Target::get()?);
    let mut rows = vec![
        ("mayfly", status.mayfly),
        ("loaded", status.loaded.name().into()),
        ("options", status.options),
        ("jvm", status.jvm.version),
        ("gc", status.jvm.gc.name().into()),
        ("command", status.jvm.command),
    ];
    rows.extend(status.profiling.map(profiling_rows).into_iter().flatten());
    // One row a line, whatever is in a command line.
    let line = |(name, value): (&str, String)| format!("{name}\t{}\n", value.replace('\n', " "));
    Some(rows.into_iter().map(line).collect())
}

fn profiling_rows(profiling: Profiling) -> Vec<(&'static str, String)> {
    vec![
        ("profiling", profiling.state().into()),
        ("tracking", profiling.tracking.map(followed_text).unwrap_or_default()),
        ("lifetimes", profiling.lifetimes.to_string()),
        ("stacks", profiling.stacks.to_string()),
        ("duration_ms", profiling.duration_ms.to_string()),
        ("gcs", profiling.gcs.to_string()),
        ("resets", profiling.resets.to_string()),
        ("native_bytes", profiling.native_bytes.to_string()),
        ("recording", profiling.recording.unwrap_or_default()),
    ]
}

/// The profile so far, as a recording; `None` before profiling began and once it ended.
pub(super) fn snapshot(profiler: &Profiler, jni: Jni<'_>) -> Option<Vec<u8>> {
    let profile = steering::snapshot(profiler, jni)?;
    write_profile(&Profile { complete: true, ..profile }).ok()
}
