//! Advice as JSON, schema `mayfly-advice/1`. Described for users in `docs/guide/advise.md`.

use mayfly_profile::Stack;
use mayfly_verdicts::advise::{Advice, Answer, FlagAdvice, GcCpu, MadeAnew, Reason, Tried};
use serde::Serialize;

use super::advice::Advised;
use super::advice_answer::answer_text;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    recording: &'a str,
    gc: &'a str,
    /// The answer, in one word: try, nothing, unknown.
    answer: &'static str,
    /// And in sentences.
    answer_text: String,
    /// What the collector did; null if nothing was collected.
    collecting: Option<CollectingJson<'a>>,
    /// Each flag to try.
    tries: Vec<TryJson<'a>>,
    young: Option<YoungJson>,
    /// Why `young` is null.
    declined: Option<&'a str>,
    flags: Option<String>,
    self_check: Option<SelfCheckJson>,
    made_anew: Vec<MadeAnewJson<'a>>,
    premature: Vec<SiteJson<'a>>,
    pools: Vec<PoolJson<'a>>,
    humongous: Vec<HumongousJson<'a>>,
    removed_by_jit: Vec<RemovedJson<'a>>,
}

#[derive(Serialize)]
struct CollectingJson<'a> {
    seconds: f64,
    pauses: u32,
    paused_ms: f64,
    paused_share: f64,
    longest_ms: Option<f64>,
    /// Null where nobody looked while the JVM ran.
    cpu_share: Option<f64>,
    promoted_bytes: Option<u64>,
    left_bytes_least: Option<u64>,
    left_bytes_last: Option<u64>,
    left_bytes_most: Option<u64>,
    heap_limit_bytes: Option<u64>,
    causes: Vec<CauseJson<'a>>,
}

#[derive(Serialize)]
struct CauseJson<'a> {
    cause: &'a str,
    kind: &'static str,
    pauses: u32,
    paused_ms: f64,
    longest_ms: f64,
}

#[derive(Serialize)]
struct TryJson<'a> {
    flags: &'a str,
    reason: &'static str,
    sure: bool,
    collections_now: f64,
    collections_then: f64,
    paused_ms_now: f64,
    paused_ms_then_least: f64,
    paused_ms_then_most: f64,
    /// Shares of the processor time, of collectors that work beside the program.
    cpu_share_now: Option<f64>,
    cpu_share_then: Option<f64>,
}

#[derive(Serialize)]
struct YoungJson {
    allocated_bytes: u64,
    now: TriedJson,
    others: Vec<TriedJson>,
    /// Whether the self-check bears the predictions out.
    believed: bool,
    /// The suggested one; null: nothing is to be gained, or it can't be told.
    suggested: Option<TriedJson>,
}

#[derive(Serialize)]
struct TriedJson {
    young_bytes: u64,
    max_tenuring_threshold: u8,
    threshold: f64,
    collections: f64,
    promoted_bytes: u64,
    promoted_bytes_least: u64,
    promoted_bytes_most: u64,
}

#[derive(Serialize)]
struct SelfCheckJson {
    predicted_bytes: u64,
    promoted_bytes: u64,
    young_collections: u32,
    full_collections: u32,
}

#[derive(Serialize)]
struct MadeAnewJson<'a> {
    class: &'a str,
    method: &'a str,
    stack: Vec<String>,
    objects: u64,
    bytes: u64,
    share: f64,
}

#[derive(Serialize)]
struct SiteJson<'a> {
    class: &'a str,
    stack: Vec<String>,
    bytes: u64,
}

#[derive(Serialize)]
struct PoolJson<'a> {
    class: &'a str,
    stack: Vec<String>,
    objects: u64,
    object_bytes: u64,
    live_at_once: f64,
}

#[derive(Serialize)]
struct HumongousJson<'a> {
    class: &'a str,
    largest: u64,
    stacks: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct RemovedJson<'a> {
    class: &'a str,
    executed_bytes: u64,
    allocated_bytes: u64,
}

/// The document, ending in a newline.
pub(crate) fn advice_json(advised: &Advised) -> String {
    let document = Document {
        schema: "mayfly-advice/1",
        recording: &advised.recording,
        gc: advised.gc.name(),
        answer: match advised.answer {
            Answer::Try(_) => "try",
            Answer::Nothing(_) => "nothing",
            Answer::Unknown(_) => "unknown",
        },
        answer_text: answer_text(advised).trim_end().to_owned(),
        collecting: (advised.work.count() > 0).then(|| collecting(advised)),
        tries: match &advised.answer {
            Answer::Try(flags) => flags.iter().map(tries).collect(),
            _ => Vec::new(),
        },
        young: advised.advice.as_ref().ok().map(|advice| young(advised, advice)),
        declined: advised.advice.as_ref().err().map(String::as_str),
        flags: advised.flags(),
        self_check: self_check(advised),
        made_anew: advised.made_anew.iter().map(made_anew).collect(),
        premature: advised
            .premature
            .iter()
            .map(|site| SiteJson { class: &site.class, stack: stack(&site.stack), bytes: site.bytes })
            .collect(),
        pools: advised.pools.iter().map(pool).collect(),
        humongous: advised
            .humongous
            .iter()
            .map(|class| HumongousJson {
                class: &class.class,
                largest: class.largest,
                stacks: class.stacks.iter().map(stack).collect(),
            })
            .collect(),
        removed_by_jit: advised
            .removed
            .iter()
            .map(|class| RemovedJson {
                class: &class.class,
                executed_bytes: class.executed,
                allocated_bytes: class.allocated,
            })
            .collect(),
    };
    serde_json::to_string_pretty(&document).expect("names and finite numbers") + "\n"
}

