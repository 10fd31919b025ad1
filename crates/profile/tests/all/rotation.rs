//! A recording in several files: each says what happened in its own time, and together they are the recording of the whole.

use std::time::Duration;

use mayfly_profile::{
    ByteAges, ClassCounts, ClassId, Collection, Frame, FrameId, LifetimeCounts, LifetimeHistograms,
    Lifetimes, LiveAsOf, LiveCounts, Load, Merging, Profile, ProfileBuilder, Progress, Remainder, Rotation,
    RunInfo, Section, SiteCounts, SiteId, SiteLifetimes, Slicing, Tally, TimeRange, Tracking, Trust, Update,
    Window, WindowError,
};
use proptest::collection::vec;
use proptest::prelude::*;

const CLASSES: u32 = 3;

/// What happens to a class in a second: objects born, dead, and after how many milliseconds these died.
type Second = [(u64, u64, u64); CLASSES as usize];

/// A program so far.
#[derive(Clone, Default)]
struct Program {
    seconds: u64,
    born: [u64; CLASSES as usize],
    dead: [u64; CLASSES as usize],
    known: [Lifetimes; CLASSES as usize],
    lifetimes: [SiteLifetimes; CLASSES as usize],
}

impl Program {
    /// A second later: what the agent tells.
    fn goes_on(&mut self, second: &Second) -> Update {
        self.seconds += 1;
        let ms = self.seconds * 1_000;
        let mut progress = Progress { duration_ms: ms, gcs: self.seconds as u32, ..Progress::default() };
        let (mut live, mut lifetimes) =
            (LiveCounts { as_of_ms: Some(ms), ..LiveCounts::default() }, LifetimeHistograms::default());
        for (at, &(born, dies, age)) in second.iter().enumerate() {
            let id = at as u32;
            self.born[at] += born;
            let dies = dies.min(self.born[at] - self.dead[at]);
            self.dead[at] += dies;
            let alive = self.born[at] - self.dead[at];
            let known = &mut self.known[at];
            known.ms.forget_living();
            known.ms.record_living(ms, alive);
            if dies > 0 {
                known.ms.record_deaths(age, age + 100, dies);
                self.lifetimes[at].ms.record_dead(
                    age,
                    age + 100,
                    Load::held(Tally::of(dies, 16), (age, age + 100)),
                );
            }
            if self.born[at] == 0 {
                continue;
            }
            let living = Tally::of(alive, 16);
            let allocated = Tally::of(self.born[at], 16);
            let collected = vec![Tally::of(self.dead[at], 16), Tally::default()];
            let tracked =
                LifetimeCounts { live: living, collected: collected.clone(), lifetimes: known.clone() };
            let byte_ages = ByteAges { ms: known.ms.clone(), ..ByteAges::default() };
            progress.classes.push(ClassCounts { id: ClassId(id), allocated, lifetimes: Some(tracked) });
            let site = SiteCounts {
                id: SiteId(id),
                allocated,
                live: Some(living),
                collected,
                byte_seconds: self.dead[at] as f64 * 2.0,
                error: 0.0,
            };
            progress.sites.push(site);
            live.classes.push((ClassId(id), living));
            live.sites.push((SiteId(id), living));
            lifetimes.classes.push((ClassId(id), byte_ages));
            lifetimes.sites.push((SiteId(id), self.lifetimes[at].clone()));
        }
        let accounted: u64 = self.born.iter().map(|objects| objects * 16).sum();
        progress.trust = Trust {
            accounted_bytes: accounted,
            jvm_allocated_bytes: Some(accounted + 100 + 7 * self.seconds),
            remainder: vec![
                Remainder::exact("start-up", 100),
                Remainder::exact("else", 7 * self.seconds as i64),
            ],
            ..Trust::default()
        };
        let gc = Collection { number: self.seconds as u32, at_ms: ms, ..Collection::default() };
        Update::Step(vec![
            Section::Progress(Box::new(progress)),
            Section::Live(live),
            Section::Lifetimes(Box::new(lifetimes)),
            Section::Operations(self.seconds * 3),
            Section::Collections(vec![gc]),
        ])
    }
}

fn start() -> Vec<Update> {
    let run = RunInfo {
        tracking: Tracking::EveryObject,
        lifetimes: true,
        stacks: true,
        started_unix_ms: 77,
        ..RunInfo::default()
    };
    let mut updates = vec![
        Update::Start(Box::new(run)),
        Update::Step(vec![Section::Labels([("process".to_owned(), "x".to_owned())].into())]),
    ];
    for id in 0..CLASSES {
        updates.push(Update::Class { id: ClassId(id), name: format!("a.C{id}") });
        let frame = Frame { class: "a.Main".into(), method: format!("m{id}").into(), ..Frame::default() };
        updates.push(Update::Frame { id: FrameId(id), frame });
        updates.push(Update::Site { id: SiteId(id), class: ClassId(id), stack: vec![FrameId(id)] });
    }
    updates
}

