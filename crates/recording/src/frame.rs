//! The bytes of a recording: a file header, then frames until the end.
//!
//! Not here: what a payload means (`writer`, `reader`).
//!
//! All integers are little-endian. CRC-32 is the IEEE polynomial (as in zlib and PNG).
//!
//! ```text
//! file header, 12 bytes
//!  0                               8       10      12
//! ┌───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┐
//! │ 89  M   A   Y   F   L   Y  \n │version│ 0   0 │
//! └───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┘
//!   89 is no ASCII and \n is altered by text-mode copies, so a mangled copy is seen at once
//!
//! frame, 13 + len bytes
//!  0   1               5               9               13            13+len
//! ┌───┬───────────────┬───────────────┬───────────────┬──────── ─ ─ ──┐
//! │knd│ len           │ crc of 0..5   │ crc of payload│ payload       │
//! └───┴───────────────┴───────────────┴───────────────┴──────── ─ ─ ──┘
//!   kind 1: one update that is no step, in postcard 1 encoding, as the version has it (`v3`)
//!   kind 2: a step, by sections (`sections`)
//!   other kinds are skipped, so that later writers may add some
//!   the head has its own checksum: a damaged length is told apart from a recording that was cut off
//! ```

use mayfly_profile::Update;

use crate::v3;

/// The format version this crate writes, and reads.
pub const FORMAT_VERSION: u16 = 3;
/// First bytes of every recording.
pub const MAGIC: [u8; 8] = *b"\x89MAYFLY\n";
/// Length of the file header, in bytes.
pub const FILE_HEADER_LEN: usize = 12;
/// Length of a frame's head, in bytes.
pub const FRAME_HEAD_LEN: usize = 13;
/// The frame kind that carries one update that is no step.
pub const KIND_UPDATE: u8 = 1;
/// The frame kind that carries a step.
pub const KIND_STEP: u8 = 2;

/// The file header of this version.
pub(crate) fn file_header() -> [u8; FILE_HEADER_LEN] {
    let mut header = [0; FILE_HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header
}

/// The head of a frame with this payload.
pub(crate) fn frame_head(kind: u8, len: u32, payload: &[u8]) -> [u8; FRAME_HEAD_LEN] {
    let mut head = [0; FRAME_HEAD_LEN];
    head[0] = kind;
    head[1..5].copy_from_slice(&len.to_le_bytes());
    let head_crc = crc32fast::hash(&head[..5]);
    head[5..9].copy_from_slice(&head_crc.to_le_bytes());
    head[9..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
    head
}

/// The last bytes of a recording that the agent has closed.
pub fn end_of_recording() -> Vec<u8> {
    // Encoding a variant without fields can't fail.
    let payload = v3::encode(&Update::End).unwrap_or_default();
    [&frame_head(KIND_UPDATE, payload.len() as u32, &payload)[..], &payload].concat()
}

/// What the start of some bytes holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrameStart<'a> {
    /// A whole frame.
    Whole { kind: u8, payload: &'a [u8] },
    /// The first part of a frame: more bytes are needed.
    Partial,
    /// No frame: a checksum does not match.
    Corrupt { what: &'static str },
}

/// Looks at the frame at the start of `bytes`.
pub(crate) fn split_frame(bytes: &[u8]) -> FrameStart<'_> {
    let Some((head, rest)) = bytes.split_first_chunk::<FRAME_HEAD_LEN>() else { return FrameStart::Partial };
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if crc32fast::hash(&head[..5]) != word(5) {
        return FrameStart::Corrupt { what: "the head of a frame does not match its checksum" };
    }
    let Some(payload) = rest.get(..word(1) as usize) else { return FrameStart::Partial };
    if crc32fast::hash(payload) != word(9) {
        return FrameStart::Corrupt { what: "the payload of a frame does not match its checksum" };
    }
    FrameStart::Whole { kind: head[0], payload }
}
