//! The thread of the recording: a reader of the stream that writes each update into a file, or into one file after the other.
//!
//! Not here: the format (`mayfly-recording`), what becomes of steps that a slow disk has no room for (`fan_out`), when a new file
//! begins (`rotation`).

use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mayfly_profile::{Rotation as Numbers, Section, Update};
use mayfly_recording::Reached;
use mayfly_report::printable;

use super::fan_out::{Anew, Step};
use super::file_frames::FileFrames;
use super::queue::{Pace, Unserved};
use super::rotation::Rotation;
use crate::conduct::notice::say;

/// Where a recording is written to.
pub(super) trait Place: Write + Send + 'static {
    /// Makes room, between two steps: the recording has come so far.
    fn tidy(&mut self, _reached: Reached) {}

    /// Bytes in it.
    fn bytes(&self) -> u64;

    /// Whether nobody finds it any more.
    fn is_removed(&self) -> bool {
        false
    }
}

/// Files, one after the other.
pub(super) trait Files: Send + 'static {
    type File: Place;
    /// What is kept of one that has ended.
    type Written: Send;

    /// The one of this number, which is new, and its name. It begins at that profiled time of the run.
    fn open(&mut self, number: u32, begins_ms: u64) -> io::Result<(Self::File, PathBuf)>;

    /// By what it is found again, if it is there.
    fn written(file: &Self::File) -> Option<Self::Written>;

    /// Removes one that was written, if it is still there, and nothing else. Whether it did.
    fn remove(&mut self, file: Self::Written) -> bool;
}

/// What others may know of a recording.
pub(super) struct State {
    path: Mutex<PathBuf>,
    cut_off: AtomicBool,
}

impl State {
    /// It is written into that file.
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path: Mutex::new(path), cut_off: AtomicBool::new(false) }
    }

    /// The newest file.
    pub(super) fn path(&self) -> PathBuf {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether nothing can be written now.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off.load(Relaxed)
    }

    fn goes_on_in(&self, path: PathBuf) {
        *self.path.lock().unwrap_or_else(PoisonError::into_inner) = path;
        self.cut_off.store(false, Relaxed);
    }
}

/// A recording in several files.
pub(super) struct Several<F: Files> {
    files: F,
    rotation: Rotation<F::Written>,
    anew: Anew,
    /// A new file was asked for, and did not begin yet.
    is_asked: bool,
    number: u32,
    removed: u32,
}

impl<F: Files> Several<F> {
    /// The first of them is open.
    pub(super) fn new(files: F, rotation: Rotation<F::Written>, anew: Anew) -> Self {
        Self { files, rotation, anew, is_asked: false, number: 1, removed: 0 }
    }

    /// Removes what is not kept, and asks for a new file when it is time, which the next step brings.
    fn tend(&mut self, now: Duration, bytes: u64) {
        while let Some(old) = self.rotation.outdated(now, bytes) {
            self.removed += u32::from(self.files.remove(old));
        }
        if !self.is_asked && self.rotation.is_due(now, bytes) {
            self.is_asked = true;
            self.anew.ask(Numbers::file(self.number + 1, self.removed));
        }
    }
}

/// What the thread needs.
pub(super) struct Recorder<F: Files> {
    unserved: Unserved<Step>,
    writing: Writing<F>,
}

struct Writing<F: Files> {
    file: Option<F::File>,
    frames: FileFrames,
    state: Arc<State>,
    several: Option<Several<F>>,
    /// Since when nothing could be written, in the profiled time.
    lost_since_ms: Option<u64>,
}

impl<F: Files> Recorder<F> {
    /// Writes what is not served yet.
    pub(super) fn new(
        unserved: Unserved<Step>,
        file: F::File,
        state: Arc<State>,
        several: Option<Several<F>>,
    ) -> Self {
        let mut frames = FileFrames::default();
        if several.is_some() {
            let files = Numbers::file(1, 0);
            frames.say_after_first(Update::Step(vec![Section::Rotation { files, is_base: false }]));
        }
        let writing = Writing { file: Some(file), frames, state, several, lost_since_ms: None };
        Self { unserved, writing }
    }

