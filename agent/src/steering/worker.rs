//! The agent's own thread: sweeps after each collection, publishes, forces collections and reports when due.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use mayfly_jvmti::Jni;

use super::collecting::{collect_if_due, force_gc};
use super::control::{publish, report, reset};
use super::end::{end_early, stop};
use super::outside::Outside;
use super::profiler::{Begun, Profiler, switch_off};
use crate::conduct::faults;
use crate::conduct::notice::say;
use crate::conduct::own_threads::exclude_this_thread;
use crate::options::Resets;
use crate::tracking::forget_unloaded;

/// How often the recording, and those who watch, are brought up to date.
const FOLLOWED_STEP: Duration = Duration::from_secs(1);
/// The same for the first time; each following step takes twice as long: a JVM may be killed in its first second.
const FIRST_STEP: Duration = Duration::from_millis(50);
/// How often stacks without lifetimes are taken over: nothing else would empty the nurseries.
const STACKS_STEP: Duration = Duration::from_millis(100);

/// How often bytes that move the byte clock late are looked for.
const PRECISION_STEP: Duration = Duration::from_millis(50);

/// Starts the thread, and waits until the JVM knows it: what attaching allocates is not counted then.
pub(super) fn start(profiler: &Arc<Profiler>) {
    profiler.output.start();
    let profiler = Arc::clone(profiler);
    let (ready, attached) = mpsc::channel();
    let spawned = thread::Builder::new().name("mayfly".into()).spawn(move || {
        exclude_this_thread();
        let Some(thread) = profiler.target.vm.attach_daemon("mayfly") else { return };
        profiler.worker.is_attached();
        let _ = ready.send(());
        let worker = std::panic::AssertUnwindSafe(|| Worker::new(&profiler, thread.jni()).run());
        if std::panic::catch_unwind(worker).is_err() {
            switch_off();
        }
        end_early(&profiler, thread.jni());
        profiler.worker.leave(profiler.target.is_running(), || thread.detach(profiler.target.vm));
    });
    match spawned {
        Ok(_) => drop(attached.recv()),
        Err(error) => {
            say(&format!(
                "cannot start a thread ({error}): there will be no live output, and lifetimes only at the end"
            ));
        }
    }
}

struct Worker<'call> {
    profiler: &'call Profiler,
    jni: Jni<'call>,
    cpu: ThreadTime,
    followed: Timer,
    /// How long the next such step takes.
    followed_step: Duration,
    stacks: Timer,
    live: Timer,
    gc: Timer,
    periodic: Timer,
    precision: Timer,
    stop: Timer,
    resets: Resets,
}

impl<'call> Worker<'call> {
    fn new(profiler: &'call Profiler, jni: Jni<'call>) -> Self {
        let (options, plan) = (&profiler.options, &profiler.shared.plan);
        let only_stacks = plan.stacks.are_taken() && !plan.lifetimes;
        Self {
            profiler,
            jni,
            cpu: ThreadTime::now(),
            followed: Timer::every(None),
            followed_step: FIRST_STEP,
            stacks: Timer::every(only_stacks.then_some(STACKS_STEP)),
            live: Timer::every(profiler.output.live_every()),
            gc: Timer::every(options.gc_every),
            periodic: Timer::every(options.periodic.map(|periodic| periodic.every)),
            precision: Timer::every(options.gc_every_bytes.map(|_| PRECISION_STEP)),
            stop: Timer::every(match profiler.begun {
                Begun::Attached { stop_after, .. } => stop_after,
                Begun::AtLaunch => None,
            }),
            resets: options.periodic.map_or(Resets::Never, |periodic| periodic.resets),
        }
    }

    fn run(mut self) {
        while !self.profiler.is_finished() {
            self.followed.runs(self.profiler.output.is_followed(), self.followed_step);
            match self.next_due() {
                Some(due) => thread::park_timeout(due.saturating_duration_since(Instant::now())),
                None => thread::park(),
            }
            self.profiler.set_own_cpu(self.cpu.elapsed());
            if self.profiler.is_finished() {
                break;
            }
            self.step();
        }
    }

    fn next_due(&self) -> Option<Instant> {
        [&self.followed, &self.stacks, &self.live, &self.gc, &self.periodic, &self.precision, &self.stop]
            .into_iter()
            .filter_map(|timer| timer.due)
            .min()
    }

    fn step(&mut self) {
        let (profiler, jni) = (self.profiler, self.jni);
        if self.stop.is_due() {
            return stop(profiler, jni);
        }
        if self.gc.is_due() && profiler.is_active() {
            force_gc(profiler);
        }
        if self.precision.is_due() && profiler.is_active() {
            if let Some(session) = profiler.session.lock().as_mut() {
                session.correct_byte_clock(&Outside::of(profiler, jni));
            }
            collect_if_due(profiler, jni);
        }
        if self.add_up() {
            profiler.output.show();
        }
        if self.periodic.is_due() && profiler.is_active() {
            report(profiler, jni, "Periodic output");
            self.reset_if_asked();
        }
    }

    /// Sweeps if there was a collection, and publishes if somebody waits for it. Whether a live block is due.
    fn add_up(&mut self) -> bool {
        let (profiler, jni) = (self.profiler, self.jni);
        let mut session = profiler.session.lock();
        let Some(session) = session.as_mut() else { return false };
        profiler.look_for_tracer();
        let references = &mut profiler.shared.references.handles(jni);
        let swept = session.catch_up(references, &Outside::of(profiler, jni));
        if swept {
            faults::point("worker");
        }
        if !swept && self.stacks.is_due() {
            session.absorb();
        }
        profiler.census.say_if_ended();
        session.note_collections(profiler.target.take_collections(), &Outside::of(profiler, jni));
        // No block once the JVM ends: it would show how fast that allocates.
        let (record, show) = (self.is_followed_now(swept), self.live.is_due() && !profiler.is_ending());
        if record || show {
            publish(profiler, jni, session);
        }
        let has_method = |method| profiler.target.jvmti.has_method(method);
        forget_unloaded(&profiler.shared, &has_method);
        profiler.engine.forget_unloaded(&has_method);
        show
    }

    /// Whether those who follow are told now: at each step, and at the first collection if that comes before the first one.
    fn is_followed_now(&mut self, swept: bool) -> bool {
        let is_first = self.followed_step == FIRST_STEP && self.profiler.output.is_followed();
        let now = self.followed.is_due() || is_first && swept;
        if now {
            self.followed_step = (self.followed_step * 2).min(FOLLOWED_STEP);
        }
        now
    }

    fn reset_if_asked(&mut self) {
        match self.resets {
            Resets::Never => return,
            Resets::Always => {}
            Resets::First(left) => {
                self.resets = if left > 1 { Resets::First(left - 1) } else { Resets::Never };
            }
        }
        reset(self.profiler, self.jni);
    }
}

/// Something done at regular intervals, or never.
struct Timer {
    every: Duration,
    due: Option<Instant>,
}

impl Timer {
    fn every(interval: Option<Duration>) -> Self {
        let every = interval.unwrap_or_default();
        Self { every, due: interval.map(|every| Instant::now() + every) }
    }

    /// Has it run, or not. One that runs already goes on as it is.
    fn runs(&mut self, on: bool, every: Duration) {
        self.every = every;
        self.due = on.then(|| self.due.unwrap_or_else(|| Instant::now() + every));
    }

    /// Whether it is time; the next time is then an interval from now, missed ones are not made up for.
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            self.due = Some(now + self.every);
        }
        is_due
    }
}
