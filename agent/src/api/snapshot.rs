//! The heap as a graph, and the way back from its nodes to Java objects.

use std::collections::{HashMap, HashSet};

use mayfly_heap::dump::{self, Number};
use mayfly_heap::{Graph, ObjectIndex};
use mayfly_jvmti::{HeapWalk, Jni, Object};

use super::error::ApiError;
use super::steps::Steps;
use crate::heap::{self, Targets};

/// A heap at one moment.
pub(super) struct Snapshot<'call> {
    pub(super) graph: Graph,
    /// The objects asked about, in the order given; `None` for null.
    pub(super) targets: Vec<Option<ObjectIndex>>,
    /// What counts as held by a root because the caller says so.
    pub(super) hints: HashSet<ObjectIndex>,
    /// Local variables of the calling thread that hold such an object itself, as text.
    pub(super) locals: Vec<Option<String>>,
    walk: HeapWalk<'call>,
}

impl<'call> Snapshot<'call> {
    /// None if it was called off while it was read.
    pub(super) fn take(
        jni: Jni<'call>,
        targets: &Targets<'_>,
        steps: &Steps<'_>,
    ) -> Result<Option<Self>, ApiError> {
        let taken = heap::snapshot(jni.vm().ok_or(ApiError::NoMemory)?, jni, targets)?;
        let read = dump::read_while(&taken.bytes, &mut |done, of| steps.read(done, of));
        let Some((_, graph)) = read.map_err(ApiError::Unreadable)? else { return Ok(None) };
        let local = |number: &Option<Number>| {
            let slot = taken.in_hand.get(&i64::from((*number)?.0))?;
            let (class, method) = taken.walk.method(slot.method)?;
            Some(format!("local variable {} of {class}.{method}, the calling thread", slot.slot))
        };
        let locals = taken.targets.iter().map(local).collect();
        let targets = taken.targets.iter().map(|number| number.map(index)).collect();
        let hints = taken.hints.iter().map(|&number| index(number)).collect();
        Ok(Some(Self { graph, targets, hints, locals, walk: taken.walk }))
    }

    /// Objects of nodes, as local references.
    pub(super) fn objects(
        &self,
        nodes: &HashSet<ObjectIndex>,
    ) -> Result<HashMap<ObjectIndex, Object<'call>>, ApiError> {
        let tags: Vec<i64> = nodes.iter().map(|&node| self.graph.id(node) as i64).collect();
        if tags.is_empty() {
            return Ok(HashMap::new());
        }
        let objects = self.walk.objects_with_tags(&tags)?;
        Ok(objects.into_iter().map(|(object, tag)| (index(Number(tag as u32)), object)).collect())
    }
}

/// Nodes are numbered as in the dump, from 0 on instead of 1.
fn index(number: Number) -> ObjectIndex {
    ObjectIndex(number.0 - 1)
}
