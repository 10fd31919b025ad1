//! Who makes what grows: allocations are sampled with their stacks while dumps are taken, by the engine that is cheap, if no other runs.
//!
//! Not here: what grows (`dumps`).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mayfly_profile::{Frame, Profile, SiteProfile};
use mayfly_recording::control::{Request, StopMode};

use super::labels::is_own;
use crate::commands::snapshot;
use crate::error::Error;
use crate::recording_input;
use crate::session::connect::Target;
use crate::verdicts::frame;

/// Stacks by line and lifetimes, dense, as it is for a short time: of a leak of small objects few are sampled.
const OPTIONS: &str = "#engine-sampled#sample-8k#sample-rate-1000..4000#detailedtrace";
/// How long the agent goes on if nobody stops it.
const GRACE: Duration = Duration::from_secs(60);
/// Frames that are shown.
const FRAMES: usize = 5;
/// A site of which this share is alive makes what stays; of garbage hardly any is.
const ALIVE: f64 = 0.3;
/// Objects of a class of the JDK are made everywhere: who makes this share of those that stay, and so many bytes (some samples), is
/// named for all of them, unless that is more than so many times as much as grew.
const MOST: f64 = 0.5;
const LEAST_BYTES: u64 = 256 << 10;
const TOO_MUCH: u64 = 4;
/// Code of the class that holds what grew is named before others if it makes so many bytes (two samples), and such a part.
const LEAST_HELD: u64 = 16 << 10;
const PART_HELD: f64 = 0.1;
/// Who makes so many times as many objects of a class as grew makes others, too: of several makers the one of whose objects there are about as
/// many is named, up to this factor.
const ALIKE: f64 = 2.0;

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

/// By how much a container grew.
#[derive(Clone, Copy)]
pub(super) struct Grown<'a> {
    /// The class that has it, if one of the program's own does.
    pub(super) holder: Option<&'a str>,
    /// Objects of the class that it is named by.
    pub(super) objects: u64,
    /// Bytes of all that it retains.
    pub(super) bytes: u64,
}

impl Grown<'_> {
    /// Whether code of the class that holds it calls a maker.
    fn is_added_by(&self, maker: &Maker) -> bool {
        self.holder.is_some_and(|holder| maker.passes(holder))
    }
}

impl Maker {
    /// Whether a method of the class, or of one inside of it, is on its stack.
    fn passes(&self, class: &str) -> bool {
        let of_class =
            |frame: &String| frame.strip_prefix(class).is_some_and(|rest| rest.starts_with(['.', '$']));
        self.stack.iter().any(of_class)
    }
}

impl Makers {
    /// Begins to sample, if nothing profiles yet.
    pub(super) fn begin(pid: u32, time: Duration) -> Result<Self, Error> {
        let target = Target::connect(pid)?;
        if target.status()?.profiling.is_some() {
            return Ok(Self { target, own: false });
        }
        let stop_after_ms = u64::try_from((time + GRACE).as_millis()).ok();
        target.ask(&Request::Start { options: OPTIONS.to_owned(), stop_after_ms })?;
        Ok(Self { target, own: true })
    }

    /// What was sampled; ends what was begun.
    pub(super) fn end(self, folder: &Path) -> Result<Profile, Error> {
        let file = folder.join("made.mayfly");
        let request = if self.own { Request::Stop(StopMode::RestoreAndSend) } else { Request::Snapshot };
        let fetched = snapshot::fetch(&self.target, &request, &file);
        if fetched.is_err() && self.own {
            // Whatever became of the samples, the JVM is left as it was.
            let _ = self.target.ask(&Request::Stop(StopMode::KeepHooks));
        }
        fetched?;
        let profile = recording_input::read_snapshot(&file);
        let _ = std::fs::remove_file(&file);
        profile
    }
}

/// Who makes most of the objects of these classes that are alive, of the first class that is seen; they grew by so much. Of a class of the program's
/// of which none that is alive was sampled, who made most, dead ones too: a batch is emptied. If too few were sampled for that, who makes most of what is mostly here, all classes together; or else whoever makes objects of a class of the program's, which may have died.
pub(super) fn of(
    profile: &Profile,
    classes: &[&str],
    mostly_here: &[&str],
    grown: Grown<'_>,
) -> Option<Maker> {
    let made = |class: &str| most(profile, &|site| site.class == class, |site| site.allocated.bytes);
    let made_by_one = |class: &str| {
        let most = made(class).filter(|most| is_own(class) && most.is_most());
        most.map(|most| most.maker)
    };
    let one = |class: &&str| of_class(profile, class, grown).or_else(|| made_by_one(class));
    let together = || {
        let most = most(profile, &|site| mostly_here.contains(&&*site.class) && stays(site), live)?;
        most.is_most().then_some(most.maker)
    };
    classes
        .iter()
        .find_map(one)
        .or_else(together)
        .or_else(|| classes.iter().filter(|class| is_own(class)).find_map(|class| Some(made(class)?.maker)))
}

