//! A recording from a file or from standard input, read piece by piece: one of hours may be larger than memory.
//!
//! Not here: the format (`mayfly-recording`), and what the profile is used for.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use mayfly_profile::{
    ApplyError, Profile, ProfileBuilder, SharedStacks, Slices, Slicing, TimeRange, Update, Window,
    WindowError,
};
use mayfly_recording::{Damage, ReadError, RecordingReader, read_totals};
use mayfly_report::BLANK;

use crate::args::Phase;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::progress::Progress;
use crate::output;

const PIECE_BYTES: usize = 1 << 20;
/// Smaller recordings are read at once.
const LARGE_BYTES: u64 = 16 << 20;

/// The profile in a recording, or what of it happened in a range of time; `-` is standard input. What can't be read behind a
/// readable part is a warning on stderr.
///
/// # Errors
/// [`Error::RecordingUnreadable`], [`Error::RecordingRefused`], [`Error::NotInRecording`].
pub(crate) fn read(recording: &Path, during: Option<TimeRange>) -> Result<Profile, Error> {
    let folding = match during {
        Some(range) => Folding::Range(Box::new(Window::new(range))),
        None => Folding::Whole(Box::default()),
    };
    read_into(folding, recording).map(|(profile, _)| profile)
}

/// The profile in a snapshot that this command has asked for itself: that it has no end is no news.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_snapshot(recording: &Path) -> Result<Profile, Error> {
    fold(Folding::Whole(Box::default()), recording).map(|folded| folded.profile)
}

/// What of the profile in a recording happened in a phase of the program; all of it for `None`.
///
/// # Errors
/// As [`read`]; [`Error::NotInRecording`] also where start-up and work can't be told apart.
pub(crate) fn read_phase(recording: &Path, phase: Option<Phase>) -> Result<Profile, Error> {
    let Some(phase) = phase else { return read(recording, None) };
    let not_told = |cause: &str| Error::NotInRecording {
        name: recording.display().to_string(),
        cause: cause.to_owned(),
    };
    if recording == Path::new("-") {
        return Err(not_told(
            "--phase reads the recording twice, which standard input does not allow; name a file",
        ));
    }
    let range =
        fold(Folding::Whole(Box::default()), recording)?.profile.start_up().and_then(
            |start_up| match phase {
                Phase::Start => start_up.itself(),
                Phase::Work => Some(start_up.work()),
            },
        );
    read(recording, Some(range.ok_or_else(|| not_told(NO_PHASES))?))
}

/// Why no start-up is known.
const NO_PHASES: &str = "start-up and work can't be told apart: the program ran for less than 10 s, loaded classes for more than half of \
     the time, or was profiled only later than from its start; name the time instead: --during FROM..TO";

/// The whole profile in a recording, and its slices of time.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_sliced(recording: &Path) -> Result<(Profile, Option<Slices>), Error> {
    read_into(Folding::Sliced(Box::default()), recording)
}

fn read_into(folding: Folding, recording: &Path) -> Result<(Profile, Option<Slices>), Error> {
    let Folded { name, profile, slices, damage } = fold(folding, recording)?;
    warn(&name, &profile, damage);
    Ok((profile, slices))
}

/// As [`read`]; what there is to warn of is the caller's to say.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_quietly(
    recording: &Path,
    during: Option<TimeRange>,
) -> Result<(Profile, Option<String>), Error> {
    let folding = match during {
        Some(range) => Folding::Range(Box::new(Window::new(range))),
        None => Folding::Whole(Box::default()),
    };
    let Folded { name, profile, damage, .. } = fold(folding, recording)?;
    let warning = warning(&name, &profile, damage);
    Ok((profile, warning))
}

