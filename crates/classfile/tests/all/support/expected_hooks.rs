//! Which hooks a method should get, found without the patcher: another reader, another decoder, the rules once more.

use jvmti_bindings::classfile::{AttributeInfo, ClassFile, CpInfo, MethodInfo};

/// Length of each opcode's instruction as runs of (opcodes, length); 0 is a variable length (JVMS chapter 6).
const LENGTH_RUNS: [(usize, usize); 27] = [
    (16, 1),
    (1, 2),
    (1, 3),
    (1, 2),
    (2, 3),
    (5, 2),
    (28, 1),
    (5, 2),
    (73, 1),
    (1, 3),
    (20, 1),
    (16, 3),
    (1, 2),
    (2, 0),
    (6, 1),
    (7, 3),
    (2, 5),
    (1, 3),
    (1, 2),
    (1, 3),
    (2, 1),
    (2, 3),
    (2, 1),
    (1, 0),
    (1, 4),
    (2, 3),
    (2, 5),
];

/// Length of the instruction at `pc`.
pub(crate) fn length(code: &[u8], pc: usize) -> usize {
    let word = |at: usize| i32::from_be_bytes(code[at..at + 4].try_into().expect("four bytes"));
    let table = (pc + 4) & !3;
    match code[pc] {
        0xaa => table - pc + 12 + 4 * (word(table + 8) - word(table + 4) + 1) as usize,
        0xab => table - pc + 8 + 8 * word(table + 4) as usize,
        0xc4 if code[pc + 1] == 0x84 => 6,
        0xc4 => 4,
        opcode => {
            let mut first = 0;
            let run = LENGTH_RUNS.iter().find(|(opcodes, _)| {
                first += opcodes;
                usize::from(opcode) < first
            });
            run.expect("a defined opcode").1
        }
    }
}

/// Hooks in order: the pc of the instruction in front (`None` at the entry), and the hook's name and descriptor.
pub(crate) type Hooks = Vec<(Option<usize>, String)>;

/// Owner, name and descriptor of a Methodref, joined by spaces.
pub(crate) fn method_ref(class: &ClassFile, index: u16) -> Option<String> {
    let pool = &class.constant_pool;
    let (CpInfo::Methodref { class_index, name_and_type_index }
    | CpInfo::InterfaceMethodref { class_index, name_and_type_index }) = pool.get(index).ok()?
    else {
        return None;
    };
    let CpInfo::NameAndType { name_index, descriptor_index } = pool.get(*name_and_type_index).ok()? else {
        return None;
    };
    Some(format!(
        "{} {} {}",
        class_name(class, *class_index),
        text(class, *name_index),
        text(class, *descriptor_index)
    ))
}

pub(crate) fn class_name(class: &ClassFile, index: u16) -> String {
    match class.constant_pool.get(index) {
        Ok(CpInfo::Class { name_index }) => text(class, *name_index),
        other => panic!("no class at {index}: {other:?}"),
    }
}

pub(crate) fn text(class: &ClassFile, index: u16) -> String {
    class.constant_pool.get_java_string(index).expect("a Utf8").to_string_lossy().into_owned()
}

/// How many hooks `class` should get.
pub(crate) fn count(class: &ClassFile, places: bool) -> usize {
    let hooks_of = |method: &MethodInfo| -> usize {
        let (name, descriptor) = (text(class, method.name_index), text(class, method.descriptor_index));
        let code = method.attributes.iter().filter_map(|attribute| match attribute {
            AttributeInfo::Code(code) => Some(of(class, &name, &descriptor, &code.code, places).len()),
            _ => None,
        });
        code.sum()
    };
    class.methods.iter().map(hooks_of).sum()
}

/// The hooks that `name` with `code` in `class` should get; with `places`, those of numbered places.
pub(crate) fn of(class: &ClassFile, name: &str, descriptor: &str, code: &[u8], places: bool) -> Hooks {
    let hooks = all(class, name, descriptor, code, places);
    if code.len() > COMPILED || (name == "<clinit>" && !has_loop(code)) || grown(code, &hooks) <= COMPILED {
        return hooks;
    }
    let mut hooks = all(class, name, descriptor, code, false);
    while grown(code, &hooks) > COMPILED && hooks.last().is_some_and(|(pc, _)| pc.is_some()) {
        hooks.pop();
        hooks.pop_if(|(_, hook)| hook.starts_with(CLONINGS));
    }
    hooks
}

/// Methods with more code are never compiled.
const COMPILED: usize = 8000;

