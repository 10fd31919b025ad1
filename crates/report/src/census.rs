//! What was read of young collections, as a section of the full report and a line under trust.

use std::cmp::Reverse;

use mayfly_profile::{Census, ClassCensus, EngineKind, Profile, Total, readable_class};

use crate::rows::{blank, line};
use crate::table::right_aligned;
use crate::text::printable;
use crate::units;

/// Rows where nobody says how many.
const MOST_ROWS: usize = 100;

/// Writes the section; nothing if no collection was read.
pub(crate) fn write_census(out: &mut String, profile: &Profile, limit: Option<usize>) {
    let Some(census) = profile.census.as_ref().filter(|census| !census.classes.is_empty()) else { return };
    let read = match census.reach.thinned {
        0 => "read of collections, exact",
        _ => "of the part of collections that was read, as trust has it, and not of all",
    };
    line(out, 0, &format!("Census of young objects ({read}; shares are of the bytes born):"));
    line(
        out,
        2,
        "died first: before any collection had copied it. promoted: into the old generation. copied: by collections, each time",
    );
    let mut rows: Vec<_> = census.classes.iter().filter(|(_, class)| class.born().objects > 0).collect();
    rows.sort_by_key(|(name, class)| (Reverse(class.born().bytes), name.as_str()));
    let shown = limit.unwrap_or(MOST_ROWS).min(rows.len());
    let heading = ["objects", "bytes", "died first", "died later", "promoted", "copied", "class"];
    let mut table = vec![heading.map(String::from).to_vec()];
    table.extend(rows.iter().take(shown).map(|(name, class)| row(census, name, class)));
    out.push_str(&right_aligned(&table, "  "));
    if rows.len() > shown {
        line(out, 2, &format!("and {} more classes", units::grouped((rows.len() - shown) as u64)));
    }
    if rows.iter().take(shown).any(|(name, _)| census.has_fillers(name)) {
        line(
            out,
            2,
            "+ with arrays that fill unused parts of threads' buffers up: this JVM makes them of int",
        );
    }
    blank(out);
}

fn row(census: &Census, name: &str, class: &ClassCensus) -> Vec<String> {
    let born = class.born();
    let decided = born.bytes.saturating_sub(class.undecided.bytes).saturating_sub(class.old.bytes);
    let share = |part: Total| match decided {
        0 => "?".to_owned(),
        // Those that died later may have been born in objects that are not among these.
        _ => format!("{:.1} %", part.bytes as f64 * 100.0 / decided as f64),
    };
    let mark = if census.has_fillers(name) { "+" } else { "" };
    vec![
        format!("{}{mark}", units::grouped(born.objects)),
        units::bytes(born.bytes),
        share(class.died_first()),
        share(class.died_later()),
        share(class.promoted_in_all()),
        units::bytes(class.copied().bytes),
        printable(&readable_class(name)).into_owned(),
    ]
}

/// The lines under trust: what was read, and what it cost; empty without a census.
pub(crate) fn census_lines(profile: &Profile) -> Vec<String> {
    let Some(census @ Census { reach, .. }) = &profile.census else { return Vec::new() };
    if reach.collections() == 0 && !reach.ended.is_empty() {
        return vec![format!("no census: {}", printable(&reach.ended))];
    }
    let mut lines = vec![read_line(census, profile.trust.jvm_allocated_bytes)];
    if reach.unread_bytes > 0 {
        lines.push(format!(
            "census in doubt: {} of young objects in {} not read",
            units::bytes(reach.unread_bytes),
            units::grouped(u64::from(reach.partly + reach.unread)) + " collections"
        ));
    }
    if reach.thinned > 0 {
        lines.push(format!(
            "census thinned: of {} collections a part was left out at random, as all would take too long (--pause 0, #pause-0: all is read); {}",
            units::grouped(u64::from(reach.thinned)),
            match profile.run.engine {
                EngineKind::Sampled => "samples count for it",
                EngineKind::Exact => "the census has less than there was",
            }
        ));
    }
    if let Some(rest) = profile.sampled_rest().filter(|&rest| rest > 0) {
        lines.push(format!(
            "counts of classes: read at young collections, and {} of what was not read from samples (since the last collection, or \
             in doubt)",
            units::bytes(rest)
        ));
    }
    if !reach.ended.is_empty() {
        lines.push(format!("census ended: {}", printable(&reach.ended)));
    }
    lines
}

