//! Objects of which everything is known beforehand: the layout is checked against them before anything is counted.

use crate::doubt::Doubt;
use crate::memory::Memory;
use crate::walk::Walk;

/// An object that JNI gave out and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Where the address of the object is.
    pub slot: u64,
    /// Its size by JVMTI.
    pub bytes: u64,
    /// The internal name of its class, e.g. `java/lang/String`.
    pub class: &'static str,
}

/// Whether all of them are found as they are known.
pub(crate) fn check<M: Memory>(walk: &mut Walk<'_, M>, known: &[Known]) -> Result<(), Doubt> {
    for object in known {
        let unlike = Doubt::Unlike(object.class);
        let address = walk.memory.word(object.slot).ok_or(unlike)?;
        let (slot, bytes) = walk.look(address, object.bytes).map_err(|_| unlike)?;
        if bytes != object.bytes || !walk.classes.is_named(slot, object.class.as_bytes()) {
            return Err(unlike);
        }
    }
    Ok(())
}
