//! Stepping through bytecode (JVMS §6.5): where instructions start, how long they are, what they jump to.

use crate::bytes::{i4_at, u2_at};
use crate::refusal::Malformed;

const CODE: Malformed = Malformed("bytecode");

/// The opcodes that the patcher or its policies speak of.
pub mod opcode {
    #![allow(missing_docs, reason = "the names are the JVMS mnemonics")]
    pub const NOP: u8 = 0x00;
    pub const SIPUSH: u8 = 0x11;
    pub const LDC_W: u8 = 0x13;
    pub const ILOAD_0: u8 = 0x1a;
    pub const ILOAD_1: u8 = 0x1b;
    pub const ALOAD_0: u8 = 0x2a;
    pub const ALOAD_1: u8 = 0x2b;
    pub const ASTORE_0: u8 = 0x4b;
    pub const ASTORE_1: u8 = 0x4c;
    pub const DUP: u8 = 0x59;
    pub const DUP_X1: u8 = 0x5a;
    pub const SWAP: u8 = 0x5f;
    pub const IINC: u8 = 0x84;
    pub const IFEQ: u8 = 0x99;
    pub const GOTO: u8 = 0xa7;
    pub const JSR: u8 = 0xa8;
    pub const RET: u8 = 0xa9;
    pub const TABLESWITCH: u8 = 0xaa;
    pub const LOOKUPSWITCH: u8 = 0xab;
    pub const IRETURN: u8 = 0xac;
    pub const RETURN: u8 = 0xb1;
    pub const GETFIELD: u8 = 0xb4;
    pub const PUTFIELD: u8 = 0xb5;
    pub const INVOKEVIRTUAL: u8 = 0xb6;
    pub const INVOKESPECIAL: u8 = 0xb7;
    pub const INVOKESTATIC: u8 = 0xb8;
    pub const INVOKEINTERFACE: u8 = 0xb9;
    pub const INVOKEDYNAMIC: u8 = 0xba;
    pub const NEW: u8 = 0xbb;
    pub const NEWARRAY: u8 = 0xbc;
    pub const ANEWARRAY: u8 = 0xbd;
    pub const ATHROW: u8 = 0xbf;
    pub const CHECKCAST: u8 = 0xc0;
    pub const WIDE: u8 = 0xc4;
    pub const MULTIANEWARRAY: u8 = 0xc5;
    pub const IFNULL: u8 = 0xc6;
    pub const IFNONNULL: u8 = 0xc7;
    pub const GOTO_W: u8 = 0xc8;
    pub const JSR_W: u8 = 0xc9;
}

use opcode::*;

/// Length by opcode; 0 for variable lengths and undefined opcodes.
const LENGTHS: [u8; 256] = lengths();

const fn lengths() -> [u8; 256] {
    let mut table = [0; 256];
    let mut op = 0;
    while op <= 0xc9 {
        table[op] = match op as u8 {
            0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | RET | NEWARRAY => 2,
            0x11 | 0x13 | 0x14 | IINC | IFEQ..=JSR | 0xb2..=0xb8 => 3,
            NEW | ANEWARRAY | CHECKCAST | 0xc1 | IFNULL | IFNONNULL => 3,
            MULTIANEWARRAY => 4,
            0xb9 | 0xba | GOTO_W | JSR_W => 5,
            TABLESWITCH | LOOKUPSWITCH | WIDE => 0,
            _ => 1,
        };
        op += 1;
    }
    table
}

/// One instruction's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Byte offset in the method's code.
    pub pc: u32,
    /// Opcode.
    pub opcode: u8,
    /// Length with operands and padding.
    pub len: u32,
}

/// How an instruction passes control on, other than to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// `if…`, `goto`, `jsr`: a signed 16-bit offset.
    Jump,
    /// `goto_w`, `jsr_w`: a signed 32-bit offset.
    WideJump,
    /// `tableswitch`, `lookupswitch`.
    Switch,
    /// None.
    Straight,
}

impl Instruction {
    /// Offset of the following instruction.
    pub fn next(&self) -> u32 {
        self.pc + self.len
    }

    pub(crate) fn flow(&self) -> Flow {
        match self.opcode {
            IFEQ..=JSR | IFNULL | IFNONNULL => Flow::Jump,
            GOTO_W | JSR_W => Flow::WideJump,
            TABLESWITCH | LOOKUPSWITCH => Flow::Switch,
            _ => Flow::Straight,
        }
    }

    /// Whether control never passes to the next instruction.
    pub(crate) fn ends_block(&self) -> bool {
        matches!(self.opcode, GOTO | RET | TABLESWITCH..=RETURN | ATHROW | GOTO_W)
    }
}

/// Iterates over the instructions of a method; ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    pc: usize,
}

/// The instructions of `code`.
pub fn instructions(code: &[u8]) -> Instructions<'_> {
    Instructions { code, pc: 0 }
}

impl Iterator for Instructions<'_> {
    type Item = Result<Instruction, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let opcode = *self.code.get(self.pc)?;
        let fixed = LENGTHS.get(usize::from(opcode)).copied().unwrap_or(0);
        let len =
            if fixed != 0 { Some(usize::from(fixed)) } else { variable_length(self.code, self.pc, opcode) };
        let pc = self.pc;
        match len.filter(|len| *len <= self.code.len() - pc) {
            Some(len) => {
                self.pc = pc + len;
                Some(Ok(Instruction { pc: pc as u32, opcode, len: len as u32 }))
            }
            None => {
                self.pc = self.code.len();
                Some(Err(CODE))
            }
        }
    }
}

/// Padding bytes behind a switch's opcode at `pc`: its operands start at a multiple of four.
pub(crate) fn switch_padding(pc: u32) -> u32 {
    3 - pc % 4
}

fn variable_length(code: &[u8], pc: usize, opcode: u8) -> Option<usize> {
    match opcode {
        WIDE => match *code.get(pc + 1)? {
            IINC => Some(6),
            0x15..=0x19 | 0x36..=0x3a | RET => Some(4),
            _ => None,
        },
        TABLESWITCH | LOOKUPSWITCH => {
            let padding = 3 - pc % 4;
            let table = pc + 1 + padding;
            let words = if opcode == TABLESWITCH {
                let (low, high) = (i4_at(code, table + 4)?, i4_at(code, table + 8)?);
                let entries = i64::from(high) - i64::from(low) + 1;
                3 + usize::try_from(entries).ok().filter(|n| *n > 0)?
            } else {
                2 + 2 * usize::try_from(i4_at(code, table + 4)?).ok()?
            };
            words.checked_mul(4)?.checked_add(1 + padding)
        }
        _ => None,
    }
}

/// Where the jump at `pc` goes; `None` outside the code.
pub(crate) fn jump_target(code: &[u8], pc: u32, wide: bool) -> Option<u32> {
    let operand = pc as usize + 1;
    let offset = if wide { i4_at(code, operand)? } else { i32::from(u2_at(code, operand)? as i16) };
    target(code, pc, offset)
}

/// `pc + offset`, if inside the code.
pub(crate) fn target(code: &[u8], pc: u32, offset: i32) -> Option<u32> {
    let target = u32::try_from(i64::from(pc) + i64::from(offset)).ok()?;
    ((target as usize) < code.len()).then_some(target)
}
