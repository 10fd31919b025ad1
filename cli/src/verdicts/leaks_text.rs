//! Leaks in words for people.

use mayfly_report::{
    OF_ADDED_OBJECTS, count, growth_sureness, leak_below, printable, sign_of, size, surely_of,
    text_of_classes,
};

use super::document::Document;
use super::leaks::{Floor, Leaks, Rate, Searched, Survivors, Suspect, time};

/// Classes of one method.
const CLASSES: usize = 3;

/// Steps from a root to the holder that are shown.
const NEAR: usize = 4;

/// What was searched, what was found, and each suspect.
pub(crate) fn leaks_document(leaks: &Leaks) -> Document {
    let mut document = Document::default();
    document.fact(searched(&leaks.searched));
    found(leaks).lines().for_each(|line| document.sentence(line));
    leaks.notes.iter().for_each(|note| document.sentence(printable(note)));
    for (at, suspect) in leaks.suspects.iter().enumerate() {
        let mut lines = block(suspect, &leaks.searched).into_iter().map(|line| text_of_classes(&line));
        let headline = lines.next().unwrap_or_default();
        document.block(format!("{}. {headline}", at + 1), lines.map(|line| format!("   {line}")).collect());
    }
    if leaks.more > 0 {
        document.note(format!("{} more, of fewer bytes, are left out.", leaks.more));
    }
    document
}

fn searched(searched: &Searched) -> String {
    match searched {
        Searched::Dumps { files } => {
            format!("{} dumps, from {} to {}.", files.len(), first(files), last(files))
        }
        Searched::Jvm { pid, dumps, seconds, paused_ms, .. } => format!(
            "{dumps} dumps of JVM {pid} in {}, each after a full collection; walking the heap paused the program for {paused_ms} ms in all.",
            time(*seconds)
        ),
        Searched::Recording { file, collections, seconds } => {
            format!("{file}: {collections} collections in {}.", time(*seconds))
        }
    }
}

fn first(files: &[String]) -> &str {
    files.first().map_or("", String::as_str)
}

fn last(files: &[String]) -> &str {
    files.last().map_or("", String::as_str)
}

fn found(leaks: &Leaks) -> String {
    if let Some(why) = &leaks.untold {
        let what = if leaks.suspects.is_empty() { "anything" } else { "anything of the heap" };
        let cure = match leaks.searched {
            Searched::Recording { .. } => "\nWhile the program runs, mayfly leaks PID looks for itself.",
            _ => "",
        };
        return format!("Whether {what} leaks is not known: {why}.{cure}");
    }
    let leaking = leaks.suspects.iter().filter(|suspect| suspect.is_leak()).count();
    let unsure = leaks.suspects.len() - leaking;
    let named = match leaking {
        0 if unsure == 0 && leaks.floor.is_some_and(|floor| !floor.is_small) => {
            "No leak was found; whether there is one slower than could be seen is not known".to_owned()
        }
        0 => "No leak was found".to_owned(),
        1 => "1 leak".to_owned(),
        // What one container holds may be made in several places.
        makers if matches!(leaks.searched, Searched::Recording { .. }) => {
            format!("{makers} methods make what leaks, one leak or several")
        }
        shown if leaks.more > 0 && unsure == 0 => format!("{shown} leaks at least"),
        leaks => format!("{leaks} leaks"),
    };
    let doubtful = if unsure > 0 { format!("; {unsure} undecided") } else { String::new() };
    let unseen = match leaks.searched {
        Searched::Recording { .. } if leaking == 0 => {
            "\nWhat only methods held that had returned when the recording ended is not in it: run mayfly leaks PID while the program runs."
        }
        _ => "",
    };
    let floor = leaks.floor.map(|floor| format!("\n{}", missed(floor, leaks))).unwrap_or_default();
    format!("{named}{doubtful}.{floor}{unseen}")
}

/// What would not have been seen.
fn missed(floor: Floor, leaks: &Leaks) -> String {
    let searched = &leaks.searched;
    let seconds = match searched {
        Searched::Recording { seconds, .. } | Searched::Jvm { seconds, .. } => time(*seconds),
        Searched::Dumps { .. } => String::new(),
    };
    let cure = match floor.denser.filter(|_| !floor.is_small) {
        Some(option) => format!(": record for longer, or more densely ({option})"),
        None if floor.is_small => String::new(),
        None => ": record for longer".to_owned(),
    };
    let seen = format!(
        "A {} in {seconds}{cure}.",
        leak_below(floor.bytes_per_s, !leaks.suspects.is_empty(), floor.own_are_known)
    );
    if !matches!(searched, Searched::Recording { .. }) {
        return seen;
    }
    let (first, others) = OF_ADDED_OBJECTS.split_at(1);
    format!("{seen} {}{others}.", first.to_uppercase())
}

