//! Class filters on `Class.getName()` spelling, and the views of a profile they give.

use mayfly_profile::{ClassFilter, ClassProfile, Profile, SiteProfile, Tally};

fn filter(include: &[&str], exclude: &[&str], exact_match: bool) -> ClassFilter {
    let strings = |list: &[&str]| list.iter().map(|&entry| entry.to_owned()).collect();
    ClassFilter { include: strings(include), exclude: strings(exclude), exact_match }
}

#[test]
fn no_lists_admit_everything() {
    assert!(ClassFilter::default().admits("[[J"));
    assert!(ClassFilter::default().admits_all());
    assert!(!filter(&[], &["a"], false).admits_all());
}

#[test]
fn prefixes_and_whole_names() {
    let names =
        ["org.server.Server$Req", "org.server.Server$Request", "org.server.ServerThread", "[C", "[[C"];
    let kept = |filter: ClassFilter| names.into_iter().filter(|name| filter.admits(name)).collect::<Vec<_>>();
    assert_eq!(kept(filter(&["org.server"], &["org.server.Server$Req"], false)), ["org.server.ServerThread"]);
    assert_eq!(
        kept(filter(&[], &["org.server.Server$Req"], true)),
        ["org.server.Server$Request", "org.server.ServerThread", "[C", "[[C"]
    );
    assert_eq!(kept(filter(&["[C"], &[], false)), ["[C"]);
    assert_eq!(kept(filter(&["org.server"], &[], true)), [""; 0]);
}

fn profile() -> Profile {
    let class = |name: &str, allocated| ClassProfile { name: name.into(), allocated, ..Default::default() };
    let site = |class: &str, allocated| SiteProfile { class: class.into(), allocated, ..Default::default() };
    let arrays = Tally { objects: 3, bytes: 16 + 24 + 100, largest: 100 };
    let mut profile = Profile {
        classes: vec![class("[B", arrays), class("a.A", Tally::of(2, 16)), class("a.B", Tally::of(1, 24))],
        sites: vec![
            site("[B", Tally::of(1, 100)),
            site("[B", Tally::of(1, 16)),
            site("a.A", Tally::of(2, 16)),
        ],
        ..Default::default()
    };
    profile.trust.accounted_bytes = 196;
    profile
}

fn names(profile: &Profile) -> Vec<&str> {
    profile.classes.iter().map(|class| class.name.as_str()).collect()
}

#[test]
fn a_filtered_profile_loses_rows_but_no_trust() {
    let profile = profile().filtered(&filter(&["a."], &["a.B"], false));
    assert_eq!(names(&profile), ["a.A"]);
    assert_eq!(profile.sites.len(), 1);
    assert_eq!(profile.trust.accounted_bytes, 196);
}

#[test]
fn larger_than_keeps_objects_of_exactly_that_size() {
    assert_eq!(names(&profile().with_objects_of_at_least(16)), ["[B", "a.A", "a.B"]);
    let seventeen = profile().with_objects_of_at_least(17);
    assert_eq!(names(&seventeen), ["[B", "a.B"]);
    assert_eq!(seventeen.sites.len(), 1);
    assert!(!seventeen.classes[0].allocated.is_uniform(), "smaller arrays are still counted");
    assert!(seventeen.classes[1].allocated.is_uniform());
}

#[test]
fn arrays_have_two_spellings() {
    for (name, entry, other) in
        [("[B", "byte[]", "[[B"), ("[Ljava.lang.Object;", "java.lang.Object[]", "java.lang.Object")]
    {
        for filter in [filter(&[entry], &[], false), filter(&[entry], &[], true)] {
            assert!(filter.admits(name) && !filter.admits(other), "{entry}");
        }
        assert!(!filter(&[], &[entry], false).admits(name));
    }
}
