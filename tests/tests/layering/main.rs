//! The fences of the source tree: who may import whom, where unsafe code may be allowed, what every file looks like.
//!
//! Reads files only; nothing is built or run. What pure crates call is clippy's to check, by their `clippy.toml`; here
//! only that they have one.

mod documents;
mod modules;
mod rooms;
mod words;

use std::path::{Path, PathBuf};

use regex::Regex;
use toml::Table;
use walkdir::WalkDir;

use crate::documents::Repository;
use crate::modules::Package;

/// What each package may import of ours. `ANYTHING` is for packages that ship nothing.
const IMPORTS: &[(&str, &[&str])] = &[
    (
        "mayfly-agent",
        &[
            "mayfly-jvmti",
            "mayfly-census",
            "mayfly-classfile",
            "mayfly-heap",
            "mayfly-tracking",
            "mayfly-recording",
            "mayfly-report",
            "mayfly-profile",
        ],
    ),
    (
        "mayfly-cli",
        &[
            "mayfly-formats",
            "mayfly-heap",
            "mayfly-live",
            "mayfly-report",
            "mayfly-recording",
            "mayfly-profile",
            "mayfly-verdicts",
        ],
    ),
    ("mayfly-live", &["mayfly-report", "mayfly-profile"]),
    ("mayfly-formats", &["mayfly-report", "mayfly-profile"]),
    ("mayfly-report", &["mayfly-profile"]),
    ("mayfly-verdicts", &["mayfly-profile"]),
    ("mayfly-recording", &["mayfly-profile"]),
    ("mayfly-tracking", &["mayfly-profile"]),
    ("mayfly-jvmti", &[]),
    ("mayfly-counts", &[]),
    ("mayfly-census", &["mayfly-counts"]),
    ("mayfly-classfile", &[]),
    ("mayfly-profile", &["mayfly-counts"]),
    ("mayfly-heap", &["mayfly-counts"]),
    ("mayfly-tests", ANYTHING),
    ("mayfly-bench", ANYTHING),
];
const ANYTHING: &[&str] = &["*"];

/// Bindings to the JVM, and the only package that may ship with them.
const BINDINGS: (&str, &str) = ("jvmti-bindings", "mayfly-jvmti");

/// What runs on every class of somebody's JVM ships alone.
const LEAN: &[&str] = &["mayfly-classfile"];

/// Crates that take values and give values.
const PURE: &[&str] = &[
    "census",
    "classfile",
    "tracking",
    "profile",
    "recording",
    "report",
    "heap",
    "live",
    "verdicts",
    "formats",
];

/// What the `clippy.toml` of a pure crate must at least disallow.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("disallowed-types", &["std::fs::File", "std::net::TcpStream", "std::process::Command"]),
    ("disallowed-methods", &["std::fs::read", "std::fs::write", "std::thread::sleep"]),
];

const MOST_LINES: usize = 800;
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager"];

#[test]
fn packages_import_only_what_they_may() {
    let manifests = manifests();
    assert!(manifests.len() >= 9, "only {} manifests found", manifests.len());
    assert_none(manifests.iter().flat_map(|(path, manifest)| import_faults(path, manifest)));
}

#[test]
fn architecture_draws_the_imports_of_the_manifests() {
    let manifests = manifests();
    let named = manifests.iter().filter_map(|(_, manifest)| Some((package_name(manifest)?, manifest)));
    let shipped = named.filter(|(package, _)| !["mayfly-tests", "mayfly-bench"].contains(package));
    let arrows = shipped.flat_map(|(package, manifest)| {
        let ours = dependencies(manifest).into_iter().filter(|(section, _)| *section == "dependencies");
        ours.filter_map(move |(_, to)| Some((short(package)?.to_owned(), short(&to)?.to_owned())))
    });
    let page = "ARCHITECTURE.md";
    let documents = files(|path| path.ends_with(page));
    let (_, text) = documents.first().expect("the page of the architecture");
    let (_, list) = text.split_once("**Who imports whom**").expect("its list of imports");
    assert_none(documents::arrow_faults(page, list, &arrows.collect()).into_iter());
}

/// A package of ours, as documents call it.
fn short(package: &str) -> Option<&str> {
    package.strip_prefix("mayfly-")
}

fn package_name(manifest: &Table) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

