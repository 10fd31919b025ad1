//! What the hooks do not see, estimated: who made each allocation that the JVM's sampler picks.
//!
//! Counts stay the hooks'; nothing here is added to them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_classfile::allocation::{self, LoadedInstruction};
use mayfly_classfile::opcode::{
    ANEWARRAY, INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, MULTIANEWARRAY, NEW, NEWARRAY,
};
use mayfly_jvmti::{Jni, StackFrame};
use mayfly_profile::{ClassEstimate, ClassId, Estimate, Remainder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::brief::{Brief, Sample, ThreadSamples};
use crate::engine::Engine;
use crate::mounting::{self, with_doubt};

/// Who made an object that no hook was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Maker {
    /// Native code of a library, through JNI.
    Native,
    /// The JVM, for classes, reflection, linking, messages of its exceptions.
    Jvm,
    /// An array instruction of a class whose bytes no agent gets.
    HiddenClass,
    /// An array instruction of a method that is as it was.
    UnrewrittenMethod,
    /// C2, for a vector that it kept in a register until then, without running its constructor.
    VectorBox,
    /// `Object.clone`, called from where no hook is.
    Clone,
}

impl Maker {
    fn cause(self) -> &'static str {
        match self {
            Self::Native => "made by native code (JNI)",
            Self::Jvm => "made by the JVM itself (classes, reflection, linking)",
            Self::HiddenClass => "arrays made in hidden classes",
            Self::UnrewrittenMethod => "arrays made in methods that were not rewritten",
            Self::VectorBox => "vectors that the JIT boxed (jdk.incubator.vector)",
            Self::Clone => "cloned through method handles or reflection",
        }
    }
}

/// Estimates from the samples so far.
#[derive(Debug)]
pub(crate) struct Unseen {
    interval: u64,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    frames: FxHashMap<StackFrame, Made>,
    by_maker: BTreeMap<Maker, Estimate>,
    by_class: FxHashMap<ClassId, ClassEstimate>,
    /// Classes with samples since they were last told of.
    changed: FxHashSet<ClassId>,
    /// Of threads that lived briefly: since the start, as sums by maker are, and since the last reset.
    brief: Brief,
    brief_since_reset: Brief,
    /// Whether such a thread ended since classes were last told of.
    brief_changed: bool,
}

thread_local! {
    static OF_THREAD: RefCell<ThreadSamples> = const { RefCell::new(ThreadSamples::NONE) };
}

/// What a frame of the program's says of allocations made there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// By an instruction of a method, its class hidden or not, or one of the Vector API.
    ByCode { at: LoadedInstruction, hidden: bool, vector: bool },
    /// By a native method that is part of the JVM, or not; `Object.clone` or not.
    ByNative { of_jvm: bool, clone: bool },
}

impl Unseen {
    /// For samples `interval` bytes apart.
    pub(crate) fn new(interval: u64) -> Self {
        Self { interval, sums: Mutex::default() }
    }

    /// Mean bytes between two samples.
    pub(crate) fn interval(&self) -> u64 {
        self.interval
    }

    /// Takes a sampled allocation of the running thread.
    pub(crate) fn take(&self, engine: &Engine, jni: Jni<'_>, class: ClassId, size: u64) {
        let name = engine.classes.name(class).unwrap_or_default();
        let maker = self.maker_of(engine, jni, Kind::of(name));
        let estimate = Estimate::of_sample(size, self.interval);
        let mut sums = self.sums();
        sums.changed.insert(class);
        let of_class = sums.by_class.entry(class).or_default();
        of_class.allocated.add(estimate);
        if let Some(maker) = maker {
            of_class.unseen.add(estimate);
            sums.by_maker.entry(maker).or_default().add(estimate);
        }
        drop(sums);
        let _ = OF_THREAD.try_with(|samples| samples.borrow_mut().add(Sample { class, maker, estimate }));
    }

