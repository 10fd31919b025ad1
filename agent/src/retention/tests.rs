//! Paths in made-up heaps, walked as the JVM walks: in depth, each object's references once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mayfly_jvmti::{HeapVisitor, Reference, ReferenceKind, StackSlot, Visit};
use mayfly_profile::{Link, LinkKind, Room};

use super::names::{ClassNames, Names};
use super::path::Path;
use super::search::{ClassTag, Search};

/// Classes of made-up heaps, with their fields; the tag is the place, from one on.
const CLASSES: [(&str, &[&str]); 8] = [
    ("a.Main", &["MODEL", "LAST"]),
    ("a.Model", &["rows"]),
    ("java.util.ArrayList", &["elementData"]),
    ("[Ljava.lang.Object;", &[]),
    ("a.View$$Lambda/0x1", &["arg$1"]),
    ("a.Row", &["view", "next"]),
    ("a.View", &["row"]),
    ("java.lang.ref.WeakReference", &["referent"]),
];
const SLOT: StackSlot = StackSlot { thread_tag: 0, thread_id: 1, depth: 0, method: 0, location: 0, slot: 0 };
const MAIN: usize = 0;
const MODEL: usize = 1;
const LIST: usize = 2;
const ARRAY: usize = 3;
const LAMBDA: usize = 4;
const ROW: usize = 5;
const VIEW: usize = 6;
const WEAK: usize = 7;

/// Objects by number, each of a class, with what it refers to: a field's number, or a slot of an array.
#[derive(Default)]
struct Heap {
    objects: Vec<(usize, Vec<usize>)>,
    fields: BTreeMap<(usize, usize), u32>,
    /// Static fields of `a.Main`.
    statics: Vec<(u32, usize)>,
    /// What running methods refer to, and in how many walks.
    locals: Vec<(usize, u32)>,
    walks: Cell<u32>,
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