/// As [`read_quietly`], without what happened when, and with stacks shared with others. A large one is read piece by piece as any
/// other, and so is one of which there is to say what is wrong.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_totals_quietly(
    recording: &Path,
    stacks: &SharedStacks,
) -> Result<(Profile, Option<String>), Error> {
    let is_small = fs::metadata(recording).is_ok_and(|file| file.is_file() && file.len() < LARGE_BYTES);
    let bytes = if is_small { fs::read(recording).unwrap_or_default() } else { Vec::new() };
    match read_totals(&bytes, stacks) {
        Some(profile) => {
            let warning = warning(&recording.display().to_string(), &profile, None);
            Ok((profile, warning))
        }
        None => read_quietly(recording, None),
    }
}

/// What was read, of which nothing was said yet.
struct Folded {
    name: String,
    profile: Profile,
    slices: Option<Slices>,
    damage: Option<Damage>,
}

fn fold(folding: Folding, recording: &Path) -> Result<Folded, Error> {
    let (name, input) = if recording == Path::new("-") {
        ("standard input".to_owned(), Ok(Box::new(io::stdin().lock()) as Box<dyn Read>))
    } else {
        (recording.display().to_string(), File::open(recording).map(|file| Box::new(file) as Box<dyn Read>))
    };
    let unreadable = |source| Error::RecordingUnreadable { name: name.clone(), source };
    let refused = |cause: ReadError| refused(recording, cause);
    let length =
        if recording == Path::new("-") { 0 } else { fs::metadata(recording).map_or(0, |file| file.len()) };
    let mut input = Watched::new(input.map_err(unreadable)?, length);
    let Outcome { profile, slices, damage } =
        read_pieces(&mut input, folding).map_err(unreadable)?.map_err(refused)?;
    drop(input);
    let profile =
        profile.map_err(|cause| Error::NotInRecording { name: name.clone(), cause: cause.to_string() })?;
    Ok(Folded { name, profile, slices, damage })
}

/// Says what of a recording could not be read, or is not in it.
fn warn(name: &str, profile: &Profile, damage: Option<Damage>) {
    warning(name, profile, damage).into_iter().for_each(|text| output::say(&text));
}

fn warning(name: &str, profile: &Profile, damage: Option<Damage>) -> Option<String> {
    let what = match damage {
        Some(damage) => damage.to_string(),
        None if profile.is_blank() => format!("nothing was recorded: {BLANK}"),
        // Which of several were not closed is shown beside their labels.
        None if !profile.complete && !profile.is_merged() => {
            "not closed by the agent: the JVM was killed, its disk was full, or it is still running"
                .to_owned()
        }
        None => return None,
    };
    Some(format!("warning: {name}: {what}"))
}

/// Why a file is no recording that can be read, and which command takes it, if one does.
pub(crate) fn refused(recording: &Path, cause: ReadError) -> Error {
    let name = if recording == Path::new("-") {
        "standard input".to_owned()
    } else {
        recording.display().to_string()
    };
    if cause == ReadError::Foreign
        && recording.is_file()
        && let Some(what) = other_kind(recording)
    {
        return Error::AnotherKind { name, what };
    }
    Error::RecordingRefused { name, cause }
}

/// What a file is instead, and who reads it.
fn other_kind(file: &Path) -> Option<String> {
    if DumpFile::open(file).is_ok() {
        return Some(format!("a heap dump; ask it: mayfly heap {}", file.display()));
    }
    let mut first = Vec::new();
    File::open(file).ok()?.take(64).read_to_end(&mut first).ok()?;
    match first.as_slice() {
        [b'F', b'L', b'R', 0, ..] => {
            Some("a recording of Java Flight Recorder; the JDK's jfr reads it".to_owned())
        }
        [0x1f, 0x8b, ..] => Some("packed by gzip; unpack it: gzip -d".to_owned()),
        [b'[', ..] => {
            Some("a log of the JVM, it seems; mayfly advise --gc-log takes one of its collections".to_owned())
        }
        _ => None,
    }
}

/// A file of which is said how far it was read, if it is large.
struct Watched<R> {
    input: R,
    progress: Option<Progress>,
    length: u64,
    read: u64,
}

impl<R: Read> Watched<R> {
    fn new(input: R, length: u64) -> Self {
        let progress = (length >= LARGE_BYTES).then(|| Progress::bytes("reading the recording", length));
        Self { input, progress, length, read: 0 }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.read += read as u64;
        self.progress.iter().for_each(|progress| progress.at(self.read, self.length));
        Ok(read)
    }
}

