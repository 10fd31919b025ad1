//! What one sample stands for: as many objects as one over the probability with which this JVM's sampler picked it.

use std::sync::OnceLock;

use mayfly_jvmti::{BufferLayout, Jni, SampledAllocation};
use mayfly_profile::Estimate;

use super::drawing::Drawing;
use super::gap::{Gap, Stand};
use crate::target_jvm::release::{FIRST_WITH_EXACT_SAMPLER, LAST_WITH_SHORTENED_DRAWS};
use crate::target_jvm::{Picked, Target};

/// A sample, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    pub(crate) size: u64,
    pub(crate) estimate: Estimate,
    /// Mean bytes between samples when it was drawn.
    pub(crate) interval: u64,
    /// Whether it was allocated outside of its thread's buffer.
    pub(crate) is_outside: bool,
    /// Since the last sample of its thread; `None`: it is the first, or the JVM needs no correction.
    pub(crate) gap: Option<Gap>,
}

impl Drawn {
    /// Whether it is to be followed. One of those that this JVM picks too often is passed over as often: each that is followed then
    /// stands for one over the probability with which a sampler should pick it. `random`: from 0 to below 1.
    pub(crate) fn is_fair(&self, random: f64) -> bool {
        let plain = Estimate::of_sample(self.size, self.interval);
        random * plain.unrounded_bytes() < self.estimate.unrounded_bytes()
    }
}

/// The last sample of a thread, after which the JVM has drawn the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    stand: Option<Stand>,
    size: u64,
}

/// How this JVM draws.
#[derive(Default)]
pub(crate) struct Draws {
    /// Where to find what a thread allocated, if that is needed and can be had.
    layout: OnceLock<Option<BufferLayout>>,
    /// JDK 11: a draw is shortened by the last sample, and the first object of a thread is always picked.
    is_shortened: bool,
}

impl Draws {
    /// On this JVM.
    pub(crate) fn of(jdk: u32) -> Self {
        Self { layout: OnceLock::new(), is_shortened: jdk <= LAST_WITH_SHORTENED_DRAWS }
    }

    /// The same for a reader that asks for no gaps: they are looked for only where draws follow from them.
    pub(crate) fn without_gaps(target: &Target, jni: Jni<'_>) -> Self {
        let draws = Self::of(target.jdk);
        if draws.is_shortened {
            draws.find(target, jni);
        }
        draws
    }

    /// Looks for what threads allocated, on a thread that the JVM knows.
    pub(crate) fn find(&self, target: &Target, jni: Jni<'_>) {
        self.layout.get_or_init(|| {
            let thread =
                (target.jdk < FIRST_WITH_EXACT_SAMPLER).then(|| target.jvmti.current_thread(jni))??;
            let layout = BufferLayout::find(jni, thread);
            jni.forget(thread.as_object());
            layout
        });
    }

    /// How far its samples are off.
    pub(crate) fn drawing(&self, jdk: u32) -> Drawing {
        match self.layout.get().copied().flatten() {
            _ if jdk >= FIRST_WITH_EXACT_SAMPLER => Drawing::Exact,
            Some(_) => Drawing::Corrected,
            None => Drawing::Unknown,
        }
    }

    /// What a sample stands for.
    pub(crate) fn take(
        &self,
        jni: Jni<'_>,
        sample: SampledAllocation<'_>,
        last: &mut Option<Last>,
        gcs: u32,
        picked: Picked,
    ) -> Drawn {
        let size = sample.size;
        let stand = self.stand(jni, gcs);
        let is_outside = stand.is_some_and(|stand| is_outside(&stand, sample));
        let before = last.replace(Last { stand, size });
        let gap = before.as_ref().and_then(|last| last.stand).zip(stand);
        let gap = gap.map(|(before, now)| Gap::between(&before, &now, size, is_outside));
        let drawn_at = picked.drawn_at;
        let estimate = match (self.is_shortened, before, gap) {
            (true, None, _) if picked.is_new => Estimate::of_sample(size, 0),
            (true, Some(last), Some(gap)) => {
                let since = gap.bytes().saturating_sub(size);
                Estimate::of_probability(size, shortened(last.size, since, size, drawn_at))
            }
            _ => Estimate::of_sample(size, drawn_at),
        };
        Drawn { size, estimate, interval: drawn_at, is_outside, gap }
    }

