//! Every option once: name, shape, meaning, and what it goes with. Parsing, suggestions and `#help` all read this. A new option is a row
//! of the file that it belongs to. Not here: what is said of an option (`spec`).

mod conduct;
mod counting;
mod filters;
mod output;
mod places;
mod summaries;

use super::spec::Spec;
pub(super) use summaries::HEAP_OCCASIONS;

const SCOPE_OF_SAMPLE: &str = "the sampled engine does not know in which scope an object was made; #engine-exact (mayfly start --exact) does";

/// Pairs of options of which only one can be meant.
pub(super) const CLASHES: &[(&str, &str, &str)] = &[
    (
        "trackcollections",
        "sample",
        "#sample follows the lifetimes of a sample, #trackcollections of every object",
    ),
    (
        "track-balanced",
        "trackcollections",
        "#track-balanced follows a share of the objects of hot classes, #trackcollections every object",
    ),
    ("track-balanced", "sample", "both choose the objects that are tracked"),
    ("every", "track-balanced", "both choose the objects that are tracked"),
    ("every", "sample", "both choose the objects that are tracked"),
    (
        "engine",
        "trackcollections",
        "the sampled engine sees no object but those of its sample; #engine-exact (mayfly start --exact) sees all",
    ),
    (
        "engine",
        "track-balanced",
        "the sampled engine sees no object but those of its sample; #engine-exact (mayfly start --exact) sees all",
    ),
    ("engine", "scope", SCOPE_OF_SAMPLE),
    ("engine", "scope-survivors", SCOPE_OF_SAMPLE),
    ("engine", "every", "the sampled engine chooses objects by their bytes: #sample-BYTES says how many"),
];

/// All options, in the order of `#help`.
pub(super) fn specs() -> impl Iterator<Item = &'static Spec> {
    let groups =
        [counting::SPECS, places::SPECS, filters::SPECS, output::SPECS, summaries::SPECS, conduct::SPECS];
    groups.into_iter().flatten()
}
