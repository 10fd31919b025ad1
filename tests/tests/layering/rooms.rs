//! Rooms: which folder of a package's sources may import which, for packages that are large (the agent's:
//! docs/design/agent.md#0034-the-agents-rooms).

use std::collections::BTreeSet;

use crate::modules::Package;

/// The package that runs in the JVM.
pub(crate) const AGENT: &str = "agent";

/// Each room and those that it imports, all of them further up in this list: the lowest comes first.
type Rooms = &'static [(&'static str, &'static [&'static str])];

/// The rooms of a package by its folder.
pub(crate) const HOUSES: &[(&str, Rooms)] = &[(AGENT, ROOMS), ("crates/profile", ROOMS_OF_PROFILES)];

const ROOMS_OF_PROFILES: Rooms = &[
    ("facts", &[]),
    ("lifetime", &["facts"]),
    ("stream", &["facts", "lifetime"]),
    ("fitted", &["facts", "lifetime", "stream"]),
    ("derived", &["facts", "fitted", "lifetime", "stream"]),
    ("lib", &["derived", "facts", "fitted", "lifetime", "stream"]),
];

const ROOMS: Rooms = &[
    ("conduct", &[]),
    ("options", &[]),
    ("plan", &["options"]),
    ("engine", &[]),
    ("output", &["conduct", "options", "plan"]),
    ("target_jvm", &["options"]),
    ("tracking", &["plan", "target_jvm"]),
    ("exact", &["conduct", "engine", "plan", "target_jvm", "tracking"]),
    ("sampled", &["conduct", "engine", "plan", "target_jvm", "tracking"]),
    ("census", &["conduct", "target_jvm", "tracking"]),
    ("retention", &[]),
    ("session", &["conduct", "engine", "plan", "tracking"]),
    (
        "steering",
        &[
            "census",
            "conduct",
            "engine",
            "options",
            "output",
            "retention",
            "session",
            "target_jvm",
            "tracking",
        ],
    ),
    ("heap", &["conduct", "options", "output", "steering", "target_jvm"]),
    ("api", &["heap", "steering"]),
    ("remote", &["conduct", "heap", "steering", "target_jvm"]),
    (
        "entry",
        &[
            "api",
            "conduct",
            "engine",
            "exact",
            "heap",
            "options",
            "output",
            "plan",
            "remote",
            "sampled",
            "steering",
            "target_jvm",
            "tracking",
        ],
    ),
];

/// Rooms that know no JVM: what they need of it comes by interfaces, so that tests run them without one.
const WITHOUT_JVM: &[&str] = &["conduct", "options", "output", "session"];

/// Arrows that the table of a package does not have, and arrows of the table that nobody needs.
pub(crate) fn room_faults(folder: &str, package: &Package) -> Vec<String> {
    let house = HOUSES.iter().find(|(name, _)| *name == folder);
    house.map_or_else(Vec::new, |(_, rooms)| faults_by(folder, rooms, package))
}

/// The JVM's crate in a room that knows none. `path`: from the agent's source folder.
pub(crate) fn jvm_fault(path: &str, text: &str) -> Option<String> {
    let room = room_of(path);
    let is_test = path.ends_with("/tests.rs");
    (WITHOUT_JVM.contains(&room) && !is_test && text.contains("mayfly_jvmti"))
        .then(|| format!("{AGENT}: {path}: {room} knows no JVM: take what you need by an interface"))
}

fn faults_by(folder: &str, rooms: &[(&str, &[&str])], package: &Package) -> Vec<String> {
    let between: BTreeSet<(&str, &str)> = package
        .arrows()
        .map(|(from, to)| (room_of(from), room_of(to)))
        .filter(|(from, to)| from != to)
        .collect();
    let mut faults = Vec::new();
    for &(from, to) in &between {
        let Some((_, allowed)) = rooms.iter().find(|(room, _)| *room == from) else {
            faults.push(format!("{folder}: {from} is not in the table of rooms: say what it may import"));
            continue;
        };
        if !allowed.contains(&to) {
            let how = package.arrows().find(|(a, b)| (room_of(a), room_of(b)) == (from, to));
            let (file, other) = how.unwrap_or_default();
            faults.push(format!("{folder}: {from} may not import {to}: {file} imports {other}"));
        }
    }
    let stated = rooms.iter().flat_map(|(from, allowed)| allowed.iter().map(move |to| (*from, *to)));
    let unused = stated.filter(|arrow| !between.contains(arrow));
    faults.extend(unused.map(|(from, to)| format!("{folder}: {from} imports nothing of {to}: say so")));
    faults
}

/// The folder right below the sources, or the file that stands for one.
fn room_of(path: &str) -> &str {
    let end = path.find('/').unwrap_or(path.len());
    path[..end].trim_end_matches(".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[(&str, &[&str])] = &[("cellar", &[]), ("hall", &["cellar"]), ("roof", &["hall"])];

    fn faults(sources: &[(&str, &str)]) -> Vec<String> {
        faults_by("house", TABLE, &Package::read(sources))
    }

    #[test]
    fn rooms_import_only_what_is_further_up_in_the_table() {
        for (folder, rooms) in HOUSES {
            for (index, (room, allowed)) in rooms.iter().enumerate() {
                for below in *allowed {
                    let at = rooms.iter().position(|(other, _)| other == below);
                    assert!(
                        at.is_some_and(|at| at < index),
                        "{folder}: {room} would import upwards: {below}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_arrow_up_or_past_the_table_is_found() {
        let house = [
            ("lib.rs", "mod cellar; mod hall; mod roof;"),
            ("cellar/mod.rs", "pub mod wine;"),
            ("cellar/wine.rs", ""),
            ("hall.rs", "use crate::cellar::wine::Red;"),
            ("roof/mod.rs", "use crate::hall::Door;"),
        ];
        assert_eq!(faults(&house), [""; 0]);
        let with = |path, text| {
            let mut house = house.to_vec();
            house.retain(|(other, _)| *other != path);
            house.push((path, text));
            faults(&house)
        };
        for (path, text, fault) in [
            ("cellar/wine.rs", "fn f() { crate::hall::g() }", "cellar may not import hall: cellar/wine.rs"),
            ("roof/mod.rs", "use crate::{hall, cellar};", "roof may not import cellar"),
            ("attic.rs", "use crate::cellar;", "attic is not in the table"),
            ("hall.rs", "", "hall imports nothing of cellar"),
            ("cellar/wine.rs", "use crate::Thing;", "cellar may not import lib"),
        ] {
            let found = with(path, text);
            assert!(found.len() == 1 && found[0].contains(fault), "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn a_room_without_a_jvm_does_not_get_one() {
        let text = "use mayfly_jvmti::Jni;";
        assert!(jvm_fault("session/mod.rs", text).is_some());
        assert_eq!(jvm_fault("session/tests.rs", text), None);
        assert_eq!(jvm_fault("exact/hooks.rs", text), None);
        assert_eq!(jvm_fault("session/mod.rs", "//! no JVM"), None);
    }
}
