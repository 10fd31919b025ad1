//! Growth over dumps of one program.

use super::suspicion::Suspicion;
use super::turnover::{Paces, Turnover};
use super::weight::slows;

/// Bytes that are too few to speak of, and the share of the heap that is.
const LEAST_BYTES: u64 = 8 << 10;
const LEAST_SHARE: f64 = 0.001;
/// Intervals between dumps from which on growth is more than a warm-up may be.
const INTERVALS: usize = 3;
/// The last interval has to bring this share of what one brings on average, or it is coming to an end.
const STILL: f64 = 0.5;
/// Held softly by this share of what became more: a cache that the collector empties.
const SOFT: f64 = 0.5;

/// Classes that a program loads between two dumps long after its start: fewer than these, or a smaller share of those that it has.
const FEW_CLASSES: u64 = 50;
const FEW_OF_CLASSES: f64 = 0.01;

/// A JVM that has run for fewer times as long as was looked is young: all that it holds has come a short while ago.
const LONG: f64 = 2.0;
/// What has filled for this share of the JVM's time, or so many times as long as was looked, is no buffer.
const OLD: f64 = 0.25;
const OLD_IN_LOOKS: f64 = 20.0;

/// A pace that is not more, or less, by this factor than before is the same. Of what lives for a while twice as many objects would be twice as
/// many that come, or that go: less than two times this factor.
const EVEN: f64 = 1.4;
/// Of what comes at least this share goes: else it is no queue; and at most this share, or it hardly grows.
const GOES: f64 = 0.05;
const BACKS_UP: f64 = 0.8;

/// Growth is steady if no interval brings less than this share of what one brings on average, nor so many times more; the last as good as this share
/// of the first; and all together this factor.
const STEADY: f64 = 0.5;
const KEEPS_PACE: f64 = 0.7;
const MORE: f64 = 1.25;

/// The last interval's part of the first, of what slows in each.
const SLOWED: f64 = 0.6;
/// The same of what has filled but for its last few.
const FILLED: f64 = 0.05;
/// A smaller part of a dump's objects in the next is a loss.
const FELL: f64 = 0.95;

/// Fewer objects more than this tell nothing, if they are less than this share of the heap.
const FEW: f64 = 8.0;
const WEIGHS: f64 = 0.01;

/// Growth in steps of less than this share of the heap is that of tables which any program fills.
const IN_STEPS: f64 = 0.005;

/// Growth of what nobody holds alone that tells nothing.
const HARDLY: f64 = 0.1;

/// What grew from each dump to the next, below one holder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// Objects in each dump.
    pub objects: Vec<u64>,
    /// Bytes that they retain.
    pub bytes: Vec<u64>,
    /// Of what they retain, objects that hold something softly.
    pub soft: Vec<u64>,
    /// Bytes of all that grew in the same container, in each dump, if that is more: by these it is much or little.
    pub container_bytes: Vec<u64>,
    /// Bytes of all that is reachable in the last dump.
    pub heap_bytes: u64,
    /// A field of what grew, or of its holder, that tells of entries which are dropped by themselves ([`mayfly_profile::is_of_expiry`]).
    pub expiry: Option<String>,
    /// Which of the objects came and went, if that is known.
    pub turnover: Option<Turnover>,
    /// What holds one of them each, and does not become more, if that is so.
    pub bound: Option<Bound>,
    /// What has the arrays that they are in, each in a slot, if these were neither replaced by larger ones nor became more.
    pub in_fixed_arrays_of: Option<String>,
    /// Whether a class or a thread's own object holds them, not only what a method is at work with.
    pub lasting: bool,
    /// Whether they are of the JDK and nothing of the program's holds them alone, so that nobody can be named.
    pub nobodys: bool,
    /// For how long it was looked at, if that is known.
    pub watched: Option<Watched>,
    /// If the program still loaded its classes.
    pub starting: Option<Starting>,
    /// When each dump was taken, in seconds; empty if that is not known.
    pub times: Vec<f64>,
}

/// Holders that do not become more, of which each has one at most: a ring or a pool that is filled for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Their class.
    pub holder: String,
    /// So many.
    pub holders: u64,
    /// Of these, those that have one.
    pub taken: u64,
}

/// Classes that a program which starts loaded between two dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starting {
    /// So many.
    pub loaded: u64,
    /// It has so many.
    pub classes: u64,
}

impl Starting {
    /// `None` if they are so few that a program which has long started loads as many.
    pub fn of(loaded: u64, classes: u64) -> Option<Self> {
        let many = loaded >= FEW_CLASSES && loaded as f64 >= FEW_OF_CLASSES * classes as f64;
        many.then_some(Self { loaded, classes })
    }
}

