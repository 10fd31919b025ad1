//! A recording as a source: read to its end, and on from there as it grows.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use mayfly_profile::Update;
use mayfly_recording::{Damage, Reached, ReadError, RecordingReader};

use crate::error::Error;
use crate::live::source::{Piece, Source};
use crate::recording_input;
use crate::session::writer;

const PIECE_BYTES: usize = 256 << 10;
/// How often a file that has no more is looked at. The agent writes every second.
const LOOK: Duration = Duration::from_millis(200);
/// After so many looks at nothing new it is checked whether anybody still writes.
const LOOKS: u32 = 15;

/// A recording that may still be written.
#[derive(Debug)]
pub(crate) struct GrowingFile {
    path: PathBuf,
    file: File,
    reader: RecordingReader,
    bytes: u64,
    ended: bool,
    looks: u32,
    /// Whether it was said that there is no more so far.
    caught_up: bool,
    /// How far it was read.
    reached: Reached,
    /// How far the file is read again that took its place: what it says up to there was said.
    again: Option<Reached>,
    /// Of which run it is, and whether the file that took its place is of another one.
    run: Option<Update>,
    is_another: bool,
}

impl GrowingFile {
    /// Opens it.
    ///
    /// # Errors
    /// [`Error::RecordingUnreadable`].
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path)
            .map_err(|source| Error::RecordingUnreadable { name: path.display().to_string(), source })?;
        let reader = RecordingReader::new();
        Ok(Self {
            path: path.to_owned(),
            file,
            reader,
            bytes: 0,
            ended: false,
            looks: 0,
            caught_up: false,
            reached: Reached::default(),
            again: None,
            run: None,
            is_another: false,
        })
    }

    /// The agent puts another file in the place of one that grew large, with fewer steps of long ago. Whether it did.
    fn is_replaced(&mut self) -> bool {
        let identity = |facts: Metadata| (facts.dev(), facts.ino());
        let named = fs::metadata(&self.path).map(identity).ok();
        let held = self.file.metadata().map(identity).ok();
        let Some(file) = named.filter(|_| named != held).and_then(|_| File::open(&self.path).ok()) else {
            return false;
        };
        let again = Some(self.reached);
        (self.file, self.reader, self.bytes) = (file, RecordingReader::new(), 0);
        (self.reached, self.again) = (Reached::default(), again);
        true
    }

    /// Whether this was not said before.
    fn is_new(&mut self, update: &Update) -> bool {
        self.reached.note(update);
        if matches!(update, Update::Start(_)) {
            self.is_another |= *self.run.get_or_insert_with(|| update.clone()) != *update;
        }
        let Some(before) = self.again else { return true };
        let is_further = (self.reached.resets, self.reached.ms) > (before.resets, before.ms);
        match update {
            Update::Class { .. } | Update::Frame { .. } | Update::Site { .. } | Update::End => true,
            Update::Step(_) | Update::Reset if is_further => {
                self.again = None;
                true
            }
            _ => false,
        }
    }

    fn unreadable(&self, source: io::Error) -> Error {
        Error::RecordingUnreadable { name: self.path.display().to_string(), source }
    }

    fn refused(&self, cause: ReadError) -> Error {
        recording_input::refused(&self.path, cause)
    }

    /// The updates in the next bytes; `None` if there are no more bytes now.
    fn read(&mut self) -> Result<Option<Vec<Update>>, Error> {
        let mut piece = vec![0; PIECE_BYTES];
        let length = match self.file.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(Some(Vec::new())),
            read => read.map_err(|error| self.unreadable(error))?,
        };
        if length == 0 {
            return Ok(None);
        }
        self.bytes += length as u64;
        self.reader.push(&piece[..length]);
        let mut updates = Vec::new();
        while let Some(update) = self.reader.next_update().map_err(|cause| self.refused(cause))? {
            self.ended |= update == Update::End;
            if self.is_new(&update) {
                updates.push(update);
            }
        }
        Ok(Some(updates))
    }

    /// Why nothing more is to be expected, if so.
    fn end(&mut self) -> Result<Option<Piece>, Error> {
        if let Some(damage @ Damage::Corrupt { .. }) = self.reader.damage() {
            return Ok(Some(Piece::End(Some(damage.to_string()))));
        }
        let length = self.file.metadata().map_err(|error| self.unreadable(error))?.len();
        if length < self.bytes || self.is_another {
            return Ok(Some(Piece::End(Some("the recording was written anew: look at it again".to_owned()))));
        }
        self.looks += 1;
        if self.looks < LOOKS {
            return Ok(None);
        }
        self.looks = 0;
        match writer::of(&self.path) {
            Some(_) => Ok(None),
            None if self.bytes < mayfly_recording::frame::FILE_HEADER_LEN as u64 => {
                Err(self.refused(ReadError::Empty { bytes: self.bytes as usize }))
            }
            // Its last words may have come since it was read last.
            None if self.file.metadata().is_ok_and(|file| file.len() > self.bytes) => Ok(None),
            None => {
                let why = "nobody writes this recording any more: the JVM was killed, or its disk was full";
                Ok(Some(Piece::End(Some(why.to_owned()))))
            }
        }
    }
}

