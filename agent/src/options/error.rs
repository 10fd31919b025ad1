//! Why an option string is refused: one line each, with what to write instead. Printing and exit codes are not here.

use thiserror::Error;

/// A refused option string. Displays as one line without the program's name in front.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// Text that belongs to no option.
    #[error("options start with '#', but {text:?} does not: write #{} (#help lists all)", text.escape_debug())]
    NoHash {
        /// What stands before the first `#`.
        text: String,
    },
    /// An option in the comma form of heap summaries that is none.
    #[error("{:?}: {why}; before the first '#' only a heap summary's options may stand: {form}", item.escape_debug().to_string())]
    Comma {
        /// The item as given.
        item: String,
        /// What is wrong with it.
        why: String,
        /// How they are written.
        form: &'static str,
    },
    /// A name that is not in the table.
    #[error("unknown option #{}{}", name.escape_debug(), suggestion(meant.as_deref()))]
    Unknown {
        /// The name as given.
        name: String,
        /// The closest option there is, in its written form.
        meant: Option<String>,
    },
    /// An option that makes no sense without a value.
    #[error("#{option} needs a value: write {form}, e.g. {example}")]
    ValueMissing {
        /// Name of the option.
        option: &'static str,
        /// How it is written, with a placeholder.
        form: String,
        /// How it is written, with a value.
        example: &'static str,
    },
    /// A value for an option that has none.
    #[error("#{option} takes no value, but {value:?} was given: write #{option}")]
    ValueUnwanted {
        /// Name of the option.
        option: &'static str,
        /// The value as given.
        value: String,
    },
    /// A value that cannot be used.
    #[error("#{option}-{}: {why}; e.g. {example}", value.escape_debug())]
    BadValue {
        /// Name of the option.
        option: &'static str,
        /// The value as given.
        value: String,
        /// What is wrong with it.
        why: String,
        /// A value that works.
        example: &'static str,
    },
    /// An option that would have no effect.
    #[error("#{option} has no effect without {needs}: add {}", if *one { "it" } else { "one of them" })]
    NoEffect {
        /// Name of the option.
        option: &'static str,
        /// Written forms of the options of which one is needed.
        needs: String,
        /// Whether there is only one such option.
        one: bool,
    },
    /// Two options of which only one can be meant.
    #[error("#{option} and #{other} exclude each other: {why}; give one of them")]
    Clash {
        /// Name of the first.
        option: &'static str,
        /// Name of the second.
        other: &'static str,
        /// Why both cannot be had.
        why: &'static str,
    },
}

fn suggestion(meant: Option<&str>) -> String {
    match meant {
        Some(form) => format!(": did you mean {form}? (#help lists all)"),
        None => " (#help lists all)".to_owned(),
    }
}
