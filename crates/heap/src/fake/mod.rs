//! Small heaps written down as text, for tests.
//!
//! Statements end at a line's end or at `;`; `#` begins a comment. IDs are hexadecimal, as paths print them.
//!
//! | statement | says |
//! |---|---|
//! | `1:A[24]` | object 1 is an `A` of 24 bytes; 16 if not said. `B[]`, `int[][]` are classes of arrays |
//! | `1:A -next-> 2:B -[3]-> 4` | field `next` of 1, declared by `A`, refers to 2, and element 3 of that to 4 |
//! | `1 -B.next-> 2` | the same with the declaring class |
//! | `c -static x-> 2` | static field `x` of the class whose mirror `c` is |
//! | `1 -<loader>-> 2` | what the JVM holds, not a field |
//! | `class A extends B mirror c loader 7` | facts of a class; a class that is only used has none |
//! | `root static java.lang.Object A.x -> 1` | static `x` of `A`, a class that is never unloaded; the type may be left out. A chain may follow |
//! | `root local main A.run 3 -> 1` | thread, method, slot. Also `jni-local main A.run`, `jni`, `monitor`, `thread` |
//! | `1 off-heap 4096` | buffer 1 has so many bytes outside of the heap |
//! | `1 named main` | the name of thread 1 |
//! | `root other words -> 1` | a root that the format names in words |
//!
//! An object's class has to be said once, anywhere. A mirror that is not named gets an id from `c1a55000000` on, and no
//! bytes. The field `referent` of a class below one of `java.lang.ref`'s is as strong as that says.

mod heap;
mod statement;

use crate::graph::Graph;

/// The heap that `text` describes.
///
/// # Panics
/// If the text is wrong, with the statement that is: the text is part of a test.
#[track_caller]
pub fn heap(text: &str) -> Graph {
    let statements = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split(';'));
    let statements = statements.map(str::trim).filter(|statement| !statement.is_empty());
    let mut heap = heap::Heap::default();
    for text in statements {
        let statement = statement::parse(text);
        heap.add(statement.unwrap_or_else(|| panic!("not a statement of a fake heap: '{text}'")));
    }
    heap.graph()
}
