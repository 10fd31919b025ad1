//! The recording's file: appended to, and now and then written again with coarser steps of long ago, so that one of days can be kept.
//!
//! In parts, between two steps, into a file beside it that takes its place when it is whole: whoever reads, and whenever the
//! program is killed, there is a whole recording. Not here: which steps become one (`mayfly-recording`).

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use mayfly_recording::{Reached, Rewriting, Room};

use super::files::open_own;
use super::recorder::Place;

/// Bytes read at once, and between two steps at most.
const PIECE: usize = 256 << 10;
const MOST_PIECES: usize = 16;

/// A recording that is being written.
pub(super) struct GrowingFile {
    file: File,
    path: PathBuf,
    bytes: u64,
    /// When it began, in the profiled time.
    begins_ms: u64,
    room: Room,
    unfinished: Option<Unfinished>,
}

/// What shall take the place of the file.
struct Unfinished {
    rewriting: Rewriting,
    file: File,
    path: PathBuf,
    /// So much of the recording is in it, of so much that is rewritten; what was written since is copied.
    at: u64,
    until: u64,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Not there any more if it has taken the other's place.
        let _ = fs::remove_file(&self.path);
    }
}

impl GrowingFile {
    /// An empty file under its name, which begins at that profiled time.
    pub(super) fn new(file: File, path: PathBuf, begins_ms: u64) -> Self {
        Self { file, path, bytes: 0, begins_ms, room: Room::default(), unfinished: None }
    }

    /// Its name, and the file itself.
    pub(super) fn place(&self) -> (&Path, &File) {
        (&self.path, &self.file)
    }

    /// How long it has been written.
    fn ms(&self, reached: Reached) -> u64 {
        reached.ms.saturating_sub(self.begins_ms)
    }

    fn rewrite(&mut self, reached: Reached) {
        let outcome = match self.unfinished.take() {
            None => match self.room.is_short(self.bytes, self.ms(reached)) {
                None => return,
                Some(coarseness) => self.begin(Rewriting::new(reached, coarseness)),
            },
            Some(unfinished) => self.go_on(unfinished, reached),
        };
        if outcome.is_err() {
            self.room.failed(self.bytes);
        }
    }

    fn begin(&mut self, rewriting: Rewriting) -> io::Result<()> {
        let path = beside(&self.path);
        let file = open_own(&path, |options| options.read(true).write(true).truncate(true))?;
        let unfinished = Unfinished { rewriting, file, path, at: 0, until: self.bytes };
        unfinished.file.set_permissions(self.file.metadata()?.permissions())?;
        self.unfinished = Some(unfinished);
        Ok(())
    }

    fn go_on(&mut self, mut unfinished: Unfinished, reached: Reached) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        for _ in 0..MOST_PIECES {
            let left = usize::try_from(unfinished.until - unfinished.at).unwrap_or(usize::MAX);
            if left == 0 {
                return self.finish(unfinished, reached);
            }
            let read = self.file.read_at(&mut piece[..left.min(PIECE)], unfinished.at)?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            unfinished.at += read as u64;
            let bytes = unfinished.rewriting.take(&piece[..read]).ok_or(ErrorKind::InvalidData)?;
            unfinished.file.write_all(&bytes)?;
        }
        self.unfinished = Some(unfinished);
        Ok(())
    }

    /// Adds what was written meanwhile, and changes places.
    fn finish(&mut self, mut unfinished: Unfinished, reached: Reached) -> io::Result<()> {
        let rewriting =
            std::mem::replace(&mut unfinished.rewriting, Rewriting::new(reached, Default::default()));
        unfinished.file.write_all(&rewriting.end().ok_or(ErrorKind::InvalidData)?)?;
        let mut rest = vec![0; usize::try_from(self.bytes - unfinished.until).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut rest, unfinished.until)?;
        unfinished.file.write_all(&rest)?;
        if !names(&self.path, &self.file)? {
            // Removed, or another's by now.
            return Err(ErrorKind::NotFound.into());
        }
        let file = unfinished.file.try_clone()?;
        match file.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
        }
        fs::rename(&unfinished.path, &self.path)?;
        self.bytes = file.metadata()?.len();
        self.file = file;
        self.room.rewritten(self.bytes, self.ms(reached));
        Ok(())
    }
}

