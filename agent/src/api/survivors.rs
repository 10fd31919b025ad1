//! What was allocated while a body ran and is still there: the objects before are tagged, and those that are new at its end; then
//! comes a collection. What comes after the body is nobody's, as what listeners of the collection allocate.

use std::cmp::Reverse;
use std::collections::HashSet;

use mayfly_jvmti::{Class, HeapWalk, Jni, ObjectArray, Visit};

use super::environment::walk;
use super::error::ApiError;
use super::rows::{Rows, array_of};

/// Tag of what was there before.
const BEFORE: i64 = -1;
/// Tag of what came while the body ran.
const NEW: i64 = -2;
/// Tags of survivors that may be handed out: from here down.
const FIRST_SHOWN: i64 = -3;

/// What the body ended in.
pub(crate) enum Survivors<'call> {
    /// An exception, which is pending.
    Threw,
    /// `{Class[], long[] objects, long[] bytes, Object[] some}`.
    Counted(ObjectArray<'call>),
}

/// Runs `body`, then `collect`, and counts the objects of some classes and their subclasses that came while the body ran and are left.
/// Without classes: of all that belong to the program.
pub(crate) fn survivors<'call>(
    jni: Jni<'call>,
    body: impl FnOnce() -> bool,
    collect: impl FnOnce() -> bool,
    types: Option<&[Class<'_>]>,
    most: usize,
) -> Result<Survivors<'call>, ApiError> {
    let walk = walk(jni)?;
    let mut classes = Classes { types, counted: HashSet::new(), seen: 0 };
    classes.tag_untagged(&walk, BEFORE)?;
    if !body() {
        return Ok(Survivors::Threw);
    }
    classes.tag_untagged(&walk, NEW)?;
    if !collect() {
        return Ok(Survivors::Threw);
    }
    let (mut rows, mut shown) = (Rows::new(classes.seen), Shown::new(most, classes.seen));
    walk.iterate(|object| {
        if object.tag.get() == NEW {
            rows.add(object.class_tag, object.size);
            if let Some(tag) = shown.take(object.class_tag, object.size) {
                object.tag.set(tag);
            }
        }
        Visit::Continue
    })?;
    let answer = rows.into_java(&walk, 1)?;
    answer.set(jni, 3, Some(some(&walk, &shown.tags())?.as_object()));
    Ok(Survivors::Counted(answer))
}

fn some<'call>(walk: &HeapWalk<'call>, tags: &[i64]) -> Result<ObjectArray<'call>, ApiError> {
    let objects = if tags.is_empty() { Vec::new() } else { walk.objects_with_tags(tags)? };
    array_of(walk.jni(), c"java/lang/Object", objects.into_iter().map(|(object, _)| object).collect())
}

/// Which survivors are handed out, by tags: the largest of each class, before others that are large, too.
struct Shown {
    of_classes: Vec<Option<(u64, i64)>>,
    largest: Largest,
    next: i64,
}

impl Shown {
    fn new(most: usize, classes: usize) -> Self {
        Self { of_classes: vec![None; classes + 1], largest: Largest::new(most), next: FIRST_SHOWN }
    }

    /// The tag of an object, if it is the largest so far of its class or one of the largest of all. Within a safepoint: no allocation.
    fn take(&mut self, class_tag: i64, size: u64) -> Option<i64> {
        let tag = self.next;
        let row = usize::try_from(class_tag).ok().and_then(|row| self.of_classes.get_mut(row));
        let first = row.filter(|row| row.is_none_or(|(largest, _)| largest < size));
        let is_first = first.map(|row| *row = Some((size, tag))).is_some();
        let is_large = self.largest.take(size, tag);
        (is_first || is_large).then(|| self.next -= 1)?;
        Some(tag)
    }

    fn tags(&self) -> Vec<i64> {
        let mut tags: Vec<_> = self.of_classes.iter().flatten().copied().collect();
        tags.sort_by_key(|&(size, tag)| (Reverse(size), Reverse(tag)));
        let others: Vec<_> = self.largest.kept.iter().filter(|one| !tags.contains(one)).copied().collect();
        tags.into_iter().chain(others).map(|(_, tag)| tag).take(self.largest.most).collect()
    }
}

