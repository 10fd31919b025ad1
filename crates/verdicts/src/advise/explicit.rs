//! Collections of the whole heap that the program asks for: who asks, and what to do about it.
//!
//! `java.nio.Bits.reserveMemory` calls `System.gc()` where direct buffers are at their limit: without that collection it throws an
//! `OutOfMemoryError`. So the JVM is to ignore these calls only where direct buffers are known to be hardly in use.

use mayfly_profile::{Gc, GcKind, GcWork, Point, Profile};

use super::flag::{Direct, FlagAdvice, Known, Missing, Nothing, Reason};
use super::pauses::{Cost, worth};
use super::sizes::EXPLICIT;

/// Direct buffers that were seen to take this share of what they may have were at their limit between two readings.
const NEAR_LIMIT: f64 = 0.5;
/// Below this share of it they are hardly in use.
const HARDLY: f64 = 1.0 / 64.0;
/// Their limit is to be so many times the present one.
const TIMES: u64 = 2;

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Explicit {
    /// A flag.
    Try(FlagAdvice),
    /// No flag is known to be harmless.
    Unknown(Missing),
    /// No flag helps.
    Nothing(Nothing),
}

/// Judges them; `None` if there are none, or they are cheap.
pub(super) fn explicit_calls(profile: &Profile, work: &GcWork, known: &Known) -> Option<Explicit> {
    let gc = profile.run.jvm.gc;
    if !matches!(gc, Gc::Serial | Gc::Parallel | Gc::G1) {
        return None;
    }
    let now = worth(work, |cause| cause.kind == GcKind::Full && cause.cause == EXPLICIT)?;
    let direct = direct(profile, work);
    Some(match direct {
        Some(direct) if direct.share() >= NEAR_LIMIT => higher_limit(direct, now, work, known),
        _ if gc == Gc::G1 => Explicit::Try(concurrent(now, work, is_hardly_used(direct))),
        _ if is_hardly_used(direct) => {
            Explicit::Try(advice("-XX:+DisableExplicitGC", Reason::ExplicitCalls, now, Cost::default(), true))
        }
        _ => Explicit::Unknown(Missing::WhoCollects(direct)),
    })
}

/// How much direct buffers took at most when it was read; `None` where that is not known, as in recordings of an earlier Mayfly.
fn direct(profile: &Profile, work: &GcWork) -> Option<Direct> {
    let at_end = profile.off_heap().and_then(|now| now.direct_bytes());
    let most = profile.history.iter().filter_map(Point::direct_bytes).chain(at_end).max()?;
    let limit = profile.flag("MaxDirectMemorySize").filter(|&bytes| bytes > 0).or(work.heap_limit)?;
    Some(Direct { most, limit })
}

fn is_hardly_used(direct: Option<Direct>) -> bool {
    direct.is_some_and(|direct| direct.share() < HARDLY)
}

/// More room for direct buffers, if the memory allows it: it is filled half as often, unless what fills it is never released.
fn higher_limit(direct: Direct, now: Cost, work: &GcWork, known: &Known) -> Explicit {
    let wanted = direct.limit.saturating_mul(TIMES);
    let all = wanted.saturating_add(work.heap_limit.unwrap_or(0));
    if let Some(memory) = known.memory.filter(|&memory| all > memory) {
        return Explicit::Nothing(Nothing::DirectBuffers { direct, memory });
    }
    let (collections, us) = (now.collections / TIMES as f64, now.pause_us.0);
    let then = Cost { collections, pause_us: (us / TIMES as f64, us) };
    let flags = format!("-XX:MaxDirectMemorySize={}m", wanted >> 20);
    Explicit::Try(advice(&flags, Reason::DirectBuffers(direct), now, then, false))
}

/// A concurrent one begins and ends with pauses as long as those of the others, and frees direct buffers, too.
fn concurrent(now: Cost, work: &GcWork, is_known_who: bool) -> FlagAdvice {
    let (others, us) = work.pauses_by(|cause| cause.kind == GcKind::Young);
    let each = us as f64 / f64::from(others.max(1));
    let then = Cost { collections: now.collections, pause_us: (0.0, each * now.collections * 3.0) };
    let sure = is_known_who && then.pause_us.1 < now.pause_us.0;
    advice("-XX:+ExplicitGCInvokesConcurrent", Reason::ExplicitCalls, now, then, sure)
}

fn advice(flags: &str, reason: Reason, now: Cost, then: Cost, sure: bool) -> FlagAdvice {
    FlagAdvice { flags: flags.to_owned(), reason, now, then, sure, promoted: None, cpu: None }
}
