//! Which way a session goes: what of it depends on the options is decided here, once. Below this nothing reads options to find out.
//!
//! | options | hooks hand over | whom to follow | to death | stacks |
//! |---|---|---|---|---|
//! | none | nothing | nobody | no | none |
//! | `#trace` | nothing | each | no | by place |
//! | `#trace-all` | each | each | no | of each |
//! | `#trace#every-20` | each | every 20th | no | of the followed |
//! | `#trackcollections` | each | each | yes | none |
//! | `#trackcollections#trace` | each | each | yes | by place |
//! | `#trackcollections#trace-all` | each | each | yes | of each |
//! | `#trackcollections#every-20` | each | every 20th | yes | none; of the followed with `#trace` |
//! | `#track-balanced` | what is due | shares | yes | none; of the followed with `#trace` |
//! | `#sample-512k` | nothing | byte sample | yes | none; of the followed with `#trace` |
//! | `#sample-512k#scope-survivors` | what is due | byte sample, and shares in scopes | yes | as above |
//! | `#engine-sampled` | (no hooks) | byte sample | yes | of the followed, with lines |
//!
//! Where hooks hand over nothing, or what is due, threads and classes can be prepared, so that hooks need not look for counters: not
//! with `#largerthan`, nor where the JVM does not allow it. What survives a scope is known with `#trackcollections`,
//! `#track-balanced` and `#scope-survivors`. `#include`, `#exclude` and `#largerthan` say which objects are followed, never which are counted.
//!
//! Not here: when reports are due and where they go (`options`), what the JVM allows (`exact`).

#[cfg(test)]
mod tests;

use mayfly_profile::{ClassFilter, EngineKind, Tracking};

pub(crate) use crate::options::SampleRate;
use crate::options::{Options, ScopeMethod};

/// Everything that differs between sessions of different options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) counting: Counting,
    /// Whose stack and death are followed.
    pub(crate) tracking: Tracking,
    /// Whether the followed are followed to their death.
    pub(crate) lifetimes: bool,
    pub(crate) stacks: Stacks,
    /// Whether stacks keep the line of each frame.
    pub(crate) lines: bool,
    /// Whether the outermost frame of a stack names the pool of its thread.
    pub(crate) threads: bool,
    /// Whether stacks name the loader of the code that allocates.
    pub(crate) loaders: bool,
    /// Whether stacks are cut where recursion is deep: so many are taken that each frame counts.
    pub(crate) cuts_stacks: bool,
    /// Which objects are followed.
    pub(crate) filter: Filter,
    /// Methods whose calls are scopes.
    pub(crate) scopes: Vec<ScopeMethod>,
    /// Whether it is known what survives scopes: samples alone do not tell in which scope they were made.
    pub(crate) scope_survivors: bool,
    /// Samples a second at most, where the options ask for samples.
    pub(crate) sample_rate: Option<SampleRate>,
    pub(crate) memory: Memory,
    /// A collection is forced each time so many bytes were allocated.
    pub(crate) collects_each: Option<u64>,
    /// However many classes have to be rewritten in a JVM that runs.
    pub(crate) any_number_of_classes: bool,
}

/// What counts allocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Hooks in rewritten classes.
    Hooks(HandedOver),
    /// The JVM's sampler.
    Samples,
}

/// Which objects hooks hand over to be followed, beside counting all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandedOver {
    Nothing,
    /// What is due by the count of its class.
    Due,
    /// Each that passes the filters.
    Each,
}

/// Whose stacks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stacks {
    None,
    /// Allocations are counted by place, and a sample at each place has its stack taken.
    ByPlace,
    /// Of the objects that are followed.
    OfFollowed,
    /// Of each object that passes the filters.
    OfEach,
}

impl Stacks {
    /// Whether any are.
    pub(crate) fn are_taken(self) -> bool {
        self != Self::None
    }
}

/// Which objects pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    classes: ClassFilter,
    /// Smallest size of those, in bytes.
    pub(crate) min_bytes: u64,
}

impl Filter {
    /// Whether objects of this class may.
    pub(crate) fn admits(&self, class: &str) -> bool {
        self.classes.admits(class)
    }

    /// Whether objects of this size may.
    pub(crate) fn admits_size(&self, bytes: u64) -> bool {
        bytes >= self.min_bytes
    }
}

/// Native memory that may be held, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// For the followed.
    pub(crate) objects: u64,
    /// For stacks: half of all, if any are taken.
    pub(crate) stacks: u64,
}

impl Plan {
    /// The way that these options ask for.
    pub(crate) fn of(options: &Options) -> Self {
        let stacks = stacks(options);
        let follows_all_classes = options.track_collections || options.track_balanced;
        let for_stacks = if stacks.are_taken() { options.mem_limit / 2 } else { 0 };
        Self {
            counting: counting(options, stacks),
            tracking: tracking(options),
            lifetimes: follows_all_classes || options.sample_bytes.is_some(),
            stacks,
            // Samples have few stacks.
            lines: options.lines || options.view.detailed_trace || options.engine == EngineKind::Sampled,
            threads: options.threads,
            loaders: options.loaders,
            cuts_stacks: options.trace_all,
            filter: Filter { classes: options.view.classes.clone(), min_bytes: options.view.min_bytes },
            scopes: options.scopes.clone(),
            scope_survivors: follows_all_classes || options.scope_survivors,
            sample_rate: options.sample_rate.filter(|_| options.sample_bytes.is_some()),
            memory: Memory { objects: options.mem_limit - for_stacks, stacks: for_stacks },
            collects_each: options.gc_every_bytes,
            any_number_of_classes: options.yes,
        }
    }

    /// Whether hooks hand each object over.
    pub(crate) fn hands_each_over(&self) -> bool {
        self.counting == Counting::Hooks(HandedOver::Each)
    }

    /// Whether threads and classes can have their counters before they are asked for, if the JVM allows it.
    pub(crate) fn can_prepare(&self) -> bool {
        !self.hands_each_over() && self.filter.min_bytes == 0
    }
}

fn counting(options: &Options, stacks: Stacks) -> Counting {
    let samples = options.sample_bytes.is_some();
    match options.engine {
        EngineKind::Sampled => Counting::Samples,
        EngineKind::Exact if options.track_balanced || samples && options.scope_survivors => {
            Counting::Hooks(HandedOver::Due)
        }
        EngineKind::Exact if samples => Counting::Hooks(HandedOver::Nothing),
        EngineKind::Exact => {
            let of_objects = matches!(stacks, Stacks::OfFollowed | Stacks::OfEach);
            let each = options.track_collections || of_objects;
            Counting::Hooks(if each { HandedOver::Each } else { HandedOver::Nothing })
        }
    }
}

fn tracking(options: &Options) -> Tracking {
    match options.sample_bytes {
        Some(bytes) => Tracking::ByteSample(bytes),
        None if options.track_balanced => Tracking::Balanced,
        None if !options.track_collections && !options.trace => Tracking::Off,
        None if options.every == 1 => Tracking::EveryObject,
        None => Tracking::EveryNth(options.every),
    }
}

fn stacks(options: &Options) -> Stacks {
    let some_are_followed = options.sample_bytes.is_some() || options.track_balanced || options.every > 1;
    match (options.trace, some_are_followed, options.trace_all) {
        (false, ..) => Stacks::None,
        (true, true, _) => Stacks::OfFollowed,
        (true, false, false) => Stacks::ByPlace,
        (true, false, true) => Stacks::OfEach,
    }
}
