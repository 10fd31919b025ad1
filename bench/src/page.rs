//! `page`: what the page of a recording takes: to write it, and in a browser to open it and to choose in it.
//!
//! Needs no JVM. The browser is Chromium; without it only writing is measured. Recordings are made up.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use mayfly_profile::{
    ClassCounts, ClassId, Frame, FrameId, LifetimeCounts, LifetimeHistograms, Lifetimes, Load, Progress,
    RunInfo, Section, SiteCounts, SiteId, SiteLifetimes, Stamp, Tally, Tracking, Update,
};
use mayfly_recording::RecordingWriter;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::measured::measure;
use crate::table;

const HEADING: [&str; 5] = ["recording", "MB", "page MB", "s to write it", "peak MiB"];
const FRAMES: u32 = 20_000;
/// Frames of a stack for each of its five digits, the outermost first.
const CHAINS: [u32; 5] = [6, 6, 5, 4, 3];

/// Options of `page`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Distinct stacks
    #[arg(long, default_value_t = 100_000)]
    stacks: u32,
    /// Classes
    #[arg(long, default_value_t = 2_000)]
    classes: u32,
    /// Size of the long recording, in MB
    #[arg(long, default_value_t = 1_000)]
    megabytes: u64,
    /// The mayfly to measure [default: the one beside this program]
    #[arg(long)]
    mayfly: Option<PathBuf>,
}

/// Writes both recordings and their pages.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let beside = std::env::current_exe()?.with_file_name("mayfly");
    let mayfly = arguments.mayfly.clone().unwrap_or(beside);
    let folder = tempfile::tempdir()?;
    let made = MadeUp { stacks: arguments.stacks, classes: arguments.classes };
    let wide = folder.path().join("wide.mayfly");
    made.write(&wide, 5)?;
    let (row, page) = written(&mayfly, &wide, &format!("{} stacks", arguments.stacks))?;
    let mut rows = vec![row];
    let choices = chosen(&page)?;
    let long = folder.path().join("long.mayfly");
    made.write_until(&long, arguments.megabytes * 1_000_000)?;
    rows.push(written(&mayfly, &long, "a long run")?.0);
    println!("## The page of {} stacks of {} classes\n", arguments.stacks, arguments.classes);
    println!("{}", table::markdown(&HEADING, &rows));
    match choices {
        Some(rows) => println!("{}", table::markdown(&["in the browser", "ms"], &rows)),
        None => eprintln!("skip(no-chromium): no browser opened the page"),
    }
    Ok(true)
}

fn written(mayfly: &Path, recording: &Path, name: &str) -> Result<(Vec<String>, PathBuf), Box<dyn Error>> {
    let page = recording.with_extension("html");
    let arguments: [OsString; 5] =
        ["report".into(), "--html".into(), "-o".into(), page.clone().into(), recording.into()];
    let measured = measure(mayfly, &arguments)?;
    let mb = |path: &Path| fs::metadata(path).map(|file| format!("{:.1}", file.len() as f64 / 1e6));
    let row = vec![
        name.to_owned(),
        mb(recording)?,
        mb(&page)?,
        format!("{:.1}", measured.wall.as_secs_f64()),
        (measured.max_rss_kib / 1024).to_string(),
    ];
    Ok((row, page))
}