fn read_line(census: &Census, allocated: Option<u64>) -> String {
    let reach = &census.reach;
    let all = reach.collections();
    let read = reach.read + reach.births_only;
    let of_jvm = match allocated {
        Some(bytes) if reach.from_start => {
            format!(" of {} the JVM allocated, what came after the last of them aside", units::bytes(bytes))
        }
        _ if !reach.from_start => ", from the first collection on".to_owned(),
        _ => String::new(),
    };
    let born_old = match census.born_old().bytes {
        0 => String::new(),
        bytes => format!(", and {} born old,", units::bytes(bytes)),
    };
    format!(
        "census: {} read in {} of {} collections{born_old}{of_jvm}; reading took {} of {} of pauses, {} at most",
        units::bytes(reach.read_bytes),
        units::grouped(u64::from(read)),
        units::grouped(u64::from(all)),
        units::duration(reach.pause_us as f64 / 1e3),
        units::duration((reach.pause_us + reach.own_us) as f64 / 1e3),
        units::duration(reach.longest_us as f64 / 1e3),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use mayfly_profile::{CensusReach, Trust};

    fn profile(reach: CensusReach) -> Profile {
        let sum = |objects| Total { objects, bytes: objects * 24 };
        let node = ClassCensus {
            died: vec![sum(60), sum(10)],
            survived: vec![sum(20), sum(5)],
            promoted: vec![sum(20)],
            old: sum(7),
            ..ClassCensus::default()
        };
        let ints = ClassCensus { undecided: sum(1_000), ..ClassCensus::default() };
        let classes = [("a.Node".to_owned(), node), ("[I".to_owned(), ints)].into();
        Profile { census: Some(Census { reach, classes }), ..Profile::default() }
    }

    #[test]
    fn classes_are_told_with_what_became_of_them() {
        let profile = profile(CensusReach { fillers_are_ints: true, ..CensusReach::default() });
        let mut out = String::new();
        write_census(&mut out, &profile, None);
        let rows: Vec<Vec<_>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(rows.contains(&vec!["1,000+", "23.4", "KiB", "?", "?", "?", "0", "B", "int[]"]), "{out}");
        let node = ["107", "2.51", "KiB", "60.0", "%", "10.0", "%", "20.0", "%", "1.05", "KiB", "a.Node"];
        assert!(rows.contains(&node.to_vec()), "{out}");
        out.clear();
        write_census(&mut out, &profile, Some(1));
        assert!(out.contains("and 1 more classes") && !out.contains("a.Node"), "{out}");
    }

    #[test]
    fn what_was_not_read_is_said() {
        let reach = CensusReach {
            read: 8,
            births_only: 1,
            unread: 1,
            read_bytes: 3 << 20,
            unread_bytes: 1 << 20,
            pause_us: 12_000,
            longest_us: 4_000,
            own_us: 8_000,
            thinned: 2,
            ended: "a doubt".into(),
            from_start: true,
            ..CensusReach::default()
        };
        let told = Profile {
            trust: Trust { jvm_allocated_bytes: Some(5 << 20), ..Trust::default() },
            ..profile(reach)
        };
        let lines = census_lines(&told);
        assert!(
            lines[0].starts_with(
                "census: 3.00 MiB read in 9 of 12 collections, and 168 B born old, of 5.00 MiB the JVM"
            ),
            "{lines:?}"
        );
        assert!(lines[0].ends_with("reading took 12 ms of 20 ms of pauses, 4 ms at most"), "{lines:?}");
        let mut section = String::new();
        write_census(&mut section, &told, None);
        assert!(
            section.starts_with("Census of young objects (of the part of collections that was read"),
            "{section}"
        );
        let thinned = lines.iter().position(|line| line.starts_with("census thinned: of 2 collections"));
        assert_eq!(thinned, Some(2), "{lines:?}");
        assert_eq!(
            [&lines[1], &lines[3]],
            ["census in doubt: 1.00 MiB of young objects in 1 collections not read", "census ended: a doubt"]
        );
        assert_eq!(census_lines(&Profile::default()), [""; 0]);
    }
}
