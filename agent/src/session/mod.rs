//! One profiling session: adds up births and deaths, and says what changed. Who counts, who reads that, and how the JVM is
//! asked is not its business: references and totals of the JVM come by interfaces.

mod retained;
mod scopes;
mod sites;
mod stopwatch;
mod stream;
#[cfg(test)]
mod tests;
mod trust;
mod uncounted;

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayfly_profile::{
    ClassId, Collection, Link, LiveCounts, OwnCost, Progress, RetentionCount, RunInfo, Section, Trust, Update,
};

use mayfly_tracking::{ClassTotal, References};

pub(crate) use self::retained::{Grown, Rows};
use self::scopes::ScopeStream;
use self::stopwatch::Stopwatch;
use self::stream::Stream;
use self::trust::Difference;
use self::uncounted::Uncounted;
use crate::conduct::memory;
use crate::engine::{Account, Counting};
use crate::tracking::{Deaths, Shared};

/// Least time between two readings of all threads' allocation counters for the byte clock.
const CORRECTION_STEP: Duration = Duration::from_millis(50);

/// Least time between two steps that tell what became of the objects of each site, and what was counted in each scope: thousands of
/// rows, of which most change from step to step.
const LIFETIMES_STEP: Duration = Duration::from_secs(5);

/// Collections kept until somebody asks for a step: where nobody follows the stream, that may be the end.
const MOST_COLLECTIONS: usize = 2_048;

/// The JVM's own count of allocated bytes. Asking takes a look at each thread.
pub(crate) trait JvmBytes {
    /// By all threads, dead and alive; `None` if the JVM does not count them.
    fn allocated(&self) -> Option<u64>;

    /// By those that virtual threads are or were mounted on.
    fn allocated_on_carriers(&self) -> u64;
}

/// Everything that one thread at a time adds up.
pub(crate) struct Session {
    shared: Arc<Shared>,
    deaths: Deaths,
    stream: Stream,
    scopes: ScopeStream,
    profiled: Stopwatch,
    uncounted: Uncounted,
    resets: u32,
    /// Operations that were told.
    operations: u64,
    /// Collections up to which deaths were booked.
    swept_gcs: u32,
    /// Collections by the moment at which the program's work was over; `None`: it goes on.
    over: Option<u32>,
    /// When the byte clock was last set to the JVM's count.
    corrected: Option<Instant>,
    /// When lifetimes were last told; `None`: the next step tells them.
    lifetimes_sent: Option<Instant>,
    /// How many classes of soft references were sent.
    soft_sent: usize,
    /// Who holds what grows, to be sent.
    retention: Vec<RetentionCount>,
    on_heap: Vec<(ClassId, u64)>,
    /// Not told yet, the newest of them, with their times on the profiler's clock.
    collections: VecDeque<(u64, Collection)>,
    /// Time and bytes of the newest collection that was noted, and told: estimates, of which a later one is no smaller.
    newest: (u64, u64),
}

/// How far a session has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Time for which profiling was on, since the start or the last reset.
    pub(crate) profiled: Duration,
    /// Resets so far.
    pub(crate) resets: u32,
}

impl Session {
    /// A session of such a run: its stream begins with [`Update::Start`], which is the caller's to send. `launched`: the agent was
    /// there from the launch of the JVM on.
    pub(crate) fn new(shared: Arc<Shared>, run: &RunInfo, launched: bool) -> Self {
        Self {
            deaths: Deaths::new(&shared, run),
            shared,
            stream: Stream::default(),
            scopes: ScopeStream::default(),
            profiled: Stopwatch::default(),
            uncounted: Uncounted::new(launched),
            resets: 0,
            operations: 0,
            swept_gcs: 0,
            over: None,
            corrected: None,
            lifetimes_sent: None,
            soft_sent: 0,
            retention: Vec::new(),
            on_heap: Vec::new(),
            collections: VecDeque::new(),
            newest: (0, 0),
        }
    }