fn folded(updates: &[Update]) -> Profile {
    let mut builder = ProfileBuilder::new();
    updates.iter().for_each(|update| builder.apply(update.clone()).expect("fits"));
    builder.profile_with_history()
}

/// A run in one recording, and the same in files, of which a new one begins before each second of `cuts`.
fn recorded(seconds: &[Second], cuts: &[usize]) -> (Vec<Update>, Vec<Vec<Update>>) {
    let mut program = Program::default();
    let (mut whole, mut agent) = (start(), ProfileBuilder::new());
    whole.iter().for_each(|update| agent.apply(update.clone()).expect("fits"));
    let mut files = vec![whole.clone()];
    files[0].push(Update::Step(vec![Section::Rotation { files: Rotation::file(1, 0), is_base: false }]));
    for (at, second) in seconds.iter().enumerate() {
        if cuts.contains(&at) {
            files.last_mut().expect("one").push(Update::End);
            files.push(agent.from_here(Rotation::file(files.len() as u32 + 1, 0)));
        }
        let step = program.goes_on(second);
        agent.apply(step.clone()).expect("fits");
        whole.push(step.clone());
        files.last_mut().expect("one").push(step);
    }
    whole.push(Update::End);
    files.last_mut().expect("one").push(Update::End);
    (whole, files)
}

fn seconds() -> impl Strategy<Value = Vec<Second>> {
    let class = || (0..50u64, 0..40u64, (0..4u64).prop_map(|age| age * 1_000));
    vec((class(), class(), class()).prop_map(|(a, b, c)| [a, b, c]), 2..30)
}

