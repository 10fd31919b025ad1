//! The cells that the page adds up: of the whole run, and of slices of time.
//!
//! Frames and lengths of life are numbered. Not here: adding up (`cells.js`).

use std::hash::Hash;
use std::sync::Arc;

use mayfly_profile::{Frame, Happened, LifeSpan, Profile, Slice, Slices, Stack, Tally, Value, is_foreign};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::groups::Groups;
use crate::spelling::frame;

/// Bytes that slices take at most: there are fewer of them where more happened.
const SLICES_BYTES: usize = 1 << 20;

#[derive(Default, Serialize)]
pub(super) struct Cells {
    frames: Vec<String>,
    /// Of each frame whose code it is; empty where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<Kind>,
    tree: Tree,
    /// Alive after, gone by (milliseconds); `None`: alive.
    spans: Vec<(u64, Option<u64>)>,
    cells: Vec<Cell>,
    slices: Vec<SliceRow>,
    /// Stacks that slices tell apart, if there are more.
    sliced_stacks: Option<usize>,
    /// By what else stacks are grouped.
    groups: Vec<Groups>,
    /// The cells of the rows of traces; `None`: of a class that is not shown.
    #[serde(skip)]
    pub(super) traced: Vec<Option<usize>>,
}

/// Stacks as a tree, the outermost frames first. Nodes are numbered from 1 on; 0 is above all.
#[derive(Default, Serialize)]
struct Tree {
    /// How far before a node the one above it stands.
    up: Vec<usize>,
    /// The frame of a node; at the end of a stack -1 - the class.
    frame: Vec<i64>,
    /// Lines of a frame, where it has none in its text; empty where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Vec<u32>>,
    #[serde(skip)]
    nodes: FxHashMap<(usize, i64), usize>,
}

/// Whose code a frame is, as `folds.js` numbers it: the program's own or a library's, the JDK's, a framework's, or nobody's.
type Kind = u8;
const OWN: Kind = 0;
const JDK: Kind = 1;
const FRAMEWORK: Kind = 2;
/// No code: it names a thread or a class loader.
const NAME: Kind = 3;
/// Lines of a frame at one place in the tree that are kept.
const LINES: usize = 5;

/// Where the texts of class and method are, and the line.
type Spelled = (usize, usize, Option<u32>);
/// Node at its end, a number for each value, lives.
type Cell = (usize, Vec<u64>, Lives);
/// Length, objects, bytes, over and over.
type Lives = Vec<u64>;
/// From, to (milliseconds), and of each cell in which something happened: objects and bytes allocated, lives.
type SliceRow = (u64, u64, Vec<(usize, u64, u64, Lives)>);

/// Numbers the classes, frames, lengths and cells while they are written.
struct Writing<'a> {
    known: &'a [Value],
    lines: bool,
    classes: FxHashMap<&'a str, usize>,
    frames: Ids<String>,
    /// Frames that were spelled already, by their texts, which they share.
    spelled: FxHashMap<Spelled, usize>,
    tree: Tree,
    spans: Ids<(u64, Option<u64>)>,
    /// Cells by their nodes.
    places: FxHashMap<usize, usize>,
    cells: Vec<Cell>,
    groups: Vec<Groups>,
    kinds: Vec<Kind>,
}

impl Tree {
    fn below(&mut self, above: usize, frame: i64) -> usize {
        let next = self.up.len() + 1;
        let node = *self.nodes.entry((above, frame)).or_insert(next);
        if node == next {
            self.up.push(next - above);
            self.frame.push(frame);
        }
        node
    }

    /// Notes that a node's frame is at this line.
    fn at_line(&mut self, node: usize, line: u32) {
        if self.lines.len() < node {
            self.lines.resize_with(node, Vec::new);
        }
        let lines = &mut self.lines[node - 1];
        if lines.len() < LINES && !lines.contains(&line) {
            lines.push(line);
        }
    }
}

