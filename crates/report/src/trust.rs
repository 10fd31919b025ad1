//! How much of the truth a profile is, in words: the trust line and the block under it.

use mayfly_profile::{EngineKind, Estimate, Following, LittlesLaw, Profile, Remainder, Trust};

use crate::names::class_text;
use crate::text::printable;
use crate::units;

/// One line: bytes counted of bytes the JVM says it allocated.
///
/// `trust: 1.86 GiB counted of 1.86 GiB the JVM allocated (coverage 99.98 %)`
pub fn trust_line(trust: &Trust, engine: EngineKind) -> String {
    let counted = counted(trust, engine);
    match (trust.jvm_allocated_bytes, trust.share()) {
        (Some(allocated), Some(share)) => format!(
            "trust: {counted} of {} the JVM allocated (coverage {})",
            units::bytes(allocated),
            units::share(share)
        ),
        _ => format!("trust: {counted}; the JVM gave no number of its own to compare with"),
    }
}

/// The trust line in fewer columns.
pub fn short_trust_line(trust: &Trust, engine: EngineKind) -> String {
    match (trust.jvm_allocated_bytes, trust.share()) {
        (Some(allocated), Some(share)) => {
            let known = units::bytes(trust.accounted_bytes);
            format!("trust: coverage {} ({known} of {})", units::share(share), units::bytes(allocated))
        }
        _ => format!("trust: {}, not compared", counted(trust, engine)),
    }
}

/// `1.86 GiB counted`, or estimated.
fn counted(trust: &Trust, engine: EngineKind) -> String {
    let how = match engine {
        EngineKind::Exact => "counted",
        EngineKind::Sampled => "estimated",
    };
    format!("{} {how}", units::bytes(trust.accounted_bytes))
}

