//! Where everything in a method goes: which instructions grow, and by how much what follows is shifted.
//!
//! Writes nothing; `write` follows the plan made here.

use alloc::vec::Vec;

use super::trampolines::{self, Trampoline};
use crate::instruction::{Flow, Instruction, instructions, jump_target, opcode, switch_padding};
use crate::method_edit::{Insertion, MethodEdit};
use crate::refusal::{Malformed, MethodRefusal};

/// A method's code may have this many bytes (JVMS §4.7.3).
pub(super) const MAX_CODE: u32 = 65_535;

/// Widening moves code, which may push other jumps beyond their reach; real methods settle in two or three rounds.
const MAX_ROUNDS: usize = 64;

/// An instruction that can't be copied as it is, or that has code inserted behind it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) instruction: Instruction,
    pub(super) flow: Flow,
    /// Where a jump goes, in old offsets.
    pub(super) target: u32,
    /// What became of a jump too short for its way.
    pub(super) reach: Reach,
    /// First and last + 1 of the edit's insertions at this instruction.
    pub(super) insertions: (usize, usize),
    inserted_len: u32,
    /// What of it stands before the instruction.
    inserted_before: u32,
}

/// How a 16-bit jump gets to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// As it is.
    Direct,
    /// `goto_w` or `jsr_w` in place of `goto` or `jsr`.
    Widened,
    /// Through the trampoline for this target and gap.
    Via(Trampoline),
}

/// From old offset `from` on, code is `delta` further along.
#[derive(Clone, Copy, Debug)]
struct Shift {
    from: u32,
    delta: i64,
}

/// The new place of every old offset.
#[derive(Debug)]
pub(super) struct Layout {
    nodes: Vec<Node>,
    shifts: Vec<Shift>,
    trampolines: Vec<Trampoline>,
    old_len: u32,
    new_len: u32,
}

impl Layout {
    /// Plans `edit` of `code`.
    pub(super) fn of(code: &[u8], edit: &MethodEdit) -> Result<Layout, MethodRefusal> {
        let nodes = nodes(code, edit)?;
        let old_len = u32::try_from(code.len()).map_err(|_| MethodRefusal::TooLarge)?;
        let mut layout = Layout { nodes, shifts: Vec::new(), trampolines: Vec::new(), old_len, new_len: 0 };
        let entry = i64::try_from(edit.entry.len()).map_err(|_| MethodRefusal::TooLarge)?;
        for _ in 0..MAX_ROUNDS {
            layout.place(entry)?;
            if layout.new_len <= i16::MAX as u32 || !layout.lengthen_jumps(code)? {
                return Ok(layout);
            }
        }
        Err(MethodRefusal::JumpTooFar)
    }

    /// New offset of the instruction at `pc`, or of the end of the code: of code inserted before it, not of code
    /// inserted behind its predecessor.
    pub(super) fn label(&self, pc: u32) -> Result<u32, Malformed> {
        if pc > self.old_len {
            return Err(Malformed("code offset"));
        }
        let after = self.shifts.partition_point(|shift| shift.from <= pc);
        let delta =
            after.checked_sub(1).and_then(|last| self.shifts.get(last)).map_or(0, |shift| shift.delta);
        u32::try_from(i64::from(pc) + delta).map_err(|_| Malformed("code offset"))
    }

    /// As [`Layout::label`], for the fields of two bytes that tables hold.
    pub(super) fn label_u2(&self, pc: u16) -> Result<u16, Malformed> {
        u16::try_from(self.label(u32::from(pc))?).map_err(|_| Malformed("code offset"))
    }

    /// New offset of the instruction at `pc` itself, behind the code inserted before it: what names the instruction, and is no way
    /// to get there.
    pub(super) fn instruction_u2(&self, pc: u16) -> Result<u16, Malformed> {
        let found = self.nodes.binary_search_by_key(&u32::from(pc), |node| node.instruction.pc);
        let before = found.ok().and_then(|at| self.nodes.get(at)).map_or(0, |node| node.inserted_before);
        u16::try_from(self.label(u32::from(pc))? + before).map_err(|_| Malformed("code offset"))
    }

    /// New end of a range that ended at `pc`: inserted code belongs to the range, trampolines do not.
    pub(super) fn range_end(&self, pc: u32) -> Result<u32, Malformed> {
        let label = self.label(pc)?;
        let first = self.trampolines.partition_point(|trampoline| trampoline.gap < pc);
        let behind = self.trampolines.partition_point(|trampoline| trampoline.gap <= pc);
        Ok(label.saturating_sub((behind - first) as u32 * trampolines::LEN))
    }

    /// New offset of a trampoline.
    pub(super) fn trampoline_at(&self, wanted: &Trampoline) -> Result<u32, Malformed> {
        let first = self.trampolines.partition_point(|trampoline| trampoline.gap < wanted.gap);
        let before = self.trampolines.partition_point(|trampoline| trampoline < wanted) - first;
        Ok(self.range_end(wanted.gap)? + before as u32 * trampolines::LEN)
    }

    /// New length of the code.
    pub(super) fn code_len(&self) -> u32 {
        self.new_len
    }

    /// The instructions to be treated apart, in order.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The trampolines, in order.
    pub(super) fn trampolines(&self) -> &[Trampoline] {
        &self.trampolines
    }

