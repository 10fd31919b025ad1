//! The Java side: defining `java.lang.MayflyHooks`, telling it about this JVM, switching it.

use std::ffi::CStr;

use mayfly_classfile::fields_to_methods;
use mayfly_jvmti::{
    ArrayLayout, Class, Field, GlobalClass, Jni, JvmtiEnv, ObjectSizes, OfClass, OfThread, StaticField,
    Thread,
};
use mayfly_tracking::EntryId;

use super::stand_ins::StandIns;
use crate::target_jvm::release::{FIRST_WITH_CURRENT_CARRIER, REDEFINED_COUNT_FIELD};

/// Built from `profiler-java/boot`; a test rebuilds and compares it.
const CLASS_FILE: &[u8] = include_bytes!("../../../profiler-java/boot/MayflyHooks.class");

/// Internal name of the class.
pub(super) const NAME: &CStr = c"java/lang/MayflyHooks";
/// Begins the names of the fields that are added to classes of the JDK.
const ADDED: &[u8] = b"mayfly$";

/// What of the JVM is needed to count.
pub(super) struct Hooks {
    class: GlobalClass,
    /// `Thread.mayfly$slab`, or what stands in for it: what is kept of the address of the thread's slab, or 0.
    slab: Field<OfThread, i64>,
    /// An address is kept XOR this.
    shared: u64,
    /// `Class.mayfly$cell`, likewise: where the class is counted, or 0.
    pub(super) cell: Field<OfClass, i32>,
    /// How often a class was redefined, where that stands below what stands in for its cell.
    redefined: Option<Field<OfClass, i32>>,
}

impl Hooks {
    /// Lets the Java side count, or not.
    pub(super) fn switch(&self, jni: Jni<'_>, on: bool) {
        jni.set_static(self.class.get(), c"on", StaticField::Int(if on { -1 } else { 0 }));
    }

    /// The address of a thread's slab, 0 if it has none of its own.
    pub(super) fn slab(&self, jni: Jni<'_>, thread: Thread<'_>) -> u64 {
        match self.slab.get(jni, thread) {
            0 => 0,
            kept => kept as u64 ^ self.shared,
        }
    }

    /// Has a thread count there; 0: in none of its own.
    pub(super) fn set_slab(&self, jni: Jni<'_>, thread: Thread<'_>, slab: u64) {
        let kept = if slab == 0 { 0 } else { slab ^ self.shared };
        self.slab.set(jni, thread, kept as i64);
    }

    /// Makes the number of a class's redefinitions, which matters only by being another one than before, less than half of what there is
    /// room for below its cell.
    pub(super) fn make_room_for_redefinitions(&self, jni: Jni<'_>, class: Class<'_>) {
        const HALF: i32 = 1 << 12;
        let Some(redefined) = &self.redefined else { return };
        let number = redefined.get(jni, class);
        if number & HALF != 0 {
            redefined.set(jni, class, number & !HALF);
        }
    }

    /// The entry of the scope that the running thread is in, which is told of its end from now on.
    pub(super) fn entry(&self, jni: Jni<'_>) -> Option<EntryId> {
        EntryId::of_java(jni.call_static_long(self.class.get(), c"entry")? as u64)
    }

    /// How many bytes objects of a class have; `None` if this JVM's classes are not as we know them.
    pub(super) fn object_sizes(&self, jni: Jni<'_>, jvmti: &JvmtiEnv) -> Option<ObjectSizes> {
        ObjectSizes::find(jni, jvmti, self.class, c"objectBytes")
    }
}

/// Defines the class, with these bytes; whether the JVM takes it.
pub(super) fn define(jni: Jni<'_>, class_file: &[u8]) -> bool {
    jni.define_boot_class(NAME, class_file).is_some()
}

/// What is fixed for a session, and so becomes a constant of the class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SessionConstants {
    /// Whether objects are handed over one by one.
    pub(super) hands_over: bool,
    /// Smallest size of those, in bytes.
    pub(super) smallest: u64,
    /// Whether the stack of each object handed over is taken.
    pub(super) stacks: bool,
    /// Whether an object is handed over when its class's count says that it is due.
    pub(super) shares: bool,
    /// Address of the table of places; 0 if they are not counted.
    pub(super) places: u64,
    /// Whether objects are counted, also by place, and nothing else: `arriving` is there.
    pub(super) no_tests: bool,
    /// Whether every thread has a slab, and every class a cell, before it is asked for; then the address of the slab of
    /// threads that have none of their own yet.
    pub(super) arriving: Option<u64>,
    /// What is used instead of added fields; `None`: these are there.
    pub(super) stand_ins: Option<StandIns>,
}

