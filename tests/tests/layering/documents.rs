//! What documents point to: their links, and the files of the repository that they name.
//!
//! Not here: whether what they say is true.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

/// The files of the repository by path from its root, as documents see them.
#[derive(Debug)]
pub(crate) struct Repository {
    files: BTreeSet<String>,
    /// (document, anchor of a heading in it).
    anchors: BTreeSet<(String, String)>,
}

impl Repository {
    pub(crate) fn new(files: impl IntoIterator<Item = String>, documents: &[(String, String)]) -> Self {
        let anchors = documents.iter().flat_map(|(path, text)| {
            let headings = text.lines().filter(|line| line.starts_with('#'));
            headings.map(|heading| (path.clone(), anchor(heading.trim_start_matches('#').trim())))
        });
        Self { files: files.into_iter().collect(), anchors: anchors.collect() }
    }

    /// Links of a document that lead to no file or folder, or to no heading.
    pub(crate) fn link_faults(&self, document: &str, text: &str) -> Vec<String> {
        let link = Regex::new(r"\]\(([^()\s]+)\)").expect("a valid pattern");
        let targets = link.captures_iter(text).map(|found| found.get(1).map_or("", |target| target.as_str()));
        let ours = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
        ours.filter(|target| !self.has(document, target))
            .map(|target| format!("{document}: the link to {target} leads nowhere"))
            .collect()
    }

    fn has(&self, document: &str, target: &str) -> bool {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let folder = Path::new(document).parent().unwrap_or(Path::new(""));
        let path = if path.is_empty() { document.to_owned() } else { normal(&folder.join(path)) };
        if !anchor.is_empty() && path.ends_with(".md") {
            return self.anchors.contains(&(path, anchor.to_owned()));
        }
        let below = format!("{path}/");
        path.is_empty() || self.files.iter().any(|file| *file == path || file.starts_with(&below))
    }

    /// Files and folders that a document names as code (`crates/a/src/b.rs`, `b.rs`, `a/`) and that are not there.
    pub(crate) fn name_faults(&self, document: &str, text: &str) -> Vec<String> {
        let name =
            Regex::new(r"`([\w.-]+(?:/[\w.-]+)*(?:/|\.(?:rs|java|sh|toml)))`").expect("a valid pattern");
        let names = name.captures_iter(text).map(|found| found.get(1).map_or("", |name| name.as_str()));
        names
            .filter(|name| !self.is_named(name))
            .map(|name| format!("{document}: there is no {name}"))
            .collect()
    }

    fn is_named(&self, name: &str) -> bool {
        let (inside, end) = (format!("/{name}"), name.ends_with('/'));
        self.files.iter().any(|file| match end {
            true => file.starts_with(name) || file.contains(&inside),
            false => file == name || file.ends_with(&inside),
        })
    }
}

/// Tests that a document names (`folder/file.rs::name`) and that are not in that file.
pub(crate) fn test_faults(document: &str, text: &str, sources: &[(String, String)]) -> Vec<String> {
    let name = Regex::new(r"`([\w./-]+\.rs)::(\w+)`").expect("a valid pattern");
    let lost = name.captures_iter(text).filter(|named| {
        let (file, test) = (format!("/{}", &named[1]), format!("fn {}(", &named[2]));
        !sources.iter().any(|(path, text)| format!("/{path}").ends_with(&file) && text.contains(&test))
    });
    lost.map(|named| format!("{document}: there is no test {} in {}", &named[2], &named[1])).collect()
}

/// Tests that most runs leave to CI (`left_to_ci`), and that no document names.
pub(crate) fn left_faults(documents: &[(String, String)], sources: &[(String, String)]) -> Vec<String> {
    let left = Regex::new(r"fn (\w+)\(\) \{\s+if left_to_ci\(").expect("a valid pattern");
    let names = sources.iter().flat_map(|(path, text)| {
        let file = path.rsplit('/').next().unwrap_or(path);
        left.captures_iter(text).map(move |test| format!("{file}::{}", &test[1]))
    });
    names
        .filter(|name| !documents.iter().any(|(_, text)| text.contains(&format!("`{name}`"))))
        .map(|name| format!("{name} is left to CI, and no document says so"))
        .collect()
}

/// Messages in the first column of a document's tables (`can't read …: …`) of which a piece is in no source.
pub(crate) fn message_faults(document: &str, text: &str, sources: &[(String, String)]) -> Vec<String> {
    let row = Regex::new(r"(?m)^\| `([^`]+)` \|").expect("a valid pattern");
    let join = Regex::new(r"\\\n\s*").expect("a valid pattern");
    let code: Vec<_> = sources.iter().map(|(_, text)| join.replace_all(text, "")).collect();
    let is_written = |piece: &str| code.iter().any(|text| text.contains(piece));
    let messages = row.captures_iter(text).map(|found| found.get(1).map_or("", |message| message.as_str()));
    let lost = messages.filter(|message| {
        let pieces = message.split('…').map(str::trim);
        !pieces.filter(|piece| piece.len() > 3).all(is_written)
    });
    lost.map(|message| format!("{document}: no source has the message {message}")).collect()
}