/// The time in which dumps were taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    /// Seconds that the JVM had run for before.
    pub ran_before: f64,
    /// From the first dump to the last.
    pub seconds: f64,
}

/// Bytes in a heap of so many that are too few to speak of.
pub fn least_growth(heap_bytes: u64) -> f64 {
    (LEAST_BYTES as f64).max(heap_bytes as f64 * LEAST_SHARE)
}

/// What follows from growth over dumps.
pub fn growing(growth: &Growth) -> Suspicion {
    let began = since_it_began(growth);
    let growth = began.as_ref().unwrap_or(growth);
    let steps = increments(&growth.bytes);
    let all: f64 = steps.iter().sum();
    let least = least_growth(growth.heap_bytes);
    if is_enlarged(growth) {
        return Suspicion::Unsure(
            "it is one array that is replaced by a larger one now and then, as of a StringBuilder or a BitSet: it may grow without end, or \
             have found its size; look for longer (--for)"
                .to_owned(),
        );
    }
    if goes_up_in_steps(growth) {
        return Suspicion::Unsure(
            "it grew between some dumps and not between others, and nothing of it has gone: what began late, what a job leaves now and then, or a \
             cache that fills in steps; look for longer (--for)"
                .to_owned(),
        );
    }
    if steps.iter().any(|&step| step <= 0.0) {
        return Suspicion::Harmless("it did not grow from each dump to the next".to_owned());
    }
    if all.max(difference(&growth.container_bytes)) < least {
        return Suspicion::Harmless("it grew by too little to speak of".to_owned());
    }
    if let Some(judged) = growth.turnover.as_ref().and_then(Turnover::judged).filter(|_| !backs_up(growth)) {
        return match judged {
            Suspicion::Harmless(_) if outgrows(growth) => Suspicion::Unsure(
                "what comes goes again, but more comes than goes: a queue that is not emptied fast enough, or what follows a load \
                 that rises; look for longer (--for)"
                    .to_owned(),
            ),
            Suspicion::Harmless(_) if grows_steadily(growth) => Suspicion::Unsure(
                "it grows steadily, though its elements come and go between the dumps: a backlog that grows, what follows a load that \
                 rises, or a buffer that was emptied in between; look more often (--dumps 8)"
                    .to_owned(),
            ),
            judged => judged,
        };
    }
    let (more, soft) = (difference(&growth.objects), difference(&growth.soft));
    if soft > 0.0 && soft >= SOFT * more {
        return Suspicion::Unsure(
            "as much is held softly: a cache that the collector empties before memory runs out".to_owned(),
        );
    }
    if steps.len() < INTERVALS {
        return Suspicion::Unsure(format!(
            "{} dumps do not tell a leak from a warm-up: take {} or more",
            growth.bytes.len(),
            INTERVALS + 1
        ));
    }
    if slows_all_along(growth, FILLED) {
        return Suspicion::Harmless(
            "it has filled: each interval brought less, the last next to nothing".to_owned(),
        );
    }
    match steps.last() {
        Some(&last) if last < STILL * all / steps.len() as f64 || slows_all_along(growth, SLOWED) => {
            Suspicion::Unsure("it grows ever more slowly: it may be nearly full".to_owned())
        }
        _ => match &growth.expiry {
            Some(field) => Suspicion::Unsure(format!(
                "by its field {field} entries may yet be dropped, and none was: look for longer than they may live"
            )),
            None => few_more(growth)
                .or_else(|| fewer_once(growth))
                .or_else(|| hardly_more(growth))
                .or_else(|| filled_in(growth))
                .or_else(|| slots_of(growth))
                .or_else(|| since_when(growth))
                .or_else(|| starts(growth))
                .map_or(Suspicion::Leak, Suspicion::Unsure),
        },
    }
}

/// Whether one more dump may tell: it grows, but brought less in the last interval than before, or much more in one than in another, or nothing in some.
/// A leak goes on; what has found its size stops, and a pool is enlarged ever more rarely.
pub fn is_unsteady(growth: &Growth) -> bool {
    let began = since_it_began(growth);
    let growth = began.as_ref().unwrap_or(growth);
    let paces = paces(&growth.bytes, &growth.times);
    let least = paces.iter().copied().fold(f64::INFINITY, f64::min);
    let uneven = || paces.iter().any(|&pace| STEADY * pace > least) || slows(&growth.bytes, &growth.times);
    (paces.len() >= INTERVALS && least > 0.0 && uneven()) || goes_up_in_steps(growth)
}

