//! Estimates made to agree with exact counts, and how far they are still estimates.

pub(crate) mod by_name;
pub(crate) mod calibration;
pub(crate) mod joint;
pub(crate) mod living_sites;
pub(crate) mod removed;
pub(crate) mod scopes;
pub(crate) mod variance;
