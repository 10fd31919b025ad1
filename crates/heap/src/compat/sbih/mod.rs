//! INSANE's binary form of its XML, as its `Support.convertSimpleDump` wrote and `openSimpleBinaryDump` mapped it.
//!
//! ```text
//! file      = "SBIH" refsOffset objsOffset class* ref* object*      refsOffset, objsOffset: where these begin
//! class     = string count offset{count}                            its instances
//! ref       = string staticOffset                                   -1: of instances; 0: a static that is null; else its object
//! object    = classOffset size out in (refOffset offset){out} (refOffset offset){in}
//! string    = length byte{length}                                   UTF-8
//! ```
//!
//! Numbers are big-endian and signed, of 32 bits; offsets count from the start of the file, which so ends at 2 GiB. A reference
//! has the name that it has in XML: `CLASS.FIELD`, or an element's index. References to an object (`in`) come from the object at
//! `offset`, or from a static field if that is 0. An object's id is its offset. Texts of arrays are not told.

mod layout;
mod read;
mod write;

pub use layout::MAGIC;
pub use read::{histogram, read};
pub use write::write;

#[cfg(test)]
mod tests;
