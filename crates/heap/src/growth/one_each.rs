//! What can't become more than its holders: each has one at most, and they do not become more. A ring or a pool of slots that is filled for
//! the first time, or whose contents become nobody else's. So can't what is in arrays that are not made larger than they have slots.

use std::iter::successors;

use mayfly_counts::Total;
use rustc_hash::FxHashSet;

use super::outline::Outline;
use super::sustained::Sustained;
use super::tree::class_of;

/// Its array is never replaced.
const BOUNDED: &str = "java.util.concurrent.ArrayBlockingQueue";
/// Fewer holders tell nothing.
const LEAST_HOLDERS: u64 = 8;
/// Holders that are more by this factor become more.
const AS_MANY: f64 = 1.02;
/// Where by this factor more is in each, that becomes more.
const AS_MANY_INSIDE: f64 = 1.25;

/// Holders of which each has one object at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneEach {
    /// Their label on the path.
    pub holder: Box<str>,
    /// So many.
    pub holders: u64,
    /// Of these, those that have one in the last dump.
    pub taken: u64,
}

/// The nearest such holders of what grew, in the last dump, whose objects are known. Below them only fields of the program's own classes: a collection,
/// or an array, may take any number.
pub fn one_each(row: &Sustained, dumps: &[Outline]) -> Option<OneEach> {
    if !becomes_more_only(row, dumps) {
        return None;
    }
    let above = (0..row.element).rev().take_while(|&at| !is_of_a_collection(&row.path[at]));
    above.filter(|&at| are_as_many(&row.path[..=at], dumps)).find_map(|at| taken(row, at, dumps))
}

/// The arrays that what grew lies in, each object in a slot of its own, if the program's own has them and they stayed as many and as large all along; the
/// label of what has them. Not those of collections of the JDK, which are made larger when they are full; a queue with bounds has one for good.
pub fn in_fixed_arrays(row: &Sustained, dumps: &[Outline]) -> Option<Box<str>> {
    let at = row.element.checked_sub(1)?;
    let above = &row.path[at.checked_sub(1)?];
    let is_fixed = class_of(above) == BOUNDED || !class_of(above).starts_with("java.");
    if !class_of(&row.path[at]).starts_with('[') || !is_fixed {
        return None;
    }
    let path = &row.path[..=at];
    let arrays: Vec<_> = dumps.iter().map(|dump| dump.own_at(path)).collect();
    let as_large = arrays.iter().all(|own| own.objects > 0 && *own == arrays[0]);
    let last = dumps.last()?;
    let (tree, node) = (&last.tree, last.node(path)?);
    let in_slot = |object| tree.dominator(object).is_some_and(|above| tree.node_of[above.0 as usize] == node);
    (as_large && last.objects(&row.path[..=row.element]).into_iter().all(in_slot)).then(|| above.clone())
}

/// Whether there are more of them, and not more in each: a list that each of a hundred sessions has may leak. What is in each may become its
/// own as others let go of it: so one is not more than none.
fn becomes_more_only(row: &Sustained, dumps: &[Outline]) -> bool {
    let (Some(few), Some(many)) = (row.own.first(), row.own.last()) else { return false };
    let inside = |dump: Option<&Outline>| dump.map_or(0, |dump| dump.objects_at(&row.path)) as f64;
    let each = |inside: f64, of: &Total| inside / of.objects.max(1) as f64;
    let (before, after) = (each(inside(dumps.first()), few), each(inside(dumps.last()), many));
    many.objects > few.objects && after <= (AS_MANY_INSIDE * before).max(1.0)
}

/// Whether it is an array or a class of the JDK. Other collections have an array, or elements of one class below each other.
fn is_of_a_collection(label: &str) -> bool {
    let class = class_of(label);
    class.starts_with('[') || class.starts_with("java.")
}

fn are_as_many(path: &[Box<str>], dumps: &[Outline]) -> bool {
    let objects: Vec<_> = dumps.iter().map(|dump| dump.objects_at(path)).collect();
    let (least, most) =
        (objects.iter().min().copied().unwrap_or(0), objects.iter().max().copied().unwrap_or(0));
    least >= LEAST_HOLDERS && most as f64 <= AS_MANY * least as f64
}

/// `None` if one of them has two.
fn taken(row: &Sustained, at: usize, dumps: &[Outline]) -> Option<OneEach> {
    let last = dumps.last()?;
    let tree = &last.tree;
    let holder = last.node(&row.path[..=at])?;
    let mut taken = FxHashSet::default();
    for object in last.objects(&row.path[..=row.element]) {
        let mut above = successors(tree.dominator(object), |&one| tree.dominator(one));
        if !taken.insert(above.find(|one| tree.node_of[one.0 as usize] == holder)?) {
            return None;
        }
    }
    let holders = tree.nodes[holder as usize].own.objects;
    Some(OneEach { holder: row.path[at].clone(), holders, taken: taken.len() as u64 })
}
