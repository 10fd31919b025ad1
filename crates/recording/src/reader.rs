//! Bytes to updates: from a whole file, or piece by piece from a file or socket that still grows.
//!
//! Not here: folding updates into a profile (`profile`).

use std::collections::BTreeSet;

use mayfly_profile::{ApplyError, Update};

use crate::frame::{
    FILE_HEADER_LEN, FORMAT_VERSION, FRAME_HEAD_LEN, FrameStart, KIND_STEP, KIND_UPDATE, MAGIC, split_frame,
};
use crate::{sections, v3};

/// Why nothing can be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first bytes are not a recording's.
    #[error(
        "not a Mayfly recording: it does not start with the bytes 89 4D 41 59 46 4C 59 0A; check the file name"
    )]
    Foreign,
    /// It ends before the file header does.
    #[error(
        "the recording is empty ({bytes} of the 12 bytes of its header): the JVM ended before anything was written"
    )]
    Empty {
        /// Bytes present.
        bytes: usize,
    },
    /// A later Mayfly wrote it.
    #[error(
        "the recording has format {version}, this Mayfly reads up to format {newest}: read it with a newer Mayfly"
    )]
    Newer {
        /// The recording's version.
        version: u16,
        /// The newest version that can be read.
        newest: u16,
    },
    /// A Mayfly wrote it that was never released.
    #[error(
        "the recording has format {version}, of a Mayfly before its first release: record the program again"
    )]
    Older {
        /// The recording's version.
        version: u16,
    },
}

/// What is wrong with a recording that could be read up to somewhere. Offsets are in bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It ends inside a frame. Everything before was read.
    #[error(
        "the recording is cut off inside the frame at byte {offset}: all before it was read, {bytes} bytes were not"
    )]
    Truncated {
        /// Where the incomplete frame begins.
        offset: u64,
        /// Bytes there are of it.
        bytes: u64,
    },
    /// A frame is damaged. Everything before was read, nothing after.
    #[error("the recording is damaged at byte {offset} ({what}): all before it was read, nothing after")]
    Corrupt {
        /// Where the damaged frame begins.
        offset: u64,
        /// What does not hold.
        what: &'static str,
    },
    /// The frames are whole, but an update does not fit those before it. All others were read.
    #[error("the recording contradicts itself at byte {offset}: {cause}")]
    Inconsistent {
        /// Where the frame of the first such update begins.
        offset: u64,
        /// What does not fit.
        cause: ApplyError,
    },
    /// It is whole, and a later Mayfly has written more into it than this one knows. All else was read.
    #[error(
        "the recording holds facts that this Mayfly does not know ({what}): they are left out; read it with a newer Mayfly"
    )]
    LeftOut {
        /// Kinds of frames and sections, by number.
        what: String,
    },
}

/// Reads updates from bytes that arrive in pieces of any size.
///
/// [`Self::fold`] the bytes, and ask [`Self::end`] when there are no more. Or [`Self::push`] them, take [`Self::next_update`] until
/// it is `None`, and ask [`Self::damage`].
#[derive(Clone, Debug, Default)]
pub struct RecordingReader {
    pending: Vec<u8>,
    /// Bytes of `pending` already read.
    consumed: usize,
    /// Offset in the recording of `pending[0]`.
    offset: u64,
    /// Offset of the frame of the last update given out.
    last_update_at: u64,
    /// The format, once the whole file header was seen and found good.
    version: Option<u16>,
    corrupt: Option<Damage>,
    /// The first update that did not fit where it was folded.
    contradiction: Option<Damage>,
    unknown: Unknown,
}

/// Kinds of what was skipped.
#[derive(Clone, Debug, Default)]
struct Unknown {
    frames: BTreeSet<u8>,
    sections: BTreeSet<u8>,
}

impl Unknown {
    fn left_out(&self) -> Option<Damage> {
        let list = |what: &str, kinds: &BTreeSet<u8>| {
            let kinds: Vec<_> = kinds.iter().map(u8::to_string).collect();
            (!kinds.is_empty()).then(|| format!("{what} {}", kinds.join(", ")))
        };
        let lists = [list("frames", &self.frames), list("sections", &self.sections)];
        let what = lists.into_iter().flatten().collect::<Vec<_>>().join("; ");
        (!what.is_empty()).then_some(Damage::LeftOut { what })
    }
}

