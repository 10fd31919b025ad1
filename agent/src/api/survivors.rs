//! What was allocated while a body ran and is still there: the objects before are tagged, the rest is new.

use std::collections::HashSet;

use mayfly_jvmti::{Class, HeapWalk, Jni, ObjectArray, Visit};

use super::environment::walk;
use super::error::ApiError;
use super::rows::{Rows, array_of};

/// Tag of what was there before.
const BEFORE: i64 = -1;
/// Tags of survivors that may be handed out: from here down.
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
    let (counted, mut rows, mut largest) = (&classes.counted, Rows::new(classes.seen), Largest::new(most));
    walk.iterate(|object| {
        if object.tag.get() == 0 && counted.contains(&object.class_tag) {
            rows.add(object.class_tag, object.size);
            if let Some(tag) = largest.take(object.size) {
                object.tag.set(tag);
            }
        }
        Visit::Continue
    })?;
    let answer = rows.into_java(&walk, 1)?;
    answer.set(jni, 3, Some(some(&walk, &largest.tags())?.as_object()));
    Ok(Survivors::Counted(answer))
}

fn some<'call>(walk: &HeapWalk<'call>, tags: &[i64]) -> Result<ObjectArray<'call>, ApiError> {
    let objects = if tags.is_empty() { Vec::new() } else { walk.objects_with_tags(tags)? };
    array_of(walk.jni(), c"java/lang/Object", objects.into_iter().map(|(object, _)| object).collect())
}

/// The largest objects of a walk, by tags that it gives out: the first of those of one size.
struct Largest {
    most: usize,
    /// (size, tag), largest first.
    kept: Vec<(u64, i64)>,
    next: i64,
}

impl Largest {
    fn new(most: usize) -> Self {
        // With room for one more: within a safepoint nothing is allocated.
        Self { most, kept: Vec::with_capacity(most + 1), next: FIRST_SHOWN }
    }

    /// The tag of an object of this size, if it is one of the largest so far.
    fn take(&mut self, size: u64) -> Option<i64> {
        let at = self.kept.partition_point(|&(kept, _)| kept >= size);
        if at == self.most {
            return None;
        }
        let tag = self.next;
        self.next -= 1;
        self.kept.insert(at, (size, tag));
        self.kept.truncate(self.most);
        Some(tag)
    }

    fn tags(&self) -> Vec<i64> {
        self.kept.iter().map(|&(_, tag)| tag).collect()
    }
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

/// Beginnings of names of classes that are not the program's, though its loaders may have them: ours, those of what runs tests,
/// dynamic proxies (annotations, for one, whose objects stay once they are asked for).
const OTHERS: &[&str] = &[
    "io.mayfly.",
    "org.junit.",
    "org.opentest4j.",
    "org.apache.maven.surefire.",
    "org.gradle.",
    "jdk.proxy",
    "com.sun.proxy.",
];

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
    let is_others = OTHERS.iter().any(|own| element.starts_with(own));
    Ok(!is_hidden && !is_others && loader_class != "jdk.internal.loader.ClassLoaders$PlatformClassLoader")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of those that are handed out.
    fn largest(most: usize, sizes: &[u64]) -> Vec<usize> {
        let mut largest = Largest::new(most);
        let tags: Vec<_> = sizes.iter().map(|&size| largest.take(size)).collect();
        let position = |tag| tags.iter().position(|given| *given == Some(tag)).expect("a tag that was given");
        largest.tags().into_iter().map(position).collect()
    }

    #[test]
    fn the_largest_are_handed_out_and_of_one_size_the_first() {
        assert_eq!(largest(3, &[16, 16, 16, 16]), [0, 1, 2]);
        assert_eq!(largest(3, &[16, 24, 16, 100, 24, 8, 24]), [3, 1, 4]);
        assert_eq!(largest(3, &[16]), [0]);
        assert_eq!(largest(0, &[16, 24]), []);
    }
}
