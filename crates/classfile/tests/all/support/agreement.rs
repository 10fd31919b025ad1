//! Checks that an edited class is the old one plus the inserted code, by another reader and without the patcher's code.

use std::fmt::Debug;

use jvmti_bindings::classfile::{
    AttributeInfo, ClassFile, CodeAttribute, CpInfo, MethodInfo, StackMapFrame, TargetInfo,
    VerificationTypeInfo,
};

use super::expected_hooks::{self, Hooks, length, method_ref, text};

/// Where the old instructions are now, and what is new.
pub(crate) struct Alignment {
    /// New offset of each old instruction, with the code put before it, and of the end; `None` inside instructions.
    map: Vec<Option<usize>>,
    /// New offset of each old instruction itself; `None` inside instructions.
    itself: Vec<Option<usize>>,
    /// New offset of each `goto_w` that stands for no old instruction.
    pub(crate) trampolines: Vec<usize>,
    /// Inserted code: the old pc in front (`None` at the entry), and the bytes.
    pub(crate) inserted: Vec<(Option<usize>, Vec<u8>)>,
}

impl Alignment {
    fn at(&self, old: u16) -> usize {
        self.map[usize::from(old)].unwrap_or_else(|| panic!("{old} is inside an instruction"))
    }

    fn instruction(&self, old: u16) -> usize {
        self.itself[usize::from(old)].unwrap_or_else(|| panic!("{old} is inside an instruction"))
    }
}

/// Length of the code inserted at this place of new code, if there is any, and whether it is a call that stands before an instruction.
pub(crate) type Inserted<'a> = &'a dyn Fn(&[u8], usize) -> Option<(usize, bool)>;

/// Steps through both codes at once. Panics where the new one is not the old one with insertions and lengthened jumps.
pub(crate) fn align(old: &[u8], new: &[u8], inserted_len: Inserted<'_>) -> Alignment {
    let nowhere = vec![None; old.len() + 1];
    let mut found =
        Alignment { map: nowhere.clone(), itself: nowhere, trampolines: Vec::new(), inserted: Vec::new() };
    let (mut from, mut to, mut last, mut before) = (0, 0, None, None);
    let mut pairs = Vec::new();
    while from < old.len() || to < new.len() {
        if let Some((len, stands_before)) = new.get(to).and_then(|_| inserted_len(new, to)) {
            found.inserted.push((last, new[to..to + len].to_vec()));
            before = (stands_before || is_before(&new[to..to + len])).then_some(to);
            to += len;
            continue;
        }
        let jumps_there = old.get(from).is_some_and(|opcode| matches!(opcode, 0xa7 | 0xc8));
        if new.get(to) == Some(&0xc8) && !jumps_there {
            found.trampolines.push(to);
            to += 5;
            continue;
        }
        found.map[from] = Some(before.take().unwrap_or(to));
        found.itself[from] = Some(to);
        pairs.push((from, to));
        last = Some(from);
        from += length(old, from);
        to += length(new, to);
    }
    found.map[old.len()] = Some(new.len());
    pairs.iter().for_each(|&(from, to)| check_instruction(old, new, from, to, &found));
    found
}

/// Whether inserted code stands before an instruction: it tells a place alone, or is a call and a `swap`.
fn is_before(code: &[u8]) -> bool {
    is_push(code[0]) || matches!(code, [0xb8, _, _, 0x5f])
}

/// `sipush`, `ldc_w`.
fn is_push(opcode: u8) -> bool {
    matches!(opcode, 0x11 | 0x13)
}

