//! Names of the classes and fields that paths lead by, asked for after a walk.

use std::collections::BTreeSet;
use std::iter;

use mayfly_jvmti::{Class, FieldFacts, HeapWalk, JvmtiError};
use mayfly_profile::{is_of_expiry, is_of_the_jdk, is_of_the_program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::search::ClassTag;

const REFERENCE: &str = "java.lang.ref.Reference";
const SOFT_REFERENCE: &str = "java.lang.ref.SoftReference";
const FINAL_REFERENCE: &str = "java.lang.ref.FinalReference";
/// Where the kinds of references are.
const REFERENCES: &str = "java.lang.ref.";
const REFERENT: &str = "referent";
/// A list of the collector's own.
const DISCOVERED: &str = "discovered";

/// A map that overrides this method drops its eldest entry as it says.
const LINKED_HASH_MAP: &str = "java.util.LinkedHashMap";
const EVICTS: &str = "removeEldestEntry";

/// What is known of a class.
#[derive(Debug, Default)]
pub(super) struct ClassNames {
    pub(super) name: String,
    /// Its superclasses, the nearest first.
    ancestors: Vec<String>,
    /// How many fields its interfaces declare: the indices of others come after these.
    first: usize,
    /// Declaring class and name, those of the outermost superclass first.
    fields: Vec<(String, String)>,
    /// A field of objects by which entries may be dropped in time: no number, no static one. Or the method by which a map drops its eldest.
    pub(super) expiry: Option<String>,
}

impl ClassNames {
    /// The class that declares a field, by JVMTI's index, and its name.
    pub(super) fn field(&self, index: u32) -> Option<(&str, &str)> {
        let (class, name) = self.fields.get((index as usize).checked_sub(self.first)?)?;
        Some((class, name))
    }

    /// By which class a field is called: the one that declares it, or the program's own that inherits it from the JDK's; of references the kind.
    pub(super) fn shown<'a>(&'a self, declaring: &'a str) -> &'a str {
        if declaring == REFERENCE {
            let mut lineage = iter::once(&self.name).chain(&self.ancestors);
            return lineage.find(|name| name.starts_with(REFERENCES)).map_or(declaring, String::as_str);
        }
        if is_of_the_program(&self.name) && is_of_the_jdk(declaring) { &self.name } else { declaring }
    }

    /// Whether a field holds nothing: what only weak and phantom references refer to is garbage.
    pub(super) fn is_weak(&self, index: u32) -> bool {
        let is_a = |class: &str| self.name == class || self.ancestors.iter().any(|of| of == class);
        match self.field(index) {
            Some((REFERENCE, REFERENT)) => !is_a(SOFT_REFERENCE) && !is_a(FINAL_REFERENCE),
            Some((REFERENCE, DISCOVERED)) => true,
            _ => false,
        }
    }
}

/// Those that were asked for.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashMap<ClassTag, ClassNames>);

#[cfg(test)]
impl ClassNames {
    /// Of a class with fields that another, or itself, declares.
    pub(super) fn declaring(name: &str, declaring: &str, fields: &[&str]) -> Self {
        let fields = fields.iter().map(|&field| (declaring.to_owned(), field.to_owned())).collect();
        Self { name: name.to_owned(), fields, ..Self::default() }
    }
}

impl Names {
    /// Of these classes.
    #[cfg(test)]
    pub(super) fn known(classes: impl Iterator<Item = (ClassTag, ClassNames)>) -> Self {
        Self(classes.collect())
    }

    /// Asks for those that are not known yet.
    ///
    /// # Errors
    /// Refused by the VM.
    pub(super) fn learn(&mut self, walk: &HeapWalk<'_>, tags: &BTreeSet<ClassTag>) -> Result<(), JvmtiError> {
        let unknown: Vec<_> =
            tags.iter().copied().filter(|tag| *tag != 0 && !self.0.contains_key(tag)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        for (class, tag) in walk.classes_with_tags(&unknown)? {
            self.0.insert(tag, names_of(walk, class)?);
            walk.jni().forget(class.as_object());
        }
        Ok(())
    }

    pub(super) fn of(&self, tag: ClassTag) -> Option<&ClassNames> {
        self.0.get(&tag)
    }
}

/// Gives every loaded class a tag, from one on; how many there are.
///
/// # Errors
/// Refused by the VM.
pub(super) fn tag_classes(walk: &HeapWalk<'_>) -> Result<ClassTag, JvmtiError> {
    walk.with_classes(|classes| {
        for (class, tag) in classes.iter().zip(1..) {
            walk.set_tag(class.as_object(), tag)?;
        }
        Ok(classes.len() as ClassTag)
    })?
}

fn names_of(walk: &HeapWalk<'_>, class: Class<'_>) -> Result<ClassNames, JvmtiError> {
    let mut names = ClassNames { name: walk.class_name(class)?, ..ClassNames::default() };
    let mut interfaces = Interfaces::default();
    let mut own = vec![fields(walk, class, &mut names)?];
    interfaces.count(walk, class)?;
    let mut next = walk.superclass(class);
    while let Some(superclass) = next {
        let name = walk.class_name(superclass)?;
        names.ancestors.push(name);
        own.push(fields(walk, superclass, &mut names)?);
        interfaces.count(walk, superclass)?;
        next = walk.superclass(superclass);
        walk.jni().forget(superclass.as_object());
    }
    let may_evict = names.ancestors.iter().any(|name| name == LINKED_HASH_MAP) && names.expiry.is_none();
    if may_evict && is_of_the_program(&names.name) && walk.declares(class, EVICTS)? {
        names.expiry = Some(EVICTS.to_owned());
    }
    names.first = interfaces.fields;
    names.fields = own.into_iter().rev().flatten().collect();
    Ok(names)
}

/// The fields of a class, the last whose name is known of these.
fn fields(
    walk: &HeapWalk<'_>,
    class: Class<'_>,
    names: &mut ClassNames,
) -> Result<Vec<(String, String)>, JvmtiError> {
    let fields = walk.fields(class)?;
    let may_expire =
        |field: &&FieldFacts| !field.is_static() && field.descriptor.len() > 1 && is_of_expiry(&field.name);
    let expiry = fields.iter().find(may_expire).map(|field| field.name.clone());
    let name = names.ancestors.last().unwrap_or(&names.name).clone();
    names.expiry = names.expiry.take().or(expiry);
    Ok(fields.into_iter().map(|field| (name.clone(), field.name)).collect())
}

/// Fields of interfaces, each of which counts once.
#[derive(Default)]
struct Interfaces {
    seen: FxHashSet<String>,
    fields: usize,
}

impl Interfaces {
    fn count(&mut self, walk: &HeapWalk<'_>, class: Class<'_>) -> Result<(), JvmtiError> {
        for interface in walk.interfaces(class)? {
            if self.seen.insert(walk.class_name(interface)?) {
                self.fields += walk.fields(interface)?.len();
                self.count(walk, interface)?;
            }
            walk.jni().forget(interface.as_object());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, ancestors: &[&str]) -> ClassNames {
        let field = |name: &str| (REFERENCE.to_owned(), name.to_owned());
        ClassNames {
            name: name.to_owned(),
            ancestors: ancestors.iter().map(|&of| of.to_owned()).collect(),
            first: 2,
            fields: vec![field(REFERENT), field("queue"), ("a.Key".to_owned(), "value".to_owned())],
            expiry: None,
        }
    }

    #[test]
    fn fields_come_after_those_of_interfaces() {
        let key = of("a.Key", &["java.lang.ref.WeakReference", REFERENCE]);
        assert_eq!(
            [1, 2, 4, 5].map(|index| key.field(index).map(|(_, name)| name)),
            [None, Some(REFERENT), Some("value"), None]
        );
    }

    #[test]
    fn inherited_fields_are_called_by_the_programs_class() {
        let key = of("a.Key", &[SOFT_REFERENCE, REFERENCE]);
        assert_eq!((key.shown("a.Base"), key.shown("java.util.ArrayList")), ("a.Base", "a.Key"));
        assert_eq!(key.shown(REFERENCE), SOFT_REFERENCE);
    }

    #[test]
    fn weak_references_hold_nothing_and_soft_and_final_ones_do() {
        let is_weak = |ancestors: &[&str]| of("a.Key", ancestors).is_weak(2);
        assert!(is_weak(&["java.lang.ref.WeakReference", REFERENCE]));
        assert!(!is_weak(&[SOFT_REFERENCE, REFERENCE]) && !is_weak(&[FINAL_REFERENCE, REFERENCE]));
        assert!(!of("a.Key", &["java.lang.ref.WeakReference", REFERENCE]).is_weak(4), "a value of its own");
    }
}
