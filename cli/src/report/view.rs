//! What of a profile is shown: as the recorded run's own options say, unless the command line says otherwise.
//!
//! So `mayfly report` shows what the agent's own report showed, and the same recording can be looked at differently.

use mayfly_profile::{BlameRules, ClassFilter, Profile};

use crate::agent_options::AgentOptions;

/// A choice of classes, and the rules of blame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// Classes shown.
    pub(crate) classes: ClassFilter,
    /// Smallest size of an object that counts, in bytes.
    pub(crate) larger_than: u64,
    /// Whether text names the classes to blame.
    pub(crate) blame: bool,
    /// Which frames are blamed.
    pub(crate) rules: BlameRules,
    /// Rows of a list in text; `None` is all.
    pub(crate) limit: Option<usize>,
}

/// What the command line asks for. Empty lists ask for nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Replaces the recorded filter as a whole if it lists anything.
    pub(crate) classes: ClassFilter,
    /// Replaces `#traceignore`.
    pub(crate) trace_ignore: Vec<String>,
    /// Replaces `#tracetarget`.
    pub(crate) trace_target: Vec<String>,
    /// As `#noblame`.
    pub(crate) no_blame: bool,
    /// Replaces `#outputlimit`.
    pub(crate) limit: Option<usize>,
}

impl View {
    /// The view of a run with these agent options, changed as wished.
    pub(crate) fn new(recorded: &str, wishes: Wishes) -> Self {
        let recorded = AgentOptions::parse(recorded);
        let wished_or =
            |wished: Vec<String>, option| if wished.is_empty() { list(&recorded, option) } else { wished };
        let classes = if wishes.classes.admits_all() { recorded_filter(&recorded) } else { wishes.classes };
        Self {
            classes,
            larger_than: number(&recorded, "largerthan").unwrap_or(0),
            blame: !wishes.no_blame && !recorded.has("noblame"),
            rules: BlameRules {
                ignore: wished_or(wishes.trace_ignore, "traceignore"),
                target: wished_or(wishes.trace_target, "tracetarget"),
            },
            limit: wishes.limit.or_else(|| number(&recorded, "outputlimit").map(|rows| rows as usize)),
        }
    }

    /// The part of `profile` that is shown.
    pub(crate) fn of(&self, profile: Profile) -> Profile {
        profile.filtered(&self.classes).with_objects_of_at_least(self.larger_than)
    }
}

fn recorded_filter(recorded: &AgentOptions) -> ClassFilter {
    ClassFilter {
        include: list(recorded, "include"),
        exclude: list(recorded, "exclude"),
        exact_match: recorded.has("exactmatch"),
    }
}

fn list(options: &AgentOptions, name: &str) -> Vec<String> {
    let items = options.value(name).unwrap_or_default().split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The agent has checked the value before it recorded it.
fn number(options: &AgentOptions, name: &str) -> Option<u64> {
    options.value(name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn a_recorded_run_is_shown_as_it_was_meant() {
        let recorded = "#trace#include-a.,b.#exclude-a.x#exactmatch#traceignore-java.#noblame#largerthan-32#outputlimit-5";
        let expected = View {
            classes: ClassFilter {
                include: words(&["a.", "b."]),
                exclude: words(&["a.x"]),
                exact_match: true,
            },
            larger_than: 32,
            blame: false,
            rules: BlameRules { ignore: words(&["java."]), target: vec![] },
            limit: Some(5),
        };
        assert_eq!(View::new(recorded, Wishes::default()), expected);
    }

    #[test]
    fn wishes_replace_what_was_recorded() {
        let wishes = Wishes {
            classes: ClassFilter { include: words(&["c."]), ..ClassFilter::default() },
            trace_target: words(&["com."]),
            limit: Some(2),
            ..Wishes::default()
        };
        let view = View::new("#include-a.#exclude-b.#exactmatch#traceignore-java.#outputlimit-5", wishes);
        assert_eq!(view.classes.include, ["c."]);
        assert!(view.classes.exclude.is_empty() && !view.classes.exact_match && view.blame);
        assert_eq!((view.rules.ignore, view.rules.target), (words(&["java."]), words(&["com."])));
        assert_eq!(view.limit, Some(2));
    }
}
