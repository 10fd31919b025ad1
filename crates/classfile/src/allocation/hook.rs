//! The hooks: static methods of the shim, and the code that calls them.

use alloc::vec::Vec;

use crate::edit::ClassEditor;
use crate::instruction::opcode::{ALOAD_0, ALOAD_1, ASTORE_1, DUP, GETFIELD, INVOKESTATIC, NOP};
use crate::pool::{FieldRef, MethodRef};
use crate::refusal::Refusal;

/// Internal name of the class that the inserted code calls.
pub const HOOKS_CLASS: &str = "java/lang/MayflyHooks";

/// Where an exception keeps the arrays of its stack trace.
const BACKTRACE: FieldRef<'_> =
    FieldRef { owner: b"java/lang/Throwable", name: b"backtrace", descriptor: b"Ljava/lang/Object;" };

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `object(Object)`: an object, at entry of `Object.<init>`.
    Object,
    /// `array(…)`: an array of this element.
    Array(Element),
    /// `multi(Object)`: an array whose sub-arrays are new as well.
    Multi,
    /// `any(Object)`: a new object or array of a kind the code doesn't tell.
    Any,
    /// `undo(Object)`: an array that the callee counted and the caller's caller will count again.
    Undo,
    /// `visibleFields(Class, Field[])`: hides the fields we add.
    VisibleFields,
    /// `building()`: the body of a string builder's `toString` runs.
    Building,
    /// `built(String)`: a string builder's `toString` has returned.
    Built,
    /// `backtrace(Object)`: the arrays that the VM made to hold an exception's stack trace.
    Backtrace,
    /// `exiting()`: the VM ends, the program's shutdown hooks are done.
    Exiting,
}

/// What an array holds; primitive values are their `atype` of `newarray` (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are Java's")]
pub enum Element {
    Reference = 0,
    Boolean = 4,
    Char = 5,
    Float = 6,
    Double = 7,
    Byte = 8,
    Short = 9,
    Int = 10,
    Long = 11,
}

impl Element {
    /// The element type of `newarray`'s operand.
    pub fn of_atype(atype: u8) -> Option<Element> {
        use Element::*;
        [Boolean, Char, Float, Double, Byte, Short, Int, Long]
            .into_iter()
            .find(|element| *element as u8 == atype)
    }

    fn hook_descriptor(self) -> &'static [u8] {
        match self {
            Element::Reference => b"([Ljava/lang/Object;)V",
            Element::Boolean => b"([Z)V",
            Element::Char => b"([C)V",
            Element::Float => b"([F)V",
            Element::Double => b"([D)V",
            Element::Byte => b"([B)V",
            Element::Short => b"([S)V",
            Element::Int => b"([I)V",
            Element::Long => b"([J)V",
        }
    }
}

impl Hook {
    fn method(self) -> MethodRef<'static> {
        const OBJECT: &[u8] = b"(Ljava/lang/Object;)V";
        const FIELDS: &[u8] = b"(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
        let (name, descriptor): (&[u8], &[u8]) = match self {
            Hook::Object => (b"object", OBJECT),
            Hook::Array(element) => (b"array", element.hook_descriptor()),
            Hook::Multi => (b"multi", OBJECT),
            Hook::Any => (b"any", OBJECT),
            Hook::Undo => (b"undo", OBJECT),
            Hook::VisibleFields => (b"visibleFields", FIELDS),
            Hook::Building => (b"building", b"()V"),
            Hook::Built => (b"built", b"(Ljava/lang/String;)V"),
            Hook::Backtrace => (b"backtrace", OBJECT),
            Hook::Exiting => (b"exiting", b"()V"),
        };
        MethodRef { owner: HOOKS_CLASS.as_bytes(), name, descriptor }
    }

    /// Operand stack that the hook's entry code needs.
    pub(super) fn entry_stack(self) -> u16 {
        if self == Hook::VisibleFields { 2 } else { 1 }
    }
}

/// The Methodrefs of the hooks used in one class so far.
#[derive(Debug, Default)]
pub(super) struct HookRefs(Vec<(Hook, u16)>);

impl HookRefs {
    /// `dup; invokestatic`: shows the hook what the last instruction left on the stack. [`Hook::Exiting`] is shown
    /// nothing, [`Hook::Backtrace`] a field of it.
    pub(super) fn call(&mut self, hook: Hook, editor: &mut ClassEditor<'_, '_>) -> Result<Vec<u8>, Refusal> {
        let [high, low] = self.index(hook, editor)?.to_be_bytes();
        let call = [INVOKESTATIC, high, low];
        Ok(match hook {
            Hook::Exiting => [&[NOP], &call[..]].concat(),
            Hook::Backtrace => {
                let [high, low] = editor.field_ref(BACKTRACE)?.to_be_bytes();
                [&[DUP, GETFIELD, high, low], &call[..]].concat()
            }
            _ => [&[DUP], &call[..]].concat(),
        })
    }

    /// The hook's code at a method's entry.
    pub(super) fn entry_code(
        &mut self,
        hook: Hook,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<Vec<u8>, Refusal> {
        let [high, low] = self.index(hook, editor)?.to_be_bytes();
        let call = [INVOKESTATIC, high, low];
        Ok(match hook {
            Hook::VisibleFields => [&[ALOAD_0, ALOAD_1], &call[..], &[ASTORE_1]].concat(),
            Hook::Building | Hook::Exiting => call.to_vec(),
            _ => [&[ALOAD_0], &call[..]].concat(),
        })
    }

    fn index(&mut self, hook: Hook, editor: &mut ClassEditor<'_, '_>) -> Result<u16, Refusal> {
        if let Some((_, index)) = self.0.iter().find(|(known, _)| *known == hook) {
            return Ok(*index);
        }
        let index = editor.method_ref(hook.method())?;
        self.0.push((hook, index));
        Ok(index)
    }
}
