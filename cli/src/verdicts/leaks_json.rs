//! Leaks as JSON, schema `mayfly-leaks/1`. Described for users in `docs/guide/leaks.md`.

use mayfly_report::readable_class;
use serde::Serialize;

use super::leaks::{Leaks, Rate, Searched, Survivors, Suspect};
use crate::json::object;

/// The document, ending in a newline.
pub(crate) fn leaks_json(leaks: &Leaks) -> String {
    serde_json::to_string_pretty(&leaks_value(leaks)).expect("names and finite numbers") + "\n"
}

/// The document, for another one that has it inside.
pub(crate) fn leaks_value(leaks: &Leaks) -> impl Serialize {
    object! {
        schema: "mayfly-leaks/1",
        searched: &leaks.searched,
        /// Why nothing can be told.
        untold: leaks.untold.as_deref(),
        notes: &leaks.notes,
        /// The slowest leak that would have been seen, in a recording.
        floor_bytes_per_s: leaks.floor.map(|floor| tenths(floor.bytes_per_s)),
        suspects: leaks.suspects.iter().map(|of| suspect(of, &leaks.searched)).collect::<Vec<_>>(),
        more: leaks.more,
    }
}

fn suspect(suspect: &Suspect, searched: &Searched) -> impl Serialize {
    object! {
        verdict: suspect.suspicion.name(),
        class: &suspect.what,
        readable_class: readable_class(&suspect.what),
        objects: &suspect.objects,
        retained_bytes: &suspect.bytes,
        off_heap_bytes: &suspect.off_heap,
        held_by: &suspect.held_by,
        holder: suspect.holder.as_deref(),
        through: suspect.through.as_deref(),
        holds: &suspect.holds,
        also: also(&suspect.also),
        together: also(&suspect.together),
        containers: Some(suspect.containers).filter(|&containers| containers > 0),
        path: suspect.path.as_deref(),
        allocated_by: suspect.allocated_by.as_deref(),
        allocated_below: suspect.allocated_below.as_deref(),
        added_by: &suspect.added_by,
        growth: suspect.growth.map(growth),
        survivors: suspect.survivors.iter().map(survivors).collect::<Vec<_>>(),
        doubts: suspect.doubts(searched),
    }
}

fn also(others: &[(String, u64)]) -> Vec<impl Serialize> {
    let others = others.iter();
    others
        .map(|(class, objects)| object! { class, readable_class: readable_class(class), objects: *objects })
        .collect::<Vec<_>>()
}

fn growth(rate: Rate) -> impl Serialize {
    object! {
        bytes_per_s: tenths(rate.bytes_per_s),
        since_s: tenths(rate.since),
        /// When it stopped, as the program had little to do from then on.
        until_s: rate.until.map(tenths),
        /// Whether it is more, and more is live: of the arrays and strings that it is made of few stacks were taken.
        at_least: rate.is_at_least,
        /// Null: counted.
        samples: rate.samples.map(tenths),
        /// A standard error, as a share; 0: counted.
        error: (rate.error * 1000.0).round() / 1000.0,
        live_objects: rate.objects,
        /// Of the class that it is called by; null: not known.
        live_of_class: rate.of_class,
        live_bytes: rate.bytes,
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn survivors(of: &Survivors) -> impl Serialize {
    object! {
        class: &of.class,
        readable_class: readable_class(&of.class),
        objects: of.objects,
        bytes: of.bytes,
        born: of.born,
        died_old: of.died_old,
        stack: &of.stack,
    }
}
