//! Loads the agent into a running JVM, or has that write an hprof file or count its heap, by HotSpot's attach mechanism; no JDK
//! is needed.
//!
//! The JVM opens its attach socket, `/tmp/.java_pidN`, when it gets SIGQUIT while a file `.attach_pidN` lies in its
//! working folder or `/tmp`; without that file it would print all stacks to its stdout, so nothing is sent before it is
//! certain that it listens. Requests are of version 1, which all JVMs from 6 to 25 take. Not here: what the agent does
//! then (`connect`).

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mayfly_heap::jvm_text;
use mayfly_recording::control::AttachRefusal;
use rustix::fs::{StatVfsMountFlags, statvfs};

use crate::error::Error;
use crate::session::folder::Folder;
use crate::session::library_copy::Provided;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;
use crate::session::{agent_library, jvms, library_copy};

/// How long a JVM may take to open its attach socket: it has to reach its signal handler and may be swapped out.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
const OPEN_STEP: Duration = Duration::from_millis(10);
/// How long it may take to load the agent.
const LOAD_LIMIT: Duration = Duration::from_secs(30);
/// How long it may take to write its heap, or to count it.
const DUMP_LIMIT: Duration = Duration::from_secs(3600);
/// Bytes of a reply, of which a line or two are expected. Whoever listens there may be no JVM.
const MOST_WORDS: u64 = 64 << 10;
/// Bytes of a class histogram: a million classes have some 100 bytes each.
const MOST_HISTOGRAM: u64 = 256 << 20;

/// Loads the agent. The caller knows that there is none yet.
///
/// # Errors
/// [`Error::Unreachable`], [`Error::AgentNotFound`], [`Error::AgentNotAFile`].
pub(crate) fn attach(process: &Process) -> Result<(), Error> {
    jvms::hotspot_files(process)?;
    // The signal would wait for it, and be taken for a wish to see all stacks later.
    process.check_running()?;
    check_enabled(process)?;
    let library = agent_library::find()?;
    library_copy::check_loadable(process, &library)?;
    let stream = open(process)?;
    let provided = Provided::to(process, &library)?;
    load(process, stream, &provided.path)?;
    Ok(())
}

/// Has the JVM write its heap to a new hprof file, after a full collection. `path` is absolute, as the JVM sees it. Needs no
/// agent, and no memory of the JVM's per object.
///
/// # Errors
/// [`Error::Unreachable`]: also what the JVM says why it does not write it.
pub(crate) fn dump_hprof(process: &Process, path: &str) -> Result<(), Error> {
    jvms::hotspot_files(process)?;
    check_enabled(process)?;
    let stream = open(process)?;
    let limits = Limits { time: DUMP_LIMIT, bytes: MOST_WORDS };
    let reply = execute(process, stream, &["dumpheap", path, "-live", ""], limits)?;
    if reply.contains("Heap dump file created") {
        return Ok(());
    }
    let what = format!("it wrote no heap dump: {}", said(&reply).join(" "));
    Err(Unreachable::AttachFailed { pid: process.pid, what }.into())
}

/// Objects and bytes by class, as `jcmd GC.class_histogram` prints them. With `live` the JVM collects before: once for what
/// waits for finalizers, and once more in the pause in which it counts, so that nothing is made between. Needs no agent.
///
/// # Errors
/// [`Unreachable`]: also if what it answers is no whole histogram.
pub(crate) fn class_histogram(process: &Process, live: bool) -> Result<String, Unreachable> {
    jvms::hotspot_files(process)?;
    process.check_running()?;
    check_enabled(process)?;
    let _kept = live.then(|| KeptHeap::of(process)).flatten();
    if live {
        // Where explicit collections are switched off it does nothing, which is the user's wish.
        let limits = Limits { time: DUMP_LIMIT, bytes: MOST_WORDS };
        execute(process, open(process)?, &["jcmd", "GC.run", "", ""], limits)?;
    }
    let which = if live { "-live" } else { "-all" };
    let limits = Limits { time: DUMP_LIMIT, bytes: MOST_HISTOGRAM };
    let reply = execute(process, open(process)?, &["inspectheap", which, "", ""], limits)?;
    match reply.split_once('\n') {
        Some(("0", histogram)) if histogram.contains("\nTotal ") => Ok(histogram.to_owned()),
        _ => {
            let what = format!("it counted no objects: {}", said(&reply).join(" "));
            Err(Unreachable::AttachFailed { pid: process.pid, what })
        }
    }
}

/// For as long as it is there the JVM does not give back what a collection has left free: a service whose heap a look has shrunk collects
/// more often from then on. As `MaxHeapFreeRatio`, which may be set while it runs.
struct KeptHeap<'p> {
    process: &'p Process,
    before: String,
}

impl<'p> KeptHeap<'p> {
    const RATIO: &'static str = "MaxHeapFreeRatio";
    const LIMITS: Limits = Limits { time: LOAD_LIMIT, bytes: MOST_WORDS };

