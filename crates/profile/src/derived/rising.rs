//! Whether what is measured part by part of the time becomes more all along: one rule for the heap and for what is outside of it.

/// Parts of the time that are compared.
pub(crate) const PARTS: usize = 8;
/// The share of all pairs of parts of which the later has more (Mann and Kendall's test of a trend): a step has 16 of 28.
const LATER_IS_MORE: f64 = 0.75;
/// And a step of the second half brings this share of one of the first: what fills up comes to an end.
const GOES_ON: f64 = 0.5;

/// The numbers, if each part has one.
pub(crate) fn known(numbers: [Option<u64>; PARTS]) -> Option<[u64; PARTS]> {
    numbers.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Whether these numbers, one of each part, rise by this much at least.
pub(crate) fn rises(numbers: [u64; PARTS], least: f64) -> bool {
    let steps: Vec<f64> = numbers.windows(2).map(|pair| pair[1] as f64 - pair[0] as f64).collect();
    let (early, late) = steps.split_at(steps.len() / 2);
    steps.iter().sum::<f64>() >= least
        && later_is_more(&numbers) >= LATER_IS_MORE
        && median(late) >= GOES_ON * median(early)
}

/// The share of the pairs of which the later is more.
fn later_is_more(numbers: &[u64]) -> f64 {
    let pairs = || {
        numbers
            .iter()
            .enumerate()
            .flat_map(|(at, one)| numbers[at + 1..].iter().map(move |later| later > one))
    };
    pairs().filter(|&is_more| is_more).count() as f64 / pairs().count().max(1) as f64
}

/// Of an even number the mean of the two in the middle.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        even if even.is_multiple_of(2) => (sorted[half - 1] + sorted[half]) / 2.0,
        _ => sorted[half],
    }
}
