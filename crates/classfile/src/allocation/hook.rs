//! The hooks: static methods of the shim, and the code that calls them.

use alloc::vec::Vec;

use crate::edit::ClassEditor;
use crate::instruction::opcode::{
    ALOAD_0, ALOAD_1, ASTORE_0, ASTORE_1, ATHROW, DUP, DUP_X1, GETFIELD, ILOAD_0, ILOAD_1, INVOKESTATIC,
    LDC_W, NOP, SIPUSH, SWAP,
};
use crate::pool::{FieldRef, MethodRef};
use crate::refusal::Refusal;

/// Internal name of the class that the inserted code calls.
pub const HOOKS_CLASS: &str = "java/lang/MayflyHooks";

/// What calls of [`Hook::NewBuilder`] are called: it stands before what it is about, and is shown nothing of what is there.
pub(super) const NEW_BUILDER: &[u8] = b"newBuilder";

/// What calls of [`Hook::Place`] are called.
pub(super) const PLACE: &[u8] = b"place";

/// Where an exception keeps the arrays of its stack trace.
const BACKTRACE: FieldRef<'_> =
    FieldRef { owner: b"java/lang/Throwable", name: b"backtrace", descriptor: b"Ljava/lang/Object;" };

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `object(Object)`: an object, at entry of `Object.<init>`.
    Object,
    /// `place(int)`: an object is about to be constructed at a numbered place.
    Place,
    /// `array(…)`: an array of this element. This and the next two, and `built`, are told a place's number if it has one.
    Array(Element),
    /// `multi(Object)`: an array whose sub-arrays are new as well.
    Multi,
    /// `any(Object)`: a new object or array of a kind the code doesn't tell.
    Any,
    /// `undo(Object)`: an array that the callee counted and the caller's caller will count again.
    Undo,
    /// `visibleFields(Class, Field[])`: hides the fields we add.
    VisibleFields,
    /// `newBuilder()`: a string builder is about to be made.
    NewBuilder,
    /// `building()`: the body of a string builder's `toString` runs.
    Building,
    /// `built(String)`: a string builder's `toString` has returned.
    Built,
    /// `cloning()`: an override of `clone` runs.
    Cloning,
    /// `clonings()` before a call of `clone`, and `cloned(int, Object)`, behind it, told what `clonings` gave. May be
    /// told a place's number.
    Cloned,
    /// `backtrace(Object)`: the arrays that the VM made to hold an exception's stack trace.
    Backtrace,
    /// `exiting()`: the VM begins to end, the program's shutdown hooks are still to run.
    Exiting,
    /// `leavingMain()`: a `main` is about to return, its locals still hold what they hold.
    LeavingMain,
    /// `moving(boolean)`: a virtual thread begins or ends to be mounted or unmounted, as the next call is told.
    Moving,
    /// `leaving()`: as `moving(true)`.
    Leaving,
    /// `arriving()`: as `moving(false)`.
    Arriving,
    /// `mounting(Thread)`: a virtual thread is about to be mounted on this carrier.
    Mounting,
    /// `mounted()`: the current thread of a carrier has been changed.
    Mounted,
    /// `unmounting()`: a virtual thread leaves this carrier.
    Unmounting,
    /// `enterScope(int)`: the thread enters a scope.
    EnterScope,
    /// `exitScope(int)`: the thread leaves a scope.
    ExitScope,
    /// `handOverScope(int)`, which gives a `long[]`: other threads are to go on in a scope.
    HandOverScope,
    /// `enterHanded(long[])`, which gives a `long[]`: the thread goes on in scopes handed over.
    EnterHanded,
    /// `exitHanded(long[], int)`: it goes on as before.
    ExitHanded,
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

    /// The class of its arrays as `Class.getName()` spells it; for references, of those to `java.lang.Object`.
    pub(super) fn array_name(self) -> &'static str {
        match self {
            Element::Reference => "[Ljava.lang.Object;",
            Element::Boolean => "[Z",
            Element::Char => "[C",
            Element::Float => "[F",
            Element::Double => "[D",
            Element::Byte => "[B",
            Element::Short => "[S",
            Element::Int => "[I",
            Element::Long => "[J",
        }
    }

    fn hook_descriptor(self, placed: bool) -> &'static [u8] {
        let descriptors: [&[u8]; 2] = match self {
            Element::Reference => [b"([Ljava/lang/Object;)V", b"([Ljava/lang/Object;I)V"],
            Element::Boolean => [b"([Z)V", b"([ZI)V"],
            Element::Char => [b"([C)V", b"([CI)V"],
            Element::Float => [b"([F)V", b"([FI)V"],
            Element::Double => [b"([D)V", b"([DI)V"],
            Element::Byte => [b"([B)V", b"([BI)V"],
            Element::Short => [b"([S)V", b"([SI)V"],
            Element::Int => [b"([I)V", b"([II)V"],
            Element::Long => [b"([J)V", b"([JI)V"],
        };
        descriptors[usize::from(placed)]
    }
}

