//! A session with an engine that counts by hand, in no JVM: what it counts comes out of the stream, and out of a profile
//! folded from it.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::{Jni, SampledAllocation, Thread};
use mayfly_profile::{
    ClassEstimate, ClassId, Dropped, EngineKind, Estimate, Frame, Gc, GcKind, JvmInfo, Profile,
    ProfileBuilder, Refusals, Remainder, Section, SiteId, Tally, Tracking,
};
use mayfly_tracking::ScopeTotal;
use rustc_hash::FxHashSet;

use super::*;
use crate::engine::{Counts, Engine, Leaving};
use crate::options::Options;
use crate::plan::Plan;

const INTERVAL: u64 = 512 << 10;

/// Counts what it is told, as an engine would that knows neither hooks nor slabs: estimates, from samples.
struct ByHand {
    shared: Arc<Shared>,
    totals: Mutex<Vec<ClassTotal>>,
    /// How often scopes were asked for.
    scopes_asked: AtomicU32,
}

impl ByHand {
    /// So many objects of a class were allocated, the first of which is followed as `reference`.
    fn allocate(&self, class: &str, objects: u64, size: u64, reference: u64) -> (ClassId, SiteId) {
        let id = self.shared.classes.named(class);
        let mut totals = self.totals.lock().expect("no panic");
        let rows = totals.len().max(id.row() + 1);
        totals.resize(rows, ClassTotal::default());
        totals[id.row()].counted.add(Tally::of(objects, size));
        let frame = Frame { class: "b.Main".into(), method: "run".into(), ..Frame::default() };
        let site = self.shared.sites.of_frame(id, 0, frame);
        let nursery = self.shared.nurseries.open();
        assert!(nursery.add(reference, site, (size / 8) as u32, objects * size));
        (id, site)
    }
}

impl Counting for ByHand {
    fn kind(&self) -> EngineKind {
        EngineKind::Sampled
    }

    fn counts(&self, _asked: &FxHashSet<SiteId>) -> Counts {
        let classes = self.totals.lock().expect("no panic").clone();
        let estimate = |bytes: u64| ClassEstimate {
            allocated: Estimate::of_bytes(bytes as f64, 8.0),
            ..ClassEstimate::default()
        };
        let estimates = classes
            .iter()
            .enumerate()
            .map(|(id, total)| (ClassId::of_row(id), estimate(total.bytes())))
            .collect();
        Counts { classes, sites: Vec::new(), estimates }
    }

    fn scopes(&self) -> Vec<ScopeTotal> {
        self.scopes_asked.fetch_add(1, Relaxed);
        Vec::new()
    }

    fn reset(&self) -> Vec<ClassTotal> {
        self.totals.lock().expect("no panic").clone()
    }

    fn account(&self) -> Account {
        Account {
            remainder: vec![Remainder::exact("lost by hand", 5)],
            refusals: vec![Refusals { reason: "too large".into(), methods: 2 }],
            dropped: vec![Dropped { cause: "for a test".into(), objects: 3 }],
            error_bytes: None,
            has_start_up: false,
            sample_interval: Some(INTERVAL),
            rewrite_ms: 7,
        }
    }

    fn native_bytes(&self) -> u64 {
        1 << 40
    }
}

