//! The survival curve of a class: which share of its objects lives longer than each age.

use mayfly_profile::{ClassProfile, Profile, Survival};
use mayfly_report::{duration, size};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::charts;
use super::put::Put;
use crate::bars::Clock;

const AXIS: u16 = 6;
/// Shares of which the age is looked for.
const QUANTILES: usize = 200;
/// From the first age on the axis to the last at least.
const LEAST_FACTOR: f64 = 100.0;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, class: &ClassProfile, clock: Clock, profile: &Profile) {
    let bounds = if profile.run.jvm.lifetimes_are_upper_bounds() { ", at most" } else { "" };
    put.line(area, 0, &format!("share that lives longer{bounds}"), put.look.heading());
    let survival = class.lifetimes.as_ref().and_then(|lifetimes| match clock {
        Clock::Time => lifetimes.in_time(),
        Clock::Bytes => lifetimes.in_bytes(),
        Clock::Gcs => lifetimes.in_gcs(),
    });
    let Some(ages) = survival.as_ref().map(ages).filter(|ages| !ages.is_empty()) else {
        return put.line(area, 2, "none of them was seen dead yet", put.look.quiet());
    };
    let inside = Rect {
        x: area.x + AXIS,
        y: area.y + 1,
        width: area.width.saturating_sub(AXIS),
        height: area.height.saturating_sub(2),
    };
    let last = ages[ages.len() - 1].0.max(1.0);
    let first = ages[0].0.min(last / LEAST_FACTOR).max(1.0);
    let heights: Vec<_> =
        (0..inside.width).map(|x| alive(&ages, age_at(x, inside.width, first, last))).collect();
    let heights: Vec<_> = heights.iter().map(|share| (share * 1e6) as u64).collect();
    charts::columns(put, inside, &heights, 1_000_000, put.look.coloured(Color::Green));
    put.line(area, 1, "100 %", Style::new());
    put.line(area, area.height.saturating_sub(2), "  0 %", Style::new());
    let text = |age: f64| match clock {
        Clock::Time => duration(age),
        Clock::Bytes => size(age as u64),
        Clock::Gcs => format!("{age:.0} GCs"),
    };
    let below = Rect { y: area.y + area.height.saturating_sub(1), height: 1, ..inside };
    put.between(below, 0, (&text(first), &text(last)), put.look.quiet());
}

/// (age, share gone by it), ascending in both; ends where the last quantile was reached.
fn ages(survival: &Survival) -> Vec<(f64, f64)> {
    let quantiles = (1..QUANTILES).map(|step| step as f64 / QUANTILES as f64);
    quantiles.map_while(|q| survival.point(q).map(|age| (age, q))).collect()
}

/// Ages on the axis grow by factors: lifetimes do.
fn age_at(column: u16, columns: u16, first: f64, last: f64) -> f64 {
    let along = f64::from(column) / f64::from(columns.saturating_sub(1).max(1));
    first * (last / first).max(1.0).powf(along)
}

/// The share that lives longer than an age.
fn alive(ages: &[(f64, f64)], age: f64) -> f64 {
    let reached = ages.partition_point(|&(at, _)| at <= age);
    1.0 - reached.checked_sub(1).map_or(0.0, |at| ages[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_falls_from_one_and_holds_its_quantiles() {
        let ages = [(10.0, 0.25), (100.0, 0.5), (1_000.0, 0.75)];
        assert_eq!(
            [1.0, 10.0, 99.0, 100.0, 5_000.0].map(|age| alive(&ages, age)),
            [1.0, 0.75, 0.75, 0.5, 0.25]
        );
        assert_eq!((age_at(0, 11, 10.0, 1_000.0), age_at(5, 11, 10.0, 1_000.0)), (10.0, 100.0));
        assert!((age_at(10, 11, 10.0, 1_000.0) - 1_000.0).abs() < 1e-9);
    }
}
