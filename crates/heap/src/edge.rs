//! References between objects: by which name, and how strong.

use crate::index::{ClassIndex, ObjectIndex};

/// A reference from one object to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'graph> {
    /// The object that refers.
    pub from: ObjectIndex,
    /// By what.
    pub name: &'graph EdgeName,
    /// For an array element its index.
    pub index: Option<u32>,
    /// The object referred to.
    pub to: ObjectIndex,
}

/// What holds a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EdgeName {
    /// An instance field.
    Field {
        /// The class that declares it.
        declaring: ClassIndex,
        /// Its name.
        name: Box<str>,
        /// Not strong only for `java.lang.ref.Reference.referent`, by the class of the reference object.
        strength: Strength,
    },
    /// A static field of the class that the referring object, a `java.lang.Class`, stands for.
    Static {
        /// The class that declares it.
        declaring: ClassIndex,
        /// Its name.
        name: Box<str>,
        /// Name of its declared type, if known.
        type_name: Option<Box<str>>,
    },
    /// An element of an array; its index is the edge's.
    Element,
    /// What an object owes to its class, a class to its loader, superclass, constants and so on; e.g. `class`, `loader`.
    Internal(Box<str>),
}

impl EdgeName {
    /// How strong references of this name are. Only an instance field can be less than strong.
    pub fn strength(&self) -> Strength {
        match self {
            Self::Field { strength, .. } => *strength,
            _ => Strength::Strong,
        }
    }

    /// Declaring class and name of a field, static or not.
    pub fn field(&self) -> Option<(ClassIndex, &str)> {
        match self {
            Self::Field { declaring, name, .. } | Self::Static { declaring, name, .. } => {
                Some((*declaring, name))
            }
            Self::Element | Self::Internal(_) => None,
        }
    }
}

/// How much a reference keeps alive what it refers to (package `java.lang.ref`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// An ordinary reference.
    #[default]
    Strong,
    /// The referent of a `SoftReference`.
    Soft,
    /// The referent of a `WeakReference`.
    Weak,
    /// The referent of a `PhantomReference` or of the JVM's `FinalReference`.
    Phantom,
}
