//! Rewrites classes as they load, and keeps account of what was refused.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mayfly_classfile::allocation;
use mayfly_jvmti::{CallbackContext, ClassFileLoadHookEvent};
use mayfly_profile::Refusals;

use crate::engine::Engine;
use crate::places;

const LAUNCH: allocation::Options = allocation::Options { add_fields: true };

/// Allocations of such a method are counted for their class, not by place.
const UNPLACED: &str = "allocation sites left out, or the method would be too large";

/// What rewriting did so far.
#[derive(Debug, Default)]
pub(crate) struct Rewriting {
    refusals: Mutex<BTreeMap<&'static str, u64>>,
    nanoseconds: AtomicU64,
}

impl Rewriting {
    fn refuse(&self, reason: &'static str) {
        *self.refusals.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
    }

    /// Methods and classes left as they were, by reason.
    pub(crate) fn refusals(&self) -> Vec<Refusals> {
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.iter().map(|(&reason, &methods)| Refusals { reason: reason.into(), methods }).collect()
    }

    /// Time spent so far, in milliseconds.
    pub(crate) fn milliseconds(&self) -> u64 {
        self.nanoseconds.load(Relaxed) / 1_000_000
    }
}

/// Rewrites the class of a load or redefinition. A retransformation by another agent starts from our bytes: HotSpot
/// keeps what environments that cannot retransform have made of a class.
pub(crate) fn rewrite<'event>(
    engine: &Engine,
    context: &CallbackContext<'event>,
    mut event: ClassFileLoadHookEvent<'event>,
) {
    if engine.is_finished() {
        return;
    }
    let start = Instant::now();
    let rewritten = match engine.options.counts_places() {
        true => {
            allocation::rewrite_counting(event.class_data(), LAUNCH, Some(&mut places::numbering(engine)))
        }
        false => allocation::rewrite(event.class_data(), LAUNCH),
    };
    match rewritten {
        Ok(rewritten) => {
            for _ in 0..rewritten.unplaced {
                engine.rewriting.refuse(UNPLACED);
            }
            for method in &rewritten.refused {
                engine.rewriting.refuse(method.reason.reason());
            }
            if rewritten.class.is_some_and(|class| event.set_transformed_class(context, &class).is_err()) {
                engine.rewriting.refuse("the JVM did not take the rewritten class");
            }
        }
        Err(refusal) => engine.rewriting.refuse(refusal.reason()),
    }
    engine.rewriting.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
}