impl SessionConstants {
    /// (constant in the source, value) of `TRACKED`, `OFFSET`, `SMALLEST`, `PLACES`, `STACKS` and `SHARES`; then those of what stands
    /// in for fields.
    fn constants(self) -> Vec<(Constant<'static>, Constant<'static>)> {
        // As the stand-in for `Class.mayfly$cell` gives it, the bit is another one.
        let bit = if self.stand_ins.is_some() { 4 } else { 1 };
        let (tracked, offset) = if self.hands_over { (bit, !7) } else { (0, !0) };
        let smallest = if self.smallest == 0 { i64::MIN } else { self.smallest as i64 };
        let mut constants = vec![
            (Constant::Int(0x4D41_5901), Constant::Int(tracked)),
            (Constant::Int(0x4D41_5902), Constant::Int(offset)),
            (Constant::Long(0x4D41_5946_4C59_0003), Constant::Long(smallest)),
            (Constant::Long(0x4D41_5946_4C59_0004), Constant::Long(self.places as i64)),
            (Constant::Int(0x4D41_5905), Constant::Int(self.stacks.into())),
            (Constant::Int(0x4D41_5906), Constant::Int(if self.shares { -1 } else { 0 })),
            (Constant::Int(0x4D41_5907), Constant::Int(self.no_tests.into())),
            (Constant::Long(0x4D41_5946_4C59_000B), Constant::Long(self.arriving.unwrap_or(0) as i64)),
        ];
        if let Some(StandIns { holder_at, slab_at, session, cell_at }) = self.stand_ins {
            constants.extend([
                (Constant::Long(0x4D41_5946_4C59_0007), Constant::Long(holder_at)),
                (Constant::Long(0x4D41_5946_4C59_0008), Constant::Long(slab_at)),
                (Constant::Long(0x4D41_5946_4C59_0009), Constant::Long(session)),
                (Constant::Long(0x4D41_5946_4C59_000A), Constant::Long(cell_at)),
            ]);
        }
        constants
    }
}

/// An entry of a class file's constant pool (JVMS 4.4).
#[derive(Clone, Copy, Debug)]
enum Constant<'text> {
    Utf8(&'text str),
    Int(i32),
    Long(i64),
}

impl Constant<'_> {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Utf8(text) => [&[1, 0, text.len() as u8], text.as_bytes()].concat(),
            Self::Int(value) => [&[3][..], &value.to_be_bytes()].concat(),
            Self::Long(value) => [&[5][..], &value.to_be_bytes()].concat(),
        }
    }
}

/// The class for a session, in a JVM of this release.
pub(super) fn class_file(jdk: u32, session: SessionConstants) -> Vec<u8> {
    let mut class_file = CLASS_FILE.to_vec();
    if session.stand_ins.is_some() {
        class_file = fields_to_methods(&class_file, ADDED).unwrap_or(class_file);
    }
    if jdk < FIRST_WITH_CURRENT_CARRIER {
        let (from, to) = ("currentCarrierThread", "currentThread");
        class_file = with_constant(&class_file, Constant::Utf8(from), Constant::Utf8(to));
    }
    for (from, to) in session.constants() {
        class_file = with_constant(&class_file, from, to);
    }
    class_file
}

/// Replaces a constant; nothing in a class file refers to one by its position in bytes.
fn with_constant(class_file: &[u8], from: Constant<'_>, to: Constant<'_>) -> Vec<u8> {
    let (old, new) = (from.bytes(), to.bytes());
    match class_file.windows(old.len()).position(|window| window == old) {
        Some(at) => [&class_file[..at], &new, &class_file[at + old.len()..]].concat(),
        None => class_file.to_vec(),
    }
}

/// Finds the added fields, or what stands in for them, tells the class about arrays here, and links its native methods while it is
/// still off: linking runs Java, which allocates.
///
/// # Errors
/// What is not as it should be.
pub(super) fn connect(
    jni: Jni<'_>,
    jvmti: &JvmtiEnv,
    session: SessionConstants,
) -> Result<Hooks, ConnectError> {
    let hooks = find(jni, session).ok_or(ConnectError::NoFields)?;
    let layout = ArrayLayout::measure(jni, jvmti).ok_or(ConnectError::NoLayout)?;
    if set_layout(jni, &hooks, layout) && link(jni, &hooks) {
        Ok(hooks)
    } else {
        Err(ConnectError::NotLinked)
    }
}

