//! All objects and references of the heap, as bytes of a heap dump, streamed while the walk goes on.
//!
//! The bytes leave in chunks of some 64 KiB, so that our memory does not grow with the heap; the JVM's does, by the tag
//! of each object. Not here: the format (`mayfly-heap`), and the file (`dump_file`).

use std::io;
use std::time::{Duration, Instant};

use mayfly_heap::dump::{Encoder, Facts};
use mayfly_jvmti::{Follow, HeapWalk, Jni, Vm};

use super::buffers::tell_buffers;
use super::classes::tell_classes;
use super::error::HeapError;
use super::identities::{self, Identities};
use super::names::tell_names;
use super::own::OwnRoots;
use super::teller::Teller;
use super::turn::{Before, in_turn, prepare};

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
    let mut teller = Teller::new(Encoder::new(facts), sink, OwnRoots::of(&walk));
    teller.identities = identities;
    tell_classes(&walk, &mut teller)?;
    let begun = Instant::now();
    let follow = Follow { texts: facts.text_limit.is_some(), ..Follow::default() };
    walk.follow(follow, &mut teller)?;
    let walked = begun.elapsed();
    let paused = walked + tell_buffers(&walk, &mut teller)?;
    tell_names(&walk, &mut teller)?;
    if let Some(Series { number, keep }) = series {
        identities::keep(walk, &teller.identities, number, keep);
    }
    let told = teller.finish()?;
    Ok(Walked { objects: told.objects, references: told.references, paused })
}
