//! `mayfly heap dump`: the heap of a running JVM in a file, then its largest classes; of INSANE's forms its usage table.
//!
//! hprof files the JVM writes, without any agent; a dump of ours is such a file, packed. If more is wanted than those tell, or the JVM
//! can't be asked, the agent walks the heap and writes the file itself, where the JVM sees it. If that is not where we do (a
//! container), it writes into its folder for temporary files, and the file is fetched from there. Not here: the other forms (`convert`).

use std::cmp::Reverse;
use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use mayfly_heap::dump::Written;
use mayfly_profile::{HeapOrder, HeapSummary, Total};
use mayfly_recording::control::{HeapDumped, Request, Response};

use super::by_the_jvm::{self, text_of};
use super::convert::{self, Form};
use crate::args::heap::DumpArgs;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::progress::Progress;
use crate::output;
use crate::session::connect::Target;
use crate::session::folder::{self, Folder};
use crate::session::jvms;
use crate::session::process::Process;

pub(super) fn run(args: &DumpArgs) -> Result<(), Error> {
    if args.file.symlink_metadata().is_ok() {
        return Err(QueryError::Exists(args.file.clone()).into());
    }
    check_folder(&args.file)?;
    let file = env::current_dir().unwrap_or_default().join(&args.file);
    let is_hprof = file.extension().is_some_and(|extension| extension == "hprof");
    if is_hprof && args.walk {
        let why = format!(
            "{} would be the JVM's own file, without a walk: leave --walk out, or give another name",
            args.file.display()
        );
        return Err(QueryError::Usage(why).into());
    }
    let pid = jvms::pid_of(&args.jvm)?;
    let name = args.file.display();
    match Form::of(&file) {
        _ if is_hprof => dump_hprof(args, pid, &file)?,
        Some(form @ (Form::Xml | Form::Binary)) => {
            say_walked(args, pid, &dump_insane(args, pid, &file, form)?)
        }
        _ if args.walk => say_walked(args, pid, &walk(args, pid, &file)?),
        _ => match dump_packed(args, pid, &file)? {
            Dumped::ByTheJvm(Written { objects, references }) => output::say(&format!(
                "{objects} objects and {references} references are in {name}; JVM {pid} wrote them itself"
            )),
            Dumped::Walked(dumped) => say_walked(args, pid, &dumped),
        },
    }
    if args.quiet {
        return Ok(());
    }
    let summary = DumpFile::open(&file)?.histogram()?;
    let text = match Form::of(&file) {
        Some(Form::Xml | Form::Binary) => usage(&summary),
        _ => ClassRows::for_people(&summary, HeapOrder::Size, None).text(),
    };
    output::text(&text, None)
}

fn say_walked(args: &DumpArgs, pid: u32, dumped: &HeapDumped) {
    let HeapDumped { objects, references, paused_ms, .. } = dumped;
    let name = args.file.display();
    output::say(&format!(
        "{objects} objects and {references} references are in {name}; JVM {pid} was paused for {paused_ms} ms"
    ));
}

/// Before the JVM is asked, which would walk its heap first, or be loaded with an agent for nothing.
fn check_folder(file: &Path) -> Result<(), Error> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let not_written = |source| Error::NotWritten { name: file.display().to_string(), source };
    match fs::metadata(folder).map_err(not_written)?.is_dir() {
        true => Ok(()),
        false => Err(not_written(io::ErrorKind::NotADirectory.into())),
    }
}

/// By way of a dump of ours, which is removed whatever happens.
fn dump_insane(args: &DumpArgs, pid: u32, file: &Path, form: Form) -> Result<HeapDumped, Error> {
    let ours = file.with_extension("mayheap.partial");
    let written = walk(args, pid, &ours).and_then(|dumped| {
        convert::write(&DumpFile::open(&ours)?, file, form)?;
        Ok(dumped)
    });
    // If it is not there, that is what is told already.
    let _ = fs::remove_file(&ours);
    written
}

/// Has the JVM itself write `file`, an absolute path of ours.
fn dump_hprof(args: &DumpArgs, pid: u32, file: &Path) -> Result<(), Error> {
    let process = Process::find(pid)?;
    where_it_sees(&process, file, |path| by_the_jvm::write(&process, path))?;
    output::say(&format!("the heap of JVM {pid} is in {}", args.file.display()));
    Ok(())
}

/// Who wrote a dump of ours.
enum Dumped {
    /// The JVM, as an hprof file that is packed now.
    ByTheJvm(Written),
    /// The agent, by a walk.
    Walked(HeapDumped),
}

/// A dump of ours by the JVM's own hprof file, which takes no memory of the JVM's per object and a short pause; by a walk where the
/// JVM does not write one.
fn dump_packed(args: &DumpArgs, pid: u32, file: &Path) -> Result<Dumped, Error> {
    let process = Process::find(pid)?;
    process.check_user()?;
    match by_the_jvm::open(&process) {
        Ok(hprof) => {
            let form = Form::Packed { pid: process.inner_pid, strings: !args.no_strings };
            Ok(Dumped::ByTheJvm(convert::write(&hprof, file, form)?.unwrap_or_default()))
        }
        // That it has no agent is no news: why it can't be attached to is.
        Err(refused) if Target::find(pid).is_err() => Err(refused),
        Err(refused) => {
            eprintln!(
                "mayfly: its agent walks the heap, which takes longer, as the JVM itself does not write it: {refused}"
            );
            walk(args, pid, file).map(Dumped::Walked)
        }
    }
}