/// What there is of a recording of one run, but not of several as one.
fn like(mut whole: Profile, joined: &Profile) -> Profile {
    // As a merge puts them.
    whole.trust.remainder.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    Profile {
        collections: vec![],
        history: vec![],
        rotation: joined.rotation,
        sources: joined.sources.clone(),
        ..whole
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_files_of_a_run_together_are_the_recording_of_the_whole(
        seconds in seconds(),
        cuts in vec(0..30usize, 0..6),
        order in any::<prop::sample::Index>(),
    ) {
        let (whole, files) = recorded(&seconds, &cuts);
        let whole = folded(&whole);
        let mut parts: Vec<_> = files.iter().map(|file| folded(file)).collect();
        let objects: u64 = parts.iter().flat_map(|part| &part.classes).map(|class| class.allocated.objects).sum();
        let all: u64 = whole.classes.iter().map(|class| class.allocated.objects).sum();
        prop_assert_eq!(objects, all);
        let last = parts.last().expect("one").clone();
        for (ours, all) in last.classes.iter().filter_map(|class| Some((class, whole.classes.iter().find(|all| all.name == class.name)?))) {
            prop_assert_eq!(ours.live, all.live, "who lives at the end");
        }
        let by = order.index(parts.len());
        parts.rotate_left(by);
        let count = parts.len() as u32;
        let mut merging = Merging::default();
        parts.into_iter().for_each(|part| merging.add(part));
        let joined = merging.end().expect("some");
        if count == 1 {
            return Ok(());
        }
        prop_assert_eq!(joined.rotation.map(|files| (files.first, files.last, files.files)), Some((1, count, count)));
        prop_assert_eq!(joined.sources.len(), 1);
        prop_assert_eq!(joined.sources[0].live, whole.all_sources()[0].live);
        prop_assert_eq!(like(whole, &joined), joined);
    }

    /// However they are grouped, and with other runs among them.
    #[test]
    fn no_order_and_no_grouping_of_files_matters(seconds in seconds(), cuts in vec(1..20usize, 3..6)) {
        let parts: Vec<_> = recorded(&seconds, &cuts).1.iter().map(|file| folded(file)).collect();
        prop_assume!(parts.len() >= 4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| parts[at].clone());
        let in_order = a.clone().joined(b.clone()).joined(c.clone()).joined(d.clone());
        prop_assert_eq!(&d.clone().joined(b.clone()).joined(a.clone().joined(c.clone())), &in_order);
        prop_assert_eq!(&b.clone().joined(d.clone()).joined(c.clone()).joined(a.clone()), &in_order);
        let other = Profile { rotation: None, ..a.clone() };
        let mut merging = Merging::default();
        [a, other.clone(), c, b, other, d].into_iter().for_each(|part| merging.add(part));
        let mixed = merging.end().expect("some");
        let live = |profile: &Profile| profile.classes.iter().filter_map(|class| class.live).map(|live| live.objects).sum::<u64>();
        prop_assert_eq!(mixed.sources.len(), 3);
        prop_assert_eq!(live(&mixed), mixed.sources.iter().filter_map(|source| source.live).map(|live| live.objects).sum::<u64>());
    }

    /// Written down as a stream, a file and files together are what they were.
    #[test]
    fn files_that_were_joined_are_told_again_as_they_are(seconds in seconds(), cut in 1..20usize) {
        let parts: Vec<_> = recorded(&seconds, &[cut]).1.iter().map(|file| folded(file)).collect();
        prop_assume!(parts.len() == 2);
        let joined = parts[0].clone().joined(parts[1].clone());
        let again = folded(&joined.updates());
        prop_assert_eq!(again.classes.iter().map(|class| (class.allocated, class.live)).collect::<Vec<_>>(),
            joined.classes.iter().map(|class| (class.allocated, class.live)).collect::<Vec<_>>());
        prop_assert_eq!((again.rotation, &again.sources), (joined.rotation, &joined.sources));
    }
}

/// Each second ten objects are born, and from the second one on nine die.
fn steady(seconds: usize) -> Vec<Second> {
    (0..seconds).map(|second| [(10, if second > 0 { 9 } else { 0 }, 1_000), (0, 0, 0), (0, 0, 0)]).collect()
}

#[test]
fn a_file_says_what_happened_in_its_own_time() {
    let (_, files) = recorded(&steady(12), &[4, 8]);
    let second = folded(&files[1]);
    let class = &second.classes[0];
    assert_eq!((class.allocated.objects, class.collected[0].objects), (40, 36));
    assert_eq!(class.live.map(|live| live.objects), Some(80 - 63), "all who live at its end");
    assert_eq!((second.duration_ms, second.gcs, second.operations), (4_000, 4, 12));
    assert_eq!(second.part.during_ms, Some((4_000, 8_000)));
    assert_eq!((second.trust.accounted_bytes, second.trust.jvm_allocated_bytes), (640, Some(668)));
    assert_eq!(second.trust.remainder, [Remainder::exact("else", 28)], "start-up was before");
    assert_eq!(second.live_as_of, LiveAsOf::Ms(8_000));
    assert_eq!(second.collections.iter().map(|gc| gc.number).collect::<Vec<_>>(), [5, 6, 7, 8]);
    assert_eq!(second.history.iter().map(|point| point.span_ms).sum::<u64>(), 4_000);
    assert_eq!(second.history.iter().map(|point| point.allocated).sum::<u64>(), 640);
    assert!(second.complete && !second.is_from_launch());
}

#[test]
fn a_file_that_is_missing_is_told() {
    let parts: Vec<_> = recorded(&steady(12), &[4, 8]).1.iter().map(|file| folded(file)).collect();
    let joined = parts[0].clone().joined(parts[2].clone());
    let files = joined.rotation.expect("files");
    assert_eq!((files.missing(), joined.part.during_ms), (1, Some((0, 12_000))));
    assert_eq!(joined.classes[0].live.map(|live| live.objects), Some(120 - 99));
}

#[test]
fn times_of_a_file_are_those_of_the_run() {
    let file = &recorded(&steady(12), &[4, 8]).1[1];
    let during = |from, to| {
        let range =
            TimeRange::new(Duration::from_secs(from), Some(Duration::from_secs(to))).expect("not empty");
        let mut window = Window::new(range);
        file.iter().for_each(|update| window.apply(update.clone()).expect("fits"));
        window.profile()
    };
    let part = during(5, 7).expect("in it");
    assert_eq!((part.classes[0].allocated.objects, part.part.during_ms), (20, Some((5_000, 7_000))));
    let widened = during(0, 6).expect("begins with the file");
    assert_eq!((widened.classes[0].allocated.objects, widened.part.during_ms), (20, Some((4_000, 6_000))));
    assert_eq!(widened.duration_ms, 2_000);
    assert_eq!(during(1, 3), Err(WindowError::TooEarly { begins_ms: 4_000 }));
    assert_eq!(during(9, 10), Err(WindowError::TooLate { ends_ms: 8_000 }));
    let mut slicing = Slicing::default();
    file.iter().for_each(|update| slicing.apply(update.clone()).expect("fits"));
    let (whole, slices) = slicing.end();
    assert_eq!(whole.classes[0].allocated.objects, 40);
    let told = slices.slices();
    assert_eq!(
        (told.first().map(|slice| slice.from_ms), told.last().map(|slice| slice.to_ms)),
        (Some(4_000), Some(8_000))
    );
}

#[test]
fn after_a_reset_a_file_is_of_the_time_since() {
    let (_, mut files) = recorded(&steady(8), &[4]);
    let file = files.last_mut().expect("one");
    file.pop();
    file.push(Update::Reset);
    let mut program = Program { seconds: 0, ..Program::default() };
    file.push(program.goes_on(&steady(1)[0]));
    let profile = folded(file);
    assert_eq!((profile.classes[0].allocated.objects, profile.resets, profile.duration_ms), (10, 1, 1_000));
}
