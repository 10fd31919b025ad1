//! Broken classes: never a panic, whatever the bytes.

use std::sync::OnceLock;

use mayfly_classfile::allocation::Options;
use mayfly_classfile::opcode::{ATHROW, GOTO, GOTO_W, RET, RETURN, TABLESWITCH};
use mayfly_classfile::{ClassEditor, ClassFile, instructions};
use proptest::prelude::*;

use crate::support::assembler::{ClassBuilder, CodeParts, words};
use crate::support::jvms;
use crate::support::rewriting;

/// The classes to break: some of `java.base` if there is a JVM, and one made here, small and with everything in it.
fn corpus() -> &'static [Vec<u8>] {
    static CORPUS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let mut corpus = vec![made(); 8];
        let homes = jvms::homes();
        let folder = jvms::scratch("mutations");
        let Some(home) = homes.first() else { return corpus };
        if jvms::compile(&homes, &jvms::dump_source(), &folder).is_some() {
            let classes = jvms::classes(home, &folder, Some("java.base"));
            let small = classes.into_iter().filter(|class| class.bytes.len() < 12_000);
            corpus.extend(small.step_by(16).map(|class| class.bytes));
        }
        corpus
    })
}

fn made() -> Vec<u8> {
    let mut builder = ClassBuilder::new(61);
    let clone = builder.method_ref("[I", "clone", "()Ljava/lang/Object;").to_be_bytes();
    let mut code =
        vec![0x03, 0xbc, 10, 0xb6, clone[0], clone[1], 0xc6, 0, 4, 0x03, 0x57, 0x03, 0xaa, 0, 0, 0];
    [19_u32, 0, 0, 19].iter().for_each(|word| code.extend(word.to_be_bytes()));
    code.extend([0x03, 0xa7, 0xff, 0xff, 0xb1]);
    let attributes = vec![
        ("StackMapTable", vec![0, 2, 10, 64 + 5, 8, 0, 2]),
        ("LineNumberTable", words(&[1, 3, 7])),
        ("LocalVariableTable", words(&[1, 0, 9, 5, 6, 0])),
        (
            "RuntimeVisibleTypeAnnotations",
            vec![0, 1, 0x44, 0, 2, 0, 0, 5, 0, 1, 0, 5, b'[', 0, 1, b'I', 0, 5],
        ),
    ];
    let parts = CodeParts { max_stack: 2, max_locals: 2, code, exceptions: vec![[0, 9, 9, 0]], attributes };
    builder.method("run", "()V", &parts);
    builder.build()
}

/// Everything the crate does with a class; what comes out is the same kind of thing again.
fn exercise(class: &[u8]) {
    for add_fields in [true, false] {
        if let Ok(Some(new)) = rewriting::rewrite(class, Options { add_fields, compiles_huge_methods: false })
            .map(|rewritten| rewritten.class)
        {
            ClassFile::parse(&new).expect("what was written can be read");
            let again = rewriting::rewrite(&new, Options { add_fields, compiles_huge_methods: false })
                .expect("and rewritten");
            assert_eq!(again.class, None, "hooks are inserted once");
        }
    }
    let Ok(parsed) = ClassFile::parse(class) else { return };
    let mut editor = ClassEditor::new(&parsed);
    for (index, method) in parsed.methods().iter().enumerate() {
        let Ok(Some(code)) = parsed.code(method) else { continue };
        editor.edit_method(index).insert_at_entry(&[0, 0, 0], 1);
        let passes_on = |opcode: u8| !matches!(opcode, GOTO | RET | TABLESWITCH..=RETURN | ATHROW | GOTO_W);
        let places = instructions(code.bytecode).map_while(Result::ok);
        for instruction in places.filter(|instruction| passes_on(instruction.opcode)) {
            // Enough to push jumps of large methods beyond their reach.
            editor.edit_method(index).insert_after(instruction.pc, &[0; 40], 1);
        }
    }
    if let Ok(edited) = editor.finish() {
        ClassFile::parse(&edited.bytes).expect("what was written can be read");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(
        class in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::weighted(0.1, any::<prop::sample::Index>()),
    ) {
        let mut bytes = class.get(corpus()).clone();
        for (at, value) in changes {
            *at.get_mut(bytes.as_mut_slice()) = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        exercise(&bytes);
    }

    #[test]
    fn grown_and_shrunk_numbers_never_panic(
        class in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![0_u16, 1, 2, 0x7f, 0xff, 0x100, 0x7fff, 0x8000, 0xfffe, 0xffff]),
    ) {
        let mut bytes = class.get(corpus()).clone();
        let at = at.index(bytes.len() - 1);
        bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
        exercise(&bytes);
    }

    #[test]
    fn any_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&bytes);
        bytes.splice(0..0, [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]);
        exercise(&bytes);
    }
}

#[test]
fn the_class_made_here_is_sound() {
    let rewritten = rewriting::rewrite(&made(), Options { add_fields: true, compiles_huge_methods: false })
        .expect("a sound class");
    assert_eq!((rewritten.sites, rewritten.refused.len()), (2, 0));
}
