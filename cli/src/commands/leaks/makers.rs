//! Who makes what grows: allocations are sampled with their stacks while dumps are taken, by the engine that is cheap, if no other runs.
//!
//! Not here: what grows (`dumps`).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mayfly_profile::{Frame, Profile, SiteProfile, is_of_the_jdk};
use mayfly_recording::control::{Request, Response};

use crate::commands::snapshot;
use crate::error::Error;
use crate::recording_input;
use crate::session::connect::Target;
use crate::verdicts::frame;

/// One sample for so many bytes, with stacks by line and lifetimes: dense, as it is for a short time.
const OPTIONS: &str = "#engine-sampled#sample-64k#detailedtrace";
/// How long the agent goes on if nobody stops it.
const GRACE: Duration = Duration::from_secs(60);
/// Frames that are shown.
const FRAMES: usize = 5;
/// A site of which this share is alive makes what stays; of garbage hardly any is.
const ALIVE: f64 = 0.3;

/// What samples.
pub(super) struct Makers {
    target: Target,
    /// Whether it was begun for this search, and ends with it.
    own: bool,
}

/// Who makes objects.
pub(super) struct Maker {
    /// The first frame of the program's own, `class.method:line`.
    pub(super) by: String,
    /// That frame, and those of the program's own that called it.
    pub(super) stack: Vec<String>,
}

impl Makers {
    /// Begins to sample, if nothing profiles yet.
    pub(super) fn begin(pid: u32, time: Duration) -> Result<Self, Error> {
        let target = Target::connect(pid)?;
        if let Response::Engine(Some(_)) = target.ask(&Request::Engine)? {
            return Ok(Self { target, own: false });
        }
        let stop_after_ms = u64::try_from((time + GRACE).as_millis()).ok();
        target.ask(&Request::Start { options: OPTIONS.to_owned(), stop_after_ms })?;
        Ok(Self { target, own: true })
    }

    /// What was sampled; ends what was begun.
    pub(super) fn end(self, folder: &Path) -> Result<Profile, Error> {
        let file = folder.join("made.mayfly");
        let request = if self.own { Request::Finish } else { Request::Snapshot };
        let fetched = snapshot::fetch(&self.target, &request, &file);
        if fetched.is_err() && self.own {
            // Whatever became of the samples, the JVM is left as it was.
            let _ = self.target.ask(&Request::Stop);
        }
        fetched?;
        let profile = recording_input::read_snapshot(&file);
        let _ = std::fs::remove_file(&file);
        profile
    }
}

/// Who makes most of the objects of these classes that are alive; of the first class that is seen.
pub(super) fn of(profile: &Profile, classes: &[&str]) -> Option<Maker> {
    classes.iter().find_map(|class| {
        let sites = profile.sites.iter().filter(|site| site.class == **class && stays(site));
        let mut by_frame: BTreeMap<String, (u64, &SiteProfile)> = BTreeMap::new();
        for site in sites {
            let Some(own) = own_frames(site).next() else { continue };
            let bytes = site.live.map_or(0, |live| live.bytes);
            by_frame.entry(named(own)).or_insert((0, site)).0 += bytes;
        }
        let (by, (_, site)) = by_frame.into_iter().max_by_key(|(_, (bytes, _))| *bytes)?;
        Some(Maker { by, stack: own_frames(site).take(FRAMES).map(frame).collect() })
    })
}

fn stays(site: &SiteProfile) -> bool {
    let live = site.live.map_or(0, |live| live.objects);
    live > 0 && live as f64 >= ALIVE * site.allocated.objects as f64
}

/// The frames of the program's own, innermost first.
fn own_frames(site: &SiteProfile) -> impl Iterator<Item = &Frame> {
    site.stack.iter().filter(|frame| !is_of_the_jdk(&frame.class))
}

fn named(frame: &Frame) -> String {
    let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}.{}{line}", frame.class, frame.method)
}
