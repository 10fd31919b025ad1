//! Limits, measurements and rulings in words, the same in every form.

use mayfly_profile::{Frame, Stack};
use mayfly_report::{class_text, grouped, plus_minus, printable, size};
use mayfly_verdicts::{Amount, Judgement, Offender, Outcome, Quantity, Ruling, Subject};

use super::checked_recording::CheckedRecording;

/// Frames of a stack that are shown.
const FRAMES: usize = 6;

/// What a limit is on and what it limits: `class com.acme.Session: live`.
pub(super) fn name(outcome: &Outcome) -> String {
    format!("{}: {}", subject(&outcome.limit.subject), outcome.limit.quantity.key())
}

/// What a limit is on: `class com.acme.Session`.
pub(super) fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Total => "total".to_owned(),
        Subject::Class(name) => format!("class {}", class_text(name)),
        Subject::Site(prefix) => format!("site {}", printable(prefix)),
    }
}

/// Of a limit that is.
pub(super) const KEPT: &str = "kept";

/// `kept`, `exceeded` or `unknown`.
pub(super) fn judgement(outcome: &Outcome) -> &'static str {
    match outcome.judgement {
        Judgement::Kept => KEPT,
        Judgement::Exceeded => "exceeded",
        Judgement::Unknown(_) => "unknown",
    }
}

/// What was measured, of what is allowed: `210 MiB, at most 200 MiB`.
pub(super) fn compared(outcome: &Outcome) -> String {
    let quantity = outcome.limit.quantity;
    // Of what is kept as it is no more than before, that decided.
    let as_before = outcome.limit.as_before.filter(|_| outcome.is_rough());
    let bound = as_before.map_or(outcome.limit.bound, |most| most.min(outcome.limit.bound));
    let allowed = if quantity.is_least() { "at least" } else { "at most" };
    let measured = outcome.measured.map_or("not known".to_owned(), |amount| measured(quantity, amount));
    format!("{measured}, {allowed} {}", number(quantity, bound))
}

/// Why a limit is not kept, and what else is to be said of it.
pub(super) fn remark(outcome: &Outcome) -> Option<String> {
    match &outcome.judgement {
        Judgement::Unknown(why) => Some(why.clone()),
        _ if !outcome.seen && outcome.measured.is_none_or(|amount| amount.value == 0.0) => {
            Some("nothing of that name was seen: is it misspelt?".to_owned())
        }
        _ => None,
    }
}

fn measured(quantity: Quantity, amount: Amount) -> String {
    let value = number(quantity, amount.value);
    if amount.is_exact() {
        return value;
    }
    let high = if amount.high.is_finite() { number(quantity, amount.high) } else { "more".to_owned() };
    format!("{value} ({} to {high})", number(quantity, amount.low))
}

fn number(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Bytes | Quantity::LiveBytes | Quantity::BytesPerOperation => size(value.round() as u64),
        Quantity::ByteSeconds => format!("{} s", size(value.round() as u64)),
        Quantity::Percentile(_) => format!("{} s", short(value)),
        Quantity::Measure(measure) => mayfly_report::number(measure.unit, value),
        Quantity::DiedBeforeFirstGc => format!("{} %", short(value * 100.0)),
        Quantity::Objects | Quantity::Live => grouped(value.round() as u64),
        Quantity::ObjectsPerOperation => short(value),
    }
}

/// At most three decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A frame, as the JVM gives its names: who shows them makes them printable.
pub(crate) fn frame(frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or("unknown source");
    let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}.{}({file}{line})", frame.class, frame.method)
}

/// Of a stack the innermost frames, and on to the one of the program's own that is at such a place, with its caller: what to change is there.
pub(crate) fn shown_frames(stack: &Stack, own: Option<usize>) -> Vec<String> {
    const INNERMOST: usize = 3;
    const OWN: usize = 2;
    let Some(own) = own.filter(|&own| own >= INNERMOST && own < stack.len()) else {
        return stack.iter().take(FRAMES).map(frame).collect();
    };
    let left_out = (own > INNERMOST).then(|| format!("... {} more", own - INNERMOST));
    let outer = stack.iter().skip(own).filter(|frame| !frame.only_forwards()).take(OWN);
    stack.iter().take(INNERMOST).map(frame).chain(left_out).chain(outer.map(frame)).collect()
}

