//! One profiling session: adds up births and deaths, and says what changed to console, report and recording.

use std::time::{Duration, Instant};

use mayfly_collector::{ClassTotal, Collector, Ledger, References, SiteRows};
use mayfly_jvmti::{Jni, WeakNumbers};
use mayfly_profile::{Following, Profile, ProfileBuilder, Progress, RunInfo, Trust, Update};
use mayfly_recording::RecordingWriter;
use mayfly_report::{LiveOptions, TextOptions};
use std::sync::Arc;

use crate::engine::Engine;
use crate::exports::weak_numbers;
use crate::notice::say;
use crate::sinks;
use crate::stream::Stream;
use crate::trust;

/// Where all rows are to be had if nothing is recorded.
const ALL_ROWS: &str =
    "#output-DIR writes it to DIR/mayfly.log, #outputlimit-N here, #recording-FILE keeps it";

/// Least time between two readings of all threads' allocation counters for the byte clock.
const CORRECTION_STEP: Duration = Duration::from_millis(50);

/// Everything that one thread at a time adds up.
pub(crate) struct Session {
    ledger: Ledger,
    stream: Stream,
    rows: SiteRows,
    builder: ProfileBuilder,
    recording: RecordingWriter,
    /// The profile that the console showed last.
    shown: Option<Profile>,
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
    pub(crate) fn new(engine: &Engine, run: RunInfo) -> Self {
        let ledger = Ledger::new(
            run.buckets.clone(),
            run.tracking,
            run.lifetimes,
            Collector::of_name(&run.jvm.gc),
            Arc::clone(&engine.budget),
            Arc::clone(&engine.clock),
        );
        let mut session = Self {
            ledger,
            stream: Stream::default(),
            rows: SiteRows::new(engine.options.detailed_trace),
            builder: ProfileBuilder::new(),
            recording: RecordingWriter::new(),
            shown: None,
            profiled: Stopwatch::default(),
            sweeping: Sweeping::default(),
            resets: 0,
            corrected: None,
        };
        session.tell(engine, vec![Update::Start(run)]);
        session
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

    /// Forgets everything counted so far.
    pub(crate) fn reset(&mut self, engine: &Engine, jni: Jni<'_>) {
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
        self.tell(engine, vec![Update::Reset]);
    }

    /// Says what is new since the last time.
    pub(crate) fn publish(&mut self, engine: &Engine, jni: Jni<'_>) {
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
            estimates: engine.unseen.as_ref().map(|unseen| unseen.changed(&executed)).unwrap_or_default(),
        };
        updates.push(Update::Progress(Box::new(progress)));
        self.tell(engine, updates);
    }

    /// Writes a report of what was published: in full into a file or if rows are limited, else on one screen.
    pub(crate) fn report(&self, engine: &Engine, reason: &str) {
        let options = &engine.options;
        let text_options = TextOptions {
            timestamp: Some(sinks::date()),
            reason: reason.into(),
            output_limit: options.output_limit,
            filter: engine.filter.clone(),
            min_size: options.larger_than,
            blame: options.blame,
            trace_ignore: options.trace_ignore.clone(),
            trace_target: options.trace_target.clone(),
        };
        let profile = self.builder.profile();
        let full = options.output_dir.is_some() || options.output_limit.is_some();
        engine.sinks.report(if full {
            mayfly_report::post_run(&profile, &text_options)
        } else {
            let all_rows = match engine.sinks.recording() {
                Some(path) => format!("mayfly report --full {}", path.display()),
                None => ALL_ROWS.to_owned(),
            };
            mayfly_report::overview(&profile, &text_options, sinks::report_columns(), &all_rows)
        });
    }

    /// The profile as of what was published last.
    pub(crate) fn profile(&self) -> Profile {
        self.builder.profile()
    }

    /// How far it has come.
    pub(crate) fn reached(&self) -> Reached {
        Reached { profiled: self.profiled.elapsed(), resets: self.resets }
    }

    /// Draws the live histogram of what was published.
    pub(crate) fn show(&mut self, engine: &Engine) {
        let profile = self.builder.profile_without_sites();
        let profile = profile.filtered(&engine.filter).with_objects_of_at_least(engine.options.larger_than);
        let (width, height) = sinks::console_size();
        let rows = height.saturating_sub(profile.run.buckets.len() + 12).clamp(3, 12);
        let options = LiveOptions { width, rows, ..LiveOptions::default() };
        engine.sinks.live(mayfly_report::live(&profile, self.shown.as_ref(), &options));
        self.shown = Some(profile);
    }

    /// The last words; `reason` is what ended it.
    pub(crate) fn end(&mut self, engine: &Engine, jni: Jni<'_>, reason: &str) {
        self.publish(engine, jni);
        self.tell(engine, vec![Update::End]);
        if engine.sinks.live_every().is_some() {
            self.show(engine);
        }
        self.report(engine, reason);
    }

    /// Passes updates to the profile that reports are made of, and to the recording.
    fn tell(&mut self, engine: &Engine, updates: Vec<Update>) {
        let mut bytes = Vec::new();
        for update in updates {
            if engine.sinks.records() {
                match self.recording.encode(&update) {
                    Ok(mut frame) => bytes.append(&mut frame),
                    Err(error) => say(&error.to_string()),
                }
            }
            if let Err(error) = self.builder.apply(update) {
                say(&format!("{error}; this is a fault of Mayfly, please report it"));
            }
        }
        if !bytes.is_empty() {
            engine.sinks.record(bytes);
        }
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
