//! Opened as profiling begins, called in each pause, and read in each step of the stream.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mayfly_census::{Census, Collector, Known, Pause};
use mayfly_jvmti::{CallbackContext, FieldOffset, HeapMemory, Jni, KnownObjects, PerfCounter, PerfData};
use mayfly_profile::{CensusCounts, CensusReach, ClassCensus, ClassId, FILLERS, GcKind};
use rustc_hash::FxHashMap;

use super::counts::{born, by_id};
use super::layout::HeapLayout;
use super::memory::{Paused, Running};
use super::pauses::Pauses;
use crate::conduct::notice::say;
use crate::target_jvm::{FIRST_WITH_FILLER_CLASSES, Target};
use crate::tracking::{Shared, Young};

/// Least time between two steps that have it: thousands of rows change with each collection.
const STEP: Duration = Duration::from_secs(5);

/// Where the census is, if there is one.
#[derive(Default)]
pub(crate) struct CensusSlot {
    /// `Err`: why there is none, though it was asked for.
    reader: OnceLock<Result<Mutex<Reader>, String>>,
    unsent: Mutex<Unsent>,
    /// The program is not profiled for a while.
    is_paused: AtomicBool,
    /// Its end was reported.
    end_is_reported: AtomicBool,
}

#[derive(Default)]
struct Unsent {
    /// When the last were sent; `None`: the next step sends these.
    since: Option<Instant>,
    /// What changed since.
    changed: FxHashMap<ClassId, ClassCensus>,
}

struct Reader {
    memory: HeapMemory,
    census: Census,
    known: Option<KnownObjects>,
    from_start: bool,
    fillers_are_ints: bool,
    pauses: Pauses,
}

impl CensusSlot {
    /// Begins to read collections; says so if that can't be. `from_start`: the program is about to begin. `most`: what reading may
    /// add to a pause.
    pub(crate) fn begin(
        &self,
        target: &Target,
        shared: &Shared,
        jni: Jni<'_>,
        heap: Result<HeapLayout, String>,
        from_start: bool,
        most: Option<Duration>,
    ) {
        let open = || Reader::open(target, jni, heap, from_start, most);
        let opened = self.reader.get_or_init(|| open().map(Mutex::new));
        match opened {
            Ok(reader) => {
                let (mixed, largest, from_start) = lock(reader).before_the_first();
                let mixed = mixed.iter().map(|name| shared.classes.named(name));
                shared.young.is_read_from_now_on(mixed, largest, from_start);
            }
            Err(why) => say(&format!("no census of young objects: {why}; all else is recorded")),
        }
    }

    /// A collection begins; `forced`: we asked for it. Called in its pause.
    pub(crate) fn gc_begins(&self, event: &CallbackContext<'_>, forced: bool) {
        let Some(mut reader) = self.reader() else { return };
        if self.is_paused.load(Relaxed) && !forced {
            reader.census.set_counting(false);
        }
        let began = Instant::now();
        let Reader { memory, census, .. } = &mut *reader;
        census.begins(&Paused(memory.in_pause(event)), forced);
        reader.pauses.was_begun(began, Instant::now());
    }

    /// It ends, and did this. Called in its pause.
    pub(crate) fn gc_ends(&self, event: &CallbackContext<'_>, kind: GcKind, young: &Young) {
        let Some(mut reader) = self.reader() else { return };
        let began = Instant::now();
        let Reader { memory, census, pauses, .. } = &mut *reader;
        census.thin_to(pauses.share(began, census.young_bytes()));
        census.ends(&Paused(memory.in_pause(event)), pause(kind));
        young.pause_ends(census.emptied(), census.has_gap(), census.has_large());
        pauses.was_read(began, Instant::now(), census.last_read());
    }

    /// What changed since the last time, if it is time to tell it.
    pub(crate) fn counts(&self, shared: &Shared) -> Option<CensusCounts> {
        let opened = self.reader.get()?;
        let mut unsent = self.unsent();
        let reach = match opened {
            Err(why) => CensusReach { ended: why.clone(), ..CensusReach::default() },
            Ok(reader) => {
                let (reach, rows, period) = {
                    let mut reader = lock(reader);
                    let rows = reader.census.take_changed();
                    (reader.reach(), rows, shared.young.now())
                };
                let rows = by_id(rows, &shared.classes);
                shared.young.note(period, rows.iter().map(|(id, row)| (*id, born(row))));
                unsent.changed.extend(rows);
                reach
            }
        };
        if unsent.since.is_some_and(|at| at.elapsed() < STEP) {
            return None;
        }
        unsent.since = Some(Instant::now());
        Some(CensusCounts { reach, classes: unsent.changed.drain().collect() })
    }

    fn unsent(&self) -> MutexGuard<'_, Unsent> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody waits for the next step.
    pub(crate) fn is_asked_for_all(&self) {
        self.unsent().since = None;
    }

