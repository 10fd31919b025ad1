//! What the sources of a place may not name: words that would break a promise of ARCHITECTURE.md.
//!
//! Not here: imports of ours, which `modules` and `rooms` read.

use regex::Regex;

/// A promise: where no source outside of tests may name what.
struct Promise {
    within: &'static [&'static str],
    but_for: &'static [&'static str],
    never: &'static str,
    because: &'static str,
}

const PROMISES: &[Promise] = &[
    Promise {
        within: &["cli/src/"],
        but_for: &["cli/src/main.rs", "cli/src/args/", "cli/src/commands/"],
        never: r"\bclap::",
        because: "below the commands nothing knows how arguments are given",
    },
    Promise {
        within: &["agent/src/", "crates/"],
        but_for: &[],
        never: r"\bprintln!|\bprint!|\bstdout\(\)",
        because: "stdout is the program's",
    },
    Promise {
        within: &["agent/src/", "crates/"],
        but_for: &[],
        never: r"\bstd::net\b|\bTcp(Listener|Stream)\b|\bUdpSocket\b",
        because: "no port is opened",
    },
    Promise {
        within: &["agent/src/"],
        but_for: &["agent/src/options/", "agent/src/entry/"],
        never: r"\bOptions::parse\b|\boption_value::",
        because: "texts of options are read in one room",
    },
];

/// Every promise that one of the sources, as (path, text), breaks.
pub(crate) fn word_faults(sources: &[(String, String)]) -> Vec<String> {
    PROMISES.iter().flat_map(|promise| promise.broken_by(sources)).collect()
}

/// Words of speech for what programs record, show, request or refuse.
const WORN: &str = r"(?i)\b(told|tells|said|asked)\b";

/// Sentences for people, as (path, text), in which things speak; what stands in code is not looked at.
pub(crate) fn speech_faults(documents: &[(String, String)]) -> Vec<String> {
    let worn = Regex::new(WORN).expect("a valid pattern");
    let code = Regex::new("(?s)```.*?```|`[^`\n]*`").expect("a valid pattern");
    let lines = documents.iter().flat_map(|(path, text)| {
        let plain = code.replace_all(text, "");
        let worn: Vec<_> = plain.lines().filter(|line| worn.is_match(line)).map(str::to_owned).collect();
        worn.into_iter().map(move |line| format!("{path}: recorded, not told; requested, not asked: {line}"))
    });
    lines.collect()
}

/// The code of a source before its tests.
fn shipped<'a>(path: &str, text: &'a str) -> &'a str {
    let is_test = path.contains("/tests/") || path.contains("/benches/") || path.ends_with("tests.rs");
    if is_test { "" } else { text.split("#[cfg(test)]\nmod ").next().unwrap_or_default() }
}

impl Promise {
    fn broken_by(&self, sources: &[(String, String)]) -> Vec<String> {
        let never = Regex::new(self.never).expect("a valid pattern");
        let within = sources.iter().filter(|(path, _)| self.holds_for(path));
        let broken = within.filter_map(|(path, text)| {
            let mut code = shipped(path, text).lines().filter(|line| !line.trim_start().starts_with("//"));
            let line = code.find(|line| never.is_match(line))?;
            Some(format!("{path}: {}: {}", self.because, line.trim()))
        });
        broken.collect()
    }

    fn holds_for(&self, path: &str) -> bool {
        let is_in = |places: &[&str]| places.iter().any(|place| path.starts_with(place));
        is_in(self.within) && !is_in(self.but_for)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_do_not_speak_in_sentences_for_people() {
        let faults = |text: &str| speech_faults(&[("x.md".to_owned(), text.to_owned())]).len();
        assert_eq!(faults("It is told twice.\nWhat it tells is known.\nIt is recorded."), 2);
        assert_eq!(faults("`asked` is a key.\n```text\nit is said\n```\nIt is untold."), 0);
    }

    #[test]
    fn words_are_found_where_they_are_forbidden_alone() {
        let faults = |path: &str, text: &str| word_faults(&[(path.to_owned(), text.to_owned())]).len();
        assert_eq!(faults("cli/src/report/view.rs", "use clap::Parser;"), 1);
        assert_eq!(faults("cli/src/args/heap.rs", "use clap::Parser;"), 0);
        assert_eq!(
            faults(
                "cli/src/report/view.rs",
                "// Not clap::Parser.\n#[cfg(test)]\nmod tests { use clap::Parser; }"
            ),
            0
        );
        assert_eq!(faults("agent/src/output/console.rs", "    println!(\"{text}\");"), 1);
        assert_eq!(faults("cli/src/output.rs", "    println!(\"{text}\");"), 0);
        assert_eq!(faults("crates/jvmti/src/jvm.rs", "let port = std::net::TcpListener::bind(at);"), 1);
        assert_eq!(faults("crates/recording/tests/damage.rs", "println!()"), 0);
    }
}
