//! What is said of one option. Not here: which there are (`table`).

use super::settings::Options;
use super::value::Why;

/// Runs the program without an agent that can't start.
pub(super) const CONTINUE: &str = "on-error-continue";

/// One option.
pub(super) struct Spec {
    /// Its name, without `#`.
    pub(super) name: &'static str,
    /// Another accepted spelling.
    pub(super) alias: Option<&'static str>,
    /// Names it is often taken for: never accepted, only understood.
    pub(super) mistaken: &'static [&'static str],
    /// Whether it has a value, and what that does.
    pub(super) shape: Shape,
    /// A use that works.
    pub(super) example: &'static str,
    /// What it does, as sentences.
    pub(super) help: &'static str,
    /// Names of options of which one must be given too, or this one has no effect. Empty: none.
    pub(super) needs: &'static [&'static str],
}

/// What a row leaves out.
pub(super) const DEFAULTS: Spec = Spec {
    name: "",
    alias: None,
    mistaken: &[],
    shape: Shape::Flag(|_| ()),
    example: "",
    help: "",
    needs: &[],
};

/// How an option is written: the placeholder of its value, and its effect.
pub(super) enum Shape {
    /// `#name`
    Flag(fn(&mut Options)),
    /// `#name-value`
    Value(&'static str, fn(&mut Options, &str) -> Result<(), Why>),
    /// `#name` or `#name-value`
    Optional(&'static str, fn(&mut Options), fn(&mut Options, &str) -> Result<(), Why>),
}

impl Spec {
    /// Whether `name` is an accepted spelling.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias == Some(name)
    }

    /// Whether it makes sense without a profile: what is about heap summaries, and about who may ask for them.
    pub(super) fn needs_no_profile(&self) -> bool {
        self.name.starts_with("heap") || matches!(self.name, "nocontrol" | "mbean" | CONTINUE)
    }

    /// Accepted and understood spellings.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias).chain(self.mistaken.iter().copied())
    }

    /// As it is written, e.g. `#gc-SECONDS`.
    pub(super) fn form(&self) -> String {
        match self.shape {
            Shape::Flag(_) => format!("#{}", self.name),
            Shape::Value(value, _) => format!("#{}-{value}", self.name),
            Shape::Optional(value, _, _) => format!("#{}[-{value}]", self.name),
        }
    }
}
