//! Nothing measured yet.
fn main() {}