#[test]
fn every_package_is_under_the_workspace_lints() {
    assert_none(manifests().iter().flat_map(|(path, manifest)| lint_faults(path, manifest)));
}

#[test]
fn pure_crates_have_their_fence() {
    let clippy = files(|path| path.file_name().is_some_and(|name| name == "clippy.toml"));
    let of = |path: &str| clippy.iter().find(|(found, _)| found == path).map(|(_, text)| text.as_str());
    let pure = manifests().into_iter().filter_map(|(path, _)| {
        let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        PURE.contains(&folder).then(|| format!("crates/{folder}/clippy.toml"))
    });
    assert_none(pure.flat_map(|path| fence_faults(&path, of(&path).unwrap_or_default())));
}

#[test]
fn unsafe_code_stays_behind_its_fence() {
    assert_none(sources().iter().flat_map(|(path, text)| unsafe_faults(path, text)));
}

#[test]
fn files_import_each_other_in_no_circle() {
    let packages = packages();
    assert!(packages.len() >= 11, "only {} packages found", packages.len());
    assert_none(packages.iter().flat_map(|(folder, package)| circle_faults(folder, package)));
}

#[test]
fn rooms_import_downwards_only() {
    let packages = packages();
    for (house, _) in rooms::HOUSES {
        assert!(packages.iter().any(|(folder, _)| folder == house), "{house} is not read");
    }
    assert_none(packages.iter().flat_map(|(folder, package)| rooms::room_faults(folder, package)));
    let below = format!("{}/src/", rooms::AGENT);
    let sources = sources();
    let own = sources.iter().filter_map(|(path, text)| Some((path.strip_prefix(&below)?, text)));
    assert_none(own.filter_map(|(path, text)| rooms::jvm_fault(path, text)));
}

#[test]
fn files_say_what_they_are_for_and_stay_readable() {
    let sources = sources();
    assert!(sources.len() >= 30, "only {} sources found", sources.len());
    assert_none(sources.iter().flat_map(|(path, text)| file_faults(path, text)));
}

#[test]
fn documents_point_to_what_is_there() {
    let documents = files(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(documents.len() >= 30, "only {} documents found", documents.len());
    let repository = Repository::new(paths(|_| true), &documents);
    assert_none(documents.iter().flat_map(|(path, text)| repository.link_faults(path, text)));
    assert_none(documents.iter().flat_map(|(path, text)| repository.name_faults(path, text)));
    let sources = sources();
    assert_none(documents.iter().flat_map(|(path, text)| documents::test_faults(path, text, &sources)));
    assert_none(documents::left_faults(&documents, &sources).into_iter());
}

#[test]
fn documents_speak_plainly() {
    let documents = files(|path| path.extension().is_some_and(|extension| extension == "md"));
    // What was said at its time stays: the list of changes, runs as printed.
    let read = |path: &str| path != "CHANGELOG.md" && !path.starts_with("bench/runs/");
    let documents: Vec<_> = documents.into_iter().filter(|(path, _)| read(path)).collect();
    assert!(documents.len() > 60, "only {} pages found", documents.len());
    assert_none(words::speech_faults(&documents).into_iter());
}

#[test]
fn messages_of_the_guide_are_those_of_the_sources() {
    let page = "docs/guide/troubleshooting.md";
    let documents = files(|path| path.ends_with(page));
    let (_, text) = documents.first().expect("the page of messages");
    assert!(text.matches("\n| `").count() > 40, "few messages");
    let shipped: Vec<_> = sources().into_iter().filter(|(path, _)| !path.contains("tests/")).collect();
    assert_none(documents::message_faults(page, text, &shipped).into_iter());
}

#[test]
fn what_architecture_promises_is_named_nowhere() {
    assert_none(words::word_faults(&sources()).into_iter());
}

#[test]
fn tests_wait_for_lines_and_not_for_time() {
    let sources = sources();
    assert_none(sources.iter().filter_map(|(path, text)| sleep_fault(path, text)));
}

#[test]
fn a_module_with_files_of_its_own_is_a_folder() {
    let sources: Vec<_> = sources().into_iter().map(|(path, _)| path).collect();
    let sources: Vec<_> = sources.iter().map(String::as_str).collect();
    assert_none(module_faults(&sources));
}

#[test]
fn every_file_is_named_by_the_one_above_it() {
    assert_none(unnamed_faults(&sources()).into_iter());
}

/// Dependencies on packages of ours that the table does not allow, and on the JVM bindings outside their crate.
fn import_faults(path: &str, manifest: &Table) -> Vec<String> {
    let Some(package) = package_name(manifest) else { return Vec::new() };
    let Some((_, allowed)) = IMPORTS.iter().find(|(name, _)| *name == package) else {
        return vec![format!("{path}: {package} is not in the table of imports: say what it may import")];
    };
    let mut faults = Vec::new();
    for (section, dependency) in dependencies(manifest) {
        if dependency.starts_with("mayfly-")
            && *allowed != ANYTHING
            && !allowed.contains(&dependency.as_str())
        {
            faults.push(format!("{path}: {package} may not import {dependency} ([{section}])"));
        }
        if LEAN.contains(&package) && section == "dependencies" {
            faults.push(format!("{path}: {package} ships with no dependency, not even {dependency}"));
        }
        if dependency == BINDINGS.0 && package != BINDINGS.1 && section != "dev-dependencies" {
            faults.push(format!("{path}: only {} may ship with {dependency}", BINDINGS.1));
        }
    }
    faults
}

/// Every dependency as (section, package name), renamed and target-specific ones included.
fn dependencies(manifest: &Table) -> Vec<(&'static str, String)> {
    let targets = manifest.get("target").and_then(|t| t.as_table());
    let tables =
        std::iter::once(manifest).chain(targets.into_iter().flatten().filter_map(|(_, t)| t.as_table()));
    let mut found = Vec::new();
    for table in tables {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (key, value) in table.get(section).and_then(|d| d.as_table()).into_iter().flatten() {
                let name = value.get("package").and_then(|p| p.as_str()).unwrap_or(key);
                found.push((section, name.to_owned()));
            }
        }
    }
    found
}

