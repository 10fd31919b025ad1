//! Edits of classes made byte by byte, each for one rule of the layout.

use jvmti_bindings::classfile::{AttributeInfo, ClassFile as OtherReader, CodeAttribute};
use mayfly_classfile::{ClassEditor, ClassFile, EditedClass, MethodEdit, MethodRefusal, Refusal};

use crate::support;
use crate::support::agreement::{Alignment, check_code};
use crate::support::assembler::{ClassBuilder, CodeParts, words};

/// `iconst_0; pop`.
const INSERTED: [u8; 2] = [0x03, 0x57];
const NOP: u8 = 0x00;
const RETURN: u8 = 0xb1;

fn code_of(class: &[u8], method: usize) -> CodeAttribute {
    let class = OtherReader::parse(class).expect("a sound class");
    let code = class.methods[method].attributes.iter().find_map(|attribute| match attribute {
        AttributeInfo::Code(code) => Some(code.clone()),
        _ => None,
    });
    code.expect("a method with code")
}

/// A class with one method.
fn class_with(major: u16, parts: &CodeParts) -> Vec<u8> {
    let mut builder = ClassBuilder::new(major);
    builder.method("run", "()V", parts);
    builder.build()
}

fn edit(class: &[u8], change: impl FnOnce(&mut MethodEdit)) -> EditedClass {
    let class = ClassFile::parse(class).expect("a sound class");
    let mut editor = ClassEditor::new(&class);
    change(editor.edit_method(0));
    editor.finish().expect("room for everything")
}

/// Inserts behind each of `pcs`, and checks the outcome with the other reader.
fn insert(class: &[u8], pcs: &[u32]) -> (CodeAttribute, Alignment) {
    let edited = edit(class, |method| pcs.iter().for_each(|pc| method.insert_after(*pc, &INSERTED, 1)));
    assert_eq!(edited.refused, []);
    let new = code_of(&edited.bytes, 0);
    let is_inserted =
        |code: &[u8], at: usize| code[at..].starts_with(&INSERTED).then_some((INSERTED.len(), false));
    let found = check_code(&code_of(class, 0), &new, &is_inserted);
    assert_eq!(found.inserted.len(), pcs.len());
    (new, found)
}

fn refusal(class: &[u8], pcs: &[u32]) -> MethodRefusal {
    let edited = edit(class, |method| pcs.iter().for_each(|pc| method.insert_after(*pc, &INSERTED, 1)));
    assert_eq!(edited.refused.len(), 1);
    assert_eq!(edited.refused[0].signature, "run()V");
    assert_eq!(edited.bytes, class, "a refused method is copied");
    edited.refused[0].reason
}

/// `head`, no-ops, and a return at `end`.
fn padded(head: &[u8], end: usize) -> Vec<u8> {
    let mut code = head.to_vec();
    code.resize(end, NOP);
    code.push(RETURN);
    code
}

#[test]
fn goto_is_widened_when_its_way_passes_32_kb() {
    let code = padded(&[0xa7, 0x7f, 0xff], 0x7fff);
    let class = class_with(49, &CodeParts { code, max_stack: 1, ..CodeParts::default() });
    let (new, _) = insert(&class, &[5]);
    assert_eq!(new.code[..5], [0xc8, 0, 0, 0x80, 0x03]);
    assert_eq!(new.code.len(), 0x8000 + 4);
}

#[test]
fn jsr_is_widened_and_its_ret_is_copied() {
    let mut code = padded(&[0xa8, 0x7f, 0xff, NOP, RETURN], 0x7fff);
    code.pop();
    code.extend([0x4b, 0xc4, 0x84, 0, 1, 0, 1, 0xa9, 0]); // astore_0; wide iinc 1 1; ret 0
    let class = class_with(48, &CodeParts { code, max_stack: 1, max_locals: 2, ..CodeParts::default() });
    let (new, _) = insert(&class, &[3]);
    assert_eq!(new.code[..5], [0xc9, 0, 0, 0x80, 0x03]);
    assert_eq!(new.code[new.code.len() - 9..], [0x4b, 0xc4, 0x84, 0, 1, 0, 1, 0xa9, 0]);
}

#[test]
fn backward_goto_is_widened() {
    let mut code = padded(&[], 0x8000);
    code.pop();
    code.extend([0xa7, 0x80, 0x00]);
    let class = class_with(49, &CodeParts { code, max_stack: 1, ..CodeParts::default() });
    let (new, _) = insert(&class, &[5]);
    assert_eq!(new.code[new.code.len() - 5..], [0xc8, 0xff, 0xff, 0x7f, 0xfe]);
}