impl Cells {
    /// Of these classes, in their order; with frames by line or by method.
    pub(super) fn of(
        profile: &Profile,
        slices: Option<&Slices>,
        classes: &[&str],
        known: &[Value],
        lines: bool,
    ) -> Self {
        let numbered = classes.iter().enumerate().map(|(id, &class)| (class, id));
        let mut writing = Writing {
            known,
            lines,
            classes: numbered.collect(),
            frames: Ids::default(),
            spelled: FxHashMap::default(),
            tree: Tree::default(),
            spans: Ids::default(),
            places: FxHashMap::default(),
            cells: Vec::new(),
            groups: Groups::all(),
            kinds: Vec::new(),
        };
        writing.whole(profile);
        let rows = profile.traces.iter().flat_map(|traces| &traces.rows);
        let traced = rows.map(|row| writing.place(&row.class, &row.stack)).collect();
        let sliced_stacks = slices.and_then(Slices::stacks);
        let slices = slices.map(|slices| writing.sliced(slices)).unwrap_or_default();
        let Writing { frames, tree, spans, cells, mut groups, kinds, .. } = writing;
        groups.retain(Groups::are_known);
        let (frames, spans) = (frames.values, spans.values);
        Self { frames, kinds, tree, spans, cells, slices, sliced_stacks, groups, traced }
    }
}

/// Parts in cells.
pub(super) struct Placed<'p> {
    pub(super) cells: Cells,
    /// The cell of each part.
    pub(super) places: Vec<usize>,
    /// Names of classes, by their numbers.
    pub(super) classes: Vec<&'p str>,
}

impl Cells {
    /// Without lives, and without numbers so far, of the path and the class of each part.
    pub(super) fn of_paths<'p>(parts: impl Iterator<Item = (&'p [String], &'p str)>) -> Placed<'p> {
        let (mut frames, mut tree, mut cells) = (Ids::default(), Tree::default(), Vec::<Cell>::new());
        let mut classes = Ids::default();
        let mut leaves = FxHashMap::default();
        let mut places = Vec::new();
        for (path, class) in parts {
            let mut node = 0;
            for name in path {
                node = tree.below(node, frames.id(name.clone()) as i64);
            }
            let leaf = tree.below(node, -1 - classes.id(class) as i64);
            let next = cells.len();
            let place = *leaves.entry(leaf).or_insert(next);
            if place == next {
                cells.push((leaf, Vec::new(), Vec::new()));
            }
            places.push(place);
        }
        let cells = Self { frames: frames.values, tree, cells, ..Self::default() };
        Placed { cells, places, classes: classes.values }
    }

    /// Adds numbers to a cell, one of each value.
    pub(super) fn add(&mut self, place: usize, numbers: &[u64]) {
        let sums = &mut self.cells[place].1;
        sums.resize(numbers.len(), 0);
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
}

impl Writing<'_> {
    fn whole(&mut self, profile: &Profile) {
        for found in profile.cell_lives() {
            let Some(place) = self.place(found.cell.class, found.cell.stack) else { continue };
            let lives: Vec<_> =
                found.lives.iter().flat_map(|&(span, tally)| self.life(span, tally)).collect();
            let cell = &mut self.cells[place];
            let amounts = self.known.iter().map(|&value| found.cell.amounts.of(value));
            // Stacks that differ in lines alone are one place.
            cell.1.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
            cell.2.extend(lives);
        }
    }

    /// As many slices as there is room for; none if that is one.
    fn sliced(&mut self, slices: &Slices) -> Vec<SliceRow> {
        let places: Vec<_> = slices.cells().map(|(class, stack)| self.place(class, stack)).collect();
        let mut slices = slices.clone();
        loop {
            let rows: Vec<_> = slices.slices().iter().map(|slice| self.slice(slice, &places)).collect();
            if bytes(&rows) <= SLICES_BYTES && rows.len() > 1 {
                return rows;
            }
            if !slices.coarsen() {
                return Vec::new();
            }
        }
    }

