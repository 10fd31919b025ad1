//! Advice as JSON, schema `mayfly-advice/1`. Described for users in `docs/guide/advise.md`.

use mayfly_profile::Stack;
use mayfly_verdicts::advise::{Advice, Answer, FlagAdvice, GcCpu, MadeAnew, Reason, Tried};
use serde::Serialize;

use super::advice::Advised;
use super::advice_answer::answer_text;
use crate::json::object;

/// The document, ending in a newline.
pub(crate) fn advice_json(advised: &Advised) -> String {
    let document = object! {
        schema: "mayfly-advice/1",
        recording: &advised.recording,
        gc: advised.gc.name(),
        /// The answer, in one word: try, nothing, unknown.
        answer: match advised.answer {
            Answer::Try(_) => "try",
            Answer::Nothing(_) => "nothing",
            Answer::Unknown(_) => "unknown",
        },
        /// And in sentences.
        answer_text: answer_text(advised).trim_end().to_owned(),
        /// What the collector did; null if nothing was collected.
        collecting: (advised.work.count() > 0).then(|| collecting(advised)),
        /// Each flag to try.
        tries: match &advised.answer {
            Answer::Try(flags) => flags.iter().map(tries).collect::<Vec<_>>(),
            _ => Vec::new(),
        },
        young: advised.advice.as_ref().ok().map(|advice| young(advised, advice)),
        /// Why `young` is null.
        declined: advised.advice.as_ref().err().map(String::as_str),
        flags: advised.flags(),
        self_check: self_check(advised),
        made_anew: advised.made_anew.iter().map(made_anew).collect::<Vec<_>>(),
        premature: advised
            .premature
            .iter()
            .map(|site| object! { class: &site.class, stack: stack(&site.stack), bytes: site.bytes })
            .collect::<Vec<_>>(),
        pools: advised.pools.iter().map(pool).collect::<Vec<_>>(),
        humongous: advised
            .humongous
            .iter()
            .map(|class| object! {
                class: &class.class,
                largest: class.largest,
                stacks: class.stacks.iter().map(stack).collect::<Vec<_>>(),
            })
            .collect::<Vec<_>>(),
        removed_by_jit: advised
            .removed
            .iter()
            .map(|class| object! {
                class: &class.class,
                executed_bytes: class.executed,
                allocated_bytes: class.allocated,
            })
            .collect::<Vec<_>>(),
    };
    serde_json::to_string_pretty(&document).expect("names and finite numbers") + "\n"
}

fn collecting(advised: &Advised) -> impl Serialize {
    let work = &advised.work;
    let ms = |us: u64| us as f64 / 1000.0;
    object! {
        seconds: work.span_ms as f64 / 1000.0,
        pauses: work.count(),
        paused_ms: ms(work.pause_us()),
        paused_share: work.pause_share(),
        longest_ms: work.longest.as_ref().map(|longest| ms(longest.us)),
        /// Null where nobody looked while the JVM ran.
        cpu_share: advised.cpu.as_ref().map(GcCpu::share),
        promoted_bytes: work.promoted,
        left_bytes_least: work.left.map(|left| left.least),
        left_bytes_last: work.left.map(|left| left.last),
        left_bytes_most: work.left.map(|left| left.most),
        heap_limit_bytes: work.heap_limit,
        causes: work
            .causes
            .iter()
            .map(|cause| object! {
                cause: &cause.cause,
                kind: cause.kind.name(),
                pauses: cause.count,
                paused_ms: ms(cause.pause_us),
                longest_ms: ms(cause.longest_us),
            })
            .collect::<Vec<_>>(),
    }
}

fn tries(flag: &FlagAdvice) -> impl Serialize {
    object! {
        flags: &flag.flags,
        reason: match flag.reason {
            Reason::ExplicitCalls => "explicit-calls",
            Reason::DirectBuffers(_) => "direct-buffers",
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
        /// Shares of the processor time, of collectors that work beside the program.
        cpu_share_now: flag.cpu.map(|(now, _)| now),
        cpu_share_then: flag.cpu.map(|(_, then)| then),
    }
}

fn made_anew(made: &MadeAnew) -> impl Serialize {
    object! {
        class: &made.maker.0,
        method: &made.maker.1,
        stack: stack(&made.stack),
        objects: made.objects,
        bytes: made.bytes,
        share: made.share,
    }
}

fn pool(pool: &mayfly_verdicts::advise::Pool) -> impl Serialize {
    object! {
        class: &pool.class,
        stack: stack(&pool.stack),
        objects: pool.objects,
        object_bytes: pool.size,
        live_at_once: [pool.at_once.0, pool.at_once.1],
    }
}

fn young(advised: &Advised, advice: &Advice) -> impl Serialize {
    object! {
        allocated_bytes: whole(advice.allocated),
        now: tried(&advice.present),
        others: advice.others.iter().map(tried).collect::<Vec<_>>(),
        /// Whether the self-check bears the predictions out.
        believed: advised.believed,
        /// The suggested one; null: nothing is to be gained, or it can't be told.
        suggested: advised.suggestion().map(tried),
    }
}

fn tried(tried: &Tried) -> impl Serialize {
    let (least, likely, most) = tried.prediction.promoted;
    object! {
        young_bytes: tried.young.size,
        max_tenuring_threshold: tried.young.threshold,
        threshold: tried.prediction.threshold,
        collections: tried.prediction.collections,
        promoted_bytes: whole(likely),
        promoted_bytes_least: whole(least),
        promoted_bytes_most: whole(most),
    }
}

fn self_check(advised: &Advised) -> Option<impl Serialize> {
    let (advice, log) = (advised.advice.as_ref().ok()?, advised.log?);
    Some(object! {
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
