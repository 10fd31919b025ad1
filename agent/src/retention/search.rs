//! What refers to chosen objects, one step of their paths in each walk of the heap. Nothing here knows of the JVM.
//!
//! Objects that are held alike are a group, whose path is one: at each step that of the references which most of them have, or which come
//! from the fewest holders. Lists that are linked are one step, whichever of their nodes refers.
//!
//! Not here: names of classes and fields (`names`), and who walks (the module above).

use std::cmp::Reverse;
use std::time::Instant;

use mayfly_jvmti::{HeapVisitor, Reference, ReferenceKind, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::objects::Objects;

/// Groups that are looked for at once.
pub(crate) const MOST_GROUPS: usize = 16;
/// Objects that get a tag: some megabytes of ours, and some of the JVM's.
const MOST_NODES: usize = 400_000;
/// References to objects of the groups that one walk takes note of.
const MOST_EDGES: usize = 200_000;
/// References met between two looks at the clock.
const LOOK_AT_CLOCK: u64 = 4096;
/// A way is worth going that leads to a part of the objects which is no smaller than this, of those to which another leads.
const MOST_BESIDE: u32 = 4;
/// No list.
const NO_LIST: u32 = u32::MAX;

/// A tag of a class, from one on; 0 for none.
pub(super) type ClassTag = i64;
/// Bits of groups.
type Groups = u16;

/// What of an object or a class refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum By {
    /// A static field of a class, by JVMTI's index.
    Static(ClassTag, u32),
    /// A root that is no field.
    Root(Root),
    /// A slot of an array of this class.
    Element(ClassTag),
    /// A field of an object of this class, by JVMTI's index.
    Field(ClassTag, u32),
}

/// Roots that are no fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Root {
    /// A thread that runs.
    Thread,
    /// A variable of a running method.
    Local,
    /// Native code.
    Jni,
    /// A constant of a class.
    Constant,
    /// The JVM.
    Other,
}

/// A way to go on from a group's objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) by: By,
    /// How many of the group's objects are referred to so.
    pub(super) objects: u32,
    /// What refers, if it is an object.
    pub(super) from: Vec<u32>,
    /// Of the group's first objects those that it leads to.
    pub(super) below: Objects,
}

/// Kinds of ways, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Static,
    /// Few refer to many.
    Gathers,
    Elements,
    /// Each of many refers to one.
    Fields,
    Root,
}

/// An object with a tag.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Groups of which it is looked for what refers to it.
    wanted: Groups,
    /// Groups on whose paths it is.
    visited: Groups,
    /// The list of which it is.
    list: u32,
    /// Whether an object of its own class refers to it.
    is_linked: bool,
    /// Whether this walk met it.
    is_met: bool,
    /// Whether a variable of a running method has referred to it.
    is_local: bool,
    class: ClassTag,
}

/// What one walk finds.
pub(super) struct Search {
    /// Classes have the tags up to this.
    classes: ClassTag,
    nodes: Vec<Node>,
    edges: Vec<(u32, By, Option<u32>)>,
    /// The class that this walk shows references to; `None`: all of them.
    shown: Option<ClassTag>,
    /// Classes of which this walk follows lists.
    linked: FxHashSet<ClassTag>,
    /// What refers to each list.
    lists: Vec<(By, Option<u32>)>,
    /// Which of a group's first objects are below a node of its path.
    below: FxHashMap<(usize, u32), Objects>,
    until: Instant,
    met: u64,
    /// Whether a walk ended before its end: of time, or of what may be noted.
    pub(super) gave_up: bool,
}

impl Search {
    /// Of a JVM of which classes have tags from 1 up to this.
    pub(super) fn new(classes: ClassTag) -> Self {
        Self {
            classes,
            nodes: Vec::new(),
            edges: Vec::new(),
            shown: None,
            linked: FxHashSet::default(),
            lists: Vec::new(),
            below: FxHashMap::default(),
            until: Instant::now(),
            met: 0,
            gave_up: false,
        }
    }

    /// Makes an object that of a number of a group; its tag, if it had none. `None` if there is no more room.
    pub(super) fn add(&mut self, tag: i64, group: usize, number: usize) -> Option<i64> {
        let node = self.node_or_new(tag)?;
        let bit = 1 << group;
        let known = &mut self.nodes[node as usize];
        known.wanted |= bit;
        known.visited |= bit;
        self.below.insert((group, node), Objects::one(number));
        Some(self.tag(node))
    }

    /// The next walk looks for what refers to these objects of a group.
    pub(super) fn want(&mut self, group: usize, nodes: &[u32]) {
        for &node in nodes {
            let known = &mut self.nodes[node as usize];
            known.wanted |= 1 << group;
            known.visited |= 1 << group;
        }
    }

