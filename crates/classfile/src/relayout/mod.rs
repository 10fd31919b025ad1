//! Writing a changed Code attribute: the code laid out anew, and everything in the attribute that names a place in it.

mod annotations;
mod exceptions;
mod frames;
mod full_frames;
mod layout;
mod tables;
mod trampolines;
mod write;

use alloc::vec::Vec;

use crate::bytes::{Reader, put_u2, put_u4, set_u4};
use crate::class::{ClassFile, Code, Member};
use crate::method_edit::MethodEdit;
use crate::pool::PoolTail;
use crate::refusal::{Malformed, MethodRefusal};
use layout::Layout;

/// Appends the content of `code`'s attribute with `edit` done, its length put before it.
///
/// `out` ends with the four bytes of the old attribute's length; they are overwritten.
pub(crate) fn write_code(
    class: &ClassFile<'_>,
    method: &Member,
    code: &Code<'_>,
    edit: &MethodEdit,
    pool: &mut PoolTail,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let layout = Layout::of(code.bytecode, edit)?;
    let start = out.len();
    let stack = code.max_stack.checked_add(edit.extra_stack).ok_or(MethodRefusal::StackTooDeep)?;
    put_u2(out, stack.max(edit.entry_stack));
    put_u2(out, code.max_locals);
    put_u4(out, layout.code_len());
    write::write_bytecode(code.bytecode, edit, &layout, out)?;
    exceptions::write(code.exceptions, &layout, out)?;
    let frames = full_frames::Context { class, method };
    write_attributes(&frames, code.attributes, code.exceptions, &layout, pool, out)?;
    let len = u32::try_from(out.len() - start).map_err(|_| MethodRefusal::TooLarge)?;
    let length_at = start.checked_sub(4).ok_or(Malformed("Code"))?;
    set_u4(out, length_at, len).ok_or(Malformed("Code"))?;
    Ok(())
}

/// Copies the attributes of a Code attribute, moving the offsets in those we know.
fn write_attributes(
    context: &full_frames::Context<'_, '_>,
    attributes: &[u8],
    exceptions: &[u8],
    layout: &Layout,
    pool: &mut PoolTail,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let mut reader = Reader::new(attributes, "attributes of Code");
    let count = reader.u2()?;
    put_u2(out, count);
    for _ in 0..count {
        let name = reader.u2()?;
        let len = reader.u4()?;
        let content = reader.take(len as usize)?;
        put_u2(out, name);
        put_u4(out, len);
        let start = out.len();
        match context.class.pool().utf8(name).unwrap_or_default() {
            b"StackMapTable" if layout.trampolines().is_empty() => frames::write(content, layout, out)?,
            b"StackMapTable" => full_frames::write(context, content, layout, pool, out)?,
            known => {
                out.extend_from_slice(content);
                let copy = out.get_mut(start..).unwrap_or_default();
                match known {
                    b"LineNumberTable" => tables::move_line_numbers(copy, layout)?,
                    b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                        tables::move_variables(copy, layout)?
                    }
                    b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                        annotations::move_type_annotations(copy, exceptions, layout)?;
                    }
                    _ => {}
                }
            }
        }
        let len = u32::try_from(out.len() - start).map_err(|_| MethodRefusal::TooLarge)?;
        set_u4(out, start - 4, len).ok_or(Malformed("attributes of Code"))?;
    }
    Ok(())
}
