//! The heap as a dump in memory, whose numbers stay the tags of the objects: for questions that a program asks of itself.
//!
//! Not here: what is asked of it (`api`).

use mayfly_heap::dump::{Encoder, Facts, Number, RootReference};
use mayfly_jvmti::{Follow, HeapWalk, Jni, Object, StackSlot, Vm};
use rustc_hash::FxHashMap;

use super::classes::{class_number, encode_classes};
use super::error::HeapError;
use super::names::encode_names;
use super::own::OwnRoots;
use super::turn::in_turn;
use super::walk_encoder::WalkEncoder;

/// Objects that a program asks about.
pub(crate) struct Targets<'a> {
    /// How many.
    pub(crate) count: usize,
    /// Each of them, as a fresh local reference; `None` for null.
    pub(crate) get: &'a dyn Fn(usize) -> Option<Object<'a>>,
    /// Whether the caller has them in local variables anyway, which then are not told as roots.
    pub(crate) in_hand: bool,
    /// Objects to be told as roots.
    pub(crate) hints: &'a [Object<'a>],
}

/// A dump, and the way back from its numbers to objects.
pub(crate) struct Snapshot<'call> {
    /// The bytes of the dump.
    pub(crate) bytes: Vec<u8>,
    /// Its tags are the dump's numbers.
    pub(crate) walk: HeapWalk<'call>,
    /// Numbers of the objects asked about.
    pub(crate) targets: Vec<Option<Number>>,
    /// Numbers of the hints.
    pub(crate) hints: Vec<Number>,
    /// Local variables of the calling thread that have such an object, by its number.
    pub(crate) in_hand: FxHashMap<i64, StackSlot>,
}

/// Walks the heap. What only the frames of our API hold is in the dump, and not reachable.
pub(crate) fn snapshot<'call>(
    vm: Vm,
    jni: Jni<'call>,
    targets: &Targets<'_>,
) -> Result<Snapshot<'call>, HeapError> {
    let _turn = in_turn();
    let walk = HeapWalk::new(vm, jni)?;
    let mut bytes = Vec::new();
    let sink = |chunk: &[u8]| {
        bytes.extend_from_slice(chunk);
        Ok(())
    };
    let mut encoder = WalkEncoder::new(Encoder::new(&Facts::default()), sink, OwnRoots::of(&walk));
    encode_classes(&walk, &mut encoder)?;
    let mut numbers = Vec::with_capacity(targets.count);
    for object in (0..targets.count).map(targets.get) {
        numbers.push(object.map(|object| encode_object(&walk, &mut encoder, object)).transpose()?);
    }
    encoder.own.ask(targets.in_hand, numbers.iter().flatten().map(|number| i64::from(number.0)));
    walk.follow(Follow::default(), &mut encoder)?;
    let mut hints = Vec::with_capacity(targets.hints.len());
    for &hint in targets.hints {
        let number = encode_object(&walk, &mut encoder, hint)?;
        encoder.encode(|encoder| encoder.root(RootReference::Other, number))?;
        hints.push(number);
    }
    encode_names(&walk, &mut encoder)?;
    let in_hand = std::mem::take(&mut encoder.own.in_hand);
    encoder.finish()?;
    Ok(Snapshot { bytes, walk, targets: numbers, hints, in_hand })
}

/// Tells an object before the walk meets it, or after. Its local reference is given back.
fn encode_object<S>(
    walk: &HeapWalk<'_>,
    encoder: &mut WalkEncoder<S>,
    object: Object<'_>,
) -> Result<Number, HeapError>
where
    S: FnMut(&[u8]) -> std::io::Result<()>,
{
    let tag = walk.tag(object)?;
    if tag != 0 {
        walk.jni().forget(object);
        return Ok(Number(tag as u32));
    }
    let (class, size) = (class_number(walk, encoder, object)?, walk.size(object)?);
    let number = encoder.encode(|encoder| encoder.object(class, size))?;
    walk.set_tag(object, i64::from(number.0))?;
    walk.jni().forget(object);
    Ok(number)
}