/// How long each step takes in the browser, in milliseconds.
fn chosen(page: &Path) -> Result<Option<Vec<Vec<String>>>, Box<dyn Error>> {
    let copy = page.with_file_name("measured.html");
    let script = format!("<script>{}</script></body>", include_str!("page.js"));
    fs::write(&copy, fs::read_to_string(page)?.replacen("</body>", &script, 1))?;
    let home = tempfile::tempdir()?;
    // The browser ends when somebody ends it: its output would come before the page has answered.
    let browser = Command::new("timeout")
        .args([
            "180",
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .args(["--window-size=1280,900", "--enable-logging=stderr", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(format!("file://{}", copy.display()))
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut browser) = browser else { return Ok(None) };
    let lines = BufReader::new(browser.stderr.take().ok_or("no standard error")?).lines();
    let answer = lines
        .map_while(Result::ok)
        .find_map(|line| Some(line.split("took: ").nth(1)?.split('"').next()?.to_owned()));
    // Passed on to the browser.
    kill(Pid::from_raw(browser.id().try_into()?), Signal::SIGTERM)?;
    browser.wait()?;
    let Some(title) = answer else { return Ok(None) };
    let row = |pair: &str| pair.split('=').map(str::to_owned).collect();
    Ok(Some(title.split(", ").map(row).collect()))
}

/// A run in which each stack has lives of its own.
struct MadeUp {
    stacks: u32,
    classes: u32,
}

impl MadeUp {
    /// A recording of so many steps, in each of which all sites change.
    fn write(&self, file: &Path, steps: u64) -> Result<(), Box<dyn Error>> {
        let steps = (1..=steps).flat_map(|second| self.step(second, 0..self.stacks));
        Written::to(file, self.names())?.all(steps)?.end()
    }

    /// A recording of so many bytes, in which 2,000 sites change each second.
    fn write_until(&self, file: &Path, bytes: u64) -> Result<(), Box<dyn Error>> {
        const CHANGING: u32 = 2_000;
        let mut written = Written::to(file, self.names())?;
        for second in 1.. {
            let from = (second as u32).wrapping_mul(CHANGING) % self.stacks;
            written = written.all(self.step(second, from..(from + CHANGING).min(self.stacks)))?;
            if written.bytes >= bytes {
                break;
            }
        }
        written.end()
    }

    fn names(&self) -> impl Iterator<Item = Update> + use<> {
        let run =
            RunInfo { tracking: Tracking::EveryObject, lifetimes: true, stacks: true, ..RunInfo::default() };
        let classes = (0..self.classes)
            .map(|id| Update::Class { id: ClassId(id), name: format!("com.acme.p{}.Class{id}", id % 50) });
        let frames = (0..FRAMES).map(|id| {
            let class = format!("com.acme.f{}.Frame{}", id % 40, id / 20).into();
            let frame =
                Frame { class, method: format!("method{}", id % 100).into(), file: None, line: Some(id) };
            Update::Frame { id: FrameId(id), frame }
        });
        let classes_known = self.classes;
        let sites = (0..self.stacks).map(move |id| Update::Site {
            id: SiteId(id),
            class: ClassId(id % classes_known),
            stack: stack(id),
        });
        std::iter::once(Update::Start(Box::new(run))).chain(classes).chain(frames).chain(sites)
    }

    fn step(&self, second: u64, sites: std::ops::Range<u32>) -> [Update; 2] {
        let dead = |id: u32| second * u64::from(id % 97 + 1);
        let classes = (0..self.classes).map(|id| {
            let mut lifetimes = Lifetimes::default();
            for octave in 0..12 {
                lifetimes.ms.record_deaths(1 << octave, 2 << octave, dead(id));
                lifetimes.gcs.record_deaths(octave, octave + 1, dead(id));
            }
            lifetimes.ms.record_living(second * 500, 10);
            let tracked = LifetimeCounts {
                live: Tally::of(10, 32),
                collected: vec![Tally::of(dead(id) * 12, 32)],
                lifetimes,
            };
            ClassCounts {
                id: ClassId(id),
                allocated: Tally::of(dead(id) * 12 + 10, 32),
                lifetimes: Some(tracked),
            }
        });
        let of_sites = sites.clone().map(|id| SiteCounts {
            id: SiteId(id),
            allocated: Tally::of(dead(id) / 4 + 1, 32),
            live: Some(Tally::of(u64::from(id % 3), 32)),
            collected: vec![Tally::of(dead(id) / 4, 32)],
            byte_seconds: f64::from(id % 1_009),
            error: 0.0,
        });
        let lifetimes = sites.map(|id| {
            let mut lifetimes = SiteLifetimes::default();
            for octave in 0..=u64::from(id % 4) {
                let (after, by) =
                    (1 << (octave * 2 + u64::from(id % 3)), 4 << (octave * 2 + u64::from(id % 3)));
                lifetimes.ms.record_dead(after, by, Load::held(Tally::of(dead(id) / 4 + 1, 32), (after, by)));
            }
            (SiteId(id), lifetimes)
        });
        let stamp = Stamp { ms: second * 1_000, alive: (second * 1_000 - 500, second << 20) };
        let lifetimes = LifetimeHistograms { stamp, classes: Vec::new(), sites: lifetimes.collect() };
        let progress = Progress {
            duration_ms: second * 1_000,
            gcs: second as u32,
            classes: classes.collect(),
            sites: of_sites.collect(),
            ..Progress::default()
        };
        [Update::from(progress), Update::from(Section::Lifetimes(Box::new(lifetimes)))]
    }
}

/// A recording that is being written.
struct Written {
    file: BufWriter<File>,
    writer: RecordingWriter,
    bytes: u64,
}

impl Written {
    fn to(file: &Path, names: impl Iterator<Item = Update>) -> Result<Self, Box<dyn Error>> {
        let file = BufWriter::new(File::create(file)?);
        Self { file, writer: RecordingWriter::new(), bytes: 0 }.all(names)
    }

    fn all(mut self, updates: impl IntoIterator<Item = Update>) -> Result<Self, Box<dyn Error>> {
        for update in updates {
            let frame = self.writer.encode(&update)?;
            self.bytes += frame.len() as u64;
            self.file.write_all(&frame)?;
        }
        Ok(self)
    }

    fn end(self) -> Result<(), Box<dyn Error>> {
        Ok(self.all([Update::End])?.file.flush()?)
    }
}

/// Five digits deep, ten wide: stacks share their outer frames as calls do. The innermost frame first.
fn stack(id: u32) -> Vec<FrameId> {
    let (mut stack, mut prefix) = (Vec::new(), 1);
    for (level, frames) in CHAINS.into_iter().enumerate() {
        prefix = prefix * 10 + id / 10u32.pow(4 - level as u32) % 10;
        stack.extend(
            (0..frames).map(|frame| FrameId(prefix.wrapping_mul(7_919).wrapping_add(frame * 131) % FRAMES)),
        );
    }
    stack.reverse();
    stack
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn stacks_differ_and_begin_alike() {
        let stacks: Vec<_> = (0..100_000).map(stack).collect();
        assert_eq!(stacks.iter().collect::<HashSet<_>>().len(), stacks.len());
        assert_eq!((stacks[0].len(), stacks[0].last()), (24, stacks[9].last()));
    }
}
