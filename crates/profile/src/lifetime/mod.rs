//! When objects died, as counts: ages on a grid, intervals, survival, and what survives a scope.

pub(crate) mod ages;
pub(crate) mod cells;
pub(crate) mod cohorts;
pub(crate) mod grid;
pub(crate) mod lifetimes;
pub(crate) mod scope;
pub(crate) mod site_lifetimes;
pub(crate) mod survival;