/// As GitHub makes one of a heading: lower case, blanks to hyphens, without marks.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The path without `.` and `..` inside.
fn normal(path: &Path) -> String {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            // Above the root nothing is ours.
            Component::ParentDir if !parts.pop() => return "..".to_owned(),
            Component::ParentDir => {}
            Component::CurDir => {}
            part => parts.push(part),
        }
    }
    parts.to_string_lossy().into_owned()
}

/// Arrows (`a, b → c`) that a document has and the manifests have not, and the reverse. `arrows`: between packages, by their names
/// without `mayfly-`.
pub(crate) fn arrow_faults(document: &str, text: &str, arrows: &BTreeSet<(String, String)>) -> Vec<String> {
    let drawn = Regex::new(r"`([\w, \n]+) → ([\w, \n]+)`").expect("a valid pattern");
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let found: BTreeSet<_> = drawn
        .captures_iter(text)
        .flat_map(|list| {
            let to = names(&list[2]);
            names(&list[1])
                .into_iter()
                .flat_map(move |from| to.clone().into_iter().map(move |to| (from.clone(), to)))
        })
        .collect();
    let missing = arrows.difference(&found).map(|(from, to)| format!("{document}: it lacks {from} → {to}"));
    let wrong = found.difference(arrows).map(|(from, to)| format!("{document}: {from} does not import {to}"));
    missing.chain(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_are_those_of_the_manifests() {
        let arrows = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")];
        let arrows = arrows.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        let faults = |text: &str| arrow_faults("A.md", text, &arrows);
        assert_eq!(faults("x: `a, b → c,\n  d`; more"), [""; 0]);
        assert_eq!(faults("`a, b → c`; `b → d`"), ["A.md: it lacks a → d"]);
        assert_eq!(faults("`a, b → c, d`; `d → c`"), ["A.md: d does not import c"]);
    }

    fn repository() -> Repository {
        let documents = [
            ("README.md".to_owned(), "# One\n## The `two`, and 3".to_owned()),
            ("docs/a.md".to_owned(), "# A".to_owned()),
        ];
        let files = ["README.md", "docs/a.md", "crates/x/src/lib.rs"].map(str::to_owned);
        Repository::new(files, &documents)
    }

    #[test]
    fn links_lead_to_files_folders_and_headings() {
        let fine = "[a](docs/a.md) [f](docs) [h](#the-two-and-3) [b](docs/../docs/a.md#a) [w](https://x.y/z)";
        assert_eq!(repository().link_faults("README.md", fine), [""; 0]);
        assert_eq!(
            repository().link_faults("docs/a.md", "[up](../README.md#one) [x](../crates/x/src/lib.rs)"),
            [""; 0]
        );
        for lost in ["docs/b.md", "doc", "#three", "docs/a.md#b", "../README.md"] {
            let faults = repository().link_faults("README.md", &format!("[x]({lost})"));
            assert_eq!(faults.len(), 1, "{lost}: {faults:?}");
        }
    }

    #[test]
    fn files_that_are_named_are_there() {
        let fine = "`lib.rs`, `src/lib.rs`, `crates/x/`, `x/src/`, `a.b()`, `Class.java()` and lost.rs";
        assert_eq!(repository().name_faults("README.md", fine), [""; 0]);
        for lost in ["ib.rs", "x/lib.rs", "crates/y/", "Main.java"] {
            let faults = repository().name_faults("README.md", &format!("see `{lost}`"));
            assert_eq!(faults.len(), 1, "{lost}: {faults:?}");
        }
    }

    #[test]
    fn tests_that_are_named_are_there() {
        let sources = [("crates/x/src/lib.rs".to_owned(), "fn holds() {".to_owned())];
        let faults = |text: &str| test_faults("README.md", text, &sources).len();
        assert_eq!(faults("`x/src/lib.rs::holds`, `lib.rs::holds`"), 0);
        assert_eq!(faults("`lib.rs::hold`, `ib.rs::holds`, `lib.rs::gone`"), 3);
    }

    #[test]
    fn messages_that_are_named_are_written() {
        let source = "const A: &str = \"can't read {}: the \\\n     file is gone\";".to_owned();
        let sources = [("crates/x/src/lib.rs".to_owned(), source)];
        let faults = |text: &str| message_faults("x.md", text, &sources).len();
        assert_eq!(faults("| `can't read …: the file is gone` | why |\n| plain | `never` |"), 0);
        assert_eq!(faults("| `can't read …: the disk is gone` | why |"), 1);
    }

    #[test]
    fn tests_that_are_left_to_ci_are_named() {
        let source =
            "fn long() {\n    if left_to_ci(\"it\") {\n        return;\n    }\n}\nfn short() {\n    go();\n}";
        let sources = [("tests/a.rs".to_owned(), source.to_owned())];
        let faults = |text: &str| left_faults(&[("x.md".to_owned(), text.to_owned())], &sources);
        assert_eq!(faults("- `a.rs::long`"), [""; 0]);
        assert_eq!(faults("a.rs::longer, `a.rs::short`").len(), 1);
    }
}
