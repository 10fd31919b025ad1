//! The agent's option string, `#name-value#name…`: composed, with the user's raw options winning over ours.
//!
//! Not here: what options exist and what they mean. The agent checks them, and refuses to start.

/// An option string in the making.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentOptions(Vec<AgentOption>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct AgentOption {
    name: String,
    value: Option<String>,
}

/// Options which say which objects are tracked: one from the user replaces all of ours.
const TRACKING: [&str; 4] = ["trackcollections", "trackcollection", BALANCED, "sample"];
/// Goes with the sample that it is given with.
const RATE: &str = "sample-rate";
/// An option whose name has a `-`, and no value.
const BALANCED: &str = "track-balanced";

/// May be given several times, each for itself: one from the user is one more.
const REPEATED: &str = "scope";

/// Names with a `-` of their own.
const LONG_NAMES: [&str; 2] = ["gc-every", "sample-rate"];

impl AgentOptions {
    /// Takes an option string apart. Text before the first `#` counts as an option too.
    pub(crate) fn parse(raw: &str) -> Self {
        let words = raw.split('#').map(str::trim).filter(|word| !word.is_empty());
        Self(words.map(AgentOption::parse).collect())
    }

    /// Adds `#name`.
    pub(crate) fn flag(mut self, name: &str) -> Self {
        self.0.push(AgentOption { name: name.to_owned(), value: None });
        self
    }

    /// Adds `#name-value`.
    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push(AgentOption { name: name.to_owned(), value: Some(value.to_string()) });
        self
    }

    /// These options, without those on which `winner` has its own say, then `winner`'s.
    pub(crate) fn overridden_by(self, winner: Self) -> Self {
        let mut kept: Vec<_> = self.0.into_iter().filter(|ours| !winner.settles(&ours.name)).collect();
        kept.extend(winner.0);
        Self(kept)
    }

    /// The value of `name`, the last one given.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|option| option.name == name).and_then(|option| option.value.as_deref())
    }

    fn settles(&self, name: &str) -> bool {
        if name == REPEATED {
            return false;
        }
        let tracking = TRACKING.contains(&name) || name == RATE;
        self.0
            .iter()
            .any(|option| option.name == name || (tracking && TRACKING.contains(&option.name.as_str())))
    }
}

impl AgentOption {
    fn parse(word: &str) -> Self {
        let long =
            LONG_NAMES.into_iter().find_map(|name| Some((name, word.strip_prefix(name)?.strip_prefix('-')?)));
        match long.or_else(|| word.split_once('-')).filter(|_| word != BALANCED) {
            Some((name, value)) => Self { name: name.to_owned(), value: Some(value.to_owned()) },
            None => Self { name: word.to_owned(), value: None },
        }
    }
}

impl std::fmt::Display for AgentOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|option| match &option.value {
            Some(value) => write!(f, "#{}-{value}", option.name),
            None => write!(f, "#{}", option.name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(ours: &str, theirs: &str) -> String {
        AgentOptions::parse(ours).overridden_by(AgentOptions::parse(theirs)).to_string()
    }

    #[test]
    fn strings_survive_unchanged() {
        for raw in [
            "",
            "#trace",
            "#track-balanced#trace",
            "#bucket-5,10#include-[B,[Ljava.lang.Object;#recording-/a-b/%p.mayfly",
        ] {
            assert_eq!(AgentOptions::parse(raw).to_string(), raw);
        }
    }

    #[test]
    fn a_missing_first_hash_is_forgiven() {
        assert_eq!(AgentOptions::parse("trace#every-5").to_string(), "#trace#every-5");
    }

    #[test]
    fn other_options_are_added() {
        assert_eq!(merged("#sample-512k#trace", "#gc-1"), "#sample-512k#trace#gc-1");
    }

    #[test]
    fn the_same_option_replaces_ours() {
        assert_eq!(merged("#sample-512k#trace", "#sample-64k"), "#trace#sample-64k");
        assert_eq!(merged("#sample-32k#sample-rate-9#trace", "#sample-64k"), "#trace#sample-64k");
        assert_eq!(merged("#sample-32k#sample-rate-9#trace", "#trackcollections"), "#trace#trackcollections");
        assert_eq!(merged("#recording-/a", "#recording-/b-c"), "#recording-/b-c");
    }

    #[test]
    fn tracking_options_replace_each_other() {
        assert_eq!(merged("#sample-512k#trace", "#trackcollection"), "#trace#trackcollection");
        assert_eq!(merged("#trackcollections#trace", "#sample-1m"), "#trace#sample-1m");
        assert_eq!(merged("#track-balanced#trace", "#sample-1m"), "#trace#sample-1m");
        assert_eq!(merged("#sample-1m#trace", "#track-balanced"), "#trace#track-balanced");
    }

    #[test]
    fn names_with_a_dash_are_not_taken_for_those_they_begin_with() {
        assert_eq!(
            merged("#sample-512k#gc-5", "#sample-rate-100#gc-every-64m"),
            "#sample-512k#gc-5#sample-rate-100#gc-every-64m"
        );
        assert_eq!(merged("#sample-rate-5", "#sample-rate-100"), "#sample-rate-100");
    }

    #[test]
    fn the_last_value_counts() {
        assert_eq!(AgentOptions::parse("#every-2#every-3").value("every"), Some("3"));
        assert_eq!(AgentOptions::parse("#trace").value("trace"), None);
    }
}
