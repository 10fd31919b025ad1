//! `view`: what the live view costs with many sites: reading a step, making a picture of it, and drawing.
//!
//! Needs no JVM and no terminal. Not here: the view of a JVM that runs (`watched`).

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Args;
use mayfly_live::{Key, Look, State, draw};
use mayfly_profile::{
    ClassCounts, ClassId, Frame, FrameId, LifetimeCounts, Lifetimes, Progress, RunInfo, SiteCounts, SiteId,
    Tally, Tracking, Trust, Update,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::{table, watched};

const HEADING: [&str; 4] = ["what", "times", "median ms", "longest ms"];
const FRAMES: u32 = 5_000;
const DEPTH: u32 = 20;

/// Options of `view`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Sites
    #[arg(long, default_value_t = 100_000)]
    sites: u32,
    /// Classes
    #[arg(long, default_value_t = 2_000)]
    classes: u32,
    /// Sites that change in each step
    #[arg(long, default_value_t = 5_000)]
    changing: u32,
    /// Steps
    #[arg(long, default_value_t = 20)]
    steps: u64,
    /// Instead, CPU of the view of this JVM, which is being profiled, in a terminal of its own, and of the agent for it
    #[arg(long)]
    pid: Option<u32>,
    /// With --pid: how often it is looked at, without a view and with one
    #[arg(long, default_value_t = 3, requires = "pid")]
    rounds: usize,
    /// With --pid: for how long each time
    #[arg(long, default_value_t = 30, requires = "pid")]
    seconds: u64,
}

/// Feeds a made-up stream, and draws each step on all screens.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    if let Some(pid) = arguments.pid {
        return watched::run(pid, arguments.rounds, arguments.seconds);
    }
    println!(
        "## Live view, {} sites of {} classes, {} changing in each step, 200 x 50 characters\n",
        arguments.sites, arguments.classes, arguments.changing
    );
    let mut state = State::new();
    names(arguments).for_each(|update| state.apply(update));
    state.apply(step(arguments, 1, 0..arguments.sites));
    let began = Instant::now();
    state.refresh();
    let mut rows = vec![Times(vec![began.elapsed()]).row("first picture")];
    let (mut read, mut pictures) = (Times::default(), Times::default());
    let mut screens: Vec<_> =
        SCREENS.iter().map(|(what, _)| (*what, Times::default(), Times::default())).collect();
    let mut terminal = Terminal::new(TestBackend::new(200, 50))?;
    let look = Look { unicode: true, colour: true };
    for second in 2..2 + arguments.steps {
        let from = (second as u32).wrapping_mul(arguments.changing) % arguments.sites;
        let step = step(arguments, second, from..(from + arguments.changing).min(arguments.sites));
        read.time(|| state.apply(step));
        pictures.time(|| state.refresh());
        for ((_, keys), (_, typed, drawn)) in SCREENS.iter().zip(&mut screens) {
            for &key in *keys {
                typed.time(|| state.key(key));
                drawn
                    .time(|| terminal.draw(|frame| draw(frame, &state, &look)).map(drop))
                    .map_err(Box::new)?;
            }
        }
    }
    rows.push(read.row("reading a step"));
    rows.push(pictures.row("a new picture"));
    for (what, typed, drawn) in screens {
        rows.push(typed.row(&format!("{what}: a key")));
        rows.push(drawn.row(&format!("{what}: drawing")));
    }
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(true)
}

/// Keys that lead to each screen from the one before, the last one back to the first.
const SCREENS: [(&str, &[Key]); 6] = [
    ("classes by each column", &[Key::Char('s'); 6]),
    ("a class", &[Key::Enter, Key::Escape]),
    (
        "sites by each column",
        &[Key::Tab, Key::Char('s'), Key::Char('s'), Key::Char('s'), Key::Char('s'), Key::Char('s')],
    ),
    ("down the sites", &[Key::PageDown, Key::PageDown, Key::End, Key::Home]),
    ("filter of sites", &[Key::Char('/'), Key::Char('m'), Key::Char('7'), Key::Escape]),
    ("a stack", &[Key::Enter, Key::Escape, Key::Tab]),
];

fn names(arguments: &Arguments) -> impl Iterator<Item = Update> {
    let run =
        RunInfo { tracking: Tracking::EveryObject, lifetimes: true, stacks: true, ..RunInfo::default() };
    let classes = (0..arguments.classes)
        .map(|id| Update::Class { id: ClassId(id), name: format!("com.acme.p{}.Class{id}", id % 50) });
    let frames = (0..FRAMES).map(|id| {
        let class = format!("com.acme.f{}.Frame{id}", id % 40).into();
        Update::Frame {
            id: FrameId(id),
            frame: Frame { class, method: format!("m{}", id % 100).into(), file: None, line: Some(id) },
        }
    });
    let classes_known = arguments.classes;
    let sites = (0..arguments.sites).map(move |id| Update::Site {
        id: SiteId(id),
        class: ClassId(id % classes_known),
        stack: (0..DEPTH)
            .map(|depth| id.wrapping_mul(31).wrapping_add(depth * 7) % FRAMES)
            .map(FrameId)
            .collect(),
    });
    std::iter::once(Update::Start(Box::new(run))).chain(classes).chain(frames).chain(sites)
}

fn step(arguments: &Arguments, second: u64, sites: std::ops::Range<u32>) -> Update {
    let classes = (0..arguments.classes).map(|id| {
        let dead = second * u64::from(id % 97 + 1);
        let mut lifetimes = Lifetimes::default();
        for octave in 0..40 {
            lifetimes.ms.record_deaths(1 << (octave / 4), (1 << (octave / 4)) + octave * 10 + 1, dead);
        }
        lifetimes.ms.record_living(second * 500, 10);
        let collected = vec![Tally::of(dead, 32), Tally::of(dead / 2, 32)];
        let tracked = LifetimeCounts { live: Tally::of(10, 32), collected, lifetimes };
        ClassCounts { id: ClassId(id), allocated: Tally::of(dead * 2 + 10, 32), lifetimes: Some(tracked) }
    });
    let sites = sites.map(|id| SiteCounts {
        id: SiteId(id),
        allocated: Tally::of(second * u64::from(id % 1_009 + 1), 32),
        live: Some(Tally::of(u64::from(id % 13), 32)),
        collected: vec![Tally::of(second, 32); 6],
        byte_seconds: f64::from(id),
        error: 0.0,
    });
    Update::from(Progress {
        duration_ms: second * 1_000,
        gcs: second as u32,
        trust: Trust {
            accounted_bytes: second << 24,
            jvm_allocated_bytes: Some(second << 24),
            ..Trust::default()
        },
        classes: classes.collect(),
        sites: sites.collect(),
        estimates: vec![],
    })
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = work();
        self.0.push(began.elapsed());
        result
    }

    fn row(mut self, what: &str) -> Vec<String> {
        self.0.sort_unstable();
        let ms =
            |time: Option<&Duration>| format!("{:.1}", time.copied().unwrap_or_default().as_secs_f64() * 1e3);
        vec![what.to_owned(), self.0.len().to_string(), ms(self.0.get(self.0.len() / 2)), ms(self.0.last())]
    }
}
