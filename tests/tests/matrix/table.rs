//! The results as a table: a row per JVM, a column per collector, reasons below.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mayfly_tests::Jvm;

use crate::collector::Collector;

/// How a JVM did with a collector.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// All facts held; bytes accounted ÷ the JVM's counter, if it has one.
    Good {
        share: Option<f64>,
        /// Lifetimes are rougher than elsewhere.
        upper_bounds: bool,
    },
    /// The JVM does not offer it, or it is another JVM's turn.
    Skipped(String),
    /// A fact did not hold.
    Failed(String),
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Good { share, upper_bounds } => {
                let share = share.map_or(String::new(), |share| format!(" {:.2} %", share * 100.0));
                format!("ok{share}{}", if *upper_bounds { " ≤" } else { "" })
            }
            Self::Skipped(_) => "skip".into(),
            Self::Failed(_) => "FAIL".into(),
        }
    }
}

/// Release and version of a JVM, so that rows stand in this order.
type Rows = BTreeMap<(u32, String), BTreeMap<Collector, Cell>>;

/// Filled by all tests; a copy is the same table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(Arc<Mutex<Rows>>);

impl Table {
    pub(crate) fn set(&self, jvm: &Jvm, collector: Collector, cell: Cell) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.entry((jvm.feature, jvm.version.clone())).or_default().insert(collector, cell);
    }

    /// To stdout. Cells that a filter left out are empty.
    pub(crate) fn print(&self) {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = rows.keys().map(|(_, version)| version.len()).max().unwrap_or(0).max(3);
        let line = |name: &str, cells: &dyn Fn(Collector) -> String| {
            let cells: String =
                Collector::ALL.iter().map(|&column| format!("  {:<12}", cells(column))).collect();
            println!("{}", format!("{name:<first$}{cells}").trim_end());
        };
        line("JVM", &|column| column.to_string());
        for ((_, version), cells) in rows.iter() {
            line(version, &|column| cells.get(&column).map(Cell::text).unwrap_or_default());
        }
        println!(
            "\nok N %: every fact held in every mode; bytes counted ÷ allocated by the JVM's own counter, if it has one"
        );
        println!("≤: lifetimes are upper bounds, to the next collection of the old generation");
        for ((feature, _), cells) in rows.iter() {
            for (column, cell) in cells {
                match cell {
                    Cell::Good { .. } => {}
                    Cell::Skipped(why) => println!("skip: {feature}/{column}: {why}"),
                    Cell::Failed(why) => println!("FAIL: {feature}/{column}: {why}"),
                }
            }
        }
    }
}
