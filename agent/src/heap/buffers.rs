//! How much memory outside of the heap buffers have: asked for after the walk, which does not show values of fields.

use std::io;

use mayfly_heap::dump::{DIRECT_BUFFER, Number};
use mayfly_jvmti::HeapWalk;

use super::error::HeapError;
use super::teller::Teller;

/// Tells the numbers of each buffer that the walk met, the capacity among them. Where none was met, nothing is paused for it.
///
/// # Errors
/// The sink's, or the VM's.
pub(super) fn tell_buffers<S>(walk: &HeapWalk<'_>, teller: &mut Teller<S>) -> Result<(), HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    if teller.buffers == 0 {
        return Ok(());
    }
    let mut values = Vec::new();
    walk.with_classes(|classes| {
        let named = |class: &&mayfly_jvmti::Class<'_>| {
            walk.class_name(**class).is_ok_and(|name| name == DIRECT_BUFFER)
        };
        match classes.iter().find(named) {
            Some(class) => walk.int_fields(*class, |tag, field, value| values.push((tag, field, value))),
            None => Ok(()),
        }
    })??;
    for (tag, field, value) in values {
        // One that was made since has no number in this walk.
        match teller.number_of(tag) {
            Number::NONE => {}
            object => teller.tell(|encoder| encoder.value(object, field, value))?,
        }
    }
    Ok(())
}
