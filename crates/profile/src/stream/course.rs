//! Points in time as columns: a later Mayfly adds one at the end, which an older reader leaves out.
//!
//! Not here: what a point is (`history`).

use serde::{Deserialize, Serialize};

use crate::facts::off_heap::{Held, OffHeap};
use crate::stream::point::Point;

/// A column for each number of a [`Point`], in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    span_ms: Vec<u64>,
    allocated: Vec<u64>,
    dead: Vec<u64>,
    live: Vec<Option<u64>>,
    gcs: Vec<u32>,
    soft: Vec<u64>,
    classes: Vec<u64>,
    direct: Vec<Option<Held>>,
    mapped: Vec<Option<Held>>,
    resident: Vec<Option<u64>>,
    limit: Vec<Option<u64>>,
}

impl Course {
    /// Of these points.
    pub fn of(points: &[Point]) -> Self {
        let off_heap = |point: &Point| point.off_heap.unwrap_or_default();
        Self {
            span_ms: points.iter().map(|point| point.span_ms).collect(),
            allocated: points.iter().map(|point| point.allocated).collect(),
            dead: points.iter().map(|point| point.dead).collect(),
            live: points.iter().map(|point| point.live).collect(),
            gcs: points.iter().map(|point| point.gcs).collect(),
            soft: points.iter().map(|point| point.soft).collect(),
            classes: points.iter().map(|point| point.classes).collect(),
            direct: points.iter().map(|point| off_heap(point).direct).collect(),
            mapped: points.iter().map(|point| off_heap(point).mapped).collect(),
            resident: points.iter().map(|point| off_heap(point).resident).collect(),
            limit: points.iter().map(|point| off_heap(point).limit).collect(),
        }
    }

    /// Whether it has no points.
    pub(crate) fn is_empty(&self) -> bool {
        self.span_ms.is_empty()
    }

    /// The points; what a column does not have is zero, or not known.
    pub fn points(&self) -> Vec<Point> {
        fn at<T: Copy + Default>(column: &[T], row: usize) -> T {
            column.get(row).copied().unwrap_or_default()
        }
        let point = |row| {
            let off_heap = OffHeap {
                direct: at(&self.direct, row),
                mapped: at(&self.mapped, row),
                resident: at(&self.resident, row),
                limit: at(&self.limit, row),
            };
            Point {
                span_ms: at(&self.span_ms, row),
                allocated: at(&self.allocated, row),
                dead: at(&self.dead, row),
                live: at(&self.live, row),
                gcs: at(&self.gcs, row),
                soft: at(&self.soft, row),
                classes: at(&self.classes, row),
                off_heap: (off_heap != OffHeap::default()).then_some(off_heap),
            }
        };
        (0..self.span_ms.len()).map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_same_as_columns_and_one_that_is_missing_is_not_known() {
        let off_heap = OffHeap { resident: Some(7), ..OffHeap::default() };
        let point = Point {
            span_ms: 500,
            allocated: 1,
            dead: 2,
            live: Some(3),
            gcs: 4,
            soft: 5,
            classes: 6,
            off_heap: Some(off_heap),
        };
        let points = [point, Point { span_ms: 700, ..Point::default() }];
        let course = Course::of(&points);
        assert_eq!(course.points(), points);
        let earlier = Course { resident: Vec::new(), live: Vec::new(), ..course };
        assert_eq!(earlier.points()[0], Point { live: None, off_heap: None, ..point });
        assert!(Course::default().is_empty());
    }
}
