//! What a collection proves: which tracked objects it would have cleared, had they been dead, and as of when.
//!
//! Collections are stamped by their start: a pause's own, or where marking goes on beside the program, that of the pause in
//! which it began.
//!
//! A young collection does not look at old objects, so that an object which it left was not necessarily alive. The rules
//! per collector are in docs/design/lifetimes.md, 0012. Not here: the references themselves, and what is counted.

use std::collections::VecDeque;

use mayfly_profile::{Gc, GcKind};

use crate::clock::{Clock, Pause};
use crate::timeline::{COARSENESS, Thinned, Timeline, thin};

/// Collections remembered for births; above it, those that matter least are forgotten.
const MOST_EVENTS: usize = 8192;

/// Collectors of which the same is known: what their pauses examine, and when what they found is cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GcFamily {
    /// Nothing.
    #[default]
    Unknown,
    /// Serial or Parallel: each pause is a young collection or one of the whole heap.
    StopTheWorld,
    /// G1: young pauses, which may also clear old regions once a concurrent cycle has marked; full collections; the
    /// pauses of cycles, which mark as of their start.
    G1,
    /// ZGC without generations, or Shenandoah: every cycle examines the heap beside the program, in some pauses. With generations Shenandoah leaves old
    /// garbage to some of them, as G1 does: what is old and dead counts as there until then.
    Concurrent,
    /// Generational ZGC: only major collections clear weak handles, and of what was old when they began.
    GenerationalZgc,
}

impl GcFamily {
    /// What is known of this one.
    pub fn of(gc: Gc) -> Self {
        match gc {
            Gc::Serial | Gc::Parallel => Self::StopTheWorld,
            Gc::G1 => Self::G1,
            Gc::Zgc | Gc::Shenandoah | Gc::GenerationalShenandoah => Self::Concurrent,
            Gc::GenerationalZgc => Self::GenerationalZgc,
            Gc::Epsilon | Gc::Unknown => Self::Unknown,
        }
    }

    /// How many pauses before the newest one a concurrent cycle, whose clearing is done by now, had begun at the latest.
    fn lag(self) -> usize {
        match self {
            // Remark and Cleanup: the cycle before has ended with its Cleanup.
            Self::G1 => 2,
            // At most four pauses per cycle, and one more where marking goes on after its end was tried.
            Self::Concurrent => 5,
            // At most eight pauses per major collection, of which the sixth begins to mark; and some more as above.
            Self::GenerationalZgc => 13,
            Self::Unknown | Self::StopTheWorld => usize::MAX,
        }
    }
}

/// A collection, with its start on the time clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) number: u32,
    pub(crate) ms: u64,
}

/// What it proves that an object was asked after and not found cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Collections that had ended by then; 0: it was not asked after yet.
    pub(crate) asked: u32,
    /// It was alive here, if born early enough.
    pub(crate) whole: Option<Moment>,
    /// The last birth for which `whole` holds, in milliseconds.
    pub(crate) whole_born: u64,
    /// It was alive here, if born before and not yet old.
    pub(crate) young: Option<Moment>,
    /// It was alive at a collection of the whole heap, if born by then: known by the collector's pauses or because we forced it, not guessed
    /// from what was found cleared.
    pub(crate) judged_born: Option<u64>,
}

impl Evidence {
    /// Who was born by then, and not found cleared when it was asked after, was alive at a collection after its birth.
    pub(crate) fn judged_if_born_by(self) -> Option<u64> {
        self.judged_born.max(self.young.map(|young| young.ms))
    }

    /// What holds for objects of both.
    pub(crate) fn weaker(self, other: Self) -> Self {
        Self {
            asked: self.asked.min(other.asked),
            whole: self.whole.min(other.whole),
            whole_born: self.whole_born.min(other.whole_born),
            young: self.young.min(other.young),
            judged_born: self.judged_born.min(other.judged_born),
        }
    }
}

/// A range on each of the three clocks: ages at death lie after the first and not after the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AgeAtDeath {
    pub(crate) ms: (u64, u64),
    pub(crate) gcs: (u64, u64),
    pub(crate) bytes: (u64, u64),
}

