//! What a thread needs to have objects followed. Where it is kept is the engine's to say.

use std::sync::Arc;

use mayfly_jvmti::{Jni, Object};
use mayfly_profile::{ClassId, SiteId, TraceContext};
use mayfly_tracking::{EntryId, Newborn, Nursery, RawStack, References, StandsFor, Tracked};

use super::shared::Shared;
use super::stacks::Stacks;

/// One thread's nursery, and room for a stack.
pub(crate) struct Tracker {
    nursery: Arc<Nursery>,
    pub(crate) stack: RawStack,
}

/// An object to be followed.
#[derive(Clone, Copy)]
pub(crate) struct Followed<'call> {
    pub(crate) object: Object<'call>,
    /// Its shallow size, in bytes.
    pub(crate) size: u64,
    /// Bytes of allocation that it stands for.
    pub(crate) bytes: u64,
    /// The entry of a scope in which it was made, if any.
    pub(crate) entry: Option<EntryId>,
    /// The span in which it was made, if any.
    pub(crate) trace: Option<TraceContext>,
}

impl Tracker {
    /// This thread's.
    pub(crate) fn open(shared: &Shared) -> Self {
        Self { nursery: shared.nurseries.open(), stack: RawStack::default() }
    }

    /// Moves the byte clock; whether an object of a class that stands for so many bytes is to be followed, by the budget: it stands for
    /// two to this power of them.
    pub(crate) fn choose(&self, class: ClassId, bytes: u64) -> Option<u32> {
        self.nursery.choose(class, bytes)
    }

    /// The site of an object of a class, made here and now. `moving`: no stack may be taken.
    pub(crate) fn site(&mut self, stacks: Stacks<'_>, class: ClassId, moving: bool) -> SiteId {
        if moving {
            return stacks.of_moving(&mut self.stack, class);
        }
        stacks.take(&mut self.stack, class);
        let shared = stacks.shared;
        let name = shared.classes.name(class).unwrap_or_default();
        shared.sites.of_stack(&self.stack, |raw| stacks.name(raw, name))
    }

    /// Follows an object that was chosen, of this site; `None` if there was no room.
    pub(crate) fn follow(
        &self,
        shared: &Shared,
        jni: Jni<'_>,
        followed: Followed<'_>,
        site: SiteId,
        stands_for: StandsFor,
    ) -> Option<Tracked> {
        let Followed { object, size, bytes, entry, trace } = followed;
        let class = || shared.sites.class_of(site).and_then(|class| shared.classes.name(class));
        let make = || shared.references.make(jni, object, size, class);
        let reference = if shared.plan.lifetimes { make()? } else { 0 };
        let newborn = Newborn { reference, site, stands_for, size_8: (size / 8) as u32, bytes, entry, trace };
        let added = self.nursery.follow(newborn);
        if added.is_none() && reference != 0 {
            shared.references.handles(jni).release(reference);
        }
        added
    }

    /// Takes back an object that was followed last.
    pub(crate) fn take_back(&self, shared: &Shared, jni: Jni<'_>, object: Tracked) {
        if self.nursery.take_back(object) {
            shared.references.handles(jni).release(object.reference());
        }
    }
}
