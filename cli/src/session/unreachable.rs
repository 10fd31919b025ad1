//! Why a JVM can't be reached, or does not do what it was asked: each with what to do.

use std::io;
use std::path::PathBuf;

use mayfly_recording::control::{AttachRefusal, ExchangeError};

/// Why a target is out of reach.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreachable {
    /// Nothing of that number, or it has ended.
    #[error("there is no process {pid}; mayfly ps lists the JVMs there are")]
    NoProcess {
        /// As given.
        pid: u32,
    },
    /// No JVM of that name.
    #[error("no JVM runs a main class or jar called '{name}'; mayfly ps lists the JVMs there are")]
    NoSuchJvm {
        /// As given.
        name: String,
    },
    /// Several of that name.
    #[error("{} JVMs run '{name}': {}; give the process id of the one that is meant", .pids.len(), list(.pids))]
    Ambiguous {
        /// As given.
        name: String,
        /// Those that fit.
        pids: Vec<u32>,
    },
    /// Some other program.
    #[error("process {pid} is no JVM (it has loaded no libjvm.so); mayfly ps lists the JVMs there are")]
    NotAJvm {
        /// The process.
        pid: u32,
    },
    /// A JVM that the agent does not work in.
    #[error("process {pid} is an OpenJ9 JVM; mayfly works in HotSpot")]
    NotHotSpot {
        /// The process.
        pid: u32,
    },
    /// Another user's.
    #[error(
        "process {pid} belongs to user {owner}, and mayfly runs as user {own}; run it as that user, or as root"
    )]
    OtherUser {
        /// The process.
        pid: u32,
        /// Its user.
        owner: u32,
        /// Ours.
        own: u32,
    },
    /// The system keeps us from it.
    #[error(
        "the system denies access to process {pid} ({cause}); run mayfly as its user on the same host, or as root"
    )]
    NotPermitted {
        /// The process.
        pid: u32,
        /// What the system said.
        cause: io::Error,
    },
    /// The system keeps even its own user from it.
    #[error(
        "process {pid} has privileges that its user has not (a capability, for example), so only root has access to it ({cause}); \
         run mayfly as root"
    )]
    Closed {
        /// The process.
        pid: u32,
        /// What the system said.
        cause: io::Error,
    },
    /// The agent is not there, and the command does not bring it.
    #[error(
        "JVM {pid} runs without the agent: profile it with 'mayfly start {pid}', or start it with 'mayfly run -- java …' or \
         -agentpath:libmayfly.so=#…"
    )]
    NoAgent {
        /// The JVM.
        pid: u32,
    },
    /// The agent is there, and takes no requests.
    #[error(
        "JVM {pid} has the agent loaded ({}), but the agent has no socket: it is still starting, was started with #nocontrol, or its \
         socket /tmp/.mayfly-{inner_pid}.sock was removed; try again, or restart the JVM", .library
    )]
    NoSocket {
        /// The JVM.
        pid: u32,
        /// Its own number.
        inner_pid: u32,
        /// The library.
        library: String,
    },
    /// Attaching is off.
    #[error(
        "JVM {pid} runs with -XX:+DisableAttachMechanism; start it with the agent: -agentpath:libmayfly.so"
    )]
    AttachDisabled {
        /// The JVM.
        pid: u32,
    },
    /// Loading agents later is off.
    #[error(
        "JVM {pid} runs with -XX:-EnableDynamicAgentLoading; start it with the agent, -agentpath:libmayfly.so, or without \
         that option"
    )]
    LoadingDisabled {
        /// The JVM.
        pid: u32,
    },
    /// The JVM does not listen to SIGQUIT yet, which is how attaching begins.
    #[error(
        "JVM {pid} does not handle SIGQUIT, which an attach needs: it is still starting; try again, or start it with \
         the agent: -agentpath:libmayfly.so"
    )]
    NoSignal {
        /// The JVM.
        pid: u32,
    },
    /// Built for another processor.
    #[error("JVM {pid} is built for {theirs}, the agent {} for {ours}; use the agent built for it", .library.display())]
    OtherArchitecture {
        /// The JVM.
        pid: u32,
        /// Of its launcher.
        theirs: String,
        /// Of our library.
        ours: String,
        /// Our library.
        library: PathBuf,
    },
    /// Built for another C library, or a newer one.
    #[error(
        "the agent {} can't be loaded into JVM {pid}: {why}; use the agent of a package (docs/guide/install.md), which goes with glibc \
         2.17 or newer and with musl", .library.display()
    )]
    OtherCLibrary {
        /// The JVM.
        pid: u32,
        /// Our library.
        library: PathBuf,
        /// What is missing.
        why: String,
    },
    /// No library, or half of one: loading it would end the JVM.
    #[error("the agent {} is damaged or cut off; install it again", .library.display())]
    LibraryDamaged {
        /// Our library.
        library: PathBuf,
    },
    /// It stands still.
    #[error("JVM {pid} is stopped (by SIGSTOP, Ctrl-Z or a debugger); continue it first: kill -CONT {pid}")]
    Stopped {
        /// The JVM.
        pid: u32,
    },
    /// No place where both sides can write and read.
    #[error(
        "can't give JVM {pid} the agent: {}: {cause}, and /dev/shm and /var/tmp do not work either; make room there, or start \
         the JVM with -agentpath:libmayfly.so", .path.display()
    )]
    NotCopied {
        /// The JVM.
        pid: u32,
        /// Where it was tried.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Attaching needs files in `/tmp`, which nobody can make there.
    #[error(
        "/tmp of JVM {pid} can't be written ({cause}), and the JVM makes its attach socket there; mount a \
         writable folder, or start the JVM with -agentpath:libmayfly.so"
    )]
    NoRoomToAttach {
        /// The JVM.
        pid: u32,
        /// What the system said.
        cause: io::Error,
    },
    /// The JVM's attach mechanism did not do its part.
    #[error("JVM {pid} refuses the attach: {what}")]
    AttachFailed {
        /// The JVM.
        pid: u32,
        /// What happened.
        what: String,
    },
    /// The agent was loaded and did not stay.
    #[error("the agent was loaded into JVM {pid} and refused: {refusal}")]
    AgentRefused {
        /// The JVM.
        pid: u32,
        /// Why.
        refusal: AttachRefusal,
    },
    /// A socket is there, but not of the agent in that process.
    #[error("{} is not served by JVM {pid} but by process {other}; remove it", .path.display())]
    Foreign {
        /// The JVM.
        pid: u32,
        /// The socket.
        path: PathBuf,
        /// Who serves it.
        other: i32,
    },
    /// The connection broke.
    #[error("the agent in JVM {pid} does not answer: {cause}; is the JVM stopped, or ending?")]
    Silent {
        /// The JVM.
        pid: u32,
        /// What happened.
        cause: io::Error,
    },
    /// The agent's bytes can't be understood.
    #[error(
        "the agent in JVM {pid} sent an unexpected answer ({cause}); use the mayfly of the same version as the agent"
    )]
    Confused {
        /// The JVM.
        pid: u32,
        /// What is wrong with them.
        cause: ExchangeError,
    },
    /// It ended while we were asking.
    #[error("JVM {pid} ended before it answered")]
    Ended {
        /// The JVM.
        pid: u32,
    },
}

fn list(pids: &[u32]) -> String {
    pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