/// Ages at which the survivors of a birth were last known alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LivingAge {
    pub(crate) ms: u64,
    pub(crate) gcs: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    at: Moment,
    /// Whether all objects born before it that are not yet old were examined.
    examines_young: bool,
}

impl Thinned for Event {
    fn ms(&self) -> u64 {
        self.at.ms
    }
}

/// All collections so far, as far as they are needed.
#[derive(Debug, Default)]
pub(crate) struct History {
    family: GcFamily,
    count: u32,
    events: Vec<Event>,
    /// State of the rules as of the newest collection.
    now: Evidence,
    /// One more than the newest collection that may have cleared old objects.
    cleared_old: u32,
    /// Whether young pauses may clear old objects, too.
    mixed: bool,
    /// The newest pauses of concurrent cycles, as long as it is not known when they mark.
    pauses: VecDeque<Moment>,
    marking: Marking,
}

/// Where a collector stands that says when its concurrent cycles begin and end to mark.
#[derive(Clone, Copy, Debug, Default)]
struct Marking {
    /// The pause in which the running cycle began to mark.
    began: Option<Moment>,
    /// The pause in which the newest cycle ended to mark: from then on what it did not reach is cleared.
    ended: Option<Moment>,
    /// Whether it has told of any.
    is_known: bool,
}

impl History {
    pub(crate) fn new(family: GcFamily) -> Self {
        Self { family, ..Self::default() }
    }

    /// Takes over the collections that have ended since the last time.
    pub(crate) fn sync(&mut self, clock: &Clock) {
        // Before the collections are read: whoever asks later asks after what was forced.
        let forced = clock.before_forced();
        for gc in clock.gcs_since(self.count) {
            clock.timeline().push(gc.ms, gc.bytes);
            self.add(gc);
        }
        if let Some(before) = forced {
            self.add_forced(before);
        }
        self.now.asked = self.count;
        if self.events.len() > MOST_EVENTS {
            thin(&mut self.events, COARSENESS, MOST_EVENTS / 2);
        }
    }

    /// The newest collection.
    pub(crate) fn last(&self) -> Option<Moment> {
        self.events.last().map(|event| event.at)
    }

    /// The newest collection that may have cleared an object which is found cleared now.
    fn cleared_by(&self) -> Option<Moment> {
        self.marking.ended.or_else(|| self.last())
    }

    /// What is proved for an object that is asked after now and not found cleared.
    pub(crate) fn evidence(&self) -> Evidence {
        self.now
    }

    /// The first collection after a birth; `None` if there was none yet.
    pub(crate) fn first_after(&self, birth_ms: u64) -> Option<Moment> {
        self.events.get(self.index_after(birth_ms)).map(|event| event.at)
    }

    /// The age at death of an object that was last asked after as `evidence` says and found cleared now.
    pub(crate) fn age_at_death(&self, birth_ms: u64, evidence: Evidence, timeline: &Timeline) -> AgeAtDeath {
        let found = self.cleared_by().unwrap_or(Moment { number: 0, ms: birth_ms });
        let alive = self.last_alive(birth_ms, evidence);
        let (first_at_least, first_at_most) = self.first_number(birth_ms);
        let born = timeline.within(birth_ms);
        AgeAtDeath {
            ms: (alive.map_or(0, |alive| since(alive.ms, birth_ms)), since(found.ms, birth_ms)),
            gcs: (
                alive.map_or(0, |alive| u64::from((alive.number + 1).saturating_sub(first_at_most))),
                u64::from((found.number + 1).saturating_sub(first_at_least)),
            ),
            bytes: (
                alive.map_or(0, |alive| timeline.at_event(alive.ms).0.saturating_sub(born.1)),
                timeline.at_event(found.ms).1.saturating_sub(born.0),
            ),
        }
    }