/// The largest objects of a walk: the first of those of one size.
struct Largest {
    most: usize,
    /// (size, tag), largest first.
    kept: Vec<(u64, i64)>,
}

impl Largest {
    fn new(most: usize) -> Self {
        // With room for one more: within a safepoint nothing is allocated.
        Self { most, kept: Vec::with_capacity(most + 1) }
    }

    /// Whether an object of this size is one of the largest so far.
    fn take(&mut self, size: u64, tag: i64) -> bool {
        let at = self.kept.partition_point(|&(kept, _)| kept >= size);
        if at == self.most {
            return false;
        }
        self.kept.insert(at, (size, tag));
        self.kept.truncate(self.most);
        true
    }
}

/// The classes met so far. Tags run from 1 on.
struct Classes<'types> {
    types: Option<&'types [Class<'types>]>,
    counted: HashSet<i64>,
    seen: usize,
}

impl Classes<'_> {
    /// Tags the objects that count and have no tag yet.
    fn tag_untagged(&mut self, walk: &HeapWalk<'_>, tag: i64) -> Result<(), ApiError> {
        self.tag_new(walk)?;
        let counted = &self.counted;
        walk.iterate(|object| {
            if object.tag.get() == 0 && counted.contains(&object.class_tag) {
                object.tag.set(tag);
            }
            Visit::Continue
        })?;
        Ok(())
    }

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
    let element = element_of(&name);
    let is_hidden = element.contains('/');
    let is_others = OTHERS.iter().any(|own| element.starts_with(own));
    Ok(!is_hidden && !is_others && loader_class != "jdk.internal.loader.ClassLoaders$PlatformClassLoader")
}

/// `p.List` of `[[Lp.List;`; what is no array of objects is left as it is.
fn element_of(name: &str) -> &str {
    let element = name.trim_start_matches('[');
    let class = element.strip_prefix('L').filter(|_| element.len() < name.len());
    class.map_or(element, |class| class.trim_end_matches(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of those that are handed out, of objects of one class each.
    fn shown(most: usize, objects: &[(i64, u64)]) -> Vec<usize> {
        let mut shown = Shown::new(most, 9);
        let tags: Vec<_> = objects.iter().map(|&(class, size)| shown.take(class, size)).collect();
        let position = |tag| tags.iter().position(|given| *given == Some(tag)).expect("a tag that was given");
        shown.tags().into_iter().map(position).collect()
    }

    fn largest(most: usize, sizes: &[u64]) -> Vec<usize> {
        shown(most, &sizes.iter().map(|&size| (1, size)).collect::<Vec<_>>())
    }

    #[test]
    fn each_class_is_handed_out_before_a_second_object_of_one() {
        assert_eq!(shown(3, &[(1, 900), (1, 1000), (1, 800), (2, 16), (3, 24)]), [1, 4, 3]);
        assert_eq!(shown(4, &[(1, 900), (1, 1000), (1, 800), (2, 16)]), [1, 3, 0, 2]);
        assert_eq!(shown(1, &[(1, 16), (2, 16)]), [0]);
    }

    #[test]
    fn names_that_begin_with_l_keep_it() {
        assert_eq!(element_of("[[LLeaking;"), "Leaking");
        assert_eq!(element_of("LLama"), "LLama");
        assert_eq!(element_of("[J"), "J");
    }

    #[test]
    fn the_largest_are_handed_out_and_of_one_size_the_first() {
        assert_eq!(largest(3, &[16, 16, 16, 16]), [0, 1, 2]);
        assert_eq!(largest(3, &[16, 24, 16, 100, 24, 8, 24]), [3, 1, 4]);
        assert_eq!(largest(3, &[16]), [0]);
        assert_eq!(largest(0, &[16, 24]), []);
    }
}
