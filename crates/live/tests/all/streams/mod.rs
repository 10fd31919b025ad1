//! A made-up run, step by step: a web shop whose numbers can be checked by hand.

use mayfly_live::{Key, Look, State, draw};
use mayfly_profile::{
    BucketBounds, ClassCounts, ClassId, Collection, Frame, FrameId, Gc, GcKind, GenerationUse, JvmInfo,
    LifetimeCounts, Lifetimes, Progress, RunInfo, Section, SiteCounts, SiteId, Tally, Tracking, Trust,
    Update,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Name, size, objects made per second, and how many seconds they live; `None`: for ever.
const CLASSES: [(&str, u64, u64, Option<u64>); 5] = [
    ("[B", 1_024, 900, Some(0)),
    ("java.lang.String", 24, 1_000, Some(0)),
    ("com.acme.shop.Order", 48, 500, Some(2)),
    ("com.acme.shop.Session", 4_096, 10, Some(12)),
    ("com.acme.shop.AuditEvent", 64, 20, None),
];

/// Innermost frame first.
const STACKS: [(u32, &[u32]); 6] =
    [(0, &[0, 1, 4]), (0, &[0, 2, 4]), (1, &[1, 4]), (2, &[2, 4]), (3, &[3, 4]), (4, &[2, 4])];
const FRAMES: [(&str, &str, u32); 5] = [
    ("java.util.Arrays", "copyOf", 3_537),
    ("com.acme.shop.Page", "render", 40),
    ("com.acme.shop.Checkout", "order", 71),
    ("com.acme.shop.Login", "open", 12),
    ("com.acme.shop.Main", "main", 9),
];

pub(crate) fn start() -> Update {
    Update::Start(Box::new(RunInfo {
        jvm: JvmInfo {
            pid: 4711,
            version: "17.0.15+6-Debian".into(),
            gc: Gc::G1,
            command: "com.acme.shop.Main --port 8080".into(),
        },
        buckets: BucketBounds::new(vec![1, 5, 30]).expect("ascending"),
        tracking: Tracking::EveryObject,
        lifetimes: true,
        stacks: true,
        ..RunInfo::default()
    }))
}

pub(crate) fn names() -> Vec<Update> {
    let classes = CLASSES
        .iter()
        .zip(0..)
        .map(|((name, ..), id)| Update::Class { id: ClassId(id), name: (*name).into() });
    let frames = FRAMES.iter().zip(0..).map(|(&(class, method, line), id)| {
        let file = class.rsplit('.').next().map(|name| format!("{name}.java").into());
        Update::Frame {
            id: FrameId(id),
            frame: Frame { class: class.into(), method: method.into(), file, line: Some(line) },
        }
    });
    let sites = STACKS.iter().zip(0..).map(|(&(class, stack), id)| Update::Site {
        id: SiteId(id),
        class: ClassId(class),
        stack: stack.iter().copied().map(FrameId).collect(),
    });
    classes.chain(frames).chain(sites).collect()
}

/// Counts after so many seconds; a collection every fourth.
pub(crate) fn step(second: u64) -> Update {
    let classes: Vec<_> = (0..CLASSES.len()).map(|id| counts(id, second)).collect();
    let accounted = classes.iter().map(|counts| counts.allocated.bytes).sum();
    let sites = STACKS.iter().zip(0..).map(|(&(class, _), id)| {
        let class = &classes[class as usize];
        let share = if id < 2 { 2 } else { 1 };
        let part = |tally: Tally| Tally {
            objects: tally.objects / share,
            bytes: tally.bytes / share,
            largest: tally.largest,
        };
        let tracked = class.lifetimes.as_ref().expect("lifetimes");
        SiteCounts {
            id: SiteId(id),
            allocated: part(class.allocated),
            live: Some(part(tracked.live)),
            collected: tracked.collected.iter().copied().map(part).collect(),
            byte_seconds: (tracked.collected.iter().map(|tally| tally.bytes).sum::<u64>() / share) as f64,
            error: 0.0,
        }
    });
    Update::from(Progress {
        duration_ms: second * 1_000,
        gcs: (second / 4) as u32,
        trust: Trust {
            accounted_bytes: accounted,
            jvm_allocated_bytes: Some(accounted + (1 << 20)),
            ..Trust::default()
        },
        sites: sites.collect(),
        classes,
        estimates: vec![],
    })
}

fn counts(id: usize, second: u64) -> ClassCounts {
    let (_, size, rate, life) = CLASSES[id];
    let dead_seconds = life.map_or(0, |life| (second / 4 * 4).saturating_sub(life));
    let (made, dead) = (rate * second, rate * dead_seconds);
    let mut lifetimes = Lifetimes::default();
    let life_ms = life.unwrap_or(0) * 1_000;
    lifetimes.ms.record_deaths(life_ms, life_ms + 600, dead);
    lifetimes.gcs.record_deaths(life_ms / 4_000, life_ms / 4_000 + 1, dead);
    lifetimes.bytes.record_deaths(life_ms * 1_000, life_ms * 1_000 + (1 << 20), dead);
    lifetimes.ms.record_living(second * 500, made - dead);
    lifetimes.gcs.record_living(second / 8, made - dead);
    lifetimes.bytes.record_living(second << 20, made - dead);
    lifetimes.died_before_first_gc = if life == Some(0) { dead } else { dead / 4 };
    lifetimes.record_cohort(10);
    let bucket = [1, 5, 30].iter().filter(|&&bound| life.unwrap_or(0) >= bound).count();
    let mut collected = vec![Tally::default(); 4];
    collected[bucket] = Tally::of(dead, size);
    ClassCounts {
        id: ClassId(id as u32),
        allocated: Tally::of(made, size),
        lifetimes: Some(LifetimeCounts { live: Tally::of(made - dead, size), collected, lifetimes }),
    }
}

/// What the collection of that second left, as the JVM says.
fn collection(second: u64) -> Update {
    let progress = step(second).progress().cloned().expect("a step");
    let live = progress.classes.iter().filter_map(|class| Some(class.lifetimes.as_ref()?.live.bytes));
    let old = Some(GenerationUse { before: None, after: live.sum(), capacity: None });
    let (number, at_ms) = (second as u32 / 4 - 1, second * 1_000);
    Update::from(Section::Collections(vec![Collection {
        number,
        at_ms,
        kind: GcKind::Young,
        old,
        ..Collection::default()
    }]))
}

/// A view of the run after so many seconds, each of which it saw.
pub(crate) fn after(seconds: u64) -> State {
    let mut state = State::new();
    state.apply(start());
    names().into_iter().for_each(|update| state.apply(update));
    advance(&mut state, 1..=seconds);
    state
}

pub(crate) fn advance(state: &mut State, seconds: impl Iterator<Item = u64>) {
    for second in seconds {
        state.apply(step(second));
        if second.is_multiple_of(4) {
            state.apply(collection(second));
        }
        state.refresh();
    }
}

/// Types these characters, each a key.
pub(crate) fn types(state: &mut State, text: &str) {
    text.chars().for_each(|c| assert_eq!(state.key(Key::Char(c)), None));
}

pub(crate) const PLAIN: Look = Look { unicode: true, colour: false };

/// The screen as lines.
pub(crate) fn screen(state: &State, (columns, rows): (u16, u16), look: Look) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a grid");
    terminal.draw(|frame| draw(frame, state, &look)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let line = |y| {
        let cells = (0..columns).map(|x| buffer[(x, y)].symbol());
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    (0..rows).map(line).collect()
}
