//! What a thread of the program has to track objects: its classes by cell, and stacks taken for objects about to be made.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use mayfly_profile::{ClassId, SiteId};
use mayfly_tracking::{NodeId, Progression, StandsFor, Tracked};
use rustc_hash::FxHashMap;

use crate::plan;
use crate::tracking::{Followed, Shared, Stacks, Tracker};

/// One thread's.
pub(super) struct OfThread {
    /// Whose it is: of an earlier session there may be something left.
    shared: u64,
    pub(super) tracker: Tracker,
    /// What is known of the classes handed over, by their cell; looked up in shared tables only once. In a balanced session
    /// by scope too, as each counts for itself.
    pub(super) classes: FxHashMap<CountedAt, KnownClass>,
    /// Stacks taken for objects about to be handed over, innermost constructor last.
    awaited: Vec<Awaited>,
    /// The last object handed over, if it was tracked: `untrack` takes it back.
    pub(super) tracked_last: Option<Tracked>,
    /// The last object that was due, in a balanced session: `unfollow` takes it back.
    pub(super) last_due: Option<LastDue>,
    /// How many were due.
    pub(super) due: u32,
}

/// Where objects are counted: in the slab of which scope, if any, and at which cell.
pub(super) type CountedAt = (Option<NodeId>, u32);

/// A stack taken where an object is about to be made.
#[derive(Clone, Copy)]
pub(super) struct Awaited {
    pub(super) class: ClassId,
    pub(super) site: SiteId,
    /// The stack stands for two to this power of objects.
    pub(super) log2: u32,
}

/// The last object that was due on a thread, in a balanced session, so that it can be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastDue {
    pub(super) at: CountedAt,
    /// How far the thread had come before.
    pub(super) before: Progression,
    pub(super) tracked: Option<Tracked>,
}

/// Constructors that a thread can be in at once with a stack taken for each. Objects that are never handed over, as
/// their class is not tracked or the constructor failed, would pile up.
const MOST_AWAITED: usize = 64;

/// A class of tracked objects.
#[derive(Clone, Copy)]
pub(super) struct KnownClass {
    pub(super) id: ClassId,
    /// Its objects' shallow size in bytes; 0 for arrays.
    pub(super) size: u32,
    /// The site of objects whose stack is not taken.
    pub(super) site: SiteId,
    /// Whether its objects are followed when they are due, in a balanced session.
    pub(super) tracked: bool,
    /// How far this thread has come with them there.
    pub(super) reached: Progression,
}

thread_local! {
    /// Freed when the JVM ends the thread. A destructor of the thread-local would come too early: the library's own
    /// destructors of a native thread may still call Java.
    static OF_THREAD: RefCell<Option<ManuallyDrop<Box<OfThread>>>> = const { RefCell::new(None) };
}

/// Does something with what this thread has, which it gets if it has nothing yet.
pub(super) fn with_this_thread<R>(shared: &Shared, action: impl FnOnce(&mut OfThread) -> R) -> R {
    OF_THREAD.with_borrow_mut(|of_thread| {
        if let Some(old) = of_thread.take_if(|it| it.shared != shared.number) {
            drop(ManuallyDrop::into_inner(old));
        }
        action(of_thread.get_or_insert_with(|| {
            ManuallyDrop::new(Box::new(OfThread {
                shared: shared.number,
                tracker: Tracker::open(shared),
                classes: FxHashMap::default(),
                awaited: Vec::new(),
                tracked_last: None,
                last_due: None,
                due: 0,
            }))
        }))
    })
}

/// As [`with_this_thread`], if it has anything.
pub(super) fn with_this_thread_if_known(shared: &Shared, action: impl FnOnce(&mut OfThread)) {
    OF_THREAD.with_borrow_mut(|of_thread| {
        of_thread.as_mut().filter(|it| it.shared == shared.number).map(|it| action(it))
    });
}

/// This thread ends.
pub(super) fn forget_this_thread() {
    drop(OF_THREAD.take().map(ManuallyDrop::into_inner));
}

impl OfThread {
    /// Has an object followed; `None` if it was not chosen, or there was no room. `moving`: no stack may be taken. `beyond`: it stands
    /// for two to this power of what its sample does.
    pub(super) fn add(
        &mut self,
        stacks: Stacks<'_>,
        class: KnownClass,
        followed: Followed<'_>,
        moving: bool,
        beyond: u32,
    ) -> Option<Tracked> {
        let Stacks { shared, jni, .. } = stacks;
        let taken = shared.plan.stacks;
        // Taken off the list even if the object is not chosen.
        let awaited = (taken == plan::Stacks::ByPlace).then(|| self.take_awaited(shared, class));
        let objects_log2 = self.tracker.choose(class.id, followed.bytes)? + beyond;
        let (site, stack_log2) = match awaited {
            Some(awaited) => awaited,
            None if taken.are_taken() => (self.tracker.site(stacks, class.id, moving), 0),
            None => (class.site, 0),
        };
        let stands_for = StandsFor { objects_log2, stack_log2, in_scope_alone: false };
        self.tracker.follow(shared, jni, followed, site, stands_for)
    }

    /// A stack was taken for an object that will be handed over.
    pub(super) fn await_object(&mut self, awaited: Awaited) {
        if self.awaited.len() >= MOST_AWAITED {
            self.awaited.clear();
        }
        self.awaited.push(awaited);
    }

    /// The site of an object handed over, and what it stands for: with a stack, if one was taken where it was made.
    fn take_awaited(&mut self, shared: &Shared, class: KnownClass) -> (SiteId, u32) {
        let name = |class| shared.classes.name(class);
        let is_it = |awaited: &Awaited| awaited.class == class.id || name(awaited.class) == name(class.id);
        match self.awaited.iter().rposition(is_it) {
            Some(at) => {
                let Awaited { site, log2, .. } = self.awaited[at];
                // Those made in the meantime are done for: their constructors failed.
                self.awaited.truncate(at);
                (site, log2)
            }
            None => (class.site, 0),
        }
    }

    /// The class that is counted there.
    pub(super) fn class(&mut self, shared: &Shared, at: CountedAt) -> Option<KnownClass> {
        if let Some(&known) = self.classes.get(&at) {
            return Some(known);
        }
        let id = shared.classes.at_cell(at.1)?;
        let size = shared.classes.object_size(id);
        let tracked = is_followed(shared, shared.classes.name(id).unwrap_or_default(), size);
        let site = shared.sites.of_class(id);
        let reached = Progression::default();
        let known = KnownClass { id, size: size.unwrap_or(0), site, tracked, reached };
        self.classes.insert(at, known);
        Some(known)
    }
}

/// Whether objects of this class are followed when they are due, if each has so many bytes or they are arrays (`None`).
fn is_followed(shared: &Shared, class: &str, size: Option<u32>) -> bool {
    let filter = &shared.plan.filter;
    let large_enough = size.is_none_or(|size| filter.admits_size(size.into()));
    shared.shares.is_some() && large_enough && filter.admits(class)
}
