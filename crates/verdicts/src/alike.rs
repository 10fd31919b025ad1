//! Whether nearly all methods changed by one factor: then the runs did different amounts of work, and the code is what it was.

/// Smaller changes of all are not worth a word.
const LEAST_CHANGE: f64 = 0.1;
/// Methods within this part of the middle factor changed alike.
const NEAR: f64 = 0.1;
/// Of the bytes, so many are then in methods that did.
const LEAST_SHARE: f64 = 0.6;
/// Fewer methods say nothing of all.
const LEAST_METHODS: usize = 8;
/// Where start-up and timers did not change, so many methods of those that did are to have changed alike, with this share of all bytes.
const LEAST_ALIKE: usize = 5;
const LEAST_SHARE_OF_ALL: f64 = 0.05;

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

/// Bytes that a method allocated before and after, and whether that is a difference beyond chance.
#[derive(Clone, Copy)]
pub(crate) struct Changed<'m> {
    pub(crate) method: &'m str,
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) is_sure: bool,
}

impl Changed<'_> {
    fn factor(&self) -> f64 {
        self.after / self.before
    }

    fn by(&self) -> f64 {
        (self.after - self.before).abs()
    }

    /// Whether it changed at all. What vanished was mended, or escaped the samples.
    fn is_seen_to(&self) -> bool {
        self.is_sure && self.after > 0.0 && (self.factor() - 1.0).abs() >= LEAST_CHANGE
    }
}

/// Of all methods, or of those that changed; `None` if they changed differently, or hardly. The one that changed most says nothing of the
/// work: it may be what was mended.
pub(crate) fn alike<'m>(methods: impl Iterator<Item = Changed<'m>>) -> Option<Alike> {
    let mut methods: Vec<Changed<'_>> = methods.filter(|of| of.before > 0.0).collect();
    let most = (0..methods.len()).max_by(|&a, &b| methods[a].by().total_cmp(&methods[b].by()))?;
    let most = methods.swap_remove(most);
    methods.sort_by(|a, b| a.factor().total_cmp(&b.factor()));
    let of_all = common(&methods).filter(|_| methods.len() >= LEAST_METHODS);
    let of_all = of_all.filter(|(middle, _)| (middle - 1.0).abs() >= LEAST_CHANGE);
    let all = bytes(&methods);
    let (middle, mut near) = of_all.or_else(|| common_of_changed(&methods, most, all))?;
    near.retain(|of| of.method != most.method);
    let is_apart = !is_near(&most, middle);
    let of_most = if is_apart { 0.0 } else { most.before };
    let share = (bytes(&near) + of_most) / (all + of_most);
    Some(Alike { share, change: middle - 1.0, apart: is_apart.then(|| most.method.to_owned()) })
}

/// The same of those that changed, with the one that changed most, which may have changed as all did, or without it.
fn common_of_changed<'m>(
    others: &[Changed<'m>],
    most: Changed<'m>,
    all: f64,
) -> Option<(f64, Vec<Changed<'m>>)> {
    let others: Vec<_> = others.iter().copied().filter(Changed::is_seen_to).collect();
    let mut with_most = others.clone();
    with_most.extend(Some(most).filter(Changed::is_seen_to));
    with_most.sort_by(|a, b| a.factor().total_cmp(&b.factor()));
    let is_enough = |(_, near): &(f64, Vec<Changed<'_>>)| {
        near.len() >= LEAST_ALIKE && bytes(near) >= LEAST_SHARE_OF_ALL * all
    };
    [with_most, others].iter().filter_map(|changed| common(changed)).find(is_enough)
}

/// The factor of most bytes, of methods in the order of factors, with those that changed by it; `None` if they changed differently.
fn common<'m>(methods: &[Changed<'m>]) -> Option<(f64, Vec<Changed<'m>>)> {
    let all = bytes(methods);
    let mut below = 0.0;
    let middle = methods.iter().find(|of| {
        below += of.before;
        below >= all / 2.0
    });
    let middle = middle?.factor();
    let near: Vec<_> = methods.iter().copied().filter(|of| is_near(of, middle)).collect();
    (bytes(&near) >= LEAST_SHARE * all).then_some((middle, near))
}

fn is_near(of: &Changed<'_>, middle: f64) -> bool {
    (of.factor() - middle).abs() <= NEAR * middle
}

fn bytes(methods: &[Changed<'_>]) -> f64 {
    methods.iter().map(|of| of.before).sum()
}