impl RecordingReader {
    /// A reader at the start of a recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.consumed);
        self.offset += self.consumed as u64;
        self.consumed = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// The next update. `None`: more bytes are needed, or the recording is damaged here ([`Self::damage`] tells).
    ///
    /// # Errors
    /// The bytes are no recording, or one this version can't read; pushing more does not help.
    pub fn next_update(&mut self) -> Result<Option<Update>, ReadError> {
        if self.version()?.is_none() {
            return Ok(None);
        }
        while self.corrupt.is_none() {
            let offset = self.position();
            match read_frame(&self.pending[self.consumed..], &mut self.unknown) {
                Err(what) => self.corrupt = Some(Damage::Corrupt { offset, what }),
                Ok(None) => return Ok(None),
                Ok(Some((length, update))) => {
                    self.consumed += length;
                    if update.is_some() {
                        self.last_update_at = offset;
                        return Ok(update);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Takes the next bytes of the recording, and gives `apply` each update that they complete. One that does not fit is told by
    /// [`Self::end`].
    ///
    /// # Errors
    /// As [`Self::next_update`].
    pub fn fold(
        &mut self,
        bytes: &[u8],
        mut apply: impl FnMut(Update) -> Result<(), ApplyError>,
    ) -> Result<(), ReadError> {
        self.push(bytes);
        while let Some(update) = self.next_update()? {
            if let Err(cause) = apply(update) {
                let offset = self.last_update_at;
                self.contradiction.get_or_insert(Damage::Inconsistent { offset, cause });
            }
        }
        Ok(())
    }

    /// No more bytes come: the first update that did not fit, or else what [`Self::damage`] tells, or what was skipped.
    ///
    /// # Errors
    /// The recording ended before its header did.
    pub fn end(mut self) -> Result<Option<Damage>, ReadError> {
        match self.version {
            None => Err(ReadError::Empty { bytes: self.pending.len() }),
            Some(_) => {
                Ok(self.contradiction.take().or_else(|| self.damage()).or_else(|| self.unknown.left_out()))
            }
        }
    }

    /// What is wrong if no more bytes come: `None` when the input ended between two frames.
    pub fn damage(&self) -> Option<Damage> {
        let bytes = (self.pending.len() - self.consumed) as u64;
        let cut_off = || {
            (self.version.is_some() && bytes > 0)
                .then(|| Damage::Truncated { offset: self.position(), bytes })
        };
        self.corrupt.clone().or_else(cut_off)
    }

    fn position(&self) -> u64 {
        self.offset + self.consumed as u64
    }

    /// The format, once the header is whole; checks as much of it as is there.
    fn version(&mut self) -> Result<Option<u16>, ReadError> {
        if self.version.is_some() {
            return Ok(self.version);
        }
        let present = self.pending.len().min(MAGIC.len());
        if self.pending[..present] != MAGIC[..present] {
            return Err(ReadError::Foreign);
        }
        let Some(header) = self.pending.first_chunk::<FILE_HEADER_LEN>() else { return Ok(None) };
        match u16::from_le_bytes([header[8], header[9]]) {
            0 => Err(ReadError::Foreign),
            version if version < FORMAT_VERSION => Err(ReadError::Older { version }),
            version if version > FORMAT_VERSION => Err(ReadError::Newer { version, newest: FORMAT_VERSION }),
            version => {
                self.consumed = FILE_HEADER_LEN;
                self.version = Some(version);
                Ok(self.version)
            }
        }
    }
}

/// The length and content of the frame at the start of `bytes`: no content if it is of an unknown kind, nothing at
/// all if it is not whole yet, an error saying what does not hold.
fn read_frame(bytes: &[u8], unknown: &mut Unknown) -> Result<Option<(usize, Option<Update>)>, &'static str> {
    let (kind, payload) = match split_frame(bytes) {
        FrameStart::Whole { kind, payload } => (kind, payload),
        FrameStart::Partial => return Ok(None),
        FrameStart::Corrupt { what } => return Err(what),
    };
    let length = FRAME_HEAD_LEN + payload.len();
    let update = match kind {
        KIND_UPDATE => v3::decode(payload),
        KIND_STEP => sections::decode(payload, &mut unknown.sections).map(Update::Step),
        other => {
            unknown.frames.insert(other);
            return Ok(Some((length, None)));
        }
    };
    match update {
        Some(update) => Ok(Some((length, Some(update)))),
        None => Err("a frame with good checksums holds no update"),
    }
}
