//! What can go wrong with a dump or a question about one: what happened, to what, and what to do next.

use std::io;
use std::path::PathBuf;

use crate::exit_codes;

/// Why a question about a heap has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// A file that can't be opened or mapped.
    #[error("can't read {}: {source}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A packed dump that is cut off or damaged.
    #[error("can't unpack {}: {source}, before byte {offset} of it; pack it again, or copy it again", .file.display())]
    NotUnpacked {
        /// The file.
        file: PathBuf,
        /// So much of it was read.
        offset: u64,
        /// What is wrong with it.
        source: io::Error,
    },
    /// No room for what is in a packed dump.
    #[error(
        "can't unpack {} into {}: {source}; make room there, or name another folder in TMPDIR", .file.display(),
        std::env::temp_dir().display()
    )]
    NoRoom {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Bytes that are no dump, or a damaged one.
    #[error("{}: {cause}", .file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// What the reader said, with the byte offset.
        cause: mayfly_heap::HeapError,
    },
    /// A file that is no summary.
    #[error("can't read {} as a summary: {reason}", .file.display())]
    NoSummary {
        /// The file.
        file: PathBuf,
        /// With the line.
        reason: String,
    },
    /// A class that no object of the dump has.
    #[error("no class {name} in this heap{}", did_you_mean(.closest.as_deref()))]
    UnknownClass {
        /// As asked.
        name: String,
        /// What may have been meant.
        closest: Option<String>,
    },
    /// A class without objects, where some are needed.
    #[error("no object of {name} in this heap{}", ask_for(.mirror.as_deref()))]
    NoInstances {
        /// As asked.
        name: String,
        /// How to ask for its statics, if it has a `java.lang.Class`.
        mirror: Option<String>,
    },
    /// A field of a class that is there.
    #[error(
        "{class} declares no field {field} by which anything in this heap refers to an object; fields are named by the class that \
         declares them"
    )]
    UnknownField {
        /// As asked.
        class: String,
        /// As asked.
        field: String,
    },
    /// An id that no object of the dump has.
    #[error(
        "no object {id} in this heap; ids are those that `mayfly heap instances` and `paths` print, of the same file"
    )]
    UnknownId {
        /// As asked.
        id: String,
    },
    /// An id with the wrong class before it.
    #[error("object {id} is of class {class}; ids hold for one file only")]
    OtherClass {
        /// As asked.
        id: String,
        /// Its class in this dump.
        class: String,
    },
    /// Something that the format does not hold.
    #[error("{} does not hold {what}; {advice}", .file.display())]
    NotTold {
        /// The file.
        file: PathBuf,
        /// What is asked.
        what: &'static str,
        /// Which file would.
        advice: &'static str,
    },
    /// A file that is to be new.
    #[error("{} is there already; choose another name", .0.display())]
    Exists(PathBuf),
    /// A question that can't be asked so.
    #[error("{0}")]
    Usage(String),
}

impl QueryError {
    /// The code to end with, one of [`exit_codes`].
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. }
            | Self::NotUnpacked { .. }
            | Self::Refused { .. }
            | Self::NoSummary { .. } => exit_codes::RECORDING_UNREADABLE,
            _ => exit_codes::USAGE,
        }
    }
}

fn ask_for(mirror: Option<&str>) -> String {
    mirror.map(|words| format!("; for what its static fields hold, ask for \"{words}\"")).unwrap_or_default()
}

fn did_you_mean(closest: Option<&str>) -> String {
    match closest {
        Some(name) => format!("; did you mean {name}?"),
        None => "; `mayfly heap histogram` lists those that are there".to_owned(),
    }
}
