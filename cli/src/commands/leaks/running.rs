//! A running JVM: dumps some time apart, each looked at and removed, and how long the program was paused for them.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use super::dumps::Dumps;
use super::makers::Makers;
use super::price::{self, Price};
use crate::args::judging::LeaksArgs;
use crate::commands::heap::dump;
use crate::commands::record;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::output;
use crate::session::connect::Target;
use crate::session::process::Process;
use crate::verdicts::{Leaks, Searched};

use mayfly_recording::control::Request;
use mayfly_verdicts::leaks::Starting;

/// How often the JVM is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// For how long more than planned a dump may be waited for before the agent forgets what tells objects apart.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same where somebody presses a key for each.
const STEP_PATIENCE: Duration = Duration::from_secs(3600);
/// While a program still starts, dumps do not count; so many times as many as were asked for are taken at most.
const STARTING: usize = 3;
/// Where growth is not steady, so many dumps more than were asked for are taken at most.
const MORE: usize = 2;

pub(super) fn search(pid: u32, args: &LeaksArgs) -> Result<Leaks, Error> {
    let folder = tempfile::tempdir().map_err(|source| Error::NotWritten {
        name: "to the folder for temporary files".to_owned(),
        source,
    })?;
    let process = Process::find(pid)?;
    let is_new = Target::find(pid).is_err();
    let price = Price::of(&process);
    if let Some(price) = price {
        price.check(pid, args.most_pause())?;
    }
    output::say(&price::stated(price, args.dumps()));
    // Who presses a key for each dump ends it by the end of the input.
    let left =
        if args.step { Arc::default() } else { record::signals().map_err(Error::SignalsNotWatched)? };
    let mut search = Search {
        left,
        makers: None,
        dumps: Dumps::of_jvm(process.uptime().unwrap_or_default()),
        process,
        args,
        folder,
        begin: Instant::now(),
        looked: Instant::now(),
        counted_from: Instant::now(),
        uncounted: 0,
        more: 0,
        paused_ms: 0,
        notes: Vec::new(),
        ended: false,
        paused_too_long: false,
    };
    search.sample()?;
    search.look_on()?;
    search.forget();
    if is_new && !search.ended {
        search.notes.push(format!(
            "the agent stays loaded in JVM {pid}, idle, as no JVM unloads one; JDK 21 and newer warn of it on the JVM's stderr"
        ));
    }
    Ok(search.leaks())
}

struct Search<'a> {
    /// Set once somebody wants it to end early.
    left: Arc<AtomicBool>,
    /// Samples who makes what, until the last dump.
    makers: Option<Makers>,
    process: Process,
    args: &'a LeaksArgs,
    folder: tempfile::TempDir,
    begin: Instant,
    /// When the last dump was taken.
    looked: Instant,
    /// When the first that counts was.
    counted_from: Instant,
    /// Of those that were taken, how many do not count, as the program still started.
    uncounted: usize,
    /// How many are taken as growth was not steady.
    more: usize,
    dumps: Dumps,
    paused_ms: u64,
    notes: Vec<String>,
    /// The JVM did, before all dumps were taken.
    ended: bool,
    /// The last dump paused the program for longer than it may be.
    paused_too_long: bool,
}

