//! Methods that pass 32 KB by editing, run on the JVMs found: their frames must verify, their results stay the same.

#![allow(clippy::disallowed_methods, reason = "writes class files for JVMs to run")]

use std::fmt::Write;
use std::fs;

use jvmti_bindings::classfile::{AttributeInfo, ClassFile as OtherReader, CodeAttribute};
use mayfly_classfile::{ClassEditor, ClassFile, Instruction, instructions, opcode};

use crate::support::{agreement, jvms};

/// `iconst_0; pop`, which no compiler emits.
const INSERTED: [u8; 2] = [0x03, 0x57];

/// A method with loops, switches, handlers and half-made objects around jumps that are about as long as they can be.
fn source() -> String {
    let mut body = String::new();
    for step in 0..220 {
        let (open, close) = if step % 7 == 0 {
            (
                "try {",
                "if (sum == -1) throw new IllegalStateException(); } catch (RuntimeException e) { sum += e.hashCode() & 1; }",
            )
        } else {
            ("", "")
        };
        writeln!(
            body,
            "{open} sum += {step}; if (sum == -{step}) return sum; else sum -= i;
             switch (sum & 3) {{ case 0: sum += 1; break; case 1: sum += 2; break; default: sum ^= 3; }}
             if (big > sum) {{ text = new String(sum > 0 ? \"more\" : \"less\"); big += text.length(); }} {close}"
        )
        .expect("a string takes it all");
    }
    format!(
        "@SuppressWarnings(\"all\") public class Far {{
           final int made;
           Far(int i) {{ made = i > 2 ? i : -i; }}
           static int far(int n, String[] unused, double real) {{
             int sum = 0; long big = 5; String text = \"\";
             for (int i = 0; i < n; i++) {{
               if (i % 3 == 1) {{ int inner = i; {body} sum += inner; }} else {{ sum += (int) real; }}
             }}
             return sum + text.length();
           }}
           public static void main(String[] unused) {{ System.out.println(far(50, unused, 2.5) + new Far(3).made); }}
         }}"
    )
}

#[test]
fn methods_over_32_kb_still_run() {
    let homes = jvms::homes();
    let folder = jvms::scratch("far_jumps");
    let source_file = folder.join("Far.java");
    fs::write(&source_file, source()).expect("the build folder is writable");
    if jvms::compile(&homes, &source_file, &folder).is_none() {
        return jvms::skip("far_jumps", "no JVM found has a javac; set JAVA_HOME to a JDK");
    }
    let original = fs::read(folder.join("Far.class")).expect("javac wrote it");
    let edited = grow(&original);
    assert_far_jumps(&original, &edited);

    let edited_folder = jvms::scratch("far_jumps_edited");
    fs::write(edited_folder.join("Far.class"), &edited).expect("the build folder is writable");
    for home in &homes {
        let result = |classes: &std::path::Path| {
            let text = jvms::run_well(home, "java", &["-cp", &classes.to_string_lossy(), "Far"]);
            String::from_utf8(text).expect("digits")
        };
        assert_eq!(result(&edited_folder), result(&folder), "{home:?}");
    }
}

/// The class with code inserted behind every instruction that passes on to the next.
fn grow(class: &[u8]) -> Vec<u8> {
    let class = ClassFile::parse(class).expect("javac's class");
    let mut editor = ClassEditor::new(&class);
    for (index, method) in class.methods().iter().enumerate() {
        let code = class.code(method).expect("javac's code").expect("no abstract methods");
        for instruction in instructions(code.bytecode) {
            let instruction = instruction.expect("javac's instructions");
            if passes_on(instruction) {
                editor.edit_method(index).insert_after(instruction.pc, &INSERTED, 1);
            }
        }
    }
    let edited = editor.finish().expect("room");
    assert_eq!(edited.refused, []);
    edited.bytes
}

fn passes_on(instruction: Instruction) -> bool {
    use opcode::*;
    !matches!(instruction.opcode, GOTO | RET | TABLESWITCH..=RETURN | ATHROW | GOTO_W)
}

fn assert_far_jumps(original: &[u8], edited: &[u8]) {
    let (old, new) =
        (OtherReader::parse(original).expect("javac's class"), OtherReader::parse(edited).expect("ours"));
    let mut trampolines = 0;
    for (was, is) in old.methods.iter().zip(&new.methods) {
        let is_inserted =
            |code: &[u8], at: usize| code[at..].starts_with(&INSERTED).then_some((INSERTED.len(), false));
        let found = agreement::check_code(code(&was.attributes), code(&is.attributes), &is_inserted);
        trampolines += found.trampolines.len();
    }
    assert!(trampolines > 0, "no conditional jump passed 32 KB");
}

fn code(attributes: &[AttributeInfo]) -> &CodeAttribute {
    let code = attributes.iter().find_map(|attribute| match attribute {
        AttributeInfo::Code(code) => Some(code),
        _ => None,
    });
    code.expect("a method with code")
}