/// Why nothing can be counted.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error(
        "java.lang.Thread or java.lang.Class was not rewritten: is class data sharing forced (-Xshare:on)?"
    )]
    NoFields,
    #[error("this JVM does not report its array layout: please report its version")]
    NoLayout,
    /// A JVM looks native methods up in an agent's library once it has loaded that.
    #[error(
        "this JVM's classes are not as the agent knows them: take samples instead (#engine-sampled, mayfly run --sampled), and \
         please report its version"
    )]
    NoSizes,
    #[error("java.lang.MayflyHooks is not the one of this library: please report this")]
    NotLinked,
}

/// Calls each native method with nothing.
fn link(jni: Jni<'_>, hooks: &Hooks) -> bool {
    [
        (c"enter", c"(Ljava/lang/Thread;Ljava/lang/Class;)V"),
        (c"track", c"(Ljava/lang/Object;IJZJ)V"),
        (c"untrack", c"()V"),
        (c"follow", c"(Ljava/lang/Object;IJZZJ)I"),
        (c"unfollow", c"()V"),
        (c"enterPlace", c"(Ljava/lang/Thread;Ljava/lang/Class;I)I"),
        (c"enterPair", c"(II)I"),
        (c"sample", c"(IJJZ)J"),
        (c"enterInner", c"(Ljava/lang/Thread;JI)J"),
        (c"noteEntry", c"(JZ)V"),
        (c"exiting", c"()V"),
        (c"leavingMain", c"()V"),
    ]
    .into_iter()
    .all(|(name, signature)| jni.call_static_with_nothing(hooks.class.get(), name, signature))
}

fn find(jni: Jni<'_>, session: SessionConstants) -> Option<Hooks> {
    let class = jni.global(jni.find_class(NAME)?)?;
    let (slab, cell) = (c"mayfly$slab", c"mayfly$cell");
    let (slab, cell) = match session.stand_ins {
        None => (Field::of_thread(jni, slab)?, Field::of_class(jni, cell)?),
        Some(_) => {
            (Field::stood_in_for_thread(jni, class, slab)?, Field::stood_in_for_class(jni, class, cell)?)
        }
    };
    let redefined = match session.stand_ins {
        None => None,
        Some(_) => Some(Field::of_class(jni, REDEFINED_COUNT_FIELD.0)?),
    };
    Some(Hooks { class, slab, shared: session.arriving.unwrap_or(0), cell, redefined })
}

fn set_layout(jni: Jni<'_>, hooks: &Hooks, layout: ArrayLayout) -> bool {
    let [base1, base2, base4, base8] = layout.base;
    let round = |base| StaticField::Long(base + layout.alignment - 1);
    let values = [
        (c"round1", round(base1)),
        (c"round2", round(base2)),
        (c"round4", round(base4)),
        (c"round8", round(base8)),
        (c"roundRef", round(layout.reference_base)),
        (c"shiftRef", StaticField::Int(layout.reference_shift)),
        (c"align", StaticField::Long(-layout.alignment)),
    ];
    values.into_iter().all(|(name, value)| jni.set_static(hooks.class.get(), name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(class: &[u8], constant: Constant<'_>) -> usize {
        let bytes = constant.bytes();
        class.windows(bytes.len()).filter(|window| *window == bytes).count()
    }

    const AFTER_ATTACH: StandIns =
        StandIns { holder_at: 64, slab_at: 48, session: -0x7fff << 48, cell_at: 92 };

    #[test]
    fn older_jvms_get_the_class_without_carriers() {
        let session = SessionConstants::default();
        let (carrier, thread) = (Constant::Utf8("currentCarrierThread"), Constant::Utf8("currentThread"));
        let (newer, older) = (class_file(21, session), class_file(17, session));
        assert_eq!((count(&newer, carrier), count(&newer, thread)), (1, 1));
        assert_eq!((count(&older, carrier), count(&older, thread)), (0, 2));
    }

    #[test]
    fn each_constant_of_a_session_is_in_the_class_once_and_is_replaced() {
        let (hands_over, stacks) = (true, true);
        for session in [
            SessionConstants { shares: true, ..SessionConstants::default() },
            SessionConstants {
                no_tests: true,
                arriving: Some(0x7f12_3456_7890),
                ..SessionConstants::default()
            },
            SessionConstants {
                hands_over,
                smallest: 64,
                stacks,
                places: 0x7f12_3456_7890,
                ..SessionConstants::default()
            },
            SessionConstants { hands_over, stand_ins: Some(AFTER_ATTACH), ..SessionConstants::default() },
        ] {
            let class = class_file(21, session);
            for (from, to) in session.constants() {
                assert_eq!((count(CLASS_FILE, from), count(&class, from)), (1, 0));
                assert!(count(&class, to) > 0);
            }
        }
    }
}