/// The same from the dump on after which it grew, if it grew from each dump to the next since, often enough to tell.
fn since_it_began(growth: &Growth) -> Option<Growth> {
    let still = increments(&growth.objects).iter().take_while(|&&step| step == 0.0).count();
    let enough = growth.lasting && still > 0 && growth.objects.len() > still + INTERVALS;
    let turnover = growth.turnover.as_ref().filter(|_| enough)?;
    let from = |numbers: &[u64]| numbers.get(still..).map_or_else(Vec::new, <[u64]>::to_vec);
    Some(Growth {
        objects: from(&growth.objects),
        bytes: from(&growth.bytes),
        soft: from(&growth.soft),
        container_bytes: from(&growth.container_bytes),
        times: growth.times.get(still..).map_or_else(Vec::new, <[f64]>::to_vec),
        turnover: Some(Turnover {
            present: from(&turnover.present),
            first: from(&turnover.first),
            second: Vec::new(),
        }),
        ..growth.clone()
    })
}

/// Whether it grew by much between some dumps, but not between all, lost nothing, and did not stop: at the end it was not without growth for longer than
/// ever before. What grew once only did so at last, and is no work at hand.
fn goes_up_in_steps(growth: &Growth) -> bool {
    let keeps_all = |of: &Turnover| of.first.iter().all(|&left| left == of.first[0]);
    let more = increments(&growth.objects);
    let flat: Vec<_> = more.split(|&step| step > 0.0).map(<[f64]>::len).collect();
    let Some((&at_end, before)) = flat.split_last() else { return false };
    growth.turnover.as_ref().is_some_and(keeps_all)
        && (before.len() > 1 || (at_end == 0 && growth.lasting))
        && before.iter().any(|&intervals| intervals > 0 && intervals >= at_end)
        && more.iter().all(|&step| step >= 0.0)
        && more.iter().sum::<f64>() >= FEW
        && difference(&growth.bytes) >= IN_STEPS * growth.heap_bytes as f64
}

/// Why all that grows may be the program's start.
fn starts(growth: &Growth) -> Option<String> {
    growth.starting.map(|Starting { loaded, classes }| {
        format!(
            "the program is still starting: {loaded} of its {classes} classes were loaded between two dumps, and what it sets up grows as a \
             leak does; search again later"
        )
    })
}

/// Whether its objects are as many all along and became larger more than once, but not between each two dumps.
fn is_enlarged(growth: &Growth) -> bool {
    let is_one = growth.objects.iter().all(|&objects| objects == 1);
    let steps = increments(&growth.bytes);
    let rises = steps.iter().filter(|&&step| step > 0.0).count();
    is_one && steps.iter().all(|&step| step >= 0.0) && (2..steps.len()).contains(&rises)
}

/// Whether it is a queue that is not emptied fast enough: in a second as many come as before, and no more go than before, though there are
/// more. So each waits longer than the last, which neither a load that rises explains, nor objects that live for a while.
fn backs_up(growth: &Growth) -> bool {
    let Some(turnover) = &growth.turnover else { return false };
    let Some(Paces { came, went, apart }) = turnover.paces(&growth.objects, &growth.times) else {
        return false;
    };
    let even = |[before, after]: [f64; 2], by: f64| after <= by * before && before <= by * after;
    // Over one interval a load rises by less than over two.
    let comes_evenly = even(came, if apart > 1 { EVEN } else { EVEN.sqrt() });
    let (first, last) =
        (growth.objects.first().copied().unwrap_or(0), growth.objects.last().copied().unwrap_or(0));
    comes_evenly
        && even(went, EVEN)
        && went[0] >= GOES * came[0]
        && went[1] <= BACKS_UP * came[1]
        && last >= 2 * first
}

/// Whether at least twice as many came in the last interval as went, and as many are there as twice those at first.
fn outgrows(growth: &Growth) -> bool {
    let present = growth.turnover.as_ref().map_or(&[][..], |turnover| &turnover.present);
    let (&[.., stayed, _], &[first, .., before, last]) = (present, &growth.objects[..]) else { return false };
    let (came, went) = (last.saturating_sub(stayed), before.saturating_sub(stayed));
    last >= 2 * first && came >= 2 * went
}

/// Whether there are more in each dump by about as many a second, and as many in the last interval as in the first: a window or a cache grows
/// ever more slowly, until it is full.
fn grows_steadily(growth: &Growth) -> bool {
    let paces = paces(&growth.objects, &growth.times);
    let (&[first, .., last], &[few, .., many]) = (&paces[..], &growth.objects[..]) else { return false };
    let mean = paces.iter().sum::<f64>() / paces.len() as f64;
    let is_even = paces.iter().all(|&pace| (STEADY * mean..=mean / STEADY).contains(&pace));
    paces.len() >= INTERVALS && is_even && last >= KEEPS_PACE * first && many as f64 >= MORE * few as f64
}

