//! How large the young generation, or the heap, should be, for a program whose collections cost it something.
//!
//! Never more than the JVM, its container or the machine allows. A larger young generation is tried where what lives leaves room for
//! it; a larger heap where it does not.

use mayfly_profile::{Gc, GcKind, GcWork, Profile};

use super::flag::{FlagAdvice, Known, Missing, Nothing, Reason};
use super::pauses::{Cost, YoungWork};
use super::settings::Settings;

/// Sizes of heaps are whole multiples of this.
const STEP: u64 = 16 << 20;
/// So many times the present young generation.
const TIMES: [u64; 6] = [2, 4, 8, 16, 32, 64];
/// A suggestion has to save this share of all pauses; the smallest is taken that saves this share of what the best one does, if that is sure.
const SAVES: f64 = 0.3;
const NEARLY: f64 = 0.9;
/// Where it is not sure that it saves anything, it has to be able to save so much. Then the largest is taken: as objects are promoted that die
/// soon after, a few times the size promotes them still.
const MAY_SAVE: f64 = 0.5;
/// What lives in the old generation is to have so many times its room.
const OLD_ROOM: f64 = 1.5;
/// The share of a container that a heap may have: the rest is for classes, code, threads and buffers.
const OF_MEMORY: f64 = 0.75;
/// A larger heap is to have so many times the free room, fewer times where what lives is less than half of it, and is none below so many.
const FREE_TIMES: f64 = 4.0;
const FREE_TIMES_OF_MUCH: f64 = 2.0;
const LEAST_FREE_TIMES: f64 = 1.5;
/// With so many times the room less is sure to be spent.
const SURELY: f64 = 3.0;

/// Collections that the program asks for.
pub(super) const EXPLICIT: &str = "System.gc()";

/// What is said of sizes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SizeAdvice {
    /// One that helps.
    Try(Box<FlagAdvice>),
    /// None does.
    Nothing(Nothing),
    /// Nobody knows.
    Unknown(Missing),
}

/// Collectors that do most of their work while the program runs.
pub(super) fn works_beside(gc: Gc) -> bool {
    matches!(gc, Gc::Zgc | Gc::GenerationalZgc | Gc::Shenandoah | Gc::GenerationalShenandoah)
}

/// Judges a program whose collections are not cheap.
pub(super) fn sized(profile: &Profile, work: &GcWork, known: &Known) -> SizeAdvice {
    let Some(limit) = work.heap_limit else { return SizeAdvice::Unknown(Missing::Memory) };
    if works_beside(profile.run.jvm.gc) {
        return beside(profile, limit, known);
    }
    let Some(live) = live(work) else { return SizeAdvice::Unknown(Missing::Collections) };
    let tight = is_tight(work, live, limit);
    if !tight {
        match larger_young(profile, work, (live, limit), known) {
            Some(Ok(flag)) => return SizeAdvice::Try(Box::new(flag)),
            Some(Err(missing)) => return SizeAdvice::Unknown(missing),
            None => {}
        }
    }
    larger_heap(profile, work, (live, limit, tight), known)
}

/// Of a collector that works beside the program: how much lives no pause of it says, but with twice the heap there is at least twice
/// as much free in it, and half as many collections. Whether each then takes longer is open.
fn beside(profile: &Profile, limit: u64, known: &Known) -> SizeAdvice {
    let Some(cpu) = known.cpu else { return SizeAdvice::Unknown(Missing::CollectorsCpu) };
    let larger = match Larger::of((0, limit, false), known) {
        Ok(larger) => larger,
        Err(sized) => return sized,
    };
    let work = profile.gc_work();
    let cost = |collections, least, most| Cost { collections, pause_us: (least, most) };
    let (count, us) = (f64::from(work.count()), work.pause_us() as f64);
    SizeAdvice::Try(Box::new(FlagAdvice {
        flags: larger.flags(),
        reason: Reason::SmallHeap,
        now: cost(count, us, us),
        then: cost(count / larger.times, us / larger.times, us),
        sure: false,
        promoted: None,
        cpu: Some((cpu.share(), cpu.share() / larger.times)),
    }))
}

/// Bytes that live at most, as far as collections tell: room has to be left for them.
fn live(work: &GcWork) -> Option<u64> {
    work.left.map(|left| left.full.unwrap_or_else(|| left.later_least.max(left.forced.unwrap_or(0))))
}

/// Whether what lives is most of the heap for sure, or it is collected as a whole most of the time.
fn is_tight(work: &GcWork, live: u64, limit: u64) -> bool {
    let (_, full_us) = work.pauses_by(|cause| cause.kind == GcKind::Full && cause.cause != EXPLICIT);
    // What a young collection leaves in the old generation may be dead.
    let forced = work.left.and_then(|left| left.forced.filter(|_| left.full.is_none()));
    live.min(forced.unwrap_or(u64::MAX)) > limit / 2 || 2.0 * full_us as f64 > for_want_of_room(work)
}

