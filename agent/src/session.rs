//! One profiling session: adds up births and deaths, and says what changed. Who reads that is not its business.

use std::time::{Duration, Instant};

use mayfly_collector::{ClassTotal, Collector, Ledger, References, SiteRows};
use mayfly_jvmti::{Jni, WeakNumbers};
use mayfly_profile::{Following, Progress, RunInfo, Trust, Update};
use std::sync::Arc;

use crate::engine::Engine;
use crate::exports::weak_numbers;
use crate::stream::Stream;
use crate::trust;

/// Least time between two readings of all threads' allocation counters for the byte clock.
const CORRECTION_STEP: Duration = Duration::from_millis(50);

/// Everything that one thread at a time adds up.
pub(crate) struct Session {
    ledger: Ledger,
    stream: Stream,
    rows: SiteRows,
    profiled: Stopwatch,
    sweeping: Sweeping,
    resets: u32,
    /// When the byte clock was last set to the JVM's count.
    corrected: Option<Instant>,
}

/// How far a session has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Time for which profiling was on, since the start or the last reset.
    pub(crate) profiled: Duration,
    /// Resets so far.
    pub(crate) resets: u32,
}

/// Time that sweeps took.
#[derive(Default)]
struct Sweeping {
    total: Duration,
    longest: Duration,
}

impl Sweeping {
    fn add(&mut self, sweep: Duration) {
        self.total += sweep;
        self.longest = self.longest.max(sweep);
    }

    fn beside(&self, following: Following) -> Following {
        let ms = |time: Duration| time.as_millis() as u64;
        Following { sweep_ms: ms(self.total), longest_sweep_ms: ms(self.longest), ..following }
    }
}

/// Weak references as the ledger asks after them.
struct JvmReferences<'call>(WeakNumbers<'call>);

impl References for JvmReferences<'_> {
    fn is_cleared(&mut self, reference: u64) -> bool {
        self.0.is_cleared(reference)
    }

    fn release(&mut self, reference: u64) {
        self.0.release(reference);
    }
}

impl Session {
    /// A session of such a run: its stream begins with [`Update::Start`], which is the caller's to send.
    pub(crate) fn new(engine: &Engine, run: &RunInfo) -> Self {
        let ledger = Ledger::new(
            run.buckets.clone(),
            run.tracking,
            run.lifetimes,
            Collector::of(run.jvm.gc),
            Arc::clone(&engine.budget),
            Arc::clone(&engine.clock),
        );
        Self {
            ledger,
            stream: Stream::default(),
            rows: SiteRows::new(engine.options.view.detailed_trace),
            profiled: Stopwatch::default(),
            sweeping: Sweeping::default(),
            resets: 0,
            corrected: None,
        }
    }

    /// Profiling goes on, or is paused.
    pub(crate) fn time_runs(&mut self, on: bool) {
        self.profiled.run(on);
    }

    /// Takes over what threads have tracked.
    pub(crate) fn absorb(&mut self, engine: &Engine) {
        self.ledger.absorb(&engine.nurseries, &engine.sites);
    }

    /// Takes over what threads have tracked, and books the deaths up to the last collection.
    pub(crate) fn collect(&mut self, engine: &Engine, jni: Jni<'_>) {
        self.absorb(engine);
        if engine.options.lifetimes() {
            self.ledger.note_collections();
            self.correct_byte_clock(engine, jni);
            let began = Instant::now();
            self.ledger.sweep(&mut JvmReferences(weak_numbers(engine, jni)), &engine.sites);
            self.sweeping.add(began.elapsed());
        }
    }

    /// Not every allocation moves the byte clock: with filters, only those of tracked objects.
    pub(crate) fn correct_byte_clock(&mut self, engine: &Engine, jni: Jni<'_>) {
        if self.corrected.is_some_and(|at| at.elapsed() < CORRECTION_STEP) {
            return;
        }
        self.corrected = Some(Instant::now());
        if let Some(bytes) = engine.counter.total(engine, jni) {
            engine.clock.correct(bytes);
        }
    }

    /// Forgets everything counted so far, which is an update.
    pub(crate) fn reset(&mut self, engine: &Engine, jni: Jni<'_>) -> Vec<Update> {
        self.ledger.reset(&mut JvmReferences(weak_numbers(engine, jni)), &engine.nurseries);
        engine.slabs.forget_largest(&engine.classes, &engine.places);
        let words = engine.slabs.words(&engine.classes, &engine.places);
        self.stream.reset(words.classes(&engine.classes, &engine.places));
        self.rows.reset(&words, engine.tables());
        if let Some(unseen) = &engine.unseen {
            unseen.reset();
        }
        self.profiled.restart();
        self.resets += 1;
        vec![Update::Reset]
    }

    /// What is new since the last time.
    pub(crate) fn updates(&mut self, engine: &Engine, jni: Jni<'_>) -> Vec<Update> {
        // Totals before names: every class counted in them is then named.
        let words = engine.slabs.words(&engine.classes, &engine.places);
        let totals = words.classes(&engine.classes, &engine.places);
        let executed: Vec<u64> = totals.iter().map(bytes_of).collect();
        let accounted = executed.iter().sum();
        // Sites before names too: rows may be of new ones.
        let sites = match engine.options.trace {
            true if engine.options.counts_places() => {
                self.rows.changed(&words, engine.tables(), &mut self.ledger)
            }
            true => self.ledger.changed_sites(),
            false => Vec::new(),
        };
        let mut updates = self.stream.names(engine);
        let progress = Progress {
            duration_ms: self.profiled.elapsed().as_millis() as u64,
            gcs: engine.clock.gcs(),
            trust: Trust {
                following: self.sweeping.beside(self.ledger.following()),
                ..trust::assess(engine, jni, accounted, engine.control.own_cpu())
            },
            classes: self.stream.class_counts(&totals, &mut self.ledger),
            sites,
            estimates: engine
                .unseen
                .as_ref()
                .map(|unseen| unseen.changed(engine, &executed))
                .unwrap_or_default(),
        };
        updates.push(Update::Progress(Box::new(progress)));
        updates
    }

    /// How far it has come.
    pub(crate) fn reached(&self) -> Reached {
        Reached { profiled: self.profiled.elapsed(), resets: self.resets }
    }
}

fn bytes_of(total: &ClassTotal) -> u64 {
    total.counted.bytes + total.below.bytes
}

/// Time during which profiling was on.
#[derive(Debug, Default)]
struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    fn run(&mut self, on: bool) {
        self.before = self.elapsed();
        self.since = on.then(Instant::now);
    }

    fn restart(&mut self) {
        self.before = Duration::ZERO;
        self.since = self.since.map(|_| Instant::now());
    }

    fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}
