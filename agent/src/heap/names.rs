//! Names of the threads and methods that roots on stacks mentioned: asked for after the walk, where that is allowed.

use std::io;

use mayfly_jvmti::{HeapWalk, ThreadFacts};

use super::error::HeapError;
use super::walk_encoder::WalkEncoder;

/// Tells them. A name that the JVM does not give is left out; the dump is whole without.
///
/// # Errors
/// The sink's.
pub(super) fn encode_names<S>(walk: &HeapWalk<'_>, encoder: &mut WalkEncoder<S>) -> Result<(), HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    let threads = walk.threads().unwrap_or_default();
    let named = |id| threads.iter().any(|thread: &ThreadFacts| thread.id == id);
    // Virtual threads are in no list; the walk tagged them.
    let tags: Vec<i64> =
        encoder.threads.iter().filter(|&(&id, &tag)| tag != 0 && !named(id)).map(|(_, &tag)| tag).collect();
    let virtual_threads =
        if tags.is_empty() { Vec::new() } else { walk.threads_with_tags(&tags).unwrap_or_default() };
    for thread in threads.iter().chain(&virtual_threads) {
        let object = encoder.number_of(thread.tag);
        encoder.encode(|encoder| encoder.thread(thread.id as u64, object, &thread.name))?;
    }
    for method in std::mem::take(&mut encoder.methods) {
        if let Some((class, name)) = walk.method(method) {
            encoder.encode(|encoder| encoder.method(method, &class, &name))?;
        }
    }
    Ok(())
}
