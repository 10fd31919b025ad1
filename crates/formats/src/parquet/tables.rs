//! The tables of a profile and their columns.
//!
//! Not here: how a file is spelled (`file`), and tables of one recording among many (`fleet`).

use std::io;
use std::rc::Rc;

use mayfly_profile::{
    Amounts, Cell, Collection, GenerationUse, Grouping, LifeSpan, MEASURES, Point, Profile, Tally, Value,
};

use super::file::encoded;
use crate::choice::{Choice, columns};
use crate::columns::{Column, Columns};
use crate::spelling::stack;
use crate::traces;

/// A file of a format that has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// `classes`, `sites`, `lifetimes`, `collections`, `timeline` or `traces`; of a fleet also `recordings`.
    pub name: &'static str,
    /// The whole Parquet file.
    pub bytes: Vec<u8>,
}

/// All tables of a profile. Deterministic.
///
/// # Errors
/// A page would exceed what the format can say.
pub fn parquet(profile: &Profile, choice: &Choice) -> io::Result<Vec<Table>> {
    let encoded = |(name, columns): (&'static str, Columns)| Ok(Table { name, bytes: encoded(&columns)? });
    tables(profile, choice).into_iter().map(encoded).collect()
}

pub(super) fn tables(profile: &Profile, choice: &Choice) -> [(&'static str, Columns); 6] {
    [
        ("classes", classes(profile)),
        ("sites", sites(profile, choice)),
        ("lifetimes", lifetimes(profile, choice)),
        ("collections", collections(&profile.collections)),
        ("timeline", timeline(profile)),
        ("traces", traces::columns(profile, choice)),
    ]
}

fn amounts(profile: &Profile, rows: &[Amounts]) -> Columns {
    let column = |(name, value): (&'static str, Value)| {
        let known = |amounts: &Amounts| profile.knows(value).then(|| amounts.of(value));
        (name, Column::Whole(rows.iter().map(known).collect()))
    };
    columns().map(column).collect()
}

fn classes(profile: &Profile) -> Columns {
    let names = profile.classes.iter().map(|class| &*class.name);
    let mut columns = vec![("class", Column::texts(names))];
    columns.extend(MEASURES.iter().map(|measure| {
        let numbers = profile.classes.iter().map(|class| measure.number(profile, class));
        let column = match measure.adds_up {
            true => Column::Whole(numbers.map(|number| Some(number?.round() as u64)).collect()),
            false => Column::Real(numbers.collect()),
        };
        (measure.key, column)
    }));
    columns.extend(renamed(&columns));
    columns
}

/// Names that columns had before.
fn renamed(columns: &Columns) -> Columns {
    let of = |key: &str, times: f64| match columns.iter().find(|(name, _)| *name == key) {
        Some((_, Column::Real(numbers))) => {
            Column::Real(numbers.iter().map(|number| Some(number.as_ref()? * times)).collect())
        }
        _ => Column::Real(Vec::new()),
    };
    vec![("median_lifetime_ms", of("p50_s", 1_000.0)), ("median_lifetime_bytes", of("p50_bytes", 1.0))]
}

fn sites(profile: &Profile, choice: &Choice) -> Columns {
    let cells = profile.cells();
    let rows: Vec<_> = cells.iter().map(|cell| cell.amounts).collect();
    let stack = |cell: &Cell<'_>| stack(cell.stack, choice.lines);
    let mut columns = vec![
        ("class", Column::texts(cells.iter().map(|cell| cell.class))),
        ("stack", Column::texts(cells.iter().map(stack))),
    ];
    columns.extend(amounts(profile, &rows));
    columns.extend(Grouping::ALL.map(|grouping| {
        let group = |cell: &Cell<'_>| Rc::from(grouping.of(cell.stack).unwrap_or(""));
        (grouping.key(), Column::Text(cells.iter().map(group).collect()))
    }));
    columns
}

/// The same cells, divided by how long their objects lived: with the lengths of their classes, so bands add up to those of
/// reports.
fn lifetimes(profile: &Profile, choice: &Choice) -> Columns {
    let (mut classes, mut stacks, mut lives) = (vec![], vec![], vec![]);
    for of_cell in profile.cell_lives() {
        let (class, stack): (Rc<str>, Rc<str>) =
            (of_cell.cell.class.into(), stack(of_cell.cell.stack, choice.lines).into());
        for life in of_cell.lives {
            classes.push(class.clone());
            stacks.push(stack.clone());
            lives.push(life);
        }
    }
    let whole = |of: fn(LifeSpan, Tally) -> Option<u64>| {
        Column::Whole(lives.iter().map(|&(life, tally)| of(life, tally)).collect())
    };
    let held =
        |&(life, tally): &(LifeSpan, Tally)| Some(tally.bytes as f64 * life.middle_ms() as f64 / 1_000.0);
    vec![
        ("class", Column::Text(classes)),
        ("stack", Column::Text(stacks)),
        ("alive_after_ms", whole(|life, _| Some(life.after_ms))),
        ("gone_by_ms", whole(|life, _| life.by_ms)),
        ("lifetime_ms", whole(|life, _| Some(life.middle_ms()))),
        ("objects", whole(|_, tally| Some(tally.objects))),
        ("bytes", whole(|_, tally| Some(tally.bytes))),
        ("byte_seconds", Column::Real(lives.iter().map(held).collect())),
    ]
}

fn collections(collections: &[Collection]) -> Columns {
    let whole = |of: &dyn Fn(&Collection) -> Option<u64>| Column::Whole(collections.iter().map(of).collect());
    let text = |of: &dyn Fn(&Collection) -> String| Column::texts(collections.iter().map(of));
    type Generation = fn(&Collection) -> Option<GenerationUse>;
    let parts: [([&'static str; 3], Generation); 3] = [
        (["heap_before_bytes", "heap_after_bytes", "heap_capacity_bytes"], Collection::heap),
        (["young_before_bytes", "young_after_bytes", "young_capacity_bytes"], |gc| gc.young),
        (["old_before_bytes", "old_after_bytes", "old_capacity_bytes"], |gc| gc.old),
    ];
    let mut columns = vec![
        ("number", whole(&|gc| Some(gc.number.into()))),
        ("at_ms", whole(&|gc| Some(gc.at_ms))),
        ("pause_us", whole(&|gc| Some(gc.pause_us))),
        ("kind", text(&|gc| gc.kind.name().to_owned())),
        ("cause", text(&|gc| gc.cause.clone())),
        ("allocated_bytes", whole(&|gc| Some(gc.bytes))),
    ];
    for ([before, after, capacity], of) in parts {
        columns.push((before, whole(&|gc| of(gc)?.before)));
        columns.push((after, whole(&|gc| Some(of(gc)?.after))));
        columns.push((capacity, whole(&|gc| of(gc)?.capacity)));
    }
    columns.push(("promoted_bytes", whole(&Collection::promoted)));
    columns.push(("tenuring_threshold", whole(&|gc| Some(gc.tenuring.as_ref()?.threshold.into()))));
    columns.push(("desired_survivor_bytes", whole(&|gc| gc.tenuring.as_ref()?.desired_survivor_bytes)));
    columns
}

fn timeline(profile: &Profile) -> Columns {
    let from_ms = profile.part.during_ms.map_or(0, |(from, _)| from);
    let mut ends = vec![from_ms];
    ends.extend(profile.history.iter().scan(from_ms, |at, point| {
        *at += point.span_ms;
        Some(*at)
    }));
    let points = &profile.history;
    let known = |bytes: u64| profile.run.lifetimes.then_some(bytes);
    let whole = |of: &dyn Fn(&Point) -> Option<u64>| Column::Whole(points.iter().map(of).collect());
    vec![
        ("from_ms", Column::Whole(ends[..points.len()].iter().copied().map(Some).collect())),
        ("to_ms", Column::Whole(ends[1..].iter().copied().map(Some).collect())),
        ("allocated_bytes", whole(&|point| Some(point.allocated))),
        ("died_bytes", whole(&|point| known(point.dead))),
        ("live_after_gc_bytes", whole(&|point| point.live)),
        ("collections", whole(&|point| Some(point.gcs.into()))),
    ]
}
