//! Every JVM × every collector it offers, or every collector on one of two JVMs: a small program whose objects, ages and bytes are
//! known, without the agent and in each mode. Prints a table, also when all is well.
//!
//! What the modes do in detail is tested elsewhere, on the JVM's default collector.

mod collector;
mod facts;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use mayfly_tests::{Jvm, artifacts, fixture_classes};

use crate::collector::Collector;
use crate::table::{Cell, Table};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let table = Table::default();
    let trials = collector::cells().into_iter().map(|cell| trial(cell, &table)).collect();
    if !arguments.list {
        // Built before the first program's time runs.
        artifacts();
        fixture_classes();
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    table.print();
    conclusion.exit_code()
}

/// A cell as a test of its own; one that the JVM does not offer, or that is another's, is shown as ignored.
fn trial((jvm, collector, offer): collector::Cell, table: &Table) -> Trial {
    let name = format!("{}/{collector}", jvm.feature);
    let table = table.clone();
    match offer {
        Ok(jvm_args) => Trial::test(name, move || {
            let cell = judged(jvm, collector, &jvm_args);
            table.set(jvm, collector, cell.clone());
            match cell {
                Cell::Failed(why) => Err(why.into()),
                _ => Ok(()),
            }
        }),
        Err(why) => {
            table.set(jvm, collector, Cell::Skipped(why));
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
    }
}

fn judged(jvm: &Jvm, collector: Collector, jvm_args: &[String]) -> Cell {
    let judge = AssertUnwindSafe(|| facts::judge(jvm, collector, jvm_args));
    match catch_unwind(judge) {
        Ok(Ok(share)) => Cell::Good { share, upper_bounds: collector == Collector::GenerationalZ },
        Ok(Err(why)) => Cell::Failed(why),
        Err(panic) => Cell::Failed(match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => "the test panicked".into(),
        }),
    }
}
