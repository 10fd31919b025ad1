//! A whole recording as one profile, and the reverse.
//!
//! Not here: profiles of a growing recording; feed a [`RecordingReader`] and a [`ProfileBuilder`] for those.

use mayfly_profile::{Profile, ProfileBuilder};

use crate::reader::{Damage, ReadError, RecordingReader};
use crate::writer::{RecordingWriter, WriteError};

/// The profile a recording holds, and the first damage if it has any. A damaged recording gives the profile as of
/// the last good frame.
///
/// # Errors
/// The bytes are no recording, an empty one, or a newer format.
pub fn read_profile(bytes: &[u8]) -> Result<(Profile, Option<Damage>), ReadError> {
    let (mut reader, mut builder) = (RecordingReader::new(), ProfileBuilder::new());
    reader.fold(bytes, |update| builder.apply(update))?;
    let damage = reader.end()?;
    Ok((builder.profile(), damage))
}

/// A recording that holds this profile as it is at one moment.
///
/// # Errors
/// A part of it is larger than a frame.
pub fn write_profile(profile: &Profile) -> Result<Vec<u8>, WriteError> {
    let mut writer = RecordingWriter::new();
    let frames =
        profile.updates().iter().map(|update| writer.encode(update)).collect::<Result<Vec<_>, _>>()?;
    Ok(frames.concat())
}
