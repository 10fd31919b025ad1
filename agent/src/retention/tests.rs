//! Paths in made-up heaps, walked as the JVM walks: in depth, each object's references once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mayfly_jvmti::{HeapVisitor, Reference, ReferenceKind, Visit};
use mayfly_profile::{Link, LinkKind, Room};

use super::names::{ClassNames, Names};
use super::path::Path;
use super::search::{ClassTag, Search};

/// Classes of made-up heaps, with their fields; the tag is the place, from one on.
const CLASSES: [(&str, &[&str]); 7] = [
    ("a.Main", &["MODEL", "LAST"]),
    ("a.Model", &["rows"]),
    ("java.util.ArrayList", &["elementData"]),
    ("[Ljava.lang.Object;", &[]),
    ("a.Row", &["view", "next"]),
    ("a.View", &["row"]),
    ("java.lang.ref.WeakReference", &["referent"]),
];
const MAIN: usize = 0;
const MODEL: usize = 1;
const LIST: usize = 2;
const ARRAY: usize = 3;
const ROW: usize = 4;
const VIEW: usize = 5;
const WEAK: usize = 6;

/// Objects by number, each of a class, with what it refers to: a field's number, or a slot of an array.
#[derive(Default)]
struct Heap {
    objects: Vec<(usize, Vec<usize>)>,
    fields: BTreeMap<(usize, usize), u32>,
    /// Static fields of `a.Main`.
    statics: Vec<(u32, usize)>,
    tags: Vec<Cell<i64>>,
    length: u32,
}

impl Heap {
    fn object(&mut self, class: usize) -> usize {
        self.objects.push((class, Vec::new()));
        self.tags.push(Cell::new(0));
        self.objects.len() - 1
    }

    fn refer(&mut self, from: usize, field: u32, to: usize) {
        self.objects[from].1.push(to);
        self.fields.insert((from, self.objects[from].1.len() - 1), field);
    }

    fn walk(&self, search: &mut Search) {
        search.begin(Instant::now() + Duration::from_secs(60));
        let main = Cell::new(MAIN as i64 + 1);
        let mut open = Vec::new();
        let mut seen = vec![false; self.objects.len()];
        let length = |to: usize| (self.objects[to].0 == ARRAY).then_some(self.length);
        for &(field, to) in &self.statics {
            let kind = ReferenceKind::StaticField(field);
            self.show(search, kind, 0, Some(&main), to, length(to));
            open.push(to);
        }
        while let Some(from) = open.pop() {
            if std::mem::replace(&mut seen[from], true) {
                continue;
            }
            let (class, references) = &self.objects[from];
            for (at, &to) in references.iter().enumerate() {
                let field = self.fields[&(from, at)];
                let is_array = *class == ARRAY;
                let kind = if is_array { ReferenceKind::Element(field) } else { ReferenceKind::Field(field) };
                self.show(search, kind, *class as ClassTag + 1, Some(&self.tags[from]), to, length(to));
                open.push(to);
            }
        }
    }

    fn show(
        &self,
        search: &mut Search,
        kind: ReferenceKind,
        referrer_class_tag: ClassTag,
        referrer_tag: Option<&Cell<i64>>,
        to: usize,
        length: Option<u32>,
    ) {
        let class_tag = self.objects[to].0 as ClassTag + 1;
        let tag = &self.tags[to];
        let reference =
            Reference { kind, class_tag, referrer_class_tag, size: 16, tag, referrer_tag, length };
        assert_eq!(search.reference(&reference), Visit::Continue);
    }

    /// The path to these objects, and how many walks it took.
    fn path(&self, objects: &[usize]) -> (Vec<Link>, u32) {
        let mut search = Search::new(CLASSES.len() as ClassTag);
        for &object in objects {
            self.tags[object].set(search.add(self.tags[object].get(), 0).expect("room"));
        }
        let (names, mut path) = (names(), Path::default());
        for walks in 1..30 {
            self.walk(&mut search);
            path.measure(&search);
            if let Some(next) = search.steps(0).and_then(|steps| path.go_on(steps, &names)) {
                search.want(0, next);
            }
            if path.is_done() {
                return (path.links(&names), walks);
            }
        }
        panic!("no end");
    }
}

fn names() -> Names {
    let of = |(name, fields): &(&str, &[&str])| {
        let declaring = if name.starts_with("java.lang.ref.") { "java.lang.ref.Reference" } else { name };
        ClassNames::declaring(name, declaring, fields)
    };
    Names::known((1..).zip(CLASSES.iter().map(of)))
}

fn words(links: &[Link]) -> Vec<String> {
    let word = |link: &Link| match &link.by {
        LinkKind::Field(name) => format!("{}.{name}", link.class),
        LinkKind::StaticField(name) => format!("static {}.{name}", link.class),
        LinkKind::Element => format!("{} x{}", link.class, link.holders),
        LinkKind::Root(what) => what.clone(),
    };
    links.iter().map(word).collect()
}

/// A list of the model, of so many rows, each with a view that refers back to it.
fn listed(rows: usize) -> (Heap, Vec<usize>) {
    let mut heap = Heap { length: 50, ..Heap::default() };
    let [model, list, array] = [MODEL, LIST, ARRAY].map(|class| heap.object(class));
    heap.statics.push((0, model));
    heap.refer(model, 0, list);
    heap.refer(list, 0, array);
    let all: Vec<_> = (0..rows).map(|_| heap.object(ROW)).collect();
    for (slot, &row) in all.iter().enumerate() {
        let view = heap.object(VIEW);
        heap.refer(row, 0, view);
        heap.refer(view, 0, row);
        heap.refer(array, slot as u32, row);
    }
    (heap, all)
}

#[test]
fn a_path_leads_to_a_static_field_and_not_in_circles() {
    let (heap, rows) = listed(40);
    let (path, walks) = heap.path(&rows[..20]);
    let expected =
        ["[Ljava.lang.Object; x1", "java.util.ArrayList.elementData", "a.Model.rows", "static a.Main.MODEL"];
    assert_eq!((words(&path), walks), (expected.map(str::to_owned).to_vec(), 4));
    assert_eq!(path[0].room, Some(Room { used: 40, length: 50 }));
}

/// Of one object nobody knows what gathers: its view is tried first, and comes to nothing.
#[test]
fn a_way_that_leads_back_is_given_up() {
    let (mut heap, rows) = listed(1);
    heap.objects[rows[0]].1.reverse();
    let (path, _) = heap.path(&rows);
    assert_eq!(words(&path).last().map(String::as_str), Some("static a.Main.MODEL"));
}

#[test]
fn a_list_that_is_linked_is_one_step() {
    let mut heap = Heap::default();
    let rows: Vec<_> = (0..1_000).map(|_| heap.object(ROW)).collect();
    heap.statics.push((1, rows[0]));
    for pair in rows.windows(2) {
        heap.refer(pair[0], 1, pair[1]);
    }
    let (path, walks) = heap.path(&rows[100..200]);
    assert_eq!((words(&path), walks), (vec!["static a.Main.LAST".to_owned()], 2));
}

#[test]
fn what_a_weak_reference_has_is_not_held_by_it() {
    let (mut heap, rows) = listed(8);
    let cleared = heap.object(WEAK);
    heap.statics.push((1, cleared));
    for &row in &rows {
        heap.refer(cleared, 0, row);
    }
    assert_eq!(words(&heap.path(&rows).0)[0], "[Ljava.lang.Object; x1");
    let alone = heap.object(ROW);
    heap.refer(cleared, 0, alone);
    assert_eq!(heap.path(&[alone]).0, []);
}
