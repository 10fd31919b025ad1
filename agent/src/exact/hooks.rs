//! The Java side: defining `java.lang.MayflyHooks`, telling it about this JVM, switching it.

use mayfly_jvmti::{ArrayLayout, Field, GlobalClass, Jni, JvmtiEnv, OfClass, OfThread, StaticField};

use crate::conduct::notice::refuse_launch;
use crate::target::release::FIRST_WITH_CURRENT_CARRIER;

/// Built from `profiler-java/boot`; a test rebuilds and compares it.
const CLASS_FILE: &[u8] = include_bytes!("../../../profiler-java/boot/MayflyHooks.class");

/// What of the JVM is needed to count.
pub(super) struct Hooks {
    class: GlobalClass,
    /// `Thread.mayfly$slab`: address of the thread's slab, or 0.
    pub(super) slab: Field<OfThread, i64>,
    /// `Class.mayfly$cell`: where the class is counted, or 0.
    pub(super) cell: Field<OfClass, i32>,
}

impl Hooks {
    /// Lets the Java side count, or not.
    pub(super) fn switch(&self, jni: Jni<'_>, on: bool) {
        jni.set_static(self.class.get(), c"on", StaticField::Int(if on { -1 } else { 0 }));
    }
}

/// Defines the class, in the early start phase, in a JVM of this release.
pub(super) fn define(jni: Jni<'_>, jdk: u32, session: SessionConstants) {
    let class_file = class_file(jdk >= FIRST_WITH_CURRENT_CARRIER, session);
    if jni.define_boot_class(c"java/lang/MayflyHooks", &class_file).is_none() {
        refuse_launch(
            "the JVM does not take java.lang.MayflyHooks: is java.base patched, or another agent in the way?",
        );
    }
}

/// What is fixed for a session, and so becomes a constant of the class.
#[derive(Clone, Copy, Debug)]
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
}

impl SessionConstants {
    /// (constant in the source, value) of `TRACKED`, `OFFSET`, `SMALLEST`, `PLACES`, `STACKS` and `SHARES`.
    fn constants(self) -> [(Constant<'static>, Constant<'static>); 6] {
        let (tracked, offset) = if self.hands_over { (1, !7) } else { (0, !0) };
        let smallest = if self.smallest == 0 { i64::MIN } else { self.smallest as i64 };
        [
            (Constant::Int(0x4D41_5901), Constant::Int(tracked)),
            (Constant::Int(0x4D41_5902), Constant::Int(offset)),
            (Constant::Long(0x4D41_5946_4C59_0003), Constant::Long(smallest)),
            (Constant::Long(0x4D41_5946_4C59_0004), Constant::Long(self.places as i64)),
            (Constant::Int(0x4D41_5905), Constant::Int(self.stacks.into())),
            (Constant::Int(0x4D41_5906), Constant::Int(if self.shares { -1 } else { 0 })),
        ]
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

fn class_file(carriers: bool, session: SessionConstants) -> Vec<u8> {
    let mut class_file = CLASS_FILE.to_vec();
    if !carriers {
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

/// Finds the added fields, tells the class about arrays here, and links its native methods while it is still off:
/// linking runs Java, which allocates.
pub(super) fn connect(jni: Jni<'_>, jvmti: &JvmtiEnv) -> Hooks {
    let Some(hooks) = find(jni) else {
        refuse_launch(
            "java.lang.Thread or java.lang.Class was not rewritten: is class data sharing forced (-Xshare:on)?",
        );
    };
    let Some(layout) = ArrayLayout::measure(jni, jvmti) else {
        refuse_launch("this JVM does not report its array layout: please report its version");
    };
    let class = hooks.class.get();
    let mut complete = set_layout(jni, &hooks, layout);
    for (name, signature) in [
        (c"enter", c"(Ljava/lang/Thread;Ljava/lang/Class;)V"),
        (c"track", c"(Ljava/lang/Object;IJZJ)V"),
        (c"untrack", c"()V"),
        (c"follow", c"(Ljava/lang/Object;IJZJ)I"),
        (c"unfollow", c"()V"),
        (c"enterPlace", c"(Ljava/lang/Thread;Ljava/lang/Class;I)I"),
        (c"enterPair", c"(II)I"),
        (c"sample", c"(IJJZ)J"),
        (c"enterInner", c"(Ljava/lang/Thread;JI)J"),
        (c"noteEntry", c"(JZ)V"),
        (c"exiting", c"()V"),
    ] {
        complete &= jni.call_static_with_nothing(class, name, signature);
    }
    if !complete {
        refuse_launch("java.lang.MayflyHooks is not the one of this library: please report this");
    }
    hooks
}

fn find(jni: Jni<'_>) -> Option<Hooks> {
    Some(Hooks {
        class: jni.global(jni.find_class(c"java/lang/MayflyHooks")?)?,
        slab: Field::of_thread(jni, c"mayfly$slab")?,
        cell: Field::of_class(jni, c"mayfly$cell")?,
    })
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

    #[test]
    fn older_jvms_get_the_class_without_carriers() {
        let session =
            SessionConstants { hands_over: false, smallest: 0, stacks: false, shares: false, places: 0 };
        let (carrier, thread) = (Constant::Utf8("currentCarrierThread"), Constant::Utf8("currentThread"));
        let (newer, older) = (class_file(true, session), class_file(false, session));
        assert_eq!((count(&newer, carrier), count(&newer, thread)), (1, 1));
        assert_eq!((count(&older, carrier), count(&older, thread)), (0, 2));
    }

    #[test]
    fn each_constant_of_a_session_is_in_the_class_once_and_is_replaced() {
        for session in [
            SessionConstants { hands_over: false, smallest: 0, stacks: false, shares: true, places: 0 },
            SessionConstants {
                hands_over: true,
                smallest: 64,
                stacks: true,
                shares: false,
                places: 0x7f12_3456_7890,
            },
        ] {
            let class = class_file(true, session);
            for (from, to) in session.constants() {
                assert_eq!((count(CLASS_FILE, from), count(&class, from)), (1, 0));
                assert!(count(&class, to) > 0);
            }
        }
    }
}