/// Packages that left the workspace's lints, and a workspace that no longer denies unsafe code.
fn lint_faults(path: &str, manifest: &Table) -> Vec<String> {
    let mut faults = Vec::new();
    let inherits = manifest.get("lints").and_then(|l| l.get("workspace")).and_then(|w| w.as_bool());
    if manifest.contains_key("package") && inherits != Some(true) {
        faults.push(format!("{path}: must have [lints] workspace = true"));
    }
    if let Some(workspace) = manifest.get("workspace") {
        let level = |group: &str, lint: &str| {
            workspace
                .get("lints")
                .and_then(|l| l.get(group))
                .and_then(|g| g.get(lint))
                .and_then(|l| l.as_str())
        };
        for (group, lint) in [("rust", "unsafe_code"), ("clippy", "undocumented_unsafe_blocks")] {
            if !matches!(level(group, lint), Some("deny" | "forbid")) {
                faults.push(format!("{path}: the workspace must deny {lint}"));
            }
        }
    }
    faults
}

/// Files that import each other in a circle.
fn circle_faults(folder: &str, package: &Package) -> Vec<String> {
    let circles = package.circles();
    circles.iter().map(|circle| format!("{folder}: import each other: {}", circle.join(", "))).collect()
}

/// What a pure crate's `clippy.toml` fails to disallow.
fn fence_faults(path: &str, text: &str) -> Vec<String> {
    let fence: Table = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut faults = Vec::new();
    for &(list, required) in OUTSIDE {
        let entries = fence.get(list).and_then(|l| l.as_array()).into_iter().flatten();
        let disallowed: Vec<_> = entries
            .filter_map(|entry| entry.as_str().or_else(|| entry.get("path").and_then(|path| path.as_str())))
            .collect();
        let missing = required.iter().filter(|item| !disallowed.contains(item));
        faults.extend(missing.map(|item| format!("{path}: {list} must name {item}")));
    }
    faults
}

/// The files outside the JVM boundary with unsafe code: they map heap dumps (docs/design/heap.md#0022-questions-about-a-heap) and the
/// memory of counters (docs/design/lifetimes.md#0024-memory-that-is-given-back-and-what-grows-with-classes), and take numbers for weak references again.
const FENCED: [&str; 3] =
    ["cli/src/heap/mapping.rs", "crates/tracking/src/mapped.rs", "agent/src/tracking/weak.rs"];

