//! How far the generations are filled, and how survivors are aged, by what HotSpot publishes: plain loads.
//!
//! Not here: when that is noted (`gc_log`).

use mayfly_jvmti::{Generation, PerfCounter, PerfData};
use mayfly_profile::Gc;

/// Ages that HotSpot tells apart: from 1 on.
pub(super) const AGES: usize = 15;

/// What is published of the heap.
pub(super) struct HeapUse {
    generations: [Generations; 2],
    threshold: Option<PerfCounter>,
    desired_survivors: Option<PerfCounter>,
    ages: [Option<PerfCounter>; AGES],
}

/// One generation: young, or old.
struct Generations {
    /// Of each space.
    used: Vec<PerfCounter>,
    capacity: Option<PerfCounter>,
    /// How it is known before a collection.
    before: Before,
}

enum Before {
    /// Nothing is published.
    Unknown,
    /// Counters are kept up while the program runs.
    Counters,
    Spaces(Generation),
}

impl HeapUse {
    /// What this VM, with that collector, says of it.
    pub(super) fn find(gc: Gc) -> Option<Self> {
        let data = PerfData::find()?;
        let ages = |age: usize| data.counter(&format!("sun.gc.generation.0.agetable.bytes.{:02}", age + 1));
        let [young, old] = before(gc);
        Some(Self {
            generations: [(0, young), (1, old)].map(|(number, before)| generation(data, number, before)),
            threshold: data.counter("sun.gc.policy.tenuringThreshold"),
            desired_survivors: data.counter("sun.gc.policy.desiredSurvivorSize"),
            ages: std::array::from_fn(ages),
        })
        .filter(|_| tells(gc))
    }

    /// Bytes used of the young and the old generation when a collection begins.
    pub(super) fn before(&self) -> [Option<u64>; 2] {
        self.generations.each_ref().map(|of| match &of.before {
            Before::Unknown => None,
            Before::Counters => of.used(),
            Before::Spaces(spaces) => Some(spaces.used()),
        })
    }

    /// Bytes used when it ends, and the room there is.
    pub(super) fn after(&self) -> [(Option<u64>, Option<u64>); 2] {
        self.generations.each_ref().map(|of| (of.used(), of.capacity.and_then(value)))
    }

    /// Threshold and desired survivors of the newest young collection, in collections and bytes.
    pub(super) fn tenuring(&self) -> (Option<u64>, Option<u64>) {
        // None aims at no survivors.
        let desired = self.desired_survivors.and_then(value).filter(|&bytes| bytes > 0);
        (self.threshold.and_then(value), desired)
    }

    /// Bytes of survivors by age, from 1 on.
    pub(super) fn ages(&self) -> [Option<u64>; AGES] {
        self.ages.map(|age| age.and_then(value))
    }
}

impl Generations {
    /// `None` where no space is published.
    fn used(&self) -> Option<u64> {
        (!self.used.is_empty()).then(|| self.used.iter().filter_map(|&space| value(space)).sum())
    }
}

fn generation(data: PerfData, number: u32, before: Before) -> Generations {
    let used = |space: u32| data.counter(&format!("sun.gc.generation.{number}.space.{space}.used"));
    Generations {
        used: (0..3).map_while(used).collect(),
        capacity: data.counter(&format!("sun.gc.generation.{number}.capacity")),
        before,
    }
}

/// Whether the counters say what is used when a pause ends: Shenandoah's are brought up to date at other times.
fn tells(gc: Gc) -> bool {
    matches!(gc, Gc::Serial | Gc::Parallel | Gc::G1 | Gc::Zgc | Gc::GenerationalZgc)
}

/// How it is known what is used when a collection begins.
fn before(gc: Gc) -> [Before; 2] {
    let spaces = |generation: Option<Generation>| generation.map_or(Before::Unknown, Before::Spaces);
    match gc {
        Gc::Serial => Generation::of_serial().map(spaces),
        Gc::Parallel => Generation::of_parallel().map(spaces),
        // Noted for each region of the young generation that is begun.
        Gc::G1 => [Before::Counters, Before::Counters],
        _ => [Before::Unknown, Before::Unknown],
    }
}

fn value(counter: PerfCounter) -> Option<u64> {
    u64::try_from(counter.get()).ok()
}
