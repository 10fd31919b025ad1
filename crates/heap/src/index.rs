//! Numbers of objects and of classes in a graph.

/// Number of an object in its graph, from 0 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectIndex(pub u32);

/// Number of a class in its graph, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassIndex(pub u32);