fn of_class(profile: &Profile, class: &str, grown: Grown<'_>) -> Option<Maker> {
    let mut makers = makers(profile, &|site| site.class == class && stays(site), live);
    if is_own(class) {
        let nearest = nearest(&makers, grown);
        return (!makers.is_empty()).then(|| makers.swap_remove(nearest).maker);
    }
    let is_held = |maker: &Most| {
        let counts = maker.bytes >= LEAST_HELD && maker.bytes as f64 >= PART_HELD * maker.all as f64;
        counts && grown.is_added_by(&maker.maker)
    };
    if let Some(held) = makers.iter().position(is_held) {
        return Some(makers.swap_remove(held).maker);
    }
    let most = makers.into_iter().next()?;
    let much = (LEAST_BYTES..=TOO_MUCH * grown.bytes.max(LEAST_BYTES)).contains(&most.bytes);
    (much && most.is_most()).then_some(most.maker)
}

/// Of makers of one class the one that made what grew. If several made about as much, the one that code of the holder's class called; else the first,
/// which made most, unless that is too much, and about as much another made.
fn nearest(makers: &[Most], grown: Grown<'_>) -> usize {
    let times = |maker: &Most| maker.objects.max(1) as f64 / grown.objects.max(1) as f64;
    let off = |maker: &Most| times(maker).ln().abs();
    let alike = || makers.iter().enumerate().filter(|(_, maker)| off(maker) <= ALIKE.ln());
    if let Some((at, _)) = alike().find(|(_, maker)| grown.is_added_by(&maker.maker)) {
        return at;
    }
    if makers.first().is_none_or(|first| times(first) <= ALIKE) {
        return 0;
    }
    alike().min_by(|(_, a), (_, b)| off(a).total_cmp(&off(b))).map_or(0, |(at, _)| at)
}

/// What one maker made.
struct Most {
    maker: Maker,
    /// So many bytes.
    bytes: u64,
    /// Of so many.
    all: u64,
    /// Objects that are alive.
    objects: u64,
}

impl Most {
    fn is_most(&self) -> bool {
        self.bytes as f64 >= MOST * self.all as f64
    }
}

fn most(
    profile: &Profile,
    wanted: &dyn Fn(&SiteProfile) -> bool,
    bytes: fn(&SiteProfile) -> u64,
) -> Option<Most> {
    makers(profile, wanted, bytes).into_iter().next()
}

/// By the program's first frame that is no constructor, who made most first.
fn makers(
    profile: &Profile,
    wanted: &dyn Fn(&SiteProfile) -> bool,
    bytes: fn(&SiteProfile) -> u64,
) -> Vec<Most> {
    let sites: Vec<_> = profile.sites.iter().filter(|site| wanted(site)).collect();
    let ways = profile.program_ways(&sites.iter().map(|site| &site.stack).collect::<Vec<_>>());
    let mut all = 0;
    let mut by_frame: BTreeMap<String, (u64, u64, Vec<&Frame>)> = BTreeMap::new();
    for (site, way) in sites.into_iter().zip(ways) {
        let bytes = bytes(site);
        all += bytes;
        let mut frames = if way.is_empty() { own_frames(site) } else { way };
        let makes = frames.iter().position(|frame| &*frame.method != "<init>").unwrap_or(0);
        frames.drain(..makes);
        // A lambda is named as the method that it stands in.
        frames.dedup_by(|outer, inner| named(outer) == named(inner));
        let Some(own) = frames.first() else { continue };
        let (made, objects, _) = by_frame.entry(named(own)).or_insert((0, 0, frames));
        *made += bytes;
        *objects += site.live.map_or(0, |live| live.objects);
    }
    let made = by_frame.into_iter().filter(|(_, (bytes, ..))| *bytes > 0);
    let mut makers: Vec<_> = made
        .map(|(by, (bytes, objects, frames))| {
            let stack = frames.into_iter().take(FRAMES).map(frame).collect();
            Most { maker: Maker { by, stack }, bytes, all, objects }
        })
        .collect();
    makers.sort_by_key(|maker| std::cmp::Reverse(maker.bytes));
    makers
}