fn check_instruction(old: &[u8], new: &[u8], from: usize, to: usize, found: &Alignment) {
    let (opcode, new_opcode) = (old[from], new[to]);
    let (len, new_len) = (length(old, from), length(new, to));
    match opcode {
        0x99..=0xa8 | 0xc6..=0xc9 => {
            let widened = matches!((opcode, new_opcode), (0xa7, 0xc8) | (0xa8, 0xc9));
            assert!(opcode == new_opcode || widened, "{opcode:#x} became {new_opcode:#x}");
            let old_target = found.map[jump(old, from)];
            let mut new_target = jump(new, to);
            if found.trampolines.contains(&new_target) {
                new_target = jump(new, new_target);
            }
            assert_eq!(Some(new_target), old_target, "target of the jump at {from}");
        }
        0xaa | 0xab => {
            assert_eq!(opcode, new_opcode);
            let (table, new_table) = ((from + 4) & !3, (to + 4) & !3);
            assert!(new[to + 1..new_table].iter().all(|padding| *padding == 0));
            let words = (from + len - table) / 4;
            assert_eq!(words, (to + new_len - new_table) / 4);
            for index in 0..words {
                let (word, new_word) = (word(old, table + 4 * index), word(new, new_table + 4 * index));
                let is_offset = index == 0 || (index > 2 && (opcode == 0xaa || index % 2 == 1));
                if is_offset {
                    let target = found.map[(from as i32 + word) as usize];
                    assert_eq!(Some((to as i32 + new_word) as usize), target, "switch at {from}");
                } else {
                    assert_eq!(word, new_word, "switch at {from}");
                }
            }
        }
        _ => assert_eq!(old[from..from + len], new[to..to + new_len], "instruction at {from}"),
    }
}

fn word(code: &[u8], at: usize) -> i32 {
    i32::from_be_bytes(code[at..at + 4].try_into().expect("four bytes"))
}

fn jump(code: &[u8], at: usize) -> usize {
    let offset = match code[at] {
        0xc8 | 0xc9 => word(code, at + 1),
        _ => i32::from(i16::from_be_bytes([code[at + 1], code[at + 2]])),
    };
    (at as i32 + offset) as usize
}

/// Checks a whole class rewritten with the allocation hooks, against the expected ones; gives their number.
pub(crate) fn check_hooked(old: &ClassFile, new: &ClassFile, places: bool) -> usize {
    same("version", &(old.major_version, old.minor_version), &(new.major_version, new.minor_version));
    let head = |class: &ClassFile| {
        (class.access_flags, class.this_class, class.super_class, class.interfaces.clone())
    };
    same("class", &head(old), &head(new));
    same("class attributes", &old.attributes, &new.attributes);
    let (kept, added) = new.fields.split_at(old.fields.len());
    same("fields", &old.fields.as_slice(), &kept);
    for field in added {
        assert_eq!(field.access_flags, 0x1080);
        assert!(text(new, field.name_index).starts_with("mayfly$"));
    }
    assert_eq!(old.methods.len(), new.methods.len());
    let first_appended = pool_count(old);
    old.methods
        .iter()
        .zip(&new.methods)
        .map(|(old_method, new_method)| {
            check_method((old, new), (old_method, new_method), first_appended, places)
        })
        .sum()
}

pub(crate) fn pool_count(class: &ClassFile) -> u16 {
    let last = (1..u16::MAX).rev().find(|index| class.constant_pool.get(*index).is_ok());
    last.expect("a class names itself") + 1
}

fn check_method(
    (old, new): (&ClassFile, &ClassFile),
    (was, is): (&MethodInfo, &MethodInfo),
    first_appended: u16,
    places: bool,
) -> usize {
    let head = |method: &MethodInfo| (method.access_flags, method.name_index, method.descriptor_index);
    assert_eq!(head(was), head(is));
    assert_eq!(was.attributes.len(), is.attributes.len());
    let mut hooks = 0;
    for (was_attribute, is_attribute) in was.attributes.iter().zip(&is.attributes) {
        let (AttributeInfo::Code(old_code), AttributeInfo::Code(new_code)) = (was_attribute, is_attribute)
        else {
            same("method attribute", was_attribute, is_attribute);
            continue;
        };
        let (name, descriptor) = (text(old, was.name_index), text(old, was.descriptor_index));
        let expected = expected_hooks::of(old, &name, &descriptor, &old_code.code, places);
        hooks += expected.len();
        if expected.is_empty() {
            same("code without hooks", old_code, new_code);
            continue;
        }
        let found = check_code(old_code, new_code, &|code, at| hook_len(new, code, at, first_appended));
        let inserted: Hooks = found.inserted.iter().map(|(pc, code)| (*pc, hook_name(new, code))).collect();
        assert_eq!(inserted, expected, "{name}{descriptor}");
    }
    hooks
}

