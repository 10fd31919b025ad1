//! The StackMapTable of a method that got trampolines, every frame written out in full.
//!
//! Compact frames say how they differ from the frame before; a trampoline's frame in between would change that.

use alloc::vec;
use alloc::vec::Vec;

use super::frames::{FRAMES, Offsets, Type, kind};
use super::layout::Layout;
use crate::bytes::{Reader, put_u2};
use crate::class::{ClassFile, Member};
use crate::pool::PoolTail;
use crate::refusal::{Malformed, MethodRefusal};

const ACC_STATIC: u16 = 0x0008;
const TOP: Type = Type::Plain(0);
const INTEGER: Type = Type::Plain(1);
const FLOAT: Type = Type::Plain(2);
const DOUBLE: Type = Type::Plain(3);
const LONG: Type = Type::Plain(4);
const UNINITIALIZED_THIS: Type = Type::Plain(6);

/// More verification types than any compiler's method needs when its frames are written in full.
const MAX_TYPES: usize = 1 << 20;

/// The method whose frames are written.
pub(super) struct Context<'c, 'a> {
    pub(super) class: &'c ClassFile<'a>,
    pub(super) method: &'c Member,
    /// Class constant of `java.lang.Throwable`, if there is code behind the method's own that exceptions lead to.
    pub(super) guard_throwable: Option<u16>,
}

/// A frame with nothing left to infer.
#[derive(Clone, Debug)]
struct MapFrame {
    offset: u32,
    locals: Vec<Type>,
    stack: Vec<Type>,
}

/// Appends the content of a table with all its frames and those of the trampolines.
pub(super) fn write(
    context: &Context<'_, '_>,
    table: &[u8],
    layout: &Layout,
    pool: &mut PoolTail,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let old = read_all(context, table, pool)?;
    let mut moved = Vec::with_capacity(old.len() + layout.trampolines().len());
    for trampoline in layout.trampolines() {
        let target = old.binary_search_by_key(&trampoline.target, |frame| frame.offset);
        let target = target.ok().and_then(|index| old.get(index)).ok_or(Malformed(FRAMES))?;
        moved.push(MapFrame { offset: layout.trampoline_at(trampoline)?, ..target.clone() });
    }
    for frame in old {
        moved.push(MapFrame { offset: layout.label(frame.offset)?, ..frame });
    }
    moved.sort_by_key(|frame| frame.offset);
    if let Some(throwable) = context.guard_throwable {
        let stack = vec![Type::Object(throwable)];
        moved.push(MapFrame { offset: layout.code_len(), locals: Vec::new(), stack });
    }
    put_u2(out, u16::try_from(moved.len()).map_err(|_| MethodRefusal::TooLarge)?);
    let mut offsets = Offsets::default();
    for frame in &moved {
        out.push(kind::FULL);
        put_u2(out, offsets.delta_to(frame.offset)?);
        for types in [&frame.locals, &frame.stack] {
            put_u2(out, u16::try_from(types.len()).map_err(|_| Malformed(FRAMES))?);
            types.iter().try_for_each(|entry| entry.moved(layout).map(|entry| entry.write(out)))?;
        }
    }
    Ok(())
}

fn read_all(
    context: &Context<'_, '_>,
    table: &[u8],
    pool: &mut PoolTail,
) -> Result<Vec<MapFrame>, MethodRefusal> {
    let mut reader = Reader::new(table, FRAMES);
    let mut locals = initial_locals(context, pool)?;
    let mut offsets = Offsets::default();
    let mut frames = Vec::new();
    let mut types = 0;
    for _ in 0..reader.u2()? {
        let frame_type = reader.u1()?;
        let delta = match frame_type {
            0..kind::RESERVED => u16::from(frame_type % kind::SAME_ONE_STACK),
            kind::RESERVED..kind::SAME_ONE_STACK_EXTENDED => return Err(reader.malformed().into()),
            kind::SAME_ONE_STACK_EXTENDED.. => reader.u2()?,
        };
        let stack = read_types(frame_type, &mut reader, &mut locals)?;
        // Each frame holds its locals anew: without this bound a small table could ask for gigabytes.
        types += locals.len() + stack.len();
        if types > MAX_TYPES {
            return Err(MethodRefusal::JumpTooFar);
        }
        frames.push(MapFrame { offset: offsets.next(delta), locals: locals.clone(), stack });
    }
    Ok(frames)
}

/// Brings `locals` up to this frame, and gives its stack.
fn read_types(
    frame_type: u8,
    reader: &mut Reader<'_>,
    locals: &mut Vec<Type>,
) -> Result<Vec<Type>, Malformed> {
    let mut stack = Vec::new();
    match frame_type {
        kind::SAME_ONE_STACK..kind::RESERVED | kind::SAME_ONE_STACK_EXTENDED => {
            stack.push(Type::read(reader)?)
        }
        kind::CHOP..kind::SAME_EXTENDED => {
            let chopped = usize::from(kind::SAME_EXTENDED - frame_type);
            locals.truncate(locals.len().checked_sub(chopped).ok_or(Malformed(FRAMES))?);
        }
        kind::SAME_EXTENDED => {}
        kind::APPEND..kind::FULL => {
            for _ in kind::SAME_EXTENDED..frame_type {
                locals.push(Type::read(reader)?);
            }
        }
        kind::FULL => {
            locals.clear();
            for _ in 0..reader.u2()? {
                locals.push(Type::read(reader)?);
            }
            for _ in 0..reader.u2()? {
                stack.push(Type::read(reader)?);
            }
        }
        _ => {}
    }
    Ok(stack)
}

/// The locals at the method's entry, from its descriptor (JVMS §4.10.1.6).
fn initial_locals(context: &Context<'_, '_>, pool: &mut PoolTail) -> Result<Vec<Type>, MethodRefusal> {
    let class = context.class;
    let mut locals = Vec::new();
    if context.method.access_flags() & ACC_STATIC == 0 {
        let constructor =
            class.member_name(context.method) == b"<init>" && class.name() != b"java/lang/Object";
        locals.push(if constructor { UNINITIALIZED_THIS } else { Type::Object(class.this_class()) });
    }
    let descriptor = class.member_descriptor(context.method);
    let mut rest = descriptor.strip_prefix(b"(").ok_or(Malformed("method descriptor"))?;
    loop {
        let len = match rest {
            [b')', ..] => return Ok(locals),
            _ => parameter_len(rest).ok_or(Malformed("method descriptor"))?,
        };
        let (parameter, behind) = rest.split_at_checked(len).ok_or(Malformed("method descriptor"))?;
        locals.push(match parameter {
            [b'J'] => LONG,
            [b'D'] => DOUBLE,
            [b'F'] => FLOAT,
            [b'L', name @ .., b';'] => object(name, pool)?,
            [b'[', ..] => object(parameter, pool)?,
            [b'B' | b'C' | b'I' | b'S' | b'Z'] => INTEGER,
            _ => TOP,
        });
        rest = behind;
    }
}

fn object(name: &[u8], pool: &mut PoolTail) -> Result<Type, MethodRefusal> {
    pool.class(name).map(Type::Object).map_err(|_| MethodRefusal::ConstantPoolFull)
}

/// Length of the field descriptor that `rest` starts with (JVMS §4.3.2).
fn parameter_len(rest: &[u8]) -> Option<usize> {
    let dimensions = rest.iter().take_while(|byte| **byte == b'[').count();
    match rest.get(dimensions)? {
        b'L' => Some(rest.iter().position(|byte| *byte == b';')? + 1),
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        _ => None,
    }
}
