//! An hprof file as a graph, in two passes: objects, then what they refer to.

use super::edges::Edges;
use super::record::Hprof;
use super::roots;
use super::scan::Scan;
use super::sub_record::walk;
use crate::error::HeapError;
use crate::graph::Graph;
use crate::progress::Progress;

/// Reads an hprof file as a graph.
///
/// # Errors
/// The bytes are no hprof file, cut off, damaged, or with more objects than a graph can hold.
pub fn read(bytes: &[u8], progress: Progress<'_>) -> Result<Graph, HeapError> {
    let file = Hprof::new(bytes)?;
    let length = file.len() as u64;
    let mut scan = Scan::new(&file, true);
    walk(&file, (0, 2 * length), progress, &mut scan)?;
    let mut edges = Edges::new(&file, &mut scan);
    walk(&file, (length, 2 * length), progress, &mut edges)?;
    roots::add(&mut edges);
    edges.finish()
}