pub(crate) fn hook_len(
    class: &ClassFile,
    code: &[u8],
    at: usize,
    first_appended: u16,
) -> Option<(usize, bool)> {
    let len = len_of_hook(class, code, at, first_appended)?;
    let before = ["newBuilder ", "leavingMain "];
    Some((len, len == 3 && before.iter().any(|name| hook_name(class, &code[at..]).starts_with(name))))
}

fn len_of_hook(class: &ClassFile, code: &[u8], at: usize, first_appended: u16) -> Option<usize> {
    let is_place = |code: &[u8]| hook_name(class, code).starts_with("place");
    let is_clonings = |code: &[u8]| hook_name(class, code).starts_with("clonings");
    // Told without anything that is on the stack.
    let bare = ["leaving ", "leavingMain ", "arriving ", "newBuilder "];
    let is_bare = |code: &[u8]| bare.iter().any(|name| hook_name(class, code).starts_with(name));
    // Of an instruction that follows; what pushes something there is the program's.
    let stands_before = |code: &[u8]| is_place(code) || is_bare(code);
    let appended = |at: usize| u16::from_be_bytes([code[at], code[at + 1]]) >= first_appended;
    match code.get(at..)? {
        [0xb8, _, _, 0x5f, ..] if appended(at + 1) && is_clonings(&code[at..]) => Some(4),
        // The program pushed something.
        [0x00 | 0x59 | 0x2a, rest @ ..]
            if matches!(rest, [0xb8, _, _, 0x5f, ..]) && appended(at + 2) && is_clonings(rest) =>
        {
            None
        }
        [0x00 | 0x59 | 0x5a | 0x2a, rest @ ..]
            if matches!(rest, [0xb8, _, _, ..]) && appended(at + 2) && is_bare(rest) =>
        {
            None
        }
        [0x5a, rest @ ..] if is_placed(rest, appended, at + 1) && !stands_before(rest) => Some(7),
        [0x5a, 0xb8, _, _, ..] if appended(at + 2) => Some(4),
        // A `dup` of the program may stand before the hook of a constructor call, as `dup_x1` above.
        [0x59, rest @ ..] if is_placed(rest, appended, at + 1) && !stands_before(rest) => Some(7),
        rest if is_placed(rest, appended, at) && is_place(rest) => Some(6),
        [0x00 | 0x59 | 0x2a, 0xb8, _, _, ..] if appended(at + 2) => Some(4),
        [0x59, 0xb4, _, _, rest @ ..] if is_placed(rest, appended, at + 4) && !stands_before(rest) => {
            Some(10)
        }
        [0x59, 0xb4, _, _, rest @ ..]
            if matches!(rest, [0xb8, _, _, ..]) && appended(at + 5) && !is_bare(rest) =>
        {
            Some(7)
        }
        [0xb8, _, _, ..] if appended(at + 1) => Some(3),
        [0x2a, 0x2b, 0xb8, _, _, 0x4c, ..] if appended(at + 3) => Some(6),
        _ => None,
    }
}

fn is_placed(code: &[u8], appended: impl Fn(usize) -> bool, at: usize) -> bool {
    matches!(code, [0x11 | 0x13, _, _, 0xb8, _, _, ..]) && appended(at + 4)
}