    fn walk(&self, search: &mut Search, shown: Option<ClassTag>) {
        search.begin(Instant::now() + Duration::from_secs(60), shown);
        let main = Cell::new(MAIN as i64 + 1);
        let mut open = Vec::new();
        let mut seen = vec![false; self.objects.len()];
        for &(field, to) in &self.statics {
            let kind = ReferenceKind::StaticField(field);
            self.show(search, kind, 0, Some(&main), to, shown);
            open.push(to);
        }
        let walk = self.walks.replace(self.walks.get() + 1);
        for &(to, _) in self.locals.iter().filter(|&&(_, walks)| walk < walks) {
            self.show(search, ReferenceKind::StackLocal(SLOT), 0, None, to, shown);
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
                self.show(search, kind, *class as ClassTag + 1, Some(&self.tags[from]), to, shown);
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
        shown: Option<ClassTag>,
    ) {
        let class_tag = self.objects[to].0 as ClassTag + 1;
        if shown.is_some_and(|shown| shown != class_tag) {
            return;
        }
        let tag = &self.tags[to];
        let length = (self.objects[to].0 == ARRAY).then_some(self.length);
        let reference =
            Reference { kind, class_tag, referrer_class_tag, size: 16, tag, referrer_tag, length };
        assert_eq!(search.reference(&reference), Visit::Continue);
    }

    /// The path to these objects, and how many walks it took.
    fn path(&self, objects: &[usize]) -> (Vec<Link>, u32) {
        let (links, _) = self.found(objects, false);
        (links, self.walks.get())
    }

    /// The path to these objects, and how many of them only methods at work have.
    fn path_and_work(&self, objects: &[usize]) -> (Vec<Link>, u32) {
        self.found(objects, false)
    }

    /// By walks that show all references, or only those to the class of the last step.
    fn found(&self, objects: &[usize], of_one_class: bool) -> (Vec<Link>, u32) {
        self.walks.set(0);
        self.tags.iter().for_each(|tag| tag.set(0));
        let mut search = Search::new(CLASSES.len() as ClassTag);
        for (number, &object) in objects.iter().enumerate() {
            self.tags[object].set(search.add(self.tags[object].get(), 0, number).expect("room"));
        }
        let class = self.objects[objects[0]].0 as ClassTag + 1;
        let (names, mut path) = (names(), Path::default());
        for _ in 0..30 {
            self.walk(&mut search, of_one_class.then(|| path.class().unwrap_or(class)));
            path.measure(&search, 0);
            if let Some(next) = search.steps(0).and_then(|steps| path.go_on(steps, &names)) {
                search.want(0, next);
            }
            if path.is_done() {
                let at_work = path.at_work().count();
                return (path.links(&names, |arrays| Some(self.room(&search, arrays))), at_work);
            }
        }
        panic!("no end");
    }

    fn room(&self, search: &Search, arrays: &[u32]) -> Room {
        let tags: Vec<_> = arrays.iter().map(|&array| search.tag(array)).collect();
        let arrays = self.objects.iter().zip(&self.tags).filter(|(_, tag)| tags.contains(&tag.get()));
        let used = arrays.map(|((_, references), _)| references.len() as u64).sum();
        Room { used, length: u64::from(self.length) * tags.len() as u64 }
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

/// Each view has lambdas that captured it, which refer back to it; a row has it, too.
#[test]
fn what_lambdas_captured_is_tried_last() {
    let (mut heap, rows) = listed(40);
    let views: Vec<_> = rows.iter().map(|&row| heap.objects[row].1[0]).collect();
    for &view in &views {
        for _ in 0..2 {
            let lambda = heap.object(LAMBDA);
            heap.refer(lambda, 0, view);
            heap.refer(view, 0, lambda);
        }
    }
    let (path, walks) = heap.path(&views);
    assert_eq!((words(&path)[0].as_str(), walks), ("a.Row.view", 5));
}

/// A list in each of forty topics: a few are looked into.
#[test]
fn how_full_many_arrays_are_is_known_by_some() {
    let mut heap = Heap { length: 10, ..Heap::default() };
    let mut rows = Vec::new();
    for _ in 0..40 {
        let [model, list, array] = [MODEL, LIST, ARRAY].map(|class| heap.object(class));
        heap.statics.push((0, model));
        heap.refer(model, 0, list);
        heap.refer(list, 0, array);
        for slot in 0..5 {
            let row = heap.object(ROW);
            heap.refer(array, slot, row);
            rows.push(row);
        }
    }
    let (path, _) = heap.path(&rows);
    assert_eq!((path[0].holders, path[0].room), (40, Some(Room { used: 200, length: 400 })));
}

/// A large heap is looked at one class at a time, as that takes a third.
#[test]
fn walks_that_show_one_class_find_the_same_path() {
    let (heap, rows) = listed(40);
    let mut linked = Heap::default();
    let chain: Vec<_> = (0..100).map(|_| linked.object(ROW)).collect();
    linked.statics.push((1, chain[0]));
    for pair in chain.windows(2) {
        linked.refer(pair[0], 1, pair[1]);
    }
    for (heap, objects) in [(&heap, &rows[..20]), (&linked, &chain[10..50])] {
        assert_eq!(heap.found(objects, true), heap.found(objects, false));
    }
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

/// Rows of a pool: half are in lists of methods that run on between the walks, or have ended before the next.
#[test]
fn what_methods_at_work_have_is_known() {
    for lasts in [true, false] {
        let (mut heap, rows) = listed(40);
        let lent: Vec<_> = (0..20).map(|_| heap.object(ROW)).collect();
        let [list, array] = [LIST, ARRAY].map(|class| heap.object(class));
        heap.refer(list, 0, array);
        for (slot, &row) in lent.iter().enumerate() {
            heap.refer(array, slot as u32, row);
        }
        heap.locals.push((list, if lasts { u32::MAX } else { 1 }));
        let all: Vec<_> = rows.into_iter().chain(lent).collect();
        let (path, at_work) = heap.path_and_work(&all);
        assert_eq!(words(&path).last().map(String::as_str), Some("static a.Main.MODEL"));
        assert_eq!(at_work, 20, "lasts: {lasts}");
    }
}

/// A map that a method is at work with is a field's all the same.
#[test]
fn what_a_field_has_too_is_not_at_work() {
    let (mut heap, rows) = listed(40);
    heap.locals.push((1, u32::MAX));
    let (path, at_work) = heap.path_and_work(&rows);
    assert_eq!((words(&path).last().map(String::as_str), at_work), (Some("static a.Main.MODEL"), 0));
}

#[test]
fn a_method_that_runs_for_ever_may_hold_what_grows() {
    for (walks, expected) in [(u32::MAX, 0), (3, 40)] {
        let (mut heap, rows) = listed(40);
        heap.statics.clear();
        heap.locals.push((1, walks));
        let (path, at_work) = heap.path_and_work(&rows);
        assert_eq!(words(&path).last().map(String::as_str), Some("a local variable of a method that runs"));
        assert_eq!(at_work, expected, "for {walks} walks");
    }
}
