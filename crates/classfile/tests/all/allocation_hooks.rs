//! The rules of the allocation hooks, each on a small class, and on the JDK's own code that they are about.

use jvmti_bindings::classfile::{AttributeInfo, ClassFile as OtherReader};
use mayfly_classfile::allocation::{self, Options, Place, Places, Rewritten, Scoped, ScopedMethods, Scopes};
use mayfly_classfile::{ClassFile, MethodRefusal, Refusal};

use crate::support;
use crate::support::agreement::{align, hook_len, hook_name, hook_place, pool_count};
use crate::support::assembler::{ClassBuilder, CodeParts};
use crate::support::expected_hooks::{length, method_ref, text};
use crate::support::jvms;
use crate::support::rewriting;

const LOAD: Options = Options { add_fields: true, compiles_huge_methods: false };
const ATTACH: Options = Options { add_fields: false, compiles_huge_methods: false };
const RETURN: u8 = 0xb1;

fn rewrite(class: &[u8]) -> Rewritten {
    rewriting::rewrite(class, LOAD).expect("a sound class")
}

/// The hooks of the class's method, each as the pc in front of it and its signature.
fn hooks(class: &[u8]) -> Vec<(Option<usize>, String)> {
    let rewritten = rewrite(class);
    assert_eq!(rewritten.refused, []);
    let Some(new) = rewritten.class else { return Vec::new() };
    let (old, new) = (OtherReader::parse(class).expect("sound"), OtherReader::parse(&new).expect("sound"));
    let first_appended = pool_count(&old);
    let found = align(&code(&old), &code(&new), &|code, at| hook_len(&new, code, at, first_appended));
    assert_eq!(rewritten.sites as usize, found.inserted.len());
    found.inserted.iter().map(|(pc, code)| (*pc, hook_name(&new, code))).collect()
}

fn code(class: &OtherReader) -> Vec<u8> {
    let code = class.methods[0].attributes.iter().find_map(|attribute| match attribute {
        AttributeInfo::Code(code) => Some(code.code.clone()),
        _ => None,
    });
    code.expect("a method with code")
}

/// A class `owner` whose method `name` does the call, and `after`.
fn caller(owner: &str, name: &str, descriptor: &str, opcode: u8, callee: [&str; 3], after: &[u8]) -> Vec<u8> {
    let mut builder = ClassBuilder::named(55, owner);
    let [high, low] = builder.method_ref(callee[0], callee[1], callee[2]).to_be_bytes();
    let code = [&[opcode, high, low], after, &[0x57, RETURN]].concat();
    builder.method(
        name,
        descriptor,
        &CodeParts { max_stack: 4, max_locals: 9, code, ..CodeParts::default() },
    );
    builder.build()
}

/// The hook behind a call in an ordinary class.
fn behind(opcode: u8, callee: [&str; 3]) -> Option<String> {
    hooks(&caller("Made", "run", "()V", opcode, callee, &[])).pop().map(|(pc, hook)| {
        assert_eq!(pc, Some(0));
        hook
    })
}

#[test]
fn what_may_be_the_launchers_main_has_a_hook_before_each_return() {
    // `if (arguments == null) return; return;`
    let of = |name: &str, descriptor: &str, options: Options| {
        let mut builder = ClassBuilder::new(49);
        let code = vec![0x2a, 0xc6, 0, 4, RETURN, RETURN];
        let parts = CodeParts { max_stack: 1, max_locals: 1, code, ..CodeParts::default() };
        builder.method(name, descriptor, &parts);
        let class = builder.build();
        (rewriting::rewrite(&class, options).expect("a sound class").sites, class)
    };
    let (_, class) = of("main", "([Ljava/lang/String;)V", LOAD);
    let leaving = |pc| (Some(pc), "leavingMain ()V".to_owned());
    assert_eq!(hooks(&class), [leaving(1), leaving(4)]);
    // As JDK 25 takes it, too; not of an attach, nor of other methods.
    assert_eq!(of("main", "()V", LOAD).0, 2);
    let others = [("main", "([Ljava/lang/String;)V", ATTACH), ("main", "(I)V", LOAD), ("run", "()V", LOAD)];
    assert_eq!(others.map(|(name, descriptor, options)| of(name, descriptor, options).0), [0; 3]);
}

