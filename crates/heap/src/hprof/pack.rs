//! An hprof file as a dump of ours, which is an eighth as large, texts not counted.
//!
//! Not here: where the bytes go.

use super::record::Hprof;
use super::{load, texts};
use crate::dump::{Facts, Writer, Written};
use crate::error::HeapError;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::progress::Progress;

/// Writes an hprof file as a dump of ours ([`crate::dump`]), piece by piece. Of `facts` the process id and the limit of texts are
/// taken; when the dump was taken is in the file.
///
/// Classes that the file names without a record of their own, which HotSpot's have, get a `java.lang.Class` of 0 bytes.
///
/// # Errors
/// As for [`super::read`], and those of `sink`.
pub fn pack<E: From<HeapError>>(
    bytes: &[u8],
    facts: &Facts,
    progress: Progress<'_>,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<Written, E> {
    let taken_at_ms = Hprof::new(bytes)?.taken_at_ms();
    let graph = load::read(bytes, progress)?;
    let Facts { pid, text_limit, .. } = *facts;
    let told = Facts { pid, taken_at_ms, text_limit, ..Facts::default() };
    let mut writer = Writer::with_graph(&graph, &told, sink)?;
    if facts.text_limit.is_some() {
        let mut strings = Places { graph: &graph, near: 0 };
        let (mut units, mut failed) = (Vec::new(), None);
        texts::visit_texts(bytes, progress, &mut |text| {
            if let Some(string) = strings.find(text.id).filter(|_| failed.is_none()) {
                units.clear();
                units.extend(text.units());
                failed = writer.text(string, &units).err();
            }
        })?;
        failed.map_or(Ok(()), Err)?;
    }
    writer.finish()
}

/// Objects by their addresses, which ascend. The next one is mostly near the last.
struct Places<'g> {
    graph: &'g Graph,
    near: usize,
}

impl Places<'_> {
    fn find(&mut self, id: u64) -> Option<ObjectIndex> {
        let (objects, at) = (self.graph.len(), |place| self.graph.id(ObjectIndex(place as u32)));
        let (mut low, mut high) = (self.near, self.near);
        let mut step = 16;
        while low > 0 && at(low) > id {
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < objects && at(high) < id {
            high = (high + step).min(objects);
            step *= 2;
        }
        // The first that is not below.
        while low < high {
            let middle = low + (high - low) / 2;
            if at(middle) < id { low = middle + 1 } else { high = middle }
        }
        self.near = low.min(objects.saturating_sub(1));
        (low < objects && at(low) == id).then_some(ObjectIndex(low as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::GraphBuilder;
    use crate::graph::Class;

    #[test]
    fn objects_are_found_wherever_the_last_one_was() {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class::default());
        let objects: Vec<_> = (1..=1000).map(|at| (at * 16, builder.object(at * 16, class, 16))).collect();
        let graph = builder.finish().expect("small");
        for near in [0, 1, 500, 998, 999] {
            for &(id, object) in &objects {
                assert_eq!(Places { graph: &graph, near }.find(id), Some(object), "{id} from {near}");
                assert_eq!(Places { graph: &graph, near }.find(id + 8), None, "{id} + 8 from {near}");
            }
            assert_eq!(Places { graph: &graph, near }.find(0), None);
        }
    }
}
