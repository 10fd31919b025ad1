//! What the JVM's sampler reports: who made what no hook sees, and with `#sample` the objects to follow.

use std::time::Instant;

use mayfly_jvmti::{Capabilities, Event, Jni, JvmtiEnv, JvmtiError, SampledAllocation};
use mayfly_profile::{Estimate, Tracking};

use super::allocations::{register, shape_of};
use super::following::{SampledObject, follow_in_scope, follow_sampled};
use super::hooks::Hooks;
use super::state::Exact;
use super::thread::with_this_thread;
use super::unseen::Unseen;
use crate::conduct::notice::say;
use crate::conduct::own_threads;
use crate::plan::{Plan, SampleRate};
use crate::target_jvm::{Picked, note_sample, renew_buffer, set_sampling_interval};
use crate::tracking::{Followed, Rate, Stacks};

/// Mean bytes between two samples where the user asks for none: what is not seen is estimated to some per cent, at a
/// cost that can't be measured.
const DEFAULT_INTERVAL: u64 = 512 << 10;
/// In a balanced session the sample chooses objects of frequent classes: 2,000 of them per second where 250 MB/s are allocated. Where less is,
/// samples are so much nearer, as long as they are no more than that a second: of a service's buffers there would be hardly any that stay.
const BALANCED_INTERVAL: u64 = 128 << 10;
const BALANCED_DENSEST: u64 = 16 << 10;
const BALANCED_RATE: SampleRate = SampleRate { paid: 100, cheap: 500 };
/// Where every object is tracked: a sample costs next to nothing beside them, and a third of the error is left.
const TRACKING_INTERVAL: u64 = 64 << 10;

/// The first samples are so far apart, and so many: of what a short program's JVM makes itself there would be none otherwise.
const OPENING_INTERVAL: u64 = 16 << 10;
const OPENING: u64 = 512;
/// So many where each is followed, with its stack: while all code is cold that is dear.
const OPENING_FOLLOWED: u64 = 128;
/// With a rate, samples of hot programs are no further apart than this: it costs little.
const SPARSEST: u64 = 512 << 10;

/// What of the JVM is held with its sampler.
pub(super) const SAMPLING: Capabilities = Capabilities {
    sampled_allocations: true,
    bytecodes: true,
    early_class_hooks: false,
    retransformation: false,
    gc_events: false,
    sources: false,
    heap_exhaustion: false,
};

/// The JVM's sampler tells what the hooks don't see. It is one agent's at a time; without it nothing but `#sample` fails.
///
/// # Errors
/// The JVM refuses it, and the plan needs it.
pub(crate) fn ask_for_sampler(jvmti: &JvmtiEnv, plan: &Plan) -> Result<Option<Unseen>, JvmtiError> {
    let rate = rate(plan);
    // The interval is set now: a thread draws its first sample when it starts, the main thread before VMInit.
    let set = || set_sampling_interval(jvmti, rate.interval());
    match jvmti.add_capabilities(SAMPLING).and_then(|()| set()) {
        Ok(()) => Ok(Some(Unseen::new(rate))),
        Err(error) if follows_a_sample(plan) => Err(error),
        Err(_) => Ok(None),
    }
}

/// How densely the JVM is to sample.
fn rate(plan: &Plan) -> Rate {
    let (limit, sparsest) = match plan.tracking {
        Tracking::Balanced => (Some(BALANCED_RATE), BALANCED_INTERVAL),
        _ => (plan.sample_rate, SPARSEST),
    };
    let rate = Rate::new(interval(plan), limit).up_to(sparsest);
    let rate = if limit.is_some() { rate.begun_at_largest() } else { rate };
    match plan.tracking {
        Tracking::Balanced => rate,
        Tracking::ByteSample(interval) => {
            rate.begun_densely(OPENING_FOLLOWED, OPENING_INTERVAL.max(interval))
        }
        Tracking::Off | Tracking::EveryObject | Tracking::EveryNth(_) => {
            rate.begun_densely(OPENING, OPENING_INTERVAL)
        }
    }
}

/// Mean bytes between two samples, at the densest.
fn interval(plan: &Plan) -> u64 {
    match plan.tracking {
        Tracking::ByteSample(interval) => interval,
        Tracking::Balanced => BALANCED_DENSEST,
        _ if plan.lifetimes => TRACKING_INTERVAL,
        _ => DEFAULT_INTERVAL,
    }
}

/// Whether the JVM's samples are what is followed.
fn follows_a_sample(plan: &Plan) -> bool {
    matches!(plan.tracking, Tracking::ByteSample(_))
}

/// Lets the sampler report, if it is ours.
pub(super) fn start(exact: &Exact, jni: Jni<'_>) {
    let Some(unseen) = &exact.unseen else { return };
    unseen.begin(exact.target, jni);
    match exact.target.jvmti.enable(Event::SampledObjectAlloc) {
        Ok(()) if follows_a_sample(&exact.shared.plan) => renew_buffer(jni),
        Ok(()) => {}
        Err(error) => say(&format!(
            "the JVM does not sample allocations ({error}): what is not counted will not be estimated, and #sample has no \
             lifetimes; use #trackcollections instead"
        )),
    }
}