/// What was read.
#[derive(Debug)]
struct Outcome {
    profile: Result<Profile, WindowError>,
    slices: Option<Slices>,
    damage: Option<Damage>,
}

/// As [`mayfly_recording::read_profile`], which takes the bytes at once. The outer error is the input's.
///
/// By one thread: what is decoded is folded while it is in the cache, and freed where it was made
/// ([why](../../docs/design/reports.md#0063-a-long-recording-becomes-a-page-by-what-changed-gone-through-backwards)).
fn read_pieces(input: &mut impl Read, mut folding: Folding) -> io::Result<Result<Outcome, ReadError>> {
    let mut reader = RecordingReader::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => {
                if let Err(refusal) = reader.fold(&piece[..length], |update| folding.apply(update)) {
                    return Ok(Err(refusal));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(reader.end().map(|damage| {
        let (profile, slices) = folding.end();
        Outcome { profile, slices, damage }
    }))
}

/// What a stream is folded into.
enum Folding {
    Whole(Box<ProfileBuilder>),
    Sliced(Box<Slicing>),
    Range(Box<Window>),
}

impl Folding {
    fn apply(&mut self, update: Update) -> Result<(), ApplyError> {
        match self {
            Self::Whole(builder) => builder.apply(update),
            Self::Sliced(slicing) => slicing.apply(update),
            Self::Range(window) => window.apply(update),
        }
    }

    fn end(self) -> (Result<Profile, WindowError>, Option<Slices>) {
        match self {
            Self::Whole(builder) => (Ok(builder.profile_with_history()), None),
            Self::Sliced(slicing) => {
                let (profile, slices) = slicing.end();
                (Ok(profile), Some(slices))
            }
            Self::Range(window) => (window.profile(), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassCounts, ClassId, Progress, Tally, Update};
    use mayfly_recording::{RecordingWriter, read_profile};

    use super::*;

    /// Gives its bytes in pieces of `step`, and is interrupted before each.
    struct Slow<'a> {
        bytes: &'a [u8],
        step: usize,
        interrupted: bool,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.interrupted = !self.interrupted;
            if self.interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let length = self.step.min(self.bytes.len()).min(into.len());
            let (now, later) = self.bytes.split_at(length);
            into[..length].copy_from_slice(now);
            self.bytes = later;
            Ok(length)
        }
    }

    /// With an update in it that names no class.
    fn recording() -> Vec<u8> {
        let counts = |id| ClassCounts { id, allocated: Tally::of(3, 16), lifetimes: None };
        let progress = |id| Update::from(Progress { classes: vec![counts(id)], ..Progress::default() });
        let class = Update::Class { id: ClassId(0), name: "a.B".to_owned() };
        let updates =
            [Update::Start(Box::default()), class, progress(ClassId(0)), progress(ClassId(7)), Update::End];
        let mut writer = RecordingWriter::new();
        updates.iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
    }

    #[test]
    fn pieces_of_any_size_give_what_the_whole_gives() {
        let bytes = recording();
        for length in 0..=bytes.len() {
            for step in [1, 5, 1000] {
                let bytes = &bytes[..length];
                let slow = &mut Slow { bytes, step, interrupted: false };
                let pieces = read_pieces(slow, Folding::Whole(Box::default())).expect("no other error");
                let pieces = pieces.map(|read| (read.profile, read.damage));
                let whole = read_profile(bytes).map(|(profile, damage)| (Ok(profile), damage));
                assert_eq!(pieces, whole, "{length} bytes in steps of {step}");
            }
        }
    }

    #[test]
    fn foreign_bytes_are_refused_at_once() {
        let endless = &mut io::repeat(b'x');
        let read = read_pieces(endless, Folding::Whole(Box::default())).expect("readable");
        assert_eq!(read.map(|read| read.damage), Err(ReadError::Foreign));
    }
}