/// How long the code gets, or less: a switch may be padded.
fn grown(code: &[u8], hooks: &Hooks) -> usize {
    let len = |hook: &str| match hook.split_once(' ').expect("a descriptor") {
        ("place", _) => 6,
        (
            "moving" | "exiting" | "mounting" | "cloned",
            "(Z)V" | "()V" | "(Ljava/lang/Thread;)V" | "(ILjava/lang/Object;)V",
        ) => 4,
        ("building" | "cloning" | "leaving" | "leavingMain" | "arriving" | "mounted", _) => 3,
        ("visibleFields", _) => 6,
        ("clonings", _) => 4,
        ("backtrace", descriptor) => 7 + if descriptor.ends_with("I)V") { 3 } else { 0 },
        (_, descriptor) => 4 + if descriptor.ends_with("I)V") { 3 } else { 0 },
    };
    let mut pc = 0;
    let mut switches = 0;
    while pc < code.len() {
        switches += usize::from(matches!(code[pc], 0xaa | 0xab));
        pc += length(code, pc);
    }
    code.len() + hooks.iter().map(|(_, hook)| len(hook)).sum::<usize>() + 3 * switches
}

fn has_loop(code: &[u8]) -> bool {
    let mut pc = 0;
    while pc < code.len() {
        match code[pc] {
            0xaa | 0xab => return true,
            0x99..=0xa8 | 0xc6 | 0xc7 if i16::from_be_bytes([code[pc + 1], code[pc + 2]]) <= 0 => {
                return true;
            }
            _ => pc += length(code, pc),
        }
    }
    false
}

const PLACE: &str = "place (I)V";
const NEW_BUILDER: &str = "newBuilder ()V";
const BUILDERS: [&str; 2] = ["java/lang/StringBuilder", "java/lang/StringBuffer"];

/// Before a call of `clone`; part of the hook behind it.
const CLONINGS: &str = "clonings";

/// Whether the constructor call at `pc` belongs to a `new`, whatever the class: each call closes the last one open.
fn is_creation(class: &ClassFile, code: &[u8], pc: usize, open: &mut Vec<String>) -> bool {
    let index = u16::from_be_bytes([code[pc + 1], code[pc + 2]]);
    match code[pc] {
        0xbb => {
            open.push(class_name(class, index));
            false
        }
        0xb7 => {
            let Some(callee) = method_ref(class, index) else { return false };
            let Some((owner, _)) = callee.split_once(" <init> ") else { return false };
            open.pop_if(|last| last == owner).is_some()
        }
        _ => false,
    }
}

fn all(class: &ClassFile, name: &str, descriptor: &str, code: &[u8], places: bool) -> Hooks {
    let (mut open, mut last) = (Vec::new(), None);
    let owner = class_name(class, class.this_class);
    let full_name = format!("{owner} {name} {descriptor}");
    let mut hooks: Hooks = entry(&full_name).map(|hook| (None, hook.to_owned())).into_iter().collect();
    let silent = SILENT.contains(&full_name.as_str());
    let mut pc = 0;
    while pc < code.len() {
        let next = pc + length(code, pc);
        if places && matches!(code[pc], 0xb7 | 0xbb) && is_creation(class, code, pc, &mut open) {
            hooks.push((last, PLACE.to_owned()));
        }
        let before = last;
        let operand = |at: usize| u16::from_be_bytes([code[at + 1], code[at + 2]]);
        if code[pc] == 0xbb && BUILDERS.contains(&class_name(class, operand(pc)).as_str()) {
            hooks.push((last, NEW_BUILDER.to_owned()));
        }
        if code[pc] == 0xb6 && owner.starts_with("java/lang/VirtualThread") {
            let hook = method_ref(class, operand(pc)).and_then(|callee| in_front_of_call(&callee));
            hooks.extend(hook.map(|hook| (last, hook.to_owned())));
        }
        if code[pc] == 0xb1 && name == "main" && ["()V", "([Ljava/lang/String;)V"].contains(&descriptor) {
            hooks.push((last, "leavingMain ()V".to_owned()));
        }
        last = Some(pc);
        let hook = match code[pc] {
            0xbc | 0xbd | 0xc5 if silent => None,
            0xbc => Some(format!("array ([{})V", &"ZCFDBSIJ"[usize::from(code[pc + 1]) - 4..][..1])),
            0xbd => Some("array ([Ljava/lang/Object;)V".to_owned()),
            0xc5 => Some("multi (Ljava/lang/Object;)V".to_owned()),
            call @ 0xb6..=0xb8 => method_ref(class, operand(pc))
                .and_then(|callee| behind_call(call, &callee, &owner, silent).map(str::to_owned)),
            _ => None,
        };
        if hook.as_deref().is_some_and(|hook| hook.starts_with("cloned")) {
            hooks.push((before, format!("{CLONINGS} ()I")));
        }
        let hook = hook.map(|hook| noted(&owner, name, hook));
        let hook = hook.map(|hook| if places { placed(code[pc], hook) } else { hook });
        hooks.extend(hook.map(|hook| (Some(pc), hook)));
        pc = next;
    }
    assert!(open.is_empty(), "{name}{descriptor}: `new` without constructor call: {open:?}");
    hooks
}

/// The variant of a hook that notes what it counted, where a caller may take that back.
fn noted(owner: &str, method: &str, hook: String) -> String {
    let undone = owner == "java/lang/StringUTF16" && method == "newBytesFor";
    if undone && hook.starts_with("array") { "any (Ljava/lang/Object;)V".to_owned() } else { hook }
}