/// A larger young generation, of such a heap and what lives in it; an error if too little was seen to tell, and nothing if none helps.
fn larger_young(
    profile: &Profile,
    work: &GcWork,
    (live, limit): (u64, u64),
    known: &Known,
) -> Option<Result<FlagAdvice, Missing>> {
    let Some(done) = YoungWork::of(profile) else { return Some(Err(Missing::Collections)) };
    let old = (live as f64 * OLD_ROOM) as u64;
    let room = limit.saturating_sub(old).min(limit - limit / 4).min(known.room.unwrap_or(u64::MAX));
    let size = Settings::of(profile).young?;
    let tried: Vec<(u64, Cost)> = TIMES
        .iter()
        .map(|&times| (size.saturating_mul(times), times))
        .filter(|&(then, _)| then <= room)
        .map(|(then, times)| (then, done.with(times as f64, then)))
        .collect();
    let all = for_want_of_room(work);
    let now = done.present();
    let saved = |cost: &Cost, by: fn(&Cost) -> f64| now.pause_us.0 - by(cost);
    let most = |by: fn(&Cost) -> f64| tried.iter().map(|(_, cost)| saved(cost, by)).fold(0.0, f64::max);
    let surely = |cost: &Cost| cost.pause_us.1;
    let most_surely = Some(most(surely)).filter(|most| *most >= SAVES * all);
    let smallest =
        most_surely.and_then(|most| tried.iter().find(|(_, cost)| saved(cost, surely) >= NEARLY * most));
    let sure = smallest.is_some();
    let largest = tried.last().filter(|_| most(|cost| cost.pause_us.0) >= MAY_SAVE * all);
    let (size, then) = *smallest.or(largest)?;
    Some(Ok(FlagAdvice {
        flags: format!("-Xmn{}m", size >> 20),
        reason: Reason::SmallYoung,
        now,
        then,
        sure,
        promoted: None,
        cpu: None,
    }))
}

/// A heap that is larger.
struct Larger {
    bytes: u64,
    /// So many times as much is free in it.
    times: f64,
}

impl Larger {
    /// Of what lives, what the heap may have, and whether that is little; an answer if there is none.
    fn of((live, limit, tight): (u64, u64, bool), known: &Known) -> Result<Self, SizeAdvice> {
        let Some(memory) = known.memory else { return Err(SizeAdvice::Unknown(Missing::Memory)) };
        let free = limit.saturating_sub(live).max(limit / 64) as f64;
        let wanted =
            if tight { FREE_TIMES * free.max(live as f64 / FREE_TIMES) } else { FREE_TIMES_OF_MUCH * free };
        // Down to a whole step a heap of one would not become larger.
        let (wanted, most) = ((live as f64 + wanted) as u64, (memory as f64 * OF_MEMORY) as u64);
        let bytes = (wanted.div_ceil(STEP) * STEP).min(most / STEP * STEP);
        let times = bytes.saturating_sub(live) as f64 / free;
        if times < LEAST_FREE_TIMES {
            let live = Some(live).filter(|&live| live > 0);
            return Err(SizeAdvice::Nothing(Nothing::NoRoom { live, memory }));
        }
        Ok(Self { bytes, times })
    }

    fn flags(&self) -> String {
        format!("-Xmx{}m", self.bytes >> 20)
    }
}

/// A larger heap: it is full less often in proportion to what is free in it.
fn larger_heap(profile: &Profile, work: &GcWork, heap: (u64, u64, bool), known: &Known) -> SizeAdvice {
    let larger = match Larger::of(heap, known) {
        Ok(larger) => larger,
        Err(sized) => return sized,
    };
    // A fixed young generation is full as often as before, unless it grows, too.
    let young_grows = !young_is_given(profile, heap.1);
    if !young_grows
        && let Ok(both) = Larger::of((heap.0, heap.1, true), known)
        && let Some(Ok(young)) = larger_young(profile, work, (heap.0, both.bytes), known)
    {
        let flags = format!("{} {}", both.flags(), young.flags);
        return SizeAdvice::Try(Box::new(FlagAdvice { flags, ..young }));
    }
    let (count, us) =
        work.pauses_by(|cause| cause.cause != EXPLICIT && (young_grows || cause.kind == GcKind::Full));
    if us as f64 * (1.0 - 1.0 / larger.times) < SAVES * for_want_of_room(work) {
        return SizeAdvice::Nothing(Nothing::NoFlag);
    }
    let now = Cost { collections: f64::from(count), pause_us: (us as f64, us as f64) };
    let fewer = us as f64 / larger.times;
    SizeAdvice::Try(Box::new(FlagAdvice {
        flags: larger.flags(),
        reason: Reason::SmallHeap,
        now,
        // Each may take as long as now, or longer by as much more as there is to copy.
        then: Cost {
            collections: now.collections / larger.times,
            pause_us: (fewer, (fewer * 2.0).min(us as f64)),
        },
        sure: larger.times >= SURELY,
        promoted: None,
        cpu: None,
    }))
}

/// Whether the young generation has a size of its own, and not a part of the heap that grows with it (`-XX:NewRatio`).
fn young_is_given(profile: &Profile, limit: u64) -> bool {
    let Some(fixed) = Settings::of(profile).fixed_young else { return false };
    let part = limit / (profile.flag("NewRatio").unwrap_or(2) + 1);
    fixed.abs_diff(part) > part / 20
}

/// For how long the program stood still for collections that it did not ask for, in microseconds.
fn for_want_of_room(work: &GcWork) -> f64 {
    work.pauses_by(|cause| cause.cause != EXPLICIT).1 as f64
}