impl Hook {
    /// The hook at the entry of a method of the API's class for scopes.
    pub(super) fn of_scope(name: &[u8], descriptor: &[u8]) -> Option<Self> {
        match (name, descriptor) {
            (b"enter", b"(I)V") => Some(Hook::EnterScope),
            (b"exit", b"(I)V") => Some(Hook::ExitScope),
            (b"handOver", b"([JI)[J") => Some(Hook::HandOverScope),
            (b"enterHanded", b"([J)[J") => Some(Hook::EnterHanded),
            (b"exitHanded", b"([JI)V") => Some(Hook::ExitHanded),
            _ => None,
        }
    }

    /// Whether a place's number can be told to it.
    pub(super) fn takes_place(self) -> bool {
        use Hook::*;
        matches!(self, Place | Array(_) | Multi | Any | Built | Cloned | Backtrace)
    }

    /// Whether its code stands in front of the instruction, not behind it.
    pub(super) fn comes_before(self) -> bool {
        matches!(
            self,
            Hook::Place
                | Hook::NewBuilder
                | Hook::Moving
                | Hook::Leaving
                | Hook::LeavingMain
                | Hook::Arriving
                | Hook::ExitScope
        )
    }

    fn method(self, placed: bool) -> MethodRef<'static> {
        const OBJECT: &[u8] = b"(Ljava/lang/Object;)V";
        const PLACED_OBJECT: &[u8] = b"(Ljava/lang/Object;I)V";
        const FIELDS: &[u8] = b"(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
        let (name, descriptor): (&[u8], &[u8]) = match self {
            Hook::Place => (PLACE, b"(I)V"),
            Hook::Multi if placed => (b"multi", PLACED_OBJECT),
            Hook::Any if placed => (b"any", PLACED_OBJECT),
            Hook::Backtrace if placed => (b"backtrace", PLACED_OBJECT),
            Hook::Cloned if placed => (b"cloned", b"(ILjava/lang/Object;I)V"),
            Hook::Built if placed => (b"built", b"(Ljava/lang/String;I)V"),
            Hook::Object => (b"object", OBJECT),
            Hook::Array(element) => (b"array", element.hook_descriptor(placed)),
            Hook::Multi => (b"multi", OBJECT),
            Hook::Any => (b"any", OBJECT),
            Hook::Undo => (b"undo", OBJECT),
            Hook::VisibleFields => (b"visibleFields", FIELDS),
            Hook::NewBuilder => (NEW_BUILDER, b"()V"),
            Hook::Building => (b"building", b"()V"),
            Hook::Built => (b"built", b"(Ljava/lang/String;)V"),
            Hook::Cloning => (b"cloning", b"()V"),
            Hook::Cloned => (b"cloned", b"(ILjava/lang/Object;)V"),
            Hook::Backtrace => (b"backtrace", OBJECT),
            Hook::Exiting => (b"exiting", b"()V"),
            Hook::LeavingMain => (b"leavingMain", b"()V"),
            Hook::Moving => (b"moving", b"(Z)V"),
            Hook::Leaving => (b"leaving", b"()V"),
            Hook::Arriving => (b"arriving", b"()V"),
            Hook::Mounting => (b"mounting", b"(Ljava/lang/Thread;)V"),
            Hook::Mounted => (b"mounted", b"()V"),
            Hook::Unmounting => (b"unmounting", b"()V"),
            Hook::EnterScope => (b"enterScope", b"(I)V"),
            Hook::ExitScope => (b"exitScope", b"(I)V"),
            Hook::HandOverScope => (b"handOverScope", b"(I)[J"),
            Hook::EnterHanded => (b"enterHanded", b"([J)[J"),
            Hook::ExitHanded => (b"exitHanded", b"([JI)V"),
        };
        MethodRef { owner: HOOKS_CLASS.as_bytes(), name, descriptor }
    }

    /// Whether there is code of the hook before the call that it is about, too.
    pub(super) fn precedes_call(self) -> bool {
        self == Hook::Cloned
    }

    /// Bytes of code that it takes at most, at an instruction or a method's entry; with `placed` told a place's number.
    pub(super) fn longest(self, placed: bool) -> usize {
        let code = match self {
            Hook::Leaving | Hook::LeavingMain | Hook::Arriving | Hook::Mounted | Hook::Place => 3,
            Hook::Backtrace => 7,
            Hook::Cloned => 8,
            Hook::ExitScope | Hook::VisibleFields => 6,
            Hook::HandOverScope | Hook::EnterHanded | Hook::ExitHanded => 5,
            _ => 4,
        };
        code + if placed && self.takes_place() { 3 } else { 0 }
    }

    /// Operand stack that the hook's entry code needs.
    pub(super) fn entry_stack(self) -> u16 {
        if matches!(self, Hook::VisibleFields | Hook::ExitHanded) { 2 } else { 1 }
    }
}

/// The Methodrefs of the hooks used in one class so far, with and without a place's number.
#[derive(Debug, Default)]
pub(super) struct HookRefs(Vec<(Hook, bool, u16)>);