/// The files of the agent where the JVM and other copies of the library come in.
const EXPORTS: [&str; 3] =
    ["agent/src/entry/exports.rs", "agent/src/entry/exports_api.rs", "agent/src/entry/marker.rs"];

/// Attributes that lift the ban on unsafe code outside the JVM crate, the agent's exports and a few files.
fn unsafe_faults(path: &str, text: &str) -> Vec<String> {
    let lifted = Regex::new(r"\b(allow|warn|expect)\s*\([^)]*\bunsafe_code\b").expect("a valid pattern");
    let fenced = FENCED.contains(&path) || EXPORTS.contains(&path) || path.starts_with("crates/jvmti/");
    if lifted.is_match(text) && !fenced {
        return vec![format!("{path}: unsafe code belongs in crates/jvmti, {EXPORTS:?} or {FENCED:?}")];
    }
    Vec::new()
}

/// Files without a `//!` opening, longer than anyone reads, or named after nothing.
fn file_faults(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if !text.starts_with("//! ") {
        faults.push(format!("{path}: must open with //! saying what it is for"));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES {
        faults.push(format!("{path}: {lines} lines, more than {MOST_LINES}: split it"));
    }
    let parts = Path::new(path).iter().filter_map(|part| part.to_str());
    for part in parts.filter(|part| EMPTY_NAMES.contains(&part.trim_end_matches(".rs"))) {
        faults.push(format!("{path}: '{part}' names nothing: say what is in it"));
    }
    faults
}

/// Where tests wait, with a bound, for what they have looked for and not found yet.
const WAITS: [&str; 2] = ["tests/src/running.rs", "tests/src/terminal.rs"];

/// Code of tests that lets time pass.
fn sleep_fault(path: &str, text: &str) -> Option<String> {
    let is_test = path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("tests.rs");
    let sleeps = text.contains(concat!("thread::", "sleep(")) || text.contains(concat!("park_", "timeout("));
    (is_test && sleeps && !WAITS.contains(&path)).then(|| {
        format!("{path}: wait for a line or a state, with a bound ({WAITS:?}), not for time to pass")
    })
}

/// Modules beside the folder with their files (`a.rs`, `a/b.rs`) instead of in it (`a/mod.rs`). Targets of Cargo's, which lie
/// beside a `src`, are no modules.
fn module_faults<'a>(sources: &'a [&str]) -> impl Iterator<Item = String> + use<'a> {
    let has = |folder: &str| sources.iter().any(|path| path.starts_with(folder));
    let is_target = move |path: &str| {
        let inside = path.split_once("/tests/").filter(|(_, name)| !name.contains('/'));
        inside.is_some_and(|(package, _)| has(&format!("{package}/src/")))
    };
    let beside = sources.iter().filter(move |path| has(&path.replace(".rs", "/")) && !is_target(path));
    beside
        .map(|path| format!("{path}: its files are in {}: put it there as mod.rs", path.replace(".rs", "/")))
}

/// Files that no module or program names: they would be neither built nor run, tests among them.
fn unnamed_faults(sources: &[(String, String)]) -> Vec<String> {
    let text = |path: &str| sources.iter().find(|(other, _)| other == path).map(|(_, text)| text.as_str());
    let unnamed = |path: &str| {
        let inner = path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs"))?;
        let (folder, name) = inner.rsplit_once('/').filter(|(_, name)| !["lib", "main"].contains(name))?;
        let above: Vec<_> =
            ["mod", "lib", "main"].iter().filter_map(|root| text(&format!("{folder}/{root}.rs"))).collect();
        let named = format!("mod {name};");
        let is_named = |text: &&str| text.lines().any(|line| line.trim_start().ends_with(&named));
        // Nothing is above a target of Cargo's.
        (!above.is_empty() && !above.iter().any(is_named))
            .then(|| format!("{path}: nobody names it: say `{named}` in {folder}/"))
    };
    sources.iter().filter_map(|(path, _)| unnamed(path)).collect()
}