/// The headline, and what stands below it.
fn block(suspect: &Suspect, searched: &Searched) -> Vec<String> {
    let at_s = match searched {
        Searched::Jvm { at_s, .. } => &at_s[..],
        Searched::Dumps { .. } | Searched::Recording { .. } => &[],
    };
    let mut lines = vec![headline(suspect, at_s)];
    if !suspect.bytes.is_empty() {
        let steps = |numbers: &[u64]| numbers.iter().map(|&n| count(n)).collect::<Vec<_>>().join(", ");
        let at: Vec<_> = at_s.iter().map(|at| format!("{at:.0}")).collect();
        let at = if at.is_empty() { String::new() } else { format!(", at {} s", at.join(", ")) };
        lines.push(format!("objects in each dump{at}: {}", steps(&suspect.objects)));
        let bytes: Vec<_> = suspect.bytes.iter().map(|&bytes| size(bytes)).collect();
        lines.push(format!("retained: {}", bytes.join(", ")));
        if is_off_heap(suspect) {
            let off_heap: Vec<_> = suspect.off_heap.iter().map(|&bytes| size(bytes)).collect();
            lines.push(format!("of it outside of the heap, in buffers: {}", off_heap.join(", ")));
        }
    }
    if let Some(method) = suspect.allocated_by.as_ref().filter(|_| !suspect.bytes.is_empty()) {
        lines.push(format!("added by {method}"));
        lines.extend(suspect.added_by.iter().skip(1).map(|frame| format!("  called by {frame}")));
    }
    for (where_, others) in
        [("in the same container", &suspect.also), ("with each of them", &suspect.together)]
    {
        if !others.is_empty() {
            let others: Vec<_> =
                others.iter().map(|(class, more)| format!("{class} ({} more)", count(*more))).collect();
            lines.push(format!("{where_}: {}", others.join(", ")));
        }
    }
    if !suspect.holds.is_empty() {
        lines.push(format!("each holds {}", suspect.holds.join(", ")));
    }
    if !suspect.held_by.is_empty() {
        lines.push(format!("held by {}", way(suspect).join(" -> ")));
    }
    if let Some(path) = &suspect.path {
        lines.push("a path to one of them:".to_owned());
        lines.extend(path.lines().map(|line| format!("  {line}")));
    }
    lines.extend(suspect.allocated_below.as_ref().map(|line| format!("most of it below {line}")));
    lines.extend(suspect.growth.map(|rate| grows(rate, suspect)));
    let kept = alike(&suspect.survivors);
    if suspect.is_leak() {
        lines.extend(kept.iter().take(CLASSES).flat_map(survivors));
        if kept.len() > CLASSES {
            lines.push(format!("{} more classes or stacks", kept.len() - CLASSES));
        }
    } else {
        // Where it is made the headline says; --json has the stacks.
        lines.extend(kept.iter().take(CLASSES).map(counts));
    }
    lines.extend(suspect.doubts(searched).into_iter().map(|doubt| format!("doubt: {doubt}")));
    lines
}

/// The way to it from the holder that is named on, if that is far from the root: how the root comes to it tells nothing more.
fn way(suspect: &Suspect) -> Vec<&str> {
    let holder = suspect.held_by.iter().rposition(|step| Some(step) == suspect.holder.as_ref());
    let from = holder.filter(|&steps| steps > NEAR).unwrap_or(0);
    let left_out = (from > 0).then_some("...");
    left_out.into_iter().chain(suspect.held_by[from..].iter().map(String::as_str)).collect()
}

