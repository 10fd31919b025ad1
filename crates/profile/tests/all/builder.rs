//! The fold of a stream into a profile, checked by arithmetic on small hand-made streams.

use mayfly_profile::{
    ApplyError, ClassCounts, ClassId, EngineKind, Frame, FrameId, LifetimeCounts, Lifetimes, LiveAsOf,
    LiveCounts, Profile, ProfileBuilder, Progress, RunInfo, Section, SiteCounts, SiteId, Tally, Update,
};

fn class(id: u32, name: &str) -> Update {
    Update::Class { id: ClassId(id), name: name.into() }
}

fn frame(id: u32, class: &str, method: &str) -> Update {
    Update::Frame {
        id: FrameId(id),
        frame: Frame { class: class.into(), method: method.into(), ..Default::default() },
    }
}

fn allocated(id: u32, objects: u64, size: u64) -> ClassCounts {
    ClassCounts { id: ClassId(id), allocated: Tally::of(objects, size), lifetimes: None }
}

fn progress(duration_ms: u64, classes: Vec<ClassCounts>, sites: Vec<SiteCounts>) -> Update {
    Update::from(Progress { duration_ms, gcs: 3, classes, sites, ..Default::default() })
}

fn tracked(id: u32, live: u64, dead: &[u64], lifetime_ms: u64) -> ClassCounts {
    let mut lifetimes = Lifetimes::default();
    let deaths = dead.iter().sum();
    lifetimes.ms.record_deaths(0, lifetime_ms, deaths);
    lifetimes.gcs.record_deaths(0, 1, deaths);
    lifetimes.died_before_first_gc = deaths;
    let collected = dead.iter().map(|&objects| Tally::of(objects, 16)).collect();
    let counts = LifetimeCounts { live: Tally::of(live, 16), collected, lifetimes };
    ClassCounts { id: ClassId(id), allocated: Tally::of(live + deaths, 16), lifetimes: Some(counts) }
}

fn fold(updates: Vec<Update>) -> Profile {
    let mut builder = ProfileBuilder::new();
    for update in updates {
        builder.apply(update).expect("the stream is whole");
    }
    builder.profile()
}

#[test]
fn newest_counts_replace_older_ones_and_the_largest_class_comes_first() {
    let profile = fold(vec![
        Update::Start(Box::new(RunInfo { engine: EngineKind::Sampled, ..Default::default() })),
        class(0, "a.Small"),
        class(1, "[B"),
        class(2, "a.Also16"),
        progress(100, vec![allocated(0, 1, 16), allocated(1, 2, 24)], vec![]),
        progress(200, vec![allocated(1, 10, 24), allocated(2, 1, 16)], vec![]),
        Update::End,
    ]);
    let rows: Vec<_> = profile.classes.iter().map(|row| (row.name.as_str(), row.allocated)).collect();
    assert_eq!(
        rows,
        [("[B", Tally::of(10, 24)), ("a.Also16", Tally::of(1, 16)), ("a.Small", Tally::of(1, 16))]
    );
    assert_eq!((profile.duration_ms, profile.gcs, profile.complete), (200, 3, true));
    assert_eq!(profile.run.engine, EngineKind::Sampled);
}

#[test]
fn classes_of_one_name_from_two_loaders_become_one_row() {
    let profile = fold(vec![
        class(4, "plugin.Job"),
        class(9, "plugin.Job"),
        progress(1, vec![tracked(4, 5, &[1, 2], 40), tracked(9, 7, &[0, 0, 4], 90)], vec![]),
    ]);
    let [row] = profile.classes.as_slice() else { panic!("one row, not {:?}", profile.classes) };
    assert_eq!(row.allocated, Tally::of(5 + 3 + 7 + 4, 16));
    assert_eq!(row.live, Some(Tally::of(12, 16)));
    let objects: Vec<_> = row.collected.iter().map(|tally| tally.objects).collect();
    assert_eq!(objects, [1, 2, 4, 0, 0, 0], "one tally per default bucket");
    let lifetimes = row.lifetimes.as_ref().expect("seven died");
    assert_eq!(lifetimes.ms.dead(), 7);
    assert_eq!(lifetimes.died_before_first_gc_share(), Some(1.0));
}

