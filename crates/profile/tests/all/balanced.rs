//! Profiles of balanced tracking: numbers fitted to exact counts, errors that follow from what was followed.

use mayfly_profile::{
    ClassCounts, ClassId, LifetimeCounts, ProfileBuilder, Progress, RunInfo, Section, Share, SiteCounts,
    SiteId, Tally, Tracking, Update,
};

const HOT: ClassId = ClassId(0);
const RARE: ClassId = ClassId(1);

fn counts(id: ClassId, allocated: u64, live: u64, dead: u64) -> ClassCounts {
    let (live, collected) = (Tally::of(live, 16), vec![Tally::of(dead, 16)]);
    let lifetimes = Some(LifetimeCounts { live, collected, ..LifetimeCounts::default() });
    ClassCounts { id, allocated: Tally::of(allocated, 16), lifetimes }
}

/// Of the hot class a hundred objects were followed, each for a thousand; of the rare one each.
fn share() -> Share {
    let mut share = Share::default();
    (0..100).for_each(|at| share.record(1000, (at % 2 == 0).then_some(2000)));
    share
}

fn profile_of(classes: Vec<ClassCounts>, sites: Vec<SiteCounts>) -> ProfileBuilder {
    let run = RunInfo { tracking: Tracking::Balanced, lifetimes: true, stacks: true, ..RunInfo::default() };
    let site = |id, class| Update::Site { id: SiteId(id), class, stack: vec![] };
    let mut builder = ProfileBuilder::new();
    for update in [
        Update::Start(Box::new(run)),
        Update::Class { id: HOT, name: "a.Hot".into() },
        Update::Class { id: RARE, name: "a.Rare".into() },
        site(0, HOT),
        site(1, RARE),
        Update::from(Progress { classes, sites, ..Progress::default() }),
        Update::from(Section::Shares(vec![(HOT, share())])),
    ] {
        builder.apply(update).expect("fits");
    }
    builder
}

#[test]
fn the_living_and_the_dead_of_each_class_are_as_many_as_were_allocated() {
    let classes = vec![counts(HOT, 101_000, 10_000, 90_000), counts(RARE, 1300, 1000, 300)];
    let profile = profile_of(classes, vec![]).profile();
    let of = |name: &str| profile.classes.iter().find(|class| class.name == name).expect("there");
    let lifetimes = |name: &str| (of(name).live.expect("followed").objects, of(name).collected[0].objects);
    assert_eq!(lifetimes("a.Hot"), (10_100, 90_900), "in proportion");
    assert_eq!(lifetimes("a.Rare"), (1000, 300), "as they are");
    assert_eq!(profile.shares.keys().collect::<Vec<_>>(), ["a.Hot"]);
    let samples = |name: &str| profile.samples_behind(of(name), of(name).allocated);
    assert_eq!((samples("a.Hot"), samples("a.Rare")), (Some(100.0), None));
}

#[test]
fn of_whom_nobody_was_due_yet_nothing_is_known() {
    let classes = vec![counts(HOT, 50, 0, 0), counts(RARE, 3, 3, 0)];
    let profile = profile_of(classes, vec![]).profile();
    let of = |name: &str| profile.classes.iter().find(|class| class.name == name).expect("there");
    assert_eq!((of("a.Hot").unjudged, profile.knows_live_of(of("a.Hot"))), (of("a.Hot").allocated, false));
    assert_eq!(
        (of("a.Rare").live, profile.knows_live_of(of("a.Rare"))),
        (Some(of("a.Rare").allocated), true)
    );
}

#[test]
fn sites_of_a_class_of_which_each_was_followed_are_exact_and_others_have_an_error() {
    let site = |id, class: &ClassCounts| SiteCounts {
        id: SiteId(id),
        allocated: class.allocated,
        live: class.lifetimes.as_ref().map(|known| known.live),
        collected: class.lifetimes.as_ref().map(|known| known.collected.clone()).unwrap_or_default(),
        ..SiteCounts::default()
    };
    let (hot, rare) = (counts(HOT, 100_000, 10_000, 90_000), counts(RARE, 1300, 1000, 300));
    let sites = vec![site(0, &hot), site(1, &rare)];
    let profile = profile_of(vec![hot, rare], sites).profile();
    let error = |name: &str| profile.sites.iter().find(|site| site.class == name).expect("there").error;
    assert_eq!(error("a.Rare"), 0.0);
    // Fifty stacks, all of them here: about one in fifty may be elsewhere.
    assert!((0.005..0.05).contains(&error("a.Hot")), "{}", error("a.Hot"));
}

#[test]
fn a_profile_told_again_and_written_again_has_its_shares() {
    let builder = profile_of(vec![counts(HOT, 100_000, 10_000, 90_000)], vec![]);
    let whole = builder.profile();
    let folded = |updates: Vec<Update>| {
        let mut again = ProfileBuilder::new();
        updates.into_iter().for_each(|update| again.apply(update).expect("fits"));
        again.profile()
    };
    assert_eq!(folded(builder.from_its_start().collect()), whole);
    assert_eq!(folded(whole.updates()).shares, whole.shares);
    let merged = whole.clone().merge(whole.clone());
    assert_eq!(merged.shares["a.Hot"].followed, 200);
    let since = whole.clone().since(&whole);
    assert_eq!(since.shares["a.Hot"], Share::default());
}
