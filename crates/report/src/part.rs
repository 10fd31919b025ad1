//! Which part of a recording a report is of, in words: nobody is to take a part for the whole.

use mayfly_profile::{LifeBand, Profile, Rotation, Tally};

use crate::units;

/// A line per way in which it is a part.
pub fn part_lines(profile: &Profile) -> Vec<String> {
    let part = &profile.part;
    let mut lines: Vec<_> = profile.rotation.map(files_text).into_iter().collect();
    if let Some((from, to)) = part.during_ms {
        lines.push(format!(
            "During {} s to {} s: births and deaths noticed then, and who lives at the end",
            units::seconds(from as f64),
            units::seconds(to as f64)
        ));
    }
    if let Some(lived) = part.lived {
        let (certain, possible) = (lived.doubt.certain, lived.doubt.possible);
        let doubt = match certain == possible {
            true => "exactly".to_owned(),
            false => format!("{} for sure, {} at most", amount(certain), amount(possible)),
        };
        lines.push(format!("Lived {}: {doubt}", band_text(lived.band)));
    }
    lines
}

/// Which files of a run's recording: `File 3 of this run (#loop)`.
fn files_text(of: Rotation) -> String {
    let Rotation { first, last, files, removed } = of;
    let which = match files {
        1 => format!("File {first}"),
        _ if of.missing() == 0 => format!("Files {first} to {last}"),
        _ => format!("{files} of the files {first} to {last}"),
    };
    let removed = match removed {
        0 => String::new(),
        1 => "; 1 older one was removed (#keep)".to_owned(),
        removed => format!("; {removed} older ones were removed (#keep)"),
    };
    format!("{which} of this run's recording (#loop){removed}")
}

fn band_text(band: LifeBand) -> String {
    let (from, to) = band.ends_ms();
    let text = |ms: u64| units::duration(ms as f64);
    match (from, to) {
        (from, None) => format!("{} or more", text(from)),
        (0, Some(to)) => format!("less than {}", text(to)),
        (from, Some(to)) => format!("{} to {}", text(from), text(to)),
    }
}

fn amount(tally: Tally) -> String {
    format!("{} in {} objects", units::bytes(tally.bytes), units::count(tally.objects))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mayfly_profile::{Doubt, LivedPart, Part};

    use super::*;

    fn lived(from_s: u64, to_s: Option<u64>, possible: u64) -> Vec<String> {
        let band = LifeBand::new(Duration::from_secs(from_s), to_s.map(Duration::from_secs)).expect("a band");
        let doubt = Doubt { certain: Tally::of(2_000, 16), possible: Tally::of(possible, 16) };
        let part = Part { lived: Some(LivedPart { band, doubt }), ..Part::default() };
        part_lines(&Profile { part, ..Profile::default() })
    }

    #[test]
    fn a_band_is_said_with_its_doubt() {
        let words = "Lived 30.0 s to 5.00 min: 31.2 KiB in 2.00 k objects for sure, 46.9 KiB in 3.00 k objects at most";
        assert_eq!(lived(30, Some(300), 3_000), [words]);
        assert_eq!(lived(0, Some(1), 2_000), ["Lived less than 1.00 s: exactly"]);
        assert_eq!(lived(60, None, 2_000), ["Lived 1.00 min or more: exactly"]);
    }

    #[test]
    fn a_time_range_is_said_and_the_whole_says_nothing() {
        let part = Part { during_ms: Some((9_000, 61_000)), ..Part::default() };
        let profile = Profile { part, ..Profile::default() };
        assert!(part_lines(&profile)[0].starts_with("During 9.00 s to 61.0 s: "));
        assert_eq!(part_lines(&Profile::default()), Vec::<String>::new());
    }

    #[test]
    fn files_of_a_run_are_said_with_those_that_are_missing_or_removed() {
        let said = |first, last, files, removed| {
            let rotation = Some(Rotation { first, last, files, removed });
            part_lines(&Profile { rotation, ..Profile::default() }).concat()
        };
        assert_eq!(said(3, 3, 1, 0), "File 3 of this run's recording (#loop)");
        assert_eq!(
            said(3, 7, 5, 2),
            "Files 3 to 7 of this run's recording (#loop); 2 older ones were removed (#keep)"
        );
        assert_eq!(
            said(1, 4, 3, 1),
            "3 of the files 1 to 4 of this run's recording (#loop); 1 older one was removed (#keep)"
        );
    }
}
