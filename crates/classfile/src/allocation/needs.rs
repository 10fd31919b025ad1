//! Whether a loaded class may get hooks at all: asked of its constants and its code, before the JVM has to write it out and take
//! it anew.
//!
//! Says yes to some classes in which nothing is, and no to none in which something is. Not here: which hooks these are (`scan`).

use alloc::vec::Vec;

use super::hook::HOOKS_CLASS;
use super::methods::{METHODS, Owner, SHUTDOWN};
use super::rules::{Callees, Names};
use super::scan;
use crate::bytes::u2_at;
use crate::instruction::instructions;
use crate::instruction::opcode::{INVOKEDYNAMIC, INVOKESTATIC};
use crate::pool::ConstantPool;

/// Whether [`super::rewrite`], without added fields, may change a class, or its places may be numbered if there are `places`.
/// `constants` are those of the class, without their count (JVMTI `GetConstantPool`); `codes` those of its methods, asked for
/// only as long as nothing is found. A class that has hooks in its code, or had, may.
pub fn may_get_hooks(
    class: &[u8],
    constants: &[u8],
    mut codes: impl Iterator<Item = Vec<u8>>,
    places: bool,
) -> bool {
    if is_special(class) {
        return true;
    }
    let mut names = Names::default();
    let bytes = ConstantPool::bare(constants);
    let Ok(pool) = ConstantPool::parse_bare(&bytes, |utf8| names.see(utf8)) else { return true };
    if names.hooks_class() || names.names_clone() {
        return true;
    }
    let callees = if names.callee() { Callees::of(&pool) } else { Callees::default() };
    codes.any(|code| scan::may_have_hooks(class, &code, &callees, places))
}

/// Whether a class has hooks already, and all of them are such as a session without places asks for: then it needs no others. Arguments as
/// for [`may_get_hooks`].
pub fn has_hooks_without_places(constants: &[u8], codes: impl Iterator<Item = Vec<u8>>) -> bool {
    let mut names = Names::default();
    let bytes = ConstantPool::bare(constants);
    let Ok(pool) = ConstantPool::parse_bare(&bytes, |utf8| names.see(utf8)) else { return false };
    if !names.hooks_class() {
        return false;
    }
    let mut has_some = false;
    for code in codes {
        for call in instructions(&code).map_while(Result::ok).filter(|it| it.opcode == INVOKESTATIC) {
            let callee = u2_at(&code, call.pc as usize + 1).and_then(|index| pool.method_ref(index));
            let Some(hook) = callee.filter(|callee| callee.owner == HOOKS_CLASS.as_bytes()) else { continue };
            // A place's number comes last; this one is of an `int[]`.
            if hook.descriptor.ends_with(b"I)V") && hook.descriptor != b"([I)V" {
                return false;
            }
            has_some = true;
        }
    }
    has_some
}

/// How many call sites of a method's code are linked when they are first run, and so anew if the method is replaced (`invokedynamic`).
pub fn dynamic_calls(code: &[u8]) -> usize {
    instructions(code).map_while(Result::ok).filter(|instruction| instruction.opcode == INVOKEDYNAMIC).count()
}

/// Whether a class has methods that are treated by their names, or by their own. Every class may override `clone`: not asked here.
fn is_special(class: &[u8]) -> bool {
    class == SHUTDOWN || METHODS.iter().any(|row| matches!(row.owner, Owner::Class(name) if name == class))
}

#[cfg(test)]
mod tests {
    use super::super::methods::{OBJECT, STRING_BUFFER, STRING_BUILDER};
    use super::*;

    #[test]
    fn classes_whose_methods_get_hooks_by_name_are_special() {
        for class in [OBJECT, SHUTDOWN, STRING_BUFFER, STRING_BUILDER] {
            assert!(is_special(class));
        }
        assert!(!is_special(b"java/util/ArrayList"));
    }

    #[test]
    fn constants_that_cannot_be_read_are_left_to_rewriting() {
        let no_code = || core::iter::empty();
        assert!(may_get_hooks(b"p/A", &[99], no_code(), false));
        assert!(!may_get_hooks(b"p/A", &[], no_code(), false));
    }

    #[test]
    fn call_sites_that_are_linked_when_run_are_counted() {
        use crate::instruction::opcode::RETURN;
        assert_eq!(dynamic_calls(&[INVOKEDYNAMIC, 0, 1, 0, 0, INVOKEDYNAMIC, 0, 2, 0, 0, RETURN]), 2);
        assert_eq!(dynamic_calls(&[0x10, INVOKEDYNAMIC, RETURN]), 0, "an operand");
    }

    #[test]
    fn code_is_asked_for_until_something_is_found() {
        use crate::instruction::opcode::{INVOKESPECIAL, NEW, NEWARRAY, RETURN};
        let mut asked = 0;
        let codes = [&[RETURN][..], &[NEWARRAY, 10, RETURN], &[RETURN]];
        let codes = codes.iter().inspect(|_| asked += 1).map(|code| code.to_vec());
        assert!(may_get_hooks(b"p/A", &[], codes, false));
        assert_eq!(asked, 2);
        let creates = || [[NEW, 0, 1, INVOKESPECIAL, 0, 2, RETURN].to_vec()].into_iter();
        assert_eq!([true, false].map(|places| may_get_hooks(b"p/A", &[], creates(), places)), [true, false]);
    }
}