    /// Read twice: a collection may come between.
    fn stand(&self, jni: Jni<'_>, gcs: u32) -> Option<Stand> {
        let layout = self.layout.get()?.as_ref()?;
        let buffer = layout.of_this_thread(jni);
        (layout.of_this_thread(jni) == buffer).then_some(Stand { buffer, gcs })
    }
}

/// Without a buffer, what no buffer could hold.
fn is_outside(stand: &Stand, sample: SampledAllocation<'_>) -> bool {
    match stand.buffer.start {
        0 => sample.size > stand.buffer.next_capacity,
        _ => !stand.buffer.ends_with(sample.object, sample.size),
    }
}

/// With what probability an object of `size` bytes is picked that begins `since` bytes after the last sample, of `last` bytes, and
/// none was since: the JVM takes `last` off the distance drawn, if that was larger.
fn shortened(last: u64, since: u64, size: u64, interval: u64) -> f64 {
    let interval = interval.max(1) as f64;
    let beyond = |bytes: u64| (-(bytes as f64) / interval).exp();
    let none_by = |bytes: u64| beyond(last) * beyond(bytes) + (beyond(bytes) - beyond(last)).max(0.0);
    let (before, after) = (none_by(since), none_by(since.saturating_add(size)));
    if before > 0.0 { 1.0 - after / before } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 512 << 10;

    #[test]
    fn far_from_a_large_sample_a_draw_is_as_any_other() {
        let plain = -(-1.0f64 / 4.0).exp_m1();
        for (last, since) in [(16, 1000), (INTERVAL, 3 * INTERVAL)] {
            let p = shortened(last, since, INTERVAL / 4, INTERVAL);
            assert!((p / plain - 1.0).abs() < 1e-3, "{p}, not {plain}");
        }
    }

    /// What JDK 11 picks of objects of these sizes by turns, each with the probability with which it was picked, and a random number.
    fn picked(sizes: &[u64], rounds: u64, rng: &mut fastrand::Rng, mut each: impl FnMut(u64, f64, f64)) {
        let draw = |rng: &mut fastrand::Rng| (-(1.0 - rng.f64()).ln() * INTERVAL as f64) as u64;
        let (mut ahead, mut since, mut last) = (draw(rng), 0, 0);
        for &size in (0..rounds).flat_map(|_| sizes) {
            if ahead > size {
                ahead -= size;
                since += size;
                continue;
            }
            each(size, shortened(last, since, size, INTERVAL), rng.f64());
            let drawn = draw(rng);
            ahead = if drawn > size { drawn - size } else { drawn };
            (since, last) = (0, size);
        }
    }

    #[test]
    fn of_any_size_as_many_are_followed_as_should_be_picked() {
        const ROUNDS: u64 = 400_000;
        let sizes = [INTERVAL / 100, INTERVAL / 8, INTERVAL, INTERVAL * 3 / 2, INTERVAL * 4];
        let mut followed = [0.0; 5];
        let mut all = 0.0;
        picked(&sizes, ROUNDS, &mut fastrand::Rng::with_seed(7), |size, p, random| {
            let estimate = Estimate::of_probability(size, p);
            let drawn = Drawn { size, estimate, interval: INTERVAL, is_outside: false, gap: None };
            let at = sizes.iter().position(|known| *known == size).expect("one of them");
            followed[at] += f64::from(u8::from(drawn.is_fair(random)));
            all += f64::from(u8::from(at == 1));
        });
        for (size, followed) in sizes.into_iter().zip(followed) {
            let p = -(-(size as f64) / INTERVAL as f64).exp_m1();
            let (expected, error) = (ROUNDS as f64 * p, (ROUNDS as f64 * p * (1.0 - p)).sqrt());
            assert!(
                (followed - expected).abs() < 5.0 * error,
                "{size}: {followed}, not {expected} ± {error}"
            );
        }
        assert!(all > 1.01 * ROUNDS as f64 * -(-0.125f64).exp_m1(), "{all}: this JVM picks too many of them");
    }

    #[test]
    fn right_after_a_sample_the_next_is_picked_more_often() {
        let p = shortened(INTERVAL / 2, 0, 16, INTERVAL);
        let more = p / (16.0 / INTERVAL as f64);
        assert!((more - (1.0 + (-0.5f64).exp())).abs() < 1e-3, "{more}");
        let p = shortened(INTERVAL, 0, INTERVAL, INTERVAL);
        // A draw below the interval stays as it is; one above leaves less than another with that probability.
        let (short, long) = (1.0 - (-1.0f64).exp(), (-1.0f64).exp());
        assert!((p - (short + long * short)).abs() < 1e-9, "{p}");
    }
}
