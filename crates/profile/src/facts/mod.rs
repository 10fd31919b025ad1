//! What a run's numbers are of, and the small nouns that they are made of: classes, stacks, collections, trust, and how a run is set.

pub(crate) mod blame;
pub(crate) mod buckets;
pub(crate) mod census;
pub(crate) mod class_name;
pub(crate) mod collection;
pub(crate) mod division;
pub(crate) mod estimate;
pub(crate) mod filter;
pub(crate) mod following;
pub(crate) mod frame;
pub(crate) mod gc;
pub(crate) mod ids;
pub(crate) mod in_source;
pub(crate) mod jdk;
pub mod option_value;
pub(crate) mod own_frame;
pub(crate) mod part;
pub(crate) mod readings;
pub(crate) mod run;
pub(crate) mod share;
pub(crate) mod soft;
pub(crate) mod source;
pub(crate) mod stack;
pub(crate) mod tally;
pub(crate) mod trust;
pub(crate) mod view;
