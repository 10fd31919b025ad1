//! What threads have not used of their buffers: no objects are there before a collection fills it up.

use crate::doubt::Doubt;
use crate::layout::{BufferFields, Layout, Threads};
use crate::memory::{Memory, word_of};

/// Threads at most.
pub(crate) const MOST_THREADS: usize = 1 << 14;
const UNREADABLE: Doubt = Doubt::Unreadable("the JVM's list of threads");
const ABSURD: Doubt = Doubt::Absurd("the buffer of a thread");

/// Begins and ends of what is unused, by address.
pub(crate) fn unused(memory: &impl Memory, layout: &Layout, into: &mut Vec<(u64, u64)>) -> Result<(), Doubt> {
    into.clear();
    let fields = layout.buffers.as_ref().ok_or(UNREADABLE)?;
    each_thread(memory, fields.threads, |thread| {
        if let Some(hole) = hole(memory, (layout, fields), thread)? {
            if into.len() == into.capacity() {
                return Err(ABSURD);
            }
            into.push(hole);
        }
        Ok(())
    })?;
    into.sort_unstable();
    Ok(())
}

fn each_thread(
    memory: &impl Memory,
    threads: Threads,
    mut each: impl FnMut(u64) -> Result<(), Doubt>,
) -> Result<(), Doubt> {
    match threads {
        Threads::Array { list_at, length, threads } => {
            let list = memory.word(list_at).filter(|&list| list != 0).ok_or(UNREADABLE)?;
            let count = memory.half(list.wrapping_add(length)).ok_or(UNREADABLE)?;
            let first = memory.word(list.wrapping_add(threads)).ok_or(UNREADABLE)?;
            for index in 0..u64::from(count) {
                each(memory.word(first.wrapping_add(index * 8)).ok_or(UNREADABLE)?)?;
            }
            Ok(())
        }
        Threads::Chain { first_at, next } => {
            let mut thread = memory.word(first_at).ok_or(UNREADABLE)?;
            for _ in 0..MOST_THREADS {
                if thread == 0 {
                    return Ok(());
                }
                each(thread)?;
                thread = memory.word(thread.wrapping_add(next)).ok_or(UNREADABLE)?;
            }
            Err(UNREADABLE)
        }
    }
}

/// What a thread has not used of its buffer, if it has one with room in it.
fn hole(
    memory: &impl Memory,
    (layout, fields): (&Layout, &BufferFields),
    thread: u64,
) -> Result<Option<(u64, u64)>, Doubt> {
    let mut bytes = [0; 64];
    let last = fields.allocation_end.max(fields.top).max(fields.start).max(fields.end);
    let bytes = bytes.get_mut(..last as usize + 8).ok_or(ABSURD)?;
    if !memory.copy(thread.wrapping_add(fields.buffer), bytes) {
        return Err(UNREADABLE);
    }
    let field = |at: u64| word_of(bytes, at as usize).ok_or(ABSURD);
    let (start, top) = (field(fields.start)?, field(fields.top)?);
    let (end, last) = (field(fields.end)?, field(fields.allocation_end)?);
    if start == 0 || last == 0 {
        return Ok(None);
    }
    let whole = last.checked_add(fields.reserve).ok_or(ABSURD)?;
    let in_heap = start >= layout.heap.0 && whole <= layout.heap.1;
    let in_order = start <= top && top <= last && end <= last && start <= end;
    if !in_heap || !in_order || top % 8 != 0 || whole % 8 != 0 {
        return Err(ABSURD);
    }
    Ok((top < whole).then_some((top, whole)))
}