/// The trust line and, each on a line of its own, the remainder by cause, refusals, dropped objects and the profiler's own
/// cost. Lines are indented by two spaces.
pub fn trust_block(trust: &Trust, engine: EngineKind) -> String {
    let mut lines = vec![trust_line(trust, engine)];
    lines.extend(overcount(trust).filter(|_| engine == EngineKind::Exact));
    lines.extend(named(trust));
    lines.extend(remainder(trust));
    let refusal = |r: &mayfly_profile::Refusals| {
        format!(
            "refused: {} {} not rewritten: {}",
            r.methods,
            plural(r.methods, "method"),
            printable(&r.reason)
        )
    };
    let dropped = |d: &mayfly_profile::Dropped| match d.objects {
        0 => format!("dropped: {}", printable(&d.cause)),
        _ => format!(
            "dropped: {} {} not tracked: {}",
            d.objects,
            plural(d.objects, "object"),
            printable(&d.cause)
        ),
    };
    lines.extend(trust.refusals.iter().map(refusal));
    lines.extend(trust.dropped.iter().map(dropped));
    lines.extend(following(&trust.following));
    lines.push(format!(
        "own cost: {} s CPU in the agent's threads, {} s rewriting classes, {} native memory",
        units::seconds(trust.cost.cpu_ms as f64),
        units::seconds(trust.cost.rewrite_ms as f64),
        units::bytes(trust.cost.native_bytes)
    ));
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// What bounds the error of death times, what was thinned, and what sweeping took.
fn following(following: &Following) -> Vec<String> {
    let mut lines = Vec::new();
    if following.thinned_to_one_in > 1 {
        lines.push(format!(
            "thinned: at worst 1 object in {} was tracked and stands for the others, for want of room",
            following.thinned_to_one_in
        ));
    }
    if following.sweeps == 0 {
        return lines;
    }
    lines.push(format!(
        "precision: each death is known to within {} of allocation and {} s ({} {} of the whole heap)",
        units::bytes(following.most_bytes_between),
        units::seconds(following.most_ms_between as f64),
        following.whole_collections,
        plural(following.whole_collections.into(), "collection")
    ));
    lines.push(format!(
        "sweeps: {} in {} s, the longest {} s; {} objects checked",
        following.sweeps,
        units::seconds(following.sweep_ms as f64),
        units::seconds(following.longest_sweep_ms as f64),
        following.asked
    ));
    lines
}

/// More counted than allocated: the JIT compiler keeps some objects in registers, and those are executed but never
/// allocated.
fn overcount(trust: &Trust) -> Option<String> {
    let over = trust.accounted_bytes.checked_sub(trust.jvm_allocated_bytes?).filter(|&over| over > 0)?;
    Some(format!(
        "optimised away: at least {} of what was counted was executed and not allocated (scalar replacement)",
        units::bytes(over)
    ))
}

fn remainder(trust: &Trust) -> Vec<String> {
    let mut lines: Vec<_> = trust
        .remainder
        .iter()
        .map(|part| format!("remainder: {} {}", size(part), printable(&part.cause)))
        .collect();
    let Some(allocated) = trust.jvm_allocated_bytes else { return lines };
    let named: i128 = trust.remainder.iter().map(|part| i128::from(part.bytes)).sum();
    let unnamed = i128::from(allocated) - i128::from(trust.accounted_bytes) - named;
    if unnamed != 0 && trust.accounted_bytes <= allocated {
        lines.push(format!("remainder: {} of unknown cause", signed(unnamed)));
    }
    lines
}

/// How much is counted, or has a known cause.
fn named(trust: &Trust) -> Option<String> {
    let share = trust.named_share().filter(|_| !trust.remainder.is_empty())?;
    Some(format!("counted or explained: {}; ± is the standard error of an estimate", units::share(share)))
}

/// `1.52 MiB`, or `12.3 MiB ± 900 KiB`.
fn size(part: &Remainder) -> String {
    let bytes = signed(part.bytes.into());
    match part.error_bytes {
        Some(error) => format!("{bytes} ± {}", units::bytes(error)),
        None => bytes,
    }
}

fn signed(bytes: i128) -> String {
    let magnitude = units::bytes(u64::try_from(bytes.unsigned_abs()).unwrap_or(u64::MAX));
    if bytes < 0 { format!("-{magnitude}") } else { magnitude }
}

/// Byte-seconds over time, against what collections left in use.
///
/// `Little's law: 12.0 MiB held on average by lifetimes (11.5 MiB to 13.0 MiB), 11.9 MiB in use after collections (11.1 MiB to 12.7 MiB)`
pub(crate) fn littles_law_line(law: LittlesLaw) -> String {
    let size = |bytes: f64| units::bytes(bytes.round() as u64);
    let doubt = if law.holds() { "" } else { ": they disagree" };
    format!(
        "Little's law: {} held on average by lifetimes ({} to {}), {} in use after collections ({} to {}){doubt}",
        size(law.held),
        size(law.bounds.0),
        size(law.bounds.1),
        size(law.live),
        size(law.live_bounds.0),
        size(law.live_bounds.1)
    )
}

/// Rows of each list of estimates.
const ROWS: usize = 10;

/// What samples say of single classes: objects that no hook saw, and executed allocations that the JIT compiler removed.
/// Empty if there is nothing to say. Lines are indented by two spaces.
pub(crate) fn estimates_block(profile: &Profile) -> String {
    let mut lines = unseen_rows(profile);
    lines.extend(removed_rows(profile));
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

fn unseen_rows(profile: &Profile) -> Vec<String> {
    let unseen = profile.estimates.iter().map(|(name, estimate)| (name, estimate.unseen));
    let mut rows: Vec<_> = unseen.filter(|(_, unseen)| unseen.bytes() > 0).collect();
    rows.sort_by_key(|(_, unseen)| std::cmp::Reverse(unseen.bytes()));
    let row = |(name, unseen): &(&String, Estimate)| {
        format!("not seen by the hooks: {} of {}", about(*unseen), class_text(name))
    };
    rows.iter().take(ROWS).map(row).collect()
}

fn removed_rows(profile: &Profile) -> Vec<String> {
    let rows = profile.removed_by_jit().map(|(class, estimate)| {
        format!(
            "optimised away: {} of {} executed, {} allocated",
            units::bytes(class.allocated.bytes),
            class_text(&class.name),
            about(estimate.allocated)
        )
    });
    rows.take(ROWS).collect()
}

fn about(estimate: Estimate) -> String {
    format!("{} ± {}", units::bytes(estimate.bytes()), units::bytes(estimate.error_bytes()))
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}
