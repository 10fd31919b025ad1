//! The Java side: defining `java.lang.MayflyHooks`, telling it about this JVM, switching it.

use mayfly_jvmti::{ArrayLayout, Field, GlobalClass, Jni, OfClass, OfThread, StaticField, Thread};

use crate::engine::Engine;
use crate::notice::refuse_launch;

/// Built from `profiler-java/boot`; a test rebuilds and compares it.
const CLASS_FILE: &[u8] = include_bytes!("../../profiler-java/boot/MayflyHooks.class");

/// Virtual threads run on carriers; from this release on, the current carrier has a method of its own.
const FIRST_JDK_WITH_CARRIERS: u32 = 19;

/// What of the JVM is needed to count.
pub(crate) struct Hooks {
    class: GlobalClass,
    /// `Thread.mayfly$slab`: address of the thread's slab, or 0.
    pub(crate) slab: Field<OfThread, i64>,
    /// `Class.mayfly$cell`: where the class is counted, or 0.
    pub(crate) cell: Field<OfClass, i32>,
    /// `Thread.tid`.
    pub(crate) thread_id: Field<OfThread, i64>,
}

/// What the Java side does at an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    Off,
    /// Counts.
    Count,
    /// Counts, and hands the object over.
    Track,
}

impl Hooks {
    /// Switches the Java side.
    pub(crate) fn switch(&self, jni: Jni<'_>, mode: Mode) {
        let value = match mode {
            Mode::Off => 0,
            Mode::Count => 1,
            Mode::Track => 2,
        };
        jni.set_static(self.class.get(), c"mode", StaticField::Int(value));
    }
}

/// Defines the class, in the early start phase: rewritten code needs it from its first allocation on.
pub(crate) fn define(engine: &Engine, jni: Jni<'_>) {
    let version = engine.tool.system_property("java.vm.specification.version").unwrap_or_default();
    let class_file = match version.parse::<u32>() {
        Ok(feature) if feature >= FIRST_JDK_WITH_CARRIERS => CLASS_FILE.to_vec(),
        _ => with_name_replaced(CLASS_FILE, "currentCarrierThread", "currentThread"),
    };
    if jni.define_boot_class(c"java/lang/MayflyHooks", &class_file).is_none() {
        refuse_launch(
            "the JVM does not take java.lang.MayflyHooks: is java.base patched, or another agent in the way?",
        );
    }
}

/// Replaces a name in a class file's constant pool (a CONSTANT_Utf8, JVMS 4.4.7). Nothing refers to it by position.
fn with_name_replaced(class_file: &[u8], from: &str, to: &str) -> Vec<u8> {
    let utf8 = |name: &str| [&[1, 0, name.len() as u8], name.as_bytes()].concat();
    let (old, new) = (utf8(from), utf8(to));
    let at = class_file.windows(old.len()).position(|window| window == old);
    let Some(at) = at else { return class_file.to_vec() };
    [&class_file[..at], &new, &class_file[at + old.len()..]].concat()
}

/// Finds the added fields, tells the class about arrays here, and links its native methods while it is still off:
/// linking runs Java, which allocates.
pub(crate) fn connect(engine: &Engine, jni: Jni<'_>, thread: Thread<'_>) {
    let Some(hooks) = find(jni) else {
        refuse_launch(
            "java.lang.Thread or java.lang.Class was not rewritten: is class data sharing forced (-Xshare:on)?",
        );
    };
    let Some(layout) = ArrayLayout::measure(jni, &engine.tool) else {
        refuse_launch("this JVM does not tell its array layout: please report its version");
    };
    let class = hooks.class.get();
    let mut complete = set_layout(jni, &hooks, layout);
    complete &= jni.set_static(class, c"smallest", StaticField::Long(engine.options.larger_than as i64));
    for (name, signature) in [
        (c"enter", c"(Ljava/lang/Thread;Ljava/lang/Class;)V"),
        (c"track", c"(Ljava/lang/Object;IJ)V"),
        (c"untrack", c"()V"),
    ] {
        complete &= jni.call_static_with_nothing(class, name, signature);
    }
    if !complete {
        refuse_launch("java.lang.MayflyHooks is not the one of this library: please report this");
    }
    engine.counter.find(jni, hooks.thread_id.get(jni, thread));
    let _ = engine.hooks.set(hooks);
}

fn find(jni: Jni<'_>) -> Option<Hooks> {
    Some(Hooks {
        class: jni.global(jni.find_class(c"java/lang/MayflyHooks")?)?,
        slab: Field::of_thread(jni, c"mayfly$slab")?,
        cell: Field::of_class(jni, c"mayfly$cell")?,
        thread_id: Field::of_thread(jni, c"tid")?,
    })
}

fn set_layout(jni: Jni<'_>, hooks: &Hooks, layout: ArrayLayout) -> bool {
    let [base1, base2, base4, base8] = layout.base;
    let values = [
        (c"base1", StaticField::Long(base1)),
        (c"base2", StaticField::Long(base2)),
        (c"base4", StaticField::Long(base4)),
        (c"base8", StaticField::Long(base8)),
        (c"baseRef", StaticField::Long(layout.reference_base)),
        (c"shiftRef", StaticField::Int(layout.reference_shift)),
        (c"alignMask", StaticField::Long(layout.alignment - 1)),
    ];
    values.into_iter().all(|(name, value)| jni.set_static(hooks.class.get(), name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_jvms_get_the_class_without_carriers() {
        let has =
            |class: &[u8], name: &str| class.windows(name.len()).any(|window| window == name.as_bytes());
        assert!(has(CLASS_FILE, "currentCarrierThread"));
        let older = with_name_replaced(CLASS_FILE, "currentCarrierThread", "currentThread");
        assert!(has(&older, "currentThread") && !has(&older, "currentCarrierThread"));
        assert_eq!(older.len() + "Carrier".len(), CLASS_FILE.len());
    }
}
