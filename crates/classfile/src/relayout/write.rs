//! Writing the bytecode as the layout has it.

use alloc::vec::Vec;

use super::layout::{Layout, Node, Reach};
use super::trampolines::Trampoline;
use crate::bytes::{i4_at, put_i4, put_u2};
use crate::instruction::{Flow, opcode, switch_padding, target};
use crate::method_edit::MethodEdit;
use crate::refusal::{Malformed, MethodRefusal};

const SWITCH: Malformed = Malformed("switch");

/// Appends the new bytecode.
pub(super) fn write_bytecode(
    code: &[u8],
    edit: &MethodEdit,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let start = out.len();
    out.extend_from_slice(&edit.entry);
    let mut copied = 0;
    let mut trampolines = layout.trampolines().iter().peekable();
    for node in layout.nodes() {
        let pc = node.instruction.pc;
        while let Some(trampoline) = trampolines.next_if(|trampoline| trampoline.gap <= pc) {
            copy(code, &mut copied, trampoline.gap, out)?;
            write_trampoline(trampoline, layout, out)?;
        }
        copy(code, &mut copied, pc, out)?;
        write_insertions(edit, node, true, out);
        write_node(code, node, layout, out)?;
        copied = node.instruction.next();
        write_insertions(edit, node, false, out);
    }
    for trampoline in trampolines {
        copy(code, &mut copied, trampoline.gap, out)?;
        write_trampoline(trampoline, layout, out)?;
    }
    copy(code, &mut copied, code.len() as u32, out)?;
    // The tables are written after the plan: a disagreement must not get out.
    if out.len() - start == layout.code_len() as usize { Ok(()) } else { Err(Malformed("layout").into()) }
}

fn write_insertions(edit: &MethodEdit, node: &Node, before: bool, out: &mut Vec<u8>) {
    let here = edit.insertions.get(node.insertions.0..node.insertions.1).unwrap_or_default();
    for insertion in here.iter().filter(|insertion| insertion.before == before) {
        out.extend_from_slice(edit.code(insertion));
    }
}

fn copy(code: &[u8], copied: &mut u32, end: u32, out: &mut Vec<u8>) -> Result<(), Malformed> {
    out.extend_from_slice(code.get(*copied as usize..end as usize).ok_or(Malformed("bytecode"))?);
    *copied = end;
    Ok(())
}

fn write_trampoline(trampoline: &Trampoline, layout: &Layout, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let (from, to) = (layout.trampoline_at(trampoline)?, layout.label(trampoline.target)?);
    out.push(opcode::GOTO_W);
    put_i4(out, distance(from, to));
    Ok(())
}

fn write_node(code: &[u8], node: &Node, layout: &Layout, out: &mut Vec<u8>) -> Result<(), MethodRefusal> {
    let instruction = node.instruction;
    let from = layout.label(instruction.pc)?;
    match node.flow {
        Flow::Straight => {
            copy(code, &mut instruction.pc.clone(), instruction.next(), out)?;
        }
        Flow::WideJump => {
            out.push(instruction.opcode);
            put_i4(out, distance(from, layout.label(node.target)?));
        }
        Flow::Jump if node.reach == Reach::Widened => {
            out.push(if instruction.opcode == opcode::GOTO { opcode::GOTO_W } else { opcode::JSR_W });
            put_i4(out, distance(from, layout.label(node.target)?));
        }
        Flow::Jump => {
            let offset = distance(from, layout.destination(node)?);
            let offset = i16::try_from(offset).map_err(|_| MethodRefusal::JumpTooFar)?;
            out.push(instruction.opcode);
            put_u2(out, offset as u16);
        }
        Flow::Switch => write_switch(code, node, from, layout, out)?,
    }
    Ok(())
}

fn write_switch(
    code: &[u8],
    node: &Node,
    from: u32,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let pc = node.instruction.pc;
    out.push(node.instruction.opcode);
    out.resize(out.len() + switch_padding(from) as usize, 0);
    let mut at = (pc + 1 + switch_padding(pc)) as usize;
    let end = node.instruction.next() as usize;
    let word = |at: usize| i4_at(code, at).ok_or(SWITCH);
    let moved = |at: usize| -> Result<i32, Malformed> {
        Ok(distance(from, layout.label(target(code, pc, word(at)?).ok_or(SWITCH)?)?))
    };
    put_i4(out, moved(at)?);
    at += 4;
    // tableswitch: low, high, then offsets; lookupswitch: the number of pairs, then match and offset.
    let (copied, plain) = if node.instruction.opcode == opcode::TABLESWITCH { (2, false) } else { (1, true) };
    for _ in 0..copied {
        put_i4(out, word(at)?);
        at += 4;
    }
    while at < end {
        if plain {
            put_i4(out, word(at)?);
            at += 4;
        }
        put_i4(out, moved(at)?);
        at += 4;
    }
    Ok(())
}

/// A jump's operand; new offsets are below 64 KB, so the difference always fits.
fn distance(from: u32, to: u32) -> i32 {
    (i64::from(to) - i64::from(from)) as i32
}
