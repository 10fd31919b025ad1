//! Advice as JSON, schema `mayfly-advice/1`. Described for users in `docs/guide/advise.md`.

use mayfly_profile::Stack;
use mayfly_verdicts::advise::{Advice, MadeAnew, Tried};
use serde::Serialize;

use super::advice::Advised;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    recording: &'a str,
    gc: &'a str,
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
        believed: advised.is_believed(),
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