fn live(site: &SiteProfile) -> u64 {
    site.live.map_or(0, |live| live.bytes)
}

fn stays(site: &SiteProfile) -> bool {
    let live = site.live.map_or(0, |live| live.objects);
    live > 0 && live as f64 >= ALIVE * site.allocated.objects as f64
}

/// All that are not the JDK's, innermost first.
fn own_frames(site: &SiteProfile) -> Vec<&Frame> {
    site.stack.iter().filter(|frame| frame.is_own()).collect()
}

/// Its place in the source.
pub(super) fn named(frame: &Frame) -> String {
    let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
    let (class, method) = frame.in_source();
    format!("{class}.{method}{line}")
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Stack, Tally};

    use super::*;

    const MUCH: Grown<'_> = Grown { holder: None, objects: 1 << 16, bytes: 1 << 20 };

    fn site(class: &str, by: &str, live: u64) -> SiteProfile {
        let [jdk, own] = ["java.util.Arrays", by].map(|class| Frame {
            class: class.into(),
            method: "make".into(),
            file: None,
            line: None,
        });
        SiteProfile {
            class: class.to_owned(),
            stack: Stack::from(vec![jdk, own]),
            allocated: Tally { objects: live / 16, bytes: live, ..Tally::default() },
            live: Some(Tally { objects: live / 16, bytes: live, ..Tally::default() }),
            ..SiteProfile::default()
        }
    }

    fn maker(sites: &[(&str, &str, u64)], classes: &[&str]) -> Option<String> {
        let sites = sites.iter().map(|&(class, by, live)| site(class, by, live)).collect();
        of(&Profile { sites, ..Profile::default() }, classes, &[], MUCH).map(|maker| maker.by)
    }

    #[test]
    fn the_line_of_the_program_that_asks_a_framework_is_named() {
        let frame = |class: &str| Frame { class: class.into(), method: "make".into(), ..Frame::default() };
        let stack = [
            "java.util.ArrayList",
            "org.hibernate.Results",
            "org.hibernate.Query",
            "a.Library",
            "org.eclipse.jetty.Pool",
        ];
        let list = SiteProfile {
            stack: stack.map(frame).into_iter().collect(),
            ..site("java.util.ArrayList", "", 2 << 20)
        };
        let profile = Profile { sites: vec![list], ..Profile::default() };
        let maker = of(&profile, &["java.util.ArrayList"], &[], MUCH).expect("it is known");
        assert_eq!(maker.by, "a.Library.make");
        assert_eq!(maker.stack, ["a.Library.make(unknown source)"], "frameworks do not call");
    }

    /// "added by Inventory.reserve" of lines of a log that are written each eight seconds, as it makes strings.
    #[test]
    fn who_made_what_is_gone_is_named_before_who_makes_what_is_in_it() {
        let dead = SiteProfile { live: None, ..site("a.Line", "a.Log", 64 << 10) };
        let sites = vec![dead, site("java.lang.String", "a.Stock", 2 << 20)];
        let profile = Profile { sites, ..Profile::default() };
        let maker = of(&profile, &["a.Line", "java.lang.String"], &[], MUCH).expect("it is known");
        assert_eq!(maker.by, "a.Log.make");
    }

    #[test]
    fn who_makes_a_few_of_all_strings_is_not_named_for_those_of_one_container() {
        let string = "java.lang.String";
        let everywhere = [(string, "a.A", 400 << 10), (string, "a.B", 300 << 10), (string, "a.C", 200 << 10)];
        assert_eq!(maker(&everywhere, &[string]), None);
        let few = [(string, "a.A", 64 << 10)];
        assert_eq!(maker(&few, &[string]), None, "one sample");
        let most = [(string, "a.A", 2 << 20), (string, "a.B", 300 << 10)];
        assert_eq!(maker(&most, &[string]).as_deref(), Some("a.A.make"));
        assert_eq!(maker(&[(string, "a.A", 8 << 20)], &[string]), None, "much more than grew");
        let own = [("a.Row", "a.A", 64 << 10), ("a.Row", "a.B", 32 << 10), (string, "a.C", 2 << 20)];
        assert_eq!(maker(&own, &["a.Row", string]).as_deref(), Some("a.A.make"), "a class of the program's");
    }

    /// A span of which every third stays; a chunk that was never sampled, whose buffer was, once.
    #[test]
    fn few_samples_name_who_makes_what_is_nowhere_else() {
        let garbage = |bytes| SiteProfile {
            allocated: Tally { objects: 64, bytes, ..Tally::default() },
            ..site("a.Span", "a.Filter", 20 << 10)
        };
        let spans = Profile { sites: vec![garbage(400 << 10)], ..Profile::default() };
        assert_eq!(
            of(&spans, &["a.Span"], &[], MUCH).map(|maker| maker.by).as_deref(),
            Some("a.Filter.make")
        );
        let buffer = "java.nio.DirectByteBuffer";
        let sites = vec![site(buffer, "a.Uploads", 64 << 10), site("java.lang.String", "a.Other", 1 << 20)];
        let chunks = Profile { sites, ..Profile::default() };
        let maker = |here: &[&str]| of(&chunks, &["a.Chunk", buffer], here, MUCH).map(|maker| maker.by);
        assert_eq!(maker(&[buffer]).as_deref(), Some("a.Uploads.make"));
        assert_eq!(maker(&[]), None, "buffers of others");
    }

    /// A window of readings, of which each tenth is copied, and the copies leak.
    #[test]
    fn who_makes_as_many_as_grew_is_named_where_another_makes_many_more() {
        let readings = [("a.Reading", "a.Parser", 5_500 * 16), ("a.Reading", "a.Copier", 550 * 16)];
        let sites: Vec<_> = readings.map(|(class, by, live)| site(class, by, live)).into();
        let profile = Profile { sites, ..Profile::default() };
        let maker =
            |objects| of(&profile, &["a.Reading"], &[], Grown { objects, ..MUCH }).map(|maker| maker.by);
        assert_eq!(maker(619).as_deref(), Some("a.Copier.make"));
        assert_eq!(maker(5_000).as_deref(), Some("a.Parser.make"));
        assert_eq!(maker(20).as_deref(), Some("a.Parser.make"), "nobody makes as few");
    }

    /// A gauge of 24 bytes was not sampled; most buffers that stay are those of sessions, which come and go, and some are the gauges'.
    #[test]
    fn of_the_jdks_objects_in_it_those_made_by_the_holders_class_are_named() {
        let makers = |of_holder| {
            let buffers = [("[C", "a.Sessions", 400 << 10), ("[C", "a.Metrics", of_holder)];
            let sites = buffers.map(|(class, by, live)| site(class, by, live)).into();
            let profile = Profile { sites, ..Profile::default() };
            let grown = Grown { holder: Some("a.Metrics"), ..MUCH };
            of(&profile, &["a.Gauge", "[C"], &[], grown).map(|maker| maker.by)
        };
        assert_eq!(makers(160 << 10).as_deref(), Some("a.Metrics.make"));
        assert_eq!(makers(8 << 10).as_deref(), Some("a.Sessions.make"), "one sample");
    }

    /// Two holders of one class's objects, each of which got as many.
    #[test]
    fn of_two_who_made_as_many_the_one_in_the_holders_class_is_named() {
        let records = [("a.Rec", "a.Inbox", 1_500 * 16), ("a.Rec", "a.Outbox$Worker", 1_490 * 16)];
        let sites = records.map(|(class, by, live)| site(class, by, live)).into();
        let profile = Profile { sites, ..Profile::default() };
        let maker = |holder| {
            let grown = Grown { holder, objects: 1_490, ..MUCH };
            of(&profile, &["a.Rec"], &[], grown).map(|maker| maker.by)
        };
        assert_eq!(maker(Some("a.Inbox")).as_deref(), Some("a.Inbox.make"));
        assert_eq!(maker(Some("a.Outbox")).as_deref(), Some("a.Outbox$Worker.make"));
        assert_eq!(maker(Some("a.Out")).as_deref(), Some("a.Inbox.make"), "another class");
        assert_eq!(maker(None).as_deref(), Some("a.Inbox.make"), "who made most");
    }

    #[test]
    fn who_calls_a_constructor_is_named_for_it() {
        let frame = |(class, method): (&str, &str)| Frame {
            class: class.into(),
            method: method.into(),
            ..Frame::default()
        };
        let stack =
            [("a.View", "<init>"), ("a.View", "<init>"), ("a.Hub", "open")].map(frame).into_iter().collect();
        let view = SiteProfile { stack, ..site("[B", "", 2 << 20) };
        let profile = Profile { sites: vec![view], ..Profile::default() };
        let maker = of(&profile, &["[B"], &[], MUCH).expect("it is known");
        assert_eq!((&*maker.by, maker.stack.len()), ("a.Hub.open", 1));
    }
}
