//! A small hprof file, put together byte by byte: every kind of record, either width of ids, either form of heap.

use proptest::sample::Index;

/// How the heap is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One record, its length right.
    OnePiece,
    /// One record whose length was never filled in.
    NoLength,
    /// Segments of one sub-record each, and an end.
    Segments,
}

pub(crate) const FORMS: [Form; 3] = [Form::OnePiece, Form::NoLength, Form::Segments];

/// Ids: names count from 1, classes and objects are addresses.
pub(crate) const OBJECT: u64 = 0x1000;
pub(crate) const CLASS: u64 = 0x1100;
pub(crate) const STRING: u64 = 0x1200;
pub(crate) const LOADER: u64 = 0x1300;
pub(crate) const APP: u64 = 0x1400;
pub(crate) const WEAK: u64 = 0x1500;
pub(crate) const REFERENCE: u64 = 0x1600;
pub(crate) const THREAD: u64 = 0x1700;
pub(crate) const OBJECTS: u64 = 0x1800;
pub(crate) const CUSTOM: u64 = 0x2000;
pub(crate) const ARRAY: u64 = 0x2010;
pub(crate) const A: u64 = 0x2020;
pub(crate) const B: u64 = 0x2038;
pub(crate) const WEAK_A: u64 = 0x2050;
pub(crate) const MAIN: u64 = 0x2068;
pub(crate) const NAME: u64 = 0x2080;
pub(crate) const BYTES: u64 = 0x2098;
pub(crate) const LONGS: u64 = 0x20b0;

const NAMES: [&str; 19] = [
    "java/lang/Object",
    "java/lang/Class",
    "java/lang/String",
    "PluginLoader",
    "plugin/App",
    "java/lang/ref/WeakReference",
    "java/lang/ref/Reference",
    "java/lang/Thread",
    "[Ljava/lang/Object;",
    "next",
    "count",
    "referent",
    "value",
    "coder",
    "name",
    "CACHE",
    "<resolved_references>",
    "run",
    "LIMIT",
];

struct File {
    bytes: Vec<u8>,
    wide: bool,
}

impl File {
    fn id(&self, id: u64) -> Vec<u8> {
        if self.wide { id.to_be_bytes().to_vec() } else { (id as u32).to_be_bytes().to_vec() }
    }

    fn name(&self, name: &str) -> Vec<u8> {
        self.id(NAMES.iter().position(|other| *other == name).expect("a name") as u64 + 1)
    }

    fn record(&mut self, tag: u8, length: u32, body: &[u8]) {
        self.bytes.push(tag);
        self.bytes.extend([0; 4]);
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(body);
    }

    fn class(
        &self,
        id: u64,
        superclass: u64,
        loader: u64,
        statics: &[(&str, u8, Vec<u8>)],
        fields: &[(&str, u8)],
    ) -> Vec<u8> {
        let mut body = vec![0x20];
        body.extend(self.id(id));
        body.extend([0; 4]);
        for id in [superclass, loader, 0, 0, 0, 0] {
            body.extend(self.id(id));
        }
        body.extend([0; 4]);
        // One constant, no reference.
        body.extend([0, 1, 0, 7, 10, 0, 0, 0, 42]);
        body.extend((statics.len() as u16).to_be_bytes());
        for (name, of, value) in statics {
            body.extend(self.name(name));
            body.push(*of);
            body.extend(value);
        }
        body.extend((fields.len() as u16).to_be_bytes());
        for (name, of) in fields {
            body.extend(self.name(name));
            body.push(*of);
        }
        body
    }

    fn instance(&self, id: u64, class: u64, fields: &[u8]) -> Vec<u8> {
        let mut body = vec![0x21];
        body.extend(self.id(id));
        body.extend([0; 4]);
        body.extend(self.id(class));
        body.extend((fields.len() as u32).to_be_bytes());
        body.extend(fields);
        body
    }

    fn array(&self, id: u64, class: u64, elements: &[u64]) -> Vec<u8> {
        let mut body = vec![0x22];
        body.extend(self.id(id));
        body.extend([0; 4]);
        body.extend((elements.len() as u32).to_be_bytes());
        body.extend(self.id(class));
        elements.iter().for_each(|element| body.extend(self.id(*element)));
        body
    }

    fn primitives(&self, id: u64, of: u8, length: u32, elements: &[u8]) -> Vec<u8> {
        let mut body = vec![0x23];
        body.extend(self.id(id));
        body.extend([0; 4]);
        body.extend(length.to_be_bytes());
        body.push(of);
        body.extend(elements);
        body
    }

    fn root(&self, tag: u8, id: u64, rest: &[u32]) -> Vec<u8> {
        let mut body = vec![tag];
        body.extend(self.id(id));
        if tag == 1 {
            body.extend(self.id(0x77));
        }
        rest.iter().for_each(|number| body.extend(number.to_be_bytes()));
        body
    }

    fn classes(&self) -> Vec<Vec<u8>> {
        let (object, int) = (2, 10);
        vec![
            self.class(OBJECT, 0, 0, &[], &[]),
            self.class(CLASS, OBJECT, 0, &[], &[]),
            self.class(STRING, OBJECT, 0, &[], &[("value", object), ("coder", 8)]),
            self.class(LOADER, OBJECT, 0, &[], &[]),
            self.class(
                APP,
                OBJECT,
                CUSTOM,
                &[
                    ("CACHE", object, self.id(ARRAY)),
                    ("<resolved_references>", object, self.id(ARRAY)),
                    ("LIMIT", int, vec![0, 0, 0, 9]),
                ],
                &[("next", object), ("count", int)],
            ),
            self.class(REFERENCE, OBJECT, 0, &[], &[("referent", object)]),
            self.class(WEAK, REFERENCE, 0, &[], &[]),
            self.class(THREAD, OBJECT, 0, &[], &[("name", object)]),
            self.class(OBJECTS, OBJECT, 0, &[], &[]),
        ]
    }

