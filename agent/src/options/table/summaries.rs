//! Heap summaries.

use crate::options::heap;
use crate::options::spec::{DEFAULTS, Shape, Spec};
use crate::options::value;

/// Options that are an occasion to write a heap summary.
pub(in crate::options) const HEAP_OCCASIONS: &[&str] = &["heapsummary", "heapexit", "heapoom"];

pub(super) const SPECS: &[Spec] = &[
    Spec {
        name: "heapsummary",
        mistaken: &["histogram", "classhistogram"],
        shape: Shape::Flag(|o| o.heap.on_request = true),
        example: "#heapsummary",
        help: "On SIGQUIT (kill -QUIT) and `jcmd PID JVMTI.data_dump`, write what is on the heap, per class, to \
               heapsummary.YYYYMMDDhhmmss. Costs nothing until asked; with heap options alone nothing is profiled. \
               HeapSummary's form is understood, too: dir=logs,sort=count.",
        ..DEFAULTS
    },
    Spec {
        name: "heapexit",
        mistaken: &["heapatexit"],
        shape: Shape::Flag(|o| o.heap.at_exit = true),
        example: "#heapexit",
        help: "Write one such summary when the JVM ends.",
        ..DEFAULTS
    },
    Spec {
        name: "heapoom",
        mistaken: &["heapatoom", "heapdumponoutofmemoryerror"],
        shape: Shape::Flag(|o| o.heap.at_oom = true),
        example: "#heapoom",
        help: "Write one such summary at the first OutOfMemoryError for want of heap.",
        ..DEFAULTS
    },
    Spec {
        name: "heapdir",
        mistaken: &["heapoutput"],
        shape: Shape::Value("DIR", |o, v| value::template(v).map(|dir| o.heap.dir = Some(dir))),
        example: "#heapdir-logs/%p",
        help: "Folder of heap summaries, made if missing; % codes as in #output. Default: where the JVM was started. \
               Needs #heapsummary, #heapexit or #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
    Spec {
        name: "heapsort",
        shape: Shape::Value("size|count", |o, v| {
            o.heap.unknown_sort = None;
            heap::order(v).map(|order| o.heap.sort = Some(order))
        }),
        example: "#heapsort-count",
        help: "Sort heap summaries by bytes (default) or by number of objects. Needs #heapsummary, #heapexit or \
               #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
    Spec {
        name: "heapall",
        shape: Shape::Flag(|o| o.heap.all = true),
        example: "#heapall",
        help: "Count every object on the heap, dead ones included, instead of collecting twice before. Needs \
               #heapsummary, #heapexit or #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
];