#[test]
fn conditional_jump_goes_through_a_trampoline() {
    // iconst_0; ifeq 32,768; return (a gap); no-ops; return
    let code = padded(&[0x03, 0x99, 0x7f, 0xff, RETURN], 0x8000);
    let class = class_with(49, &CodeParts { code, max_stack: 1, ..CodeParts::default() });
    let (new, found) = insert(&class, &[10]);
    assert_eq!(found.trampolines, [5]);
    assert_eq!(new.code[1..4], [0x99, 0, 4]);
    assert_eq!(new.code[5..10], [0xc8, 0, 0, 0x80, 0x02]);
}

#[test]
fn a_trampoline_cuts_the_handler_it_stands_in_and_has_its_targets_frame() {
    // int local 0; iload_0; ifeq far; return; gap; no-ops; far: return
    let code = padded(&[0x1a, 0x99, 0x7f, 0xff, RETURN], 0x8000);
    let mut builder = ClassBuilder::new(52);
    let exceptions = vec![[0, 0x7ff0, 0x7ff8, 0], [5, 10, 0x7ff8, 0]];
    let object = builder.class("java/lang/Throwable").to_be_bytes();
    let mut frames = words(&[3]);
    frames.extend([251, 0, 5]); // at 5: same
    frames.extend([247, 0x7f, 0xf2, 7, object[0], object[1]]); // at 0x7ff8: the handler
    frames.extend([7]); // at 0x8000: same
    let parts = CodeParts {
        max_stack: 2,
        max_locals: 1,
        code,
        exceptions,
        attributes: vec![("StackMapTable", frames)],
    };
    builder.method("run", "(I)V", &parts);
    let class = builder.build();
    let (new, found) = insert(&class, &[10]);
    assert_eq!(found.trampolines, [5]);
    let table: Vec<_> = new.exception_table.iter().map(|entry| (entry.start_pc, entry.end_pc)).collect();
    assert_eq!(table, [(0, 5), (10, 0x7ff0 + 7), (10, 15)]);
    let frames = new.attributes.iter().find_map(|attribute| match attribute {
        AttributeInfo::StackMapTable(table) => Some(format!("{:?}", table.entries)),
        _ => None,
    });
    let local = "locals: [Integer], stack: []";
    let handler = format!("locals: [Integer], stack: [Object({})]", u16::from_be_bytes(object));
    assert_eq!(
        frames.expect("frames"),
        format!(
            "[Full {{ offset_delta: 5, {local} }}, Full {{ offset_delta: 4, {local} }}, \
             Full {{ offset_delta: 32756, {handler} }}, Full {{ offset_delta: 7, {local} }}]"
        )
    );
}

#[test]
fn conditional_jump_without_a_place_for_a_trampoline_is_refused() {
    let code = padded(&[0x03, 0x99, 0x7f, 0xff], 0x8000);
    let class = class_with(49, &CodeParts { code, max_stack: 1, ..CodeParts::default() });
    assert_eq!(refusal(&class, &[10]), MethodRefusal::JumpTooFar);
}

#[test]
fn switch_padding_follows_the_switch() {
    for before in 1..=4 {
        let mut code = vec![NOP; before];
        code.push(0x03); // iconst_0
        let start = code.len();
        code.push(0xaa);
        code.resize(code.len().next_multiple_of(4), 0);
        let end = (code.len() + 16 - start) as u32;
        [end, 7, 7, end + 1].iter().for_each(|word| code.extend(word.to_be_bytes()));
        code.extend([NOP, 0x03]);
        let start = code.len();
        code.push(0xab);
        code.resize(code.len().next_multiple_of(4), 0);
        let end = (code.len() + 16 - start) as u32;
        [end, 1, 9, end].iter().for_each(|word| code.extend(word.to_be_bytes()));
        code.push(RETURN);
        let class = class_with(49, &CodeParts { code, max_stack: 1, ..CodeParts::default() });
        insert(&class, &[0]);
        insert(&class, &(0..before as u32).collect::<Vec<_>>());
    }
}