    /// Says once that it ended, if it did.
    pub(crate) fn say_if_ended(&self) {
        let Some(doubt) = self.reader().and_then(|reader| reader.census.doubt()) else { return };
        if !self.end_is_reported.swap(true, Relaxed) {
            say(&format!(
                "the census of young objects ends here ({doubt}): what was read before stands, samples go on"
            ));
        }
    }

    /// Profiling begins, or goes on.
    pub(crate) fn resumes(&self) {
        let was_paused = self.is_paused.swap(false, Relaxed);
        if let Some(mut reader) = self.reader().filter(|_| was_paused) {
            reader.census.reopen();
        }
    }

    /// Profiling pauses, or waits for its begin.
    pub(crate) fn pauses(&self) {
        self.is_paused.store(true, Relaxed);
    }

    /// All counts begin again.
    pub(crate) fn restart(&self, young: &Young) {
        if let Some(mut reader) = self.reader() {
            reader.census.restart();
            reader.from_start = false;
            reader.pauses.restart();
        }
        young.restart();
        let mut unsent = self.unsent();
        (unsent.since, unsent.changed) = (None, FxHashMap::default());
    }

    /// Profiling ended, and the JVM goes on.
    pub(crate) fn close(&self, jni: Jni<'_>) {
        let known = self.reader().and_then(|mut reader| reader.known.take());
        if let Some(known) = known {
            known.release(jni);
        }
    }

    fn reader(&self) -> Option<MutexGuard<'_, Reader>> {
        self.reader.get()?.as_ref().ok().map(lock)
    }
}

fn lock(reader: &Mutex<Reader>) -> MutexGuard<'_, Reader> {
    reader.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pause(kind: GcKind) -> Pause {
    match kind {
        GcKind::Young => Pause::Young,
        GcKind::Full => Pause::Full,
        GcKind::ConcurrentPause => Pause::Concurrent,
        _ => Pause::Unknown,
    }
}

/// What collections leave in use of Eden, and of the old generation, as the JVM publishes it.
struct Left {
    eden: PerfCounter,
    old: PerfCounter,
}

impl Left {
    fn find() -> Option<Self> {
        let data = PerfData::find()?;
        let counter = |generation| data.counter(&format!("sun.gc.generation.{generation}.space.0.used"));
        Some(Self { eden: counter(0)?, old: counter(1)? })
    }
}

impl Reader {
    fn open(
        target: &Target,
        jni: Jni<'_>,
        heap: Result<HeapLayout, String>,
        from_start: bool,
        most: Option<Duration>,
    ) -> Result<Self, String> {
        let HeapLayout { collector, memory: own, layout } = heap?;
        let left = Left::find().ok_or(
            "what a collection did is told by counters, which -XX:-UsePerfData switches off or this JVM has not",
        )?;
        let memory = Running(own);
        let chunk = FieldOffset::find(jni, c"jdk/internal/vm/StackChunk", c"size", c"I");
        let chunk_size_at = chunk.and_then(|offset| u64::try_from(offset.0).ok());
        let layout = layout.with_chunk_size_at(chunk_size_at);
        let layout = match collector {
            Collector::G1 => layout,
            _ => layout.with_left_at((left.eden.address(), left.old.address())),
        };
        let from_start = from_start && layout.collections(&memory) == Some(0);
        let known = KnownObjects::hold(jni, &target.jvmti).ok_or("no objects to check it with")?;
        let objects = known.all().map(|it| Known { slot: it.slot, bytes: it.bytes, class: it.class });
        let heap = HeapMemory::new(own, layout.heap()).ok_or("the heap is not where the JVM says")?;
        let census = Census::new(&memory, layout, (objects.collect(), from_start));
        let census = census.map_err(|doubt| doubt.to_string())?;
        Ok(Self {
            memory: heap,
            census,
            known: Some(known),
            from_start,
            fillers_are_ints: target.jdk < FIRST_WITH_FILLER_CLASSES,
            pauses: Pauses::new(most),
        })
    }

    /// Classes of which the JVM makes objects that are nobody's, to fill buffers up; and beyond which size objects are counted by
    /// themselves; and whether it begins with the JVM.
    fn before_the_first(&self) -> (&'static [&'static str], Option<u64>, bool) {
        (if self.fillers_are_ints { &FILLERS } else { &[] }, self.census.largest_young(), self.from_start)
    }

    fn reach(&self) -> CensusReach {
        let totals = self.census.totals();
        let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        CensusReach {
            ended: self.census.doubt().map(|doubt| doubt.to_string()).unwrap_or_default(),
            from_start: self.from_start,
            read: totals.read,
            partly: totals.partly,
            births_only: totals.births_only,
            unread: totals.unread,
            read_bytes: totals.read_bytes,
            unread_bytes: totals.unread_bytes,
            fillers: totals.fillers,
            fillers_are_ints: self.fillers_are_ints,
            pause_us: us(self.pauses.reading),
            longest_us: us(self.pauses.longest),
            thinned: totals.thinned,
            own_us: us(self.pauses.own),
        }
    }
}
