//! The types of a chunk's events and rows, which it describes itself: names, fields, what they are for.

use super::bytes::Bytes;

/// The number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type(pub(super) u64);

impl Type {
    pub(super) const METADATA: Self = Self(0);
    pub(super) const CHECKPOINT: Self = Self(1);
    const BOOLEAN: Self = Self(4);
    const INT: Self = Self(10);
    const LONG: Self = Self(11);
    const STRING: Self = Self(20);
    pub(super) const CLASS: Self = Self(21);
    pub(super) const SYMBOL: Self = Self(22);
    pub(super) const METHOD: Self = Self(23);
    pub(super) const STACK_TRACE: Self = Self(24);
    const STACK_FRAME: Self = Self(25);
    pub(super) const FRAME_TYPE: Self = Self(26);
    pub(super) const OBJECT: Self = Self(27);
    pub(super) const ALLOCATION: Self = Self(101);
    pub(super) const OLD_OBJECT: Self = Self(102);
    pub(super) const LIFETIME: Self = Self(103);
    pub(super) const COLLECTION: Self = Self(104);
    pub(super) const HEAP: Self = Self(105);
    const LABEL: Self = Self(200);
    const CATEGORY: Self = Self(201);
    const TIMESTAMP: Self = Self(202);
    const TIMESPAN: Self = Self(203);
    const DATA_AMOUNT: Self = Self(204);
    const CONTENT_TYPE: Self = Self(205);
}

/// How a field is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plain,
    Array,
    /// Its value is the number of a row.
    Row,
    /// A moment, in ticks.
    Moment,
    /// A length of time, in ticks.
    Time,
    Bytes,
}

use Role::{Array, Moment, Plain, Row, Time};

/// Name, type, role and label of a field.
type Field = (&'static str, Type, Role, &'static str);

