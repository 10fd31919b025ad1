//! What was found of a graph as parts, and back: dominators, referrers, shortest paths, and tables by class.

use super::facts::{Reader, Writer};
use super::file::{Damaged, Kind, Part, Saved};
use crate::dominators::{ClassRetained, Dominators, LoaderRetained};
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::paths::ShortestPaths;
use crate::referrers::Referrers;
use mayfly_counts::{HeapSummary, Total};

impl Dominators {
    /// The tree as parts of an index of the same graph. Of which references it is made is not in them: those of
    /// [`Saved::dominators`].
    pub fn parts(&self) -> Vec<Part> {
        let (order, immediate, retained) = self.columns();
        vec![
            Part::column(Kind::DominatorsOrder, order),
            Part::column(Kind::DominatorsImmediate, immediate),
            Part::column(Kind::DominatorsRetained, retained),
        ]
    }
}

impl Referrers {
    /// These as parts of an index of the same graph.
    pub fn parts(&self) -> Vec<Part> {
        let (starts, sources) = self.columns();
        vec![Part::column(Kind::ReferrersStarts, starts), Part::column(Kind::ReferrersSources, sources)]
    }
}

impl ShortestPaths {
    /// These as parts of an index of the same graph.
    pub fn parts(&self) -> Vec<Part> {
        let (parents, ranks) = self.columns();
        vec![Part::column(Kind::PathsParents, parents), Part::column(Kind::PathsRanks, ranks)]
    }
}

/// Objects and bytes by class, as a part of an index.
pub fn histogram_part(summary: &HeapSummary) -> Part {
    Part::new(
        Kind::Histogram,
        table(summary.rows(), |out, (name, total)| {
            out.text(name);
            put_total(out, total);
        }),
    )
}

/// What classes and class loaders retain, as a part of an index.
pub fn classes_part(rows: &[ClassRetained]) -> Part {
    Part::new(
        Kind::RetainedByClass,
        table(rows.iter(), |out, row| {
            out.text(&row.name);
            put_total(out, row.own);
            out.number(row.retained);
        }),
    )
}

/// The same of class loaders.
pub fn loaders_part(rows: &[LoaderRetained]) -> Part {
    Part::new(
        Kind::RetainedByLoader,
        table(rows.iter(), |out, row| {
            out.index(row.loader.map(|object| object.0));
            out.number(row.classes);
            put_total(out, row.own);
            out.number(row.retained);
        }),
    )
}

fn table<T>(rows: impl ExactSizeIterator<Item = T>, mut put: impl FnMut(&mut Writer, T)) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(rows.len() as u64);
    rows.for_each(|row| put(&mut out, row));
    out.0
}

fn put_total(out: &mut Writer, total: Total) {
    out.number(total.objects);
    out.number(total.bytes);
}

fn total(rows: &mut Reader<'_>) -> Option<Total> {
    Some(Total { objects: rows.number()?, bytes: rows.number()? })
}

impl Saved {
    /// Dominators by strong and soft references; none if they were not added.
    ///
    /// # Errors
    /// [`Damaged`]: they have to be found anew.
    pub fn dominators(&self, graph: &Graph) -> Result<Option<Dominators>, Damaged> {
        let kinds = [Kind::DominatorsOrder, Kind::DominatorsImmediate, Kind::DominatorsRetained];
        let Some([order, immediate, retained]) = self.columns(kinds)? else { return Ok(None) };
        Dominators::of_columns(graph, order, immediate, retained).map(Some).ok_or(Damaged)
    }

    /// Who refers to whom; none if that was not added.
    ///
    /// # Errors
    /// [`Damaged`]: it has to be found anew.
    pub fn referrers(&self, graph: &Graph) -> Result<Option<Referrers>, Damaged> {
        let kinds = [Kind::ReferrersStarts, Kind::ReferrersSources];
        let Some([starts, sources]) = self.columns(kinds)? else { return Ok(None) };
        Referrers::of_columns(graph, starts, sources).map(Some).ok_or(Damaged)
    }

    /// Shortest paths along strong references; none if they were not added.
    ///
    /// # Errors
    /// [`Damaged`]: they have to be found anew.
    pub fn paths(&self, graph: &Graph) -> Result<Option<ShortestPaths>, Damaged> {
        let Some([parents, ranks]) = self.columns([Kind::PathsParents, Kind::PathsRanks])? else {
            return Ok(None);
        };
        ShortestPaths::of_columns(graph, parents, ranks).map(Some).ok_or(Damaged)
    }

    /// Objects and bytes by class; none if they were not added.
    ///
    /// # Errors
    /// [`Damaged`]: they have to be counted anew.
    pub fn histogram(&self) -> Result<Option<HeapSummary>, Damaged> {
        let row = |rows: &mut Reader<'_>| Some((rows.text()?, total(rows)?));
        let Some(rows) = self.rows(Kind::Histogram, row)? else { return Ok(None) };
        let sum = |sum: u64, more: u64| sum.checked_add(more);
        let objects = rows.iter().try_fold(0, |all, (_, row)| sum(all, row.objects));
        let bytes = rows.iter().try_fold(0, |all, (_, row)| sum(all, row.bytes));
        objects.and(bytes).map(|_| Some(rows.into_iter().collect())).ok_or(Damaged)
    }

    /// What classes retain; none if that was not added.
    ///
    /// # Errors
    /// [`Damaged`]: it has to be added up anew.
    pub fn retained_by_class(&self) -> Result<Option<Vec<ClassRetained>>, Damaged> {
        self.rows(Kind::RetainedByClass, |rows| {
            Some(ClassRetained { name: rows.text()?, own: total(rows)?, retained: rows.number()? })
        })
    }

    /// What class loaders retain; none if that was not added.
    ///
    /// # Errors
    /// [`Damaged`]: it has to be added up anew.
    pub fn retained_by_loader(&self, graph: &Graph) -> Result<Option<Vec<LoaderRetained>>, Damaged> {
        self.rows(Kind::RetainedByLoader, |rows| {
            Some(LoaderRetained {
                loader: rows.index(graph.len())?.map(ObjectIndex),
                classes: rows.number()?,
                own: total(rows)?,
                retained: rows.number()?,
            })
        })
    }

    fn rows<T>(
        &self,
        kind: Kind,
        mut row: impl FnMut(&mut Reader<'_>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Damaged> {
        let Some(bytes) = self.part(kind)? else { return Ok(None) };
        let mut rows = Reader(&bytes);
        let all = rows.count().and_then(|count| (0..count).map(|_| row(&mut rows)).collect());
        if rows.0.is_empty() { all.map(Some).ok_or(Damaged) } else { Err(Damaged) }
    }
}