#[test]
fn short_frames_become_extended_ones_when_their_delta_passes_63() {
    let code = padded(&[], 200);
    for (distance, grown) in [(61_u8, vec![63]), (62, vec![251, 0, 64]), (63, vec![251, 0, 65])] {
        let frames = [vec![0, 1], vec![distance]].concat();
        let parts = CodeParts {
            attributes: vec![("StackMapTable", frames)],
            code: code.clone(),
            ..CodeParts::default()
        };
        let class = class_with(52, &parts);
        let edited = edit(&class, |method| method.insert_after(5, &INSERTED, 1));
        assert!(edited.bytes.ends_with(&[vec![0, 1], grown, vec![0, 0]].concat()), "{distance}");
        insert(&class, &[5]);
    }
    for (distance, grown) in [(62_u8, vec![247, 0, 64, 1]), (61, vec![127, 1])] {
        let frames = [vec![0, 1], vec![64 + distance, 1]].concat();
        let parts = CodeParts {
            attributes: vec![("StackMapTable", frames)],
            code: code.clone(),
            ..CodeParts::default()
        };
        let edited = edit(&class_with(52, &parts), |method| method.insert_after(5, &INSERTED, 1));
        assert!(edited.bytes.ends_with(&[vec![0, 1], grown, vec![0, 0]].concat()), "{distance}");
    }
}

#[test]
fn everything_that_names_a_place_moves() {
    let code = padded(&[NOP, NOP, 0xbb, 0, 4, 0x59, NOP, NOP], 40);
    let frames = [words(&[2]), vec![255, 0, 8, 0, 0, 0, 1, 8, 0, 2], vec![20]].concat();
    let lines = words(&[2, 0, 11, 7, 12]);
    let variables = words(&[2, 0, 41, 5, 6, 0, 2, 10, 5, 6, 1]);
    let annotations = [
        words(&[4]),
        vec![0x44, 0, 2, 0, 0, 5, 0, 0],                            // new
        vec![0x40, 0, 1, 0, 2, 0, 10, 0, 1, 0, 0, 5, 0, 0],         // local variable
        vec![0x47, 0, 7, 0, 1, 0, 0, 0, 5, 0, 1, 0, 5, b'[', 0, 2], // cast, with nested values
        vec![b'@', 0, 5, 0, 1, 0, 5, b'e', 0, 5, 0, 5, b's', 0, 5],
        vec![0x42, 0, 0, 0, 0, 5, 0, 0], // handler
    ]
    .concat();
    let attributes = vec![
        ("StackMapTable", frames),
        ("LineNumberTable", lines),
        ("LocalVariableTable", variables.clone()),
        ("LocalVariableTypeTable", variables),
        ("RuntimeVisibleTypeAnnotations", annotations.clone()),
        ("RuntimeInvisibleTypeAnnotations", annotations),
        ("Unknown", vec![1, 2, 3]),
    ];
    let parts = CodeParts { max_stack: 2, max_locals: 2, code, exceptions: vec![[2, 8, 29, 0]], attributes };
    let class = class_with(52, &parts);
    let (new, _) = insert(&class, &[0, 1, 5, 6, 7, 20]);
    assert_eq!(new.max_stack, 3);
    let entry = &new.exception_table[0];
    assert_eq!((entry.start_pc, entry.end_pc, entry.handler_pc), (6, 18, 41));
}

