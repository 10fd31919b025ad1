//! The roots of an hprof file, with the names of threads and methods as far as it has them.
//!
//! Not here: which of them matter.

use rustc_hash::FxHashMap;

use super::edges::Edges;
use super::find::Found;
use super::record::{id_at, u32_at};
use super::scan::Scan;
use super::sub_record::RootRecord;
use super::texts::text_of;
use super::value_type::ValueType;
use crate::root::{RootFrame, RootKind};

/// Adds all roots: first the classes that are never unloaded, then what the file tells.
pub(super) fn add(edges: &mut Edges<'_, '_>) {
    let scan = edges.scan;
    for class in &scan.classes {
        if let Some(object) = edges.number(class.id)
            && !edges.unloadable(class)
        {
            edges.builder.root(object, RootKind::SystemClass);
        }
    }
    add_class_values(edges);
    let threads = Threads::new(edges);
    for root in &scan.roots {
        let Some(object) = edges.number(root.object) else { continue };
        let class = scan.class_at.get(&root.object).map(|&at| &scan.classes[at as usize]);
        let told = class.is_some_and(|class| !edges.unloadable(class));
        if let Some(kind) = kind(root, told, &threads) {
            edges.builder.root(object, kind);
        }
    }
}

/// What a `java.lang.Class` has in fields of its own is in no hprof file, so that its class values (`ClassValue`) would seem
/// unreachable: nothing else refers to them.
fn add_class_values(edges: &mut Edges<'_, '_>) {
    const MAP: &str = "java.lang.ClassValue$ClassValueMap";
    let maps: Vec<_> = edges.builder.instances(|class| &*class.name == MAP).collect();
    for map in maps {
        edges.builder.root(map, RootKind::Other("class values of a java.lang.Class".into()));
    }
}

/// What keeps an object. None if that was told: `system`, it is a class that is never unloaded.
fn kind(root: &RootRecord, system: bool, threads: &Threads) -> Option<RootKind> {
    let other = |name: &str| RootKind::Other(name.into());
    Some(match root.tag {
        0x01 => RootKind::JniGlobal,
        0x02 => RootKind::JniLocal(threads.frame(root)),
        0x03 => RootKind::StackLocal(threads.frame(root)),
        0x04 => RootKind::JniLocal(RootFrame { thread: threads.name(root.thread), ..RootFrame::default() }),
        0x05 if system => return None,
        0x05 => other("system class"),
        0x06 => other("thread block"),
        0x07 => RootKind::Monitor,
        0x08 => RootKind::Thread,
        0x89 => other("interned string"),
        0x8a => other("finalizing"),
        0x8b => other("debugger"),
        0x8c => other("reference cleanup"),
        0x8d => other("JVM"),
        0x8e => other("JNI monitor"),
        // Android lists what is not reachable.
        0x90 => return None,
        _ => other("unknown"),
    })
}

/// Threads by serial number.
struct Threads {
    stacks: FxHashMap<u32, Stack>,
}

/// A thread: its name, and the methods on its stack, innermost first.
struct Stack {
    thread: Option<Box<str>>,
    methods: Vec<Box<str>>,
}

impl Threads {
    fn new(edges: &Edges<'_, '_>) -> Self {
        let threads = edges.scan.roots.iter().filter(|root| root.tag == 0x08);
        let stack = |root: &RootRecord| Stack {
            thread: thread_name(edges, root.object),
            // In these roots `frame` is the number of a stack trace.
            methods: methods(edges.scan, edges.file.id_size, root.frame),
        };
        Self { stacks: threads.map(|root| (root.thread, stack(root))).collect() }
    }

    fn name(&self, thread: u32) -> Option<Box<str>> {
        self.stacks.get(&thread)?.thread.clone()
    }

    fn frame(&self, root: &RootRecord) -> RootFrame {
        let methods = self.stacks.get(&root.thread).map_or(&[][..], |stack| &stack.methods);
        RootFrame {
            thread: self.name(root.thread),
            method: methods.get(root.frame as usize).cloned(),
            slot: None,
        }
    }
}

/// `Class.method` of each frame of a stack trace, innermost first.
fn methods(scan: &Scan<'_>, id_size: usize, trace: u32) -> Vec<Box<str>> {
    let frames = scan.traces.get(&trace).copied().unwrap_or_default();
    let method = |frame: &[u8]| {
        // A frame: names of method, signature and source; then the class.
        let frame = scan.frames.get(&id_at(frame, 0, id_size)?)?;
        let class = scan.serials.get(&u32_at(frame, 3 * id_size)?);
        let class = class.map_or_else(|| "?".to_owned(), |&class| scan.class_name(class));
        Some(format!("{class}.{}", scan.name(id_at(frame, 0, id_size)?)))
    };
    frames.chunks_exact(id_size).map(|frame| method(frame).unwrap_or_else(|| "?".into()).into()).collect()
}

/// `Thread.name`.
fn thread_name(edges: &Edges<'_, '_>, thread: u64) -> Option<Box<str>> {
    let Found::Instance { class, fields } = edges.places.find(edges.file, thread)? else { return None };
    let id_size = edges.file.id_size;
    let (of, name) = edges.scan.field(id_size, class, "name", fields)?;
    let name = id_at(name, 0, id_size).filter(|_| of == ValueType::Object)?;
    match edges.places.find(edges.file, name)? {
        Found::Primitives { of: ValueType::Char, elements } => {
            Some(text_of(name, ValueType::Char, 0, elements)?.to_string().into())
        }
        Found::Primitives { .. } => None,
        Found::Instance { class, fields } => {
            let (_, value) = edges.scan.field(id_size, class, "value", fields)?;
            let coder = edges.scan.field(id_size, class, "coder", fields).map_or(0, |(_, coder)| coder[0]);
            let value = id_at(value, 0, id_size)?;
            let Found::Primitives { of, elements } = edges.places.find(edges.file, value)? else {
                return None;
            };
            Some(text_of(name, of, coder, elements)?.to_string().into())
        }
    }
}
