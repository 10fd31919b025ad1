//! Sites: class and stack, interned once. Names are asked for only when a stack is new.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use dashmap::DashMap;
use mayfly_profile::{ClassId, Frame, FrameId, SiteId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::MOST_SITES;

/// Native bytes per site beside its stack: books, map entries, allocation overhead.
const BYTES_PER_SITE: u64 = 400;
/// Native bytes per frame of a stack: the raw key, and two copies as frame ids.
const BYTES_PER_FRAME: u64 = 24;

/// Stacks beyond this number are not told apart: tracked objects have no room for larger numbers of sites.
const MOST_STACKS: usize = MOST_SITES / 2;

/// The place of stacks that know none.
const NO_PLACE: u32 = u32::MAX;

/// A stack as the JVM gave it, with its class: a key, to be filled anew for each stack.
#[derive(Debug, Default)]
pub struct RawStack(Vec<u64>);

impl RawStack {
    /// Starts a stack of an object of `class`.
    pub fn begin(&mut self, class: ClassId) {
        self.begin_at(class, NO_PLACE);
    }

    /// Starts a stack of an object of `class` made at `place`.
    pub fn begin_at(&mut self, class: ClassId, place: u32) {
        self.0.clear();
        self.0.push(u64::from(place) << 32 | u64::from(class));
    }

    /// Adds the next outer frame.
    pub fn push(&mut self, method: u64, location: i64) {
        self.0.extend([method, location as u64]);
    }

    /// (method, location) of each frame, innermost first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = (u64, i64)> + '_ {
        self.0[1..].chunks_exact(2).map(|pair| (pair[0], pair[1] as i64))
    }
}

/// A site as the stream names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) class: ClassId,
    /// Stacks of two places are two sites, even if they read alike.
    pub(crate) place: u32,
    pub(crate) stack: Box<[FrameId]>,
}

/// All sites and frames ever seen, within a limit of memory: objects of stacks beyond it count for their class alone.
#[derive(Debug)]
pub struct SiteTable {
    limit_bytes: u64,
    bytes: AtomicU64,
    by_raw_stack: DashMap<Box<[u64]>, SiteId, FxBuildHasher>,
    by_stack: Mutex<FxHashMap<Site, SiteId>>,
    frame_ids: Mutex<FxHashMap<Frame, FrameId>>,
    sites: boxcar::Vec<Site>,
    frames: boxcar::Vec<Frame>,
    overflowed: AtomicU64,
}

