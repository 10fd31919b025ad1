//! What reads bytes that others wrote: a function per kind, and with which bytes it begins. No bytes make one panic.
//!
//! A fuzzer that is led by coverage can take the same functions (`fn(&[u8])`) and the same seeds.

use std::fs;

use bytes::Bytes;
use mayfly_classfile::allocation::{self, Options, Scopes};
use mayfly_classfile::{ClassFile, instructions};
use mayfly_formats::{Choice, Format};
use mayfly_heap::dominators::Dominators;
use mayfly_heap::paths::ShortestPaths;
use mayfly_heap::saved::{Saved, Stamp, head, histogram_part, write};
use mayfly_heap::{Dump, Filter, HeapError, Referrers, Strength, dump, hprof};
use mayfly_profile::{SharedStacks, View};
use mayfly_recording::control::exchange::GREETING;
use mayfly_recording::control::{Incoming, Message, Request, Response};
use mayfly_recording::{read_profile, read_totals, write_profile};
use mayfly_report::{COLUMNS, Occasion, overview, post_run};

use crate::mutate::{mend_frames, mend_parts};
use crate::{corpus, files_in};

/// A kind of bytes.
pub(crate) struct Target {
    /// The folder of its corpus, which may not be there.
    pub(crate) name: &'static str,
    /// What it begins with beside the corpus.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Makes checksums fit.
    pub(crate) mend: fn(&mut [u8]),
    /// Reads it, and does with it what a command would.
    pub(crate) run: fn(&[u8]),
}

pub(crate) const CLASS: Target = Target { name: "class", seeds: Vec::new, mend: nothing, run: class };
pub(crate) const HPROF: Target = Target { name: "hprof", seeds: Vec::new, mend: nothing, run: heap };
pub(crate) const DUMP: Target = Target { name: "dump", seeds: dumps, mend: mend_frames, run: heap };
pub(crate) const XML: Target = Target { name: "xml", seeds: xmls, mend: nothing, run: heap };
pub(crate) const SBIH: Target = Target { name: "sbih", seeds: sbihs, mend: nothing, run: heap };
pub(crate) const INDEX: Target = Target { name: "index", seeds: indexes, mend: mend_parts, run: index };
pub(crate) const RECORDING: Target =
    Target { name: "recording", seeds: recordings, mend: mend_frames, run: recording };
pub(crate) const CONTROL: Target =
    Target { name: "control", seeds: messages, mend: mend_frames, run: control };

/// Files as each version writes them.
fn golden(extension: &str) -> Vec<Vec<u8>> {
    let mut files = files_in("crates/recording/tests/golden");
    files.retain(|file| file.extension().is_some_and(|it| it == extension));
    files.iter().map(|file| fs::read(file).expect("readable")).collect()
}

fn recordings() -> Vec<Vec<u8>> {
    golden("recording")
}

/// What either side says; both are in one file.
fn messages() -> Vec<Vec<u8>> {
    let both = golden("control").into_iter();
    let apart = both.flat_map(|bytes| {
        let answers = bytes.windows(GREETING.len()).rposition(|it| it == GREETING).unwrap_or_default();
        [bytes[..answers].to_vec(), bytes[answers..].to_vec()]
    });
    apart.collect()
}

fn nothing(_: &mut [u8]) {}

fn class(bytes: &[u8]) {
    for add_fields in [true, false] {
        let options = Options { add_fields, compiles_huge_methods: false };
        if let Ok(Some(new)) =
            allocation::rewrite(bytes, options, None, Scopes::default()).map(|rewritten| rewritten.class)
        {
            ClassFile::parse(&new).expect("what was written can be read");
        }
    }
    let Ok(class) = ClassFile::parse(bytes) else { return };
    for method in class.methods() {
        if let Ok(Some(code)) = class.code(method) {
            instructions(code.bytecode).for_each(drop);
        }
    }
}