#[test]
fn deaths_beyond_the_last_bucket_are_kept_in_it() {
    let profile =
        fold(vec![class(0, "a.A"), progress(1, vec![tracked(0, 0, &[0, 0, 0, 0, 0, 2, 3], 1)], vec![])]);
    let objects: Vec<_> = profile.classes[0].collected.iter().map(|tally| tally.objects).collect();
    assert_eq!(objects, [0, 0, 0, 0, 0, 5]);
}

#[test]
fn a_class_without_deaths_has_no_lifetimes() {
    let profile = fold(vec![class(0, "a.A"), progress(1, vec![tracked(0, 3, &[], 1)], vec![])]);
    assert_eq!(profile.classes[0].live, Some(Tally::of(3, 16)));
    assert_eq!(profile.classes[0].lifetimes, None);
}

#[test]
fn sites_carry_their_names_and_equal_stacks_become_one() {
    let site = |id, class, stack: &[u32]| {
        let stack = stack.iter().copied().map(FrameId).collect();
        Update::Site { id: SiteId(id), class: ClassId(class), stack }
    };
    let counts = |id, objects, byte_seconds| SiteCounts {
        id,
        allocated: Tally::of(objects, 16),
        byte_seconds,
        ..Default::default()
    };
    let profile = fold(vec![
        class(0, "a.A"),
        class(1, "a.A"),
        frame(0, "a.Main", "run"),
        frame(1, "a.Main", "main"),
        site(0, 0, &[0, 1]),
        site(1, 1, &[0, 1]),
        site(2, 0, &[1]),
        progress(
            1,
            vec![],
            vec![counts(SiteId(0), 1, 0.5), counts(SiteId(1), 2, 0.25), counts(SiteId(2), 30, 0.0)],
        ),
    ]);
    let rows: Vec<_> = profile
        .sites
        .iter()
        .map(|row| {
            let methods: Vec<_> = row.stack.iter().map(|frame| &*frame.method).collect();
            (methods.join(" < "), row.allocated.objects, row.byte_seconds)
        })
        .collect();
    assert_eq!(rows, [("main".to_string(), 30, 0.0), ("run < main".to_string(), 3, 0.75)]);
    assert_eq!(profile.sites[0].live, None, "deaths were not followed");
}

#[test]
fn reset_forgets_counts_and_keeps_names() {
    let profile = fold(vec![
        Update::Start(Box::default()),
        class(0, "a.A"),
        class(1, "a.B"),
        progress(500, vec![allocated(0, 9, 16), allocated(1, 9, 16)], vec![]),
        Update::Reset,
        progress(20, vec![allocated(1, 2, 16)], vec![]),
    ]);
    let rows: Vec<_> = profile.classes.iter().map(|row| (row.name.as_str(), row.allocated.objects)).collect();
    assert_eq!(rows, [("a.B", 2)]);
    assert_eq!((profile.duration_ms, profile.resets), (20, 1));
    assert!(!profile.complete);
}

#[test]
fn unnamed_ids_are_reported_and_the_rest_is_applied() {
    let mut builder = ProfileBuilder::new();
    builder.apply(class(0, "a.A")).expect("a name");
    let error = builder.apply(progress(
        7,
        vec![allocated(5, 1, 16), allocated(0, 4, 16), allocated(6, 1, 16)],
        vec![],
    ));
    assert_eq!(error, Err(ApplyError::Unnamed { what: "classes", first: 5, count: 2 }));
    let error = builder.apply(Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![FrameId(3)] });
    assert_eq!(error, Err(ApplyError::Unnamed { what: "frames", first: 3, count: 1 }));
    let error = builder.apply(progress(8, vec![], vec![SiteCounts { id: SiteId(0), ..Default::default() }]));
    assert_eq!(error, Err(ApplyError::Unnamed { what: "sites", first: 0, count: 1 }));
    let profile = builder.profile();
    assert_eq!(profile.duration_ms, 8);
    assert_eq!(profile.classes.len(), 1);
    assert_eq!(profile.classes[0].allocated.objects, 4);
}