/// Who makes much of what is limited, a line each: what, and by which frame of the program's, then its stack, if that is wanted.
pub(super) fn offender(offender: &Offender, with_stack: bool) -> Vec<String> {
    let objects = if offender.objects == 1 { "object" } else { "objects" };
    let about = if offender.error.is_some() { "~" } else { "" };
    let error = offender.error.map_or_else(String::new, |error| format!(" ({})", plus_minus(error)));
    let by = offender
        .own
        .and_then(|own| offender.stack.iter().nth(own))
        .map_or_else(String::new, |own| format!(" by {}", printable(&frame(own))));
    let mut lines = vec![format!(
        "{about}{} in {about}{} {objects} of {}{by}{error}",
        size(offender.bytes),
        grouped(offender.objects),
        class_text(&offender.class)
    )];
    let shown = if with_stack { shown_frames(&offender.stack, offender.own) } else { Vec::new() };
    lines.extend(shown.iter().map(|one| match one.starts_with("...") {
        true => format!("  {one}"),
        false => printable(&format!("  at {one}")).into_owned(),
    }));
    lines
}

/// One line for a recording: what came of all its limits.
pub(super) fn ruling(one: &CheckedRecording) -> String {
    let outcomes = &one.checked.outcomes;
    let count = |wanted| outcomes.iter().filter(|outcome| outcome.judgement == wanted).count();
    let exceeded = count(Judgement::Exceeded);
    let words = match (one.checked.ruling(), &one.checked.distrust) {
        (Ruling::Kept, _) => "keeps".to_owned(),
        (Ruling::Exceeded, _) => format!("exceeds {exceeded} of {} limits of", outcomes.len()),
        (Ruling::Unknown, Some(why)) => {
            return format!("{}: not judged by {}: {why}", one.recording, one.budget);
        }
        (Ruling::Unknown, None) => "may or may not keep".to_owned(),
    };
    format!("{} {words} {}", one.recording, one.budget)
}

/// What the ruling rests on: trust, and class initialisation.
pub(super) fn grounds(one: &CheckedRecording) -> Vec<String> {
    let share = |share: f64| {
        format!("Trust: {:.2} % of what the JVM allocated is known.", (share * 1e4).floor() / 1e2)
    };
    let trust = one.checked.trust.map_or("Trust: this JVM has no counter to compare with.".to_owned(), share);
    let initialisation = one.checked.initialisation_bytes.map(|amount| {
        let apart = one.checked.initialisation == mayfly_verdicts::Initialisation::Apart;
        let counts = if apart { "not in what is limited" } else { "part of what is limited" };
        format!("Class initialisation: {}, {counts}.", measured(Quantity::Bytes, amount))
    });
    std::iter::once(trust).chain(initialisation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A concatenated string: six frames of the JDK came first, and the program's was none of those that were shown.
    #[test]
    fn who_makes_it_is_the_programs_frame_however_deep_the_jdk_is() {
        let frame = |class: &str| Frame { class: class.into(), method: "m".into(), ..Frame::default() };
        let inner = (0..8).map(|at| frame(&format!("java.lang.invoke.C{at}")));
        let stack: Stack = inner.chain([frame("a.Page"), frame("a.Main")]).collect();
        let of_frames = Offender {
            class: "[B".into(),
            stack,
            own: Some(8),
            objects: 11_439_619,
            bytes: 1 << 30,
            error: None,
        };
        let lines = offender(&of_frames, true);
        assert_eq!(offender(&of_frames, false), lines[..1]);
        let estimate = offender(&Offender { error: Some(0.2), ..of_frames }, false);
        assert_eq!(
            estimate[0],
            "~1.00 GiB in ~11,439,619 objects of byte[] by a.Page.m(unknown source) (+-40 %)"
        );
        assert_eq!(lines[0], "1.00 GiB in 11,439,619 objects of byte[] by a.Page.m(unknown source)");
        assert!(
            lines[5..] == ["  at a.Page.m(unknown source)", "  at a.Main.m(unknown source)"],
            "{lines:?}"
        );
    }

    #[test]
    fn objects_are_whole() {
        let bounds = Amount { value: 11_439_619.0, low: 10_523_070.164, high: 13_512_564.066 };
        assert_eq!(measured(Quantity::Objects, bounds), "11,439,619 (10,523,070 to 13,512,564)");
        assert_eq!(number(Quantity::ObjectsPerOperation, 2.5), "2.5");
    }

    #[test]
    fn of_a_long_stack_both_ends_are_shown() {
        let stack: Stack = (0..40)
            .map(|at| Frame { class: format!("a.C{at}").into(), method: "m".into(), ..Frame::default() })
            .collect();
        let shown = |own| {
            shown_frames(&stack, own)
                .iter()
                .map(|line| line.replace(".m(unknown source)", ""))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(Some(31)), ["a.C0", "a.C1", "a.C2", "... 28 more", "a.C31", "a.C32"]);
        assert_eq!(shown(Some(3)), ["a.C0", "a.C1", "a.C2", "a.C3", "a.C4"]);
        assert_eq!(shown(Some(1)), ["a.C0", "a.C1", "a.C2", "a.C3", "a.C4", "a.C5"]);
        assert_eq!(shown(None), shown(Some(1)));
    }
}
