//! How much memory outside of the heap buffers have: asked for after the walk, which does not show values of fields.

use std::io;
use std::time::{Duration, Instant};

use mayfly_heap::dump::Number;
use mayfly_jvmti::{Class, HeapWalk};

use super::error::HeapError;
use super::walk_encoder::WalkEncoder;

/// Tells the numbers of each buffer that the walk met, the capacity among them; how long the program was paused for it. Where none was met, it
/// was not.
///
/// # Errors
/// The sink's, or the VM's.
pub(super) fn encode_buffers<S>(
    walk: &HeapWalk<'_>,
    encoder: &mut WalkEncoder<S>,
) -> Result<Duration, HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    if encoder.buffers == 0 {
        return Ok(Duration::ZERO);
    }
    let (mut values, mut paused) = (Vec::new(), Duration::ZERO);
    walk.with_classes(|classes| {
        // Classes are tagged as objects are.
        let number = |class: Class<'_>| walk.tag(class.as_object()).map(|tag| encoder.number_of(tag));
        let of_buffers =
            |class: &&Class<'_>| number(**class).is_ok_and(|number| number == encoder.buffer_class);
        let Some(class) = classes.iter().find(of_buffers) else { return Ok(()) };
        let begun = Instant::now();
        let done = walk.int_fields(*class, |tag, field, value| values.push((tag, field, value)));
        paused = begun.elapsed();
        done
    })??;
    for (tag, field, value) in values {
        // One that was made since has no number in this walk.
        match encoder.number_of(tag) {
            Number::NONE => {}
            object => encoder.encode(|encoder| encoder.value(object, field, value))?,
        }
    }
    Ok(paused)
}