fn assert_none(faults: impl Iterator<Item = String>) {
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn manifests() -> Vec<(String, Table)> {
    files(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"))
        .into_iter()
        .map(|(path, text)| {
            let manifest = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
            (path, manifest)
        })
        .collect()
}

fn sources() -> Vec<(String, String)> {
    files(|path| path.extension().is_some_and(|extension| extension == "rs"))
}

/// The packages of the workspace by folder, as their modules import each other.
fn packages() -> Vec<(String, Package)> {
    let sources = sources();
    let folders =
        manifests().into_iter().filter_map(|(path, _)| path.strip_suffix("/Cargo.toml").map(str::to_owned));
    folders
        .map(|folder| {
            let below = format!("{folder}/src/");
            let own =
                sources.iter().filter_map(|(path, text)| Some((path.strip_prefix(&below)?, text.as_str())));
            let package = Package::read(&own.collect::<Vec<_>>());
            (folder, package)
        })
        .collect()
}

/// Files of the repository that `wanted` takes, as (path from the root, text).
fn files(wanted: impl Fn(&Path) -> bool) -> Vec<(String, String)> {
    let text = |path: &String| {
        std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    paths(wanted).into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// Their paths from the root. Build and hidden folders are skipped.
fn paths(wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let root = root();
    // As .gitignore has it: `agent/src/target` is no build folder.
    let skipped =
        |depth: usize, name: &str| name.starts_with('.') || (depth == 1 && name.starts_with("target"));
    WalkDir::new(&root)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let name = entry.file_name().to_string_lossy();
            !(entry.file_type().is_dir() && skipped(entry.depth(), &name))
        })
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file() && wanted(entry.path()))
        .map(|entry| entry.path().strip_prefix(&root).expect("below the root").to_string_lossy().into_owned())
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).expect("tests/ lies in the root")
}

/// Each rule against a sample that breaks it.
mod rules_bite {
    use super::*;

    fn manifest(text: &str) -> Table {
        text.parse().expect("a valid manifest")
    }

    #[test]
    fn imports() {
        for (text, fault) in [
            (
                "[package]\nname='mayfly-profile'\n[dependencies]\nmayfly-report.workspace=true",
                "may not import",
            ),
            ("[package]\nname='mayfly-cli'\n[dependencies]\nmayfly-jvmti={path='x'}", "may not import"),
            (
                "[package]\nname='mayfly-report'\n[dev-dependencies]\nmayfly-recording={path='x'}",
                "may not import",
            ),
            (
                "[package]\nname='mayfly-report'\n[dependencies]\na={package='mayfly-heap',path='x'}",
                "may not import",
            ),
            (
                "[package]\nname='mayfly-report'\n[target.'cfg(unix)'.dependencies]\nmayfly-heap={path='x'}",
                "may not import",
            ),
            ("[package]\nname='mayfly-agent'\n[dependencies]\njvmti-bindings='3'", "only mayfly-jvmti may"),
            ("[package]\nname='mayfly-new'", "not in the table"),
        ] {
            let faults = import_faults("x/Cargo.toml", &manifest(text));
            assert!(faults.len() == 1 && faults[0].contains(fault), "{text}: {faults:?}");
        }
        let fine = "[package]\nname='mayfly-report'\n[dependencies]\nmayfly-profile={path='x'}\nserde='1'";
        assert!(import_faults("x/Cargo.toml", &manifest(fine)).is_empty());
    }

    #[test]
    fn circles() {
        let package =
            Package::read(&[("lib.rs", ""), ("a.rs", "use crate::b::X;"), ("b.rs", "use crate::a::X;")]);
        let found = circle_faults("crates/new", &package);
        assert_eq!(found, ["crates/new: import each other: a.rs, b.rs"]);
        assert_eq!(circle_faults("crates/new", &Package::read(&[("lib.rs", "")])), [""; 0]);
    }

    #[test]
    fn lints() {
        for (text, count) in [
            ("[package]\nname='a'", 1),
            ("[package]\nname='a'\n[lints]\nworkspace=false", 1),
            ("[workspace]\n[workspace.lints.rust]\nunsafe_code='warn'", 2),
            ("[package]\nname='a'\n[lints]\nworkspace=true", 0),
        ] {
            assert_eq!(lint_faults("x/Cargo.toml", &manifest(text)).len(), count, "{text}");
        }
    }