fn walk(args: &DumpArgs, pid: u32, file: &Path) -> Result<HeapDumped, Error> {
    // What a walk along references reaches is alive: no collection is needed before.
    let dumped = take(pid, file, Content { collected: false, strings: !args.no_strings })?;
    // What can't be read was not written, whatever the agent says.
    match DumpFile::open(file).and_then(|dump| dump.histogram()) {
        Ok(_) => Ok(dumped),
        Err(damaged) => {
            let _ = fs::remove_file(file);
            Err(damaged.into())
        }
    }
}

/// What is to be in a dump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Collect before: what is held weakly only, and its companions, are gone.
    pub(super) collected: bool,
    /// The texts of strings.
    pub(super) strings: bool,
}

/// Has the agent write `file`, an absolute path of ours.
fn take(pid: u32, file: &Path, content: Content) -> Result<HeapDumped, Error> {
    let target = Target::connect(pid)?;
    let process = Process::find(pid)?;
    where_it_sees(&process, file, |path| ask(&target, pid, path, content))
}

/// Has `file` written: itself if the process sees it as we do, else by way of its folder for temporary files.
fn where_it_sees<R>(
    process: &Process,
    file: &Path,
    write: impl FnOnce(&Path) -> Result<R, Error>,
) -> Result<R, Error> {
    if sees(process, file) {
        return write(file);
    }
    let name = format!("mayfly-{}.heap", std::process::id());
    let tmp = Folder::of(process, "/tmp").map_err(|cause| process.not_permitted(cause))?;
    let as_we_see_it = tmp.file(&name);
    let dumped = write(&Path::new("/tmp").join(name))?;
    let fetched = fetch(&as_we_see_it, file);
    // Left there it would only take room; that it could not be fetched is told.
    let _ = fs::remove_file(&as_we_see_it);
    let not_written = |source| Error::NotWritten { name: file.display().to_string(), source };
    fetched.map(|()| dumped).map_err(not_written)
}

/// Has the agent write `file`, as the JVM sees it.
pub(super) fn ask(target: &Target, pid: u32, file: &Path, content: Content) -> Result<HeapDumped, Error> {
    let path = text_of(file)?;
    let _progress = Progress::work("walking the heap");
    let Content { collected: collect, strings } = content;
    asked(target, pid, &Request::HeapDump { path: path.to_owned(), collect, strings })
}

/// Has the agent write `file`, an absolute path of ours, as one of a series in which each object keeps its id; the next one comes
/// within `keep`.
pub(crate) fn step(pid: u32, file: &Path, series: u64, keep: Duration) -> Result<HeapDumped, Error> {
    let target = Target::connect(pid)?;
    let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    where_it_sees(&Process::find(pid)?, file, |path| {
        let _progress = Progress::work("walking the heap");
        asked(&target, pid, &Request::HeapStep { path: text_of(path)?.to_owned(), series, keep_ms })
    })
}

fn asked(target: &Target, pid: u32, request: &Request) -> Result<HeapDumped, Error> {
    match target.ask(request)? {
        Response::HeapDump(dumped) => Ok(dumped),
        _ => Err(Error::unexpected(pid)),
    }
}

/// Whether the folder of a file is the same one to the process as to us.
fn sees(process: &Process, file: &Path) -> bool {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let theirs = process.path(&folder.to_string_lossy());
    match (fs::metadata(folder), fs::metadata(theirs)) {
        (Ok(ours), Ok(theirs)) => (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino()),
        // A folder that is not there: the agent says so.
        (Err(_), _) => true,
        (Ok(_), Err(_)) => false,
    }
}

fn fetch(from: &Path, to: &Path) -> io::Result<()> {
    // Not through a link that somebody in there put in its place, and not waiting for who writes into a pipe.
    let mut from = folder::open_file(from)?;
    let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    io::copy(&mut from, &mut to).map(|_| ())
}

/// INSANE's table (`--dumpheap`): `count class: bytes` by bytes, between a heading and totals.
fn usage(summary: &HeapSummary) -> String {
    let mut rows: Vec<_> = summary.rows().collect();
    // By name before, and the sort is stable.
    rows.sort_by_key(|(_, held)| Reverse(held.bytes));
    let classes = rows.len();
    let line = |(class, held): (&str, Total)| format!("{} {class}: {}\n", held.objects, held.bytes);
    let total = summary.total();
    let heading = "Usage: [instances class.Name: totalSizeInBytes]\n".to_owned();
    heading
        + &rows.into_iter().map(line).collect::<String>()
        + &format!("total: {} in {} objects.\nClasses:{classes}\n", total.bytes, total.objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Planted where root fetches a dump from: a pipe that nobody writes into, a link, a folder.
    #[test]
    fn only_a_file_is_fetched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("dump"), "bytes").expect("written");
        std::os::unix::fs::symlink("dump", path("link")).expect("linked");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), mode).expect("made");
        for planted in ["pipe", "link", "."] {
            assert!(fetch(&path(planted), &path("to")).is_err(), "{planted}");
            assert!(!path("to").exists(), "{planted}");
        }
        fetch(&path("dump"), &path("to")).expect("fetched");
        assert_eq!(fs::read(path("to")).expect("read"), b"bytes");
    }

    /// As INSANE prints it.
    #[test]
    fn the_usage_is_insanes() {
        let rows = [("b.B", 3, 48), ("[C", 1, 400), ("a.A", 2, 48)];
        let summary =
            rows.into_iter().map(|(class, objects, bytes)| (class, Total { objects, bytes })).collect();
        let expected = "\
Usage: [instances class.Name: totalSizeInBytes]
1 [C: 400
2 a.A: 48
3 b.B: 48
total: 496 in 6 objects.
Classes:3
";
        assert_eq!(usage(&summary), expected);
    }
}