    /// Profiling begins, or goes on.
    pub(crate) fn starts(&mut self, jvm: &impl JvmBytes) {
        self.profiled.run(true, self.shared.clock.now_ms());
        self.uncounted.starts(jvm.allocated().unwrap_or(0));
    }

    /// A pause begins: nothing is counted.
    pub(crate) fn stops(&mut self, jvm: &impl JvmBytes) {
        self.uncounted.stops(jvm.allocated().unwrap_or(0));
        self.profiled.run(false, self.shared.clock.now_ms());
    }

    /// Nothing more is counted, though the JVM goes on for a while. Time runs on: objects are still followed.
    pub(crate) fn ends(&mut self, jvm: &impl JvmBytes) {
        self.uncounted.ends(jvm.allocated().unwrap_or(0));
    }

    /// The program's work is over, though its shutdown hooks run: from now on nothing is told but what is known now. What they free
    /// and for how long they run is not the program's work.
    pub(crate) fn is_over(&mut self) {
        self.profiled.run(false, self.shared.clock.now_ms());
        self.over.get_or_insert(self.shared.clock.gcs());
    }

    /// The followed objects of each grower that were not found dead, of one so many at most.
    pub(crate) fn grown(&mut self, growers: &[Rows<'_>], most: usize) -> Vec<Grown> {
        retained::grown(&self.shared, self.deaths.ledger(), growers, most)
    }

    /// What holds so many of a grower's objects. Sent with the next step.
    pub(crate) fn are_held(&mut self, grown: &Grown, looked: u32, path: &[Link]) {
        self.retention.extend(grown.held(looked, path));
    }

    /// So many objects of a grower's class are on the heap. Sent with the next step.
    pub(crate) fn are_on_heap(&mut self, grown: &Grown, objects: u64) {
        let class = grown.class().filter(|class| self.on_heap.iter().all(|(other, _)| other != class));
        self.on_heap.extend(class.map(|class| (class, objects)));
    }

    /// Takes over what threads have tracked.
    pub(crate) fn absorb(&mut self) {
        self.deaths.absorb(&self.shared);
    }

    /// Books the deaths up to the last collection, if one ended since they were booked. Whether one did.
    pub(crate) fn catch_up(&mut self, references: &mut impl References, jvm: &impl JvmBytes) -> bool {
        let is_behind =
            self.over.is_none() && self.shared.clock.gcs() != self.swept_gcs && self.shared.plan.lifetimes;
        if is_behind {
            self.collect(references, jvm);
        }
        is_behind
    }

    /// Takes over what threads have tracked, and books the deaths up to the last collection.
    pub(crate) fn collect(&mut self, references: &mut impl References, jvm: &impl JvmBytes) {
        if self.over.is_some() {
            return;
        }
        self.swept_gcs = self.shared.clock.gcs();
        self.absorb();
        if self.shared.plan.lifetimes {
            self.deaths.note_collections();
            self.correct_byte_clock(jvm);
            self.deaths.sweep(&self.shared, references);
        }
    }

    /// Takes over collections that ended, at times of the profiler's clock. Those that began before the profiled time are left
    /// out; where it stands still, so does theirs.
    pub(crate) fn note_collections(&mut self, ended: Vec<Collection>, jvm: &impl JvmBytes) {
        if ended.is_empty() || self.over.is_some() {
            return;
        }
        self.correct_byte_clock(jvm);
        let (profiled, newest_ms) = (&self.profiled, &mut self.newest.0);
        let noted = ended.into_iter().filter_map(|collection| {
            let at_ms = profiled.at(collection.at_ms)?.max(*newest_ms);
            *newest_ms = at_ms;
            Some((collection.at_ms, Collection { at_ms, ..collection }))
        });
        self.collections.extend(noted);
        let left_out = self.collections.len().saturating_sub(MOST_COLLECTIONS);
        self.collections.drain(..left_out);
    }

    /// Not every allocation moves the byte clock: with filters, only those of tracked objects.
    pub(crate) fn correct_byte_clock(&mut self, jvm: &impl JvmBytes) {
        if self.corrected.is_some_and(|at| at.elapsed() < CORRECTION_STEP) {
            return;
        }
        self.corrected = Some(Instant::now());
        if let Some(bytes) = jvm.allocated() {
            self.shared.clock.correct(bytes);
        }
    }

    /// Forgets everything counted so far, which is an update.
    pub(crate) fn reset(&mut self, engine: &dyn Counting, references: &mut impl References) -> Vec<Update> {
        self.deaths.reset(&self.shared, references);
        self.stream.reset(engine.reset());
        self.scopes.reset();
        self.profiled.restart(self.shared.clock.now_ms());
        self.collections.clear();
        self.newest = (0, 0);
        self.shared.operations.reset();
        self.operations = 0;
        self.resets += 1;
        vec![Update::Reset]
    }

    /// What is new since the last time. `own_cpu`: of the agent's own thread; `seen`: what others have seen in the JVM, told in the same
    /// step.
    pub(crate) fn updates(
        &mut self,
        engine: &dyn Counting,
        jvm: &impl JvmBytes,
        own_cpu: Duration,
        seen: Vec<Section>,
    ) -> Vec<Update> {
        // Counts before names: every class and site in them is then named.
        let asked = self.sites_with_news();
        let counts = engine.counts(&asked);
        let mut updates = self.stream.names(&self.shared);
        let progress = Progress {
            duration_ms: self.profiled.elapsed().as_millis() as u64,
            gcs: self.over.unwrap_or_else(|| self.shared.clock.gcs()),
            trust: self.trust(engine, jvm, counts.classes.iter().map(ClassTotal::bytes).sum(), own_cpu),
            classes: self.stream.class_counts(&counts.classes, self.deaths.ledger()),
            sites: self.site_rows(counts.sites),
            estimates: counts.estimates,
        };
        let mut step = vec![Section::Progress(Box::new(progress))];
        step.extend(self.live());
        step.extend(self.operations());
        let ended = self.collections(jvm);
        step.extend(Section::large_freed(&ended));
        step.extend((!ended.is_empty()).then_some(Section::Collections(ended)));
        if self.lifetimes_sent.is_none_or(|at| at.elapsed() >= LIFETIMES_STEP) {
            self.lifetimes_sent = Some(Instant::now());
            let (classes, sites) = self.stream.named();
            let lifetimes = self.deaths.ledger().take_lifetimes(classes, sites);
            step.extend(lifetimes.map(|lifetimes| Section::Lifetimes(Box::new(lifetimes))));
            let lifetimes = self.deaths.ledger().scope_outcomes();
            step.extend(self.scopes.changed(&self.shared, classes, &engine.scopes(), lifetimes));
            step.extend(self.traces());
            step.extend(self.holders());
            step.extend(self.shared.soft.changed(classes, &mut self.soft_sent));
        }
        let retention = mem::take(&mut self.retention);
        step.extend((!retention.is_empty()).then_some(Section::Retention(retention)));
        let on_heap = mem::take(&mut self.on_heap);
        step.extend((!on_heap.is_empty()).then_some(Section::OnHeap(on_heap)));
        let (classes, sites) = self.stream.named();
        let shares = self.deaths.ledger().take_shares(classes);
        step.extend((!shares.is_empty()).then_some(Section::Shares(shares)));
        step.extend(Section::between_samples(self.deaths.ledger().take_between_samples(classes, sites)));
        step.extend(seen);
        updates.push(Update::Step(step));
        updates
    }

    /// What is live, if a sweep has looked since the last time.
    fn live(&mut self) -> Option<Section> {
        let (classes, sites) = self.stream.named();
        let live = self.deaths.ledger().take_live(classes, sites)?;
        // Of a collection before the profiled time there is nobody to be told of.
        let as_of_ms = live.as_of_ms.and_then(|at_ms| self.profiled.at(at_ms));
        Some(Section::Live(LiveCounts { as_of_ms, ..live }))
    }

    /// Which requests' objects are there, if a sweep has looked since the last time.
    fn traces(&mut self) -> Option<Section> {
        let (classes, sites) = self.stream.named();
        let mut traces = self.deaths.ledger().take_traces(classes, sites)?;
        for row in &mut traces.rows {
            row.born_ms = self.profiled.at(row.born_ms).unwrap_or(0);
        }
        traces.forgotten = self.shared.traces.forgotten();
        Some(Section::Traces(traces))
    }

    /// Which objects stand for memory outside of the heap, if that are others than the last time.
    fn holders(&mut self) -> Option<Section> {
        let (classes, sites) = self.stream.named();
        let mut holders = self.deaths.ledger().take_holders(classes, sites)?;
        for row in &mut holders.rows {
            row.born_ms = self.profiled.at(row.born_ms).unwrap_or(0);
        }
        Some(Section::Holders(holders))
    }

    /// Reads how much memory outside of the heap objects stand for that came since.
    pub(crate) fn measure_outside(&mut self, references: &mut impl References) {
        self.deaths.ledger().measure_outside(references);
    }

    /// Those that the program has reported, if that are others than the last time.
    fn operations(&mut self) -> Option<Section> {
        let now = self.shared.operations.get();
        let told = mem::replace(&mut self.operations, now);
        (now != told).then_some(Section::Operations(now))
    }

    /// Collections noted since the last time, with the bytes that had been allocated.
    fn collections(&mut self, jvm: &impl JvmBytes) -> Vec<Collection> {
        let noted = mem::take(&mut self.collections);
        if noted.is_empty() {
            return Vec::new();
        }
        // Once a step: what was allocated since the last correction would be missing.
        self.corrected = None;
        self.correct_byte_clock(jvm);
        let clock = &self.shared.clock;
        let newest_bytes = &mut self.newest.1;
        let with_bytes = noted.into_iter().map(|(ms, gc)| {
            *newest_bytes = clock.bytes_at(ms).max(*newest_bytes);
            Collection { bytes: *newest_bytes, ..gc }
        });
        with_bytes.collect()
    }

    /// Somebody waits for the next step: it tells all there is.
    pub(crate) fn is_asked_for_all(&mut self) {
        self.lifetimes_sent = None;
    }

    /// It is closed, and the JVM goes on: gives all references back.
    pub(crate) fn release(&mut self, references: &mut impl References) {
        self.deaths.reset(&self.shared, references);
    }

    /// How far it has come.
    pub(crate) fn reached(&self) -> Reached {
        Reached { profiled: self.profiled.elapsed(), resets: self.resets }
    }

    /// The state of trust now, with `accounted` bytes counted so far. The JVM is asked after the engine: what is
    /// allocated in between is not taken for more than was allocated.
    fn trust(&self, engine: &dyn Counting, jvm: &impl JvmBytes, accounted: u64, own_cpu: Duration) -> Trust {
        let total = jvm.allocated();
        let Account { remainder, refusals, dropped, error_bytes, has_start_up, sample_interval, rewrite_ms } =
            engine.account();
        let by_cause = |total| {
            let difference = Difference {
                jvm: total,
                accounted,
                has_start_up,
                error: error_bytes,
                interval: sample_interval,
            };
            difference.by_cause(&self.uncounted, remainder, || jvm.allocated_on_carriers())
        };
        let native_bytes = memory::allocated() + engine.native_bytes() + self.shared.native_bytes();
        Trust {
            accounted_bytes: accounted,
            jvm_allocated_bytes: total,
            remainder: total.map(by_cause).unwrap_or_default(),
            refusals,
            dropped: [self.shared.dropped(), dropped].concat(),
            sample_interval,
            following: self.deaths.following(),
            cost: OwnCost { cpu_ms: own_cpu.as_millis() as u64, native_bytes, rewrite_ms },
        }
    }
}
