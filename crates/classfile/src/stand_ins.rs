//! Accesses of fields that can't be there, turned into calls of static methods that stand in for them.
//!
//! `getfield` and `invokestatic` are of one length and do the same to the stack, as do `putfield` and `invokestatic`: no code
//! moves. Not here: what the methods do; the class has them already, by the names of the fields.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::class::ClassFile;
use crate::edit::ClassEditor;
use crate::instruction::instructions;
use crate::instruction::opcode::{GETFIELD, INVOKESTATIC, PUTFIELD};
use crate::pool::MethodRef;
use crate::refusal::{Malformed, Refusal};

/// From the content of a Code attribute to its instructions: two depths and a length (JVMS §4.7.3).
const CODE_HEADER: usize = 8;

/// Makes of each access to an instance field whose name begins with `prefix` a call of the class's own static method of that
/// name: told the object, and the value if one is put there.
///
/// # Errors
/// A [`Refusal`] if the class can't be read, or has no room for the methods' constants.
pub fn fields_to_methods(class: &[u8], prefix: &[u8]) -> Result<Vec<u8>, Refusal> {
    let file = ClassFile::parse(class)?;
    let mut editor = ClassEditor::new(&file);
    let calls = calls(&file, prefix, &mut editor)?;
    let mut written = editor.finish()?.bytes;
    for (at, operand) in accesses(&written, &calls)? {
        let code = written.get_mut(at..at + 3).ok_or(Malformed("Code"))?;
        let [high, low] = operand.to_be_bytes();
        code.copy_from_slice(&[INVOKESTATIC, high, low]);
    }
    Ok(written)
}

/// By opcode and Fieldref, the Methodref to call.
fn calls(
    file: &ClassFile<'_>,
    prefix: &[u8],
    editor: &mut ClassEditor<'_, '_>,
) -> Result<BTreeMap<(u8, u16), u16>, Refusal> {
    let mut calls = BTreeMap::new();
    for index in 1..file.pool().count() {
        let Some(field) = file.pool().field_ref(index).filter(|field| field.name.starts_with(prefix)) else {
            continue;
        };
        let get = [b"(L", field.owner, b";)", field.descriptor].concat();
        let put = [b"(L", field.owner, b";", field.descriptor, b")V"].concat();
        for (opcode, descriptor) in [(GETFIELD, &get), (PUTFIELD, &put)] {
            let method = MethodRef { owner: file.name(), name: field.name, descriptor };
            calls.insert((opcode, index), editor.method_ref(method)?);
        }
    }
    Ok(calls)
}

/// Where in the class file such accesses are, and the Methodref for each.
fn accesses(class: &[u8], calls: &BTreeMap<(u8, u16), u16>) -> Result<Vec<(usize, u16)>, Refusal> {
    let file = ClassFile::parse(class)?;
    let mut found = Vec::new();
    for method in file.methods() {
        let (Some(code), Some(span)) = (file.code(method)?, method.code_span()) else { continue };
        for instruction in instructions(code.bytecode) {
            let instruction = instruction?;
            let operand = crate::bytes::u2_at(code.bytecode, instruction.pc as usize + 1).unwrap_or(0);
            if let Some(&call) = calls.get(&(instruction.opcode, operand)) {
                found.push((span.start + CODE_HEADER + instruction.pc as usize, call));
            }
        }
    }
    Ok(found)
}
