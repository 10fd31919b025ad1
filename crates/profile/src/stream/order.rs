//! The order of rows: what was allocated most comes first, and equal rows always come in the same order.
//!
//! Not here: ranks where allocations were optimised away (`optimised_away`).

use std::cmp::Ordering;

use crate::stream::profile::{ClassProfile, SiteProfile};

/// Largest allocated bytes first, ties by name.
pub(crate) fn class_order(a: &ClassProfile, b: &ClassProfile) -> Ordering {
    b.allocated.bytes.cmp(&a.allocated.bytes).then_with(|| a.name.cmp(&b.name))
}

/// Largest allocated bytes first, ties by class and stack.
pub(crate) fn site_order(a: &SiteProfile, b: &SiteProfile) -> Ordering {
    let by_bytes = b.allocated.bytes.cmp(&a.allocated.bytes);
    by_bytes.then_with(|| a.class.cmp(&b.class)).then_with(|| a.stack.cmp(&b.stack))
}

/// Rows in an order. Each is moved once: they are large.
pub(crate) fn in_order<T>(rows: Vec<T>, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by(|&one, &other| order(&rows[one], &rows[other]));
    let mut rows: Vec<_> = rows.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| rows[place].take()).collect()
}