/// What a JVM would call is not called here.
impl Engine for ByHand {
    fn begin(&self, _jni: Jni<'_>) {}
    fn resume(&self, _jni: Jni<'_>) {}
    fn pause(&self, _jni: Jni<'_>) {}
    fn can_end(&self) -> bool {
        true
    }

    fn end(&self, _jni: Jni<'_>, _leaving: Leaving) {}
    fn sampled(&self, _jni: Jni<'_>, _sample: SampledAllocation<'_>) {}
    fn thread_ends(&self, _jni: Jni<'_>, _thread: Thread<'_>, _allocated: Option<u64>) {}
    fn forget_unloaded(&self, _has_method: &dyn Fn(u64) -> bool) {}
}

/// The JVM's total.
#[derive(Clone, Copy)]
struct Total(u64);

impl JvmBytes for Total {
    fn allocated(&self) -> Option<u64> {
        Some(self.0)
    }

    fn allocated_on_carriers(&self) -> u64 {
        0
    }
}

/// References that are cleared.
#[derive(Default)]
struct Cleared {
    dead: HashSet<u64>,
    released: HashSet<u64>,
}

impl References for Cleared {
    fn is_cleared(&mut self, reference: u64) -> bool {
        self.dead.contains(&reference)
    }

    fn release(&mut self, reference: u64) {
        assert!(self.released.insert(reference), "released twice");
    }
}

struct Bench {
    engine: ByHand,
    session: Session,
    builder: ProfileBuilder,
}

impl Bench {
    fn new() -> Self {
        let options = Options::parse("#trackcollections#trace-all").expect("options");
        let shared = Arc::new(Shared::new(Plan::of(&options)));
        let engine =
            ByHand { shared: Arc::clone(&shared), totals: Mutex::default(), scopes_asked: AtomicU32::new(0) };
        let run = RunInfo {
            jvm: JvmInfo { gc: Gc::Serial, ..JvmInfo::default() },
            engine: engine.kind(),
            tracking: Tracking::EveryObject,
            lifetimes: true,
            stacks: true,
            ..RunInfo::default()
        };
        let session = Session::new(shared, &run, true);
        let mut builder = ProfileBuilder::new();
        builder.apply(Update::Start(Box::new(run))).expect("it fits");
        Self { engine, session, builder }
    }

    fn take(&mut self, updates: Vec<Update>) {
        updates.into_iter().for_each(|update| self.builder.apply(update).expect("it fits"));
    }

    /// The profile folded from all updates so far.
    fn profile(&mut self, jvm: Total) -> Profile {
        self.session.absorb();
        let engine: &dyn Engine = &self.engine;
        let updates = self.session.updates(engine, &jvm, Duration::from_millis(11), vec![]);
        self.take(updates);
        self.builder.profile()
    }

    /// Allocated, objects alive, collected.
    fn class(profile: &Profile, name: &str) -> (Tally, u64, Tally) {
        let class = profile.classes.iter().find(|class| class.name == name).expect("a row");
        let collected = class.collected.iter().fold(Tally::default(), |mut sum, part| {
            sum.add(*part);
            sum
        });
        (class.allocated, class.not_seen_dead().objects, collected)
    }
}

#[test]
fn what_an_engine_without_a_jvm_counts_is_in_the_profile() {
    let mut bench = Bench::new();
    bench.session.starts(&Total(1000));
    bench.engine.allocate("a.Order", 3, 24, 77);
    bench.engine.allocate("a.Item", 1, 16, 78);
    let profile = bench.profile(Total(1000 + 3 * 24 + 16 + 5));
    assert_eq!(profile.run.engine, EngineKind::Sampled);
    assert_eq!(Bench::class(&profile, "a.Order"), (Tally::of(3, 24), 1, Tally::default()));
    assert_eq!(profile.estimates["a.Order"].allocated.bytes(), 72);
    let site = profile.sites.iter().find(|site| site.class == "a.Item").expect("a site");
    let made_by = site.stack.first().map(|frame| &*frame.class);
    assert_eq!((made_by, site.allocated), (Some("b.Main"), Tally::of(1, 16)));

    let mut dead = Cleared { dead: HashSet::from([77]), ..Cleared::default() };
    assert!(!bench.session.catch_up(&mut dead, &Total(2000)), "no collection yet");
    bench.engine.shared.clock.gc_started();
    bench.engine.shared.clock.gc_finished(GcKind::Full);
    assert!(bench.session.catch_up(&mut dead, &Total(2000)));
    assert!(!bench.session.catch_up(&mut dead, &Total(2000)), "no other one");
    let profile = bench.profile(Total(2000));
    assert_eq!(Bench::class(&profile, "a.Order"), (Tally::of(3, 24), 0, Tally::of(1, 24)));
    assert_eq!(Bench::class(&profile, "a.Item").1, 1);
    assert_eq!(dead.released, HashSet::from([77]));
}

#[test]
fn what_an_engine_says_of_itself_is_in_the_trust_line() {
    let mut bench = Bench::new();
    bench.session.starts(&Total(1000));
    bench.engine.allocate("a.Order", 3, 24, 77);
    bench.session.stops(&Total(1100));
    bench.session.starts(&Total(1300));
    let trust = bench.profile(Total(1300)).trust;
    assert_eq!((trust.accounted_bytes, trust.jvm_allocated_bytes), (72, Some(1300)));
    let cause = |cause: &str| {
        let parts = trust.remainder.iter().filter(|part| part.cause.contains(cause));
        parts.map(|part| part.bytes).sum::<i64>()
    };
    let parts = ["before counting", "while paused", "lost by hand", "chance"].map(cause);
    assert_eq!(parts, [1000, 200, 5, 23], "{:?}", trust.remainder);
    assert_eq!(trust.refusals[0].methods, 2);
    assert_eq!(trust.dropped[0].objects, 3);
    assert_eq!(trust.sample_interval, Some(INTERVAL));
    assert_eq!((trust.cost.cpu_ms, trust.cost.rewrite_ms), (11, 7));
    assert!(trust.cost.native_bytes > 1 << 40);
}

#[test]
fn a_reset_begins_from_zero_and_objects_born_before_are_let_go() {
    let mut bench = Bench::new();
    bench.session.starts(&Total(0));
    bench.engine.allocate("a.Order", 3, 24, 77);
    bench.profile(Total(72));
    let mut references = Cleared::default();
    let updates = bench.session.reset(&bench.engine, &mut references);
    bench.take(updates);
    assert_eq!(references.released, HashSet::from([77]));
    bench.engine.allocate("a.Order", 2, 24, 79);
    let profile = bench.profile(Total(120));
    assert_eq!((Bench::class(&profile, "a.Order").0, profile.resets), (Tally::of(2, 24), 1));
    assert_eq!(bench.session.reached().resets, 1);
}

#[test]
fn operations_count_while_allocations_do_and_are_told_when_they_change() {
    let mut bench = Bench::new();
    let shared = Arc::clone(&bench.engine.shared);
    bench.session.starts(&Total(0));
    shared.count_operations(5);
    assert_eq!(bench.profile(Total(0)).operations, 0, "not switched on yet");
    shared.switches.set_active(true);
    shared.count_operations(7);
    assert_eq!(bench.profile(Total(0)).operations, 7);
    let told = |bench: &mut Bench| {
        let updates = bench.session.updates(&bench.engine, &Total(0), Duration::ZERO, vec![]);
        let steps = updates.into_iter().filter_map(|update| match update {
            Update::Step(step) => Some(step),
            _ => None,
        });
        steps.flatten().filter(|section| matches!(section, Section::Operations(_))).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut bench), [], "as they were");
    shared.count_operations(1);
    assert_eq!(told(&mut bench), [Section::Operations(8)]);
    shared.switches.set_active(false);
    shared.count_operations(100);
    assert_eq!(told(&mut bench), [], "paused");
    let updates = bench.session.reset(&bench.engine, &mut Cleared::default());
    bench.take(updates);
    assert_eq!(bench.profile(Total(0)).operations, 0);
    shared.switches.set_active(true);
    shared.count_operations(3);
    assert_eq!(bench.profile(Total(0)).operations, 3);
    shared.switches.finish();
    shared.count_operations(3);
    assert_eq!(told(&mut bench), [], "the end");
}

#[test]
fn scopes_are_added_up_only_when_they_are_told() {
    let mut bench = Bench::new();
    bench.session.starts(&Total(0));
    bench.session.lifetimes_sent = Instant::now().checked_add(Duration::from_secs(3600));
    let steps = |bench: &mut Bench| {
        (0..3).for_each(|_| drop(bench.profile(Total(0))));
        bench.engine.scopes_asked.load(Relaxed)
    };
    assert_eq!(steps(&mut bench), 0, "not due for an hour");
    bench.session.is_asked_for_all();
    assert!(steps(&mut bench) > 0);
}

#[test]
fn collections_are_told_once_and_those_before_a_reset_are_forgotten() {
    let mut bench = Bench::new();
    bench.session.starts(&Total(0));
    let ended = |number, at_ms| Collection { number, at_ms, ..Collection::default() };
    // Later than any point of the byte clock.
    let now = |bench: &Bench| bench.engine.shared.clock.now_ms() + 60_000;
    let first = ended(0, now(&bench));
    bench.session.note_collections(vec![first], &Total(700));
    let profile = bench.profile(Total(700));
    let [told] = &profile.collections[..] else { panic!("{:?}", profile.collections) };
    assert_eq!((told.number, told.bytes), (0, 700));
    assert!(told.at_ms <= profile.duration_ms);
    let second = ended(1, now(&bench));
    bench.session.note_collections(vec![second], &Total(900));
    let updates = bench.session.reset(&bench.engine, &mut Cleared::default());
    bench.take(updates);
    assert_eq!(bench.profile(Total(900)).collections, []);
}