#[test]
fn every_kind_of_array_has_its_hook() {
    for (atype, kind) in (4..12).zip("ZCFDBSIJ".chars()) {
        let mut builder = ClassBuilder::new(55);
        let code = vec![0x04, 0xbc, atype, 0x57, RETURN];
        builder.method("run", "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
        assert_eq!(hooks(&builder.build()), [(Some(1), format!("array ([{kind})V"))]);
    }
    let mut builder = ClassBuilder::new(55);
    let [high, low] = builder.class("[[Ljava/lang/String;").to_be_bytes();
    let code = vec![0x04, 0xbd, high, low, 0x57, 0x04, 0x04, 0xc5, high, low, 2, 0x57, RETURN];
    builder.method("run", "()V", &CodeParts { max_stack: 2, code, ..CodeParts::default() });
    let expected = [(1, "array ([Ljava/lang/Object;)V"), (7, "multi (Ljava/lang/Object;)V")];
    assert_eq!(hooks(&builder.build()), expected.map(|(pc, hook)| (Some(pc), hook.to_owned())));
}

#[test]
fn hooks_of_one_kind_share_their_constants() {
    let with = |sites: usize| {
        let mut builder = ClassBuilder::new(55);
        let code = [[0x04, 0xbc, 10, 0x57].repeat(sites), vec![RETURN]].concat();
        builder.method("run", "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
        let class = builder.build();
        let new = rewrite(&class).class.expect("hooks");
        let count = |class: &[u8]| pool_count(&OtherReader::parse(class).expect("sound"));
        count(&new) - count(&class)
    };
    assert_eq!(with(1), with(50));
}

#[test]
fn calls_that_the_jit_replaces_are_counted_by_the_caller() {
    let any = Some("any (Ljava/lang/Object;)V".to_owned());
    let objects = Some("array ([Ljava/lang/Object;)V".to_owned());
    let clone = "()Ljava/lang/Object;";
    assert_eq!(behind(0xb6, ["[I", "clone", clone]), any);
    assert_eq!(behind(0xb6, ["[[Ljava/lang/String;", "clone", clone]), any);
    assert_eq!(behind(0xb7, ["java/lang/Object", "clone", clone]), any);
    let copy = "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;";
    assert_eq!(behind(0xb8, ["java/util/Arrays", "copyOf", copy]), objects);
    let range = "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;";
    assert_eq!(behind(0xb8, ["java/util/Arrays", "copyOfRange", range]), objects);
    assert_eq!(
        behind(0xb8, ["java/util/Arrays", "copyOf", "([Ljava/lang/Object;I)[Ljava/lang/Object;"]),
        None
    );
    let by_length = "(Ljava/lang/Class;I)Ljava/lang/Object;";
    assert_eq!(behind(0xb6, ["jdk/internal/misc/Unsafe", "allocateUninitializedArray0", by_length]), any);
    assert_eq!(behind(0xb6, ["jdk/internal/misc/Unsafe", "allocateUninitializedArray", by_length]), None);
    assert_eq!(
        behind(0xb8, ["java/lang/StringUTF16", "toBytes", "([CII)[B"]),
        Some("array ([B)V".to_owned())
    );
    assert_eq!(behind(0xb8, ["java/lang/reflect/Array", "newArray", by_length]), any);
    assert_eq!(behind(0xb8, ["java/lang/reflect/Array", "newInstance", by_length]), None);
    let multi =
        behind(0xb8, ["java/lang/reflect/Array", "multiNewArray", "(Ljava/lang/Class;[I)Ljava/lang/Object;"]);
    assert_eq!(multi, Some("multi (Ljava/lang/Object;)V".to_owned()));
}

#[test]
fn a_clone_that_may_be_inherited_is_shown_with_what_ran_before() {
    let clone = "()Ljava/lang/Object;";
    let around = [(None, "clonings ()I"), (Some(0), "cloned (ILjava/lang/Object;)V")];
    let around = around.map(|(pc, hook)| (pc, hook.to_owned()));
    for (opcode, owner) in [(0xb6, "java/lang/Object"), (0xb6, "Other"), (0xb7, "Other")] {
        let call = caller("Made", "run", "()V", opcode, [owner, "clone", clone], &[]);
        assert_eq!(hooks(&call), around, "{opcode:#x} {owner}");
        let (placed, places) = placed_hooks(&call, 40_000);
        assert_eq!(placed[1], (Some(0), "cloned (ILjava/lang/Object;I)V".to_owned(), Some(40_000)));
        assert_eq!(places, ["? Made.run:None"]);
    }
    assert_eq!(behind(0xb6, ["Other", "clone", "()LOther;"]), None, "Object's has another descriptor");
    assert_eq!(behind(0xb8, ["Other", "clone", clone]), None);
}

#[test]
fn instances_are_counted_in_sun_misc_unsafe_only() {
    let callee = ["jdk/internal/misc/Unsafe", "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;"];
    assert_eq!(behind(0xb6, callee), None);
    let in_unsafe = caller("sun/misc/Unsafe", "allocateInstance", "(Ljava/lang/Class;)V", 0xb6, callee, &[]);
    assert_eq!(hooks(&in_unsafe), [(Some(0), "any (Ljava/lang/Object;)V".to_owned())]);
}

#[test]
fn silenced_bodies_count_nothing_and_take_back_what_callees_count() {
    let descriptor = "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;";
    let callee = ["java/lang/reflect/Array", "newInstance", "(Ljava/lang/Class;I)Ljava/lang/Object;"];
    let arrays = |name| caller("java/util/Arrays", name, descriptor, 0xb8, callee, &[0x57, 0x04, 0xbc, 10]);
    assert_eq!(hooks(&arrays("copyOf")), [(Some(0), "undo (Ljava/lang/Object;)V".to_owned())]);
    assert_eq!(hooks(&arrays("other")), [(Some(5), "array ([I)V".to_owned())]);
}

#[test]
fn transitions_of_virtual_threads_are_told_in_front_of_the_call() {
    const THREAD: &str = "java/lang/VirtualThread";
    for (callee, descriptor, hook) in [
        ("notifyJvmtiMount", "(Z)V", Some("moving (Z)V")),
        ("notifyJvmtiUnmount", "(Z)V", Some("moving (Z)V")),
        ("notifyJvmtiEnd", "()V", Some("leaving ()V")),
        ("notifyJvmtiStart", "()V", Some("arriving ()V")),
        ("startTransition", "(Z)V", Some("leaving ()V")),
        ("endTransition", "(Z)V", Some("arriving ()V")),
        ("startFinalTransition", "()V", Some("leaving ()V")),
        ("endFirstTransition", "()V", Some("arriving ()V")),
        // Temporary ones: stacks are taken there.
        ("notifyJvmtiHideFrames", "(Z)V", None),
    ] {
        let expected: Vec<_> = hook.map(|hook| (None, hook.to_owned())).into_iter().collect();
        for class in [THREAD, "java/lang/VirtualThread$VThreadContinuation$1"] {
            let call = caller(class, "run", "()V", 0xb6, [THREAD, callee, descriptor], &[]);
            assert_eq!(hooks(&call), expected, "{callee} called by {class}");
        }
        assert_eq!(behind(0xb6, [THREAD, callee, descriptor]), None, "{callee} called from elsewhere");
    }
    let change = ["java/lang/Thread", "setCurrentThread", "(Ljava/lang/Thread;)V"];
    let call = caller(THREAD, "run", "()V", 0xb6, change, &[]);
    assert_eq!(hooks(&call), [(Some(0), "mounted ()V".to_owned())]);
    assert_eq!(behind(0xb6, change), None, "called from elsewhere");
}

#[test]
fn entry_hooks() {
    let mut object = ClassBuilder::named(55, "java/lang/Object");
    object.method("<init>", "()V", &CodeParts { max_locals: 1, code: vec![RETURN], ..CodeParts::default() });
    assert_eq!(hooks(&object.build()), [(None, "object (Ljava/lang/Object;)V".to_owned())]);

    let mut cloneable = ClassBuilder::named(55, "Made");
    let parts = CodeParts { max_stack: 1, max_locals: 1, code: vec![0x2a, 0xb0], ..CodeParts::default() };
    cloneable.method("clone", "()Ljava/lang/Object;", &parts);
    assert_eq!(hooks(&cloneable.build()), [(None, "cloning ()V".to_owned())]);

    let mut reflection = ClassBuilder::named(55, "jdk/internal/reflect/Reflection");
    let descriptor = "(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
    let parts = CodeParts { max_stack: 1, max_locals: 2, code: vec![0x2b, 0xb0], ..CodeParts::default() };
    reflection.method("filterFields", descriptor, &parts);
    let reflection = reflection.build();
    assert_eq!(hooks(&reflection), [(None, format!("visibleFields {descriptor}"))]);
    let attached = rewriting::rewrite(&reflection, ATTACH).expect("sound");
    assert_eq!(attached.class, None, "nothing to hide where no field was added");
}

#[test]
fn fields_are_added_once_and_at_load_only() {
    let thread = ["mayfly$slab J", "mayfly$moving Z", "mayfly$scopes [J"];
    let class = ["mayfly$cell I", "mayfly$frequent Z @Ljdk/internal/vm/annotation/Stable;"];
    for (class, fields) in [("java/lang/Thread", &thread[..]), ("java/lang/Class", &class)] {
        let class = ClassBuilder::named(55, class).build();
        let new = rewrite(&class).class.expect("a field");
        let parsed = OtherReader::parse(&new).expect("sound");
        let added = parsed.fields.iter().map(|field| {
            assert_eq!(field.access_flags, 0x1080);
            let annotations = field.attributes.iter().flat_map(|attribute| match attribute {
                AttributeInfo::RuntimeVisibleAnnotations { annotations } => annotations.iter(),
                other => panic!("{other:?}"),
            });
            let annotations = annotations.map(|one| format!(" @{}", text(&parsed, one.type_index)));
            let (name, descriptor) = (text(&parsed, field.name_index), text(&parsed, field.descriptor_index));
            format!("{name} {descriptor}{}", annotations.collect::<String>())
        });
        assert_eq!(added.collect::<Vec<_>>(), fields);
        assert_eq!(rewrite(&new).class, None);
        assert_eq!(rewriting::rewrite(&class, ATTACH), Ok(Rewritten::default()));
    }
}

#[test]
fn the_hooks_class_and_rewritten_classes_are_left_alone() {
    let array = CodeParts { max_stack: 1, code: vec![0x04, 0xbc, 10, 0x57, RETURN], ..CodeParts::default() };
    let mut hooks_class = ClassBuilder::named(55, allocation::HOOKS_CLASS);
    hooks_class.method("run", "()V", &array);
    assert_eq!(rewrite(&hooks_class.build()), Rewritten::default());
    let mut made = ClassBuilder::new(55);
    made.method("run", "()V", &array);
    let new = rewrite(&made.build()).class.expect("a hook");
    assert_eq!(rewrite(&new), Rewritten::default());
    assert_eq!(rewriting::rewrite(&new, ATTACH), Ok(Rewritten::default()));
}

/// What the JVM makes of a class that is given back as it was.
#[test]
fn constants_of_hooks_alone_are_no_hooks_where_classes_are_retransformed() {
    let mut builder = ClassBuilder::new(55);
    builder.method_ref(allocation::HOOKS_CLASS, "array", "([I)V");
    let array = CodeParts { max_stack: 1, code: vec![0x04, 0xbc, 10, 0x57, RETURN], ..CodeParts::default() };
    builder.method("run", "()V", &array);
    let again = rewriting::rewrite(&builder.build(), ATTACH).expect("sound");
    assert_eq!(again.sites, 1);
}

#[test]
fn a_method_without_room_is_refused_alone_and_not_counted() {
    let mut code = vec![0x04, 0xbc, 10, 0x57];
    code.resize(65_534, 0);
    code.push(RETURN);
    let mut builder = ClassBuilder::new(55);
    builder.method("long", "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
    let alone = rewrite(&builder.build());
    assert_eq!((alone.class, alone.sites), (None, 0));
    assert_eq!(alone.refused[0].reason, MethodRefusal::TooLarge);
    assert_eq!(alone.refused[0].reason.reason(), "method would pass 64 KB");
    let code = vec![0x04, 0xbc, 10, 0x57, RETURN];
    builder.method("short", "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
    let both = rewrite(&builder.build());
    assert_eq!((both.class.is_some(), both.sites, both.refused.len()), (true, 1, 1));
}

#[test]
fn what_is_no_class_is_refused() {
    assert_eq!(rewriting::rewrite(b"text", LOAD), Err(Refusal::Malformed("magic number")));
    assert_eq!(rewriting::rewrite(b"", LOAD), Err(Refusal::Malformed("class header")));
}

/// The bodies that JIT compilers replace, and every call in them that may return an array, on the JDKs read so far. A
/// JVM with another call needs a look: does the callee count itself?
const KNOWN_CALLS: [&str; 3] = [
    "java/lang/reflect/Array newInstance (Ljava/lang/Class;I)Ljava/lang/Object;",
    "java/lang/StringUTF16 newBytesFor (I)[B",
    "java/lang/StringUTF16 toBytes0 ([CII)[B",
];

#[test]
fn silenced_bodies_are_as_we_know_them() {
    let homes = jvms::homes();
    let folder = jvms::scratch("silenced_bodies");
    if jvms::compile(&homes, &jvms::dump_source(), &folder).is_none() {
        return jvms::skip("silenced_bodies", "no JVM found has a javac; set JAVA_HOME to a JDK");
    }
    for home in &homes {
        let mut bodies = 0;
        for class in jvms::classes(home, &folder, Some("java.base")) {
            let owners = ["java/util/Arrays", "java/lang/StringUTF16", "jdk/internal/misc/Unsafe"];
            if owners.iter().any(|owner| class.name == format!("java.base/{owner}.class")) {
                bodies += check_silenced(&OtherReader::parse(&class.bytes).expect("sound"));
            }
        }
        assert!((4..=5).contains(&bodies), "{home:?} has {bodies} of the bodies");
    }
}

fn check_silenced(class: &OtherReader) -> usize {
    let owner = support::expected_hooks::class_name(class, class.this_class);
    let mut bodies = 0;
    for method in &class.methods {
        let name =
            format!("{owner} {} {}", text(class, method.name_index), text(class, method.descriptor_index));
        if !support::expected_hooks::SILENT.contains(&name.as_str()) {
            continue;
        }
        bodies += 1;
        for attribute in &method.attributes {
            let AttributeInfo::Code(code) = attribute else { continue };
            let mut pc = 0;
            while pc < code.code.len() {
                if (0xb6..=0xb9).contains(&code.code[pc]) {
                    let index = u16::from_be_bytes([code.code[pc + 1], code.code[pc + 2]]);
                    let callee = method_ref(class, index).expect("a method");
                    let may_be_array = callee.contains(")[") || callee.ends_with(")Ljava/lang/Object;");
                    assert!(!may_be_array || KNOWN_CALLS.contains(&callee.as_str()), "{name} calls {callee}");
                }
                pc += length(&code.code, pc);
            }
        }
    }
    bodies
}

/// Notes the places it numbers, from `first` on.
struct Noting {
    first: u32,
    places: Vec<String>,
}

impl Places for Noting {
    fn number(&mut self, place: Place<'_>) -> Option<u32> {
        let made = place.made.class_name().unwrap_or_else(|| b"?".to_vec());
        let made = String::from_utf8_lossy(&made);
        let [class, method] = [place.class, place.method].map(String::from_utf8_lossy);
        self.places.push(format!("{made} {class}.{method}:{:?}", place.line));
        Some(self.first + self.places.len() as u32 - 1)
    }
}

/// The pc in front, the signature, the place's number.
type PlacedHook = (Option<usize>, String, Option<u32>);

/// The hooks of the class's method with places, and the places.
fn placed_hooks(class: &[u8], first: u32) -> (Vec<PlacedHook>, Vec<String>) {
    let mut noting = Noting { first, places: Vec::new() };
    let rewritten = rewriting::rewrite_counting(class, LOAD, Some(&mut noting)).expect("a sound class");
    let (old, new) = (
        OtherReader::parse(class).expect("sound"),
        OtherReader::parse(&rewritten.class.expect("hooks")).expect("sound"),
    );
    let first_appended = pool_count(&old);
    let found = align(&code(&old), &code(&new), &|code, at| hook_len(&new, code, at, first_appended));
    let hook = |(pc, code): &(Option<usize>, Vec<u8>)| (*pc, hook_name(&new, code), hook_place(&new, code));
    (found.inserted.iter().map(hook).collect(), noting.places)
}

/// A constructor of `Made extends Super`: what stands between `aload_0` and the return is given, with the Methodrefs of
/// both constructors and the class constants.
fn constructor(body: impl Fn([u8; 2], [u8; 2], [u8; 2], [u8; 2]) -> Vec<u8>) -> Vec<u8> {
    let mut builder = ClassBuilder::with_super(55, "Made", "Super");
    let made = builder.class("Made").to_be_bytes();
    let base = builder.class("Super").to_be_bytes();
    let init_made = builder.method_ref("Made", "<init>", "()V").to_be_bytes();
    let init_base = builder.method_ref("Super", "<init>", "(LSuper;)V").to_be_bytes();
    let code = [vec![0x2a], body(made, base, init_made, init_base), vec![RETURN]].concat();
    builder.method("<init>", "()V", &CodeParts { max_stack: 5, max_locals: 1, code, ..CodeParts::default() });
    builder.build()
}

#[test]
fn creations_are_told_from_calls_of_this_and_super() {
    // super(new Super(new Made()))
    let class = constructor(|[a, b], [c, d], [e, f], [g, h]| {
        vec![0xbb, c, d, 0x59, 0xbb, a, b, 0x59, 0xb7, e, f, 0xb7, g, h, 0xb7, g, h]
    });
    let (hooks, places) = placed_hooks(&class, 7);
    let place = |pc, number| (Some(pc), "place (I)V".to_owned(), Some(number));
    assert_eq!(hooks, [place(8, 7), place(9, 8)]);
    assert_eq!(places, ["Made Made.<init>:None", "Super Made.<init>:None"]);
}

#[test]
fn only_constructors_call_this_and_super() {
    let mut builder = ClassBuilder::new(55);
    let [a, b] = builder.method_ref("Super", "<init>", "()V").to_be_bytes();
    let code = vec![0x2a, 0xb7, a, b, RETURN];
    builder.method("run", "()V", &CodeParts { max_stack: 1, max_locals: 1, code, ..CodeParts::default() });
    let (hooks, _) = placed_hooks(&builder.build(), 40_000);
    assert_eq!(hooks, [(Some(0), "place (I)V".to_owned(), Some(40_000))]);
}

#[test]
fn arrays_and_calls_are_told_their_place() {
    let mut builder = ClassBuilder::new(55);
    let [a, b] = builder.class("[Ljava/lang/String;").to_be_bytes();
    let [c, d] = builder.method_ref("[I", "clone", "()Ljava/lang/Object;").to_be_bytes();
    let code = vec![
        0x04, 0xbc, 8, 0x57, 0x04, 0xbd, a, b, 0x57, 0x2a, 0xb6, c, d, 0x57, 0x04, 0x04, 0xc5, a, b, 2, 0x57,
        RETURN,
    ];
    builder.method("run", "()V", &CodeParts { max_stack: 2, max_locals: 1, code, ..CodeParts::default() });
    let (hooks, places) = placed_hooks(&builder.build(), 0);
    let expected = [
        (1, "array ([BI)V"),
        (5, "array ([Ljava/lang/Object;I)V"),
        (10, "any (Ljava/lang/Object;I)V"),
        (16, "multi (Ljava/lang/Object;I)V"),
    ];
    let hook =
        |(number, (pc, hook)): (usize, (usize, &str))| (Some(pc), hook.to_owned(), Some(number as u32));
    assert_eq!(hooks, expected.into_iter().enumerate().map(hook).collect::<Vec<_>>());
    assert_eq!(
        places,
        ["[B Made.run:None", "[[Ljava.lang.String; Made.run:None", "? Made.run:None", "? Made.run:None"]
    );
}

#[test]
fn places_give_way_where_a_method_would_get_too_large() {
    let with_padding = |padding: usize| {
        let mut builder = ClassBuilder::new(55);
        let [a, b] = builder.class("Made").to_be_bytes();
        let [c, d] = builder.method_ref("Made", "<init>", "()V").to_be_bytes();
        let mut code = vec![0xbb, a, b, 0xb7, c, d, 0x04, 0xbc, 8, 0x57];
        code.resize(padding, 0);
        code.push(RETURN);
        builder.method("run", "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
        builder.build()
    };
    let unplaced = |padding| {
        let mut noting = Noting { first: 0, places: Vec::new() };
        let class = with_padding(padding);
        let rewritten = rewriting::rewrite_counting(&class, LOAD, Some(&mut noting)).expect("sound");
        assert_eq!(rewritten.refused, []);
        (rewritten.sites, rewritten.unplaced)
    };
    assert_eq!(unplaced(100), (2, 0));
    assert_eq!(unplaced(7_986), (2, 0), "its hooks take 13 bytes");
    assert_eq!(unplaced(7_987), (1, 1), "the JIT would not compile it");
    assert_eq!(unplaced(9_000), (2, 0), "the JIT does not compile it anyway");
    assert_eq!(unplaced(65_525), (1, 1), "no room for a second hook");
}

/// A class with a method of that name and so much code, of which each six bytes make an array, `arrays` times.
fn with_arrays(name: &str, arrays: usize, len: usize) -> Vec<u8> {
    let mut builder = ClassBuilder::new(55);
    let mut code = [0x04, 0xbc, 10, 0x57, 0, 0].repeat(arrays);
    code.resize(len - 1, 0);
    code.push(RETURN);
    builder.method(name, "()V", &CodeParts { max_stack: 1, code, ..CodeParts::default() });
    builder.build()
}

/// Hooks and length of the only method, and why some were left out, after rewriting.
fn grown(class: &[u8], options: Options, places: bool) -> (u32, usize, Vec<&'static str>) {
    let mut noting = Noting { first: 0, places: Vec::new() };
    let places = places.then_some(&mut noting as &mut dyn Places);
    let rewritten = rewriting::rewrite_counting(class, options, places).expect("sound");
    let class = rewritten.class.unwrap_or_else(|| class.to_vec());
    let file = ClassFile::parse(&class).expect("sound");
    let code = file.code(&file.methods()[0]).expect("sound").expect("code");
    (rewritten.sites, code.bytecode.len(), rewritten.refused.iter().map(|it| it.reason.reason()).collect())
}

#[test]
fn no_hooks_push_a_method_beyond_what_the_jit_compiles() {
    const WHY: &str = "hooks left out, or the method would pass 8,000 bytes and never be compiled";
    for places in [false, true] {
        let arrays = |name, arrays, len| grown(&with_arrays(name, arrays, len), LOAD, places);
        assert_eq!(arrays("run", 25, 7_900), (25, 8_000, vec![]), "there is room for them");
        assert_eq!(arrays("run", 26, 7_900), (25, 8_000, vec![WHY]));
        assert_eq!(arrays("run", 1, 7_999), (0, 7_999, vec![WHY]));
        assert_eq!(arrays("<clinit>", 26, 7_900).2, [""; 0], "runs once, and is not compiled");
    }
    assert_eq!(
        grown(&with_arrays("run", 26, 8_001), LOAD, false),
        (26, 8_105, vec![]),
        "it is not compiled anyway"
    );
    let options = Options { compiles_huge_methods: true, ..LOAD };
    assert_eq!(
        grown(&with_arrays("run", 26, 7_900), options, true),
        (26, 8_082, vec![]),
        "this JVM compiles it"
    );
}

#[test]
fn a_class_that_has_its_hooks_needs_no_others_but_for_places() {
    let has = |class: &[u8]| {
        let file = ClassFile::parse(class).expect("sound");
        let codes = file.methods().iter().filter_map(|method| file.code(method).expect("sound"));
        let codes = codes.map(|code| code.bytecode.to_vec());
        allocation::has_hooks_without_places(file.pool().constants(), codes)
    };
    let class = with_arrays("run", 3, 100);
    let mut noting = Noting { first: 0, places: Vec::new() };
    let placed =
        rewriting::rewrite_counting(&class, ATTACH, Some(&mut noting)).expect("sound").class.expect("hooks");
    let plain = rewriting::rewrite(&class, ATTACH).expect("sound").class.expect("hooks");
    assert_eq!([&class, &placed, &plain].map(|class| has(class)), [false, false, true]);
}

#[test]
fn a_scope_goes_before_arrays_where_there_is_no_room_for_both() {
    let scoped = |arrays, len| {
        let methods =
            ScopedMethods { class: b"Made".to_vec(), method: b"run".to_vec(), descriptor: None, scope: 7 };
        let class = with_arrays("run", arrays, len);
        let rewritten =
            allocation::rewrite(&class, LOAD, None, Scopes { named: &[methods], annotated: None })
                .expect("sound");
        (rewritten.sites, rewritten.scoped[0].1, rewritten.refused.len())
    };
    assert_eq!(scoped(20, 7_901), (22, Scoped::Methods(1), 0));
    assert_eq!(scoped(20, 7_902), (21, Scoped::Methods(1), 1), "an array without a hook");
    assert_eq!(scoped(20, 7_981), (2, Scoped::Methods(1), 1), "no array has one");
    assert_eq!(scoped(20, 7_982), (0, Scoped::Methods(0), 1), "nor is it a scope");
}

/// A class of this version whose method of that name has a branch, an exception handler of its own, and two returns.
fn with_two_returns(major: u16, name: &str) -> Vec<u8> {
    let mut builder = ClassBuilder::named(major, "a/Handler");
    // aload_0, ifnull 5, return; 5: return
    let code = vec![0x2a, 0xc6, 0, 4, RETURN, RETURN];
    let (exceptions, frames) = (vec![[0, 4, 5, 0]], vec![0, 1, 5]);
    let attributes = if major < 50 { vec![] } else { vec![("StackMapTable", frames)] };
    builder.method(name, "()V", &CodeParts { max_stack: 1, max_locals: 1, code, exceptions, attributes });
    builder.build()
}

fn scoped(class: &[u8], method: &str) -> Rewritten {
    let methods =
        ScopedMethods { class: b"a/Handler".to_vec(), method: method.into(), descriptor: None, scope: 7 };
    allocation::rewrite(class, LOAD, None, Scopes { named: &[methods], annotated: None })
        .expect("a sound class")
}

#[test]
fn a_method_that_is_a_scope_is_left_by_its_returns_and_by_what_it_throws() {
    for major in [49, 55, 65] {
        let rewritten = scoped(&with_two_returns(major, "handle"), "handle");
        assert_eq!((rewritten.scoped[0].1, rewritten.refused.len()), (Scoped::Methods(1), 0));
        let class = OtherReader::parse(&rewritten.class.expect("changed")).expect("sound");
        let AttributeInfo::Code(code) = &class.methods[0].attributes[0] else { panic!("no code") };
        // sipush 7, invokestatic: at the entry, before each return, and with athrow behind the code.
        let sipush = |at: usize| assert_eq!(code.code[at..at + 3], [0x11, 0, 7], "{:?}", code.code);
        [0, 10, 17, 24].into_iter().for_each(sipush);
        assert_eq!((code.code.len(), code.code[30], code.max_stack), (31, 0xbf, 2));
        let entries: Vec<_> =
            code.exception_table.iter().map(|e| [e.start_pc, e.end_pc, e.handler_pc, e.catch_type]).collect();
        // Its own handler comes first; both reach to the code inserted before what they ended or lead to.
        assert_eq!(entries, [[6, 10, 17, 0], [6, 24, 24, 0]]);
        let frames = code.attributes.iter().filter_map(|attribute| match attribute {
            AttributeInfo::StackMapTable(table) => Some(table.entries.len()),
            _ => None,
        });
        assert_eq!(frames.collect::<Vec<_>>(), if major < 50 { vec![] } else { vec![2] });
    }
}

#[test]
fn what_can_be_no_scope_is_said() {
    let outcome = |class: &[u8], method: &str| scoped(class, method).scoped[0].1;
    let class = with_two_returns(55, "handle");
    assert_eq!(outcome(&class, "other"), Scoped::NoSuchMethod);
    let constructor = with_two_returns(55, "<init>");
    assert_eq!(outcome(&constructor, "<init>"), Scoped::NoSuchMethod);
    let other =
        ScopedMethods { class: b"a/Other".to_vec(), method: b"handle".to_vec(), descriptor: None, scope: 7 };
    assert_eq!(
        allocation::rewrite(&class, LOAD, None, Scopes { named: &[other], annotated: None })
            .expect("sound")
            .scoped,
        []
    );
}

/// A method with the annotation, behind another one that has a value of each kind; in an attribute of that name.
fn annotated(attribute: &str, name: Option<&str>) -> Vec<u8> {
    let mut builder = ClassBuilder::named(55, "a/Handler");
    let code = || CodeParts { max_stack: 0, max_locals: 1, code: vec![RETURN], ..CodeParts::default() };
    builder.method("handle", "(I)V", &code());
    builder.method("handle", "()V", &code());
    let [other, ours, key] = ["La/Other;", "Lio/mayfly/Scoped;", "value"].map(|text| builder.utf8(text));
    let u2 = |number: u16| number.to_be_bytes().to_vec();
    // A list of an enum's constant and an int, a class, and an annotation with a string.
    let list = [b"[\0\x02e".to_vec(), u2(key), u2(key), b"I".to_vec(), u2(key)].concat();
    let nested = [b"@".to_vec(), u2(other), u2(1), u2(key), b"s".to_vec(), u2(key)].concat();
    let values = [u2(key), list, u2(key), b"c".to_vec(), u2(key), u2(key), nested].concat();
    let mut content = [u2(2), u2(other), u2(3), values, u2(ours)].concat();
    match name {
        Some(name) => content.extend([u2(1), u2(key), b"s".to_vec(), u2(builder.utf8(name))].concat()),
        None => content.extend(u2(0)),
    }
    builder.attribute(attribute, &content);
    builder.build()
}

#[test]
fn an_annotated_method_is_a_scope() {
    let names = core::cell::RefCell::new(Vec::new());
    let number = |name: &[u8]| {
        names.borrow_mut().push(String::from_utf8(name.to_vec()).expect("UTF-8"));
        7
    };
    let scopes = Scopes { named: &[], annotated: Some(&number) };
    for (attribute, name) in
        [("RuntimeVisibleAnnotations", Some("request")), ("RuntimeInvisibleAnnotations", None)]
    {
        let class = annotated(attribute, name);
        let rewritten = allocation::rewrite(&class, LOAD, None, scopes).expect("sound");
        let (methods, outcome) = &rewritten.scoped[0];
        assert_eq!((*outcome, methods.descriptor.as_deref()), (Scoped::Methods(1), Some(&b"()V"[..])));
        assert_eq!((rewritten.scoped.len(), rewritten.sites), (1, 2), "not the other of that name");
        // Where there are no scopes, it is an annotation like any other.
        assert_eq!(rewriting::rewrite(&class, LOAD).expect("sound"), Rewritten::default());
    }
    assert_eq!(names.borrow()[..], ["request", "a.Handler.handle"]);
    let cut_short = annotated("RuntimeVisibleAnnotations", None);
    let broken = allocation::rewrite(&cut_short[..cut_short.len() - 1], LOAD, None, scopes);
    assert!(broken.is_err());
}
