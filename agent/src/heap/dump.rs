//! All objects and references of the heap, as bytes of a heap dump, streamed while the walk goes on.
//!
//! The bytes leave in chunks of some 64 KiB, so that our memory does not grow with the heap; the JVM's does, by the tag
//! of each object. Not here: the format (`mayfly-heap`), and the file (`dump_file`).

use std::io;
use std::time::{Duration, Instant};

use mayfly_heap::dump::{Encoder, Facts};
use mayfly_jvmti::{Follow, HeapWalk, Jni, Vm};

use super::buffers::encode_buffers;
use super::classes::encode_classes;
use super::error::HeapError;
use super::identities::{self, Identities};
use super::names::encode_names;
use super::own::OwnRoots;
use super::turn::{Before, in_turn, prepare};
use super::walk_encoder::WalkEncoder;

/// What a walk told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walked {
    /// Objects.
    pub(super) objects: u64,
    /// References between them.
    pub(super) references: u64,
    /// How long the program was paused for the walk.
    pub(super) paused: Duration,
}

/// Walks that know objects of each other again, and for how long the next one of them may be waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series {
    pub(crate) number: u64,
    pub(crate) keep: Duration,
}

/// Walks the heap from its roots, and hands its dump to `sink` in chunks, most of them at a safepoint: `sink` may block
/// for a file, but not call the JVM. Texts are told if the facts have a limit for them.
pub(super) fn dump_into<S>(
    vm: Vm,
    jni: Jni<'_>,
    facts: &Facts,
    before: Before,
    series: Option<Series>,
    sink: S,
) -> Result<Walked, HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()> + Send,
{
    let _turn = in_turn();
    let (walk, identities) = match series {
        Some(Series { number, .. }) => identities::resume(vm, jni, number)?,
        None => (HeapWalk::new(vm, jni)?, Identities::default()),
    };
    prepare(&walk, before)?;
    let mut encoder = WalkEncoder::new(Encoder::new(facts), sink, OwnRoots::of(&walk));
    encoder.identities = identities;
    encode_classes(&walk, &mut encoder)?;
    let begun = Instant::now();
    let follow = Follow { texts: facts.text_limit.is_some(), ..Follow::default() };
    walk.follow(follow, &mut encoder)?;
    let walked = begun.elapsed();
    let paused = walked + encode_buffers(&walk, &mut encoder)?;
    encode_names(&walk, &mut encoder)?;
    if let Some(Series { number, keep }) = series {
        identities::keep(walk, &encoder.identities, number, keep);
    }
    let walked = encoder.finish()?;
    Ok(Walked { objects: walked.objects, references: walked.references, paused })
}