pub(crate) fn hook_name(class: &ClassFile, code: &[u8]) -> String {
    let call = match code[0] {
        0x11 | 0x13 => 3,
        0x59 | 0x5a if is_push(code[1]) => 4,
        0x59 if code[1] == 0xb4 => {
            if is_push(code[4]) {
                7
            } else {
                4
            }
        }
        _ => code.iter().position(|byte| *byte == 0xb8).expect("a call"),
    };
    let method = method_ref(class, u16::from_be_bytes([code[call + 1], code[call + 2]])).expect("a method");
    method.strip_prefix("java/lang/MayflyHooks ").expect("a hook").to_owned()
}

/// The number of the place that a hook is told.
pub(crate) fn hook_place(class: &ClassFile, code: &[u8]) -> Option<u32> {
    let push = code.iter().take(2).position(|byte| is_push(*byte))?;
    let operand = u16::from_be_bytes([code[push + 1], code[push + 2]]);
    if code[push] == 0x11 {
        return Some(u32::from(operand));
    }
    match class.constant_pool.get(operand) {
        Ok(CpInfo::Integer(value)) => u32::try_from(*value).ok(),
        other => panic!("no int at {operand}: {other:?}"),
    }
}

/// Checks a changed Code attribute and everything in it that names a place in the code.
pub(crate) fn check_code(old: &CodeAttribute, new: &CodeAttribute, inserted_len: Inserted<'_>) -> Alignment {
    assert_eq!(old.max_locals, new.max_locals);
    assert!((old.max_stack..=old.max_stack + 3).contains(&new.max_stack));
    let found = align(&old.code, &new.code, inserted_len);
    if found.trampolines.is_empty() {
        assert_eq!(old.exception_table.len(), new.exception_table.len());
        for (was, is) in old.exception_table.iter().zip(&new.exception_table) {
            let moved = [was.start_pc, was.end_pc, was.handler_pc].map(|pc| found.at(pc));
            assert_eq!(moved, [is.start_pc, is.end_pc, is.handler_pc].map(usize::from), "exception table");
            assert_eq!(was.catch_type, is.catch_type);
        }
    }
    assert_eq!(old.attributes.len(), new.attributes.len());
    for (was, is) in old.attributes.iter().zip(&new.attributes) {
        check_attribute(was, is, &found);
    }
    found
}

fn check_attribute(was: &AttributeInfo, is: &AttributeInfo, found: &Alignment) {
    use AttributeInfo::*;
    let start = |pc: u16| if pc == 0 { 0 } else { found.at(pc) };
    let range = |pc: u16, len: u16| (start(pc), found.at(pc + len) - start(pc));
    let number = |pc: u16, len: u16| (usize::from(pc), usize::from(len));
    match (was, is) {
        (StackMapTable(_), StackMapTable(_)) if !found.trampolines.is_empty() => {}
        (StackMapTable(was), StackMapTable(is)) => {
            let was =
                frames(&was.entries, &|offset| found.at(offset as u16), &|pc| found.instruction(pc) as u16);
            assert_eq!(was, frames(&is.entries, &|offset| offset, &|pc| pc), "frames");
        }
        (LineNumberTable { entries: was }, LineNumberTable { entries: is }) => {
            let was: Vec<_> = was.iter().map(|line| (start(line.start_pc), line.line_number)).collect();
            let is: Vec<_> = is.iter().map(|line| (usize::from(line.start_pc), line.line_number)).collect();
            assert_eq!(was, is, "lines");
        }
        (LocalVariableTable { entries: was }, LocalVariableTable { entries: is }) => {
            let was: Vec<_> = was
                .iter()
                .map(|v| (range(v.start_pc, v.length), v.name_index, v.descriptor_index, v.index))
                .collect();
            let is: Vec<_> = is
                .iter()
                .map(|v| (number(v.start_pc, v.length), v.name_index, v.descriptor_index, v.index))
                .collect();
            assert_eq!(was, is, "variables");
        }
        (LocalVariableTypeTable { entries: was }, LocalVariableTypeTable { entries: is }) => {
            let was: Vec<_> = was
                .iter()
                .map(|v| (range(v.start_pc, v.length), v.name_index, v.signature_index, v.index))
                .collect();
            let is: Vec<_> = is
                .iter()
                .map(|v| (number(v.start_pc, v.length), v.name_index, v.signature_index, v.index))
                .collect();
            assert_eq!(was, is, "variable types");
        }
        (
            RuntimeVisibleTypeAnnotations { annotations: was },
            RuntimeVisibleTypeAnnotations { annotations: is },
        )
        | (
            RuntimeInvisibleTypeAnnotations { annotations: was },
            RuntimeInvisibleTypeAnnotations { annotations: is },
        ) => {
            assert_eq!(was.len(), is.len());
            for (was, is) in was.iter().zip(is) {
                check_target(&was.target_info, &is.target_info, &start, found);
                same("annotation", &was.element_value_pairs, &is.element_value_pairs);
            }
        }
        _ => same("attribute of Code", was, is),
    }
}