/// Of one that is undecided the rate is that at which more were made, whatever died.
fn grows(rate: Rate, suspect: &Suspect) -> String {
    let is_leak = suspect.is_leak();
    let grows = match (is_leak, rate.until) {
        (true, None) => "grows, lately by".to_owned(),
        // As much was made that is there; as many may have died.
        (false, None) => "may grow, lately by at most".to_owned(),
        (_, Some(until)) => format!("grew, until {}, by", time(until)),
    };
    let least_rate = if is_leak && rate.is_at_least { "≥" } else { "" };
    // What it is at most has no error of its own: with that of what was made.
    let most = if is_leak || rate.until.is_some() { 1.0 } else { 1.0 + 2.0 * rate.error.min(1.0) };
    let sureness = match rate.samples {
        None => " (counted)".to_owned(),
        Some(_) if most > 1.0 => String::new(),
        Some(_) => format!(" ({})", growth_sureness(rate.error, is_leak && rate.is_at_least)),
    };
    let surely = |number: f64| if rate.is_at_least { surely_of(number, rate.error) } else { number };
    let rate_shown = if is_leak { surely(rate.bytes_per_s) } else { rate.bytes_per_s * most };
    let about = sign_of(rate.is_at_least, rate.is_estimate);
    let of_class = rate.of_class.map_or_else(String::new, |objects| {
        format!(", {about}{} {}", count(surely(objects as f64) as u64), suspect.what)
    });
    format!(
        "{grows} {least_rate}{}/s{sureness}, since {}: {about}{} live{of_class}",
        size(rate_shown.round() as u64),
        time(rate.since),
        size(surely(rate.bytes as f64) as u64),
    )
}

fn headline(suspect: &Suspect, at_s: &[f64]) -> String {
    let leaks = if suspect.is_leak() { "leaks" } else { "may leak" };
    match &suspect.allocated_by {
        method if suspect.bytes.is_empty() => {
            let holder = suspect.holder.as_ref().map_or_else(String::new, |holder| format!(", in {holder}"));
            let by = method.as_ref().map_or_else(String::new, |method| format!(", allocated by {method}"));
            format!("{} {leaks}{holder}{by}", suspect.what)
        }
        _ => {
            let more = match grown(&suspect.objects) {
                // It is larger, and not more.
                0 => format!("{} more", size(grown(&suspect.bytes))),
                objects => format!("{} objects more, {}", count(objects), size(grown(&suspect.bytes))),
            };
            let pace = match at_s.last() {
                Some(seconds) if *seconds > 0.0 => {
                    format!(" ({}/s)", size((grown(&suspect.bytes) as f64 / seconds).round() as u64))
                }
                _ => String::new(),
            };
            let off_heap = if is_off_heap(suspect) { " (most of it outside of the heap)" } else { "" };
            let holder = match (&suspect.holder, &suspect.through) {
                (Some(holder), _) => format!(", in {holder}"),
                (None, Some(field)) => format!(", reached by {field}"),
                (None, None) => String::new(),
            };
            format!("{} {leaks}: {more}{pace}{off_heap}{holder}", suspect.what)
        }
    }
}

/// By how much it became more.
fn grown(numbers: &[u64]) -> u64 {
    numbers.last().zip(numbers.first()).map_or(0, |(last, first)| last.saturating_sub(*first))
}

/// Whether most of what became more is not in the heap.
fn is_off_heap(suspect: &Suspect) -> bool {
    grown(&suspect.off_heap) > grown(&suspect.bytes) / 2
}

/// Those of one class and the same frames, of what is shown, as one; those first of which most bytes came lately: they are why it is suspected.
fn alike(all: &[Survivors]) -> Vec<Survivors> {
    let mut kept: Vec<Survivors> = Vec::new();
    for one in all {
        match kept.iter_mut().find(|other| other.class == one.class && other.shown == one.shown) {
            Some(other) => other.add(one),
            None => kept.push(one.clone()),
        }
    }
    let late = |of: &Survivors| {
        let [early, middle, recent] = of.born.map(u128::from);
        u128::from(of.bytes) * (middle + recent) / (early + middle + recent).max(1)
    };
    kept.sort_by_key(|kept| std::cmp::Reverse((late(kept), kept.bytes)));
    kept
}

fn survivors(of: &Survivors) -> Vec<String> {
    let mut lines = vec![counts(of)];
    lines.extend(of.shown.iter().map(|frame| match frame.starts_with("...") {
        true => format!("  {frame}"),
        false => format!("  at {frame}"),
    }));
    lines
}

fn counts(of: &Survivors) -> String {
    let about = |number: u64, text: String| match of.are_estimates && number > 0 {
        true => format!("~{text}"),
        false => text,
    };
    let [early, middle, recent, dead] =
        [of.born[0], of.born[1], of.born[2], of.died_old].map(|objects| about(objects, count(objects)));
    format!(
        "{}: {} live objects, {}; born in the first half: {early}, third quarter: {middle}, last: {recent}; {dead} died old",
        of.class,
        about(of.objects, count(of.objects)),
        about(of.bytes, size(of.bytes)),
    )
}

#[cfg(test)]
mod tests {
    use mayfly_report::COLUMNS;

    use super::*;

