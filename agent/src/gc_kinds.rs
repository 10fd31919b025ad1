//! Which collector this is, and what each of its pauses did: by HotSpot's performance counters.
//!
//! Not here: what follows from that for tracked objects (`mayfly-collector`, `history`).

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use mayfly_collector::GcKind;
use mayfly_jvmti::{Jni, Management, PerfCounter, PerfData};

/// Numbers of pauses, by `sun.gc.collector.N.invocations`. In JDK 11 to 25: 0 young, 1 full, 2 pauses of concurrent
/// cycles (of major collections in generational ZGC). Shenandoah's say something else, which is not needed.
pub(crate) struct GcCounters([Option<Counted>; 3]);

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

impl GcCounters {
    /// The counters of this VM; `None` if it keeps none.
    pub(crate) fn find() -> Option<Self> {
        let data = PerfData::find()?;
        let counted = |number| {
            let counter = data.counter(&format!("sun.gc.collector.{number}.invocations"))?;
            Some(Counted { counter, seen: AtomicI64::new(counter.get()) })
        };
        Some(Self([0, 1, 2].map(counted)))
    }

    /// What the pause did that ends now. Called at the end of each, once; neither blocks nor calls the JVM.
    pub(crate) fn kind(&self) -> GcKind {
        let [young, full, concurrent] =
            [0, 1, 2].map(|at: usize| self.0[at].as_ref().is_some_and(Counted::moved));
        match (full, concurrent, young) {
            // A young collection that gave up is finished by a full one in the same pause.
            (true, _, _) => GcKind::Full,
            (_, true, _) => GcKind::ConcurrentPause,
            (_, _, true) => GcKind::Young,
            _ => GcKind::Unknown,
        }
    }
}

/// The collector's name as `JvmInfo::gc` has it; empty if not known. `jdk`: the specification's version.
pub(crate) fn collector_name(jni: Jni<'_>, jdk: &str) -> String {
    let Some(management) = Management::find() else { return name_by_counters().unwrap_or_default().into() };
    let on = |flag| management.flag(jni, flag) == Some(true);
    let name = [
        (c"UseG1GC", "G1"),
        (c"UseParallelGC", "Parallel"),
        (c"UseSerialGC", "Serial"),
        (c"UseZGC", "ZGC"),
        (c"UseShenandoahGC", "Shenandoah"),
        (c"UseEpsilonGC", "Epsilon"),
    ]
    .into_iter()
    .find_map(|(flag, name)| on(flag).then_some(name))
    .unwrap_or_default();
    let generational = match name {
        "ZGC" => is_only_generational(jdk) || on(c"ZGenerational"),
        "Shenandoah" => is_shenandoah_generational(),
        _ => false,
    };
    if generational { format!("{name} (generational)") } else { name.into() }
}

/// By the name of the first counter, where the VM does not show its flags (JDK 26 on).
fn name_by_counters() -> Option<&'static str> {
    let data = PerfData::find()?;
    let names: String =
        [0, 2].map(|at| data.text(&format!("sun.gc.collector.{at}.name")).unwrap_or_default()).concat();
    let known = [
        ("G1 ", "G1"),
        ("Parallel ", "Parallel"),
        ("Serial ", "Serial"),
        ("ZGC minor", "ZGC (generational)"),
        ("Shenandoah", if is_shenandoah_generational() { "Shenandoah (generational)" } else { "Shenandoah" }),
    ];
    known.into_iter().find_map(|(begin, name)| names.starts_with(begin).then_some(name))
}

/// From JDK 24 on, ZGC is always generational and has no flag for it.
fn is_only_generational(jdk: &str) -> bool {
    jdk.parse::<u32>().is_ok_and(|jdk| jdk >= 24)
}

fn is_shenandoah_generational() -> bool {
    let arguments = PerfData::find().and_then(|data| data.text("java.rt.vmArgs")).unwrap_or_default();
    arguments.contains("ShenandoahGCMode=generational")
}