#[test]
fn entry_code_runs_once_and_belongs_to_the_first_line() {
    // 0: nop; 1: iconst_0; 2: ifeq 0; 5: return
    let code = vec![NOP, 0x03, 0x99, 0xff, 0xfe, RETURN];
    let attributes = vec![
        ("StackMapTable", vec![0, 1, 0]),
        ("LineNumberTable", words(&[1, 0, 7])),
        ("LocalVariableTable", words(&[1, 0, 6, 5, 6, 0])),
    ];
    let parts = CodeParts { code, max_stack: 1, max_locals: 1, attributes, exceptions: vec![[0, 5, 5, 0]] };
    let edited = edit(&class_with(52, &parts), |method| method.insert_at_entry(&[0x03, 0x03, 0x58], 2));
    assert_eq!(edited.refused, []);
    let new = code_of(&edited.bytes, 0);
    assert_eq!(new.code, [0x03, 0x03, 0x58, NOP, 0x03, 0x99, 0xff, 0xfe, RETURN]);
    assert_eq!(new.max_stack, 2);
    assert_eq!((new.exception_table[0].start_pc, new.exception_table[0].end_pc), (3, 8));
    for attribute in &new.attributes {
        let shown = format!("{attribute:?}");
        let expected = match attribute {
            AttributeInfo::StackMapTable(_) => "Same { offset_delta: 3 }",
            AttributeInfo::LineNumberTable { .. } => "start_pc: 0, line_number: 7",
            _ => "start_pc: 0, length: 9",
        };
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn a_method_that_would_pass_64_kb_is_refused_alone() {
    let long = CodeParts { code: padded(&[], 65_533), max_stack: 1, ..CodeParts::default() };
    let class = class_with(52, &long);
    assert_eq!(refusal(&class, &[5]), MethodRefusal::TooLarge);
    let mut builder = ClassBuilder::new(52);
    builder.method("run", "()V", &long);
    builder.method("short", "()V", &CodeParts { code: padded(&[], 3), ..CodeParts::default() });
    let class = builder.build();
    let parsed = ClassFile::parse(&class).expect("a sound class");
    let mut editor = ClassEditor::new(&parsed);
    for method in 0..2 {
        editor.edit_method(method).insert_after(0, &INSERTED, 1);
    }
    let edited = editor.finish().expect("room for everything");
    assert_eq!(edited.refused.len(), 1);
    assert_eq!(code_of(&edited.bytes, 0).code, long.code);
    assert_eq!(code_of(&edited.bytes, 1).code, [NOP, 0x03, 0x57, NOP, NOP, RETURN]);
}

#[test]
fn insertions_where_no_code_can_be_are_refused() {
    let class =
        class_with(52, &CodeParts { code: vec![0x10, 5, 0x57, 0xa7, 0, 3, RETURN], ..CodeParts::default() });
    for pc in [1, 3, 6, 7, 100] {
        assert_eq!(refusal(&class, &[pc]), MethodRefusal::BadInsertion, "{pc}");
    }
    assert_eq!(refusal(&class, &[2, 0]), MethodRefusal::BadInsertion, "out of order");
}

#[test]
fn malformed_code_is_refused_for_its_method() {
    let bad = [
        (vec![0xca, RETURN], vec![], "bytecode"),
        (vec![NOP, 0xbb, 0], vec![], "bytecode"),
        (vec![NOP, 0xc4, 0x01, RETURN], vec![], "bytecode"),
        (vec![NOP, 0xa7, 0x7f, 0, RETURN], vec![], "jump target"),
        (vec![NOP, RETURN], vec![("StackMapTable", vec![0, 1, 200])], "StackMapTable"),
        (vec![NOP, RETURN], vec![("StackMapTable", vec![0, 1, 60])], "code offset"),
        (vec![NOP, RETURN], vec![("LineNumberTable", vec![0, 9])], "LineNumberTable"),
        (vec![NOP, RETURN], vec![("RuntimeVisibleTypeAnnotations", vec![0, 1, 0x10])], "type annotations"),
    ];
    for (code, attributes, part) in bad {
        let class = class_with(52, &CodeParts { code, attributes, ..CodeParts::default() });
        assert_eq!(refusal(&class, &[0]), MethodRefusal::Malformed(part));
    }
}

#[test]
fn added_constants_and_fields_are_where_they_were_promised() {
    let class = class_with(200, &CodeParts { code: vec![RETURN], ..CodeParts::default() });
    let parsed = ClassFile::parse(&class).expect("a class newer than any JVM");
    assert_eq!(parsed.name(), b"Made");
    let mut editor = ClassEditor::new(&parsed);
    editor.add_field(0x1080, b"added", b"J", &[]).expect("room");
    editor.add_field(0x1080, b"other", b"J", &[]).expect("room");
    let new = OtherReader::parse(&editor.finish().expect("room").bytes).expect("a sound class");
    let names: Vec<_> =
        new.fields.iter().map(|field| support::expected_hooks::text(&new, field.name_index)).collect();
    assert_eq!(names, ["added", "other"]);
    assert_eq!(new.fields[0].descriptor_index, new.fields[1].descriptor_index, "equal constants are shared");
}

#[test]
fn a_full_constant_pool_refuses_the_class() {
    let mut builder = ClassBuilder::new(52);
    while builder.constant(&[3, 0, 0, 0, 0]) < 65_533 {}
    let class = builder.build();
    let parsed = ClassFile::parse(&class).expect("a full class");
    let mut editor = ClassEditor::new(&parsed);
    assert_eq!(editor.add_field(0, b"one", b"J", &[]), Err(Refusal::ConstantPoolFull));
}

#[test]
fn what_is_no_class_file_is_refused() {
    let class = class_with(52, &CodeParts { code: vec![RETURN], ..CodeParts::default() });
    for len in 0..class.len() {
        assert!(ClassFile::parse(&class[..len]).is_err(), "cut to {len}");
    }
    let longer = [class.as_slice(), &[0]].concat();
    assert_eq!(ClassFile::parse(&longer).err(), Some(Refusal::Malformed("end of class")));
    let mut builder = ClassBuilder::new(52);
    builder.constant(&[21, 0, 0]);
    assert_eq!(ClassFile::parse(&builder.build()).err(), Some(Refusal::UnknownConstant(21)));
    assert_eq!(Refusal::UnknownConstant(21).to_string(), "constant pool tag unknown: 21");
    assert_eq!(ClassFile::parse(&ClassBuilder::new(44).build()).err(), Some(Refusal::TooOld));
}
