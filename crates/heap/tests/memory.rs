//! How much memory the heaviest question takes: what retains what, of an hprof file of objects as small as they get.
//!
//! By the kernel's account of this process, so there is one test in this file.

#![expect(clippy::disallowed_methods, reason = "the kernel's account is a file")]

use std::fs;

use mayfly_heap::dominators::Dominators;
use mayfly_heap::{Dump, Filter, Strength};

/// Links of lists, each with an object of its own.
const LINKS: u64 = 1_000_000;
const LISTS: u64 = 1000;
/// What the account has besides: pages that are half used, what the allocator keeps.
const SLACK: u64 = 6 << 20;

const OBJECT: u64 = 8;
const LINK: u64 = 16;
const FIRST: u64 = 0x1000;

fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_be_bytes();
    [&[tag, 0, 0, 0, 0], &length[..], body].concat()
}

fn named(id: u64, class: u64, name: &str) -> Vec<u8> {
    let text = record(1, &[&id.to_be_bytes(), name.as_bytes()].concat());
    let load = [&[0, 0, 0, class as u8], &class.to_be_bytes()[..], &[0; 4], &id.to_be_bytes()].concat();
    [text, record(2, &load)].concat()
}

/// A class that declares so many references, and has no statics.
fn class(id: u64, superclass: u64, fields: u16) -> Vec<u8> {
    let mut bytes = vec![0x20];
    bytes.extend(id.to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(superclass.to_be_bytes());
    bytes.extend([0; 5 * 8]);
    bytes.extend((u32::from(fields) * 8).to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(fields.to_be_bytes());
    for field in 0..u64::from(fields) {
        bytes.extend((100 + field).to_be_bytes());
        bytes.push(2);
    }
    bytes
}

fn instance(id: u64, class: u64, fields: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0x21];
    bytes.extend(id.to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(class.to_be_bytes());
    bytes.extend((fields.len() as u32 * 8).to_be_bytes());
    fields.iter().for_each(|field| bytes.extend(field.to_be_bytes()));
    bytes
}

/// Links refer to one that lies far before them, and to the object next to them.
fn hprof() -> Vec<u8> {
    let mut heap = [class(OBJECT, 0, 0), class(LINK, OBJECT, 2)].concat();
    for last in LINKS - LISTS..LINKS {
        // A root of an unknown kind.
        heap.push(0xff);
        heap.extend((FIRST + last * 40).to_be_bytes());
    }
    for link in 0..LINKS {
        let at = FIRST + link * 40;
        let next = link.checked_sub(LISTS).map_or(0, |next| FIRST + next * 40);
        heap.extend(instance(at, LINK, &[next, at + 24]));
        heap.extend(instance(at + 24, OBJECT, &[]));
    }
    let header = [&b"JAVA PROFILE 1.0.2\0"[..], &8_u32.to_be_bytes(), &[0; 8]].concat();
    let names = [named(1, OBJECT, "java/lang/Object"), named(2, LINK, "Link")].concat();
    [header, names, record(0x1c, &heap)].concat()
}

fn kib(line: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let rest = status.lines().find_map(|status| status.strip_prefix(line)).expect("the line");
    rest.trim_start_matches(':').trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Of a gibibyte of hprof a gibibyte of memory, beside the file's own pages.
#[test]
fn what_retains_what_takes_no_more_memory_than_the_file_has_bytes() {
    let file = hprof();
    // Makes the peak the present (proc(5), clear_refs).
    fs::write("/proc/self/clear_refs", "5").expect("the peak is set back");
    let before = kib("VmRSS") << 10;
    let graph = Dump::open(&file).and_then(|dump| dump.graph(&mut |_, _| {})).expect("a graph");
    let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Soft));
    let peak = (kib("VmHWM") << 10) - before;
    let (objects, references) = (graph.len() as u64, graph.edge_count() as u64);
    // The classes, and the superclass.
    assert_eq!((objects, references), (2 * LINKS + 2, 2 * LINKS - LISTS + 1));
    assert_eq!(dominators.total(), graph.objects().map(|object| graph.size(object)).sum());
    let packed = graph.memory() as u64;
    assert!(packed <= 6 * objects + 4 * references, "{packed} bytes for {objects} objects");
    assert!(peak <= file.len() as u64 + SLACK, "{peak} bytes for a file of {} bytes", file.len());
}
