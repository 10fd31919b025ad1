//! Scopes in the full report: what was allocated in each, what became of it, and which classes survive.

use std::cmp::Reverse;

use mayfly_profile::{Outcome, Profile, ScopeClass, ScopeProfile, Survival, Tally, TallyVariance, Variances};

use crate::names::class_text;
use crate::process::pid;
use crate::rows::{band, blank, line};
use crate::table::right_aligned;
use crate::text::printable;
use crate::units;

/// What is said where it is not known what survives.
const NOT_FOLLOWED: &str = "what survives scopes is not known: deaths were not followed object by object (#trackcollections, #track-balanced, #scope-survivors)";

/// Classes that are named in a sentence.
const NAMED: usize = 2;

/// Names of a scope and of those that it was entered in, in one text.
pub(crate) fn path(scope: &ScopeProfile) -> String {
    printable(&scope.path.join(" > ")).into_owned()
}

/// What survived it.
pub(crate) fn survivors(outcome: Outcome) -> Tally {
    outcome.survived
}

/// Of these, what is live.
pub(crate) fn live(outcome: Outcome) -> Tally {
    outcome.survived_live
}

/// Writes the section; nothing if no scope was entered.
pub(crate) fn write_scopes(out: &mut String, profile: &Profile, limit: usize) {
    if profile.scopes.is_empty() {
        return;
    }
    line(out, 0, "Scopes (an object belongs to the innermost one that its thread was in):");
    let followed = profile.scopes.iter().any(|scope| scope.outlived.is_some());
    if followed {
        line(
            out,
            2,
            "survived: alive at the first GC after its entry had ended. in doubt: gone by then, and last seen inside.",
        );
    } else {
        line(out, 2, NOT_FOLLOWED);
    }
    let variances = Variances::of(profile);
    for scope in &profile.scopes {
        write_scope(out, (profile, &variances), scope, limit);
    }
    if let Some(class) = largest_survivor(profile) {
        let class = class_text(class);
        let pid = pid(profile).map_or("PID".to_owned(), |pid| pid.to_string());
        line(out, 2, &format!("Who holds them, while it runs: mayfly heap dump {pid} app.mayheap, then"));
        line(out, 4, &format!("mayfly heap paths app.mayheap --to {class}"));
    }
    blank(out);
}

fn write_scope(
    out: &mut String,
    (profile, variances): (&Profile, &Variances<'_>),
    scope: &ScopeProfile,
    limit: usize,
) {
    let open = scope.entries.saturating_sub(scope.ended);
    let not_left = if open > 0 { format!(", {open} of these entries not left") } else { String::new() };
    line(out, 2, &format!("{}: entered {} times{not_left}", path(scope), scope.entries));
    let (own, all) = (scope.allocated(), scope.allocated_with_inner(&profile.scopes));
    line(out, 4, &format!("allocated: {}{}", counted(own), per_entry(own, scope)));
    if all != own {
        line(out, 4, &format!("with scopes inside of it: {}{}", counted(all), per_entry(all, scope)));
    }
    if let Some(outcome) = scope.outcome() {
        write_outcome(out, variances, scope, outcome);
    }
    if let Some(text) = not_known(scope) {
        line(out, 4, &text);
    }
    if let Some(text) = scope.outliving().map(|survival| outliving(&survival)) {
        line(out, 4, &format!("survivors outlived it by: {text}"));
    }
    write_classes(out, variances, scope, limit);
}

fn write_outcome(out: &mut String, variances: &Variances<'_>, scope: &ScopeProfile, outcome: Outcome) {
    let sure = |part: fn(Outcome) -> Tally| {
        let of = part(outcome);
        let at_least = if scope.is_at_least(of) { "at least " } else { "" };
        format!("{at_least}{}{}", counted(of), band_of(of, variances.of_outcome(scope, part)))
    };
    line(out, 4, &format!("died inside: {}", sure(|outcome| outcome.inside)));
    if !outcome.between.is_empty() {
        let between = sure(|outcome| outcome.between);
        line(out, 4, &format!("in doubt, died inside or before the first GC after it: {between}"));
    }
    line(out, 4, &format!("survived: {}; live of these: {}", sure(survivors), sure(live)));
    if let Some(later) = scope.later() {
        let (first, threads) = (later.first_survived, scope.threads.unwrap_or(0));
        line(
            out,
            6,
            &format!("of these, made in the first entry of each of {threads} threads: {}", counted(first)),
        );
        if let Some((class, bytes)) = later.lone {
            line(out, 6, &format!("of these, one {} of {bytes} bytes", class_text(class)));
        }
        let (each, entries) = (later.bytes_per_entry(), later.entries);
        line(out, 6, &format!("without these: {each} bytes per entry ({entries} entries)"));
    }
    if !outcome.undecided().is_empty() {
        let undecided = sure(|outcome| outcome.undecided());
        line(out, 4, &format!("not decided, inside still or no GC since: {undecided}"));
    }
    if !outcome.unknown.is_empty() {
        let unknown = sure(|outcome| outcome.unknown);
        line(out, 4, &format!("not looked after for want of room: {unknown}"));
    }
}

/// Of which classes it is not known what became of them; `None`: of none.
pub(crate) fn not_known(scope: &ScopeProfile) -> Option<String> {
    let unknown = scope.unknown();
    let named = unknown.iter().take(NAMED).map(|name| class_text(name)).collect::<Vec<_>>().join(", ");
    let more = match unknown.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!unknown.is_empty()).then(|| format!("not known, too few were followed: {named}{more}"))
}

