//! `mayfly heap diff`: what grew between summaries of one program, over any number of them.

use mayfly_profile::{HeapGrowth, HeapOrder, HeapSummary, Total, heap_growth, readable_class};
use serde::Serialize;

use crate::args::heap::DiffArgs;
use crate::error::Error;
use crate::heap::columns::{Columns, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::progress::Progress;
use crate::heap::summary_file;

/// Classes that changed, most grown first.
#[derive(Debug, Serialize)]
pub(super) struct Diff {
    /// Sums over all classes.
    total: Course,
    /// Classes that changed, whatever the limit.
    classes: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    class: String,
    #[serde(flatten)]
    course: Course,
}

/// Objects and bytes over the summaries.
#[derive(Debug, Serialize)]
struct Course {
    /// In each summary, in their order.
    held: Vec<Total>,
    /// From the first to the last.
    growth: Growth,
    /// Whether there were more objects in each summary than in the one before.
    grew_each_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Growth {
    objects: i64,
    bytes: i64,
}

impl Course {
    fn of(growth: &HeapGrowth<'_>) -> Self {
        Self {
            held: growth.held.clone(),
            growth: Growth { objects: growth.objects, bytes: growth.bytes },
            grew_each_time: growth.held.windows(2).all(|two| two[1].objects > two[0].objects),
        }
    }

    /// Growth, then what there is at the end; with more than two summaries also whether it grew each time.
    fn cells(&self, class: String) -> Vec<String> {
        let last = self.held.last().copied().unwrap_or_default();
        let mut cells = vec![
            format!("{:+}", self.growth.bytes),
            format!("{:+}", self.growth.objects),
            last.bytes.to_string(),
            last.objects.to_string(),
        ];
        if self.held.len() > 2 {
            cells.push(if self.grew_each_time { "yes" } else { "" }.to_owned());
        }
        cells.push(class);
        cells
    }
}

impl Answer for Diff {
    const QUERY: &'static str = "diff";

    fn text(&self) -> String {
        let headings: &[&str] = match self.total.held.len() {
            ..=2 => &["+bytes", "+objects", "bytes", "objects", "class"],
            _ => &["+bytes", "+objects", "bytes", "objects", "each time", "class"],
        };
        let mut table = Columns::new(headings);
        self.rows.iter().for_each(|row| table.cells(row.course.cells(readable_class(&row.class))));
        table.cells(self.total.cells(format!("total of all classes, {} changed", self.classes)));
        table.text() + &left_out(self.rows.len(), self.classes, "class")
    }
}

pub(super) fn run(args: &DiffArgs) -> Result<(), Error> {
    let summaries = {
        let _progress = Progress::work("reading summaries");
        args.summaries.iter().map(|file| summary_file::read(file)).collect::<Result<Vec<_>, _>>()?
    };
    let shown = args.rows.shown;
    let diff = diff(&summaries, args.rows.order(), shown.limit);
    document::show(&args.summaries, &diff, shown.json.is_json())
}

pub(super) fn diff(summaries: &[HeapSummary], order: HeapOrder, limit: Option<usize>) -> Diff {
    let growth = heap_growth(summaries, order);
    let row = |growth: &HeapGrowth<'_>| Row { class: growth.class.to_owned(), course: Course::of(growth) };
    Diff {
        total: total(summaries),
        classes: growth.len(),
        rows: growth.iter().take(limit.unwrap_or(usize::MAX)).map(row).collect(),
    }
}

/// Of all classes, as if they were one.
fn total(summaries: &[HeapSummary]) -> Course {
    let all = |summary: &HeapSummary| HeapSummary::from_iter([("all", summary.total())]);
    let summaries: Vec<_> = summaries.iter().map(all).collect();
    match heap_growth(&summaries, HeapOrder::Size).first() {
        Some(growth) => Course::of(growth),
        None => Course {
            held: summaries.iter().map(HeapSummary::total).collect(),
            growth: Growth { objects: 0, bytes: 0 },
            grew_each_time: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(rows: &[(&str, u64, u64)]) -> HeapSummary {
        rows.iter().map(|&(class, objects, bytes)| (class, Total { objects, bytes })).collect()
    }

    #[test]
    fn what_grew_most_comes_first_and_what_shrank_last() {
        let before = summary(&[("a", 10, 160), ("gone", 5, 80), ("same", 1, 16)]);
        let after = summary(&[("a", 12, 192), ("new", 1, 4000), ("same", 1, 16)]);
        let expected = "\
+bytes  +objects  bytes  objects  class
 +4000        +1   4000        1  new
   +32        +2    192       12  a
   -80        -5      0        0  gone
 +3952        -2   4208       14  total of all classes, 3 changed
";
        assert_eq!(diff(&[before, after], HeapOrder::Size, None).text(), expected);
    }

    #[test]
    fn nothing_grew_in_equal_summaries() {
        let same = summary(&[("a", 1, 16)]);
        let expected = "\
+bytes  +objects  bytes  objects  class
    +0        +0     16        1  total of all classes, 0 changed
";
        assert_eq!(diff(&[same.clone(), same], HeapOrder::Size, None).text(), expected);
    }

    #[test]
    fn by_count_objects_decide() {
        let [before, after] =
            [summary(&[("few", 1, 10), ("many", 1, 10)]), summary(&[("few", 2, 999), ("many", 9, 20)])];
        assert_eq!(diff(&[before, after], HeapOrder::Count, None).rows[0].class, "many");
    }

    #[test]
    fn over_several_summaries_steady_growth_is_marked() {
        let course = [
            summary(&[("leak", 1, 10), ("wave", 5, 50)]),
            summary(&[("leak", 2, 20), ("wave", 1, 10)]),
            summary(&[("leak", 3, 30), ("wave", 9, 90)]),
        ];
        let diff = diff(&course, HeapOrder::Size, None);
        let marks: Vec<_> = diff.rows.iter().map(|row| (&*row.class, row.course.grew_each_time)).collect();
        assert_eq!(marks, [("wave", false), ("leak", true)]);
        assert!(
            diff.text().lines().nth(2).is_some_and(|line| line.ends_with("yes  leak")),
            "{}",
            diff.text()
        );
    }
}