    /// Computes the shifts from what is now decided about each node.
    fn place(&mut self, entry: i64) -> Result<(), MethodRefusal> {
        self.shifts.clear();
        self.shifts.push(Shift { from: 0, delta: entry });
        let mut delta = entry;
        let mut trampolines = self.trampolines.iter().peekable();
        for node in &self.nodes {
            let pc = node.instruction.pc;
            while let Some(trampoline) = trampolines.next_if(|trampoline| trampoline.gap <= pc) {
                delta += i64::from(trampolines::LEN);
                self.shifts.push(Shift { from: trampoline.gap, delta });
            }
            if node.flow == Flow::Switch {
                let new_pc = u32::try_from(i64::from(pc) + delta).map_err(|_| MethodRefusal::TooLarge)?;
                let growth = i64::from(switch_padding(new_pc)) - i64::from(switch_padding(pc));
                if growth != 0 {
                    delta += growth;
                    self.shifts.push(Shift { from: pc + 1, delta });
                }
            }
            let growth = node.inserted_len + if node.reach == Reach::Widened { 2 } else { 0 };
            if growth != 0 {
                delta += i64::from(growth);
                self.shifts.push(Shift { from: node.instruction.next(), delta });
            }
        }
        for trampoline in trampolines {
            delta += i64::from(trampolines::LEN);
            self.shifts.push(Shift { from: trampoline.gap, delta });
        }
        self.new_len = u32::try_from(i64::from(self.old_len) + delta).map_err(|_| MethodRefusal::TooLarge)?;
        if self.new_len > MAX_CODE { Err(MethodRefusal::TooLarge) } else { Ok(()) }
    }

    /// Lengthens the jumps that no longer reach; whether there were any.
    fn lengthen_jumps(&mut self, code: &[u8]) -> Result<bool, MethodRefusal> {
        let mut lengthened = Vec::new();
        let mut wanted = self.trampolines.clone();
        let mut gaps = None;
        for (index, node) in self.nodes.iter().enumerate() {
            if node.flow != Flow::Jump || node.reach == Reach::Widened || self.reaches(node)? {
                continue;
            }
            if matches!(node.instruction.opcode, opcode::GOTO | opcode::JSR) {
                lengthened.push((index, Reach::Widened));
                continue;
            }
            let gaps = gaps.get_or_insert_with(|| trampolines::gaps(code));
            let from = self.label(node.instruction.pc)?;
            let place = |gap| self.range_end(gap);
            let trampoline = trampolines::choose(from, node.target, &wanted, gaps, place)?;
            if !wanted.contains(&trampoline) {
                wanted.push(trampoline);
            }
            lengthened.push((index, Reach::Via(trampoline)));
        }
        wanted.sort_unstable();
        self.trampolines = wanted;
        for &(index, reach) in &lengthened {
            if let Some(node) = self.nodes.get_mut(index) {
                node.reach = reach;
            }
        }
        Ok(!lengthened.is_empty())
    }

    fn reaches(&self, node: &Node) -> Result<bool, Malformed> {
        let from = self.label(node.instruction.pc)?;
        let to = self.destination(node)?;
        Ok(i16::try_from(i64::from(to) - i64::from(from)).is_ok())
    }

    /// New offset that a jump's own operand must lead to.
    pub(super) fn destination(&self, node: &Node) -> Result<u32, Malformed> {
        match &node.reach {
            Reach::Via(trampoline) => self.trampoline_at(trampoline),
            _ => self.label(node.target),
        }
    }
}

impl Node {
    fn of(
        code: &[u8],
        instruction: Instruction,
        edit: &MethodEdit,
        insertions: (usize, usize),
    ) -> Result<Node, MethodRefusal> {
        let flow = instruction.flow();
        let target = match flow {
            Flow::Jump => jump_target(code, instruction.pc, false),
            Flow::WideJump => jump_target(code, instruction.pc, true),
            Flow::Switch | Flow::Straight => Some(0),
        };
        let target = target.ok_or(Malformed("jump target"))?;
        let inserted = edit.insertions.get(insertions.0..insertions.1).unwrap_or_default();
        let len = |insertion: &Insertion| insertion.end - insertion.start;
        let inserted_len = inserted.iter().map(len).sum::<usize>();
        let inserted_len = u32::try_from(inserted_len).map_err(|_| MethodRefusal::TooLarge)?;
        if inserted_len > MAX_CODE {
            return Err(MethodRefusal::TooLarge);
        }
        let before = inserted.iter().filter(|insertion| insertion.before).map(len).sum::<usize>();
        let inserted_before = before as u32;
        Ok(Node {
            instruction,
            flow,
            target,
            reach: Reach::Direct,
            insertions,
            inserted_len,
            inserted_before,
        })
    }
}

/// The instructions of `code` that need more than copying under `edit`.
fn nodes(code: &[u8], edit: &MethodEdit) -> Result<Vec<Node>, MethodRefusal> {
    let mut nodes = Vec::new();
    let mut insertion = 0;
    let at = |index: usize| edit.insertions.get(index).map(|insertion: &Insertion| insertion.pc);
    for instruction in instructions(code) {
        let instruction = instruction?;
        let first = insertion;
        while at(insertion) == Some(instruction.pc) {
            insertion += 1;
        }
        let here = edit.insertions.get(first..insertion).unwrap_or_default();
        let falls_through = !instruction.ends_block() && (instruction.next() as usize) < code.len();
        let straight = instruction.flow() == Flow::Straight;
        if !here.iter().all(|insertion| if insertion.before { straight } else { falls_through }) {
            return Err(MethodRefusal::BadInsertion);
        }
        if first != insertion || instruction.flow() != Flow::Straight {
            nodes.push(Node::of(code, instruction, edit, (first, insertion))?);
        }
    }
    if insertion < edit.insertions.len() { Err(MethodRefusal::BadInsertion) } else { Ok(nodes) }
}