impl SiteTable {
    /// An empty table that may grow to about `limit_bytes` of native memory.
    pub fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            bytes: AtomicU64::new(0),
            by_raw_stack: DashMap::default(),
            by_stack: Mutex::default(),
            frame_ids: Mutex::default(),
            sites: boxcar::Vec::new(),
            frames: boxcar::Vec::new(),
            overflowed: AtomicU64::new(0),
        }
    }

    /// The site of a class without a stack.
    pub fn of_class(&self, class: ClassId) -> SiteId {
        self.intern(Site { class, place: NO_PLACE, stack: Box::default() })
    }

    /// The site of a place of which no more than its own frame is known.
    pub fn of_frame(&self, class: ClassId, place: u32, frame: Frame) -> SiteId {
        let stack = [self.frame_id(frame)].into();
        self.intern(Site { class, place, stack })
    }

    /// The site of a raw stack. `resolve` names its frames if it is new, and drops those that are not the program's.
    pub fn of_stack(&self, raw: &RawStack, resolve: impl FnOnce(&RawStack) -> Vec<Frame>) -> SiteId {
        if let Some(site) = self.by_raw_stack.get(&raw.0[..]) {
            return *site;
        }
        let (class, place) = (raw.0[0] as ClassId, (raw.0[0] >> 32) as u32);
        let bytes = BYTES_PER_SITE + BYTES_PER_FRAME * raw.frames().len() as u64;
        let room = self.bytes.fetch_add(bytes, Relaxed) + bytes <= self.limit_bytes;
        if !room || self.len() >= MOST_STACKS {
            self.bytes.fetch_sub(bytes, Relaxed);
            self.overflowed.fetch_add(1, Relaxed);
            // Places are few: the frame of one always has room.
            return match resolve(raw).into_iter().next().filter(|_| place != NO_PLACE) {
                Some(frame) => self.of_frame(class, place, frame),
                None => self.of_class(class),
            };
        }
        let stack = resolve(raw).into_iter().map(|frame| self.frame_id(frame)).collect();
        let site = self.intern(Site { class, place, stack });
        self.by_raw_stack.insert(raw.0.clone().into(), site);
        site
    }

    /// Whether the stack of a site has any frame.
    pub fn has_frames(&self, site: SiteId) -> bool {
        self.sites.get(site as usize).is_some_and(|site| !site.stack.is_empty())
    }

    /// The class of a site's objects.
    pub fn class_of(&self, site: SiteId) -> Option<ClassId> {
        self.sites.get(site as usize).map(|site| site.class)
    }

    /// Native memory held, in bytes, about.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Objects whose stack was given up for want of memory.
    pub fn overflowed(&self) -> u64 {
        self.overflowed.load(Relaxed)
    }

    /// Number of sites; ids run from zero.
    pub fn len(&self) -> usize {
        self.sites.count()
    }

    /// Whether there is no site yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Frames from index `from` on.
    pub fn frames_since(&self, from: usize) -> impl Iterator<Item = &Frame> {
        (from..).map_while(|at| self.frames.get(at))
    }

    /// (class, stack) of sites from index `from` on.
    pub fn sites_since(&self, from: usize) -> impl Iterator<Item = (ClassId, &[FrameId])> {
        (from..).map_while(|at| self.sites.get(at)).map(|site| (site.class, &*site.stack))
    }

    fn intern(&self, site: Site) -> SiteId {
        let mut by_stack = self.by_stack.lock().unwrap_or_else(PoisonError::into_inner);
        *by_stack.entry(site.clone()).or_insert_with(|| self.sites.push(site) as SiteId)
    }

    fn frame_id(&self, frame: Frame) -> FrameId {
        let mut ids = self.frame_ids.lock().unwrap_or_else(PoisonError::into_inner);
        *ids.entry(frame.clone()).or_insert_with(|| self.frames.push(frame) as FrameId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(method: &str) -> Frame {
        Frame { class: "a.B".into(), method: method.into(), file: None, line: None }
    }

    #[test]
    fn a_raw_stack_is_resolved_once() {
        let table = SiteTable::new(1 << 20);
        let mut raw = RawStack::default();
        raw.begin(3);
        raw.push(0xaa, 5);
        let site = table.of_stack(&raw, |_| vec![frame("m")]);
        assert_eq!(site, table.of_stack(&raw, |_| panic!("resolved twice")));
        assert_eq!(table.class_of(site), Some(3));
    }

    #[test]
    fn raw_stacks_that_resolve_alike_are_one_site() {
        let table = SiteTable::new(1 << 20);
        let mut raw = RawStack::default();
        raw.begin(3);
        raw.push(0xaa, 5);
        let first = table.of_stack(&raw, |_| vec![frame("m")]);
        raw.begin(3);
        raw.push(0xaa, 9);
        assert_eq!(first, table.of_stack(&raw, |_| vec![frame("m")]));
        assert_ne!(first, table.of_class(3));
        assert_eq!(table.frames_since(0).count(), 1);
    }

    #[test]
    fn stacks_beyond_the_limit_count_for_their_class() {
        let table = SiteTable::new(2 * (BYTES_PER_SITE + BYTES_PER_FRAME));
        let mut raw = RawStack::default();
        let mut site = |method| {
            raw.begin(3);
            raw.push(method, -1);
            table.of_stack(&raw, |_| vec![frame(&method.to_string())])
        };
        let (first, second) = (site(1), site(2));
        assert_ne!(first, second);
        assert_eq!(site(3), table.of_class(3));
        assert_eq!((site(1), table.overflowed()), (first, 1));
    }
}