    /// A walk begins, which ends at this moment at the latest, and shows references to all objects, or to those of one class.
    pub(super) fn begin(&mut self, until: Instant, shown: Option<ClassTag>) {
        self.until = until;
        self.shown = shown;
        self.edges.clear();
        self.lists.clear();
        for node in &mut self.nodes {
            *node = Node { list: NO_LIST, is_linked: false, is_met: false, ..*node };
        }
    }

    /// Whether this walk shows references to what refers so.
    pub(super) fn shows(&self, by: By) -> bool {
        match by {
            By::Element(class) | By::Field(class, _) => self.shown.is_none_or(|shown| shown == class),
            By::Static(..) | By::Root(_) => true,
        }
    }

    /// The ways on from a group's objects by the walk that ended, the best first. `None`: they are in lists, which the next walk follows.
    pub(super) fn steps(&mut self, group: usize) -> Option<Vec<Step>> {
        let bit = 1 << group;
        let wanted: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|&node| self.nodes[node as usize].wanted & bit != 0)
            .collect();
        let is_wanted = |node: u32| self.nodes[node as usize].wanted & bit != 0;
        let is_back =
            |from: Option<u32>| from.is_some_and(|from| self.nodes[from as usize].visited & bit != 0);
        let edges = self.edges.iter().copied();
        let edges = edges.filter(|&(node, _, from)| is_wanted(node) && !is_back(from));
        let of_lists = wanted.iter().filter_map(|&node| {
            let &(by, from) = self.lists.get(self.nodes[node as usize].list as usize)?;
            Some((node, by, from))
        });
        let mut found: FxHashMap<By, Found> = FxHashMap::default();
        for (node, by, from) in edges.chain(of_lists) {
            let below = self.below.get(&(group, node)).copied().unwrap_or_default();
            found.entry(by).or_default().add(node, from, below);
        }
        let most = found.values().map(|found| found.objects.len()).max().unwrap_or(0);
        let most_below = found.values().map(|found| found.below().count()).max().unwrap_or(0);
        let linked: Vec<_> = wanted.iter().filter(|&&node| self.nodes[node as usize].is_linked).collect();
        let classes: FxHashSet<_> = linked.iter().map(|&&node| self.nodes[node as usize].class).collect();
        if most * 2 < wanted.len() && linked.len() * 2 >= wanted.len() && !classes.is_subset(&self.linked) {
            self.linked.extend(classes);
            return None;
        }
        for &node in &wanted {
            self.nodes[node as usize].wanted &= !bit;
        }
        let mut steps: Vec<_> = found
            .into_iter()
            .filter(|(_, found)| found.below().count() * MOST_BESIDE >= most_below)
            .map(|(by, found)| self.step(group, by, found))
            .collect();
        steps.sort_by_key(Step::rank);
        Some(steps)
    }

    fn step(&mut self, group: usize, by: By, found: Found) -> Step {
        let below = found.below();
        let mut from: Vec<_> = found.from.keys().copied().collect();
        from.sort_unstable();
        for (node, below) in found.from {
            let known = self.below.entry((group, node)).or_default();
            *known = known.with(below);
        }
        Step { by, objects: found.objects.len() as u32, from, below }
    }

    /// Of a group's first objects those below nodes that are a running method's: it refers to them, or they are gone.
    pub(super) fn at_work<'a>(&self, group: usize, nodes: impl Iterator<Item = &'a u32>) -> Objects {
        self.all_below(group, nodes, |node| node.is_local || !node.is_met)
    }

    /// Of a group's first objects those below nodes that the walk which ended did not meet any more.
    pub(super) fn gone<'a>(&self, group: usize, nodes: impl Iterator<Item = &'a u32>) -> Objects {
        self.all_below(group, nodes, |node| !node.is_met)
    }

    fn all_below<'a>(
        &self,
        group: usize,
        nodes: impl Iterator<Item = &'a u32>,
        which: impl Fn(&Node) -> bool,
    ) -> Objects {
        let nodes = nodes.filter(|&&node| which(&self.nodes[node as usize]));
        let below = nodes.filter_map(|&node| self.below.get(&(group, node)));
        below.fold(Objects::default(), |all, &below| all.with(below))
    }

    /// The tag of an object.
    pub(super) fn tag(&self, node: u32) -> i64 {
        self.classes + 1 + i64::from(node)
    }

    fn node(&self, tag: i64) -> Option<u32> {
        u32::try_from(tag - self.classes - 1).ok().filter(|&node| (node as usize) < self.nodes.len())
    }

    fn node_or_new(&mut self, tag: i64) -> Option<u32> {
        if tag != 0 {
            return self.node(tag);
        }
        let node = u32::try_from(self.nodes.len()).ok().filter(|&node| (node as usize) < MOST_NODES)?;
        self.nodes.push(Node { list: NO_LIST, ..Node::default() });
        Some(node)
    }

    /// What refers, by its tag, which it gets if it has none. `None` for roots and classes.
    fn referrer(&mut self, reference: &Reference<'_>, by: By) -> Option<u32> {
        let cell = reference.referrer_tag.filter(|_| matches!(by, By::Element(_) | By::Field(..)))?;
        let node = self.node_or_new(cell.get())?;
        cell.set(self.tag(node));
        Some(node)
    }

    /// Follows lists: each is what is reached from one reference that comes from elsewhere.
    fn link(&mut self, reference: &Reference<'_>, by: By, is_of_list: bool) {
        let known = self.node(reference.tag.get());
        if known.is_some_and(|node| self.nodes[node as usize].list != NO_LIST) {
            return;
        }
        let list = if is_of_list {
            let from = reference.referrer_tag.and_then(|tag| self.node(tag.get()));
            from.map_or(NO_LIST, |from| self.nodes[from as usize].list)
        } else {
            let from = self.referrer(reference, by);
            self.lists.push((by, from));
            self.lists.len() as u32 - 1
        };
        if list == NO_LIST {
            return;
        }
        if let Some(node) = self.node_or_new(reference.tag.get()) {
            reference.tag.set(self.tag(node));
            self.nodes[node as usize].list = list;
        }
    }

    fn is_over(&mut self) -> bool {
        self.met += 1;
        let is_late = self.met.is_multiple_of(LOOK_AT_CLOCK) && Instant::now() >= self.until;
        self.gave_up |= is_late || self.edges.len() >= MOST_EDGES;
        self.gave_up
    }
}