impl Source for GrowingFile {
    fn next(&mut self) -> Result<Piece, Error> {
        loop {
            match self.read()? {
                Some(updates) if updates.is_empty() => self.looks = 0,
                Some(updates) => {
                    (self.looks, self.caught_up) = (0, false);
                    return Ok(Piece::Updates(updates));
                }
                None if self.ended => return Ok(Piece::End(None)),
                None if !self.caught_up => {
                    self.caught_up = true;
                    return Ok(Piece::CaughtUp);
                }
                None if self.is_replaced() => {}
                None => match self.end()? {
                    Some(end) => return Ok(end),
                    None => thread::sleep(LOOK),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use mayfly_profile::Progress;
    use mayfly_recording::RecordingWriter;

    use super::*;

    fn frames() -> Vec<Vec<u8>> {
        let mut writer = RecordingWriter::new();
        let step = |ms| Update::from(Progress { duration_ms: ms, ..Progress::default() });
        let updates = [Update::Start(Box::default()), step(1_000), step(2_000), Update::End];
        updates.iter().map(|update| writer.encode(update).expect("fits")).collect()
    }

    fn updates(source: &mut GrowingFile) -> Vec<Update> {
        match after_all(source) {
            Ok(Piece::Updates(updates)) => updates,
            other => panic!("{other:?}"),
        }
    }

    fn after_all(source: &mut GrowingFile) -> Result<Piece, Error> {
        match source.next() {
            Ok(Piece::CaughtUp) => source.next(),
            other => other,
        }
    }

    #[test]
    fn a_recording_is_followed_as_it_grows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.mayfly");
        let frames = frames();
        let mut file = OpenOptions::new().append(true).create(true).open(&path).expect("a file");
        file.write_all(&frames[0]).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        assert_eq!(updates(&mut source).len(), 1);
        // Half a frame is none.
        let (half, rest) = frames[1].split_at(7);
        file.write_all(half).expect("written");
        assert_eq!(source.read().expect("readable"), Some(vec![]));
        file.write_all(rest).expect("written");
        assert_eq!(updates(&mut source).len(), 1);
        file.write_all(&frames[2..].concat()).expect("written");
        assert_eq!(updates(&mut source).len(), 2);
        assert!(matches!(after_all(&mut source), Ok(Piece::End(None))));
    }

    #[test]
    fn one_that_nobody_writes_any_more_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.mayfly");
        std::fs::write(&path, frames()[..2].concat()).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        assert_eq!(updates(&mut source).len(), 2);
        let Ok(Piece::End(Some(why))) = after_all(&mut source) else { panic!("no end") };
        assert!(why.contains("killed"), "{why}");
        std::fs::write(&path, "").expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        assert!(matches!(
            after_all(&mut source),
            Err(Error::RecordingRefused { cause: ReadError::Empty { .. }, .. })
        ));
    }

    /// As the agent does with one that grew large.
    #[test]
    fn a_file_with_fewer_steps_in_its_place_tells_only_what_is_new() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.mayfly");
        let mut writer = RecordingWriter::new();
        let mut bytes = |updates: &[Update]| -> Vec<u8> {
            updates.iter().flat_map(|update| writer.encode(update).expect("fits")).collect()
        };
        let step = |ms| Update::from(Progress { duration_ms: ms, ..Progress::default() });
        let start = Update::Start(Box::default());
        std::fs::write(&path, bytes(&[start.clone(), step(1_000), step(2_000)])).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        assert_eq!(updates(&mut source).len(), 3);
        let other = folder.path().join("other");
        writer = RecordingWriter::new();
        let again: Vec<u8> = [start, step(2_000), step(3_000), Update::End]
            .iter()
            .flat_map(|update| writer.encode(update).expect("fits"))
            .collect();
        std::fs::write(&other, again).expect("written");
        std::fs::rename(&other, &path).expect("in its place");
        assert_eq!(updates(&mut source), [step(3_000), Update::End]);
        assert!(matches!(after_all(&mut source), Ok(Piece::End(None))));
    }

    #[test]
    fn damage_and_a_new_file_in_its_place_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.mayfly");
        let mut bytes = frames().concat();
        let at = bytes.len() - 30;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        updates(&mut source);
        let Ok(Piece::End(Some(why))) = after_all(&mut source) else { panic!("no end") };
        assert!(why.contains("damaged at byte"), "{why}");
        std::fs::write(&path, &frames()[0]).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        updates(&mut source);
        std::fs::write(&path, &frames()[0][..5]).expect("written");
        let Ok(Piece::End(Some(why))) = after_all(&mut source) else { panic!("no end") };
        assert!(why.contains("anew"), "{why}");
        std::fs::write(&path, frames().concat()).expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        updates(&mut source);
        source.ended = false;
        let mut writer = RecordingWriter::new();
        let run = mayfly_profile::RunInfo { started_unix_ms: 7, ..Default::default() };
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, writer.encode(&Update::Start(Box::new(run))).expect("fits")).expect("written");
        assert!(matches!(after_all(&mut source), Ok(Piece::End(Some(why))) if why.contains("anew")));
        std::fs::write(&path, "no recording").expect("written");
        let mut source = GrowingFile::open(&path).expect("there");
        assert!(matches!(
            after_all(&mut source),
            Err(Error::RecordingRefused { cause: ReadError::Foreign, .. })
        ));
    }
}
