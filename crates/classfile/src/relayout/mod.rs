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

use crate::bytes::{Reader, put_u2, put_u4, set_u2, set_u4};
use crate::class::{ClassFile, Code, Member};
use crate::method_edit::{Guard, MethodEdit};
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
    let guard = guard(edit, &layout)?;
    put_u2(out, stack.max(edit.entry_stack).max(guard.as_ref().map_or(0, |guard| guard.stack)));
    put_u2(out, code.max_locals);
    put_u4(out, layout.code_len() + guard.as_ref().map_or(0, |guard| guard.code.len() as u32));
    write::write_bytecode(code.bytecode, edit, &layout, out)?;
    out.extend_from_slice(guard.as_ref().map_or(&[], |guard| &guard.code));
    exceptions::write(code.exceptions, guard.is_some(), &layout, out)?;
    let frames = full_frames::Context { class, method, guard_throwable: guard.map(|guard| guard.throwable) };
    write_attributes(&frames, code.attributes, code.exceptions, &layout, pool, out)?;
    let len = u32::try_from(out.len() - start).map_err(|_| MethodRefusal::TooLarge)?;
    let length_at = start.checked_sub(4).ok_or(Malformed("Code"))?;
    set_u4(out, length_at, len).ok_or(Malformed("Code"))?;
    Ok(())
}

/// The edit's guard, if there is room for it.
fn guard<'e>(edit: &'e MethodEdit, layout: &Layout) -> Result<Option<&'e Guard>, MethodRefusal> {
    let len = edit.guard.as_ref().map_or(0, |guard| guard.code.len());
    let fits = layout.code_len() as usize + len <= layout::MAX_CODE as usize;
    if fits { Ok(edit.guard.as_ref()) } else { Err(MethodRefusal::TooLarge) }
}

const FRAMES: &[u8] = b"StackMapTable";
/// Class files from this version on have stack map frames (JVMS §4.10).
const FIRST_WITH_FRAMES: u16 = 50;

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
    let count_at = out.len();
    put_u2(out, count);
    let mut frames_wanted =
        context.guard_throwable.is_some() && context.class.major_version() >= FIRST_WITH_FRAMES;
    for _ in 0..count {
        let name = reader.u2()?;
        let len = reader.u4()?;
        let content = reader.take(len as usize)?;
        put_u2(out, name);
        put_u4(out, len);
        let start = out.len();
        let attribute = context.class.pool().utf8(name).unwrap_or_default();
        frames_wanted &= attribute != FRAMES;
        match attribute {
            b"StackMapTable" if layout.trampolines().is_empty() => {
                frames::write(content, context.guard_throwable, layout, out)?
            }
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
    if frames_wanted {
        let name = pool.utf8(FRAMES).map_err(|_| MethodRefusal::ConstantPoolFull)?;
        add_frames(name, context.guard_throwable, layout, out)?;
        let count = count.checked_add(1).ok_or(MethodRefusal::TooLarge)?;
        set_u2(out, count_at, count).ok_or(Malformed("attributes of Code"))?;
    }
    Ok(())
}

/// Appends a table of frames to a method that had none.
fn add_frames(
    name: u16,
    guard_throwable: Option<u16>,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    put_u2(out, name);
    put_u4(out, 0);
    let start = out.len();
    frames::write(&[0, 0], guard_throwable, layout, out)?;
    let len = (out.len() - start) as u32;
    Ok(set_u4(out, start - 4, len).ok_or(Malformed("attributes of Code"))?)
}