/// What refers to a group's objects in one way.
#[derive(Default)]
struct Found {
    objects: FxHashSet<u32>,
    /// Each with the group's first objects that it leads to.
    from: FxHashMap<u32, Objects>,
    /// The same of what is no object.
    at_root: Objects,
}

impl Found {
    fn add(&mut self, node: u32, from: Option<u32>, below: Objects) {
        self.objects.insert(node);
        let known = from.map_or(&mut self.at_root, |from| self.from.entry(from).or_default());
        *known = known.with(below);
    }

    fn below(&self) -> Objects {
        self.from.values().fold(self.at_root, |all, &below| all.with(below))
    }
}

impl Step {
    /// What is best comes first: what many have in common, before what each has of its own; what ends at a field of a class, before what
    /// goes on; containers, before fields of the program's objects, which refer to what holds them.
    fn rank(&self) -> (Kind, Reverse<u32>, By) {
        (self.kind(), Reverse(self.below.count()), self.by)
    }

    pub(super) fn kind(&self) -> Kind {
        const MANY: u32 = 4;
        let gathers = self.from.len() as u32 * MANY <= self.objects;
        match self.by {
            By::Root(_) => Kind::Root,
            By::Static(..) => Kind::Static,
            _ if gathers => Kind::Gathers,
            By::Element(_) => Kind::Elements,
            By::Field(..) => Kind::Fields,
        }
    }
}

impl HeapVisitor for Search {
    fn reference(&mut self, reference: &Reference<'_>) -> Visit {
        if self.is_over() {
            return Visit::Stop;
        }
        let class = reference.referrer_class_tag;
        let by = match reference.kind {
            ReferenceKind::Field(index) => By::Field(class, index),
            ReferenceKind::Element(_) => By::Element(class),
            ReferenceKind::StaticField(index) => {
                By::Static(reference.referrer_tag.map_or(0, |tag| tag.get()), index)
            }
            ReferenceKind::Thread => By::Root(Root::Thread),
            ReferenceKind::StackLocal(_) => By::Root(Root::Local),
            ReferenceKind::JniGlobal | ReferenceKind::JniLocal(_) => By::Root(Root::Jni),
            ReferenceKind::ConstantPool(_) => By::Root(Root::Constant),
            ReferenceKind::Monitor | ReferenceKind::Other | ReferenceKind::Unknown(_) => {
                By::Root(Root::Other)
            }
            ReferenceKind::Class
            | ReferenceKind::ClassLoader
            | ReferenceKind::Signers
            | ReferenceKind::ProtectionDomain
            | ReferenceKind::Interface
            | ReferenceKind::Superclass
            | ReferenceKind::SystemClass => return Visit::Continue,
        };
        let is_of_list = matches!(by, By::Field(..)) && class == reference.class_tag;
        if self.linked.contains(&reference.class_tag) {
            self.link(reference, by, is_of_list);
        }
        let Some(node) = self.node(reference.tag.get()) else { return Visit::Continue };
        let known = &mut self.nodes[node as usize];
        known.is_met = true;
        known.is_local |= by == By::Root(Root::Local);
        known.class = reference.class_tag;
        known.is_linked |= is_of_list;
        if known.wanted != 0 && !is_of_list && !self.linked.contains(&reference.class_tag) {
            let from = self.referrer(reference, by);
            if from.is_some() || matches!(by, By::Static(..) | By::Root(_)) {
                self.edges.push((node, by, from));
            }
        }
        Visit::Continue
    }
}
