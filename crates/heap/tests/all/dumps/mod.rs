//! A small heap told to the encoder: every kind of record, and every rule of the reader.

use mayfly_heap::dump::{
    ClassFacts, Encoder, Facts, FieldFacts, FrameFacts, Number, Reference, RootReference,
};

const OBJECT: Number = Number(1);
const CLASS: Number = Number(2);
const STRING: Number = Number(3);
const REFERENCE: Number = Number(4);
const WEAK: Number = Number(5);
const LIMITS: Number = Number(6);
const APP: Number = Number(7);
const APP_LOADER: Number = Number(8);
const PLUGIN_LOADER: Number = Number(9);
const PLUGIN: Number = Number(10);
const BYTES: Number = Number(11);

/// Objects after the eleven classes.
pub(crate) const LOADER: Number = Number(12);
pub(crate) const CUSTOM: Number = Number(13);

pub(crate) fn facts() -> Facts {
    Facts {
        pid: 4711,
        taken_at_ms: 1_700_000_000_123,
        jvm_version: "25.0.3+9-LTS".into(),
        collector: "G1".into(),
        text_limit: Some(4),
    }
}

fn field(name: &'static str, descriptor: &'static str) -> FieldFacts<'static> {
    FieldFacts { name, descriptor, is_static: false }
}

fn static_field(name: &'static str, descriptor: &'static str) -> FieldFacts<'static> {
    FieldFacts { name, descriptor, is_static: true }
}

/// Classes 1 to 11.
fn tell_classes(encoder: &mut Encoder) {
    let class = |name, superclass| ClassFacts { name, superclass, mirror_size: 96, ..ClassFacts::default() };
    let referent = [field("referent", "Ljava/lang/Object;"), field("next", "Ljava/lang/ref/Reference;")];
    let limit = [static_field("LIMIT", "I")];
    let app = [static_field("CACHE", "[Ljava/lang/Object;"), field("count", "I"), field("größe", "LApp;")];
    for class in [
        class("java.lang.Object", Number::NONE),
        class("java.lang.Class", OBJECT),
        class("java.lang.String", OBJECT),
        ClassFacts { fields: &referent, ..class("java.lang.ref.Reference", OBJECT) },
        class("java.lang.ref.WeakReference", REFERENCE),
        ClassFacts { fields: &limit, is_interface: true, ..class("Limits", OBJECT) },
        ClassFacts { fields: &app, interfaces: &[LIMITS], loader: LOADER, ..class("App", WEAK) },
        class("jdk.internal.loader.ClassLoaders$AppClassLoader", OBJECT),
        class("PluginLoader", OBJECT),
        ClassFacts { loader: CUSTOM, ..class("plugin.Plugin", OBJECT) },
        class("[B", OBJECT),
    ] {
        encoder.class(&class);
    }
}

/// Objects 12 to 17, what refers to them, and what keeps them.
fn tell_objects(encoder: &mut Encoder) {
    assert_eq!(encoder.object(APP_LOADER, 64), LOADER);
    assert_eq!(encoder.object(PLUGIN_LOADER, 72), CUSTOM);
    // Index 0 is of the interface, 1 and 2 are of Reference: so 3 is the first of App.
    let array = encoder.object(BYTES, 5 << 30);
    encoder.edge(APP, Reference::StaticField(3), array);
    encoder.edge(APP, Reference::ClassLoader, LOADER);
    encoder.edge(APP, Reference::Superclass, WEAK);
    let app = encoder.object(APP, 17);
    encoder.edge(array, Reference::Element(2), app);
    encoder.edge(array, Reference::Element(3), LOADER);
    encoder.edge(array, Reference::Element(300), app);
    let plugin = encoder.object(PLUGIN, 16);
    encoder.edge(app, Reference::Field(1), plugin);
    encoder.edge(app, Reference::Field(5), app);
    encoder.edge(app, Reference::Field(99), app);
    let string = encoder.object(STRING, 24);
    encoder.edge(plugin, Reference::Element(0), string);
    encoder.text(string, &"größer".encode_utf16().collect::<Vec<_>>());
    encoder.text(string, &"→".encode_utf16().collect::<Vec<_>>());
    let frame = FrameFacts { thread: 1, depth: 3, method: 0x7f00_dead_beef };
    encoder.root(RootReference::StackLocal { frame, slot: -1 }, app);
    encoder.root(RootReference::JniLocal(FrameFacts { thread: 77, ..FrameFacts::default() }), string);
    for root in [
        RootReference::JniGlobal,
        RootReference::SystemClass,
        RootReference::Monitor,
        RootReference::Thread,
        RootReference::Other,
    ] {
        encoder.root(root, string);
    }
    encoder.root(RootReference::SystemClass, OBJECT);
    encoder.object(Number::NONE, 8);
    encoder.thread(1, CLASS, "main");
    encoder.method(0x7f00_dead_beef, "App", "run");
}

/// The whole dump.
pub(crate) fn small_dump() -> Vec<u8> {
    let mut encoder = Encoder::new(&facts());
    tell_classes(&mut encoder);
    tell_objects(&mut encoder);
    encoder.finish().expect("a small heap")
}