impl HookRefs {
    /// Shows the hook what the last instruction left on the stack, and the place's number if there is one.
    /// [`Hook::Exiting`], [`Hook::Place`] and those without arguments are shown nothing, [`Hook::Backtrace`] a field of it. Also gives the operand
    /// stack that the code needs.
    pub(super) fn call(
        &mut self,
        hook: Hook,
        place: Option<u32>,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<(Vec<u8>, u16), Refusal> {
        let [high, low] = self.index(hook, place.is_some(), editor)?.to_be_bytes();
        let mut code = Vec::with_capacity(10);
        match hook {
            Hook::Place
            | Hook::NewBuilder
            | Hook::Leaving
            | Hook::LeavingMain
            | Hook::Arriving
            | Hook::Mounted => {}
            Hook::Exiting => code.push(NOP),
            Hook::Backtrace => {
                let [high, low] = editor.field_ref(BACKTRACE)?.to_be_bytes();
                code.extend([DUP, GETFIELD, high, low]);
            }
            // Under the result lies what the code before the call left.
            Hook::Cloned => code.push(DUP_X1),
            _ => code.push(DUP),
        }
        if let Some(place) = place {
            code.extend(push(place, editor)?);
        }
        let below = u16::from(hook == Hook::Cloned);
        let stack = match hook {
            Hook::NewBuilder => 0,
            _ if place.is_some() && hook != Hook::Place => 2 + below,
            _ => 1 + below,
        };
        code.extend([INVOKESTATIC, high, low]);
        Ok((code, stack))
    }

    /// The code before a call that [`Hook::Cloned`] is about: puts an `int` under the object whose `clone` is called.
    /// Also gives the operand stack that it needs.
    pub(super) fn before_call(editor: &mut ClassEditor<'_, '_>) -> Result<([u8; 4], u16), Refusal> {
        let method = MethodRef { owner: HOOKS_CLASS.as_bytes(), name: b"clonings", descriptor: b"()I" };
        let [high, low] = editor.method_ref(method)?.to_be_bytes();
        Ok(([INVOKESTATIC, high, low, SWAP], 1))
    }

    /// The hook's code at a method's entry.
    pub(super) fn entry_code(
        &mut self,
        hook: Hook,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<Vec<u8>, Refusal> {
        let [high, low] = self.index(hook, false, editor)?.to_be_bytes();
        let call = [INVOKESTATIC, high, low];
        Ok(match hook {
            Hook::VisibleFields => [&[ALOAD_0, ALOAD_1], &call[..], &[ASTORE_1]].concat(),
            Hook::Building | Hook::Cloning | Hook::Exiting | Hook::Unmounting => call.to_vec(),
            Hook::EnterScope | Hook::ExitScope => [&[ILOAD_0], &call[..]].concat(),
            Hook::HandOverScope => [&[ILOAD_1], &call[..], &[ASTORE_0]].concat(),
            Hook::EnterHanded => [&[ALOAD_0], &call[..], &[ASTORE_0]].concat(),
            Hook::ExitHanded => [&[ALOAD_0, ILOAD_1], &call[..]].concat(),
            _ => [&[ALOAD_0], &call[..]].concat(),
        })
    }

    /// Code that enters or leaves (`hook`) the scope of that number; it needs one word of operand stack.
    pub(super) fn of_scope(
        &mut self,
        hook: Hook,
        scope: u32,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<Vec<u8>, Refusal> {
        let [high, low] = self.index(hook, false, editor)?.to_be_bytes();
        Ok([&push(scope, editor)?[..], &[INVOKESTATIC, high, low]].concat())
    }

    /// Code that leaves a scope with the exception on the stack; it needs two words of operand stack.
    pub(super) fn thrown_out_of_scope(
        &mut self,
        scope: u32,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<Vec<u8>, Refusal> {
        let mut code = self.of_scope(Hook::ExitScope, scope, editor)?;
        code.push(ATHROW);
        Ok(code)
    }

    fn index(&mut self, hook: Hook, placed: bool, editor: &mut ClassEditor<'_, '_>) -> Result<u16, Refusal> {
        let known = |entry: &&(Hook, bool, u16)| (entry.0, entry.1) == (hook, placed);
        if let Some((_, _, index)) = self.0.iter().find(known) {
            return Ok(*index);
        }
        let index = editor.method_ref(hook.method(placed))?;
        self.0.push((hook, placed, index));
        Ok(index)
    }
}

/// Three bytes that push a number: a constant in the code as long as it has 15 bits.
fn push(number: u32, editor: &mut ClassEditor<'_, '_>) -> Result<[u8; 3], Refusal> {
    let (opcode, operand) = match i16::try_from(number) {
        Ok(small) => (SIPUSH, small as u16),
        Err(_) => (LDC_W, editor.fresh_int(number as i32)?),
    };
    let [high, low] = operand.to_be_bytes();
    Ok([opcode, high, low])
}
