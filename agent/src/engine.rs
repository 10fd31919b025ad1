//! What the rest of the agent needs of whatever counts.
//!
//! A session needs [`Counting`], which knows no JVM: a test counts by hand. Who steers needs [`Engine`]. An engine is free in
//! how it comes to its counts; objects to be followed it hands to `tracking`, as all engines do. What hooks call at each
//! allocation is no part of this: `entry` holds the exact engine by its type. How to add one: docs/design/agent.md#0034-the-agents-rooms.

use mayfly_jvmti::{Jni, SampledAllocation, Thread};
use mayfly_profile::{ClassEstimate, ClassId, Dropped, EngineKind, Refusals, Remainder, SiteCounts, SiteId};
use mayfly_tracking::{ClassTotal, ScopeTotal};
use rustc_hash::FxHashSet;

/// Everything counted as of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    /// All that was allocated of each class since the engine began, by class id. A class without an entry has none.
    pub(crate) classes: Vec<ClassTotal>,
    /// Rows of sites that changed since the last call, counted from the last reset on, without lifetimes: of an engine that counts by
    /// place. Other sites are those of the objects followed, which the session knows.
    pub(crate) sites: Vec<SiteCounts>,
    /// What samples say of classes, where that changed since the last call.
    pub(crate) estimates: Vec<(ClassId, ClassEstimate)>,
}

/// What an engine says for the trust line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Account {
    /// Bytes that the JVM counted and the engine did not, where it knows why. What is left is the session's to explain.
    pub(crate) remainder: Vec<Remainder>,
    /// Methods and classes that it left alone.
    pub(crate) refusals: Vec<Refusals>,
    /// Objects that it could not count as it should; not those that `tracking` had no room for.
    pub(crate) dropped: Vec<Dropped>,
    /// Standard error of the sum of all counts, in bytes; `None` if they are exact.
    pub(crate) error_bytes: Option<u64>,
    /// Whether what was allocated before it began is counted, too.
    pub(crate) has_start_up: bool,
    /// Mean bytes between two samples; `None` if nothing is sampled.
    pub(crate) sample_interval: Option<u64>,
    /// Milliseconds spent on rewriting classes.
    pub(crate) rewrite_ms: u64,
}

/// What a session needs. Called by one thread at a time, which holds the session.
pub(crate) trait Counting {
    /// What its counts are.
    fn kind(&self) -> EngineKind;

    /// All counts as of now. Every class and site in them is known to `tracking` by then. `asked`: sites of which the session has news,
    /// so that their rows are wanted whether they changed or not.
    fn counts(&self, asked: &FxHashSet<SiteId>) -> Counts;

    /// What was counted in each scope from the last reset on, by node: part of the totals of classes. Costs about as much as they do.
    fn scopes(&self) -> Vec<ScopeTotal> {
        Vec::new()
    }

    /// Sites and estimates begin again from zero. Totals of classes go on: these are what they begin from.
    fn reset(&self) -> Vec<ClassTotal>;

    /// How far its counts can be trusted, as of the last [`Counting::counts`].
    fn account(&self) -> Account;

    /// Native memory of its own, in bytes, as of the last [`Counting::counts`]; not what the agent's allocator knows of.
    fn native_bytes(&self) -> u64;

    /// The same as of now.
    fn native_bytes_now(&self) -> u64 {
        self.native_bytes()
    }
}

/// What an engine that ends leaves in classes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// What does no harm: hooks that are off, which the next session makes its own.
    Hooks,
    /// Nothing: classes are as they were.
    Nothing,
}

/// What steering needs of an engine.
pub(crate) trait Engine: Counting + Send + Sync {
    /// Whether calls of a method are the scope of that number; `None`: its class was not loaded.
    fn loaded_scope(&self, _scope: u32) -> Option<bool> {
        None
    }

    /// Mean bytes between the samples that it draws, as they were drawn; `None` where they are as far apart as it states, or none were.
    fn bytes_between_samples(&self) -> Option<u64> {
        None
    }

    /// The session is open. Nothing is counted before [`Engine::resume`].
    fn begin(&self, jni: Jni<'_>);

    /// Counts from now on. The caller sees to the order of calls.
    fn resume(&self, jni: Jni<'_>);

    /// Whether the end of the JVM is worth a collection: it tells who of the followed is dead by then.
    fn is_worth_a_collection(&self) -> bool {
        true
    }

    /// Counts no more, for now or for good. May be called twice.
    fn pause(&self, jni: Jni<'_>);

    /// Whether it can end while the JVM goes on.
    fn can_end(&self) -> bool;

    /// The session is over, and the JVM goes on: gives back what it has of the JVM. Called once, paused.
    fn end(&self, jni: Jni<'_>, leaving: Leaving);

    /// The JVM's sampler picked an allocation, on this thread.
    fn sampled(&self, jni: Jni<'_>, sample: SampledAllocation<'_>);

    /// A thread ends, and allocated so many bytes, if the JVM counts them. Called on that thread.
    fn thread_ends(&self, jni: Jni<'_>, thread: Thread<'_>, allocated: Option<u64>);

    /// Forgets what it knows of methods that are not there any more, if that is worth while. Asking may wait for threads.
    fn forget_unloaded(&self, has_method: &dyn Fn(u64) -> bool);
}
