//! Rewrites classes as they load, and keeps account of what was refused.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mayfly_classfile::Refusal;
use mayfly_classfile::allocation::{self, NumberOfScope, Places, Rewritten, Scoped, ScopedMethods, Scopes};
use mayfly_jvmti::{CallbackContext, ClassFileLoadHookEvent, modified_utf8};
use mayfly_profile::Refusals;
use mayfly_tracking::PlaceTable;

use super::numbering::Numberer;
use crate::conduct::notice::say;
use crate::target_jvm::compiles_huge_methods;
use crate::tracking::Shared;

/// Allocations of such a method are counted for their class, not by place.
const UNPLACED: &str = "allocation sites left out, or the method would be too large";

/// What rewriting did so far.
pub(super) struct Rewriting {
    options: allocation::Options,
    /// Whose calls are scopes.
    scopes: Vec<ScopedMethods>,
    /// Gives numbers to the scopes of annotated methods; `None` where there are no scopes.
    names: Option<Arc<Shared>>,
    /// By number, of scopes whose class was loaded: whether a call of the method is one.
    loaded: Mutex<BTreeMap<u32, bool>>,
    refusals: Mutex<BTreeMap<Cow<'static, str>, u64>>,
    nanoseconds: AtomicU64,
}

impl Rewriting {
    /// With the methods of `#scope`. `fields`: whether they are added.
    pub(super) fn new(shared: &Arc<Shared>, fields: bool) -> Self {
        let methods = shared.plan.scopes.iter().map(|method| ScopedMethods {
            class: method.class.replace('.', "/").into_bytes(),
            method: method.method.clone().into_bytes(),
            descriptor: None,
            scope: shared.scopes.name(&method.scope_name()),
        });
        let options =
            allocation::Options { add_fields: fields, compiles_huge_methods: compiles_huge_methods() };
        Self {
            options,
            scopes: methods.collect(),
            names: fields.then(|| Arc::clone(shared)),
            loaded: Mutex::default(),
            refusals: Mutex::default(),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Rewrites the class of a load or redefinition, and numbers its places if there are any. A retransformation by another
    /// agent starts from our bytes: HotSpot keeps what environments that cannot retransform have made of a class. Where ours can, it
    /// asks us again. Whether the class is another one now. `mended`: the class to start from, if the JVM's own bytes lack something.
    pub(super) fn rewrite<'event>(
        &self,
        places: Option<(&PlaceTable, &Shared)>,
        mended: Option<&[u8]>,
        context: &CallbackContext<'event>,
        mut event: ClassFileLoadHookEvent<'event>,
    ) -> bool {
        let mut changed = false;
        let start = Instant::now();
        let class = mended.unwrap_or_else(|| event.class_data());
        match self.rewritten(class, places) {
            Ok(rewritten) => {
                for _ in 0..rewritten.unplaced {
                    self.refuse(UNPLACED);
                }
                rewritten.scoped.iter().for_each(|(methods, outcome)| self.note_scope(methods, *outcome));
                for method in &rewritten.refused {
                    self.refuse(method.reason.reason());
                }
                if let Some(class) = rewritten.class.as_deref().or(mended) {
                    changed = event.set_transformed_class(context, class).is_ok();
                    if !changed {
                        self.refuse("the JVM did not take the rewritten class");
                    }
                }
            }
            Err(refusal) => self.refuse(refusal.reason()),
        }
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
        changed
    }

    fn rewritten(&self, class: &[u8], places: Option<(&PlaceTable, &Shared)>) -> Result<Rewritten, Refusal> {
        let number = self.names.as_ref().map(|names| |name: &[u8]| names.scopes.name(&modified_utf8(name)));
        let annotated = number.as_ref().map(|number| number as &NumberOfScope<'_>);
        let scopes = Scopes { named: &self.scopes, annotated };
        match places {
            Some((places, shared)) => {
                let mut numberer = Numberer::new(places, shared);
                let numberer: &mut dyn Places = &mut numberer;
                allocation::rewrite(class, self.options, Some(numberer), scopes)
            }
            None => allocation::rewrite(class, self.options, None, scopes),
        }
    }

    /// A class of methods whose calls are scopes is loaded.
    fn note_scope(&self, methods: &ScopedMethods, outcome: Scoped) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        *loaded.entry(methods.scope).or_default() |= matches!(outcome, Scoped::Methods(1..));
        drop(loaded);
        say_of_scope(methods, outcome);
    }

    /// Whether calls of a method are the scope of that number; `None`: its class was not loaded.
    pub(super) fn loaded_scope(&self, scope: u32) -> Option<bool> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&scope).copied()
    }

    /// Has a class become this one.
    pub(super) fn replace<'event>(
        &self,
        class: &[u8],
        context: &CallbackContext<'event>,
        mut event: ClassFileLoadHookEvent<'event>,
    ) {
        if event.set_transformed_class(context, class).is_err() {
            self.refuse("the JVM did not take the hooks' own class");
        }
    }

    /// Something is left as it was.
    pub(super) fn refuse(&self, reason: impl Into<Cow<'static, str>>) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        *refusals.entry(reason.into()).or_default() += 1;
    }

    /// Methods and classes left as they were, by reason.
    pub(super) fn refusals(&self) -> Vec<Refusals> {
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals
            .iter()
            .map(|(reason, &methods)| Refusals { reason: reason.clone().into(), methods })
            .collect()
    }

    /// Time spent so far, in milliseconds.
    pub(super) fn milliseconds(&self) -> u64 {
        self.nanoseconds.load(Relaxed) / 1_000_000
    }
}

/// Says why calls of methods are no scopes, if none is.
fn say_of_scope(methods: &ScopedMethods, outcome: Scoped) {
    let why = match outcome {
        Scoped::Methods(1..) => return,
        Scoped::Methods(0) => "its code can't be changed",
        Scoped::NoSuchMethod => "the class has no method of that name of its own; name the class that has it",
        Scoped::Abstract => "the method is abstract; name a class that implements it",
        Scoped::Native => "the method is native; name one that calls it",
    };
    let class = modified_utf8(&methods.class).replace('/', ".");
    let by = if methods.descriptor.is_some() { "@Scoped " } else { "#scope-" };
    say(&format!("{by}{class}.{}: no scope: {why}", modified_utf8(&methods.method)));
}
