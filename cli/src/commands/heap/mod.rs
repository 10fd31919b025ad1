//! `mayfly heap`: the heap of a running JVM, and questions about dumps of one.
//!
//! One file per verb. Not here: formats and algorithms (`mayfly-heap`), what the verbs share (`crate::heap`).

mod asked;
mod by_the_jvm;
mod convert;
mod diff;
mod distribution;
pub(crate) mod dump;
mod growth;
mod histogram;
mod holders;
mod instances;
mod live;
mod overview;
mod paths;
mod retained;
mod roots;
mod strings;
mod structure;

use crate::args::heap::{HeapArgs, HeapVerb};
use crate::error::Error;
use crate::exit_codes;

/// What was meant by words that are no command line: a verb that was misspelt is taken for a JVM.
pub(crate) fn meant(words: &[String]) -> Option<String> {
    let [_, heap, word, ..] = words else { return None };
    live::nearly_a_verb(word)
        .filter(|_| heap == "heap")
        .map(|verb| format!("did you mean: mayfly heap {verb}?"))
}

/// Carries one heap command out.
pub(crate) fn run(args: HeapArgs) -> Result<u8, Error> {
    match &args.verb {
        None => live::run(&args.live),
        Some(HeapVerb::Diff(args)) => diff::run(args),
        Some(HeapVerb::Dump(args)) => dump::run(args),
        Some(HeapVerb::Convert(args)) => convert::run(args),
        Some(HeapVerb::Histogram(args)) => histogram::run(args),
        Some(HeapVerb::Roots(args)) => roots::run(args),
        Some(HeapVerb::Paths(args)) => paths::run(args),
        Some(HeapVerb::Retained(args)) => retained::run(args),
        Some(HeapVerb::Size(args)) => structure::size(args),
        Some(HeapVerb::Reachable(args)) => structure::reachable(args),
        Some(HeapVerb::Holders(args)) => holders::run(args),
        Some(HeapVerb::Distribution(args)) => distribution::run(args),
        Some(HeapVerb::Strings(args)) => strings::run(args),
        Some(HeapVerb::Instances(args)) => instances::run(args),
        Some(HeapVerb::Growth(args)) => growth::run(args),
    }?;
    Ok(exit_codes::SUCCESS)
}