    #[test]
    fn what_looks_alike_is_one_row_with_the_line_of_the_program() {
        let survivors = |last: &str, objects| Survivors {
            class: "java.lang.Long".to_owned(),
            objects,
            bytes: objects * 24,
            born: [objects / 2, objects / 4, objects / 4],
            died_old: 0,
            are_estimates: true,
            stack: vec!["lib.Rows.next(Rows.java:9)".to_owned(), last.to_owned()],
            shown: vec![
                "lib.Rows.next(Rows.java:9)".to_owned(),
                "... 30 more".to_owned(),
                "a.Books.find(Books.java:7)".to_owned(),
            ],
        };
        let all =
            [survivors("a.Pool.run(Pool.java:1)", 400), survivors("a.Reserved.run(Reserved.java:2)", 200)];
        let kept = alike(&all);
        assert_eq!(kept.len(), 1);
        assert_eq!(
            super::survivors(&kept[0]),
            [
                "java.lang.Long: ~600 live objects, ~14.1 KiB; born in the first half: ~300, third quarter: ~150, last: ~150; 0 died old",
                "  at lib.Rows.next(Rows.java:9)",
                "  ... 30 more",
                "  at a.Books.find(Books.java:7)",
            ]
        );
    }

    #[test]
    fn what_came_lately_is_shown_before_what_came_at_the_start() {
        let survivors = |class: &str, bytes, born| Survivors {
            class: class.to_owned(),
            objects: 9,
            bytes,
            born,
            died_old: 0,
            are_estimates: false,
            stack: Vec::new(),
            shown: Vec::new(),
        };
        let all = [survivors("Provider", 900, [9, 0, 0]), survivors("Session", 90, [3, 3, 3])];
        let kept: Vec<_> = alike(&all).into_iter().map(|kept| kept.class).collect();
        assert_eq!(kept, ["Session", "Provider"]);
    }

    /// A leak in a running JVM has its pace; of files nobody knows when they were taken.
    #[test]
    fn how_fast_it_grew_is_stated_where_it_is_known_when_dumps_were_taken() {
        let at_s = vec![0.0, 9.8, 20.1];
        let jvm = Searched::Jvm { pid: 7, dumps: 3, seconds: 21.0, paused_ms: 9, at_s };
        let suspect = || Suspect {
            what: "a.Session".to_owned(),
            objects: vec![10, 20, 30],
            bytes: vec![1 << 10, 12 << 10, 21 << 10],
            ..Suspect::default()
        };
        let text = |searched| {
            leaks_document(&Leaks { suspects: vec![suspect()], ..Leaks::of(searched) }).text(COLUMNS)
        };
        let live = text(jvm);
        assert!(
            live.contains("more, 20.0 KiB (1019 B/s)\n   objects in each dump, at 0, 10, 20 s: 10, 20, 30\n"),
            "{live}"
        );
        let files = text(Searched::Dumps { files: ["a", "b", "c"].map(str::to_owned).to_vec() });
        assert!(files.contains("more, 20.0 KiB\n   objects in each dump: 10, 20, 30\n"), "{files}");
    }

    #[test]
    fn what_would_not_have_been_seen_is_stated_with_what_that_holds_for() {
        let floor = |is_small| {
            let searched = Searched::Recording { file: "a".to_owned(), collections: 9, seconds: 100.0 };
            let floor =
                Floor { bytes_per_s: 2048.0, own_are_known: false, is_small, denser: Some("--sample 64k") };
            leaks_document(&Leaks { floor: Some(floor), ..Leaks::of(searched) }).text(COLUMNS)
        };
        let of = "This is of objects that are added: one array that is enlarged is not judged.\n";
        for (is_small, cure) in [(true, ""), (false, ": record for longer, or more densely (--sample 64k)")] {
            let sentence =
                format!("\nA leak below 2.00 KiB/s would not have been seen in 0:01:40{cure}. {of}");
            assert!(floor(is_small).contains(&sentence), "{}", floor(is_small));
        }
        let searched = Searched::Recording { file: "a".to_owned(), collections: 9, seconds: 100.0 };
        let floor = Floor { bytes_per_s: 2048.0, own_are_known: false, is_small: true, denser: None };
        let suspects = vec![Suspect { what: "a.Session".to_owned(), ..Suspect::default() }];
        let slower = leaks_document(&Leaks { floor: Some(floor), suspects, ..Leaks::of(searched) });
        let sentence = "A leak below 2.00 KiB/s may have been missed in 0:01:40.";
        assert!(slower.text(COLUMNS).contains(sentence), "one that is named may be slower");
    }
}
