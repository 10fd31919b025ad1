//! What a command can still ask the JVM of a profile.

use mayfly_profile::Profile;

/// Of a program that runs, for a command; that of one that has ended is of no use.
pub(crate) fn pid(profile: &Profile) -> Option<u32> {
    (!profile.complete && !profile.is_merged()).then_some(profile.run.jvm.pid)
}

/// When a command that asks a JVM is to be given: of a program that has ended nobody can ask.
pub(crate) fn while_it_runs(profile: &Profile) -> &'static str {
    if profile.complete { "in a new run" } else { "while it runs" }
}
