//! Advice as text for people.

use mayfly_profile::{Stack, is_of_the_jdk};
use mayfly_report::{count, printable, right_aligned, size};
use mayfly_verdicts::advise::{Advice, MadeAnew, Tried};

use super::advice::{Advised, BELIEVED};
use super::wording::frame;

/// Frames of a site.
const FRAMES: usize = 3;
/// Of the program's own, if these are the JDK's.
const OWN_FRAMES: usize = 2;

/// The text.
pub(crate) fn advice_text(advised: &Advised) -> String {
    let mut text = match &advised.advice {
        Ok(advice) => young(advised, advice),
        Err(why) => format!("No advice on the young generation: {why}.\n"),
    };
    text += &lists(advised);
    text
}

fn young(advised: &Advised, advice: &Advice) -> String {
    let mut text = format!(
        "{}: {} allocated, collector {}.\nPromoted, as predicted (in brackets what the collections leave open):\n",
        printable(&advised.recording),
        bytes(advice.allocated),
        advised.gc
    );
    let mut rows =
        vec![["young", "threshold", "promoted", "", "collections", ""].map(str::to_owned).to_vec()];
    rows.push(row(&advice.present, "now"));
    let suggested = advised.suggestion();
    for other in &advice.others {
        rows.push(row(other, if suggested == Some(other) { "suggested" } else { "" }));
    }
    text += &right_aligned(&rows, "  ");
    text += &self_check(advised);
    text += &match (advised.flags(), suggested) {
        (Some(flags), Some(suggested)) => format!(
            "Try {flags}: {} promoted instead of {}.\n",
            bytes(suggested.prediction.promoted.1),
            bytes(advice.present.prediction.promoted.1)
        ),
        _ if !advised.is_believed() => format!(
            "Whether a flag would gain anything can't be told: a prediction counts only where the JVM's log, or its recorded collections, agree with that of the present settings within {:.0} %.\n",
            BELIEVED * 100.0
        ),
        _ => "Nothing to gain: a larger young generation, or one that keeps objects for longer, promotes hardly less.\n"
            .to_owned(),
    };
    text
}

fn row(tried: &Tried, mark: &str) -> Vec<String> {
    let (least, likely, most) = tried.prediction.promoted;
    vec![
        size(tried.young.size),
        format!("{:.0} of {}", tried.prediction.threshold, tried.young.threshold),
        bytes(likely),
        format!("({} to {})", bytes(least), bytes(most)),
        count(tried.prediction.collections.round() as u64),
        mark.to_owned(),
    ]
}

fn self_check(advised: &Advised) -> String {
    let (Some(log), Ok(advice)) = (advised.log, &advised.advice) else {
        return "Self-check: not made; a log of the same run (-Xlog:gc*:file=gc.log) tells what was promoted: --gc-log gc.log.\n"
            .to_owned();
    };
    let share = advised
        .self_check()
        .map_or("nothing to compare with".to_owned(), |share| format!("{:+.0} %", (share - 1.0) * 100.0));
    let full = match log.full {
        0 => String::new(),
        full => format!("; {full} full collections promoted, too, which is in neither"),
    };
    let by = if advised.is_recorded { "as the recorded collections tell" } else { "by the JVM's own log" };
    format!(
        "Self-check: {} predicted for the present settings, {} promoted {by} ({share}{full}).\n",
        bytes(advice.present.prediction.promoted.1),
        size(log.bytes)
    )
}

fn lists(advised: &Advised) -> String {
    let mut text = String::new();
    let mut list = |heading: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            text += &format!("\n{heading}\n");
            for line in rows.into_iter().flatten() {
                text += &format!("  {}\n", printable(&line));
            }
        }
    };
    let with = |head: String, stack: &Stack| [vec![head], frames(stack)].concat();
    let made = advised.made_anew.iter();
    list(
        "Made again and again, and dead at once: if they are equal, make it once and keep it:",
        made.map(|made| with(made_again(made), &made.stack)).collect(),
    );
    let premature = advised.premature.iter();
    list(
        "Die just after promotion (let them die before, or live for good):",
        premature.map(|site| with(format!("{} of {}", size(site.bytes), site.class), &site.stack)).collect(),
    );
    let pools = advised.pools.iter();
    list(
        "Large objects of one size, of which few live at once (a pool could do):",
        pools.map(|pool| with(pooled(pool), &pool.stack)).collect(),
    );
    let heading = format!(
        "Objects of half a region of {} or more, which G1 puts into regions of their own:",
        size(advised.region)
    );
    let humongous = advised.humongous.iter();
    list(
        &heading,
        humongous
            .map(|class| {
                let head = format!("up to {} of {}", size(class.largest), class.class);
                let stacks = class.stacks.iter().enumerate();
                let ways = stacks.flat_map(|(at, stack)| {
                    let other = (at > 0).then(|| " and".to_owned());
                    other.into_iter().chain(frames(stack))
                });
                [head].into_iter().chain(ways).collect()
            })
            .collect(),
    );
    let removed = advised.removed.iter();
    list(
        "Not worth optimising, as the JIT compiler removes most of it:",
        removed
            .map(|class| {
                vec![format!(
                    "{}: {} executed, about {} allocated",
                    class.class,
                    size(class.executed),
                    size(class.allocated)
                )]
            })
            .collect(),
    );
    text
}

fn pooled(pool: &mayfly_verdicts::advise::Pool) -> String {
    format!(
        "{} of {}, {} each; about {} live at once",
        count(pool.objects),
        pool.class,
        size(pool.size),
        count(pool.at_once.ceil() as u64)
    )
}

fn made_again(made: &MadeAnew) -> String {
    let (class, method) = &made.maker;
    let what = if method == "<init>" { class.clone() } else { format!("{class} by {method}") };
    format!(
        "{} of {what}, {} with all that making them takes, {:.0} % of all",
        count(made.objects),
        size(made.bytes),
        made.share * 100.0
    )
}

/// The innermost frames, and on to the first of the program's own with its caller: what to change is there.
fn frames(stack: &Stack) -> Vec<String> {
    let all: Vec<_> = stack.iter().collect();
    let own = all.iter().position(|frame| !is_of_the_jdk(&frame.class)).unwrap_or(0);
    let mut lines: Vec<_> = all.iter().take(FRAMES).map(|one| format!("  at {}", frame(one))).collect();
    if own >= FRAMES {
        lines.extend((own > FRAMES).then(|| format!("  ... {} more", own - FRAMES)));
        lines.extend(all[own..].iter().take(OWN_FRAMES).map(|one| format!("  at {}", frame(one))));
    }
    lines
}

fn bytes(amount: f64) -> String {
    size(amount.max(0.0).round() as u64)
}
