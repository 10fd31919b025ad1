//! Whether nearly all methods changed by one factor: then the runs did different amounts of work, and the code is what it was.

/// Smaller changes of all are not worth a word.
const LEAST_CHANGE: f64 = 0.1;
/// Methods within this part of the middle factor changed alike.
const NEAR: f64 = 0.1;
/// Of the bytes, so many are then in methods that did.
const LEAST_SHARE: f64 = 0.6;
/// Fewer methods say nothing of all.
const LEAST_METHODS: usize = 8;

/// What most methods changed by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// Share of the bytes before that are allocated by methods which changed so.
    pub share: f64,
    /// The change, as a share of what was before: -0.4 is four tenths less.
    pub change: f64,
}

/// Of the bytes that methods allocated before and after; `None` if they changed differently, or hardly.
pub(crate) fn alike(methods: impl Iterator<Item = (f64, f64)>) -> Option<Alike> {
    // By what, and with how many bytes.
    let mut factors: Vec<(f64, f64)> =
        methods.filter(|(before, _)| *before > 0.0).map(|(before, after)| (after / before, before)).collect();
    factors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = factors.iter().map(|(_, bytes)| bytes).sum();
    let mut below = 0.0;
    let (middle, _) = factors.iter().find(|(_, bytes)| {
        below += bytes;
        below >= all / 2.0
    })?;
    let near: f64 = factors
        .iter()
        .filter(|(factor, _)| (factor - middle).abs() <= NEAR * middle)
        .map(|(_, bytes)| bytes)
        .sum();
    let alike = Alike { share: near / all, change: middle - 1.0 };
    let is_decided = factors.len() >= LEAST_METHODS && alike.share >= LEAST_SHARE;
    (is_decided && alike.change.abs() >= LEAST_CHANGE).then_some(alike)
}