    fn slice(&mut self, slice: &Slice, places: &[Option<usize>]) -> SliceRow {
        let mut cells = Vec::new();
        for (&id, happened) in &slice.cells {
            if let Some(place) = places[id] {
                cells.push((place, happened.born.objects, happened.born.bytes, self.lives(happened)));
            }
        }
        (slice.from_ms, slice.to_ms, cells)
    }

    fn lives(&mut self, happened: &Happened) -> Lives {
        let dead = happened.dead.iter().map(|(&(after_ms, by_ms), &tally)| (after_ms, Some(by_ms), tally));
        let living = happened.living.iter().map(|(&after_ms, &tally)| (after_ms, None, tally));
        dead.chain(living)
            .flat_map(|(after_ms, by_ms, tally)| self.life(LifeSpan { after_ms, by_ms }, tally))
            .collect()
    }

    fn life(&mut self, span: LifeSpan, tally: Tally) -> [u64; 3] {
        [self.spans.id((span.after_ms, span.by_ms)) as u64, tally.objects, tally.bytes]
    }

    /// The number of a frame. Most stand in thousands of stacks, with the same texts: these are spelled once.
    fn frame(&mut self, one: &Frame) -> usize {
        let texts = (Arc::as_ptr(&one.class).addr(), Arc::as_ptr(&one.method).addr(), one.line);
        if let Some(&known) = self.spelled.get(&texts) {
            return known;
        }
        let named = one.thread().map(|pool| ("pool", pool)).or_else(|| Some(("loader", one.loader()?)));
        let spelled = named.map_or_else(|| frame(one, self.lines), |(of, name)| format!("{of} {name}"));
        let number = self.frames.id(spelled);
        if number == self.kinds.len() {
            self.kinds.push(kind(one));
        }
        self.spelled.insert(texts, number);
        number
    }

    /// The cell of a class and a stack; `None` if the class is not shown.
    fn place(&mut self, class: &str, stack: &Stack) -> Option<usize> {
        let class = *self.classes.get(class)?;
        let mut node = 0;
        for one in stack.from_outermost() {
            let frame = self.frame(one);
            node = self.tree.below(node, frame as i64);
            if let Some(line) = one.line.filter(|_| !self.lines) {
                self.tree.at_line(node, line);
            }
        }
        let leaf = self.tree.below(node, -1 - class as i64);
        let next = self.cells.len();
        let place = *self.places.entry(leaf).or_insert(next);
        if place == next {
            self.cells.push((leaf, vec![0; self.known.len()], Vec::new()));
            self.groups.iter_mut().for_each(|groups| groups.push(stack));
        }
        Some(place)
    }
}

/// Whose code it is.
fn kind(frame: &Frame) -> Kind {
    match frame {
        frame if !frame.is_code() => NAME,
        frame if !frame.is_own() => JDK,
        frame if is_foreign(&frame.class) => FRAMEWORK,
        _ => OWN,
    }
}

/// How many bytes it takes as it is written.
fn bytes(rows: &[SliceRow]) -> usize {
    serde_json::to_vec(rows).map_or(usize::MAX, |bytes| bytes.len())
}

/// Names of classes in the order of the profile, then those of sites alone.
pub(super) fn classes(profile: &Profile) -> Vec<&str> {
    let mut seen = FxHashSet::default();
    let names = profile.classes.iter().map(|class| class.name.as_str());
    let of_sites = profile.sites.iter().map(|site| site.class.as_str());
    names.chain(of_sites).filter(|&name| seen.insert(name)).collect()
}

/// Numbers for values.
struct Ids<T> {
    values: Vec<T>,
    ids: FxHashMap<T, usize>,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { values: Vec::new(), ids: FxHashMap::default() }
    }
}

impl<T: Clone + Hash + Eq> Ids<T> {
    fn id(&mut self, value: T) -> usize {
        let next = self.values.len();
        *self.ids.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}
