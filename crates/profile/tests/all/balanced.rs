//! Profiles of balanced tracking: numbers fitted to exact counts, errors that follow from what was followed.

use mayfly_profile::{
    ClassCounts, ClassId, Frame, FrameId, LifetimeCounts, Profile, ProfileBuilder, Progress, RunInfo,
    Section, Share, SiteCounts, SiteId, SiteProfile, Tally, Tracking, Update, Variances,
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

/// Of the hot class a few objects were followed at the start, each for itself, and later each for very many.
fn with_sites(live: Tally, dead: Tally, sites: [(Tally, Tally); 2], stands_for: u64) -> Profile {
    let mut allocated = live;
    allocated.add(dead);
    let lifetimes = Some(LifetimeCounts { live, collected: vec![dead], ..LifetimeCounts::default() });
    let site = |(id, (live, dead)): (u32, (Tally, Tally))| {
        let mut allocated = live;
        allocated.add(dead);
        let collected = vec![dead];
        SiteCounts { id: SiteId(id), allocated, live: Some(live), collected, ..SiteCounts::default() }
    };
    let sites = (0..).zip(sites).map(site).collect();
    let mut share = Share::default();
    (0..20).for_each(|_| share.record(1, Some(1)));
    (0..10).for_each(|_| share.record(stands_for / 10, Some(stands_for)));
    let run = RunInfo { tracking: Tracking::Balanced, lifetimes: true, stacks: true, ..RunInfo::default() };
    let frame = |class: &str| Update::Frame {
        id: FrameId(u32::from(class == "b.B")),
        frame: Frame { class: class.into(), ..Frame::default() },
    };
    let mut builder = ProfileBuilder::new();
    let classes = vec![ClassCounts { id: HOT, allocated, lifetimes }];
    for update in [
        Update::Start(Box::new(run)),
        Update::Class { id: HOT, name: "a.Hot".into() },
        frame("a.A"),
        frame("b.B"),
        Update::Site { id: SiteId(0), class: HOT, stack: vec![FrameId(0)] },
        Update::Site { id: SiteId(1), class: HOT, stack: vec![FrameId(1)] },
        Update::from(Progress { classes, sites, ..Progress::default() }),
        Update::from(Section::Shares(vec![(HOT, share)])),
    ] {
        builder.apply(update).expect("fits");
    }
    builder.profile()
}

fn site_of<'p>(profile: &'p Profile, class: &str) -> &'p SiteProfile {
    let at = |site: &&SiteProfile| site.stack.first().is_some_and(|frame| &*frame.class == class);
    profile.sites.iter().find(at).expect("a site")
}

/// Buffers of the start, 20 of 40,000 bytes, took what was missing of millions of small arrays: 12 MB instead of 0.8.
#[test]
fn what_was_followed_one_by_one_keeps_its_numbers_beside_what_stands_for_many() {
    let early = Tally::of(20, 40_000);
    let mut dead = Tally::of(9_000_000, 90);
    dead.bytes += 60_000_000;
    dead.largest = 4_096;
    let profile = with_sites(
        early,
        dead,
        [(early, Tally::default()), (Tally::default(), Tally::of(7_900_000, 90))],
        1_000_000,
    );
    let site = site_of(&profile, "a.A");
    let live = site.live.expect("followed");
    assert!(live.objects <= 21 && live.bytes < 900_000, "{live:?}");
    let error = Variances::of(&profile).of_live_sites([site]).bytes.sqrt();
    assert!(error < 1_200_000.0, "about as much as is live of the class at most: {error}");
}

/// Arrays that a cache holds, of which no stack was taken that is live, were put down to who made a few others.
#[test]
fn what_is_live_and_was_not_met_with_a_stack_is_not_charged_to_another_maker() {
    let (cached, held) = (Tally::of(4_000, 1_040), Tally::of(800, 4_016));
    let mut live = cached;
    live.add(held);
    let dead = Tally::of(23_000, 1_040);
    let profile = with_sites(
        live,
        dead,
        [(held, Tally::default()), (Tally::default(), Tally::of(25_000, 1_040))],
        10_000,
    );
    let (holder, cache) = (site_of(&profile, "a.A"), site_of(&profile, "b.B"));
    let of_holder = holder.live.expect("followed");
    assert!((800..850).contains(&of_holder.objects) && of_holder.bytes < 3_800_000, "{of_holder:?}");
    assert!(cache.live.expect("followed").is_empty(), "none was seen");
    let all = of_holder.objects + cache.unjudged.objects;
    assert_eq!((all, cache.allocated.objects + holder.allocated.objects), (4_800, 27_800));
}
