//! The recording: a reader of the stream that writes each update into a file.
//!
//! Not here: the format (`mayfly-recording`), and what becomes of steps that a slow disk has no room for (`fan_out`).

use std::borrow::Cow;
use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use mayfly_recording::{Growth, Reached, RecordingWriter, Thinner};
use mayfly_report::printable;

use super::fan_out::{FanOut, Step};
use super::files::{self, FileError};
use super::frames::with_missed;
use super::queue::{Pace, Unserved};
use super::rewritten::{GrowingFile, names};
use crate::conduct::notice::say;

/// Why steps are missing, as trust says it.
const MISSED: &str = "of the recording left out while its disk stalled, and written later";
/// The file that keeps nothing.
const NOWHERE: &str = "/dev/null";

/// A recording that is being written.
pub(super) struct Recording {
    path: PathBuf,
    /// It could not be written to its end.
    cut_off: Arc<AtomicBool>,
}

/// What its thread needs.
pub(super) struct Recorder<W> {
    unserved: Unserved<Step>,
    file: W,
    path: PathBuf,
    cut_off: Arc<AtomicBool>,
}

/// Where a recording is written to.
pub(super) trait Place: Write + Send + 'static {
    /// Makes room, between two steps: the recording has come so far.
    fn tidy(&mut self, _reached: Reached) {}

    /// Whether nobody finds it any more.
    fn is_removed(&self) -> bool {
        false
    }
}

impl Place for GrowingFile {
    fn tidy(&mut self, reached: Reached) {
        GrowingFile::tidy(self, reached);
    }

    fn is_removed(&self) -> bool {
        GrowingFile::is_removed(self)
    }
}

/// Opens the file and subscribes to the stream; `None` if it is a place where nothing is kept.
///
/// # Errors
/// It can't be written.
pub(super) fn open(
    path: PathBuf,
    stream: &FanOut,
) -> Result<Option<(Recording, Recorder<GrowingFile>)>, FileError> {
    let error = |cause| FileError::new(&path, cause, "#recording a file");
    if path == Path::new(NOWHERE) {
        say(&format!("{NOWHERE} keeps nothing: there is no recording"));
        return Ok(None);
    }
    let (file, path) = open_own(&path).map_err(error)?;
    let cut_off = Arc::<AtomicBool>::default();
    let recorder = Recorder {
        unserved: stream.subscribe(),
        file: GrowingFile::new(file, path.clone()),
        path: path.clone(),
        cut_off: Arc::clone(&cut_off),
    };
    Ok(Some((Recording { path, cut_off }, recorder)))
}

/// The file, empty; if another JVM records into it, as those that a build tool starts would, one beside it.
fn open_own(path: &Path) -> io::Result<(fs::File, PathBuf)> {
    let file = open_file(path)?;
    match file.try_lock() {
        // Its JVM has just put another file in its place.
        Ok(()) if !names(path, &file)? => open_own(path),
        // No more can be done where there are no locks.
        Ok(()) | Err(TryLockError::Error(_)) => {
            file.set_len(0)?;
            Ok((file, path.to_owned()))
        }
        Err(TryLockError::WouldBlock) => {
            let own = beside(path);
            let [taken, free] =
                [path, own.as_path()].map(|path| printable(&path.display().to_string()).into_owned());
            say(&format!(
                "another JVM records into {taken}, so this one records into {free}: a name with %p is its own"
            ));
            let file = open_file(&own)?;
            file.set_len(0)?;
            Ok((file, own))
        }
    }
}

/// The name with our process id at the end of its stem.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}", std::process::id()));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// What is there is left as it is.
fn open_file(path: &Path) -> io::Result<fs::File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Asked before it is opened: opening a pipe would wait for somebody who reads it.
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file() && !there.is_symlink()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is there, and no file"));
    }
    files::open_own(path, |options| options.read(true).write(true))
}

impl Recording {
    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something of it could not be written.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off.load(Relaxed)
    }
}

impl<W: Place> Recorder<W> {
    /// Starts the thread that writes it.
    pub(super) fn start(self) {
        let Self { unserved, file, path, cut_off } = self;
        let (mut file, mut frames) = (Some(file), Frames::default());
        unserved.serve("mayfly-recording", move |step, pace| {
            let Some(open) = &mut file else { return };
            if let Err(error) = append(open, &mut frames, &step, pace) {
                say(&format!("cannot write the recording any more ({error}): it is cut off here"));
                cut_off.store(true, Relaxed);
                file = None;
            } else if !step.is_last() {
                open.tidy(frames.reached);
            } else if open.is_removed() {
                let path = printable(&path.display().to_string()).into_owned();
                say(&format!("{path} was removed while it was recorded into: nothing of it is left"));
            }
        });
    }
}

/// Makes frames of steps: fewer of them where they are large.
struct Frames {
    reached: Reached,
    began: Instant,
    thinner: Thinner,
    writer: RecordingWriter,
}

