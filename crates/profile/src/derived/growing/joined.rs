//! One leak that is made along one way: a builder's `build`, and the line that calls it, make what belongs together.

use crate::stream::profile::Profile;

use super::pools::{Grower, Maker};

/// Whose line it is has to keep at least this share of what is made by way of it: else it only calls.
const PART: f64 = 0.1;

/// The same, those joined of which all objects are made by way of another's line. What is surest is said of both.
pub(super) fn joined(profile: &Profile, mut growers: Vec<Grower>) -> Vec<Grower> {
    while let Some((inner, outer)) = pair(profile, &growers) {
        let part = growers[inner].clone();
        growers[outer].absorb(part, profile);
        growers.remove(inner);
    }
    growers
}

/// Two of which the first makes its objects by way of the second's line.
fn pair(profile: &Profile, growers: &[Grower]) -> Option<(usize, usize)> {
    let all = || 0..growers.len();
    let pairs = all().flat_map(|inner| all().map(move |outer| (inner, outer)));
    let mut pairs = pairs.filter(|(inner, outer)| inner != outer);
    let is_part = |inner: &Grower, outer: &Grower| {
        let surer = outer.growth.rank() <= inner.growth.rank();
        surer && outer.bytes_per_s >= PART * inner.bytes_per_s && goes_by(profile, inner, &outer.maker)
    };
    pairs.find(|&(inner, outer)| is_part(&growers[inner], &growers[outer]))
}

fn goes_by(profile: &Profile, grower: &Grower, line: &Maker) -> bool {
    let is_line = matches!(line, Maker::Method { line: Some(_), .. });
    let passes =
        |row: usize| profile.sites[row].stack.iter().any(|frame| Maker::of(Some(frame), true) == *line);
    is_line && matches!(grower.maker, Maker::Method { .. }) && grower.kept.iter().all(|kept| passes(kept.row))
}