impl Search<'_> {
    /// Begins to sample who makes what. What can't be sampled can be looked for all the same.
    fn sample(&mut self) -> Result<(), Error> {
        let time = if self.args.step { STEP_PATIENCE } else { self.args.time() * (STARTING as u32) };
        match Makers::begin(self.process.pid, time) {
            Ok(makers) => self.makers = Some(makers),
            Err(error @ Error::Refused { .. }) => {
                self.notes.push(format!("who adds is not known: {error}"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes the dumps, as many as can be had.
    fn look_on(&mut self) -> Result<(), Error> {
        let mut number = 0;
        while number < self.planned() && !self.paused_too_long && !self.left.load(Relaxed) {
            if number > 0 && !self.wait() {
                return Ok(());
            }
            match self.look(number) {
                Ok(()) => {}
                Err(_) if !self.process.is_alive() => {
                    self.ended = true;
                    return Ok(());
                }
                // A JVM that can't be reached at all is another matter.
                Err(error) if number == 0 && !matches!(error, Error::Heap(_)) => return Err(error),
                Err(error) => self.notes.push(format!("dump {} is left out: {error}", number + 1)),
            }
            number += 1;
            self.begin_anew()?;
            if number == self.planned() {
                self.look_longer();
            }
        }
        Ok(())
    }

    /// What grew more slowly in the last interval, or by chance, may have found its size: one more dump tells.
    fn look_longer(&mut self) {
        if !self.args.step && self.more < MORE && self.dumps.want_another() {
            self.more += 1;
            output::say("something grew, and not steadily: one more dump, to see whether it goes on");
        }
    }

    /// While the program starts, all grows: the dumps before the last do not count, and as many more are taken, up to a limit.
    fn begin_anew(&mut self) -> Result<(), Error> {
        let Some(Starting { loaded, classes }) = self.dumps.starting() else { return Ok(()) };
        let more = self.dumps.count() - 1;
        if self.args.step || self.planned() + more > self.args.dumps() * STARTING {
            return Ok(());
        }
        output::say(&format!(
            "the program is still starting, {loaded} of its {classes} classes were loaded since the last dump: the dumps before do not count"
        ));
        self.dumps.begin_anew();
        self.counted_from = self.looked;
        self.uncounted += more;
        match self.makers {
            Some(_) => Ok(()),
            None => self.sample(),
        }
    }

    fn look(&mut self, number: usize) -> Result<(), Error> {
        let file = self.folder.path().join(format!("{number}.mayheap"));
        let series = u64::from(std::process::id());
        let keep = if self.args.step { STEP_PATIENCE } else { self.args.time() + PATIENCE };
        let paused_ms = dump::step(self.process.pid, &file, series, keep)?.paused_ms;
        self.paused_ms += paused_ms;
        self.paused_too_long =
            number + 1 < self.planned() && u128::from(paused_ms) > self.args.most_pause().as_millis();
        self.looked = Instant::now();
        let at = is_of(self.begin.elapsed(), self.paused_ms);
        output::say(&self.progress(number + 1, paused_ms));
        if number + 1 == self.planned() || self.paused_too_long {
            self.hear_makers();
        }
        let added = DumpFile::open(&file).map_err(Error::from).and_then(|dump| self.dumps.add_at(&dump, at));
        // What is needed of it is in memory; a folder that stays full is said by the next dump.
        let _ = std::fs::remove_file(&file);
        added
    }

    /// Waits until the next dump is due; whether there is to be one. The program runs for as long between any two of them, however long it
    /// is paused.
    fn wait(&mut self) -> bool {
        if self.args.step {
            let mut line = String::new();
            return io::stdin().lock().read_line(&mut line).is_ok_and(|bytes| bytes > 0);
        }
        let intervals = u32::try_from(self.args.dumps() - 1).unwrap_or(u32::MAX);
        let due = self.looked + self.args.time() / intervals;
        while Instant::now() < due {
            if !self.process.is_alive() {
                self.ended = true;
                return false;
            }
            if self.left.load(Relaxed) {
                return false;
            }
            thread::sleep(LOOK.min(due.saturating_duration_since(Instant::now())));
        }
        true
    }

    fn hear_makers(&mut self) {
        let Some(makers) = self.makers.take() else { return };
        match makers.end(self.folder.path()) {
            Ok(profile) => self.dumps.made_by(profile),
            Err(error) => self.notes.push(format!("who adds is not known: {error}")),
        }
    }

    /// Has the agent forget what tells objects apart: if it can't be asked, it does so itself.
    fn forget(&mut self) {
        if !self.ended {
            self.hear_makers();
        }
        if !self.ended
            && let Ok(agent) = Target::find(self.process.pid)
        {
            let _ = agent.ask(&Request::HeapForget);
        }
    }

    fn leaks(mut self) -> Leaks {
        let (pid, paused_ms) = (self.process.pid, self.paused_ms);
        let dumps = self.dumps.count();
        let seconds = self.counted_from.elapsed().as_secs_f64();
        let (at_s, floor) = (self.dumps.taken_at(), self.dumps.floor());
        let mut leaks = self.dumps.leaks(Searched::Jvm { pid, dumps, seconds, paused_ms, at_s });
        if self.ended {
            self.notes.push(ended_early(dumps + self.uncounted, self.planned()));
        }
        let is_left = self.left.load(Relaxed);
        if is_left {
            self.notes.push("the search was ended early, by a signal; the JVM is left as it was".to_owned());
        }
        if self.paused_too_long {
            self.notes.push(format!(
                "no more dumps were taken: the last one paused the program for longer than {:.1} s (--most-pause)",
                self.args.most_pause().as_secs_f64()
            ));
        }
        if self.uncounted > 0 {
            let first = self.uncounted;
            self.notes.push(format!(
                "dumps that do not count, as the program was still starting: {first}; their pauses are in the sum"
            ));
        }
        leaks.untold = untold(dumps, self.uncounted);
        leaks.floor = floor;
        leaks.incomplete = self.ended || self.paused_too_long || is_left;
        leaks.notes = self.notes;
        leaks
    }

    /// Dumps that are to be taken in all.
    fn planned(&self) -> usize {
        self.args.dumps() + self.uncounted + self.more
    }

    fn progress(&self, taken: usize, paused_ms: u64) -> String {
        let next = match (taken < self.planned(), self.args.step) {
            (true, true) => "; press Enter for the next",
            _ => "",
        };
        format!("dump {taken} of {} is taken, pause {paused_ms} ms{next}", self.planned())
    }
}

/// Of when a dump is that was whole at a time, of the time that the program ran: it has what was there when the program was paused for it. Pauses,
/// which are seconds on a busy machine, are in no pace.
fn is_of(whole: Duration, paused_ms: u64) -> Duration {
    whole.saturating_sub(Duration::from_millis(paused_ms))
}

/// What is missing since the JVM ended.
fn ended_early(taken: usize, planned: usize) -> String {
    let why = match planned.saturating_sub(taken) {
        0 => "the JVM ended before all was known of the last dump".to_owned(),
        1 => format!("the JVM ended before the last of {planned} dumps was taken"),
        missing => format!("the JVM ended before the last {missing} of {planned} dumps were taken"),
    };
    format!("{why}: look earlier, or for less long (--for)")
}

/// Why so many dumps that count, after others that do not, tell nothing.
fn untold(dumps: usize, uncounted: usize) -> Option<String> {
    match (dumps, uncounted) {
        (0, 0) => Some("no dump could be read".to_owned()),
        (1, 0) => Some("growth needs two dumps".to_owned()),
        (0 | 1, _) => Some("growth needs two dumps after the program's start".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dumps each ten seconds that the program ran, of which one took three for its walk.
    #[test]
    fn a_dump_is_of_when_its_pause_began() {
        let dumps = [(1_000, 1_000), (12_000, 2_000), (25_500, 5_500)];
        let times = dumps.map(|(whole, paused_ms)| is_of(Duration::from_millis(whole), paused_ms).as_secs());
        assert_eq!(times, [0, 10, 20]);
        assert_eq!(is_of(Duration::ZERO, 5), Duration::ZERO);
    }

    /// "5 dumps", and "the JVM ended before all 4 dumps were taken": one more was wanted.
    #[test]
    fn what_is_missing_counts_the_dumps_that_were_wanted_as_growth_was_not_steady() {
        assert!(ended_early(5, 6).starts_with("the JVM ended before the last of 6 dumps was taken: "));
        assert!(ended_early(2, 4).starts_with("the JVM ended before the last 2 of 4 dumps were taken: "));
        assert!(ended_early(5, 5).starts_with("the JVM ended before all was known of the last dump: "));
    }

    #[test]
    fn one_dump_that_counts_tells_nothing_however_many_came_before() {
        assert_eq!((untold(2, 0), untold(2, 3)), (None, None));
        assert_eq!(untold(0, 0).as_deref(), Some("no dump could be read"));
        for (dumps, uncounted) in [(1, 0), (1, 2), (0, 2)] {
            let why = untold(dumps, uncounted).unwrap_or_default();
            assert!(why.starts_with("growth needs two dumps"), "{why}");
        }
    }
}
