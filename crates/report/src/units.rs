//! Numbers for people: sizes, counts, durations and shares.
//!
//! Not here: the plain integers of the post-run report's rows.

const SIZE_UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const COUNT_UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];

/// A size in binary units with three significant digits: `512 B`, `1.86 GiB`, `382 KiB`.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes, 1024.0, &SIZE_UNITS).unwrap_or_else(|| format!("{bytes} B"))
}

/// A number of objects with three significant digits: `999`, `1.24 M`.
pub fn count(count: u64) -> String {
    scaled(count, 1000.0, &COUNT_UNITS).unwrap_or_else(|| count.to_string())
}

/// A number to the last digit: `999`, `12,000`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that need not be whole with three significant digits: `0.50`, `24`, `24.3`; `None` from a hundred on.
pub(crate) fn few(number: f64) -> Option<String> {
    let whole = (number - number.round()).abs() < 0.005;
    (number < 99.95).then(|| if whole { format!("{number:.0}") } else { three_digits(number) })
}

/// `None` below one of the first unit.
fn scaled(value: u64, base: f64, units: &[&str]) -> Option<String> {
    let mut scaled = value as f64;
    let mut unit = None;
    for name in units {
        // What would be rounded up to the next unit is shown in the next unit.
        if scaled < base - 0.5 {
            break;
        }
        scaled /= base;
        unit = Some(name);
    }
    unit.map(|unit| format!("{} {unit}", three_digits(scaled)))
}

/// Three significant digits, more only left of the point.
fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// A duration in seconds with three significant digits, at most milliseconds: `0.120`, `1.53`, `125`.
pub(crate) fn seconds(ms: f64) -> String {
    let seconds = ms / 1000.0;
    if seconds < 0.9995 { format!("{seconds:.3}") } else { three_digits(seconds) }
}

/// A duration in the unit that suits it: `12 ms`, `1.53 s`, `2.10 min`, `1.20 h`.
pub fn duration(ms: f64) -> String {
    match ms {
        // ZGC's pauses, which were "0 ms in all".
        ms if ms > 0.0 && ms < 0.9995 => format!("{:.0} µs", ms * 1e3),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 60_000.0 => format!("{} s", three_digits(ms / 1e3)),
        ms if ms < 3_600_000.0 => format!("{} min", three_digits(ms / 60e3)),
        ms => format!("{} h", three_digits(ms / 3600e3)),
    }
}

/// Like [`duration`], with two significant digits: `12 ms`, `1.5 s`, `21 min`.
pub fn rough_duration(ms: f64) -> String {
    let digits = |value: f64| if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    match ms {
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 60_000.0 => format!("{} s", digits(ms / 1e3)),
        ms if ms < 3_600_000.0 => format!("{} min", digits(ms / 60e3)),
        ms => format!("{} h", digits(ms / 3600e3)),
    }
}

/// Elapsed time as `h:mm:ss`.
pub fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Whole seconds in their largest whole unit: `30 s`, `5 min`, `2 h`.
pub fn whole_seconds(seconds: u64) -> String {
    match seconds {
        s if s > 0 && s % 3600 == 0 => format!("{} h", s / 3600),
        s if s > 0 && s % 60 == 0 => format!("{} min", s / 60),
        s => format!("{s} s"),
    }
}

/// A share as whole percents, `Math.round` as in InMemProfiler; 0 of 0 is 0.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (100.0 * part as f64 / whole as f64 + 0.5).floor() as u64 }
}

/// A share in percents with two decimals, rounded towards less: only a full share reads `100.00 %`.
pub(crate) fn share(share: f64) -> String {
    // The small addend undoes binary rounding of shares that are whole hundredths.
    format!("{:.2} %", (share * 10_000.0 + 1e-7).floor() / 100.0)
}

/// A relative standard error as a band of 95 %: `+-12 %`, or that there are few samples.
pub fn plus_minus(error: f64) -> String {
    if is_few_samples(error) {
        "few samples".to_owned()
    } else {
        format!("+-{:.0} %", (196.0 * error).ceil())
    }
}

/// Whether [`plus_minus`] states no number.
pub(crate) fn is_few_samples(error: f64) -> bool {
    (196.0 * error).ceil() >= 100.0
}

/// `98 %`; 100 and 0 only if it is all or none.
pub fn whole_percent(share: f64) -> String {
    let percent = (share * 100.0).round();
    match percent {
        p if p >= 100.0 && share < 1.0 => ">99 %".to_owned(),
        p if p < 1.0 && share > 0.0 => "<1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_and_never_read_1024() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (382 * 1024, "382 KiB"),
            (1023 * 1024 + 600, "1.00 MiB"),
            (1_997_159_792, "1.86 GiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        cases.iter().for_each(|&(value, text)| assert_eq!(bytes(value), text));
    }

    #[test]
    fn counts_use_powers_of_1000() {
        let cases = [(999, "999"), (1000, "1.00 k"), (1_240_000, "1.24 M"), (999_999, "1.00 M")];
        cases.iter().for_each(|&(value, text)| assert_eq!(count(value), text));
    }

    #[test]
    fn durations() {
        assert_eq!(
            [0.4, 999.4, 999.6, 61_000.0, 4_320_000.0].map(duration),
            ["400 µs", "999 ms", "1.00 s", "1.02 min", "1.20 h"]
        );
        assert_eq!(
            [999.4, 1_530.0, 59_900.0, 90_000.0, 4_320_000.0].map(rough_duration),
            ["999 ms", "1.5 s", "60 s", "1.5 min", "1.2 h"]
        );
        assert_eq!([12.0, 1_530.0, 125_000.0].map(seconds), ["0.012", "1.53", "125"]);
        assert_eq!(clock(3_725_999), "1:02:05");
    }

    #[test]
    fn percents_round_half_up() {
        assert_eq!([percent(1, 200), percent(1, 201), percent(2, 3), percent(5, 0)], [1, 0, 67, 0]);
    }

    #[test]
    fn a_share_just_below_one_is_not_called_full() {
        assert_eq!([0.999_99, 1.0, 0.9998, 1.019].map(share), ["99.99 %", "100.00 %", "99.98 %", "101.90 %"]);
    }

    #[test]
    fn all_and_none_are_only_said_of_all_and_none() {
        assert_eq!(
            [0.0, 0.001, 0.5, 0.999, 1.0].map(whole_percent),
            ["0 %", "<1 %", "50 %", ">99 %", "100 %"]
        );
    }
}