    fn heap(&self) -> Vec<Vec<u8>> {
        let app = |next| [self.id(next), vec![0, 0, 0, 1]].concat();
        let string = [self.id(BYTES), vec![0]].concat();
        let mut heap = self.classes();
        heap.extend([
            self.instance(CUSTOM, LOADER, &[]),
            self.array(ARRAY, OBJECTS, &[0, A, 0xdead]),
            self.instance(A, APP, &app(B)),
            self.instance(B, APP, &app(0)),
            self.instance(WEAK_A, WEAK, &self.id(A)),
            self.instance(MAIN, THREAD, &self.id(NAME)),
            self.instance(NAME, STRING, &string),
            self.primitives(BYTES, 8, 4, b"ma\xefn"),
            self.primitives(LONGS, 11, 1, &[0; 8]),
            self.root(0x08, MAIN, &[3, 9]),
            self.root(0x03, A, &[3, 1]),
            self.root(0x02, A, &[3, 0]),
            self.root(0x01, ARRAY, &[]),
            self.root(0x04, B, &[3]),
            self.root(0x05, OBJECT, &[]),
            self.root(0x05, APP, &[]),
            self.root(0x06, B, &[3]),
            self.root(0x07, B, &[]),
            self.root(0xff, B, &[]),
            self.root(0xff, 0xdead, &[]),
        ]);
        heap
    }

    fn facts(&mut self) {
        for (at, name) in NAMES.iter().enumerate() {
            let body = [self.id(at as u64 + 1), name.as_bytes().to_vec()].concat();
            self.record(0x01, body.len() as u32, &body);
        }
        let classes = [OBJECT, CLASS, STRING, LOADER, APP, WEAK, REFERENCE, THREAD, OBJECTS];
        for (at, class) in classes.iter().enumerate() {
            let serial = (at as u32 + 1).to_be_bytes().to_vec();
            let body = [serial, self.id(*class), vec![0; 4], self.id(at as u64 + 1)].concat();
            self.record(0x02, body.len() as u32, &body);
        }
        // Method `run` of the class with serial number 5.
        let body =
            [self.id(0x51), self.name("run"), self.id(0), self.id(0), vec![0, 0, 0, 5, 0, 0, 0, 12]].concat();
        self.record(0x04, body.len() as u32, &body);
        let body = [vec![0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 2], self.id(0x99), self.id(0x51)].concat();
        self.record(0x05, body.len() as u32, &body);
    }
}

/// The whole file.
pub(crate) fn small_hprof(wide: bool, form: Form) -> Vec<u8> {
    let mut file = File { bytes: b"JAVA PROFILE 1.0.2\0".to_vec(), wide };
    file.bytes.extend(if wide { [0, 0, 0, 8] } else { [0, 0, 0, 4] });
    file.bytes.extend([0; 8]);
    file.facts();
    let heap = file.heap();
    match form {
        Form::OnePiece => {
            let body = heap.concat();
            file.record(0x0c, body.len() as u32, &body);
            file.record(0x0e, 6, &[0; 6]);
        }
        Form::NoLength => file.record(0x0c, 0, &heap.concat()),
        Form::Segments => {
            heap.iter().for_each(|body| file.record(0x1c, body.len() as u32, body));
            file.record(0x2c, 0, &[]);
        }
    }
    file.bytes
}

/// A record's bytes.
fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut file = File { bytes: Vec::new(), wide: true };
    file.record(tag, body.len() as u32, body);
    file.bytes
}

/// The small file with a record of an unknown kind behind its header.
pub(crate) fn with_unknown_record() -> Vec<u8> {
    let mut bytes = small_hprof(true, Form::Segments);
    bytes.splice(31..31, record(0x77, b"junkjunk"));
    bytes
}

/// The small file with an array of 77 bytes of which Android told no data.
pub(crate) fn with_array_without_elements() -> Vec<u8> {
    let mut bytes = small_hprof(false, Form::Segments);
    let array = [&[0xc3, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 77, 8][..]].concat();
    bytes.splice(bytes.len() - 9.., [record(0x1c, &array), record(0x2c, &[])].concat());
    bytes
}

/// The small file with a heap in two segments, of which the first ends within what it tells.
pub(crate) fn with_split_record() -> Vec<u8> {
    let mut file = File { bytes: b"JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0".to_vec(), wide: true };
    file.facts();
    let heap = file.heap().concat();
    let (first, second) = heap.split_at(40);
    file.record(0x1c, first.len() as u32, first);
    file.record(0x1c, second.len() as u32, second);
    file.bytes
}

/// Objects numbered 100, 101, …: a thousand of `plugin.App`, then an array of 100,000 bytes and one more object.
pub(crate) fn with_numbers_for_ids() -> Vec<u8> {
    let mut file = File { bytes: b"JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0".to_vec(), wide: true };
    file.facts();
    let mut heap = file.classes();
    heap.extend((100..1100).map(|id| file.instance(id, APP, &[0; 12])));
    heap.push(file.primitives(1100, 8, 100_000, &[0; 100_000]));
    heap.push(file.instance(1101, APP, &[0; 12]));
    file.record(0x1c, heap.concat().len() as u32, &heap.concat());
    file.bytes
}

/// With some of its bits turned over.
pub(crate) fn flipped(mut bytes: Vec<u8>, bits: &[Index]) -> Vec<u8> {
    for bit in bits {
        let at = bit.index(bytes.len() * 8);
        bytes[at / 8] ^= 1 << (at % 8);
    }
    bytes
}
