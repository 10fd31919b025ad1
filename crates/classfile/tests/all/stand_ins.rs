//! The hooks' own class without added fields: each access of one becomes a call of the method of its name, and nothing else changes.

use mayfly_classfile::{ClassFile, fields_to_methods, instructions, opcode};

const HOOKS: &[u8] = include_bytes!("../../../../profiler-java/boot/MayflyHooks.class");
/// `putfield` (JVMS §6.5).
const PUTFIELD: u8 = 0xb5;

/// (method, pc, opcode, operand) of each instruction.
fn all(class: &ClassFile<'_>) -> Vec<(usize, u32, u8, u16)> {
    let mut all = Vec::new();
    for (index, method) in class.methods().iter().enumerate() {
        let Some(code) = class.code(method).expect("sound code") else { continue };
        for instruction in instructions(code.bytecode) {
            let instruction = instruction.expect("a sound instruction");
            let at = instruction.pc as usize + 1;
            let operand = code.bytecode.get(at..at + 2).map_or(0, |two| u16::from_be_bytes([two[0], two[1]]));
            all.push((index, instruction.pc, instruction.opcode, operand));
        }
    }
    all
}

fn accesses(opcode: u8) -> bool {
    matches!(opcode, opcode::GETFIELD | PUTFIELD)
}

#[test]
fn each_access_becomes_a_call_of_a_method_that_is_there() {
    let changed = fields_to_methods(HOOKS, b"mayfly$").expect("a sound class");
    let (old, new) =
        (ClassFile::parse(HOOKS).expect("sound"), ClassFile::parse(&changed).expect("still sound"));
    let (before, after) = (all(&old), all(&new));
    assert_eq!(before.len(), after.len());
    let mut calls = 0;
    for (before, after) in before.iter().zip(&after) {
        // It has no other fields than static ones.
        if !accesses(before.2) {
            assert_eq!((before.0, before.1, before.2), (after.0, after.1, after.2));
            continue;
        }
        calls += 1;
        assert_eq!((before.0, before.1, opcode::INVOKESTATIC), (after.0, after.1, after.2));
        let called = new.pool().method_ref(after.3).expect("a method");
        assert!(
            called.owner == b"java/lang/MayflyHooks" && called.name.starts_with(b"mayfly$"),
            "{called:?}"
        );
        let is_it = |method: &_| {
            (new.member_name(method), new.member_descriptor(method)) == (called.name, called.descriptor)
        };
        assert!(new.methods().iter().any(is_it), "{called:?} is missing");
    }
    assert!(calls > 20, "{calls}");
}

#[test]
fn other_fields_and_what_is_no_class_are_left_alone() {
    assert_eq!(fields_to_methods(HOOKS, b"other$").as_deref(), Ok(HOOKS));
    assert!(fields_to_methods(&HOOKS[..100], b"mayfly$").is_err());
}