impl Default for Frames {
    fn default() -> Self {
        let (thinner, writer) = (Thinner::new(Growth::FRESH), RecordingWriter::new());
        Self { reached: Reached::default(), began: Instant::now(), thinner, writer }
    }
}

impl Frames {
    /// What is to be written after this step.
    fn bytes_after(&mut self, step: &Step) -> Vec<u8> {
        let now_ms = self.began.elapsed().as_millis() as u64;
        let updates = step.updates.iter().map(|update| with_missed(update, step.missed, MISSED));
        // A copy of each step would leave its memory with this thread's part of the allocator.
        let due: Vec<_> = if self.thinner.lets_pass(now_ms) {
            updates.collect()
        } else {
            self.thinner.take(updates.map(Cow::into_owned), now_ms).into_iter().map(Cow::Owned).collect()
        };
        let mut bytes = Vec::new();
        for update in &due {
            self.reached.note(update);
            match self.writer.encode(update) {
                Ok(mut frame) => bytes.append(&mut frame),
                Err(error) => say(&error.to_string()),
            }
        }
        self.thinner.wrote(bytes.len());
        bytes
    }
}

/// Writes a step, whole frames at a time.
fn append(file: &mut impl Write, frames: &mut Frames, step: &Step, pace: &Pace) -> io::Result<()> {
    let bytes = frames.bytes_after(step);
    for piece in bytes.chunks(1 << 20) {
        file.write_all(piece)?;
        pace.ahead();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use mayfly_profile::{ClassCounts, ClassId, Progress, Section, Tally, Update};
    use mayfly_recording::read_profile;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// A disk that stalls until its gate is gone.
    struct Stalling {
        gate: Receiver<()>,
        written: Sender<Vec<u8>>,
    }

    impl Place for Stalling {}

    impl Write for Stalling {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.gate.recv();
            self.written.send(bytes.to_vec()).map_err(|_| io::Error::from(ErrorKind::StorageFull))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A recording of so many classes, each named once, on a disk that stalls meanwhile.
    fn stalled(classes: u32) -> (FanOut, Sender<()>, Receiver<Vec<u8>>, Arc<AtomicBool>) {
        let ((open_gate, gate), (written, bytes)) = (channel(), channel());
        let stream = FanOut::default();
        let cut_off = Arc::<AtomicBool>::default();
        let file = Stalling { gate, written };
        let recorder = Recorder {
            unserved: stream.subscribe(),
            file,
            path: PathBuf::new(),
            cut_off: Arc::clone(&cut_off),
        };
        recorder.start();
        stream.send(vec![Update::Start(Box::default())]);
        for id in 0..classes {
            let counts = ClassCounts { id: ClassId(id), allocated: Tally::of(3, 16), lifetimes: None };
            let progress = Progress { classes: vec![counts], ..Progress::default() };
            let named = Update::Class { id: ClassId(id), name: format!("a.C{id}") };
            stream.send(vec![named, Update::from(progress)]);
        }
        (stream, open_gate, bytes, cut_off)
    }

    #[test]
    fn a_disk_that_stalls_loses_nothing_for_good_and_it_is_said() {
        let (stream, gate, bytes, _) = stalled(100);
        drop(gate);
        stream.close(vec![Update::from(Section::Progress(Box::default())), Update::End], PATIENCE);
        let bytes: Vec<_> = bytes.try_iter().flatten().collect();
        let (profile, damage) = read_profile(&bytes).expect("a recording");
        assert_eq!(damage, None);
        assert_eq!((profile.classes.len(), profile.complete), (100, true));
        let [dropped] = &profile.trust.dropped[..] else { panic!("{:?}", profile.trust.dropped) };
        assert!(dropped.cause.contains("while its disk stalled"), "{}", dropped.cause);
    }

    #[test]
    fn a_full_disk_ends_the_recording_without_an_end() {
        let (stream, gate, bytes, cut_off) = stalled(1);
        gate.send(()).expect("it writes");
        let first = bytes.recv_timeout(PATIENCE).expect("the header");
        drop((bytes, gate));
        stream.close(vec![Update::End], PATIENCE);
        assert!(cut_off.load(Relaxed));
        assert!(!read_profile(&first).expect("a recording").0.complete);
    }

    #[test]
    fn a_file_that_is_being_recorded_into_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("build.mayfly");
        fs::write(&path, "an older one").expect("written");
        let (first, name) = open_own(&path).expect("opened");
        assert_eq!((name, first.metadata().expect("there").len()), (path.clone(), 0));
        let (_second, name) = open_own(&path).expect("opened");
        assert_eq!(name, folder.path().join(format!("build-{}.mayfly", std::process::id())));
        drop(first);
        assert_eq!(open_own(&path).expect("opened").1, path);
    }

    #[test]
    fn only_files_are_recorded_into_and_their_folder_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(open_file(&folder.path().join("new/er/run.mayfly")).is_ok());
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).expect("a pipe");
        assert_eq!(open_file(&pipe).expect_err("no file").kind(), ErrorKind::InvalidInput);
        assert!(matches!(open(NOWHERE.into(), &FanOut::default()), Ok(None)));
    }
}
