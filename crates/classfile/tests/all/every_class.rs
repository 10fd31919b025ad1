//! Every class of every JVM found: an unedited pass changes no byte, and a rewritten class is the old one plus hooks.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::thread;

use jvmti_bindings::classfile as other_reader;
use mayfly_classfile::allocation::{self, Options};
use mayfly_classfile::{ClassEditor, ClassFile, MethodRefusal};

use crate::support;
use crate::support::jvms::{self, DumpedClass};
use crate::support::rewriting;

#[test]
fn every_class_is_itself_plus_its_hooks() {
    let homes = jvms::homes();
    if homes.is_empty() {
        return jvms::skip("every_class", "no JVM found; set JAVA_HOME or MAYFLY_JVMS");
    }
    let folder = jvms::scratch("every_class");
    if jvms::compile(&homes, &jvms::dump_source(), &folder).is_none() {
        return jvms::skip("every_class", "no JVM found has a javac; set JAVA_HOME to a JDK");
    }
    // Builds of one release have most classes in common: each is checked once.
    let hasher = RandomState::new();
    let (mut checked, mut hooks, mut spared) = (HashSet::new(), 0, 0);
    for home in &homes {
        let mut classes = jvms::classes(home, &folder, None);
        classes.retain(|class| checked.insert(hasher.hash_one(&class.bytes)));
        let (one, other) = classes.split_at(classes.len() / 2);
        thread::scope(|scope| {
            let halves = [one, other].map(|half| scope.spawn(|| check_all(home, half)));
            for half in halves {
                let (found, needless) = half.join().expect("all classes hold");
                (hooks, spared) = (hooks + found, spared + needless);
            }
        });
    }
    assert!(hooks > 1000, "only {hooks} hooks in all classes of {homes:?}");
    assert!(spared > checked.len() / 3, "{spared} of {} classes need no hooks", checked.len());
}

/// Hooks in all of them, and how many are known to need none.
fn check_all(home: &Path, classes: &[DumpedClass]) -> (usize, usize) {
    let (mut hooks, mut spared) = (0, 0);
    let mut failed = BTreeMap::new();
    for class in classes {
        let checked = panic::catch_unwind(AssertUnwindSafe(|| (check(class), is_spared(class))));
        match checked {
            Ok((found, needless)) => (hooks, spared) = (hooks + found, spared + usize::from(needless)),
            Err(_) => drop(failed.insert(&class.name, ())),
        }
    }
    assert!(failed.is_empty(), "{home:?}: {:?}", failed.keys());
    (hooks, spared)
}

/// Whether a loaded class would be left alone, which must be one that rewriting leaves as it is.
fn is_spared(class: &DumpedClass) -> bool {
    let file = ClassFile::parse(&class.bytes).expect("a class of a JVM");
    let codes = || {
        let codes = file.methods().iter().filter_map(|method| file.code(method).expect("sound code"));
        codes.map(|code| code.bytecode.to_vec())
    };
    let options = Options { add_fields: false, compiles_huge_methods: false };
    let [plain, placed] = [false, true]
        .map(|places| allocation::may_get_hooks(file.name(), file.pool().constants(), codes(), places));
    let is_left =
        |rewritten: Result<_, _>| rewritten.expect("a class of a JVM") == allocation::Rewritten::default();
    let mut numbers = Numbers(0);
    assert!(plain || is_left(rewriting::rewrite(&class.bytes, options)));
    assert!(placed || is_left(rewriting::rewrite_counting(&class.bytes, options, Some(&mut numbers))));
    assert_eq!(numbers.0, 0);
    !plain
}

fn check(class: &DumpedClass) -> usize {
    assert_eq!(relaid(&class.bytes), class.bytes, "relaying without edits changes a class");
    let old = other_reader::ClassFile::parse(&class.bytes).expect("a class of a JVM");
    let options = Options { add_fields: true, compiles_huge_methods: false };
    let rewritten = rewriting::rewrite(&class.bytes, options).expect("a class of a JVM");
    let hooks = check_rewritten(&old, &rewritten, false);
    let mut numbers = Numbers(FIRST_NUMBER);
    let placed = rewriting::rewrite_counting(&class.bytes, options, Some(&mut numbers));
    hooks + check_rewritten(&old, &placed.expect("a class of a JVM"), true)
}

fn check_rewritten(old: &other_reader::ClassFile, rewritten: &allocation::Rewritten, places: bool) -> usize {
    // What has no room for all of its hooks has those that are expected.
    let cut = rewritten.refused.iter().filter(|method| method.reason == MethodRefusal::NeverCompiled);
    assert_eq!(rewritten.refused.len(), cut.count(), "{:?}", rewritten.refused);
    let hooks = match &rewritten.class {
        Some(new) => {
            let new = other_reader::ClassFile::parse(new).expect("a rewritten class");
            support::agreement::check_hooked(old, &new, places)
        }
        None => support::expected_hooks::count(old, places),
    };
    assert_eq!(rewritten.sites as usize, hooks);
    hooks
}

/// Some classes have places on both sides of the largest number that `sipush` takes.
const FIRST_NUMBER: u32 = i16::MAX as u32 - 5;

struct Numbers(u32);

impl allocation::Places for Numbers {
    fn number(&mut self, place: allocation::Place<'_>) -> Option<u32> {
        assert!(!place.class.is_empty() && !place.method.is_empty());
        self.0 += 1;
        Some(self.0)
    }
}

/// The class with each method laid out anew, nothing inserted.
fn relaid(bytes: &[u8]) -> Vec<u8> {
    let class = ClassFile::parse(bytes).expect("a class of a JVM");
    let mut editor = ClassEditor::new(&class);
    for (index, method) in class.methods().iter().enumerate() {
        if class.code(method).expect("sound code").is_some() {
            editor.edit_method(index);
        }
    }
    let edited = editor.finish().expect("nothing added");
    assert_eq!(edited.refused, []);
    edited.bytes
}
