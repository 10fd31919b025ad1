//! The tree of dominators with all objects made one that have the same class, and so have all above them.

use rustc_hash::FxHashMap;

use crate::dominators::Dominators;
use crate::edge::{EdgeName, Strength};
use crate::graph::Graph;
use crate::index::ObjectIndex;
use mayfly_counts::Total;

/// Number of a node of a class tree. 0 stands for the roots together.
pub(super) type NodeIndex = u32;

/// No object's number.
const NO_OBJECT: u32 = u32::MAX;

/// Objects by the classes that they hang below.
#[derive(Debug)]
pub(super) struct ClassTree {
    pub(super) nodes: Vec<ClassNode>,
    /// The node of each object; 0 for what is not reachable.
    pub(super) node_of: Vec<NodeIndex>,
    /// The immediate dominator of each object; [`NO_OBJECT`] where there is none.
    pub(super) above: Vec<u32>,
}

/// Objects of one class below others.
#[derive(Debug)]
pub(super) struct ClassNode {
    pub(super) above: NodeIndex,
    /// A class's name; of what only a static field holds, that field and the class's name.
    pub(super) label: Box<str>,
    pub(super) below: Vec<NodeIndex>,
    /// Its objects.
    pub(super) own: Total,
    /// Its objects, and all below.
    pub(super) retained: Total,
    /// Of its objects and all below, those that hold something softly (`java.lang.ref.SoftReference`).
    pub(super) soft: u64,
    /// Bytes outside of the heap, of its objects and all below.
    pub(super) off_heap: u64,
    of_the_jdk: bool,
}

impl ClassNode {
    fn new(above: NodeIndex, label: Box<str>) -> Self {
        let none = Total::default();
        Self {
            above,
            label,
            below: Vec::new(),
            own: none,
            retained: none,
            soft: 0,
            off_heap: 0,
            of_the_jdk: false,
        }
    }
}

impl ClassTree {
    pub(super) fn new(graph: &Graph, dominators: &Dominators) -> Self {
        let mut growing = Growing::new(graph);
        let (mut node_of, mut all_above) = (vec![0; graph.len()], vec![NO_OBJECT; graph.len()]);
        // Each comes after its dominators.
        for object in dominators.reachable() {
            let above = dominators.immediate(object);
            let node = growing.node(above.map_or(0, |above| node_of[above.0 as usize]), above, object);
            node_of[object.0 as usize] = node;
            all_above[object.0 as usize] = above.map_or(NO_OBJECT, |above| above.0);
            let node = &mut growing.nodes[node as usize];
            node.own.add(Total::one(graph.size(object)));
            node.off_heap += graph.off_heap(object);
            node.soft += u64::from(graph.edges(object).any(|edge| edge.name.strength() == Strength::Soft));
        }
        Self { nodes: growing.finish(), node_of, above: all_above }
    }

    /// What alone holds an object directly, if anything does.
    pub(super) fn dominator(&self, object: ObjectIndex) -> Option<ObjectIndex> {
        let above = self.above.get(object.0 as usize).copied().filter(|&above| above != NO_OBJECT);
        above.map(ObjectIndex)
    }
}

struct Growing<'graph> {
    graph: &'graph Graph,
    nodes: Vec<ClassNode>,
    labels: FxHashMap<Box<str>, u32>,
    by_class: Vec<Option<u32>>,
    /// Number of the label of each node.
    label_of: Vec<u32>,
    /// The node below another for a label.
    known: FxHashMap<(NodeIndex, u32), NodeIndex>,
}

impl<'graph> Growing<'graph> {
    fn new(graph: &'graph Graph) -> Self {
        let top = ClassNode::new(0, "".into());
        Self {
            graph,
            nodes: vec![top],
            labels: FxHashMap::default(),
            by_class: vec![None; graph.classes().len()],
            label_of: vec![u32::MAX],
            known: FxHashMap::default(),
        }
    }