    /// `None`: the JVM does not say what it was.
    fn of(process: &'p Process) -> Option<Self> {
        let print = ["printflag", Self::RATIO, "", ""];
        let reply = execute(process, open(process).ok()?, &print, Self::LIMITS).ok()?;
        // As on its command line: -XX:MaxHeapFreeRatio=70.
        let before: u32 = reply.split_once('=')?.1.trim().parse().ok()?;
        let kept = Self { process, before: before.to_string() };
        kept.set("100").then_some(kept)
    }

    fn set(&self, value: &str) -> bool {
        let set = ["setflag", Self::RATIO, value, ""];
        open(self.process).is_ok_and(|stream| execute(self.process, stream, &set, Self::LIMITS).is_ok())
    }
}

impl Drop for KeptHeap<'_> {
    fn drop(&mut self) {
        // One that has ended needs none.
        self.set(&self.before);
    }
}

/// The lines of a reply behind its code.
fn said(reply: &str) -> Vec<&str> {
    reply.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Asking a JVM that does not listen would make it print its stacks.
///
/// # Errors
/// [`Unreachable::AttachDisabled`].
pub(crate) fn check_enabled(process: &Process) -> Result<(), Unreachable> {
    const OFF: &str = "-XX:+DisableAttachMechanism";
    let capabilities = jvms::perf_data(process).and_then(|data| data.text("sun.rt.jvmCapabilities"));
    let disabled = match capabilities {
        // First of the capabilities: whether it can be attached to.
        Some(capabilities) => capabilities.starts_with('0'),
        None => has(process, OFF),
    };
    if disabled { Err(Unreachable::AttachDisabled { pid: process.pid }) } else { Ok(()) }
}

/// Whether its command line, or the environment, gives it this option.
pub(crate) fn has(process: &Process, option: &str) -> bool {
    process.command_line().iter().any(|word| word == option) || environment_has(process, option)
}

fn environment_has(process: &Process, option: &str) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment);
    let options = ["JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=", "JDK_JAVA_OPTIONS="];
    environment
        .split('\0')
        .any(|entry| options.iter().any(|name| entry.starts_with(name)) && entry.contains(option))
}

/// A connection to the JVM's attach socket, which it is made to open if need be.
fn open(process: &Process) -> Result<UnixStream, Unreachable> {
    if let Some(stream) = connect(process)? {
        return Ok(stream);
    }
    if !process.catches_quit {
        return Err(Unreachable::NoSignal { pid: process.pid });
    }
    let _trigger = Trigger::set(process)?;
    process.send_quit()?;
    let deadline = Instant::now() + OPEN_LIMIT;
    while Instant::now() < deadline {
        if let Some(stream) = connect(process)? {
            return Ok(stream);
        }
        if !process.is_alive() {
            return Err(Unreachable::Ended { pid: process.pid });
        }
        thread::sleep(OPEN_STEP);
    }
    let what = format!("it opened no attach socket within {} s; is it stopped?", OPEN_LIMIT.as_secs());
    Err(Unreachable::AttachFailed { pid: process.pid, what })
}

/// `None` if nobody listens (yet).
fn connect(process: &Process) -> Result<Option<UnixStream>, Unreachable> {
    let folder = Folder::of(process, "/tmp").map_err(|error| process.not_permitted(error))?;
    let path = folder.file(&format!(".java_pid{}", process.inner_pid));
    match fs::symlink_metadata(&path) {
        Ok(file) if file.file_type().is_socket() && file.uid() == process.uid => {}
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(process.not_permitted(error)),
        _ => return Ok(None),
    }
    match UnixStream::connect(&path) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(process.not_permitted(error)),
    }
}

/// The file that tells a SIGQUIT to attach from one to print stacks; gone when dropped.
struct Trigger {
    path: PathBuf,
    _folder: Option<Folder>,
}

impl Trigger {
    fn set(process: &Process) -> Result<Self, Unreachable> {
        let name = format!(".attach_pid{}", process.inner_pid);
        let folder = Folder::of(process, "/tmp").ok();
        if let Some(cause) = folder.as_ref().and_then(read_only) {
            return Err(Unreachable::NoRoomToAttach { pid: process.pid, cause });
        }
        let in_tmp = folder.as_ref().map(|folder| folder.file(&name));
        // The JVM looks in its working folder first, but that is the program's.
        let places = in_tmp.into_iter().chain([format!("/proc/{}/cwd/{name}", process.pid).into()]);
        let mut refused = io::Error::from(ErrorKind::NotFound);
        for path in places {
            match make(&path) {
                Ok(()) => return Ok(Self { path, _folder: folder }),
                Err(error) => refused = error,
            }
        }
        Err(process.not_permitted(refused))
    }
}

/// Why nobody can make a socket in there. A trigger elsewhere would be of no use.
fn read_only(folder: &Folder) -> Option<io::Error> {
    let flags = statvfs(folder.path()).ok()?.f_flag;
    flags.contains(StatVfsMountFlags::RDONLY).then(|| ErrorKind::ReadOnlyFilesystem.into())
}

