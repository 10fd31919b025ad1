//! What each of the collector's pauses did, by HotSpot's performance counters.
//!
//! Not here: what follows from that for tracked objects (`mayfly-tracking`, `history`).

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::Relaxed};

use mayfly_jvmti::{PerfCounter, PerfData, ZMarking};
use mayfly_profile::GcKind;

use super::release::PAUSE_COUNTERS;

/// Numbers of pauses: young ones, full ones, and those of concurrent cycles.
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
    /// What it counted so far is no pause that ends later.
    fn pass_over(&self) {
        self.seen.store(self.counter.get(), Relaxed);
    }

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
        Self { counted: PAUSE_COUNTERS.map(counted), marking: ZMarking::find().map(marked) }
    }

    /// A pause begins. The JVM says nothing of those of `jcmd PID GC.class_histogram` (Serial, Parallel): their counts would make the next young
    /// collection one of the whole heap. Pauses of G1's cycles are counted before they begin (JDK 25).
    pub(crate) fn begins(&self) {
        let [_, full, _] = &self.counted;
        full.iter().for_each(Counted::pass_over);
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
