//! Advice in words for people.

use std::collections::HashSet;

use mayfly_profile::{Frame, Stack};
use mayfly_report::{count, printable, readable_class, right_aligned, size, text_of_classes};
use mayfly_verdicts::advise::{Advice, MadeAnew, Pool, Tried};

use super::advice::Advised;
use super::advice_answer::answer_text;
use super::document::Document;
use super::wording::{frame, shown_frames};

/// The answer first, then what it rests on.
pub(crate) fn advice_document(advised: &Advised) -> Document {
    let mut document = Document::default();
    answer_text(advised).lines().for_each(|line| document.sentence(line));
    // Nobody changes the JDK's code.
    let is_own = |stack: &Stack| stack.own_frame().is_some() || stack.first().is_none();
    let pool = advised.pools.iter().find(|pool| is_own(&pool.stack));
    match (advised.made_anew.first(), pool) {
        (made, Some(pool)) if made.is_none_or(|made| made.share < pool.share) => {
            document.sentence(printable(&use_it_again(pool)));
        }
        (Some(made), _) => document.sentence(printable(&make_it_once(made))),
        (None, _) => {}
    }
    if !advised.lines.is_empty() {
        let lines = advised.lines.iter().map(|line| printable(line).into_owned());
        document.block(format!("Why it collects ({}):", advised.gc), lines.collect());
    }
    match &advised.advice {
        Ok(advice) if advised.is_asked || advised.flags().is_some() && advised.suggestion().is_some() => {
            young(advised, advice, &mut document);
        }
        Err(why) if advised.is_asked => document.note(format!("Promotion is not predicted: {why}.")),
        _ => {}
    }
    lists(advised, &mut document);
    document
}

fn young(advised: &Advised, advice: &Advice, document: &mut Document) {
    let heading = format!(
        "{}: {} allocated, collector {}.",
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
    let mut lines = vec!["Promoted, as predicted (in brackets what the collections leave open):".to_owned()];
    lines.extend(right_aligned(&rows, "  ").lines().map(str::to_owned));
    lines.push(self_check(advised));
    document.block(heading, lines);
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
        return "Self-check: not made; a log of the same run (-Xlog:gc*:file=gc.log) tells what was promoted: --gc-log gc.log."
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
        "Self-check: {} predicted for the present settings, {} promoted {by} ({share}{full}).",
        bytes(advice.present.prediction.promoted.1),
        size(log.bytes)
    )
}

fn lists(advised: &Advised, document: &mut Document) {
    let mut list = |heading: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            let lines = rows.iter().flatten().map(|line| format!("  {}", text_of_classes(line)));
            document.block(heading, lines.collect());
        }
    };
    let with = |head: String, stack: &Stack| [vec![head], frames(stack)].concat();
    let made = advised.made_anew.iter();
    list(
        "Made again and again, and dead at once:",
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
                // What differs where nobody is shown is one.
                let mut stacks: Vec<_> = class.stacks.iter().map(frames).collect();
                let mut seen = HashSet::new();
                stacks.retain(|shown| seen.insert(shown.clone()));
                let ways = stacks.into_iter().enumerate().flat_map(|(at, shown)| {
                    let other = (at > 0).then(|| " and".to_owned());
                    other.into_iter().chain(shown)
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
}

fn pooled(pool: &Pool) -> String {
    let [least, most] = [pool.at_once.0.floor(), pool.at_once.1.ceil()].map(|objects| count(objects as u64));
    let at_once = match pool.at_once {
        (sure, _) if sure < 1.0 => format!("about {most}"),
        _ if least == most => format!("about {least}"),
        _ => format!("{least} to {most}"),
    };
    format!(
        "{} of {}, {} each; {at_once} live at once, on average",
        count(pool.objects),
        pool.class,
        size(pool.size)
    )
}

fn made_again(made: &MadeAnew) -> String {
    format!(
        "{} of {}, {} with all that making them takes, {:.0} % of all",
        count(made.objects),
        maker(made),
        size(made.bytes),
        made.share * 100.0
    )
}

fn maker(made: &MadeAnew) -> String {
    let (class, method) = &made.maker;
    if method == "<init>" { class.clone() } else { format!("{class} by {method}") }
}

/// What to do about the largest of them.
fn make_it_once(made: &MadeAnew) -> String {
    let by = are_made_by(made.stack.first());
    format!(
        "In the code: about {} of {} that die at once{by}, {} with all that making them takes, {:.0} % of all. If they are equal, make one and keep it.",
        count(made.objects),
        maker(made),
        size(made.bytes),
        made.share * 100.0
    )
}

/// What to do about the largest of those of one size.
fn use_it_again(pool: &Pool) -> String {
    let by = are_made_by(pool.stack.own_frame());
    format!(
        "In the code: about {} of {} of {} each{by}, {:.0} % of all, and few of them live at once. If a smaller one does, make that; else keep one and use it again.",
        count(pool.objects),
        readable_class(&pool.class),
        size(pool.size),
        pool.share * 100.0
    )
}

/// A part of a sentence; nothing if it is not known who makes them.
fn are_made_by(maker: Option<&Frame>) -> String {
    maker.map_or_else(String::new, |maker| format!(" are made by {}", frame(maker)))
}

/// The innermost frames, and on to the first of the program's own.
fn frames(stack: &Stack) -> Vec<String> {
    let own = stack.iter().position(Frame::is_own);
    let lines = shown_frames(stack, own).into_iter();
    lines
        .map(|line| if line.starts_with("...") { format!("  {line}") } else { format!("  at {line}") })
        .collect()
}

fn bytes(amount: f64) -> String {
    size(amount.max(0.0).round() as u64)
}