    /// The node of an object below another node. What is below a node with the same label is put into that one: a list of a
    /// million elements is one node, not a million. A collection in an element of a collection is another one, so a class of the JDK
    /// is only put into one with none but such classes between.
    fn node(&mut self, above: NodeIndex, dominator: Option<ObjectIndex>, object: ObjectIndex) -> NodeIndex {
        let label = self.label(dominator, object);
        if let Some(&node) = self.known.get(&(above, label)) {
            return node;
        }
        let of_the_jdk = self.is_of_the_jdk(object);
        let mut same = above;
        while same != 0 && self.label_of[same as usize] != label {
            let node = &self.nodes[same as usize];
            same = if of_the_jdk && !node.of_the_jdk { 0 } else { node.above };
        }
        let node = if same == 0 { self.add(above, dominator, object, label) } else { same };
        self.known.insert((above, label), node);
        node
    }

    fn add(
        &mut self,
        above: NodeIndex,
        dominator: Option<ObjectIndex>,
        object: ObjectIndex,
        label: u32,
    ) -> NodeIndex {
        let node = self.nodes.len() as NodeIndex;
        let label_text = self.text(dominator, object);
        let of_the_jdk = self.is_of_the_jdk(object);
        self.nodes.push(ClassNode { of_the_jdk, ..ClassNode::new(above, label_text) });
        self.label_of.push(label);
        self.nodes[above as usize].below.push(node);
        node
    }

    /// Whether an object is of a class in `java.*`, or an array of such, or of numbers.
    fn is_of_the_jdk(&self, object: ObjectIndex) -> bool {
        let name = &*self.graph.class(self.graph.class_of(object)).name;
        let element = name.trim_start_matches('[');
        match element.strip_prefix('L').filter(|_| element.len() < name.len()) {
            Some(class) => class.starts_with("java."),
            None => element.len() < name.len() || element.starts_with("java."),
        }
    }

    /// The number of the label of an object.
    fn label(&mut self, dominator: Option<ObjectIndex>, object: ObjectIndex) -> u32 {
        let class = self.graph.class_of(object).0 as usize;
        let of_class = dominator.is_none_or(|above| self.graph.mirrored(above).is_none());
        let of_class = of_class && self.graph.mirrored(object).is_none();
        if let Some(label) = self.by_class[class].filter(|_| of_class) {
            return label;
        }
        let text = self.text(dominator, object);
        let next = self.labels.len() as u32;
        let label = *self.labels.entry(text).or_insert(next);
        if of_class {
            self.by_class[class] = Some(label);
        }
        label
    }

    fn text(&self, dominator: Option<ObjectIndex>, object: ObjectIndex) -> Box<str> {
        let graph = self.graph;
        if let Some(class) = graph.mirrored(object) {
            return format!("class {}", graph.class(class).name).into();
        }
        let class = &graph.class(graph.class_of(object)).name;
        match dominator.and_then(|above| static_field(graph, above, object)) {
            Some(field) => format!("{field}: {class}").into(),
            None => class.clone(),
        }
    }

    /// The nodes, each with what is below it.
    fn finish(mut self) -> Vec<ClassNode> {
        // Each was added after the one above.
        for number in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[number];
            node.retained = node.retained.and(node.own);
            let (above, retained, soft, off_heap) =
                (node.above as usize, node.retained, node.soft, node.off_heap);
            if number > 0 {
                let above = &mut self.nodes[above];
                above.retained = above.retained.and(retained);
                above.soft += soft;
                above.off_heap += off_heap;
            }
        }
        self.nodes
    }
}

/// The class in a label, without the static field that holds it.
pub(super) fn class_of(label: &str) -> &str {
    label.rsplit(": ").next().unwrap_or(label)
}

/// The static field of a class that refers to an object.
fn static_field(graph: &Graph, class: ObjectIndex, object: ObjectIndex) -> Option<&str> {
    graph.edges(class).filter(|edge| edge.to == object).find_map(|edge| match edge.name {
        EdgeName::Static { name, .. } => Some(&**name),
        _ => None,
    })
}