    /// At which age an object is known alive that survived `first` after its birth, if it was asked after as `evidence` says.
    pub(crate) fn living_age(
        &self,
        birth_ms: u64,
        first: Moment,
        evidence: Evidence,
        timeline: &Timeline,
    ) -> LivingAge {
        let whole = evidence.whole.filter(|alive| birth_ms <= evidence.whole_born && alive.ms >= birth_ms);
        // A young collection has looked at it when it was young; later ones may not have.
        let examined = self.first_examined(birth_ms).filter(|first| first.number < evidence.asked);
        let Some(alive) = whole.max(examined) else { return LivingAge::default() };
        LivingAge {
            ms: since(alive.ms, birth_ms),
            gcs: u64::from((alive.number + 1).saturating_sub(first.number)),
            bytes: timeline.at_event(alive.ms).0.saturating_sub(timeline.within(birth_ms).1),
        }
    }

    /// Notes that references were found cleared which had not been at the last sweep: a collection beside the program has
    /// examined the heap meanwhile. Who is still not cleared at the next sweep was alive at about that time.
    ///
    /// It may have died while that collection marked. So may those have which the next one will be found to have cleared:
    /// that both are held to be looked at when the clearing is noticed makes all ages late by that time, and none of them
    /// uncertain by a whole collection more.
    ///
    /// `newest_birth_ms`: the latest birth of one of them. Generational ZGC clears what was old when a major collection began to mark,
    /// and nothing becomes old before all that was born earlier: that collection has looked at those, too.
    pub(crate) fn notice_clearing(&mut self, newest_birth_ms: u64) {
        let beside =
            matches!(self.family, GcFamily::Concurrent | GcFamily::GenerationalZgc) && !self.marking.is_known;
        if let (true, Some(last), Some(before)) = (beside, self.last(), self.pauses.get(1))
            && self.hold_alive(last, before.ms)
            && self.family == GcFamily::GenerationalZgc
        {
            // Of those born in the same millisecond some may be of the next young collection.
            self.now.judged_born = self.now.judged_born.max(newest_birth_ms.checked_sub(1));
        }
    }

    /// It is known that this collection looks at all that was born before it.
    fn judge(&mut self, at: Moment) {
        self.now.judged_born = self.now.judged_born.max(Some(at.ms));
        self.hold_alive(at, at.ms);
    }

    /// Returns whether it was not known of one as new.
    fn hold_alive(&mut self, at: Moment, born_by: u64) -> bool {
        let is_news = self.now.whole < Some(at);
        if is_news {
            (self.now.whole, self.now.whole_born) = (Some(at), born_by);
        }
        is_news
    }

    /// The newest collection at which an object was alive that was last asked after as `evidence` says and not found cleared.
    pub(crate) fn last_alive(&self, birth_ms: u64, evidence: Evidence) -> Option<Moment> {
        let born_before = |alive: &Moment| alive.ms >= birth_ms;
        let first = self.first_examined(birth_ms).filter(|first| first.number < evidence.asked);
        let whole = evidence.whole.filter(|alive| born_before(alive) && birth_ms <= evidence.whole_born);
        // Whatever cleared it since cleared only young objects.
        let was_young = self.cleared_old <= evidence.asked;
        let young = evidence.young.filter(|alive| was_young && born_before(alive));
        first.max(whole).max(young)
    }

    /// The first collection that examined all young objects among those after a birth; `None` if not known.
    fn first_examined(&self, birth_ms: u64) -> Option<Moment> {
        let mut from = self.index_after(birth_ms);
        let mut last_before = from.checked_sub(1).map(|at| self.events[at].at.number);
        loop {
            let event = self.events.get(from)?;
            if event.at.number != last_before.map_or(0, |number| number + 1) {
                return None; // Others lay between.
            }
            if event.examines_young {
                return Some(event.at);
            }
            last_before = Some(event.at.number);
            from += 1;
        }
    }

    /// At least and at most the number of the first collection after a birth.
    fn first_number(&self, birth_ms: u64) -> (u32, u32) {
        let after = self.index_after(birth_ms);
        let low = after.checked_sub(1).map_or(0, |at| self.events[at].at.number + 1);
        (low, self.events.get(after).map_or(self.count, |event| event.at.number))
    }

