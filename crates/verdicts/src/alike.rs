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
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// Share of the bytes before that are allocated by methods which changed so, of all but `apart`.
    pub share: f64,
    /// The change, as a share of what was before: -0.4 is four tenths less.
    pub change: f64,
    /// The method whose bytes changed most, if it changed by another factor: the code of this one is not what it was.
    pub apart: Option<String>,
}

/// Bytes that a method allocated before and after.
pub(crate) type Changed<'m> = (&'m str, f64, f64);

/// Of all methods; `None` if they changed differently, or hardly. The one that changed most says nothing of the work: it may be what was mended.
pub(crate) fn alike<'m>(methods: impl Iterator<Item = Changed<'m>>) -> Option<Alike> {
    let mut methods: Vec<Changed<'_>> = methods.filter(|(_, before, _)| *before > 0.0).collect();
    let by = |&(_, before, after): &Changed<'_>| (after - before).abs();
    let most = (0..methods.len()).max_by(|&a, &b| by(&methods[a]).total_cmp(&by(&methods[b])))?;
    let (name, before, after) = methods.swap_remove(most);
    let factor = |&(_, before, after): &Changed<'_>| after / before;
    methods.sort_by(|a, b| factor(a).total_cmp(&factor(b)));
    let all: f64 = methods.iter().map(|(_, bytes, _)| bytes).sum();
    let mut below = 0.0;
    let middle = factor(methods.iter().find(|(_, bytes, _)| {
        below += bytes;
        below >= all / 2.0
    })?);
    let is_near = |factor: f64| (factor - middle).abs() <= NEAR * middle;
    let near: f64 = methods.iter().filter(|of| is_near(factor(of))).map(|(_, bytes, _)| bytes).sum();
    let apart = (!is_near(after / before)).then(|| name.to_owned());
    let alike = Alike { share: near / all, change: middle - 1.0, apart };
    let is_decided = methods.len() >= LEAST_METHODS && alike.share >= LEAST_SHARE;
    (is_decided && alike.change.abs() >= LEAST_CHANGE).then_some(alike)
}
