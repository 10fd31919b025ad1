//! Which flag helps, or that none does, or what is missing to tell: from what collections cost the program.
//!
//! No flag can save more than collections cost. So where they cost next to nothing, nothing is to be gained, whatever else is
//! known. Not here: how large a young generation or a heap should be (`sizes`).

use mayfly_profile::{GcKind, GcWork, Profile};

use super::explicit::{Explicit, explicit_calls};
use super::flag::{FlagAdvice, GcCpu, Known, Missing, Nothing, Reason};
use super::gc_log::Promoted;
use super::pauses::{Cost, WORTH, worth};
use super::settings::Settings;
use super::sizes::{self, SizeAdvice, works_beside};
use super::suggest::{Advice, Tried};

/// Below this share of the time, and of the processor, collections are cheap.
const CHEAP: f64 = 0.02;
/// Of one processor; a process that does nothing may have its collector do most of it.
const IDLE: f64 = 0.01;
/// For so long after the whole heap was collected it may be smaller than it mostly is.
const LATELY_MS: u64 = 300_000;
/// G1's largest region, and the least number of them that a heap should have.
const LARGEST_REGION: u64 = 32 << 20;
const LEAST_REGIONS: u64 = 32;
/// Metaspace is to have so much more than is used.
const METASPACE_SPARE: f64 = 1.25;
/// Which few programs need.
const MOST_METASPACE_MIB: u64 = 256;

/// What predictions of promotion say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Promotion {
    /// The young generation that promotes least, where what the JVM promoted bears that out.
    pub suggested: Option<(Tried, Tried)>,
    /// Whether it is borne out.
    pub believed: bool,
    /// Whether there is a prediction, and a log was given to hold it against: then it is what was asked for.
    pub by_log: bool,
}

/// A prediction is believed if that of the present settings is off by no more than this share of what the JVM promoted.
pub const BELIEVED: f64 = 0.3;
/// Or by so many bytes: next to nothing is promoted.
const TOO_FEW_TO_COMPARE: f64 = (1 << 20) as f64;