fn check_target(was: &TargetInfo, is: &TargetInfo, start: &dyn Fn(u16) -> usize, found: &Alignment) {
    match (was, is) {
        (TargetInfo::Localvar { table: was }, TargetInfo::Localvar { table: is }) => {
            let was: Vec<_> =
                was.iter().map(|v| (start(v.start_pc), found.at(v.start_pc + v.length), v.index)).collect();
            let is: Vec<_> = is
                .iter()
                .map(|v| (usize::from(v.start_pc), usize::from(v.start_pc + v.length), v.index))
                .collect();
            assert_eq!(was, is);
        }
        (TargetInfo::Offset { offset: was }, TargetInfo::Offset { offset: is }) => {
            assert_eq!(found.instruction(*was), usize::from(*is));
        }
        (
            TargetInfo::TypeArgument { offset: was, type_argument_index: was_argument },
            TargetInfo::TypeArgument { offset: is, type_argument_index: is_argument },
        ) => assert_eq!((found.instruction(*was), was_argument), (usize::from(*is), is_argument)),
        _ => same("annotation target", was, is),
    }
}

/// Each frame's kind, offset and types, with offsets moved.
fn frames(
    frames: &[StackMapFrame],
    place: &dyn Fn(usize) -> usize,
    made_at: &dyn Fn(u16) -> u16,
) -> Vec<(&'static str, usize, Vec<String>)> {
    let mut next = 0;
    let types = |types: &[VerificationTypeInfo]| -> Vec<String> {
        let moved = types.iter().map(|entry| match entry {
            VerificationTypeInfo::Uninitialized(pc) => format!("new at {}", made_at(*pc)),
            other => format!("{other:?}"),
        });
        moved.chain(["/".to_owned()]).collect()
    };
    let one = |stack: &VerificationTypeInfo| types(std::slice::from_ref(stack));
    let described = frames.iter().map(|frame| {
        use StackMapFrame::*;
        let (kind, delta, types) = match frame {
            Same { offset_delta } | SameExtended { offset_delta } => ("same", offset_delta, Vec::new()),
            SameLocals1StackItem { offset_delta, stack }
            | SameLocals1StackItemExtended { offset_delta, stack } => {
                ("one on stack", offset_delta, one(stack))
            }
            Chop { offset_delta, k } => ("chop", offset_delta, vec![k.to_string()]),
            Append { offset_delta, locals } => ("append", offset_delta, types(locals)),
            Full { offset_delta, locals, stack } => {
                ("full", offset_delta, [types(locals), types(stack)].concat())
            }
            other => panic!("a frame of a kind unknown: {other:?}"),
        };
        let offset = next + usize::from(*delta);
        next = offset + 1;
        (kind, place(offset), types)
    });
    described.collect()
}

fn same<T: Debug>(what: &str, was: &T, is: &T) {
    assert_eq!(format!("{was:?}"), format!("{is:?}"), "{what} changed");
}