    fn index_after(&self, birth_ms: u64) -> usize {
        self.events.partition_point(|event| event.at.ms < birth_ms)
    }

    fn add(&mut self, gc: Pause) {
        if gc.number != self.count {
            // Some were lost: they may have been anything.
            self.mixed = true;
            self.cleared_old = gc.number;
            self.pauses.clear();
            self.marking.began = None;
        }
        let at = Moment { number: gc.number, ms: gc.ms };
        self.count = gc.number + 1;
        let examines_young = self.apply(at, gc.kind);
        if examines_young {
            self.now.young = Some(at);
        }
        self.events.push(Event { at, examines_young });
    }

    /// Brings the state up to a collection; returns whether it examined all young objects.
    fn apply(&mut self, at: Moment, kind: GcKind) -> bool {
        let only_young = match (self.family, kind) {
            (GcFamily::StopTheWorld, GcKind::Young) => true,
            (GcFamily::G1, GcKind::Young) => !self.mixed,
            _ => false,
        };
        if !only_young {
            self.cleared_old = at.number + 1;
        }
        let stops = matches!(self.family, GcFamily::StopTheWorld | GcFamily::G1);
        match kind {
            GcKind::Full if stops => {
                self.mixed = false;
                self.judge(at);
            }
            GcKind::MarkStart | GcKind::MarkEnd => self.mark(at, kind),
            GcKind::ConcurrentPause => self.add_pause(at),
            _ if self.family == GcFamily::Concurrent => self.add_pause(at),
            GcKind::Unknown => self.mixed = true,
            _ => {}
        }
        match self.family {
            GcFamily::StopTheWorld => true,
            GcFamily::G1 => matches!(kind, GcKind::Young | GcKind::Full),
            _ => false,
        }
    }

    /// A cycle that examines the whole heap has begun or ended to mark. Who is not cleared when it has ended was alive when it
    /// began, or is younger. Who is cleared may also have died while it marked.
    fn mark(&mut self, at: Moment, kind: GcKind) {
        self.marking.is_known = true;
        if kind == GcKind::MarkStart {
            self.marking.began = Some(at);
            return;
        }
        self.marking.ended = Some(at);
        if let Some(began) = self.marking.began.take() {
            self.judge(began);
        }
    }

    fn add_pause(&mut self, at: Moment) {
        self.mixed = true;
        if self.marking.is_known {
            return;
        }
        self.pauses.push_front(at);
        let lag = self.family.lag();
        match self.pauses.get(lag).copied() {
            // A weak handle keeps what is young there until it is old, through collections that nobody can count: what a major
            // collection has not cleared may be dead for long. A forced one makes all of it old first; of others, see `notice_clearing`.
            Some(whole) if self.family == GcFamily::GenerationalZgc => {
                self.hold_alive(whole, whole.ms);
            }
            Some(whole) => self.judge(whole),
            None => {}
        }
        self.pauses.truncate(lag.min(MOST_EVENTS));
    }

    /// A collection that we forced has ended; `before` had ended when it began.
    fn add_forced(&mut self, before: u32) {
        let as_of = match self.family {
            // It is among those that followed, and looks at what is there then.
            GcFamily::StopTheWorld | GcFamily::G1 => Some(before).filter(|&first| first < self.count),
            // It began to mark after the call.
            // If none came before, it is the first, or what is still there when that has ended was alive then, too.
            GcFamily::Concurrent | GcFamily::GenerationalZgc | GcFamily::Unknown => {
                Some(before.saturating_sub(1)).filter(|&first| first < self.count)
            }
        };
        let event = as_of.and_then(|number| {
            let at = self.events.partition_point(|event| event.at.number < number);
            self.events.get(at).map(|event| event.at).filter(|at| at.number == number)
        });
        if let Some(event) = event {
            self.judge(event);
        }
    }
}

fn since(ms: u64, birth_ms: u64) -> u64 {
    ms.saturating_sub(birth_ms)
}