impl Promotion {
    /// Of a prediction, and what the JVM promoted by its log, or by its recorded collections.
    pub fn of(advice: Option<&Advice>, promoted: Option<Promoted>, by_log: bool) -> Self {
        let Some(advice) = advice else { return Self::default() };
        let Some(log) = promoted else { return Self { by_log, ..Self::default() } };
        let off = (advice.present.prediction.promoted.1 - log.bytes as f64).abs();
        let believed = off <= (BELIEVED * log.bytes as f64).max(TOO_FEW_TO_COMPARE);
        let suggested = advice.suggestion().filter(|_| believed).map(|then| (advice.present, *then));
        Self { suggested, believed, by_log }
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// These, together.
    Try(Vec<FlagAdvice>),
    /// Nothing is to be gained.
    Nothing(Nothing),
    /// It can't be told.
    Unknown(Missing),
}

/// Answers for a recorded JVM.
pub fn answer(profile: &Profile, known: &Known, promotion: &Promotion) -> Answer {
    let work = profile.gc_work();
    let promotes = promotion.suggested.map(|(now, then)| promotes(&now, &then));
    if promotion.by_log {
        return match promotes {
            _ if !promotion.believed => Answer::Unknown(Missing::LogDiffers),
            Some(flag) => Answer::Try(vec![flag]),
            None => Answer::Nothing(Nothing::NoPromotion),
        };
    }
    if work.count() == 0 {
        return match (profile.is_blank(), work.unknown) {
            (true, _) => Answer::Unknown(Missing::Recording),
            (_, 0) => Answer::Nothing(Nothing::NoCollection),
            _ => Answer::Unknown(Missing::Pauses),
        };
    }
    // No flag frees what lives.
    if let Some(full) = profile.full_heap().filter(|_| grows(profile)) {
        return Answer::Nothing(Nothing::FullOfWhatGrows(full));
    }
    let (explicit, no_flag) = match explicit_calls(profile, &work, known) {
        None => (None, None),
        Some(Explicit::Try(flag)) => (Some(flag), None),
        Some(Explicit::Unknown(missing)) => (None, Some(Answer::Unknown(missing))),
        Some(Explicit::Nothing(why)) => (None, Some(Answer::Nothing(why))),
    };
    let regions = large_objects(profile, &work);
    let mut flags: Vec<_> = [explicit, metaspace(&work, known), regions].into_iter().flatten().collect();
    if !is_busy(&work, known) {
        return match no_flag {
            _ if !flags.is_empty() => Answer::Try(flags),
            Some(answer) => answer,
            None if known.cpu.is_none() && works_beside(profile.run.jvm.gc) => {
                Answer::Unknown(Missing::CollectorsCpu)
            }
            None => Answer::Nothing(Nothing::Cheap),
        };
    }
    let sized = match promotes {
        Some(flag) => SizeAdvice::Try(Box::new(flag)),
        None => sizes::sized(profile, &work, known),
    };
    match (worthwhile(sized, profile, &work, known), no_flag) {
        (SizeAdvice::Try(flag), _) => flags.push(*flag),
        _ if !flags.is_empty() => {}
        (_, Some(answer)) => return answer,
        (SizeAdvice::Nothing(why), None) => return Answer::Nothing(why),
        (SizeAdvice::Unknown(missing), None) => return Answer::Unknown(missing),
    }
    Answer::Try(flags)
}

/// Whether anything surely grows.
fn grows(profile: &Profile) -> bool {
    profile.growing().is_ok_and(|growing| growing.growers.iter().any(|grower| grower.growth.is_sure()))
}

/// Whether collections cost enough to do something about them.
fn is_busy(work: &GcWork, known: &Known) -> bool {
    let of_cpu = known.cpu.is_some_and(|cpu| cpu.share() >= CHEAP && cpu.of_one_processor() >= IDLE);
    work.pause_share() >= CHEAP || of_cpu
}

/// A size, if it may save something, and the heap that it was measured in is the usual one.
fn worthwhile(sized: SizeAdvice, profile: &Profile, work: &GcWork, known: &Known) -> SizeAdvice {
    let SizeAdvice::Try(flag) = sized else { return sized };
    // A heap that is smaller than usual is collected more often, not less.
    match (little(&flag, work, known), shrunk_before_ms(profile, known)) {
        (Some(little), _) => SizeAdvice::Nothing(little),
        (None, Some(ms)) => SizeAdvice::Unknown(Missing::UsualHeap(ms)),
        (None, None) => SizeAdvice::Try(flag),
    }
}

/// What a size saves at most, if that is next to nothing.
fn little(flag: &FlagAdvice, work: &GcWork, known: &Known) -> Option<Nothing> {
    if flag.reason == Reason::Promotes {
        return None;
    }
    let all = (work.pause_us() as f64).max(1.0);
    let share = ((flag.now.pause_us.0 - flag.then.pause_us.0) / all).clamp(0.0, 1.0);
    let time = work.pause_share() * share;
    let share_of_cpu = |cpu: GcCpu| match flag.cpu {
        Some((now, then)) => (now - then) / cpu.share().max(f64::MIN_POSITIVE),
        None => share,
    };
    let cpu = known.cpu.map(|cpu| cpu.share() * share_of_cpu(cpu));
    let of_one = known.cpu.map(|cpu| cpu.of_one_processor() * share_of_cpu(cpu));
    let is_little = cpu.is_none_or(|cpu| cpu < CHEAP) || of_one.is_none_or(|of_one| of_one < IDLE);
    (time < WORTH && is_little).then_some(Nothing::Little { time, cpu })
}

/// How long before the end of the profile, or before its begin, the whole heap was collected from outside, for a look into it, after which the JVM
/// makes it smaller than it was. `None`: not lately, or the heap or its young generation has a fixed size.
fn shrunk_before_ms(profile: &Profile, known: &Known) -> Option<u64> {
    let is_whole = |capacity: u64| profile.flag("MaxHeapSize").is_some_and(|most| capacity >= most);
    let last = profile.own_collections().last()?;
    let fixed = Settings::of(profile).fixed_young.is_some();
    if fixed || last.heap().and_then(|heap| heap.capacity).is_some_and(is_whole) {
        return None;
    }
    let own = profile.own_collections().any(|gc| gc.kind == GcKind::Full);
    let before = known.collected_whole_ms.filter(|_| !own);
    let forced = profile.collections.iter().filter(|gc| gc.kind == GcKind::Full && gc.is_forced());
    // That of the end has shrunk nothing yet.
    let within = forced
        .filter(|gc| gc.at_ms < last.at_ms)
        .map(|gc| profile.duration_ms.saturating_sub(gc.at_ms))
        .min();
    within.or(before).filter(|&ms| ms < LATELY_MS)
}

fn promotes(now: &Tried, then: &Tried) -> FlagAdvice {
    let mut flags = Vec::new();
    if then.young.size != now.young.size {
        flags.push(format!("-Xmn{}m", then.young.size.div_ceil(1 << 20)));
    }
    if then.young.threshold != now.young.threshold {
        flags.push(format!("-XX:MaxTenuringThreshold={}", then.young.threshold));
    }
    let cost = |tried: &Tried| Cost { collections: tried.prediction.collections, ..Cost::default() };
    FlagAdvice {
        flags: flags.join(" "),
        reason: Reason::Promotes,
        now: cost(now),
        then: cost(then),
        sure: true,
        promoted: Some((now.prediction.promoted.1, then.prediction.promoted.1)),
        cpu: None,
    }
}

/// Room for classes from the start. Where it is not known how much they take, as much as most programs need: no more is taken than is used.
fn metaspace(work: &GcWork, known: &Known) -> Option<FlagAdvice> {
    let now = worth(work, |cause| cause.cause == "Metadata GC Threshold")?;
    let wanted = known.metaspace.map(|used| ((used as f64 * METASPACE_SPARE) as u64).div_ceil(32 << 20) * 32);
    Some(FlagAdvice {
        flags: format!("-XX:MetaspaceSize={}m", wanted.unwrap_or(MOST_METASPACE_MIB)),
        reason: Reason::Metaspace,
        now,
        then: Cost::default(),
        sure: wanted.is_some(),
        promoted: None,
        cpu: None,
    })
}

/// Regions so large that no object seen takes half of one.
fn large_objects(profile: &Profile, work: &GcWork) -> Option<FlagAdvice> {
    let now = worth(work, |cause| cause.cause == "G1 Humongous Allocation")?;
    let region = profile.flag("G1HeapRegionSize").filter(|&bytes| bytes > 0)?;
    let largest = profile.classes.iter().map(|class| class.allocated.largest).max()?;
    let wanted = largest.checked_mul(2)?.checked_next_power_of_two()?;
    let most = LARGEST_REGION.min(work.heap_limit? / LEAST_REGIONS);
    (region < wanted && wanted <= most).then(|| FlagAdvice {
        flags: format!("-XX:G1HeapRegionSize={}m", wanted >> 20),
        reason: Reason::LargeObjects,
        now,
        // They fill the young generation instead.
        then: Cost { collections: now.collections, pause_us: (0.0, now.pause_us.1) },
        sure: false,
        promoted: None,
        cpu: None,
    })
}
