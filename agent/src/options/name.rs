//! File names with `%p`, `%h`, `%t` in them. Asks nobody for pid, host or time, and creates nothing.

use std::borrow::Cow;

/// The codes in words, for messages.
pub(super) const CODES: &str = "%p is the pid, %h the host, %t the start time, %% a percent sign";

/// What the codes stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFacts {
    /// `%p`: process id.
    pub pid: u32,
    /// `%h`: name of the host.
    pub host: String,
    /// `%t`: when the agent was started, in local time, as text fit for a file name.
    pub started: String,
}

/// Replaces the codes of `template`: `%p`, `%h`, `%t`, and `%%` for one percent sign.
///
/// A host or time cannot add a path component: slashes and control characters in them become `_`. Any other `%` is
/// kept as it is; options that contain one are refused before.
pub fn expand(template: &str, facts: &NameFacts) -> String {
    let mut name = String::with_capacity(template.len() + 16);
    let mut rest = template.chars();
    while let Some(c) = rest.next() {
        let code = if c == '%' { rest.clone().next() } else { None };
        match code.and_then(|code| value_of(code, facts)) {
            Some(value) => {
                name.push_str(&value);
                rest.next();
            }
            None => name.push(c),
        }
    }
    name
}

/// The first `%` code of `template` that stands for nothing.
pub(super) fn unknown_code(template: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = template[from..].find('%').map(|at| from + at) {
        let after = template[at + 1..].chars().next();
        if !matches!(after, Some('p' | 'h' | 't' | '%')) {
            return Some(&template[at..at + 1 + after.map_or(0, char::len_utf8)]);
        }
        from = at + 2;
    }
    None
}

fn value_of(code: char, facts: &NameFacts) -> Option<Cow<'static, str>> {
    match code {
        'p' => Some(facts.pid.to_string().into()),
        'h' => Some(harmless(&facts.host).into()),
        't' => Some(harmless(&facts.started).into()),
        '%' => Some("%".into()),
        _ => None,
    }
}

fn harmless(text: &str) -> String {
    text.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> NameFacts {
        NameFacts { pid: 42, host: "box".into(), started: "20260102-030405".into() }
    }

    #[test]
    fn every_code_is_replaced() {
        assert_eq!(expand("logs/%h-%p-%t.mayfly", &facts()), "logs/box-42-20260102-030405.mayfly");
        assert_eq!(expand("%p%p", &facts()), "4242");
    }

    #[test]
    fn a_doubled_percent_is_one_and_protects_what_follows() {
        assert_eq!(expand("100%%p", &facts()), "100%p");
        assert_eq!(expand("%%%p", &facts()), "%42");
    }

    #[test]
    fn other_text_stays() {
        assert_eq!(expand("", &facts()), "");
        assert_eq!(expand("ä%x%", &facts()), "ä%x%");
    }

    #[test]
    fn a_host_adds_no_path_component() {
        let facts = NameFacts { host: "../etc\n".into(), ..facts() };
        assert_eq!(expand("%h", &facts), ".._etc_");
    }

    #[test]
    fn the_first_unknown_code_is_found() {
        assert_eq!(unknown_code("%p/%h/%t/%%x"), None);
        assert_eq!(unknown_code("a%%%ü"), Some("%ü"));
        assert_eq!(unknown_code("a%"), Some("%"));
    }
}
