//! Sites: class and stack, interned once. Names are asked for only when a stack is new.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;
use mayfly_profile::{ClassId, Frame, FrameId, SiteId, StackIndex, StackTree};
use rustc_hash::{FxBuildHasher, FxHashMap};
use xxhash_rust::xxh3::xxh3_128;

use crate::tracked::MOST_SITES;

/// Native bytes per site beside its stack: books, map entries, allocation overhead.
const BYTES_PER_SITE: u64 = 340;
/// Native bytes per frame that no known stack has under the same callers: here, and in the profile that the session folds.
const BYTES_PER_FRAME: u64 = 120;
/// Native bytes per raw stack, of whatever depth: its hash, its site, and room that a table has to spare.
const BYTES_PER_RAW_STACK: u64 = 64;
/// Raw stacks before those that did not come again are forgotten.
const FEW_RAW_STACKS: usize = 4096;

/// Stacks beyond this number are not told apart: tracked objects have no room for larger numbers of sites.
const MOST_STACKS: usize = MOST_SITES / 2;

/// The place of stacks that know none.
const NO_PLACE: u32 = u32::MAX;

/// A stack as the JVM gave it, with its class: a key, to be filled anew for each stack.
#[derive(Debug, Default)]
pub struct RawStack {
    class: ClassId,
    place: u32,
    /// Method and location of each frame. Kept as bytes, as these are hashed.
    frames: Vec<u8>,
}

impl RawStack {
    /// Starts a stack of an object of `class`.
    pub fn begin(&mut self, class: ClassId) {
        self.begin_at(class, NO_PLACE);
    }

    /// Starts a stack of an object of `class` made at `place`.
    pub fn begin_at(&mut self, class: ClassId, place: u32) {
        (self.class, self.place) = (class, place);
        self.frames.clear();
    }

    /// Adds the next outer frame.
    pub fn push(&mut self, method: u64, location: i64) {
        self.frames.extend(method.to_ne_bytes());
        self.frames.extend(location.to_ne_bytes());
    }

    /// (method, location) of each frame, innermost first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = (u64, i64)> + '_ {
        let words = self.frames.as_chunks::<8>().0;
        words
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[method, location]| (u64::from_ne_bytes(method), i64::from_ne_bytes(location)))
    }

    fn key(&self) -> RawKey {
        RawKey { class: self.class, place: self.place, frames: xxh3_128(&self.frames) }
    }
}

/// A raw stack by the hash of its frames, which takes 64 bytes at any depth. That two of a million stacks have one hash
/// has a chance of 10⁻²⁷.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RawKey {
    class: ClassId,
    place: u32,
    frames: u128,
}

/// The site of a raw stack.
#[derive(Debug)]
struct Resolved {
    site: SiteId,
    /// Whether the stack came again since raw stacks were last forgotten.
    again: AtomicBool,
}

/// A site as the stream names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Site {
    class: ClassId,
    /// Stacks of two places are two sites, even if they read alike.
    place: u32,
    stack: StackIndex,
}

/// Sites by what they are.
#[derive(Debug, Default)]
struct Known {
    stacks: StackTree,
    sites: FxHashMap<Site, SiteId>,
}

/// All sites and frames ever seen, within a limit of memory: objects of stacks beyond it count for their class alone.
#[derive(Debug)]
pub struct SiteTable {
    limit_bytes: u64,
    bytes: AtomicU64,
    by_raw_stack: DashMap<RawKey, Resolved, FxBuildHasher>,
    known: Mutex<Known>,
    frame_ids: Mutex<FxHashMap<Frame, FrameId>>,
    sites: boxcar::Vec<Site>,
    frames: boxcar::Vec<Frame>,
    overflowed: AtomicU64,
    /// Raw stacks kept when others were last forgotten.
    raw_kept: AtomicUsize,
}