fn heap(bytes: &[u8]) {
    let Ok(dump) = Dump::open(bytes) else { return };
    let _ = dump.histogram(&mut |_, _| {});
    let _ = dump.remarks();
    let _ = dump.strings(&mut |_, _| {}, &mut |text| drop(text.to_string()));
    let _ = dump.write_sbih::<HeapError>(&mut |_, _| {}, &mut |_| Ok(()));
    let Ok(graph) = dump.graph(&mut |_, _| {}) else { return };
    let filter = Filter::new(&graph, Strength::Soft);
    Dominators::new(&graph, &filter).by_class(&graph);
    Referrers::new(&graph);
    let _ = dump.values(&graph.objects().map(|object| graph.id(object)).collect::<Vec<_>>(), &mut |_, _| {});
}

fn index(bytes: &[u8]) {
    let Some(saved) = Saved::open(&Bytes::copy_from_slice(bytes), &stamp()) else { return };
    let _ = saved.histogram();
    let _ = saved.retained_by_class();
    let Ok(Some(graph)) = saved.graph() else { return };
    let _ = saved.dominators(&graph).map(|tree| tree.map(|tree| tree.by_class(&graph)));
    let _ = saved.referrers(&graph);
    let _ = saved.paths(&graph);
    let _ = saved.retained_by_loader(&graph);
    Dominators::new(&graph, &Filter::new(&graph, Strength::Soft)).by_class(&graph);
}

fn recording(bytes: &[u8]) {
    let _ = read_totals(bytes, &SharedStacks::default());
    let Ok((profile, _)) = read_profile(bytes) else { return };
    let _ = write_profile(&profile);
    let (view, occasion) = (View::default(), Occasion::default());
    let _ = overview(&profile, &view, &occasion, COLUMNS, "");
    let _ = post_run(&profile, &view, &occasion);
    for format in Format::ALL {
        let _ = format.write(&profile, &Choice::default(), &mut std::io::sink());
    }
}

fn control(bytes: &[u8]) {
    hear::<Request>(bytes);
    hear::<Response>(bytes);
}

fn hear<M: Message>(bytes: &[u8]) {
    let mut incoming = Incoming::<M>::default();
    for piece in bytes.chunks(61) {
        incoming.push(piece);
        while let Ok(Some(_)) = incoming.next_message() {}
    }
}

fn dumps() -> Vec<Vec<u8>> {
    let facts = dump::Facts { text_limit: Some(100), ..dump::Facts::default() };
    made(|bytes, sink| hprof::pack::<HeapError>(bytes, &facts, &mut |_, _| {}, sink).map(drop))
}

fn xmls() -> Vec<Vec<u8>> {
    made(|bytes, sink| Dump::open(bytes)?.write_xml(&mut |_, _| {}, sink))
}

fn sbihs() -> Vec<Vec<u8>> {
    made(|bytes, sink| Dump::open(bytes)?.write_sbih(&mut |_, _| {}, sink))
}

fn indexes() -> Vec<Vec<u8>> {
    made(|bytes, sink| {
        let graph = Dump::open(bytes)?.graph(&mut |_, _| {})?;
        let tree = Dominators::new(&graph, &Filter::new(&graph, Strength::Soft));
        let mut parts = [graph.parts(), tree.parts(), Referrers::new(&graph).parts()].concat();
        parts.extend(ShortestPaths::new(&graph).parts());
        parts.push(histogram_part(&graph.summary(graph.objects())));
        sink(&head(&stamp()))?;
        write(&parts, sink)
    })
}

fn stamp() -> Stamp {
    Stamp::of(b"a dump", 7)
}

type Sink<'s> = &'s mut dyn FnMut(&[u8]) -> Result<(), HeapError>;

/// What `write` makes of each hprof file of the corpus.
fn made(write: impl Fn(&[u8], Sink<'_>) -> Result<(), HeapError>) -> Vec<Vec<u8>> {
    let one = |hprof: Vec<u8>| {
        let mut bytes = Vec::new();
        let written = write(&hprof, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        written.expect("the corpus is whole");
        bytes
    };
    corpus("hprof").into_iter().map(one).collect()
}