fn collecting(advised: &Advised) -> CollectingJson<'_> {
    let work = &advised.work;
    let ms = |us: u64| us as f64 / 1000.0;
    CollectingJson {
        seconds: work.span_ms as f64 / 1000.0,
        pauses: work.count(),
        paused_ms: ms(work.pause_us()),
        paused_share: work.pause_share(),
        longest_ms: work.longest.as_ref().map(|longest| ms(longest.us)),
        cpu_share: advised.cpu.as_ref().map(GcCpu::share),
        promoted_bytes: work.promoted,
        left_bytes_least: work.left.map(|left| left.least),
        left_bytes_last: work.left.map(|left| left.last),
        left_bytes_most: work.left.map(|left| left.most),
        heap_limit_bytes: work.heap_limit,
        causes: work
            .causes
            .iter()
            .map(|cause| CauseJson {
                cause: &cause.cause,
                kind: cause.kind.name(),
                pauses: cause.count,
                paused_ms: ms(cause.pause_us),
                longest_ms: ms(cause.longest_us),
            })
            .collect(),
    }
}

fn tries(flag: &FlagAdvice) -> TryJson<'_> {
    TryJson {
        flags: &flag.flags,
        reason: match flag.reason {
            Reason::ExplicitCalls => "explicit-calls",
            Reason::Metaspace => "metaspace",
            Reason::LargeObjects => "large-objects",
            Reason::SmallYoung => "small-young",
            Reason::SmallHeap => "small-heap",
            Reason::Promotes => "promotes",
        },
        sure: flag.sure,
        collections_now: flag.now.collections,
        collections_then: flag.then.collections,
        paused_ms_now: flag.now.pause_us.0 / 1000.0,
        paused_ms_then_least: flag.then.pause_us.0 / 1000.0,
        paused_ms_then_most: flag.then.pause_us.1 / 1000.0,
        cpu_share_now: flag.cpu.map(|(now, _)| now),
        cpu_share_then: flag.cpu.map(|(_, then)| then),
    }
}

fn made_anew(made: &MadeAnew) -> MadeAnewJson<'_> {
    MadeAnewJson {
        class: &made.maker.0,
        method: &made.maker.1,
        stack: stack(&made.stack),
        objects: made.objects,
        bytes: made.bytes,
        share: made.share,
    }
}

fn pool(pool: &mayfly_verdicts::advise::Pool) -> PoolJson<'_> {
    PoolJson {
        class: &pool.class,
        stack: stack(&pool.stack),
        objects: pool.objects,
        object_bytes: pool.size,
        live_at_once: pool.at_once,
    }
}

fn young(advised: &Advised, advice: &Advice) -> YoungJson {
    YoungJson {
        allocated_bytes: whole(advice.allocated),
        now: tried(&advice.present),
        others: advice.others.iter().map(tried).collect(),
        believed: advised.believed,
        suggested: advised.suggestion().map(tried),
    }
}

fn tried(tried: &Tried) -> TriedJson {
    let (least, likely, most) = tried.prediction.promoted;
    TriedJson {
        young_bytes: tried.young.size,
        max_tenuring_threshold: tried.young.threshold,
        threshold: tried.prediction.threshold,
        collections: tried.prediction.collections,
        promoted_bytes: whole(likely),
        promoted_bytes_least: whole(least),
        promoted_bytes_most: whole(most),
    }
}

fn self_check(advised: &Advised) -> Option<SelfCheckJson> {
    let (advice, log) = (advised.advice.as_ref().ok()?, advised.log?);
    Some(SelfCheckJson {
        predicted_bytes: whole(advice.present.prediction.promoted.1),
        promoted_bytes: log.bytes,
        young_collections: log.young,
        full_collections: log.full,
    })
}

fn stack(frames: &Stack) -> Vec<String> {
    frames.iter().map(|frame| format!("{}.{}", frame.class, frame.method)).collect()
}

fn whole(bytes: f64) -> u64 {
    bytes.max(0.0).round() as u64
}