    /// Starts the thread that writes it.
    pub(super) fn start(self) {
        let Self { unserved, mut writing } = self;
        let began = Instant::now();
        unserved.serve("mayfly-recording", move |step, pace| writing.take(step, began.elapsed(), pace));
    }
}

impl<F: Files> Writing<F> {
    /// Writes a step, so long after the first file began.
    fn take(&mut self, mut step: Step, now: Duration, pace: &Pace) {
        let anew = mem::take(&mut step.anew);
        if let Some(file) = &mut self.file {
            let before = self.frames.reached;
            if let Err(error) = append(file, &self.frames.after(&step, now), pace) {
                self.is_lost(&error, before.ms, now);
            } else if step.is_last() {
                self.say_if_removed();
            } else if anew.is_empty() {
                file.tidy(self.frames.reached);
            }
        }
        if !anew.is_empty() {
            self.goes_on(anew, now, pace);
        }
        let bytes = self.file.as_ref().map_or(0, Place::bytes);
        if let Some(several) = self.several.as_mut().filter(|_| !step.is_last()) {
            several.tend(now, bytes);
        }
    }

    /// Ends the file, and begins the next one with what was counted before it.
    fn goes_on(&mut self, base: Vec<Update>, now: Duration, pace: &Pace) {
        let ended =
            self.file.take().map(|mut file| append(&mut file, &self.frames.end(), pace).map(|()| file));
        let before_ms = self.frames.reached.ms;
        match ended {
            Some(Ok(file)) => self.keep(&file, now),
            Some(Err(error)) => self.is_lost(&error, before_ms, now),
            None => {}
        }
        let begins_ms = base.iter().rev().find_map(Update::progress).map_or(0, |step| step.duration_ms);
        if let Err(error) = self.begin(&base, begins_ms, now, pace) {
            self.is_lost(&error, begins_ms.min(before_ms), now);
        }
    }

    fn begin(&mut self, base: &[Update], begins_ms: u64, now: Duration, pace: &Pace) -> io::Result<()> {
        let Some(several) = &mut self.several else { return Ok(()) };
        several.is_asked = false;
        // A number that could not be opened is not tried again.
        several.number += 1;
        let (mut file, path) = several.files.open(several.number, begins_ms)?;
        let lost_ms = self.lost_since_ms.map(|since| begins_ms.saturating_sub(since));
        let frames = self.frames.next(now, lost_ms);
        if let Err(error) = append(&mut file, &self.frames.told(base), pace) {
            // Nothing can be read of it.
            self.frames = frames;
            F::written(&file).map(|file| several.files.remove(file));
            return Err(error);
        }
        if self.lost_since_ms.take().is_some() {
            say("the recording goes on in a new file");
        }
        several.rotation.begins(now, file.bytes());
        self.state.goes_on_in(path);
        self.file = Some(file);
        Ok(())
    }

    fn keep(&mut self, file: &F::File, now: Duration) {
        if let (Some(several), Some(written)) = (&mut self.several, F::written(file)) {
            several.rotation.ends(written, now, file.bytes());
        }
    }

    /// What follows can't be written: with one file never, with several not before the next one.
    fn is_lost(&mut self, error: &io::Error, since_ms: u64, now: Duration) {
        if self.lost_since_ms.is_none() {
            let after =
                if self.several.is_some() { "a new file is tried every 10 s" } else { "it is cut off here" };
            say(&format!("cannot write the recording any more ({error}): {after}"));
            self.lost_since_ms = Some(since_ms);
        }
        self.frames.lost_for(error);
        self.state.cut_off.store(true, Relaxed);
        if let Some(file) = self.file.take() {
            self.keep(&file, now);
        }
        if let Some(several) = &mut self.several {
            several.is_asked = false;
            several.rotation.is_lost(now);
        }
    }

    fn say_if_removed(&self) {
        if self.file.as_ref().is_some_and(Place::is_removed) {
            let path = printable(&self.state.path().display().to_string()).into_owned();
            say(&format!("{path} was removed while it was recorded into: nothing of it is left"));
        }
    }
}

/// Writes whole frames.
fn append(file: &mut impl Write, bytes: &[u8], pace: &Pace) -> io::Result<()> {
    for piece in bytes.chunks(1 << 20) {
        file.write_all(piece)?;
        pace.ahead();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