    /// The running thread ends, and allocated so much.
    pub(crate) fn thread_ends(&self, allocated: u64) {
        let samples = OF_THREAD.try_with(|samples| samples.replace(ThreadSamples::NONE));
        let samples = samples.unwrap_or(ThreadSamples::NONE);
        let mut sums = self.sums();
        if sums.brief.take(&samples, allocated, self.interval) {
            sums.brief_since_reset.take(&samples, allocated, self.interval);
            sums.brief_changed = true;
        }
    }

    /// Who made the object, if no hook sees it.
    fn maker_of(&self, engine: &Engine, jni: Jni<'_>, kind: Kind) -> Option<Maker> {
        let mut stack = [None; 2];
        engine.tool.with_stack(jni, stack.len(), |frames| {
            stack.iter_mut().zip(frames).for_each(|(place, frame)| *place = Some(frame));
        });
        let made = |frame: Option<StackFrame>| frame.and_then(|frame| self.made_at(engine, jni, frame));
        let innermost = made(stack[0]);
        unseen_maker(kind, innermost, || made(stack[1]))
    }

    fn made_at(&self, engine: &Engine, jni: Jni<'_>, frame: StackFrame) -> Option<Made> {
        if let Some(&known) = self.sums().frames.get(&frame) {
            return Some(known);
        }
        // Unlocked: the JVM may wait for other threads here.
        let made = examine(engine, jni, frame)?;
        self.sums().frames.insert(frame, made);
        Some(made)
    }

    /// What no hook saw, by cause.
    pub(crate) fn remainder(&self) -> Vec<Remainder> {
        let sums = self.sums();
        let part = |(&maker, &all): (&Maker, &Estimate)| {
            Remainder::estimated(maker.cause(), sums.brief.maker(maker, all))
        };
        sums.by_maker.iter().map(part).collect()
    }

    /// Classes of which samples say something new, and their estimates. `executed`: bytes counted of each class.
    pub(crate) fn changed(&self, engine: &Engine, executed: &[u64]) -> Vec<(ClassId, ClassEstimate)> {
        let virtual_threads = mounting::has_virtual_threads(engine, executed);
        let mut sums = self.sums();
        let mut changed = std::mem::take(&mut sums.changed);
        let brief_changed = std::mem::take(&mut sums.brief_changed);
        if brief_changed {
            changed.extend(sums.by_class.keys());
        }
        if brief_changed || virtual_threads {
            // Classes without samples, too: so many bytes that they would be taken for removed.
            let judged = |&class: &ClassId| executed[class as usize] / 9 >= self.interval;
            changed.extend((0..executed.len() as ClassId).filter(judged));
        }
        let estimate = |class: ClassId| {
            let all = sums.by_class.get(&class).copied().unwrap_or_default();
            let executed = executed.get(class as usize).copied().unwrap_or_default();
            let estimate = sums.brief_since_reset.class(class, all, executed);
            let name = engine.classes.name(class).filter(|_| virtual_threads);
            (class, name.map_or(estimate, |name| with_doubt(name, estimate, executed, self.interval)))
        };
        changed.into_iter().map(estimate).collect()
    }

