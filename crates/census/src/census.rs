//! The census of one JVM, from collection to collection.

use mayfly_counts::Total;

use crate::buffers::{MOST_THREADS, unused};
use crate::classes::{ClassRow, Classes, java_name};
use crate::doubt::Doubt;
use crate::known::{Known, check};
use crate::layout::Layout;
use crate::memory::Memory;
use crate::regions::{Heap, Space};
use crate::walk::{Reading, Walk};

/// What a pause did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It copied what is young.
    Young,
    /// It moved objects over each other.
    Full,
    /// A concurrent collection went on: objects are as they were.
    Concurrent,
    /// It is not known.
    Unknown,
}

/// What was read, and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Collections that were read to their end.
    pub read: u32,
    /// Collections of which a part could not be read.
    pub partly: u32,
    /// Collections that leave nothing to read, before which births were read.
    pub births_only: u32,
    /// Collections of which nothing was read.
    pub unread: u32,
    /// Bytes of Eden that were read.
    pub read_bytes: u64,
    /// Bytes of Eden, and of survivors, that were not.
    pub unread_bytes: u64,
    /// Collections of which a part was left out on purpose, for time.
    pub thinned: u32,
    /// What lay in unused parts of buffers, where its class tells; up to JDK 18 it is among the arrays of `int`.
    pub fillers: Total,
}

/// A census.
#[derive(Debug)]
pub struct Census {
    layout: Layout,
    classes: Classes,
    heap: Heap,
    known: Vec<Known>,
    is_checked: bool,
    /// What is in Eden was there before the census began.
    is_opening: bool,
    is_counting: bool,
    /// Young collections since it began, or since the last full one.
    since: usize,
    /// Of the running collection.
    begun: Option<Begun>,
    holes: Vec<(u64, u64)>,
    /// What the last pause left unread of what was in Eden, as a share of it; `None`: it did not empty Eden.
    emptied: Option<f64>,
    /// Whether large objects that were born before the last pause are counted.
    has_large: bool,
    thinning: Thinning,
    last_read: u64,
    /// Young collections, one after the other, before which nothing was young, nor born old, or that emptied nothing.
    without_young: u32,
    totals: Totals,
    ended: Option<Doubt>,
}

/// Which part is read, where all of it would take too long.
#[derive(Clone, Copy, Debug)]
struct Thinning {
    share: f64,
    /// Of the generator, never 0.
    state: u64,
}

impl Default for Thinning {
    fn default() -> Self {
        Self { share: 1.0, state: 0x9e37_79b9_7f4a_7c15 }
    }
}

impl Thinning {
    /// Whether the next part is not read (xorshift64: no state but its own is touched in a pause).
    fn leaves_out(&mut self) -> bool {
        if self.share >= 1.0 {
            return false;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 32) as f64 >= self.share * 4_294_967_296.0
    }
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    collections: Option<u32>,
    /// Whether births were read. They are added when it is known that nothing can be read afterwards.
    births: bool,
}

impl Census {
    /// Nothing is read yet. `from_start`: no object was collected before.
    ///
    /// # Errors
    /// The heap is not as its structures say.
    pub fn new(
        memory: &impl Memory,
        layout: Layout,
        (known, from_start): (Vec<Known>, bool),
    ) -> Result<Self, Doubt> {
        let mut heap = Heap::new(memory, &layout)?;
        if !from_start {
            // A collection may be going on right now.
            heap.old.forget();
        }
        Ok(Self {
            heap,
            layout,
            classes: Classes::new(),
            known,
            is_checked: false,
            is_opening: !from_start,
            is_counting: true,
            since: 0,
            begun: None,
            holes: Vec::with_capacity(MOST_THREADS),
            emptied: None,
            has_large: false,
            thinning: Thinning::default(),
            last_read: 0,
            without_young: 0,
            totals: Totals::default(),
            ended: None,
        })
    }

    /// A collection begins. `forced`: it is a full one, as we ask for it.
    pub fn begins(&mut self, memory: &impl Memory, forced: bool) {
        self.begun = None;
        self.has_large = false;
        if self.ended.is_some() || !self.is_counting {
            return;
        }
        if let Err(doubt) = self.heap.note(memory, &self.layout).and_then(|()| self.read_large(memory)) {
            return self.end(doubt);
        }
        let births = forced && !self.is_opening;
        if births && let Err(doubt) = self.check(memory) {
            return self.end(doubt);
        }
        // What is not as it should be here may be a buffer's: they are not read otherwise.
        let births = births && self.read_births(memory).is_ok();
        self.begun = Some(Begun { collections: self.layout.collections(memory), births });
    }