#[test]
fn joined_streams_are_reported_and_the_first_one_stands() {
    let mut builder = ProfileBuilder::new();
    builder
        .apply(Update::Start(Box::new(RunInfo { engine: EngineKind::Sampled, ..Default::default() })))
        .expect("first");
    assert_eq!(builder.apply(Update::Start(Box::default())), Err(ApplyError::SecondStart));
    builder.apply(Update::End).expect("end");
    assert_eq!(builder.apply(class(0, "a.A")), Err(ApplyError::AfterEnd));
    assert_eq!(builder.profile().run.engine, EngineKind::Sampled);
}

#[test]
fn numbers_near_the_largest_do_not_panic() {
    let profile = fold(vec![
        class(0, "a.A"),
        class(1, "a.A"),
        progress(1, vec![allocated(0, u64::MAX, 16), allocated(1, u64::MAX, 16)], vec![]),
    ]);
    assert_eq!(profile.classes[0].allocated.objects, u64::MAX);
}

#[test]
fn the_profile_without_sites_has_the_same_classes() {
    let mut builder = ProfileBuilder::new();
    for update in [
        class(0, "a.A"),
        Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![] },
        progress(
            1,
            vec![allocated(0, 1, 16)],
            vec![SiteCounts { id: SiteId(0), allocated: Tally::of(1, 16), ..Default::default() }],
        ),
    ] {
        builder.apply(update).expect("the stream is whole");
    }
    let (whole, light) = (builder.profile(), builder.profile_without_sites());
    assert_eq!(whole.sites.len(), 1);
    assert_eq!(light.sites, []);
    assert_eq!(whole.classes, light.classes);
}

#[test]
fn what_no_collection_has_judged_is_not_live() {
    let tracked = LifetimeCounts { live: Tally::of(120, 16), ..LifetimeCounts::default() };
    let counts = ClassCounts { id: ClassId(0), allocated: Tally::of(200, 16), lifetimes: Some(tracked) };
    let site = SiteCounts {
        id: SiteId(0),
        allocated: Tally::of(200, 16),
        live: Some(Tally::of(120, 16)),
        ..Default::default()
    };
    let told = |live: Option<LiveCounts>| {
        let named = [class(0, "a.A"), Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![] }];
        let counted = progress(1, vec![counts.clone()], vec![site.clone()]);
        fold(
            named
                .into_iter()
                .chain([counted])
                .chain(live.map(|live| Update::from(Section::Live(live))))
                .collect(),
        )
    };
    let numbers = |profile: &Profile| {
        let (class, site) = (&profile.classes[0], &profile.sites[0]);
        let objects = |live: Option<Tally>| live.map(|live| live.objects);
        (objects(class.live), class.unjudged.objects, objects(site.live), site.unjudged.objects)
    };
    assert_eq!(numbers(&told(None)), (Some(120), 0, Some(120), 0), "as earlier recordings are read");
    assert_eq!(numbers(&told(Some(LiveCounts::default()))), (None, 120, None, 120), "nothing was collected");
    let twenty = |as_of_ms| LiveCounts {
        as_of_ms,
        classes: vec![(ClassId(0), Tally::of(20, 16))],
        sites: vec![(SiteId(0), Tally::of(20, 16))],
    };
    let profile = told(Some(twenty(Some(900))));
    assert_eq!(numbers(&profile), (Some(20), 100, Some(20), 100));
    assert_eq!(profile.live_as_of, LiveAsOf::Ms(900));
    // And again, when it is written and read.
    let again = fold(profile.updates());
    assert_eq!((numbers(&again), again.live_as_of), (numbers(&profile), profile.live_as_of));
}

#[test]
fn what_the_jdk_holds_softly_of_classes_is_not_the_programs() {
    let step =
        |ms, soft, reflected| progress(ms, vec![allocated(0, soft, 40), allocated(1, reflected, 56)], vec![]);
    let mut builder = ProfileBuilder::new();
    let stream = [
        Update::Start(Box::default()),
        class(0, "java.lang.ref.SoftReference"),
        class(1, "java.lang.Class$ReflectionData"),
        step(1_000, 10, 3),
        step(2_000, 60, 53),
        step(3_000, 70, 80),
    ];
    stream.into_iter().for_each(|update| builder.apply(update).expect("the stream is whole"));
    let profile = builder.profile_with_history();
    assert_eq!(profile.history.iter().map(|point| point.soft).collect::<Vec<_>>(), [7, 0, 0]);
}
