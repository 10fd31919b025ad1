//! A recording of Java Flight Recorder (a chunk of version 2.1), which the JDK's `jfr`, JDK Mission Control and IDEs open.
//!
//! - `jdk.ObjectAllocationSample`: an event for each class and stack; its weight is all that was allocated there.
//! - `jdk.OldObjectSample`: an event for each class, stack and age of what is live; its size is that of all these objects.
//! - `mayfly.ObjectLifetime`: an event for each class, stack and length of life; its duration is the age.
//! - `jdk.GarbageCollection` and `jdk.GCHeapSummary`: single collections, as far as they are known.
//!
//! Times of single allocations and deaths are not known: events of the dead stand at the start. Not here: bytes (`bytes`), types (`types`).

mod bytes;
mod pools;
mod types;

use std::io::{self, Write};

use mayfly_profile::{Cell, Collection, LifePart, Profile, Value};

use self::bytes::Bytes;
use self::pools::Pools;
use self::types::Type;
use crate::choice::Choice;

/// Length of a chunk's header.
const HEADER: usize = 68;

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let (mut pools, mut events) = (Pools::default(), Vec::new());
    let end_ns = nanos(profile.duration_ms);
    for (cell, parts) in profile.life_parts() {
        let (class, stack) = (pools.class(cell.class), pools.stack(cell.stack, choice.lines));
        events.push(allocation(&cell, class, stack));
        for part in &parts {
            lives(part, (class, stack), end_ns, &mut pools, &mut events);
        }
    }
    for collection in &profile.collections {
        events.extend(collected(collection));
    }
    let metadata = types::metadata();
    let pools = pools.checkpoint();
    let (metadata_at, pools_at) = (HEADER, HEADER + metadata.len());
    let size = pools_at + pools.len() + events.iter().map(Vec::len).sum::<usize>();
    out.write_all(&header(profile, [size, pools_at, metadata_at]))?;
    out.write_all(&metadata)?;
    out.write_all(&pools)?;
    events.iter().try_for_each(|event| out.write_all(event))?;
    out.flush()
}

/// Big-endian, unlike all that follows: where in the chunk its parts are, when it began, and that numbers are compressed.
fn header(profile: &Profile, [size, pools_at, metadata_at]: [usize; 3]) -> Vec<u8> {
    let mut header = b"FLR\0\0\x02\0\x01".to_vec();
    let numbers = [
        size as u64,
        pools_at as u64,
        metadata_at as u64,
        nanos(profile.run.started_unix_ms),
        nanos(profile.duration_ms),
        0,
        1_000_000_000,
    ];
    header.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    // Finished, and the last chunk.
    header.extend([0, 0, 0, 3]);
    header
}

fn nanos(ms: u64) -> u64 {
    ms.saturating_mul(1_000_000)
}

fn allocation(cell: &Cell<'_>, class: u64, stack: u64) -> Vec<u8> {
    let mut event = Bytes::default();
    [0, stack, class, cell.amounts.of(Value::Bytes)].into_iter().for_each(|number| event.number(number));
    event.number(cell.amounts.of(Value::Objects));
    event.of_type(Type::ALLOCATION.0)
}

/// What is known of the lives of a part.
fn lives(
    part: &LifePart,
    (class, stack): (u64, u64),
    end_ns: u64,
    pools: &mut Pools,
    into: &mut Vec<Vec<u8>>,
) {
    let Some(life) = part.life else { return };
    let (age, is_live) = (nanos(life.middle_ms()), life.by_ms.is_none());
    let born = if is_live { end_ns.saturating_sub(age) } else { 0 };
    let (objects, bytes) = (part.amounts.of(Value::Objects), part.amounts.of(Value::Bytes));
    let mut event = Bytes::default();
    [born, age, stack, class, objects, bytes].into_iter().for_each(|number| event.number(number));
    event.text(life.state());
    event.number(nanos(life.after_ms));
    event.number(nanos(life.by_ms.unwrap_or(life.after_ms)));
    into.push(event.of_type(Type::LIFETIME.0));
    if is_live && part.amounts.of(Value::LiveObjects) > 0 {
        let object = pools.object(class, part.amounts.of(Value::LiveObjects));
        let mut event = Bytes::default();
        let bytes = part.amounts.of(Value::Live);
        [end_ns, stack, born, bytes, age, 0, object].into_iter().for_each(|number| event.number(number));
        event.int(-1);
        into.push(event.of_type(Type::OLD_OBJECT.0));
    }
}

fn collected(collection: &Collection) -> Vec<Vec<u8>> {
    let pause = collection.pause_us.saturating_mul(1_000);
    let (id, start) = (u64::from(collection.number), nanos(collection.at_ms).saturating_sub(pause));
    let mut event = Bytes::default();
    [start, pause, id].into_iter().for_each(|number| event.number(number));
    event.text(collection.kind.name());
    event.text(&collection.cause);
    [pause, pause].into_iter().for_each(|number| event.number(number));
    let mut events = vec![event.of_type(Type::COLLECTION.0)];
    if let Some(heap) = collection.heap() {
        let used = [("Before GC", start, heap.before), ("After GC", start + pause, Some(heap.after))];
        for (when, at, used) in used {
            let Some(used) = used else { continue };
            let mut event = Bytes::default();
            [at, id].into_iter().for_each(|number| event.number(number));
            event.text(when);
            event.number(used);
            events.push(event.of_type(Type::HEAP.0));
        }
    }
    events
}
