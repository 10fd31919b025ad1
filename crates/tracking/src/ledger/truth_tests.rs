//! Simulated heaps in which every object's death is known: it must lie in the interval that the ledger books.
//!
//! Each object is of a class of its own, so that its interval can be read off. The heaps clear references as their
//! collectors do, also while the ledger is sweeping, and under random interleavings.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use mayfly_profile::{ClassId, GcKind};

use super::*;

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

struct Being {
    born: (u64, u64),
    died: Option<(u64, u64)>,
    survived: u32,
    old: bool,
    cleared: bool,
    /// Reachable when the running cycle began.
    marked: bool,
}

/// A heap, its clock, and what is to come.
struct World {
    clock: Arc<Clock>,
    random: Random,
    family: GcFamily,
    ms: u64,
    beings: Vec<Being>,
    released: HashSet<u64>,
    /// Pauses left of the running cycle.
    cycle: Vec<Pause>,
    /// A G1 cycle has been completed, so that young pauses may clear old regions.
    mixed: bool,
    /// When marking began, in milliseconds.
    marks: Vec<u64>,
    /// A pause that has cleared references and whose end is not noted yet.
    unfinished: Option<GcKind>,
    /// Whether the collector says which pauses begin and end marking.
    tells_marks: bool,
}

#[derive(Clone, Copy)]
enum Pause {
    MarkStart,
    MarkEndTried,
    MarkEnd,
    Other,
}

impl World {
    fn tick(&mut self) {
        self.ms += 7 + self.random.below(40);
        self.clock.set_ms(self.ms);
        self.clock.advance(1000 + self.random.below(100_000));
    }

    fn now(&self) -> (u64, u64) {
        (self.ms, self.clock.bytes())
    }

    fn kill_some(&mut self) {
        let (now, lot) = (self.now(), 2 + self.random.below(8));
        for at in 0..self.beings.len() {
            if self.beings[at].died.is_none() && self.random.one_in(lot) {
                self.beings[at].died = Some(now);
            }
        }
    }

    /// A pause up to where references are cleared; returns its kind. Meanwhile nobody dies.
    fn pause(&mut self) -> GcKind {
        self.clock.gc_started();
        let kind = match self.family {
            GcFamily::StopTheWorld | GcFamily::G1 => self.stop_the_world(),
            _ => self.concurrent(),
        };
        self.ms += self.random.below(60);
        self.clock.set_ms(self.ms);
        kind
    }

    fn stop_the_world(&mut self) -> GcKind {
        if self.random.one_in(9) {
            self.cycle.clear();
            self.mixed = false;
            self.clear(|_, _| true);
            self.beings.iter_mut().for_each(|being| being.old = true);
            return GcKind::Full;
        }
        if self.random.one_in(2)
            && let Some(pause) = self.cycle.pop()
        {
            if matches!(pause, Pause::MarkEnd) {
                self.clear(|being, _| !being.marked);
            }
            self.mixed |= self.cycle.is_empty();
            return GcKind::ConcurrentPause;
        }
        let mixed = self.mixed;
        self.clear(|being, random| !being.old || (mixed && random.one_in(3)));
        for being in &mut self.beings {
            being.survived += 1;
            being.old |= being.survived > 3;
        }
        if self.family == GcFamily::G1 && self.cycle.is_empty() && self.random.one_in(5) {
            self.begin_cycle(vec![Pause::Other, Pause::MarkEnd]);
        }
        GcKind::Young
    }

