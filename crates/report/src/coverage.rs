//! How far to trust a profile, in words: coverage, what was dropped, what is an estimate.
//!
//! Not here: the trust block of the full report (`trust`).

use mayfly_profile::{EngineKind, Profile, Trust};

use crate::doubts::doubts;
use crate::followed::{estimated_from, thinned};
use crate::text::printable;
use crate::units;

/// Fewer samples of a run are few.
const FEW_SAMPLES: u64 = 1_000;
/// What is aimed at where a nearer interval is advised; and the nearest that is.
const MANY_SAMPLES: u64 = 5_000;
const NEAREST_INTERVAL: u64 = 4 << 10;

/// Why a recording has no counts: which of these it was, only the JVM's own messages say.
pub const BLANK: &str = "the file ends before the first counts, as the JVM ended or was killed before they were written, or its disk was full (its stderr then has \"cannot write the recording\")";

/// How far to trust a profile, in sentences: what is covered, what is missing, what is an estimate.
pub fn coverage(profile: &Profile) -> Vec<String> {
    if profile.is_blank() {
        return vec!["Coverage: nothing was recorded.".to_owned()];
    }
    let mut counted = counted(profile);
    if profile.part.during_ms.is_some() {
        counted = counted.replacen("Coverage:", "Coverage of the whole recording:", 1);
    }
    let certain = [counted, missed(profile)];
    certain.into_iter().chain(doubts(profile)).chain(estimated(profile)).chain(few_samples(profile)).collect()
}

fn estimated(profile: &Profile) -> Option<String> {
    let from = estimated_from(profile)?;
    let what = match profile.run.engine {
        // Sites are counted by place.
        EngineKind::Exact if thinned(profile).is_some() => "Live and lifetimes",
        EngineKind::Exact => "Methods, live and lifetimes",
        EngineKind::Sampled if profile.is_read_and_sampled() => "Methods, live and lifetimes",
        EngineKind::Sampled => "All numbers",
    };
    Some(format!("{what}: estimates from {from}."))
}

/// What tells more of a program that allocates little.
fn few_samples(profile: &Profile) -> Option<String> {
    let interval = profile.bytes_between_samples()?.round() as u64;
    let bytes = profile.trust.accounted_bytes;
    let nearer = (bytes / MANY_SAMPLES).next_power_of_two().max(NEAREST_INTERVAL);
    let samples = bytes / interval.max(1);
    (samples < FEW_SAMPLES && nearer < interval).then(|| {
        let nearer = nearer >> 10;
        let option = match profile.run.engine {
            EngineKind::Exact => format!("--sample {nearer}k"),
            EngineKind::Sampled => format!("'#sample-{nearer}k'"),
        };
        format!("That is about {samples} samples, which is little: {option} would draw more.")
    })
}

/// Beyond what the JVM allocated so much is no more than what it counts late, or not at all.
const NOISE: f64 = 0.005;

/// Of a smaller share that was counted it is said what the rest is.
const MOST: f64 = 0.99;

fn counted(profile: &Profile) -> String {
    let trust = &profile.trust;
    let counted = units::bytes(trust.accounted_bytes);
    let (Some(allocated), Some(share)) = (trust.jvm_allocated_bytes, trust.share()) else {
        let why = match profile.complete {
            true => "this JVM gives no number of its own to compare with",
            false => "no number of the JVM's own was recorded before the recording was cut off",
        };
        return format!("Coverage: {counted} counted; {why}.");
    };
    let jvm = units::bytes(allocated);
    if profile.run.engine == EngineKind::Sampled {
        let share = units::share(share);
        if let Some(rest) = profile.sampled_rest() {
            let exact = "counts of classes are exact, read at young collections";
            let rest = match rest {
                0 => String::new(),
                rest => format!(", but for {} that samples tell of", units::bytes(rest)),
            };
            return format!("Coverage: {share} of the {jvm} the JVM allocated: {exact}{rest}.");
        }
        return format!("Coverage: {counted} estimated, {share} of the {jvm} the JVM allocated.");
    }
    if trust.accounted_bytes as f64 > allocated as f64 * (1.0 + NOISE) {
        // More, where something was missed as well.
        let removed = units::bytes(trust.accounted_bytes - allocated);
        return format!(
            "Coverage: {counted} counted; the JVM allocated {jvm}. The JIT compiler removed at least {removed}."
        );
    }
    let explained = trust.named_share().filter(|_| !trust.remainder.is_empty());
    let explained =
        explained.map(|share| format!(", {} counted or explained", units::share(share))).unwrap_or_default();
    let rest = if share < MOST { largest_rest(trust) } else { None }.unwrap_or_default();
    let share = units::share(share.min(1.0));
    format!("Coverage: {share} of the {jvm} the JVM allocated were counted{explained}.{rest}")
}

/// Where most of what was not counted was made, and how much that is.
fn largest_rest(trust: &Trust) -> Option<String> {
    let most = trust.remainder.iter().max_by_key(|part| part.bytes)?;
    let bytes = u64::try_from(most.bytes).ok().filter(|&bytes| bytes > 0)?;
    Some(format!(" Of the rest {}: {}.", units::bytes(bytes), printable(&most.cause)))
}

fn missed(profile: &Profile) -> String {
    let trust = &profile.trust;
    let dropped = trust.dropped_objects();
    let refused = trust.refusals.iter().map(|refusal| refusal.methods).fold(0, u64::saturating_add);
    let mut parts = Vec::new();
    let (counted, uncounted): (Vec<_>, Vec<_>) =
        trust.dropped.iter().partition(|dropped| dropped.objects > 0);
    if dropped > 0 {
        let causes: Vec<_> = counted.iter().map(|dropped| printable(&dropped.cause)).collect();
        parts.push(format!("{} objects dropped ({})", units::count(dropped), causes.join("; ")));
    }
    parts.extend(uncounted.iter().map(|dropped| printable(&dropped.cause).into_owned()));
    if refused > 0 {
        parts.push(format!("{refused} {} refused", if refused == 1 { "method" } else { "methods" }));
    }
    if trust.following.thinned_to_one_in > 1 {
        // Where the collector would keep what is followed, more memory helps nobody.
        let cure = match profile.run.jvm.gc.pauses_are_parts() {
            true => "",
            false if profile.run.options.contains("#memlimit-") => ", as #memlimit has no room for more",
            false => ", as there is no room for more: '#memlimit-1g' has four times as much",
        };
        parts.push(format!("thinned to 1 object in {}{cure}", trust.following.thinned_to_one_in));
    }
    if parts.is_empty() {
        "Nothing was dropped or refused.".to_owned()
    } else {
        format!("Missed: {}.", parts.join(", "))
    }
}