    /// The collection that began ends, and did this.
    pub fn ends(&mut self, memory: &impl Memory, pause: Pause) {
        self.emptied = (pause != Pause::Concurrent).then_some(1.0);
        self.last_read = 0;
        if self.ended.is_some() || !self.is_counting {
            return;
        }
        let Some(begun) = self.begun.take() else {
            // Nobody saw it begin.
            self.has_large = false;
            return self.opens();
        };
        let is_as_before = pause == Pause::Concurrent
            || pause == Pause::Unknown && self.layout.collections(memory) == begun.collections;
        if is_as_before || pause == Pause::Young {
            // They are still there, or are read with what became of them.
            self.classes.discard();
        }
        if is_as_before && pause == Pause::Concurrent {
            self.classes.forget_addresses();
        }
        let done = self.heap.note_large(memory, &self.layout).and_then(|()| match pause {
            _ if is_as_before => Ok(None),
            _ => self.read_emptied(memory, (pause, begun.births)).map(Some),
        });
        match done {
            Ok(emptied) => self.emptied = emptied,
            Err(doubt) => self.end(doubt),
        }
    }

    /// Eden was emptied: what of it was not read, as a share.
    fn read_emptied(&mut self, memory: &impl Memory, (pause, births): (Pause, bool)) -> Result<f64, Doubt> {
        // All that can be doubted is looked at before anything is counted.
        let end = self.heap.old.end(memory, &self.layout)?;
        let unread = match pause {
            Pause::Young => self.read_young(memory)?,
            _ => self.after_full(memory, births)?,
        };
        self.heap.old.starts_at(end);
        Ok(unread)
    }

    /// What the last pause left unread of what had been in Eden, as a share of it, all if nothing was seen there; `None`: Eden is as it was.
    pub fn emptied(&self) -> Option<f64> {
        self.emptied
    }

    /// Whether the last pause left something unread that had been in Eden.
    pub fn has_gap(&self) -> bool {
        let was_empty = self.heap.eden_bytes() == 0 && self.ended.is_none();
        !was_empty && self.emptied.is_some_and(|unread| unread > 0.0)
    }

    /// Whether all large objects that were born since the pause before the last one are counted, where they are told apart
    /// ([`Self::largest_young`]).
    pub fn has_large(&self) -> bool {
        self.has_large
    }

    /// Bytes of what the running pause found young: what there is to read.
    pub fn young_bytes(&self) -> u64 {
        self.heap.young_bytes()
    }

    /// Bytes of young objects that the last pause read.
    pub fn last_read(&self) -> u64 {
        self.last_read
    }

    /// From now on such a share is read, on average: of the regions with G1, and of the collections with others, drawn at random. 1: all.
    pub fn thin_to(&mut self, share: f64) {
        self.thinning.share = share;
    }

    /// All counts begin again: with the next collection, as Eden has objects that were born before.
    pub fn restart(&mut self) {
        self.classes.reset();
        self.totals = Totals::default();
        self.opens();
    }

    /// Collections are read from now on, or are not.
    pub fn set_counting(&mut self, counting: bool) {
        if counting && !self.is_counting {
            self.opens();
        }
        self.is_counting = counting;
    }

    /// What is in Eden now is not counted: it was born while nobody counted.
    pub fn reopen(&mut self) {
        self.is_counting = true;
        self.opens();
    }

    fn opens(&mut self) {
        self.is_opening = true;
        self.since = 0;
        self.heap.old.forget();
    }

    /// Objects of more bytes than this have regions of their own, and are counted by themselves; `None`: all are counted together.
    pub fn largest_young(&self) -> Option<u64> {
        self.layout.largest_young()
    }

    /// Why it ended, if it did.
    pub fn doubt(&self) -> Option<Doubt> {
        self.ended
    }

    /// Ends it: nothing more is read.
    pub fn end(&mut self, doubt: Doubt) {
        self.classes.discard();
        self.ended.get_or_insert(doubt);
    }

    /// What was read.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Counts of classes that changed since the last time, fillers aside.
    pub fn take_changed(&mut self) -> Vec<ClassRow> {
        let mut rows = Vec::new();
        let mut fillers = self.totals.fillers;
        self.classes.take_changed(|name, is_filler, counts| match is_filler {
            true => fillers = counts.born(),
            false => rows.push(ClassRow { name: java_name(name), counts: *counts }),
        });
        self.totals.fillers = fillers;
        rows
    }