    fn concurrent(&mut self) -> GcKind {
        if self.family == GcFamily::GenerationalZgc && self.random.one_in(3) {
            return GcKind::Young;
        }
        let Some(pause) = self.cycle.pop() else {
            let pauses = match (self.family, self.random.below(4)) {
                (GcFamily::GenerationalZgc, 0) => {
                    vec![
                        Pause::Other,
                        Pause::MarkEnd,
                        Pause::Other,
                        Pause::Other,
                        Pause::MarkStart,
                        Pause::Other,
                    ]
                }
                (GcFamily::GenerationalZgc, _) => {
                    vec![Pause::Other, Pause::MarkEnd, Pause::Other, Pause::Other]
                }
                (_, 0) => vec![Pause::MarkEnd],
                (_, 1) => vec![Pause::Other, Pause::MarkEnd, Pause::MarkEndTried],
                (_, 2) => vec![Pause::Other, Pause::Other, Pause::MarkEnd],
                _ => vec![Pause::Other, Pause::MarkEnd],
            };
            self.begin_cycle(pauses);
            return if self.tells_marks { GcKind::MarkStart } else { GcKind::ConcurrentPause };
        };
        match pause {
            Pause::MarkStart => self.mark(),
            Pause::MarkEnd => {
                self.clear(|being, random| !being.marked || random.one_in(2));
                if self.tells_marks {
                    return GcKind::MarkEnd;
                }
            }
            Pause::MarkEndTried | Pause::Other => {}
        }
        GcKind::ConcurrentPause
    }

    fn begin_cycle(&mut self, pauses: Vec<Pause>) {
        self.cycle = pauses;
        self.mark();
    }

    /// What is reachable now, or born until the cycle's end, is left by its clearing.
    fn mark(&mut self) {
        self.marks.push(self.ms);
        self.beings.iter_mut().for_each(|being| being.marked = being.died.is_none());
    }

    /// As of when an object is known alive that is said to be alive at that time.
    fn proved(&self, ms: u64) -> u64 {
        let began = self.marks.partition_point(|&mark| mark <= ms);
        match self.family {
            GcFamily::StopTheWorld | GcFamily::G1 => ms,
            GcFamily::Concurrent if self.tells_marks => ms,
            // It may have died while the collection marked that left it; the next may have begun to mark.
            GcFamily::Concurrent => self.marks[began.saturating_sub(2)],
            // These mark twice.
            _ => self.marks[began.saturating_sub(4)],
        }
    }

    fn clear(&mut self, mut examined: impl FnMut(&Being, &mut Random) -> bool) {
        for being in self.beings.iter_mut().filter(|being| being.died.is_some()) {
            being.cleared |= examined(being, &mut self.random);
        }
    }

    fn collect(&mut self) {
        let kind = self.pause();
        self.clock.gc_finished(kind);
    }
}

/// The same world as the ledger sees it.
struct View(Rc<RefCell<World>>);

impl References for View {
    fn is_cleared(&mut self, reference: u64) -> bool {
        let mut world = self.0.borrow_mut();
        assert!(!world.released.contains(&reference));
        // A pause begins while the ledger asks.
        if world.unfinished.is_none() && world.random.one_in(60) {
            world.tick();
            let kind = world.pause();
            world.unfinished = Some(kind);
        }
        world.beings[reference as usize - 1].cleared
    }

    fn release(&mut self, reference: u64) {
        let mut world = self.0.borrow_mut();
        if let Some(kind) = world.unfinished.take() {
            world.clock.gc_finished(kind);
        }
        assert!(world.released.insert(reference));
    }
}

fn live_and_die(family: GcFamily, seed: u64) {
    live_and_die_as(family, family, false, seed);
}

