//! Updates to bytes.
//!
//! Not here: where the bytes go, and when they are synced.

use mayfly_profile::Update;

use crate::frame::{FRAME_HEAD_LEN, KIND_STEP, KIND_UPDATE, file_header, frame_head};
use crate::{sections, v3};

/// Why an update could not be encoded. The stream stays usable: leave the update out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A frame holds at most 4 GiB.
    #[error("an update of {bytes} bytes is larger than a frame (4 GiB): send fewer counts at a time")]
    TooLarge {
        /// Length of the encoded update.
        bytes: usize,
    },
    /// The encoder refused the update.
    #[error("an update cannot be encoded ({0}); this is a fault of Mayfly, please report it")]
    Encode(#[from] postcard::Error),
}

/// Turns a stream of updates into the bytes of a recording. Whole return values only may be appended to a file:
/// each one leaves the file readable.
#[derive(Clone, Debug, Default)]
pub struct RecordingWriter {
    started: bool,
}

impl RecordingWriter {
    /// A writer whose first bytes will be the file header.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes to append for `update`: one frame, preceded by the file header the first time.
    ///
    /// # Errors
    /// Nothing is to be appended then; later updates may still be encoded.
    pub fn encode(&mut self, update: &Update) -> Result<Vec<u8>, WriteError> {
        let (kind, payload) = match update {
            Update::Step(step) => (KIND_STEP, sections::encode(step)?),
            update => (KIND_UPDATE, v3::encode(update)?),
        };
        let len = u32::try_from(payload.len()).map_err(|_| WriteError::TooLarge { bytes: payload.len() })?;
        let mut bytes = Vec::with_capacity(FRAME_HEAD_LEN + payload.len());
        if !self.started {
            bytes.extend_from_slice(&file_header());
            self.started = true;
        }
        bytes.extend_from_slice(&frame_head(kind, len, &payload));
        bytes.extend_from_slice(&payload);
        Ok(bytes)
    }
}