impl Place for GrowingFile {
    /// Rewrites a part, if the recording is too large for its time. That it can't be done is no fault: it grows.
    fn tidy(&mut self, reached: Reached) {
        self.rewrite(reached);
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the file has no name any more, under which it could be read.
    fn is_removed(&self) -> bool {
        self.file.metadata().is_ok_and(|facts| facts.nlink() == 0)
    }
}

impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether this is the file of that name.
pub(super) fn names(path: &Path, file: &File) -> io::Result<bool> {
    let (named, held) = (fs::symlink_metadata(path)?, file.metadata()?);
    Ok((named.dev(), named.ino()) == (held.dev(), held.ino()))
}

/// A hidden name, in the same folder. One at a time: the recording's lock is held.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.part"))
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassCounts, ClassId, Progress, Tally, Update};
    use mayfly_recording::{RecordingWriter, read_profile};

    use super::*;

    /// A step in which all of so many classes changed.
    fn step(second: u64, classes: u32) -> Update {
        let counts = |id| ClassCounts {
            id: ClassId(id),
            allocated: Tally::of(second * 1_000 + 1, 1 << 20),
            lifetimes: None,
        };
        let classes = (0..classes).map(counts).collect();
        Update::from(Progress { duration_ms: second * 1_000, classes, ..Progress::default() })
    }

    fn record(file: &mut GrowingFile, updates: impl IntoIterator<Item = Update>) {
        let mut writer = RecordingWriter::new();
        let mut reached = Reached::default();
        for update in updates {
            file.write_all(&writer.encode(&update).expect("small")).expect("written");
            reached.note(&update);
            file.tidy(reached);
        }
    }

    fn stream(classes: u32, seconds: u64) -> impl Iterator<Item = Update> {
        let name = |id| Update::Class { id: ClassId(id), name: format!("a.C{id}") };
        let names = std::iter::once(Update::Start(Box::default())).chain((0..classes).map(name));
        names.chain((1..=seconds).map(move |second| step(second, classes)))
    }

    #[test]
    fn a_recording_that_is_too_large_is_written_again_and_loses_nothing_of_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long.mayfly");
        let open = |options: &mut fs::OpenOptions| -> io::Result<File> {
            options.read(true).write(true).create(true).truncate(true).open(&path)
        };
        let first = open(&mut File::options()).expect("opened");
        let mut file = GrowingFile::new(first.try_clone().expect("open"), path.clone(), 0);
        let (classes, seconds) = (4_000, 600);
        record(&mut file, stream(classes, seconds));
        let bytes = fs::read(&path).expect("there");
        let (profile, damage) = read_profile(&bytes).expect("a recording");
        assert_eq!((damage, profile.duration_ms), (None, seconds * 1_000));
        assert!(profile.classes.iter().all(|class| class.allocated.objects == seconds * 1_000 + 1));
        assert!(!names(&path, &first).expect("there"), "it has another file's place");
        let whole: usize = {
            let mut writer = RecordingWriter::new();
            stream(classes, seconds).map(|update| writer.encode(&update).expect("small").len()).sum()
        };
        assert!(bytes.len() < whole * 2 / 3, "{} of {whole} bytes", bytes.len());
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "nothing is left beside it");
    }

    #[test]
    fn one_that_was_removed_meanwhile_does_not_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gone.mayfly");
        let file = File::options().read(true).write(true).create_new(true).open(&path).expect("opened");
        let mut file = GrowingFile::new(file, path.clone(), 0);
        fs::remove_file(&path).expect("removed");
        assert!(file.is_removed());
        record(&mut file, stream(4_000, 400));
        assert!(!path.exists());
    }
}
