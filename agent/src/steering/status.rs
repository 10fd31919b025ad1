//! What the agent is and does, for who asks from outside. Asks nothing of the JVM.

use mayfly_recording::control::{Profiling, Status};

use super::control::progress;
use super::profiler::Profiler;
use crate::conduct::memory;
use crate::target_jvm::Target;

/// Of an agent in this target, which may profile or not.
pub(crate) fn status(target: &Target) -> Status {
    let profiler = Profiler::get();
    Status {
        mayfly: env!("CARGO_PKG_VERSION").into(),
        loaded: target.loaded,
        options: profiler.as_ref().map_or(&*target.option_text, |it| it.option_text()).to_owned(),
        jvm: target.info(),
        loaded_for_ms: target.loaded_for().as_millis() as u64,
        profiling: profiler.as_deref().and_then(profiling),
    }
}

/// `None` once profiling has ended.
fn profiling(profiler: &Profiler) -> Option<Profiling> {
    let reached = progress(profiler)?;
    let (shared, plan) = (&profiler.shared, &profiler.shared.plan);
    let engines = profiler.engine.native_bytes_now();
    Some(Profiling {
        active: profiler.is_active(),
        engine: Some(profiler.engine.kind()),
        tracking: Some(plan.tracking),
        lifetimes: plan.lifetimes,
        stacks: plan.stacks.are_taken(),
        duration_ms: reached.profiled.as_millis() as u64,
        gcs: shared.clock.gcs(),
        resets: reached.resets,
        native_bytes: memory::allocated() + engines + shared.native_bytes(),
        recording: profiler.output.recording().map(|path| {
            let absolute = std::path::absolute(&path).unwrap_or(path);
            absolute.display().to_string()
        }),
    })
}
