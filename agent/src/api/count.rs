//! Counts what can be reached from some objects, at a safepoint: no Java runs and no Java heap is needed.
//!
//! What counts is what INSANE counted: objects along fields and array elements, classes themselves and their statics
//! not, and what reflection's objects hold neither.

use mayfly_jvmti::{Follow, HeapVisitor, HeapWalk, Jni, ObjectArray, Reference, ReferenceKind, Visit};

use super::environment::walk;
use super::error::ApiError;
use super::rows::{Rows, array_of};

/// Tag of what is left out.
const SKIPPED: i64 = -1;
/// Tag of the array of roots.
const ROOTS: i64 = -2;
/// Tag of what is counted.
const COUNTED: i64 = -3;

/// Attempts where classes are loaded while we count; more than one is rare.
const ATTEMPTS: usize = 5;

/// `{Class[], long[] objects, long[] bytes}` of all that the elements of `roots` reach, those of `skipped` and what only they
/// reach left out. Null elements are passed over.
pub(crate) fn count<'call>(
    jni: Jni<'call>,
    roots: ObjectArray<'_>,
    skipped: Option<ObjectArray<'_>>,
) -> Result<ObjectArray<'call>, ApiError> {
    for attempt in 1.. {
        let walk = walk(jni)?;
        let (rows, kinds) = classes(&walk)?;
        tag_all(&walk, skipped)?;
        // A copy, which is nobody's root and holds nothing but roots.
        let start = copy(jni, roots)?;
        walk.set_tag(start.as_object(), ROOTS)?;
        let mut counting = Counting { rows, kinds };
        walk.follow(Follow { from: Some(start.as_object()), ..Follow::default() }, &mut counting)?;
        jni.forget(start.as_object());
        if !counting.rows.met_unknown() || attempt == ATTEMPTS {
            return counting.rows.into_java(&walk, 0);
        }
    }
    unreachable!("the last attempt returns")
}

/// What the walk has to know of classes.
#[derive(Debug, Default)]
struct Kinds {
    /// Tag of `java.lang.Class`.
    class: i64,
    /// By tag: whether its objects belong to reflection's own book-keeping.
    closed: Vec<bool>,
}

fn classes(walk: &HeapWalk<'_>) -> Result<(Rows, Kinds), ApiError> {
    walk.with_classes(|classes| {
        let mut kinds = Kinds { class: 0, closed: vec![false] };
        for (index, &class) in classes.iter().enumerate() {
            let tag = index as i64 + 1;
            walk.set_tag(class.as_object(), tag)?;
            let name = walk.class_name(class)?;
            kinds.closed.push(name.starts_with("java.lang.reflect."));
            if name == "java.lang.Class" {
                kinds.class = tag;
            }
        }
        Ok((Rows::new(classes.len()), kinds))
    })?
}

fn tag_all(walk: &HeapWalk<'_>, objects: Option<ObjectArray<'_>>) -> Result<(), ApiError> {
    let jni = walk.jni();
    let Some(objects) = objects else { return Ok(()) };
    for object in (0..objects.len(jni)).filter_map(|index| objects.get(jni, index)) {
        walk.set_tag(object, SKIPPED)?;
        jni.forget(object);
    }
    Ok(())
}

fn copy<'call>(jni: Jni<'call>, roots: ObjectArray<'_>) -> Result<ObjectArray<'call>, ApiError> {
    let elements = (0..roots.len(jni)).filter_map(|index| roots.get(jni, index)).collect();
    array_of(jni, c"java/lang/Object", elements)
}

struct Counting {
    rows: Rows,
    kinds: Kinds,
}

impl HeapVisitor for Counting {
    fn reference(&mut self, reference: &Reference<'_>) -> Visit {
        if !matches!(reference.kind, ReferenceKind::Field(_) | ReferenceKind::Element(_)) {
            return Visit::Skip;
        }
        // Roots are not asked whether they are to be left out.
        let is_root = reference.referrer_tag.is_some_and(|tag| tag.get() == ROOTS);
        let tag = reference.tag.get();
        if tag == COUNTED || tag == ROOTS || reference.class_tag == self.kinds.class {
            return Visit::Skip;
        }
        if tag == SKIPPED && !is_root {
            return Visit::Skip;
        }
        reference.tag.set(COUNTED);
        self.rows.add(reference.class_tag, reference.size);
        let closed = self.kinds.closed.get(usize::try_from(reference.class_tag).unwrap_or(0));
        if closed == Some(&true) { Visit::Skip } else { Visit::Continue }
    }
}