/// A type: name, number, whether one field is all of it, label, fields.
struct Declared(&'static str, Type, bool, &'static str, &'static [Field]);

const ROWS: &[Declared] = &[
    Declared("boolean", Type::BOOLEAN, false, "", &[]),
    Declared("int", Type::INT, false, "", &[]),
    Declared("long", Type::LONG, false, "", &[]),
    Declared("java.lang.String", Type::STRING, false, "", &[]),
    Declared("java.lang.Class", Type::CLASS, false, "Java Class", &[("name", Type::SYMBOL, Row, "Name")]),
    Declared("jdk.types.Symbol", Type::SYMBOL, true, "Symbol", &[("string", Type::STRING, Plain, "String")]),
    Declared(
        "jdk.types.Method",
        Type::METHOD,
        false,
        "Java Method",
        &[
            ("type", Type::CLASS, Row, "Type"),
            ("name", Type::SYMBOL, Row, "Name"),
            ("descriptor", Type::SYMBOL, Row, "Descriptor"),
            ("modifiers", Type::INT, Plain, "Access Modifiers"),
            ("hidden", Type::BOOLEAN, Plain, "Hidden"),
        ],
    ),
    Declared(
        "jdk.types.StackTrace",
        Type::STACK_TRACE,
        false,
        "Stacktrace",
        &[
            ("truncated", Type::BOOLEAN, Plain, "Truncated"),
            ("frames", Type::STACK_FRAME, Array, "Stack Frames"),
        ],
    ),
    Declared(
        "jdk.types.StackFrame",
        Type::STACK_FRAME,
        false,
        "Stack Frame",
        &[
            ("method", Type::METHOD, Row, "Java Method"),
            ("lineNumber", Type::INT, Plain, "Line Number"),
            ("bytecodeIndex", Type::INT, Plain, "Bytecode Index"),
            ("type", Type::FRAME_TYPE, Row, "Frame Type"),
        ],
    ),
    Declared(
        "jdk.types.FrameType",
        Type::FRAME_TYPE,
        true,
        "Frame type",
        &[("description", Type::STRING, Plain, "Description")],
    ),
    Declared(
        "jdk.types.OldObject",
        Type::OBJECT,
        false,
        "Old Object",
        &[
            ("address", Type::LONG, Plain, "Address"),
            ("type", Type::CLASS, Row, "Object Class"),
            ("description", Type::STRING, Plain, "Description"),
        ],
    ),
];

const START: Field = ("startTime", Type::LONG, Moment, "Start Time");
const DURATION: Field = ("duration", Type::LONG, Time, "Duration");
const STACK: Field = ("stackTrace", Type::STACK_TRACE, Row, "Stack Trace");

const EVENTS: &[Declared] = &[
    Declared(
        "jdk.ObjectAllocationSample",
        Type::ALLOCATION,
        false,
        "Object Allocation Sample",
        &[
            START,
            STACK,
            ("objectClass", Type::CLASS, Row, "Object Class"),
            ("weight", Type::LONG, Role::Bytes, "Sample Weight"),
            ("objects", Type::LONG, Plain, "Objects"),
        ],
    ),
    Declared(
        "jdk.OldObjectSample",
        Type::OLD_OBJECT,
        false,
        "Old Object Sample",
        &[
            START,
            STACK,
            ("allocationTime", Type::LONG, Moment, "Allocation Time"),
            ("objectSize", Type::LONG, Role::Bytes, "Size of all these objects"),
            ("objectAge", Type::LONG, Time, "Object Age"),
            ("lastKnownHeapUsage", Type::LONG, Role::Bytes, "Last Known Heap Usage"),
            ("object", Type::OBJECT, Row, "Object"),
            ("arrayElements", Type::INT, Plain, "Array Elements"),
        ],
    ),
    Declared(
        "mayfly.ObjectLifetime",
        Type::LIFETIME,
        false,
        "Object Lifetime",
        &[
            START,
            DURATION,
            STACK,
            ("objectClass", Type::CLASS, Row, "Object Class"),
            ("objects", Type::LONG, Plain, "Objects"),
            ("size", Type::LONG, Role::Bytes, "Size of all these objects"),
            ("state", Type::STRING, Plain, "State"),
            ("aliveAt", Type::LONG, Time, "Alive at this age"),
            ("goneBy", Type::LONG, Time, "Gone at this age"),
        ],
    ),
    Declared(
        "jdk.GarbageCollection",
        Type::COLLECTION,
        false,
        "Garbage Collection",
        &[
            START,
            DURATION,
            ("gcId", Type::INT, Plain, "GC Identifier"),
            ("name", Type::STRING, Plain, "Name"),
            ("cause", Type::STRING, Plain, "Cause"),
            ("sumOfPauses", Type::LONG, Time, "Sum of Pauses"),
            ("longestPause", Type::LONG, Time, "Longest Pause"),
        ],
    ),
    Declared(
        "jdk.GCHeapSummary",
        Type::HEAP,
        false,
        "Heap Summary",
        &[
            START,
            ("gcId", Type::INT, Plain, "GC Identifier"),
            ("when", Type::STRING, Plain, "When"),
            ("heapUsed", Type::LONG, Role::Bytes, "Heap Used"),
        ],
    ),
];

const ANNOTATIONS: &[(&str, Type, Role)] = &[
    ("jdk.jfr.Label", Type::LABEL, Plain),
    ("jdk.jfr.Category", Type::CATEGORY, Array),
    ("jdk.jfr.Timestamp", Type::TIMESTAMP, Plain),
    ("jdk.jfr.Timespan", Type::TIMESPAN, Plain),
    ("jdk.jfr.DataAmount", Type::DATA_AMOUNT, Plain),
    ("jdk.jfr.ContentType", Type::CONTENT_TYPE, Plain),
];

/// What says in which unit a field is: readers know it by an annotation of its own.
const UNITS: [Type; 3] = [Type::TIMESTAMP, Type::TIMESPAN, Type::DATA_AMOUNT];

/// An element of the description: name, attributes, elements in it.
#[derive(Default)]
struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    inside: Vec<Element>,
}

