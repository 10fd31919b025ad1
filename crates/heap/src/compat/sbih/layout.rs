//! Where things lie in a file.

/// The first bytes of every such file.
pub const MAGIC: &[u8] = b"SBIH";

/// Bytes before the classes: magic and two offsets.
pub(super) const HEADER: usize = 12;

/// Bytes of an object before its references.
pub(super) const OBJECT: usize = 16;

/// In place of an offset: not a static field.
pub(super) const OF_INSTANCES: i32 = -1;