/// Makes an empty file. One that is there already was left by another who attaches: as good as ours.
fn make(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && fs::symlink_metadata(path)?.is_file() => {
            Ok(())
        }
        made => made.map(drop),
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Has the JVM load the library as an agent.
fn load(process: &Process, stream: UnixStream, library: &str) -> Result<(), Unreachable> {
    // The library, that its path is absolute, its options.
    let limits = Limits { time: LOAD_LIMIT, bytes: MOST_WORDS };
    let reply = execute(process, stream, &["load", library, "true", ""], limits)?;
    judge(process.pid, &reply)
}

/// How long a reply may take, and how long it may be.
#[derive(Clone, Copy)]
struct Limits {
    time: Duration,
    bytes: u64,
}

/// Sends a command, which always has three arguments, and returns the reply: the command's code in a line, then text.
fn execute(
    process: &Process,
    mut stream: UnixStream,
    command: &[&str; 4],
    limits: Limits,
) -> Result<String, Unreachable> {
    let pid = process.pid;
    let failed = |error: io::Error| match process.is_alive() {
        true => Unreachable::AttachFailed { pid, what: error.to_string() },
        false => Unreachable::Ended { pid },
    };
    stream.set_write_timeout(Some(limits.time)).map_err(failed)?;
    // The version of the protocol comes first.
    stream.write_all(format!("1\0{}\0", command.join("\0")).as_bytes()).map_err(failed)?;
    let reply = read_within(&mut stream, limits).map_err(failed)?;
    Ok(jvm_text(&reply).into_owned())
}

/// Reads until the other side closes.
///
/// # Errors
/// What the system says; that it takes too long in all, or is too long.
fn read_within(stream: &mut UnixStream, limits: Limits) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + limits.time;
    let mut reply = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(
                ErrorKind::TimedOut,
                format!("its reply is not whole after {} s", limits.time.as_secs()),
            ));
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(0) => return Ok(reply),
            Ok(length) => reply.extend_from_slice(&piece[..length]),
            // Of the time limit, which is told above, or of a signal.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        if reply.len() as u64 > limits.bytes {
            let what = format!("its reply is longer than {} bytes, so it is no JVM's", limits.bytes);
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
    }
}

/// What a reply says: the code of the command, then `return code: N` (from JDK 9 on) with what the agent returned, or why
/// it was not loaded.
fn judge(pid: u32, reply: &str) -> Result<(), Unreachable> {
    let mut lines = reply.lines();
    let code = lines.next().unwrap_or_default().trim();
    let rest: Vec<_> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    let returned = rest.iter().find_map(|line| line.strip_prefix("return code:")?.trim().parse::<i32>().ok());
    match returned {
        Some(0) if code == "0" => Ok(()),
        Some(number) => Err(match AttachRefusal::of_code(number) {
            Some(refusal) => Unreachable::AgentRefused { pid, refusal },
            None => Unreachable::AttachFailed { pid, what: format!("the agent returned {number}") },
        }),
        None if rest.iter().any(|line| line.contains("EnableDynamicAgentLoading")) => {
            Err(Unreachable::LoadingDisabled { pid })
        }
        None if rest.is_empty() => {
            Err(Unreachable::AttachFailed { pid, what: format!("it answered only '{code}'") })
        }
        None => Err(Unreachable::AttachFailed { pid, what: rest.join(" ") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(reply: &str) -> String {
        judge(1, reply).map_or_else(|error| error.to_string(), |()| "loaded".into())
    }

    /// Whoever listens at the socket can neither fill our memory nor hold us by a byte now and then.
    #[test]
    fn replies_without_end_are_given_up() {
        let answer = |time: Duration, pause: Duration| {
            let (mut ours, mut theirs) = UnixStream::pair().expect("a pair");
            let told = thread::spawn(move || {
                while theirs.write_all(&[b'x'; 512]).is_ok() {
                    thread::sleep(pause);
                }
            });
            let read = read_within(&mut ours, Limits { time, bytes: 10_000 });
            drop(ours);
            told.join().expect("no panic");
            read.expect_err("no end").to_string()
        };
        let long = answer(Duration::from_secs(60), Duration::ZERO);
        assert!(long.contains("longer than 10000 bytes"), "{long}");
        let slow = answer(Duration::from_millis(40), Duration::from_millis(15));
        assert!(slow.contains("not whole after"), "{slow}");
    }

    #[test]
    fn replies_are_understood() {
        for (reply, expected) in [
            ("0\nreturn code: 0\n", "loaded"),
            ("0\nreturn code: 103\n", "another copy of the agent"),
            ("0\nreturn code: -1\n", "the agent returned -1"),
            (
                "0\n/x.so was not loaded.\n/x.so: cannot open shared object file\n",
                "was not loaded. /x.so: cannot",
            ),
            (
                "-1\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target VM.\n",
                "runs with -XX:-Enable",
            ),
            ("101\n", "answered only '101'"),
            ("", "answered only ''"),
        ] {
            assert!(told(reply).contains(expected), "{reply:?}: {}", told(reply));
        }
    }
}
