//! The index beside a dump, `FILE.mayidx`: found, believed or not, written and added to.
//!
//! That it can't be written is no fault of a question: it is answered, and the next one reads the dump again. Not here: what is in an
//! index (`mayfly-heap`).

use std::cell::RefCell;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use mayfly_heap::saved::{self, Damaged, Part, Saved, Stamp};
use rustix::fs::OFlags;

use crate::heap::mapping::Mapping;

/// Dumps of fewer bytes are read as fast as an index.
const LEAST: usize = 1 << 20;
/// At once to the file.
const PIECE: usize = 1 << 20;

/// Where the index of a dump is, or would be.
#[derive(Debug)]
pub(crate) struct IndexFile {
    path: PathBuf,
    stamp: Stamp,
    /// Whose the dump is: he could have written anything into it, and so into its index.
    owner: u32,
    /// What is there of it; none as well if it is not to be believed.
    saved: RefCell<Option<Saved>>,
}

impl IndexFile {
    /// Of a dump; none if it is too small to need one.
    pub(crate) fn beside(dump: &Path, facts: &Metadata, bytes: &[u8]) -> Option<Self> {
        if bytes.len() < LEAST {
            return None;
        }
        let mut path = dump.to_owned().into_os_string();
        path.push(".mayidx");
        let modified = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let stamp = Stamp::of(bytes, u64::try_from(modified.as_nanos()).ok()?);
        let path = PathBuf::from(path);
        let index = Self { path, stamp, owner: facts.uid(), saved: RefCell::new(None) };
        let there = index.open(OpenOptions::new().read(true)).ok();
        index.saved.replace(there.and_then(|file| opened(&file, &index.stamp).ok()?));
        Some(index)
    }

    /// The file. Others may have put something in its place where they may write: no link is followed, no pipe waited for,
    /// and what belongs to neither us nor the dump's owner is not believed.
    fn open(&self, how: &mut OpenOptions) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = how.custom_flags(flags.bits() as i32).open(&self.path)?;
        let facts = file.metadata()?;
        let trusted = [self.owner, rustix::process::geteuid().as_raw(), 0];
        if !facts.is_file() || !trusted.contains(&facts.uid()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(file)
    }

    /// What is in it; none if it is not there, or damaged: then it will be written anew.
    pub(crate) fn take<T>(&self, read: impl FnOnce(&Saved) -> Result<Option<T>, Damaged>) -> Option<T> {
        let taken = read(self.saved.borrow().as_ref()?);
        taken.unwrap_or_else(|Damaged| {
            self.saved.replace(None);
            None
        })
    }

    /// Adds parts, if that can be done now.
    pub(crate) fn add(&self, parts: &[Part]) {
        if let Ok(added) = self.try_add(parts) {
            self.saved.replace(added);
        }
    }

    fn try_add(&self, parts: &[Part]) -> io::Result<Option<Saved>> {
        if self.saved.borrow().is_none() {
            self.begin()?;
        }
        let mut file = self.open(OpenOptions::new().read(true).write(true))?;
        // Whoever else is at it writes the same.
        file.try_lock()?;
        let Some(there) = opened(&file, &self.stamp)? else { return Ok(None) };
        let lacking: Vec<_> = parts.iter().filter(|part| there.lacks(part)).cloned().collect();
        // What was not written in full is written over.
        file.set_len(there.length())?;
        file.seek(SeekFrom::End(0))?;
        let mut sink = BufWriter::with_capacity(PIECE, &file);
        let written = saved::write(&lacking, &mut |bytes| sink.write_all(bytes)).and_then(|()| sink.flush());
        drop(sink);
        if let Err(error) = written {
            file.set_len(there.length())?;
            return Err(error);
        }
        // A mapping keeps the file open, and a lock with it, as long as it is there.
        file.unlock()?;
        opened(&file, &self.stamp)
    }

    /// Puts an index without parts in the place of what is there. Who reads that goes on reading it.
    fn begin(&self) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // For its user alone, as dumps are.
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(&saved::head(&self.stamp))?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// What is in a file; none if it is no index of this dump.
fn opened(file: &File, stamp: &Stamp) -> io::Result<Option<Saved>> {
    Ok(Saved::open(&Bytes::from_owner(Mapping::of(file)?), stamp))
}
