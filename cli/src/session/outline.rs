//! What a recording tells at first sight, by its first and last bytes: whose it is, and whether it is whole.
//!
//! Not here: what is in it (`recording_input`).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use mayfly_profile::{JvmInfo, Update};
use mayfly_recording::RecordingReader;
use mayfly_recording::frame::end_of_recording;
use mayfly_report::printable;

use crate::session::folder;

/// Bytes read at a time in search of the first frame, and how many at most: a command line is no longer.
const PIECE: usize = 64 << 10;
const MOST_PIECES: usize = 64;

/// The outline of a recording.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The JVM that wrote it; `None` if it was not written so far.
    pub(crate) jvm: Option<JvmInfo>,
    /// The agent closed it: nothing is missing at its end.
    pub(crate) complete: bool,
}

impl Outline {
    /// Reads the outline of the recording at `path`.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut file = folder::open_regular(path)?;
        let jvm = first_jvm(&mut file)?;
        let end = end_of_recording();
        let length = file.metadata()?.len();
        let mut last = Vec::new();
        file.seek(SeekFrom::Start(length.saturating_sub(end.len() as u64)))?;
        file.take(end.len() as u64).read_to_end(&mut last)?;
        Ok(Self { jvm, complete: last == end })
    }

    /// `com.acme.Main, pid 4711`; empty if the JVM is not known.
    pub(crate) fn who(&self) -> String {
        let Some(jvm) = &self.jvm else { return String::new() };
        // The main class or the jar; what follows are arguments.
        let main = jvm.command.split(' ').next().unwrap_or_default();
        let comma = if main.is_empty() { "" } else { ", " };
        format!("{}{comma}pid {}", printable(main), jvm.pid)
    }
}

fn first_jvm(file: &mut File) -> io::Result<Option<JvmInfo>> {
    let mut reader = RecordingReader::new();
    let mut piece = vec![0; PIECE];
    for _ in 0..MOST_PIECES {
        let length = file.read(&mut piece)?;
        reader.push(&piece[..length]);
        match reader.next_update() {
            Ok(Some(Update::Start(run))) => return Ok(Some(run.jvm)),
            Ok(None) if length > 0 => {}
            _ => return Ok(None),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mayfly_profile::RunInfo;
    use mayfly_recording::RecordingWriter;

    use super::*;

    fn outline(bytes: &[u8]) -> Outline {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.mayfly");
        fs::write(&path, bytes).expect("written");
        Outline::of(&path).expect("readable")
    }

    #[test]
    fn it_is_told_whose_a_recording_is_and_whether_it_is_whole() {
        let command = format!("a.Main\u{1b}[2J {}", "argument ".repeat(20_000));
        let jvm = JvmInfo { pid: 7, command, ..JvmInfo::default() };
        let run = RunInfo { jvm: jvm.clone(), ..RunInfo::default() };
        let mut writer = RecordingWriter::new();
        let start = writer.encode(&Update::Start(Box::new(run))).expect("fits");
        let end = writer.encode(&Update::End).expect("fits");
        let whole = outline(&[start.clone(), end.clone()].concat());
        assert_eq!(whole, Outline { jvm: Some(jvm.clone()), complete: true });
        assert_eq!(whole.who(), "a.Main\\u{1b}[2J, pid 7");
        assert_eq!(outline(&start), Outline { jvm: Some(jvm), complete: false });
        let nameless = Outline { jvm: Some(JvmInfo { pid: 7, ..JvmInfo::default() }), complete: true };
        assert_eq!(nameless.who(), "pid 7");
        for bytes in [&b""[..], b"no recording", &start[..5]] {
            assert_eq!(outline(bytes), Outline { jvm: None, complete: false });
        }
    }
}