impl SiteTable {
    /// An empty table that may grow to about `limit_bytes` of native memory.
    pub fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            bytes: AtomicU64::new(0),
            by_raw_stack: DashMap::default(),
            known: Mutex::default(),
            frame_ids: Mutex::default(),
            sites: boxcar::Vec::new(),
            frames: boxcar::Vec::new(),
            overflowed: AtomicU64::new(0),
            raw_kept: AtomicUsize::new(0),
        }
    }

    /// The site of a class without a stack.
    pub fn of_class(&self, class: ClassId) -> SiteId {
        self.intern(class, NO_PLACE, &[]).0
    }

    /// The site of a place of which no more than its own frame is known.
    pub fn of_frame(&self, class: ClassId, place: u32, frame: Frame) -> SiteId {
        self.intern(class, place, &[self.frame_id(frame)]).0
    }

    /// The number of a frame, for [`Self::of_stack`].
    pub fn frame_id(&self, frame: Frame) -> FrameId {
        let mut ids = self.frame_ids.lock().unwrap_or_else(PoisonError::into_inner);
        *ids.entry(frame.clone()).or_insert_with(|| FrameId::of_row(self.frames.push(frame)))
    }

    /// The frame of a number.
    pub fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get(id.row())
    }

    /// The site of a raw stack. `resolve` gives its frames if they are needed, without those that are not the program's.
    pub fn of_stack(&self, raw: &RawStack, resolve: impl FnOnce(&RawStack) -> Vec<FrameId>) -> SiteId {
        let key = raw.key();
        if let Some(known) = self.by_raw_stack.get(&key) {
            if !known.again.load(Relaxed) {
                known.again.store(true, Relaxed);
            }
            return known.site;
        }
        let RawKey { class, place, .. } = key;
        let bytes = BYTES_PER_RAW_STACK + site_bytes(raw.frames().len());
        let room = self.bytes.fetch_add(bytes, Relaxed) + bytes <= self.limit_bytes;
        if !room || self.len() >= MOST_STACKS {
            self.bytes.fetch_sub(bytes, Relaxed);
            self.overflowed.fetch_add(1, Relaxed);
            if place == NO_PLACE {
                return self.of_class(class);
            }
            // Places are few: the frame of one always has room.
            return match resolve(raw).first() {
                Some(&frame) => self.intern(class, place, &[frame]).0,
                None => self.of_class(class),
            };
        }
        let (site, of_site) = self.intern(class, place, &resolve(raw));
        // Before what was reserved is given back: it may be more, if the place's own frame was not in the raw stack.
        self.bytes.fetch_add(BYTES_PER_RAW_STACK + of_site, Relaxed);
        self.bytes.fetch_sub(bytes, Relaxed);
        if self.by_raw_stack.insert(key, Resolved { site, again: AtomicBool::new(false) }).is_some() {
            // Another thread was faster.
            self.bytes.fetch_sub(BYTES_PER_RAW_STACK, Relaxed);
        }
        site
    }

    /// Whether there are twice as many raw stacks as when they were last forgotten, so that it is worth while.
    pub fn should_forget(&self) -> bool {
        self.by_raw_stack.len() >= 2 * self.raw_kept.load(Relaxed).max(FEW_RAW_STACKS)
    }

    /// Forgets the raw stacks that came only once since the last time, as those of unloaded classes do. One that comes again
    /// is resolved again, to the same site.
    pub fn forget(&self) {
        self.by_raw_stack.retain(|_, known| {
            let keeps = std::mem::take(known.again.get_mut());
            if !keeps {
                self.bytes.fetch_sub(BYTES_PER_RAW_STACK, Relaxed);
            }
            keeps
        });
        self.by_raw_stack.shrink_to_fit();
        self.raw_kept.store(self.by_raw_stack.len(), Relaxed);
    }

    /// Whether the stack of a site has any frame.
    pub fn has_frames(&self, site: SiteId) -> bool {
        self.sites.get(site.row()).is_some_and(|site| site.stack != StackIndex::NONE)
    }

    /// The class of a site's objects.
    pub fn class_of(&self, site: SiteId) -> Option<ClassId> {
        self.sites.get(site.row()).map(|site| site.class)
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
    pub fn sites_since(&self, from: usize) -> impl Iterator<Item = (ClassId, Vec<FrameId>)> {
        let sites = (from..).map_while(|at| self.sites.get(at));
        sites.map(|site| (site.class, self.known().stacks.frames(site.stack).collect()))
    }

    /// The site, and how much memory it took: nothing if it was known.
    fn intern(&self, class: ClassId, place: u32, stack: &[FrameId]) -> (SiteId, u64) {
        let mut known = self.known();
        let stacks_before = known.stacks.len();
        let site = Site { class, place, stack: known.stacks.index(stack) };
        let new_frames = known.stacks.len() - stacks_before;
        match known.sites.entry(site) {
            Entry::Occupied(known) => (*known.get(), 0),
            Entry::Vacant(new) => {
                let id = SiteId::of_row(self.sites.push(site));
                (*new.insert(id), site_bytes(new_frames))
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn site_bytes(frames: usize) -> u64 {
    BYTES_PER_SITE + BYTES_PER_FRAME * frames as u64
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
        raw.begin(ClassId(3));
        raw.push(0xaa, 5);
        let site = table.of_stack(&raw, |_| vec![table.frame_id(frame("m"))]);
        assert_eq!(site, table.of_stack(&raw, |_| panic!("resolved twice")));
        assert_eq!(table.class_of(site), Some(ClassId(3)));
    }

    #[test]
    fn raw_stacks_that_resolve_alike_are_one_site() {
        let table = SiteTable::new(1 << 20);
        let mut raw = RawStack::default();
        raw.begin(ClassId(3));
        raw.push(0xaa, 5);
        let first = table.of_stack(&raw, |_| vec![table.frame_id(frame("m"))]);
        raw.begin(ClassId(3));
        raw.push(0xaa, 9);
        assert_eq!(first, table.of_stack(&raw, |_| vec![table.frame_id(frame("m"))]));
        assert_ne!(first, table.of_class(ClassId(3)));
        assert_eq!(table.frames_since(0).count(), 1);
    }

    #[test]
    fn a_stack_may_be_resolved_to_more_frames_than_were_walked() {
        let table = SiteTable::new(1 << 20);
        let mut raw = RawStack::default();
        raw.begin(ClassId(3));
        let site = table.of_stack(&raw, |_| vec![table.frame_id(frame("m"))]);
        assert!(table.has_frames(site));
        assert_eq!(table.bytes.load(Relaxed), BYTES_PER_RAW_STACK + site_bytes(1));
    }

    #[test]
    fn stacks_beyond_the_limit_count_for_their_class() {
        let table = SiteTable::new(2 * (BYTES_PER_RAW_STACK + site_bytes(1)));
        let mut raw = RawStack::default();
        let mut site = |method| {
            raw.begin(ClassId(3));
            raw.push(method, -1);
            table.of_stack(&raw, |_| vec![table.frame_id(frame(&method.to_string()))])
        };
        let (first, second) = (site(1), site(2));
        assert_ne!(first, second);
        assert_eq!(site(3), table.of_class(ClassId(3)));
        assert_eq!((site(1), table.overflowed()), (first, 1));
    }

    #[test]
    fn stacks_beyond_the_limit_are_not_named() {
        let table = SiteTable::new(0);
        let mut raw = RawStack::default();
        raw.begin(ClassId(3));
        raw.push(0xaa, 5);
        assert_eq!(table.of_stack(&raw, |_| panic!("named for nothing")), table.of_class(ClassId(3)));
        raw.begin_at(ClassId(3), 7);
        raw.push(0xaa, 5);
        let at_place = table.of_stack(&raw, |_| vec![table.frame_id(frame("m"))]);
        assert!(table.has_frames(at_place) && table.overflowed() == 2);
    }

    #[test]
    fn raw_stacks_that_do_not_come_again_take_no_more_room() {
        let table = SiteTable::new(1 << 20);
        let mut raw = RawStack::default();
        let mut site = |method| {
            raw.begin_at(ClassId(3), 7);
            raw.push(method, -1);
            raw.push(1, -1);
            table.of_stack(&raw, |_| vec![table.frame_id(frame("m")), table.frame_id(frame("main"))])
        };
        let first = site(2);
        for method in 3..200_000 {
            assert_eq!(site(method), first);
            assert_eq!(site(2), first);
            if table.should_forget() {
                table.forget();
                assert_eq!(table.by_raw_stack.len(), 1, "the one that came again");
            }
        }
        assert_eq!((table.len(), table.overflowed()), (1, 0));
        assert!(table.by_raw_stack.len() <= 2 * FEW_RAW_STACKS);
        (0..2).for_each(|_| table.forget());
        assert_eq!(table.bytes.load(Relaxed), site_bytes(2));
    }
}
