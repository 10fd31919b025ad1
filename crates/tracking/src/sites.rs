//! Sites: class and stack, interned once. Names are asked for only when a stack is new.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use dashmap::DashMap;
use mayfly_profile::{ClassId, Frame, FrameId, SiteId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::tracked::MOST_SITES;

/// Native bytes per site beside its stack: books, map entries, allocation overhead.
const BYTES_PER_SITE: u64 = 340;
/// Native bytes per frame of a site: two copies as frame ids.
const BYTES_PER_FRAME: u64 = 8;
/// Native bytes per raw stack beside its frames, and per frame of it.
const BYTES_PER_RAW_STACK: u64 = 60;
const BYTES_PER_RAW_FRAME: u64 = 16;
/// Raw stacks before it is asked whether their methods are still there.
const FEW_RAW_STACKS: usize = 4096;

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
        self.0.push(u64::from(place) << 32 | u64::from(class.0));
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
    /// Raw stacks kept when it was last asked after their methods.
    raw_kept: AtomicUsize,
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
            raw_kept: AtomicUsize::new(0),
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
        if let Some(site) = self.by_raw_stack.get(&raw.0[..]) {
            return *site;
        }
        let (class, place) = (ClassId(raw.0[0] as u32), (raw.0[0] >> 32) as u32);
        let bytes = raw_bytes(&raw.0) + site_bytes(raw.frames().len());
        let room = self.bytes.fetch_add(bytes, Relaxed) + bytes <= self.limit_bytes;
        if !room || self.len() >= MOST_STACKS {
            self.bytes.fetch_sub(bytes, Relaxed);
            self.overflowed.fetch_add(1, Relaxed);
            if place == NO_PLACE {
                return self.of_class(class);
            }
            // Places are few: the frame of one always has room.
            return match resolve(raw).first() {
                Some(&frame) => self.intern(Site { class, place, stack: [frame].into() }),
                None => self.of_class(class),
            };
        }
        let stack: Box<[_]> = resolve(raw).into();
        let needed = raw_bytes(&raw.0) + site_bytes(stack.len());
        let (site, is_new) = self.find_or_add(Site { class, place, stack });
        // More than was reserved, if the place's own frame was not in the raw stack.
        self.bytes.fetch_add(if is_new { needed } else { raw_bytes(&raw.0) }, Relaxed);
        self.bytes.fetch_sub(bytes, Relaxed);
        if self.by_raw_stack.insert(raw.0.clone().into(), site).is_some() {
            // Another thread was faster.
            self.bytes.fetch_sub(raw_bytes(&raw.0), Relaxed);
        }
        site
    }

    /// Whether there are twice as many stacks as when it was last asked after their methods, so that it is worth while.
    pub fn should_forget(&self) -> bool {
        self.by_raw_stack.len() >= 2 * self.raw_kept.load(Relaxed).max(FEW_RAW_STACKS)
    }

    /// Forgets the raw stacks with methods that are gone: no such stack comes again. Their sites stay, under which the
    /// same classes are found when they are loaded again.
    pub fn forget(&self, is_there: impl Fn(u64) -> bool) {
        self.by_raw_stack.retain(|raw, _| {
            let keeps = raw[1..].chunks_exact(2).all(|frame| is_there(frame[0]));
            if !keeps {
                self.bytes.fetch_sub(raw_bytes(raw), Relaxed);
            }
            keeps
        });
        self.by_raw_stack.shrink_to_fit();
        self.raw_kept.store(self.by_raw_stack.len(), Relaxed);
    }

    /// Whether the stack of a site has any frame.
    pub fn has_frames(&self, site: SiteId) -> bool {
        self.sites.get(site.row()).is_some_and(|site| !site.stack.is_empty())
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
    pub fn sites_since(&self, from: usize) -> impl Iterator<Item = (ClassId, &[FrameId])> {
        (from..).map_while(|at| self.sites.get(at)).map(|site| (site.class, &*site.stack))
    }

    fn intern(&self, site: Site) -> SiteId {
        self.find_or_add(site).0
    }

    /// The site's id, and whether it is a new one.
    fn find_or_add(&self, site: Site) -> (SiteId, bool) {
        let mut by_stack = self.by_stack.lock().unwrap_or_else(PoisonError::into_inner);
        match by_stack.entry(site) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(new) => {
                let id = SiteId::of_row(self.sites.push(new.key().clone()));
                (*new.insert(id), true)
            }
        }
    }
}

fn raw_bytes(raw: &[u64]) -> u64 {
    BYTES_PER_RAW_STACK + BYTES_PER_RAW_FRAME * (raw.len() as u64 / 2)
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
        assert_eq!(table.bytes.load(Relaxed), raw_bytes(&raw.0) + site_bytes(1));
    }

    #[test]
    fn stacks_beyond_the_limit_count_for_their_class() {
        let table = SiteTable::new(2 * (raw_bytes(&[0; 3]) + site_bytes(1)));
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
    fn classes_loaded_again_and_again_take_no_more_room() {
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
            if table.should_forget() {
                table.forget(|known| known == 1 || known == method);
            }
        }
        assert_eq!((table.len(), table.overflowed()), (1, 0));
        assert!(table.by_raw_stack.len() <= 2 * FEW_RAW_STACKS);
        table.forget(|_| false);
        assert_eq!(table.bytes.load(Relaxed), site_bytes(2));
    }
}