    /// What of Eden was not read, as a share of it.
    fn read_young(&mut self, memory: &impl Memory) -> Result<f64, Doubt> {
        /// One may follow another at once, with nothing born between, or have no room to empty Eden into.
        const MOST_WITHOUT_YOUNG: u32 = 4;
        self.heap.look_after(memory, &self.layout)?;
        let Heap { spaces, old, .. } = &self.heap;
        let has_births = self.heap.has_emptied() || spaces.is_empty() && old.has_births();
        self.without_young = if has_births { 0 } else { self.without_young + 1 };
        if self.without_young == MOST_WITHOUT_YOUNG {
            return Err(Doubt::Absurd("the young generation"));
        }
        self.check(memory)?;
        if std::mem::take(&mut self.is_opening) {
            self.since = 0;
            return Ok(1.0);
        }
        self.since += 1;
        let mut totals = self.totals;
        let (mut is_whole, mut left_out) = (true, false);
        let Self { layout, classes, heap, thinning, last_read, .. } = self;
        // Spaces are read together or not at all: there is one Eden.
        let is_left_out = !layout.has_regions() && thinning.leaves_out();
        for space in &heap.spaces {
            let Space { bottom, top, is_eden, is_doubtful } = *space;
            if is_left_out || layout.has_regions() && thinning.leaves_out() {
                left_out = true;
                continue;
            }
            if is_doubtful || memory.words(bottom, top).is_none() {
                is_whole = false;
                totals.unread_bytes += top - bottom;
                continue;
            }
            let reading = match is_eden {
                true => Reading::Eden(&heap.survivors),
                false => Reading::Survivors(&heap.survivors, self.since),
            };
            Walk { memory, layout, classes, reading }.read(bottom, top)?;
            totals.read_bytes += if is_eden { top - bottom } else { 0 };
            *last_read += top - bottom;
        }
        let (read, all) = (totals.read_bytes - self.totals.read_bytes, heap.eden_bytes());
        if let Some((from, top)) = heap.old.allocated().filter(|_| read == all) {
            Walk { memory, layout, classes, reading: Reading::Old }.read_heads(from, top)?;
        }
        classes.commit();
        totals.thinned += u32::from(left_out);
        totals.read += u32::from(is_whole && !left_out);
        totals.partly += u32::from(!is_whole);
        self.totals = totals;
        Ok(if all == 0 { 1.0 } else { 1.0 - read as f64 / all as f64 })
    }

    /// Known objects are as they are known, the first time.
    fn check(&mut self, memory: &impl Memory) -> Result<(), Doubt> {
        if self.is_checked {
            return Ok(());
        }
        let Self { layout, classes, known, .. } = self;
        check(&mut Walk { memory, layout, classes, reading: Reading::Before }, known)?;
        self.is_checked = true;
        Ok(())
    }

    /// Large objects that were born since the last pause: the running one may give their regions back.
    fn read_large(&mut self, memory: &impl Memory) -> Result<(), Doubt> {
        if self.is_opening || !self.layout.has_regions() {
            return Ok(());
        }
        self.check(memory)?;
        let Self { layout, classes, heap, .. } = self;
        for &at in heap.old.large() {
            Walk { memory, layout, classes, reading: Reading::Old }.read_one(at)?;
        }
        self.classes.commit();
        self.has_large = true;
        Ok(())
    }

    /// What was born since the last collection, before one that leaves nothing to read. Unused parts of buffers are left out.
    fn read_births(&mut self, memory: &impl Memory) -> Result<(), Doubt> {
        let read = self.walk_births(memory);
        if read.is_err() {
            self.classes.discard();
        }
        read
    }

    fn walk_births(&mut self, memory: &impl Memory) -> Result<(), Doubt> {
        unused(memory, &self.layout, &mut self.holes)?;
        let Self { layout, classes, heap, holes, .. } = self;
        for space in &heap.spaces {
            let reading = match space.is_eden {
                true => Reading::Before,
                // Elsewhere nothing is born among survivors.
                false if layout.fills_survivors => continue,
                false => Reading::BeforeAmongSurvivors,
            };
            let mut walk = Walk { memory, layout, classes, reading };
            let mut bottom = space.bottom;
            for &(from, to) in holes.iter().filter(|hole| (space.bottom..space.top).contains(&hole.0)) {
                if from < bottom || to > space.top {
                    return Err(Doubt::Absurd("the buffer of a thread"));
                }
                walk.read(bottom, from)?;
                bottom = to;
            }
            walk.read(bottom, space.top)?;
        }
        if let Some((from, top)) = heap.old.allocated() {
            Walk { memory, layout, classes, reading: Reading::Old }.read_heads(from, top)?;
        }
        Ok(())
    }

    /// Objects were moved over each other: who died is not known.
    fn after_full(&mut self, memory: &impl Memory, births: bool) -> Result<f64, Doubt> {
        if births {
            self.classes.commit();
            self.totals.read_bytes += self.heap.eden_bytes();
        }
        self.classes.forget_addresses();
        let left = self.heap.raise_floors(memory, &self.layout)?;
        if !std::mem::take(&mut self.is_opening) {
            self.totals.births_only += u32::from(births);
            self.totals.unread += u32::from(!births);
            // One that we ask for is for no allocation: what is left is old.
            self.totals.unread_bytes += if births { 0 } else { self.heap.eden_bytes() + left };
        }
        (self.since, self.without_young) = (0, 0);
        Ok(if births { 0.0 } else { 1.0 })
    }
}
