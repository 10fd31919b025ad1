//! Which collector this is, and what each of its pauses did: by HotSpot's performance counters.
//!
//! Not here: what follows from that for tracked objects (`mayfly-collector`, `history`).

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::Relaxed};

use mayfly_collector::GcKind;
use mayfly_jvmti::{Jni, Management, PerfCounter, PerfData, ZMarking};
use mayfly_profile::Gc;

/// Numbers of pauses, by `sun.gc.collector.N.invocations`. In JDK 11 to 25: 0 young, 1 full, 2 pauses of concurrent
/// cycles (of major collections in generational ZGC). Shenandoah's say something else, which is not needed.
///
/// ZGC without generations also says where its marking stands.
pub(crate) struct GcCounters {
    counted: [Option<Counted>; 3],
    marking: Option<Marked>,
}

struct Counted {
    counter: PerfCounter,
    seen: AtomicI64,
}

impl Counted {
    /// Whether it moved since the last time.
    fn moved(&self) -> bool {
        let now = self.counter.get();
        self.seen.swap(now, Relaxed) != now
    }
}

/// The marking that was seen last.
struct Marked {
    marking: ZMarking,
    cycle: AtomicU32,
    completed: AtomicBool,
}

impl Marked {
    /// Whether marking began or ended since the last time.
    fn moved(&self) -> Option<GcKind> {
        let (cycle, completed) = (self.marking.cycle(), self.marking.is_completed());
        let began = self.cycle.swap(cycle, Relaxed) != cycle;
        let was_completed = self.completed.swap(completed, Relaxed);
        match (began, completed && !was_completed) {
            (true, _) => Some(GcKind::MarkStart),
            (false, true) => Some(GcKind::MarkEnd),
            (false, false) => None,
        }
    }
}

impl GcCounters {
    /// What this VM has of all that.
    pub(crate) fn find() -> Self {
        let data = PerfData::find();
        let counted = |number| {
            let counter = data?.counter(&format!("sun.gc.collector.{number}.invocations"))?;
            Some(Counted { counter, seen: AtomicI64::new(counter.get()) })
        };
        let marked = |marking: ZMarking| Marked {
            marking,
            cycle: AtomicU32::new(marking.cycle()),
            completed: AtomicBool::new(marking.is_completed()),
        };
        Self { counted: [0, 1, 2].map(counted), marking: ZMarking::find().map(marked) }
    }

    /// What the pause did that ends now. Called at the end of each, once; neither blocks nor calls the JVM.
    pub(crate) fn kind(&self) -> GcKind {
        let [young, full, concurrent] =
            [0, 1, 2].map(|at: usize| self.counted[at].as_ref().is_some_and(Counted::moved));
        if let Some(kind) = self.marking.as_ref().and_then(Marked::moved) {
            return kind;
        }
        match (full, concurrent, young) {
            // A young collection that gave up is finished by a full one in the same pause.
            (true, _, _) => GcKind::Full,
            (_, true, _) => GcKind::ConcurrentPause,
            (_, _, true) => GcKind::Young,
            _ => GcKind::Unknown,
        }
    }
}

/// The JVM's collector. `jdk`: the specification's version.
pub(crate) fn collector(jni: Jni<'_>, jdk: &str) -> Gc {
    let Some(management) = Management::find() else { return by_counters() };
    let on = |flag| management.flag(jni, flag) == Some(true);
    let chosen = [
        (c"UseG1GC", Gc::G1),
        (c"UseParallelGC", Gc::Parallel),
        (c"UseSerialGC", Gc::Serial),
        (c"UseZGC", Gc::Zgc),
        (c"UseShenandoahGC", Gc::Shenandoah),
        (c"UseEpsilonGC", Gc::Epsilon),
    ]
    .into_iter()
    .find_map(|(flag, gc)| on(flag).then_some(gc));
    match chosen.unwrap_or_default() {
        Gc::Zgc if is_only_generational(jdk) || on(c"ZGenerational") => Gc::GenerationalZgc,
        Gc::Shenandoah if is_shenandoah_generational() => Gc::GenerationalShenandoah,
        gc => gc,
    }
}

/// By the name of the first counter, where the VM does not show its flags (JDK 26 on).
fn by_counters() -> Gc {
    let Some(data) = PerfData::find() else { return Gc::Unknown };
    let names: String =
        [0, 2].map(|at| data.text(&format!("sun.gc.collector.{at}.name")).unwrap_or_default()).concat();
    let shenandoah = if is_shenandoah_generational() { Gc::GenerationalShenandoah } else { Gc::Shenandoah };
    let known = [
        ("G1 ", Gc::G1),
        ("Parallel ", Gc::Parallel),
        ("Serial ", Gc::Serial),
        ("ZGC minor", Gc::GenerationalZgc),
        ("Shenandoah", shenandoah),
    ];
    known.into_iter().find_map(|(begin, gc)| names.starts_with(begin).then_some(gc)).unwrap_or_default()
}

/// From JDK 24 on, ZGC is always generational and has no flag for it.
fn is_only_generational(jdk: &str) -> bool {
    jdk.parse::<u32>().is_ok_and(|jdk| jdk >= 24)
}

fn is_shenandoah_generational() -> bool {
    let arguments = PerfData::find().and_then(|data| data.text("java.rt.vmArgs")).unwrap_or_default();
    arguments.contains("ShenandoahGCMode=generational")
}
