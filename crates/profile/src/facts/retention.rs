//! Who holds what stays: the references by which the program reached followed objects when its end began.
//!
//! Not here: how they are found, which is the agent's; what follows from them (`derived/growing/held`).

use serde::{Deserialize, Serialize};

use crate::facts::ids::{ClassId, SiteId};
use crate::facts::stack::Stack;

/// Links of a path that are looked for.
pub const MOST_LINKS: usize = 16;

/// The root of what only a method at work has.
pub const AT_WORK: &str = "a local variable of a method that runs";

/// A step of a path: objects of one class that refer to those of the step before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The class of what refers, as `Class.getName()` gives it; of a field the class that declares it. Empty for a root.
    pub class: String,
    /// What of it refers.
    pub by: LinkKind,
    /// How many of them there are, for all objects that were looked at.
    pub holders: u32,
    /// How full they are, if they are arrays.
    pub room: Option<Room>,
    /// An object field of theirs by which entries may be dropped in time, by its name ([`is_of_expiry`](crate::is_of_expiry)).
    pub expiry: Option<String>,
}

impl Link {
    /// A method that runs has them.
    pub fn at_work() -> Self {
        let by = LinkKind::Root(AT_WORK.to_owned());
        Self { class: String::new(), by, holders: 1, room: None, expiry: None }
    }
}

/// What refers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LinkKind {
    /// An instance field of this name.
    Field(String),
    /// A static field of this name.
    StaticField(String),
    /// An array's slot.
    Element,
    /// A root that is no field, in words.
    Root(String),
}

/// Arrays, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Room {
    /// Slots that are not null.
    pub used: u64,
    /// All slots.
    pub length: u64,
}

/// The path to followed objects of one class and site. A second one may be a method at work alone: of the older half of the objects those that
/// nothing on the first path has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionCount {
    /// Their class.
    pub class: ClassId,
    /// Their site; `None` if no stacks are taken.
    pub site: Option<SiteId>,
    /// Objects that were looked at, of these and others that are held alike; of a method at work those that it has.
    pub looked: u32,
    /// What refers to them first, a root or what was found last at its end.
    pub path: Vec<Link>,
}

/// The same by names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetentionRow {
    /// Their class.
    pub class: String,
    /// Innermost frame first; empty if no stacks are taken.
    pub stack: Stack,
    /// As in [`RetentionCount`].
    pub looked: u32,
    /// As in [`RetentionCount`].
    pub path: Vec<Link>,
}

impl RetentionRow {
    /// Whether nothing but a method at work has them.
    pub fn is_at_work(&self) -> bool {
        matches!(&self.path[..], [Link { by: LinkKind::Root(root), .. }] if root == AT_WORK)
    }
}