/// The variant of a hook that is told a place.
fn placed(opcode: u8, hook: String) -> String {
    match hook.split_once(')') {
        _ if opcode < 0xbb && hook.starts_with("array") => "any (Ljava/lang/Object;I)V".to_owned(),
        Some((head, end))
            if ["array", "any", "multi", "built", "cloned", "backtrace"]
                .contains(&&head[..head.find(' ').unwrap_or(0)]) =>
        {
            format!("{head}I){end}")
        }
        _ => hook,
    }
}

pub(crate) const SILENT: [&str; 5] = [
    "java/util/Arrays copyOf ([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;",
    "java/util/Arrays copyOfRange ([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;",
    "jdk/internal/misc/Unsafe allocateUninitializedArray0 (Ljava/lang/Class;I)Ljava/lang/Object;",
    "java/lang/StringUTF16 toBytes ([CII)[B",
    "java/lang/StringUTF16 toBytes0 ([CII)[B",
];

fn entry(full_name: &str) -> Option<&'static str> {
    let fields = "(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
    match full_name {
        "java/lang/Object <init> ()V" => Some("object (Ljava/lang/Object;)V"),
        "java/lang/Shutdown runHooks ()V" | "java/lang/Shutdown halt (I)V" => Some("exiting ()V"),
        "java/lang/StringBuilder toString ()Ljava/lang/String;"
        | "java/lang/StringBuffer toString ()Ljava/lang/String;" => Some("building ()V"),
        "java/lang/VirtualThread mount ()V" => Some("mounting (Ljava/lang/Thread;)V"),
        "java/lang/VirtualThread unmount ()V" => Some("unmounting ()V"),
        name if name.ends_with(" clone ()Ljava/lang/Object;") => Some("cloning ()V"),
        name if name == format!("jdk/internal/reflect/Reflection filterFields {fields}") => {
            Some("visibleFields (Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;")
        }
        _ => None,
    }
}

/// The transitions of virtual threads, as JDK 21 to 25 and 26 and later name them.
fn in_front_of_call(callee: &str) -> Option<&'static str> {
    Some(match callee.strip_prefix("java/lang/VirtualThread ")? {
        "notifyJvmtiMount (Z)V" | "notifyJvmtiUnmount (Z)V" => "moving (Z)V",
        "notifyJvmtiEnd ()V" | "startFinalTransition ()V" | "startTransition (Z)V" => "leaving ()V",
        "notifyJvmtiStart ()V" | "endFirstTransition ()V" | "endTransition (Z)V" => "arriving ()V",
        _ => return None,
    })
}

fn behind_call(opcode: u8, callee: &str, owner: &str, silent: bool) -> Option<&'static str> {
    const ANY: Option<&str> = Some("any (Ljava/lang/Object;)V");
    if silent {
        let undone = [
            "java/lang/reflect/Array newInstance (Ljava/lang/Class;I)Ljava/lang/Object;",
            "java/lang/StringUTF16 newBytesFor (I)[B",
        ];
        return undone.contains(&callee).then_some("undo (Ljava/lang/Object;)V");
    }
    if callee.starts_with('[') && callee.ends_with(" clone ()Ljava/lang/Object;") {
        return ANY;
    }
    match callee {
        "java/lang/Object clone ()Ljava/lang/Object;" if opcode == 0xb7 => ANY,
        callee if callee.ends_with(" clone ()Ljava/lang/Object;") && opcode != 0xb8 => {
            Some("cloned (ILjava/lang/Object;)V")
        }
        "java/lang/Throwable fillInStackTrace (I)Ljava/lang/Throwable;" => {
            Some("backtrace (Ljava/lang/Object;)V")
        }
        "java/lang/StringBuilder toString ()Ljava/lang/String;"
        | "java/lang/StringBuffer toString ()Ljava/lang/String;" => Some("built (Ljava/lang/String;)V"),
        "java/lang/reflect/Array newArray (Ljava/lang/Class;I)Ljava/lang/Object;" => ANY,
        "java/lang/reflect/Array multiNewArray (Ljava/lang/Class;[I)Ljava/lang/Object;" => {
            Some("multi (Ljava/lang/Object;)V")
        }
        "jdk/internal/misc/Unsafe allocateInstance (Ljava/lang/Class;)Ljava/lang/Object;"
            if owner == "sun/misc/Unsafe" =>
        {
            ANY
        }
        "java/lang/Thread setCurrentThread (Ljava/lang/Thread;)V" => {
            owner.starts_with("java/lang/VirtualThread").then_some("mounted ()V")
        }
        callee => match SILENT.iter().position(|silent| *silent == callee)? {
            0 | 1 => Some("array ([Ljava/lang/Object;)V"),
            2 => ANY,
            _ => Some("array ([B)V"),
        },
    }
}
