//! What the exact engine has besides if it begins in a JVM that runs, and why it may not.
//!
//! Not here: how it begins and ends (`begin_attached`).

use std::sync::atomic::AtomicU64;

use mayfly_jvmti::JvmtiError;

use super::hooks::ConnectError;
use super::loaded_classes::ClassNames;
use super::stand_ins::StandIns;

/// Why there are no exact counts.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum AttachError {
    #[error(
        "the JVM does not let classes be changed ({0}), or lends that to another agent: start it with the agent instead \
         (-agentpath, mayfly run), or take samples (mayfly start --sampled)"
    )]
    NoRetransformation(JvmtiError),
    #[error(
        "#sample needs the JVM's allocation sampler, which another agent has ({0}): use #trackcollections instead"
    )]
    NoSampler(JvmtiError),
    #[error(
        "this JVM's java.lang.Thread and java.lang.Class are not as the agent knows them: start it with the agent instead \
         (-agentpath, mayfly run), or take samples (mayfly start --sampled)"
    )]
    UnknownJvm,
    #[error(
        "the JVM does not take java.lang.MayflyHooks: is java.base patched, or another agent in the way? Take samples instead \
         (mayfly start --sampled)"
    )]
    NoHooks,
    #[error(transparent)]
    NotConnected(ConnectError),
    #[error(
        "the JVM does not say which classes are loaded, probably for lack of memory: try again when it has some"
    )]
    NoClasses,
    #[error(
        "a flight recording is on, and this JVM crashes when classes are changed under one: end it and restart the JVM, start the JVM with the \
         agent instead (-agentpath, mayfly run), or take samples (mayfly start --sampled)"
    )]
    FlightRecording,
    #[error(
        "a debugger's agent is loaded (jdwp), and this JVM may crash when classes are changed beside it: start the JVM with the agent \
         (-agentpath, mayfly run) or without the debugger's, or take samples (mayfly start --sampled)"
    )]
    Debugger,
    #[error(
        "{rewritten} of the {loaded} classes loaded would be rewritten, and {call_sites} call sites in them (lambdas, strings put together) linked anew \
         as the program comes by: for seconds to half a minute it is slow and stands still at times, and some memory stays in use. To begin all the \
         same: --yes (#yes); without that price: mayfly start --sampled"
    )]
    Dear {
        /// Classes.
        rewritten: usize,
        /// All of them.
        loaded: usize,
        /// In those that would be rewritten.
        call_sites: usize,
    },
    #[error("scopes can't be had in a JVM that runs: start it with the agent for them, or leave #scope out")]
    Scopes,
}

impl AttachError {
    /// Whether it may be otherwise as soon as the JVM has done loading the agent.
    pub(crate) fn may_pass(self) -> bool {
        matches!(self, Self::NotConnected(ConnectError::NotLinked))
    }
}

/// What of an engine is there only if it began in a JVM that ran.
pub(super) struct Attached {
    stand_ins: StandIns,
    /// The hooks' class as this session needs it.
    pub(super) class_file: Vec<u8>,
    /// Classes that the class hook was asked for.
    pub(super) seen: ClassNames,
    /// Those of them that it changed.
    pub(super) changed: ClassNames,
    /// How often the JVM was about to change a class.
    pub(super) redefinitions: AtomicU64,
    /// Called at the end.
    pub(super) forget: fn(),
}

impl Attached {
    pub(super) fn new(stand_ins: StandIns, forget: fn()) -> Self {
        let (seen, changed) = (ClassNames::default(), ClassNames::default());
        Self { stand_ins, class_file: Vec::new(), seen, changed, redefinitions: AtomicU64::new(0), forget }
    }

    pub(super) fn stand_ins(&self) -> StandIns {
        self.stand_ins
    }

    pub(super) fn with_class_file(self, class_file: Vec<u8>) -> Self {
        Self { class_file, ..self }
    }
}