    /// Estimates of classes start again from zero; those by cause are since the start, as the JVM's counter is.
    pub(crate) fn reset(&self) {
        let mut sums = self.sums();
        sums.by_class.clear();
        sums.changed.clear();
        sums.brief_since_reset = Brief::default();
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the Vector API is.
const VECTORS: &str = "jdk.incubator.vector.";

/// How objects of a class come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    /// Made by code, with a constructor, or by the JVM and native code, without.
    String,
    /// Made by the JVM without running a constructor.
    OfJvm,
    /// A constructor runs, whoever allocates, and shows the object to a hook.
    Constructed,
    /// As `Constructed`, unless C2 boxed it.
    Vector,
}

impl Kind {
    fn of(class: &str) -> Self {
        const OF_JVM: [&str; 4] =
            ["java.lang.Class", "java.lang.reflect.", "java.lang.invoke.", "jdk.internal.vm."];
        match class {
            "java.lang.String" => Self::String,
            // Made in Java, with constructors.
            "java.lang.ClassValue" | "java.lang.ClassLoader" => Self::Constructed,
            _ if class.starts_with('[') => Self::Array,
            _ if class.starts_with(VECTORS) => Self::Vector,
            _ if OF_JVM.iter().any(|name| class.starts_with(name)) => Self::OfJvm,
            _ => Self::Constructed,
        }
    }
}

/// Who made an object, from where in its stack it was allocated and that frame's caller; `None` if a hook sees it.
fn unseen_maker(kind: Kind, made: Option<Made>, caller: impl FnOnce() -> Option<Made>) -> Option<Maker> {
    let hooked = |made| matches!(made, Some(Made::ByCode { at: LoadedInstruction { hooked: true, .. }, .. }));
    match made {
        Some(Made::ByCode { at, vector: true, .. })
            if matches!(kind, Kind::Array | Kind::Vector) && is_call(at) =>
        {
            Some(Maker::VectorBox)
        }
        // A clone's constructor does not run.
        Some(Made::ByNative { clone: true, .. }) => (!hooked(caller())).then_some(Maker::Clone),
        _ if matches!(kind, Kind::Constructed | Kind::Vector) => None,
        None => Some(Maker::Jvm),
        // E.g. `clone` and `newArray`: what they return is shown to a hook in their caller.
        Some(Made::ByNative { of_jvm, .. }) => {
            (!hooked(caller())).then_some(if of_jvm { Maker::Jvm } else { Maker::Native })
        }
        Some(Made::ByCode { at, hidden, .. }) => match (kind, at.opcode) {
            (Kind::String | Kind::OfJvm, NEW) => None,
            (Kind::Array | Kind::String, _) if at.hooked => None,
            // `Arrays.copyOf` and the like: their callers count.
            (Kind::Array, NEWARRAY | ANEWARRAY | MULTIANEWARRAY) => (!hooked(caller()))
                .then_some(if hidden { Maker::HiddenClass } else { Maker::UnrewrittenMethod }),
            _ => Some(Maker::Jvm),
        },
    }
}

/// Whether it is a call that no hook follows.
fn is_call(at: LoadedInstruction) -> bool {
    matches!(at.opcode, INVOKEVIRTUAL | INVOKESPECIAL | INVOKESTATIC | INVOKEINTERFACE) && !at.hooked
}

fn examine(engine: &Engine, jni: Jni<'_>, frame: StackFrame) -> Option<Made> {
    let facts = engine.tool.method_facts(jni, frame.method)?;
    let Ok(pc) = u32::try_from(frame.location) else {
        let clone = facts.class == "java.lang.Object" && facts.name == "clone";
        return Some(Made::ByNative { of_jvm: is_of_jvm(&facts.class), clone });
    };
    let method = engine.tool.method_code(jni, frame.method)?;
    let at = allocation::instruction_at(&method.constants, &method.code, pc)?;
    // `Class.getName()` of a hidden class is `binary.Name/suffix`.
    let vector = facts.class.starts_with(VECTORS) || facts.class.starts_with("jdk.internal.vm.vector.");
    Some(Made::ByCode { at, hidden: facts.class.contains('/'), vector })
}

/// Whether a class's native methods are entry points of the JVM, which allocates there on its own behalf.
fn is_of_jvm(class: &str) -> bool {
    const PACKAGES: [&str; 4] =
        ["java.lang.invoke.", "java.lang.reflect.", "jdk.internal.reflect.", "jdk.internal.vm."];
    const CLASSES: [&str; 14] = [
        "java.lang.Class",
        "java.lang.ClassLoader",
        "java.lang.Module",
        "java.lang.Object",
        "java.lang.Package",
        "java.lang.Shutdown",
        "java.lang.StackStreamFactory$AbstractStackWalker",
        "java.lang.StackTraceElement",
        "java.lang.String",
        "java.lang.Thread",
        "java.lang.Throwable",
        "jdk.internal.loader.BootLoader",
        "jdk.internal.misc.Unsafe",
        "jdk.internal.misc.VM",
    ];
    PACKAGES.iter().any(|package| class.starts_with(package)) || CLASSES.contains(&class)
}