/// A heap of one family, judged by the rules of another.
fn live_and_die_as(family: GcFamily, rules: GcFamily, tells_marks: bool, seed: u64) {
    let budget = Arc::new(Budget::new(1 << 30));
    let clock = Arc::<Clock>::default();
    let nurseries = Nurseries::new(Arc::clone(&budget), Arc::clone(&clock));
    let sites = SiteTable::new(1 << 20);
    let tracking = Tracking::EveryObject;
    let mut ledger = Ledger::new(BucketBounds::default(), tracking, true, rules, budget, Arc::clone(&clock));
    let world = Rc::new(RefCell::new(World {
        clock: Arc::clone(&clock),
        random: Random(seed),
        family,
        ms: 0,
        beings: Vec::new(),
        released: HashSet::new(),
        cycle: Vec::new(),
        mixed: false,
        marks: vec![0],
        unfinished: None,
        tells_marks,
    }));
    let nursery = nurseries.open();
    let mut view = View(Rc::clone(&world));
    for _ in 0..120 {
        let mut world = world.borrow_mut();
        world.tick();
        for _ in 0..world.random.below(6) {
            let being = Being {
                born: world.now(),
                died: None,
                survived: 0,
                old: false,
                cleared: false,
                marked: true,
            };
            world.beings.push(being);
            let number = world.beings.len() as u64;
            assert!(nursery.add(number, sites.of_class(ClassId(number as u32)), 2, 0));
        }
        world.tick();
        if world.random.one_in(2) {
            world.kill_some();
            world.tick();
        }
        if world.random.one_in(2) {
            world.collect();
        }
        let sweeps = world.random.one_in(2) && world.unfinished.is_none();
        drop(world);
        if sweeps {
            ledger.absorb(&nurseries, &sites);
            ledger.sweep(&mut view, &sites);
        }
        let mut world = world_of(&view);
        if let Some(kind) = world.unfinished.take() {
            world.clock.gc_finished(kind);
        }
    }
    judge(&mut ledger, &world.borrow(), seed);
}

fn world_of(view: &View) -> std::cell::RefMut<'_, World> {
    view.0.borrow_mut()
}

/// Every booked death lies in its interval; nobody living is said to be dead, or to have been seen after their death.
fn judge(ledger: &mut Ledger, world: &World, seed: u64) {
    let mut found = 0;
    for (at, being) in world.beings.iter().enumerate() {
        let (Some(counts), _) = ledger.class_lifetimes(ClassId(at as u32 + 1)) else {
            panic!("no lifetimes")
        };
        let lifetimes = counts.lifetimes;
        let what = |clock| format!("seed {seed}, {:?}, object {at} by {clock}", world.family);
        if let Some((after, by, _)) = lifetimes.ms.deaths().next() {
            found += 1;
            let died = being.died.unwrap_or_else(|| panic!("{}: lives", what("ms")));
            let age = died.0 - being.born.0;
            let proved = world.proved(being.born.0 + after).saturating_sub(being.born.0);
            let beside = proved < after;
            assert!(proved <= age && age <= by, "{}: {age} not in ({proved}, {by}]", what("ms"));
            let (after, by, _) = lifetimes.bytes.deaths().next().expect("by bytes, too");
            let age = died.1 - being.born.1;
            assert!((beside || after <= age) && age <= by, "{}: {age} not in ({after}, {by}]", what("bytes"));
        }
        for (age, _) in lifetimes.ms.living() {
            let end = being.died.map_or(world.ms, |died| died.0);
            let proved = world.proved(being.born.0 + age);
            assert!(proved <= end, "{}: alive at {age}", what("ms"));
        }
    }
    assert!(world.beings.len() < 50 || found > 10, "seed {seed}: {found} deaths of {}", world.beings.len());
}

#[test]
fn intervals_are_true_where_the_world_stops() {
    (0..200).for_each(|seed| live_and_die(GcFamily::StopTheWorld, seed));
}

#[test]
fn intervals_are_true_under_g1() {
    (0..200).for_each(|seed| live_and_die(GcFamily::G1, seed));
}

#[test]
fn intervals_are_true_beside_the_program() {
    (0..200).for_each(|seed| live_and_die(GcFamily::Concurrent, seed));
}

#[test]
fn intervals_are_true_where_marking_is_told() {
    (0..200).for_each(|seed| live_and_die_as(GcFamily::Concurrent, GcFamily::Concurrent, true, seed));
}

#[test]
fn intervals_are_true_under_generational_zgc() {
    (0..200).for_each(|seed| live_and_die(GcFamily::GenerationalZgc, seed));
}

/// The judge is no rubber stamp: what holds for one collector is found false for another.
#[test]
#[should_panic(expected = "not in (")]
fn the_rules_of_another_collector_would_be_found_out() {
    for seed in 0..200 {
        live_and_die_as(GcFamily::G1, GcFamily::StopTheWorld, false, seed);
    }
}
