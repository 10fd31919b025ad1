//! `mayfly push`: profiles to a collector, of recordings once, of a running JVM again and again.
//!
//! Not here: requests, and how often they are tried (`push`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use mayfly_profile::Profile;
use mayfly_recording::control::Request;
use mayfly_recording::read_profile;

use crate::args::fleet::{PushArgs, Receiver};
use crate::commands::record;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::push::{Account, Delivery, Receiving, SystemClock, Textfile, deliver};
use crate::recordings::{self, Wanted};
use crate::session::connect::Target;
use crate::session::jvms;

/// Sends, and says what was taken and what was lost. Losses are a failure.
pub(crate) fn run(args: &PushArgs) -> Result<u8, Error> {
    if let Some(file) = &args.textfile {
        return metrics(args, file);
    }
    let headers = args.header.clone();
    let url = args.to.clone().unwrap_or_default();
    let to = Receiving { url, is_pyroscope: args.receiver == Receiver::Pyroscope, headers };
    let mut sending = Sending { to, patience: args.patience, account: Account::default(), is_down: false };
    let files: Vec<PathBuf> = args.targets.iter().map(PathBuf::from).collect();
    let jvm = match args.targets.as_slice() {
        [one] if !Path::new(one).exists() => jvms::pid_or_file(one)?,
        [one] if jvms::is_jar(Path::new(one)) => Some(jvms::pid_of(one)?),
        _ => None,
    };
    match jvm {
        Some(pid) => running(pid, args.every, &mut sending)?,
        _ if args.every.is_some() => return Err(Error::NeedsJvm("--every")),
        _ => recordings::each(&files, Wanted::default(), |_, profile| {
            sending.send(&profile);
            Ok(())
        })?,
    }
    output::say(&sending.account.text(&sending.to.address()));
    Ok(if sending.account.lost == 0 { exit_codes::SUCCESS } else { exit_codes::UNREACHABLE })
}

struct Sending {
    to: Receiving,
    patience: Duration,
    account: Account,
    /// The last one was lost as nobody took it: the next is tried once.
    is_down: bool,
}

impl Sending {
    fn send(&mut self, profile: &Profile) -> Delivery {
        let letter = self.to.letter(profile);
        let patience = if self.is_down { Duration::ZERO } else { self.patience };
        let delivery = deliver(patience, &mut SystemClock::start(), |limit| letter.send(limit));
        self.is_down = matches!(delivery, Delivery::Lost { passing: true, .. });
        self.account.count(&delivery);
        delivery
    }
}

/// Metrics of a running JVM in a file, as they are now: once, or again and again until it ends.
fn metrics(args: &PushArgs, path: &Path) -> Result<u8, Error> {
    let [target] = args.targets.as_slice() else { return Err(Error::TextfileNeedsJvm) };
    if Path::new(target).exists() && !jvms::is_jar(Path::new(target)) {
        return Err(Error::TextfileNeedsJvm);
    }
    let pid = jvms::pid_of(target)?;
    let target = Target::reach(pid)?;
    let left = record::signals().map_err(Error::SignalsNotWatched)?;
    let file = Textfile::new(path.to_owned());
    let not_written = |source| Error::NotWritten { name: path.display().to_string(), source };
    file.replace(&mayfly_formats::textfile(&snapshot(&target)?)).map_err(not_written)?;
    let Some(every) = args.every else { return Ok(exit_codes::SUCCESS) };
    let mut is_written = true;
    while wait(every, &left, pid) {
        // It has ended.
        let Ok(now) = snapshot(&target) else { break };
        let written = file.replace(&mayfly_formats::textfile(&now));
        if let (Err(error), true) = (&written, is_written) {
            output::say(&format!("cannot write {} ({error}): tried again each time", path.display()));
        }
        is_written = written.is_ok();
    }
    file.remove();
    Ok(exit_codes::SUCCESS)
}

/// What happened since the last time that it was taken, until the JVM ends: what nobody takes is in the next one.
fn running(pid: u32, every: Option<Duration>, sending: &mut Sending) -> Result<(), Error> {
    let target = Target::reach(pid)?;
    let left = record::signals().map_err(Error::SignalsNotWatched)?;
    let mut taken: Option<Profile> = None;
    let mut is_first = true;
    loop {
        let now = match snapshot(&target) {
            Ok(now) => now,
            Err(error) if is_first => return Err(error),
            // It has ended.
            Err(_) => return Ok(()),
        };
        is_first = false;
        let part = match taken.take().filter(|before| is_continued(before, &now)) {
            Some(before) => (now.clone().since(&before), Some(before)),
            None => (now.clone(), None),
        };
        taken = match sending.send(&part.0) {
            Delivery::Taken { .. } => Some(now),
            Delivery::Lost { passing: true, why } if every.is_some() => {
                output::say(&format!("not taken now, sent with the next: {why}"));
                // It is not lost: it comes with the next.
                sending.account.lost -= 1;
                part.1
            }
            Delivery::Lost { .. } => part.1,
        };
        let Some(every) = every else { return Ok(()) };
        if !wait(every, &left, pid) {
            sending.account.lost += u64::from(sending.is_down);
            return Ok(());
        }
    }
}

/// Whether the counts of a profile go on from those of an earlier one.
fn is_continued(before: &Profile, now: &Profile) -> bool {
    (before.run.started_unix_ms, before.resets) == (now.run.started_unix_ms, now.resets)
}

fn snapshot(target: &Target) -> Result<Profile, Error> {
    let mut bytes = Vec::new();
    target.fetch(&Request::Snapshot, &mut bytes, "the profile")?;
    let refused = |cause| Error::RecordingRefused { name: "the profile".to_owned(), cause };
    read_profile(&bytes).map(|(profile, _)| profile).map_err(refused)
}

/// Whether the time passed, and neither a signal came nor the JVM ended.
fn wait(time: Duration, left: &AtomicBool, pid: u32) -> bool {
    let is_gone = || crate::session::process::Process::find(pid).is_err();
    record::wait(time, left, is_gone);
    !left.load(Relaxed) && !is_gone()
}
