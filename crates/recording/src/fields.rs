//! What grows, as bytes: fields, each with its length, and the tag of its kind.
//!
//! ```text
//!  0               4     5               4+len           then the next
//! ┌───────────────┬─────┬──────── ─ ─ ──┐
//! │ len           │ tag │ content       │
//! └───────────────┴─────┴──────── ─ ─ ──┘
//!   tag and content: a variant of an enum in postcard encoding; tags are below 128
//! ```
//!
//! Not here: what a reader does with a field that it does not know (`sections` of recordings, `control/facts`).

use serde::Serialize;

/// Length of a field's length, in bytes.
const LEN: usize = 4;

/// These fields, one behind the other.
pub(crate) fn encode<F: Serialize>(fields: &[F]) -> postcard::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for field in fields {
        let at = bytes.len();
        bytes.extend_from_slice(&[0; LEN]);
        bytes = postcard::to_extend(field, bytes)?;
        // One that is longer is not written: a frame holds no more.
        let len = u32::try_from(bytes.len() - at - LEN).unwrap_or(u32::MAX);
        bytes[at..at + LEN].copy_from_slice(&len.to_le_bytes());
    }
    Ok(bytes)
}

/// Tag and content of each field; `None`: the bytes are no fields.
pub(crate) fn split(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut fields = Vec::new();
    while let Some((len, rest)) = bytes.split_first_chunk::<LEN>() {
        let (field, next) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        field.first()?;
        fields.push(field);
        bytes = next;
    }
    bytes.is_empty().then_some(fields)
}
