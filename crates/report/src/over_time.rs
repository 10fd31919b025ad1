//! What happened when, in a line each: allocation, what was live, deaths, pauses.
//!
//! Of all classes, whatever is shown. Not here: charts in a terminal (`mayfly-live`).

use mayfly_profile::{Collection, Point, Profile};

use crate::text::pad;
use crate::units;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns of the words at both ends.
const LABEL: usize = 14;
const NUMBER: usize = 22;

/// The lines, each of at most so many columns; none if there is no more than one step.
pub(crate) fn over_time(profile: &Profile, columns: usize) -> Vec<String> {
    let points = &profile.history;
    let mut lines = Vec::new();
    if points.len() > 1 {
        let room = columns.saturating_sub(LABEL + NUMBER).clamp(8, 60);
        let mut row = |label: &str, value: fn(&Point) -> u64, unit: &str| {
            let values = by_time(points, room, value);
            let most = units::bytes(points.iter().map(value).max().unwrap_or(0));
            lines.push(format!("{}{}  at most {most}{unit}", pad(label, LABEL), spark(&values)));
        };
        row("allocated/s", Point::allocation_rate, "/s");
        if profile.run.lifetimes {
            row("live after GC", |point| point.live, "");
            row("died/s", Point::death_rate, "/s");
        }
    }
    lines.extend(pauses(&profile.collections));
    lines
}

/// What collections cost the program; `None` if none is known.
fn pauses(collections: &[Collection]) -> Option<String> {
    let longest = collections.iter().map(|gc| gc.pause_us).max()?;
    let all: u64 = collections.iter().map(|gc| gc.pause_us).sum();
    let ms = |us: u64| units::duration(us as f64 / 1_000.0);
    Some(format!("{}{} in all, the longest {}", pad("paused", LABEL), ms(all), ms(longest)))
}

/// The mean of a value in so many equal parts of the whole time.
fn by_time(points: &[Point], columns: usize, value: impl Fn(&Point) -> u64) -> Vec<f64> {
    let all: u64 = points.iter().map(|point| point.span_ms).sum();
    let width = all as f64 / columns as f64;
    let mut sums = vec![0.0; columns];
    let mut from = 0.0;
    for point in points {
        let to = from + point.span_ms as f64;
        let first = (from / width) as usize;
        for (column, sum) in sums.iter_mut().enumerate().skip(first) {
            let (left, right) = (column as f64 * width, (column + 1) as f64 * width);
            if left >= to {
                break;
            }
            *sum += value(point) as f64 * (right.min(to) - left.max(from)).max(0.0);
        }
        from = to;
    }
    sums.iter().map(|sum| sum / width).collect()
}

/// A character per value, the largest the highest. What is not zero shows.
fn spark(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let height = |value: f64| match (value / most * 8.0).ceil() as usize {
        0 => ' ',
        eighths => HEIGHTS[eighths.min(8) - 1],
    };
    values.iter().map(|&value| if most > 0.0 { height(value) } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use mayfly_profile::RunInfo;

    use super::*;

    fn point(span_ms: u64, allocated: u64, live: u64) -> Point {
        Point { span_ms, allocated, live, ..Point::default() }
    }

    #[test]
    fn heights_are_means_over_equal_times() {
        // A step of three seconds and one of one second: each column is a second.
        let points = [point(3_000, 300, 7), point(1_000, 800, 7)];
        assert_eq!(by_time(&points, 4, Point::allocation_rate), [100.0, 100.0, 100.0, 800.0]);
        assert_eq!(by_time(&points, 2, Point::allocation_rate), [100.0, 450.0]);
        assert_eq!(spark(&[0.0, 1.0, 400.0, 800.0]), " ▁▄█");
        assert_eq!(spark(&[0.0, 0.0]), "  ");
    }

    #[test]
    fn lifetimes_have_two_lines_more_and_pauses_are_added_up() {
        let history = vec![point(1_000, 1 << 20, 10), point(1_000, 2 << 20, 20)];
        let counted = Profile { history, ..Profile::default() };
        let lines = over_time(&counted, 80);
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("allocated/s   ▄") && lines[0].ends_with("█  at most 2.00 MiB/s"),
            "{lines:?}"
        );
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let pause = |pause_us| Collection { pause_us, ..Collection::default() };
        let followed = Profile { run, collections: vec![pause(1_500), pause(20_000)], ..counted };
        let lines = over_time(&followed, 80);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[3], "paused        22 ms in all, the longest 20 ms");
        assert!(lines.iter().all(|line| crate::text::width(line) <= 80));
    }

    #[test]
    fn of_one_step_there_is_nothing_to_draw() {
        assert_eq!(over_time(&Profile { history: vec![point(1, 1, 1)], ..Profile::default() }, 80), [""; 0]);
    }
}