/// Whether each interval brought less in a second than the one before, down to this part of the first: what is taken from finitely many, by chance, fills
/// so, and never quite.
fn slows_all_along(growth: &Growth, to: f64) -> bool {
    let paces = paces(&growth.bytes, &growth.times);
    let (Some(first), Some(last)) = (paces.first(), paces.last()) else { return false };
    paces.len() > INTERVALS && paces.windows(2).all(|pair| pair[1] < pair[0]) && *last < to * first
}

/// Why it may be none if there were fewer objects in one dump than in the one before: a leak loses nothing.
fn fewer_once(growth: &Growth) -> Option<String> {
    let fell = growth.objects.windows(2).find(|pair| (pair[1] as f64) < FELL * pair[0] as f64)?;
    Some(format!(
        "of {} objects {} were left in the next dump: it may come and go, and be more by chance; look for longer (--for)",
        fell[0], fell[1]
    ))
}

/// Why it may be a buffer that was emptied a short while ago, if it was: a JVM that has run for long and has a leak, has had it for
/// long.
fn since_when(growth: &Growth) -> Option<String> {
    let Watched { ran_before, seconds } = growth.watched?;
    let (&first, &last) = (growth.objects.first()?, growth.objects.last()?);
    let a_second = last.saturating_sub(first) as f64 / seconds.max(0.001);
    let filling = first as f64 / a_second;
    let young = ran_before < LONG * seconds;
    let long = filling >= (ran_before * OLD).min(seconds * OLD_IN_LOOKS);
    (a_second > 0.0 && !young && !long).then(|| {
        format!(
            "it was empty about {filling:.0} s before, though the JVM had run for {ran_before:.0} s: it may be a buffer that is \
             emptied when it is full; to decide that, search for {0:.0} s (--for {0:.0}s)",
            2.0 * (filling + seconds)
        )
    })
}

/// Why so few may be any: the segments of an index, or the blocks of a file, become more until some are made one.
fn few_more(growth: &Growth) -> Option<String> {
    let more = difference(&growth.objects);
    let bytes = difference(&growth.bytes).max(difference(&growth.container_bytes));
    let weighs = bytes >= WEIGHS * growth.heap_bytes as f64;
    ((1.0..FEW).contains(&more) && !weighs)
        .then(|| format!("{more} more tell no leak from chance, and they are small: look for longer (--for)"))
}

/// Why what nobody holds alone may be any of what the whole program shares: it became more by a little only.
fn hardly_more(growth: &Growth) -> Option<String> {
    let (&first, &last) = (growth.objects.first()?, growth.objects.last()?);
    let share = last.saturating_sub(first) as f64 / first.max(1) as f64;
    (growth.nobodys && share < HARDLY).then(|| {
        format!(
            "nothing of the program's own holds them alone, and they became more by {:.1} % only: caches share such; look for longer (--for)",
            100.0 * share
        )
    })
}

/// Why it can't become more than what holds it.
fn filled_in(growth: &Growth) -> Option<String> {
    let Bound { holder, holders, taken } = growth.bound.as_ref()?;
    let free = holders.saturating_sub(*taken);
    let seconds = growth.watched.map(|watched| watched.seconds);
    let grown = difference(&growth.objects);
    let when = seconds
        .filter(|_| free > 0 && grown > 0.0)
        .map_or_else(String::new, |seconds| format!(" in about {:.0} s", free as f64 * seconds / grown));
    Some(format!(
        "each of {holders} {holder} holds one at most, these do not become more, and {free} have none yet: a ring or a pool that fills; \
         search again{when}"
    ))
}

/// Why it can't become more than its arrays have slots.
fn slots_of(growth: &Growth) -> Option<String> {
    let holder = growth.in_fixed_arrays_of.as_ref()?;
    Some(format!(
        "it fills slots of an array of {holder} that was not replaced by a larger one all along: a ring that fills, or a list with room left; look \
         for longer (--for)"
    ))
}

fn increments(numbers: &[u64]) -> Vec<f64> {
    numbers.windows(2).map(|pair| pair[1] as f64 - pair[0] as f64).collect()
}

/// How much more came in each second, between each two dumps; per interval where no times are known.
fn paces(numbers: &[u64], times: &[f64]) -> Vec<f64> {
    let seconds = |at: usize| match times.get(at..at + 2) {
        Some([from, to]) => (to - from).max(0.001),
        _ => 1.0,
    };
    increments(numbers).into_iter().enumerate().map(|(at, step)| step / seconds(at)).collect()
}

fn difference(numbers: &[u64]) -> f64 {
    increments(numbers).iter().sum()
}
