//! Placeholder until the crate has something to hold.
