//! Which collector the JVM has, and what that means for who looks at objects.
//!
//! Not here: what each of its pauses did (`gc_kinds`), and what that proves (`mayfly-tracking`, `history`).

use mayfly_jvmti::{Jni, Management, PerfData};
use mayfly_profile::Gc;

use super::release::{
    COLLECTOR_COUNTER_NAMES, COLLECTOR_FLAGS, FIRST_WITH_ONLY_GENERATIONAL_ZGC, GENERATIONAL_ZGC_FLAG,
    SHENANDOAH_MODE,
};

/// The collector of a JVM of that release.
pub(super) fn collector(jni: Jni<'_>, jdk: u32) -> Gc {
    let Some(management) = Management::find() else { return by_counters() };
    let on = |flag| management.flag(jni, flag) == Some(true);
    let chosen = COLLECTOR_FLAGS.into_iter().find_map(|(flag, gc)| on(flag).then_some(gc));
    match chosen.unwrap_or_default() {
        Gc::Zgc if jdk >= FIRST_WITH_ONLY_GENERATIONAL_ZGC || on(GENERATIONAL_ZGC_FLAG) => {
            Gc::GenerationalZgc
        }
        Gc::Shenandoah => shenandoah(management.text(jni, SHENANDOAH_MODE)),
        gc => gc,
    }
}

/// By the names of its counters, where the VM does not show its flags.
fn by_counters() -> Gc {
    let Some(data) = PerfData::find() else { return Gc::Unknown };
    let names: String =
        [0, 2].map(|at| data.text(&format!("sun.gc.collector.{at}.name")).unwrap_or_default()).concat();
    let known = COLLECTOR_COUNTER_NAMES.into_iter().find(|(begin, _)| names.starts_with(begin));
    known.map(|(_, gc)| gc).unwrap_or_default()
}

fn shenandoah(mode: Option<String>) -> Gc {
    if mode.as_deref() == Some("generational") { Gc::GenerationalShenandoah } else { Gc::Shenandoah }
}

/// Whether weak references that it clears are null when its pause ends, to whoever reads their slot. Of one that is not
/// known, nobody says so.
pub(crate) fn clears_slots_in_its_pause(gc: Gc) -> bool {
    matches!(gc, Gc::Serial | Gc::Parallel | Gc::G1)
}

/// Whether young collections keep all that weak references are on.
pub(crate) fn keeps_young_tracked_objects(gc: Gc) -> bool {
    gc == Gc::GenerationalZgc
}

/// Whether it collects without threads of its own beside the program: then it can be asked to until the very end.
pub(crate) fn stops_the_world(gc: Gc) -> bool {
    matches!(gc, Gc::Serial | Gc::Parallel | Gc::G1 | Gc::Epsilon)
}