impl Element {
    fn named(name: &'static str, attributes: Vec<(&'static str, String)>) -> Self {
        Self { name, attributes, inside: Vec::new() }
    }

    fn write(&self, texts: &mut Vec<String>, into: &mut Bytes) {
        let mut number = |text: &str, into: &mut Bytes| {
            let at = texts.iter().position(|known| known == text).unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            });
            into.number(at as u64);
        };
        number(self.name, into);
        into.number(self.attributes.len() as u64);
        for (name, value) in &self.attributes {
            number(name, into);
            number(value, into);
        }
        into.number(self.inside.len() as u64);
        self.inside.iter().for_each(|element| element.write(texts, into));
    }
}

/// The description of all types, as an event.
pub(super) fn metadata() -> Vec<u8> {
    let mut types = Element::named("metadata", Vec::new());
    types.inside.extend(ROWS.iter().map(|declared| class(declared, None)));
    types.inside.extend(EVENTS.iter().map(|declared| class(declared, Some("jdk.jfr.Event"))));
    types.inside.extend(ANNOTATIONS.iter().map(annotation_type));
    let region =
        Element::named("region", vec![("locale", "en_US".to_owned()), ("gmtOffset", "0".to_owned())]);
    let root = Element { name: "root", inside: vec![types, region], ..Element::default() };
    let (mut texts, mut tree) = (Vec::new(), Bytes::default());
    root.write(&mut texts, &mut tree);
    let mut event = Bytes::default();
    // When, for how long, its number.
    [0, 0, 1].into_iter().for_each(|number| event.number(number));
    event.number(texts.len() as u64);
    texts.iter().for_each(|text| event.text(text));
    event.append(&tree);
    event.of_type(Type::METADATA.0)
}

fn class(&Declared(name, kind, is_simple, label, fields): &Declared, above: Option<&str>) -> Element {
    let mut element = Element::named("class", vec![("id", kind.0.to_string()), ("name", name.to_owned())]);
    element.attributes.extend(above.map(|above| ("superType", above.to_owned())));
    element.attributes.extend(is_simple.then(|| ("simpleType", "true".to_owned())));
    element.inside.extend((!label.is_empty()).then(|| annotation(Type::LABEL, "value", label)));
    if above.is_some() {
        element.inside.push(annotation(Type::CATEGORY, "value-0", "Mayfly"));
    }
    element.inside.extend(fields.iter().map(field));
    element
}

fn field(&(name, kind, role, label): &Field) -> Element {
    let mut element = Element::named("field", vec![("name", name.to_owned()), ("class", kind.0.to_string())]);
    element.attributes.extend((role == Row).then(|| ("constantPool", "true".to_owned())));
    element.attributes.extend((role == Array).then(|| ("dimension", "1".to_owned())));
    element.inside.push(annotation(Type::LABEL, "value", label));
    element.inside.extend(match role {
        Moment => Some(annotation(Type::TIMESTAMP, "value", "TICKS")),
        Time => Some(annotation(Type::TIMESPAN, "value", "TICKS")),
        Role::Bytes => Some(annotation(Type::DATA_AMOUNT, "value", "BYTES")),
        Plain | Array | Row => None,
    });
    element
}

fn annotation(kind: Type, name: &'static str, value: &str) -> Element {
    Element::named("annotation", vec![("class", kind.0.to_string()), (name, value.to_owned())])
}

fn annotation_type(&(name, kind, role): &(&str, Type, Role)) -> Element {
    let above = "java.lang.annotation.Annotation".to_owned();
    let attributes = vec![("id", kind.0.to_string()), ("name", name.to_owned()), ("superType", above)];
    let mut element = Element::named("class", attributes);
    if kind == Type::CONTENT_TYPE {
        return element;
    }
    if UNITS.contains(&kind) {
        element.inside.push(Element::named("annotation", vec![("class", Type::CONTENT_TYPE.0.to_string())]));
    }
    let mut value =
        Element::named("field", vec![("name", "value".to_owned()), ("class", Type::STRING.0.to_string())]);
    value.attributes.extend((role == Array).then(|| ("dimension", "1".to_owned())));
    element.inside.push(value);
    element
}