    #[test]
    fn fences() {
        let whole = "disallowed-types = ['std::fs::File', {path='std::net::TcpStream'}, {path='std::process::Command'}]
            disallowed-methods = ['std::fs::read', 'std::fs::write', 'std::thread::sleep']";
        assert!(fence_faults("clippy.toml", whole).is_empty());
        assert_eq!(fence_faults("clippy.toml", &whole.replace("sleep", "park")).len(), 1);
        assert_eq!(fence_faults("clippy.toml", "").len(), 6);
    }

    #[test]
    fn unsafe_code() {
        // In capitals here, so that this file does not lift the ban itself.
        for attribute in ["#![ALLOW(unsafe_code)]", "#[EXPECT(\n    dead_code,\n    unsafe_code\n)]"] {
            let text = attribute.replace("ALLOW", "allow").replace("EXPECT", "expect");
            for path in [
                "crates/classfile/src/lib.rs",
                "agent/src/lib.rs",
                "agent/src/exports.rs",
                "agent/src/entry/events.rs",
                "agent/src/tracking/tracker.rs",
                "cli/src/heap/dump_file.rs",
            ] {
                assert_eq!(unsafe_faults(path, &text).len(), 1, "{path}: {text}");
            }
            for path in FENCED.into_iter().chain(EXPORTS).chain(["crates/jvmti/src/vm.rs"]) {
                assert!(unsafe_faults(path, &text).is_empty(), "{path}: {text}");
            }
        }
        assert!(unsafe_faults("agent/src/lib.rs", "// says unsafe_code, allows nothing").is_empty());
    }

    #[test]
    fn sleeps() {
        let text = concat!("std::thread::", "sleep(PAUSE)");
        for path in
            ["tests/tests/a.rs", "tests/src/a.rs", "crates/x/tests/a.rs", "agent/src/session/tests.rs"]
        {
            assert!(sleep_fault(path, text).is_some(), "{path}");
        }
        assert_eq!(sleep_fault(WAITS[0], text), None);
        assert_eq!(sleep_fault("cli/src/session/attach.rs", text), None);
        assert_eq!(sleep_fault("tests/tests/a.rs", "wait_for(READY)"), None);
    }

    #[test]
    fn modules() {
        let beside =
            ["x/src/lib.rs", "x/src/a.rs", "x/src/a/b.rs", "x/tests/golden.rs", "x/tests/golden/read.rs"];
        let faults: Vec<_> = module_faults(&beside).collect();
        assert!(
            faults.len() == 1 && faults[0].starts_with("x/src/a.rs: its files are in x/src/a/"),
            "{faults:?}"
        );
        let inside = ["x/src/lib.rs", "x/src/a/mod.rs", "x/src/a/b.rs", "x/src/ab.rs"];
        assert_eq!(module_faults(&inside).count(), 0);
    }

    #[test]
    fn names() {
        let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let sources = [
            source("x/src/lib.rs", "pub mod a;\n"),
            source("x/src/a/mod.rs", "#[cfg(test)]\nmod tests;\n"),
            source("x/src/a/tests.rs", ""),
            source("x/src/b/mod.rs", ""),
            source("x/tests/alone.rs", ""),
            source("x/tests/all/main.rs", "//! All.\n\nmod taken;\nmod shared;\n"),
            source("x/tests/all/taken.rs", ""),
            source("x/tests/all/left.rs", ""),
            source("x/tests/all/shared/mod.rs", ""),
        ];
        let faults = unnamed_faults(&sources);
        let starts = ["x/src/b/mod.rs: ", "x/tests/all/left.rs: "];
        assert!(
            faults.len() == 2 && faults.iter().zip(starts).all(|(fault, start)| fault.starts_with(start)),
            "{faults:?}"
        );
    }

    #[test]
    fn files() {
        let long = format!("//! Long.\n{}", "\n".repeat(MOST_LINES));
        for (path, text, fault) in [
            ("a.rs", "fn main() {}", "must open with //!"),
            ("a.rs", "", "must open with //!"),
            ("a.rs", long.as_str(), "801 lines"),
            ("a/utils.rs", "//! Things.", "names nothing"),
            ("common/a.rs", "//! Things.", "names nothing"),
        ] {
            let faults = file_faults(path, text);
            assert!(faults.len() == 1 && faults[0].contains(fault), "{path}: {faults:?}");
        }
        assert!(file_faults("a/uncommon.rs", &long[..long.len() - 1]).is_empty());
    }
}
