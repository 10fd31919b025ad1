//! The StackMapTable (JVMS §4.7.4), with the offsets moved and all else copied.

use alloc::vec::Vec;

use super::layout::Layout;
use crate::bytes::{Reader, put_u2};
use crate::refusal::{Malformed, MethodRefusal};

pub(super) const FRAMES: &str = "StackMapTable";

/// Frame types (JVMS §4.7.4).
pub(super) mod kind {
    pub(in super::super) const SAME_ONE_STACK: u8 = 64;
    pub(in super::super) const RESERVED: u8 = 128;
    pub(in super::super) const SAME_ONE_STACK_EXTENDED: u8 = 247;
    pub(in super::super) const CHOP: u8 = 248;
    pub(in super::super) const SAME_EXTENDED: u8 = 251;
    pub(in super::super) const APPEND: u8 = 252;
    pub(in super::super) const FULL: u8 = 255;
}

/// Counts a table's frames out as absolute offsets.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    last: Option<u32>,
}

impl Offsets {
    /// The offset of the next frame, `delta` behind the last.
    pub(super) fn next(&mut self, delta: u16) -> u32 {
        let offset = self.last.map_or(0, |last| last + 1) + u32::from(delta);
        self.last = Some(offset);
        offset
    }

    /// The delta that leads to `offset`.
    pub(super) fn delta_to(&mut self, offset: u32) -> Result<u16, Malformed> {
        let delta = offset.checked_sub(self.last.map_or(0, |last| last + 1)).ok_or(Malformed(FRAMES))?;
        self.last = Some(offset);
        u16::try_from(delta).map_err(|_| Malformed(FRAMES))
    }
}

/// Appends the table's content with its frames moved, and one for the code behind the method's own, if there is any: with a
/// `java.lang.Throwable` of this Class constant on the stack, and no local.
pub(super) fn write(
    table: &[u8],
    guard_throwable: Option<u16>,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let mut reader = Reader::new(table, FRAMES);
    let count = reader.u2()?;
    let more = u16::from(guard_throwable.is_some());
    put_u2(out, count.checked_add(more).ok_or(MethodRefusal::TooLarge)?);
    let (mut old, mut new) = (Offsets::default(), Offsets::default());
    for _ in 0..count {
        let frame_type = reader.u1()?;
        let delta = match frame_type {
            0..kind::RESERVED => u16::from(frame_type % kind::SAME_ONE_STACK),
            kind::RESERVED..kind::SAME_ONE_STACK_EXTENDED => return Err(reader.malformed().into()),
            kind::SAME_ONE_STACK_EXTENDED.. => reader.u2()?,
        };
        let delta = new.delta_to(layout.label(old.next(delta))?)?;
        write_head(frame_type, delta, out);
        copy_types(frame_type, &mut reader, layout, out)?;
    }
    if let Some(throwable) = guard_throwable {
        out.push(kind::FULL);
        put_u2(out, new.delta_to(layout.code_len())?);
        put_u2(out, 0);
        put_u2(out, 1);
        Type::Object(throwable).write(out);
    }
    if reader.is_done() { Ok(()) } else { Err(reader.malformed().into()) }
}

/// Writes frame type and delta; a short form whose delta outgrew it becomes the extended one.
fn write_head(frame_type: u8, delta: u16, out: &mut Vec<u8>) {
    let short = u8::try_from(delta).ok().filter(|delta| *delta < kind::SAME_ONE_STACK);
    let extended = match (frame_type, short) {
        (0..kind::SAME_ONE_STACK, Some(delta)) => return out.push(delta),
        (0..kind::RESERVED, Some(delta)) => return out.push(kind::SAME_ONE_STACK + delta),
        (0..kind::SAME_ONE_STACK, None) => kind::SAME_EXTENDED,
        (0..kind::RESERVED, None) => kind::SAME_ONE_STACK_EXTENDED,
        _ => frame_type,
    };
    out.push(extended);
    put_u2(out, delta);
}

fn copy_types(
    frame_type: u8,
    reader: &mut Reader<'_>,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    match frame_type {
        kind::SAME_ONE_STACK..kind::RESERVED | kind::SAME_ONE_STACK_EXTENDED => {
            copy_type(reader, layout, out)
        }
        kind::APPEND..kind::FULL => {
            (kind::SAME_EXTENDED..frame_type).try_for_each(|_| copy_type(reader, layout, out))
        }
        kind::FULL => {
            for _locals_then_stack in 0..2 {
                let count = reader.u2()?;
                put_u2(out, count);
                (0..count).try_for_each(|_| copy_type(reader, layout, out))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn copy_type(reader: &mut Reader<'_>, layout: &Layout, out: &mut Vec<u8>) -> Result<(), MethodRefusal> {
    Type::read(reader)?.moved(layout)?.write(out);
    Ok(())
}

/// A verification type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A type without operand, by tag.
    Plain(u8),
    /// A class, by constant.
    Object(u16),
    /// What the `new` at this offset made, before its constructor ran.
    Uninitialized(u16),
}

impl Type {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Type, Malformed> {
        match reader.u1()? {
            tag @ 0..=6 => Ok(Type::Plain(tag)),
            7 => Ok(Type::Object(reader.u2()?)),
            8 => Ok(Type::Uninitialized(reader.u2()?)),
            _ => Err(reader.malformed()),
        }
    }

    pub(super) fn moved(self, layout: &Layout) -> Result<Type, Malformed> {
        match self {
            Type::Uninitialized(offset) => Ok(Type::Uninitialized(layout.instruction_u2(offset)?)),
            other => Ok(other),
        }
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Type::Plain(tag) => out.push(tag),
            Type::Object(constant) => {
                out.push(7);
                put_u2(out, constant);
            }
            Type::Uninitialized(offset) => {
                out.push(8);
                put_u2(out, offset);
            }
        }
    }
}