/// Takes an allocation that the JVM's sampler picked.
pub(super) fn sampled(exact: &Exact, jni: Jni<'_>, sample: SampledAllocation<'_>) {
    let picked = note_sample();
    let Some(unseen) = &exact.unseen else { return };
    let began = Instant::now();
    take(exact, unseen, jni, sample, picked);
    // Can't fail while the capability is ours.
    let set = |interval| set_sampling_interval(&exact.target.jvmti, interval);
    let _ = unseen.paced(began, Instant::now()).map(set);
}

fn take(exact: &Exact, unseen: &Unseen, jni: Jni<'_>, sample: SampledAllocation<'_>, picked: Picked) {
    let Some(drawn) = unseen.draw(jni, sample, exact.shared.clock.gcs(), picked) else { return };
    let Some(hooks) = exact.hooks_in_use() else { return };
    let shared = &*exact.shared;
    if !shared.switches.is_active() || own_threads::is_own() {
        return;
    }
    let Some(cell) = cell_of(exact, jni, hooks, sample) else { return };
    let Some(class) = shared.classes.at_cell(cell) else { return };
    let name = shared.classes.name(class).unwrap_or_default();
    unseen.take(&exact.target.jvmti, jni, (class, name), &drawn);
    let (object, size, interval) = (sample.object, sample.size, drawn.interval);
    let picked = SampledObject { class, cell, object, size, interval };
    let is_fair = || drawn.is_fair(fastrand::f64());
    match shared.plan.tracking {
        Tracking::ByteSample(asked) if is_fair() => {
            follow(exact, jni, sample, cell, asked, interval);
            follow_in_scope(exact, jni, hooks, &picked);
        }
        Tracking::Balanced if is_fair() => follow_sampled(exact, jni, hooks, &picked),
        _ => {}
    }
}

/// Follows an object of a byte sample of this interval, which was drawn at this one.
fn follow(
    exact: &Exact,
    jni: Jni<'_>,
    sample: SampledAllocation<'_>,
    cell: u32,
    interval: u64,
    drawn_at: u64,
) {
    let shared = &*exact.shared;
    with_this_thread(shared, |thread| {
        let Some(class) = thread.class(shared, (None, cell)) else { return };
        let name = shared.classes.name(class.id).unwrap_or_default();
        let filter = &shared.plan.filter;
        if filter.admits_size(sample.size) && filter.admits(name) {
            let bytes = Estimate::of_sample(sample.size, drawn_at).bytes();
            let beyond = beyond_log2(sample.size, (interval, drawn_at), fastrand::f64());
            let trace = shared.traces.of_this_thread(&exact.target.jvmti, jni, false);
            let followed = Followed { object: sample.object, size: sample.size, bytes, entry: None, trace };
            // The JVM samples nothing while a virtual thread is being mounted or unmounted.
            let stacks = Stacks { shared, jvmti: &exact.target.jvmti, jni };
            thread.add(stacks, class, followed, false, beyond);
        }
    });
}

/// Log2 of how many times more objects one stands for that was drawn at a larger interval than was asked for: one of the two whole
/// numbers next to it, which `random`, from 0 to below 1, decides, so that it is right on average.
fn beyond_log2(size: u64, (asked, drawn_at): (u64, u64), random: f64) -> u32 {
    if drawn_at <= asked {
        return 0;
    }
    let times =
        Estimate::probability(size, asked) / Estimate::probability(size, drawn_at).max(f64::MIN_POSITIVE);
    let log2 = times.max(1.0).log2().floor();
    log2 as u32 + u32::from(random < times / log2.exp2() - 1.0)
}

fn cell_of(exact: &Exact, jni: Jni<'_>, hooks: &Hooks, sample: SampledAllocation<'_>) -> Option<u32> {
    match hooks.cell.get(jni, sample.class) {
        0 => {
            let shape = shape_of(exact, sample.class, || Some(sample.size))?;
            register(exact, jni, hooks, sample.class, shape).map(|registered| registered.cell)
        }
        cell => Some(cell as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_at_a_larger_interval_stands_for_more_and_right_on_average() {
        const ROUNDS: u32 = 10_000;
        for size in [16, 1 << 15, 1 << 20] {
            let at = |round| beyond_log2(size, (32 << 10, 192 << 10), f64::from(round) / f64::from(ROUNDS));
            let sum: u64 = (0..ROUNDS).map(|round| 1 << at(round)).sum();
            let mean = sum as f64 / f64::from(ROUNDS);
            let p = |interval| Estimate::probability(size, interval);
            let right = p(32 << 10) / p(192 << 10);
            assert!((mean / right - 1.0).abs() < 0.01, "{size}: {mean}, not {right}");
        }
        assert_eq!(beyond_log2(16, (1 << 10, 1 << 10), 0.99), 0);
    }
}