fn write_classes(out: &mut String, variances: &Variances<'_>, scope: &ScopeProfile, limit: usize) {
    let mut classes: Vec<_> =
        scope.classes.iter().filter_map(|class| Some((class.outcome?, class))).collect();
    classes.retain(|(outcome, _)| !outcome.survived.is_empty());
    classes.sort_by_key(|(outcome, _)| Reverse(outcome.survived.bytes));
    if classes.is_empty() {
        return;
    }
    let heading = ["survived bytes", "objects", "live bytes", "objects", "class"].map(str::to_owned).to_vec();
    let row = |&(outcome, class): &(Outcome, &ScopeClass)| {
        let sure = |part: fn(Outcome) -> Tally| {
            let of = part(outcome);
            let band = band_of(of, variances.of_outcome_of_class(class, part));
            [format!("{}{band}", of.bytes), of.objects.to_string()]
        };
        sure(survivors).into_iter().chain(sure(live)).chain([class_text(&class.name)]).collect::<Vec<_>>()
    };
    let rows: Vec<_> = std::iter::once(heading).chain(classes.iter().take(limit).map(row)).collect();
    out.push_str(&right_aligned(&rows, "    "));
}

/// Two standard errors of what there is.
fn band_of(part: Tally, variance: TallyVariance) -> String {
    if part.is_empty() { String::new() } else { band(variance.relative(part).1) }
}

fn counted(tally: Tally) -> String {
    format!("{} objects, {} bytes", tally.objects, tally.bytes)
}

fn per_entry(tally: Tally, scope: &ScopeProfile) -> String {
    match scope.entries {
        0 => String::new(),
        entries => format!(", {} bytes per entry", tally.bytes / entries),
    }
}

/// By how much survivors outlived their entry: half of them, and nine of ten, or the tenth that lived longer than is known. Of the tenth that
/// is not known to have lived longer than half of them, nothing is.
pub(crate) fn outliving(survival: &Survival) -> String {
    let [half, tenth] = [0.5, 0.9].map(|q| survival.quantile(q));
    let (known, mut texts) = (half.point.unwrap_or(half.low), Vec::new());
    match half.point {
        Some(point) => texts.push(format!("half of them up to {}", units::duration(point))),
        None if half.low > 0.0 => {
            texts.push(format!("half of them over {}", units::rough_duration(half.low)));
        }
        None => {}
    }
    match tenth.point {
        Some(point) => texts.push(format!("nine of ten up to {}", units::duration(point))),
        None if tenth.low > known => {
            texts.push(format!("one of ten over {}", units::rough_duration(tenth.low)));
        }
        None if half.point.is_some() => texts.push("nine of ten up to ? (too many live)".to_owned()),
        None => {}
    }
    if texts.is_empty() { "it is not known how long".to_owned() } else { texts.join(", ") }
}

/// The class of which most bytes that survived a scope are live.
fn largest_survivor(profile: &Profile) -> Option<&str> {
    let classes = profile.scopes.iter().flat_map(|scope| &scope.classes);
    let live = classes.filter_map(|class| Some((class.outcome?.survived_live.bytes, class.name.as_str())));
    live.filter(|(bytes, _)| *bytes > 0).max().map(|(_, class)| class)
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Ages, ScopeClass};

    use super::*;

    fn outlived(record: impl Fn(&mut Ages)) -> String {
        let mut ages = Ages::default();
        record(&mut ages);
        let scope = ScopeProfile { outlived: Some(ages), ..ScopeProfile::default() };
        outliving(&scope.outliving().expect("some survived"))
    }

    #[test]
    fn what_is_not_known_of_how_long_survivors_live_is_left_out() {
        let dead = outlived(|ages| ages.record_deaths(100, 200, 40));
        assert!(dead.starts_with("half of them up to ") && dead.contains(", nine of ten up to "), "{dead}");
        let living = outlived(|ages| ages.record_living(5_000, 40));
        assert_eq!(living, "one of ten over 4.9 s", "born together, half of them may be otherwise");
        let most_young = outlived(|ages| {
            ages.record_living(1, 90);
            ages.record_deaths(100, 200, 10);
        });
        assert!(!most_young.contains("not known yet"), "{most_young}");
    }

    /// "half of them up to 10.2 s, one of ten over 1.5 s".
    #[test]
    fn the_tenth_that_lives_longest_is_not_known_to_live_for_less_than_half_of_them() {
        let few = outlived(|ages| {
            ages.record_deaths(1_500, 20_000, 3);
            ages.record_living(25_000, 2);
        });
        assert!(few.starts_with("half of them up to 1"), "{few}");
        assert!(few.ends_with(", nine of ten up to ? (too many live)"), "{few}");
    }

    #[test]
    fn the_process_of_a_program_that_has_ended_is_not_named() {
        let survived = Outcome { survived_live: Tally::of(1, 24), ..Outcome::default() };
        let class = ScopeClass {
            name: "a.B".into(),
            allocated: Tally::of(1, 24),
            outcome: Some(survived),
            ..ScopeClass::default()
        };
        let scope =
            ScopeProfile { classes: vec![class], outlived: Some(Ages::default()), ..ScopeProfile::default() };
        let mut profile = Profile { scopes: vec![scope], ..Profile::default() };
        profile.run.jvm.pid = 4711;
        let text = |profile: &Profile| {
            let mut text = String::new();
            write_scopes(&mut text, profile, 9);
            text
        };
        assert!(text(&profile).contains("mayfly heap dump 4711 "), "{}", text(&profile));
        profile.complete = true;
        assert!(text(&profile).contains("mayfly heap dump PID "), "{}", text(&profile));
    }
}
