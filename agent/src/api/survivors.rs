//! What was allocated while a body ran and is still there: the objects before are tagged, the rest is new.

use std::collections::HashSet;

use mayfly_jvmti::{Class, HeapWalk, Jni, ObjectArray, Visit};

use super::environment::walk;
use super::error::ApiError;
use super::rows::{Rows, array_of};

/// Tag of what was there before.
const BEFORE: i64 = -1;
/// Tags of survivors that are handed out: from here down.
const FIRST_SHOWN: i64 = -2;

/// What the body ended in.
pub(crate) enum Survivors<'call> {
    /// An exception, which is pending.
    Threw,
    /// `{Class[], long[] objects, long[] bytes, Object[] some}`.
    Counted(ObjectArray<'call>),
}

/// Runs `body`, which is to end with a collection, and counts the objects of some classes and their subclasses that came
/// while it ran. Without classes: of all that belong to the program.
pub(crate) fn survivors<'call>(
    jni: Jni<'call>,
    body: impl FnOnce() -> bool,
    types: Option<&[Class<'_>]>,
    most: usize,
) -> Result<Survivors<'call>, ApiError> {
    let walk = walk(jni)?;
    let mut classes = Classes { types, counted: HashSet::new(), seen: 0 };
    classes.tag_new(&walk)?;
    let counted = &classes.counted;
    walk.iterate(|object| {
        if object.tag.get() == 0 && counted.contains(&object.class_tag) {
            object.tag.set(BEFORE);
        }
        Visit::Continue
    })?;
    if !body() {
        return Ok(Survivors::Threw);
    }
    classes.tag_new(&walk)?;
    let (counted, mut rows, mut shown) = (&classes.counted, Rows::new(classes.seen), FIRST_SHOWN);
    let last_shown = FIRST_SHOWN - most as i64;
    walk.iterate(|object| {
        if object.tag.get() == 0 && counted.contains(&object.class_tag) {
            rows.add(object.class_tag, object.size);
            if shown > last_shown {
                object.tag.set(shown);
                shown -= 1;
            }
        }
        Visit::Continue
    })?;
    let answer = rows.into_java(&walk, 1)?;
    answer.set(jni, 3, Some(some(&walk, shown)?.as_object()));
    Ok(Survivors::Counted(answer))
}

fn some<'call>(walk: &HeapWalk<'call>, end: i64) -> Result<ObjectArray<'call>, ApiError> {
    let tags: Vec<i64> = (end + 1..=FIRST_SHOWN).collect();
    let objects = if tags.is_empty() { Vec::new() } else { walk.objects_with_tags(&tags)? };
    array_of(walk.jni(), c"java/lang/Object", objects.into_iter().map(|(object, _)| object).collect())
}

/// The classes met so far. Tags run from 1 on.
struct Classes<'types> {
    types: Option<&'types [Class<'types>]>,
    counted: HashSet<i64>,
    seen: usize,
}

impl Classes<'_> {
    /// Tags the classes that have no tag yet.
    fn tag_new(&mut self, walk: &HeapWalk<'_>) -> Result<(), ApiError> {
        walk.with_classes(|classes| {
            for &class in classes {
                if walk.tag(class.as_object())? > 0 {
                    continue;
                }
                self.seen += 1;
                let tag = self.seen as i64;
                walk.set_tag(class.as_object(), tag)?;
                if self.is_counted(walk, class)? {
                    self.counted.insert(tag);
                }
            }
            Ok(())
        })?
    }

    fn is_counted(&self, walk: &HeapWalk<'_>, class: Class<'_>) -> Result<bool, ApiError> {
        match self.types {
            Some(types) => Ok(types.iter().any(|&wanted| walk.jni().is_assignable(class, wanted))),
            None => is_the_programs(walk, class),
        }
    }
}

/// Whether a class belongs to the program: not to the JDK, nor to what runs tests. What `invokedynamic` makes stays once
/// for each place in the code, and is not the program's either.
fn is_the_programs(walk: &HeapWalk<'_>, class: Class<'_>) -> Result<bool, ApiError> {
    let Some(loader) = walk.loader(class)? else { return Ok(false) };
    let loader_class = walk.class_name(walk.jni().class_of(loader))?;
    walk.jni().forget(loader);
    let name = walk.class_name(class)?;
    let element = name.trim_start_matches('[');
    let element = if element.len() < name.len() { element.trim_start_matches('L') } else { element };
    let is_hidden = element.contains('/');
    let is_test_runner =
        ["io.mayfly.", "org.junit.", "org.opentest4j."].iter().any(|own| element.starts_with(own));
    Ok(!is_hidden
        && !is_test_runner
        && loader_class != "jdk.internal.loader.ClassLoaders$PlatformClassLoader")
}
