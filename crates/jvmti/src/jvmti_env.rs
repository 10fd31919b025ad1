//! A JVMTI environment ("tool" in the specification): capabilities, events, names, stacks, sizes.

use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use jvmti_bindings::agent::AgentLoadContext;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::get_default_callbacks;
use jvmti_bindings::sys::{jni as jni_sys, jvmti as sys};

use crate::error::{JvmtiError, error};
use crate::jni::Jni;
use crate::refs::{Class, Object, Thread};
use crate::vm::Vm;
use crate::vm_flags::keeping_the_heap;

/// What the agent asks the JVM for (JVMTI, "Capability").
#[derive(Clone, Copy, Debug, Default)]
pub struct Capabilities {
    /// Class hooks for every class from the first on, members may be added; only at launch.
    pub early_class_hooks: bool,
    /// Classes that are loaded can be changed, members excepted, and class hooks come for them and for those loaded later.
    pub retransformation: bool,
    /// Events at the start and end of collections.
    pub gc_events: bool,
    /// Sampled allocations; one environment at a time may have it.
    pub sampled_allocations: bool,
    /// Bytecode and constant pools of loaded classes.
    pub bytecodes: bool,
    /// Source files and line numbers of methods.
    pub sources: bool,
    /// An event when the heap is exhausted.
    pub heap_exhaustion: bool,
}

impl Capabilities {
    fn raw(self) -> sys::jvmtiCapabilities {
        let mut raw = sys::jvmtiCapabilities::default();
        raw.set_can_generate_all_class_hook_events(self.early_class_hooks || self.retransformation);
        raw.set_can_retransform_classes(self.retransformation);
        raw.set_can_generate_early_class_hook_events(self.early_class_hooks);
        raw.set_can_generate_early_vmstart(self.early_class_hooks);
        raw.set_can_generate_garbage_collection_events(self.gc_events);
        raw.set_can_generate_sampled_object_alloc_events(self.sampled_allocations);
        raw.set_can_get_bytecodes(self.bytecodes);
        raw.set_can_get_constant_pool(self.bytecodes);
        raw.set_can_get_source_file_name(self.sources);
        raw.set_can_get_line_numbers(self.sources);
        raw.set_can_generate_resource_exhaustion_heap_events(self.heap_exhaustion);
        raw
    }
}

/// Events that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A class file is about to be parsed.
    ClassFileLoadHook,
    /// The VM can run JNI.
    VmStart,
    /// The VM is initialised.
    VmInit,
    /// The VM is about to end.
    VmDeath,
    /// A class is about to be initialised for the first time: it has all its members.
    ClassPrepare,
    /// A platform thread begins to run.
    ThreadStart,
    /// A platform thread ends.
    ThreadEnd,
    /// A collection's stop-the-world part begins: the program is paused.
    GarbageCollectionStart,
    /// A collection's stop-the-world part ended.
    GarbageCollectionFinish,
    /// An allocation was sampled.
    SampledObjectAlloc,
    /// The user asks for what the agent has: SIGQUIT, or `jcmd PID JVMTI.data_dump`.
    DataDumpRequest,
    /// The JVM can't get what it needs, e.g. heap space.
    ResourceExhausted,
}

impl Event {
    fn raw(self) -> sys::jvmtiEvent {
        match self {
            Self::ClassFileLoadHook => sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
            Self::VmStart => sys::JVMTI_EVENT_VM_START,
            Self::VmInit => sys::JVMTI_EVENT_VM_INIT,
            Self::VmDeath => sys::JVMTI_EVENT_VM_DEATH,
            Self::ClassPrepare => sys::JVMTI_EVENT_CLASS_PREPARE,
            Self::ThreadStart => sys::JVMTI_EVENT_THREAD_START,
            Self::ThreadEnd => sys::JVMTI_EVENT_THREAD_END,
            Self::GarbageCollectionStart => sys::JVMTI_EVENT_GARBAGE_COLLECTION_START,
            Self::GarbageCollectionFinish => sys::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
            Self::SampledObjectAlloc => sys::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
            Self::DataDumpRequest => sys::JVMTI_EVENT_DATA_DUMP_REQUEST,
            Self::ResourceExhausted => sys::JVMTI_EVENT_RESOURCE_EXHAUSTED,
        }
    }
}

/// One frame of a stack: method and bytecode index, as numbers that mean something to this JVM only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// The `jmethodID`.
    pub method: u64,
    /// Bytecode index; -1 in native methods.
    pub location: i64,
}

/// Names of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    /// Declaring class, spelled as `Class.getName()` does.
    pub class: String,
    /// Method name.
    pub name: String,
    /// Source file, if known.
    pub file: Option<String>,
}

/// A method's code, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCode {
    /// Bytecode.
    pub code: Vec<u8>,
    /// The constants of its class, without their count.
    pub constants: Vec<u8>,
}

/// HotSpot's own mean of bytes between two sampled allocations (`SetHeapSamplingInterval`).
pub const JVMS_SAMPLING_INTERVAL: u64 = 512 << 10;

/// A JVMTI environment. Taken once: each `GetEnv` makes a new one. Dropping it disposes of it, with its events.
pub struct JvmtiEnv {
    env: *mut sys::jvmtiEnv,
    /// Whether the current thread is named when its stack is taken. Up to JDK 21, without a name, the JVM waits until no
    /// virtual thread anywhere is being mounted or unmounted; one of these may wait for a lock that this thread holds.
    names_thread: bool,
}

// SAFETY: a JVMTI environment may be used from any thread (JVMTI specification, "Environments").
unsafe impl Send for JvmtiEnv {}
// SAFETY: as above.
unsafe impl Sync for JvmtiEnv {}

impl Drop for JvmtiEnv {
    fn drop(&mut self) {
        // SAFETY: the table is HotSpot's, the environment is not used any more.
        unsafe {
            if let Some(function) = (*(*self.env).functions).DisposeEnvironment {
                function(self.env);
            }
        }
    }
}

/// Frames of a stack taken at most.
pub const MOST_FRAMES: usize = 1024;

impl JvmtiEnv {
    /// A new environment of the VM that loads the agent.
    ///
    /// # Errors
    /// The VM's code if it has no JVMTI of a version we know.
    pub fn new(context: &AgentLoadContext<'_>) -> Result<Self, JvmtiError> {
        context.vm().jvmti().map(|jvmti| Self::with_env(jvmti.raw())).map_err(JvmtiError)
    }

    /// A new environment of a VM that runs.
    ///
    /// # Errors
    /// The VM's code if it is not in its live phase, or has no JVMTI.
    pub fn of(vm: Vm) -> Result<Self, JvmtiError> {
        vm.jvmti(sys::JVMTI_VERSION_11).map(Self::with_env)
    }

    fn with_env(env: *mut sys::jvmtiEnv) -> Self {
        let mut jvmti = Self { env, names_thread: false };
        let version = jvmti.system_property("java.vm.specification.version");
        jvmti.names_thread = version.is_some_and(|version| matches!(&*version, "19" | "20" | "21"));
        jvmti
    }

    pub(crate) fn jvmti(&self) -> Jvmti {
        // SAFETY: the environment is disposed of by `drop` only.
        unsafe { Jvmti::from_raw(self.env) }
    }

    /// Asks for capabilities, all or none.
    ///
    /// # Errors
    /// Refused by the VM: one of them is not available now, or never.
    pub fn add_capabilities(&self, wanted: Capabilities) -> Result<(), JvmtiError> {
        self.jvmti().add_capabilities(&wanted.raw()).map_err(error)
    }

    /// Gives capabilities back, so that another environment may have those that only one can have. Their events are
    /// switched off before.
    pub fn give_back(&self, capabilities: Capabilities) {
        // SAFETY: the table is HotSpot's, RelinquishCapabilities exists since JVMTI 1.0; the value outlives the call. It
        // fails only for a null pointer.
        unsafe {
            if let Some(function) = (*(*self.env).functions).RelinquishCapabilities {
                function(self.env, &capabilities.raw());
            }
        }
    }

    /// Installs the callbacks that lead to the exported [`crate::Agent`].
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn install_callbacks(&self) -> Result<(), JvmtiError> {
        self.jvmti().set_event_callbacks(get_default_callbacks()).map_err(error)
    }

    /// Switches an event on for all threads.
    ///
    /// # Errors
    /// Refused by the VM, e.g. for want of a capability.
    pub fn enable(&self, event: Event) -> Result<(), JvmtiError> {
        // SAFETY: a null thread means all threads.
        unsafe { self.jvmti().enable_event(event.raw(), ptr::null_mut()) }.map_err(error)
    }

    /// Switches an event off for all threads. One that is under way may still come.
    pub fn disable(&self, event: Event) {
        // SAFETY: a null thread means all threads. It fails only for events that there are not.
        let _ = unsafe { self.jvmti().disable_event(event.raw(), ptr::null_mut()) };
    }

    /// Mean number of bytes between two sampled allocations; more than the VM can be told is the most that it can.
    ///
    /// # Errors
    /// Refused by the VM.
    pub fn set_sampling_interval(&self, bytes: u64) -> Result<(), JvmtiError> {
        self.jvmti().set_heap_sampling_interval(i32::try_from(bytes).unwrap_or(i32::MAX)).map_err(error)
    }

    /// A system property of the VM; `None` if it has none of that name (before VMInit only the VM's own are there).
    pub fn system_property(&self, name: &str) -> Option<String> {
        self.jvmti().get_system_property(name).ok()
    }

    /// Adds a jar to the class path of the program; whether it could.
    pub fn add_to_class_path(&self, jar: &str) -> bool {
        self.jvmti().add_to_system_class_loader_search(jar).is_ok()
    }

    /// Forces a full collection and waits for it. The heap keeps its size.
    pub fn force_gc(&self) {
        // Fails only outside the live phase, where there is nothing to collect for.
        let _ = keeping_the_heap(|| self.jvmti().force_garbage_collection());
    }

    /// The class's name as `Class.getName()` spells it.
    pub fn class_name(&self, class: Class<'_>) -> Option<String> {
        // SAFETY: a live class reference, by its type.
        let (signature, _) = unsafe { self.jvmti().get_class_signature(class.raw()) }.ok()?;
        Some(crate::names::class_name(&signature))
    }

    /// Whether the class is an array class.
    pub fn is_array(&self, class: Class<'_>) -> bool {
        // SAFETY: a live class reference, by its type.
        unsafe { self.jvmti().is_array_class(class.raw()) }.unwrap_or(false)
    }

    /// Whether there may be objects of a class that is no array class: not of interfaces and abstract classes
    /// (`GetClassModifiers`).
    pub fn may_have_instances(&self, class: Class<'_>) -> bool {
        /// `ACC_ABSTRACT` (JVMS 4.1, table 4.1-B).
        const ABSTRACT: i32 = 0x400;
        // SAFETY: a live class reference, by its type.
        let modifiers = unsafe { self.jvmti().get_class_modifiers(class.raw()) };
        modifiers.is_ok_and(|modifiers| modifiers & ABSTRACT == 0)
    }

    /// Whether the class is initialised; `None` outside of the live phase.
    pub(crate) fn is_initialized(&self, class: Class<'_>) -> Option<bool> {
        // SAFETY: a live class reference, by its type.
        let status = unsafe { self.jvmti().get_class_status(class.raw()) }.ok()?;
        Some(status & sys::JVMTI_CLASS_STATUS_INITIALIZED != 0)
    }

    /// Shallow size in bytes, header and padding included (JVMTI `GetObjectSize`).
    pub fn object_size(&self, object: Object<'_>) -> Option<u64> {
        // SAFETY: a live object reference, by its type.
        let size = unsafe { self.jvmti().get_object_size(object.raw()) }.ok()?;
        u64::try_from(size).ok()
    }

    /// All live platform threads, as local references.
    pub fn threads<'call>(&self, _jni: Jni<'call>) -> Vec<Thread<'call>> {
        let threads = self.jvmti().get_all_threads().unwrap_or_default();
        // SAFETY: fresh local references of this call.
        threads.into_iter().filter_map(|thread| unsafe { Object::from_raw(thread) }).map(Thread).collect()
    }

    /// Live platform threads that are no daemons: the VM ends with the last of them. Leaves no references behind; without memory for them it is
    /// not known, and there are as many as can be.
    pub fn threads_that_keep_running(&self, jni: Jni<'_>) -> usize {
        /// Each thread comes with its group and its loader. Says only how many are meant.
        const MOST_REFERENCES: i32 = 1 << 14;
        // SAFETY: a live thread reference, by its type.
        let info = |thread: &Thread<'_>| unsafe { self.jvmti().get_thread_info(thread.as_object().raw()) };
        // One that has just ended has no facts.
        let count = || {
            self.threads(jni).iter().filter(|thread| info(thread).is_ok_and(|info| !info.is_daemon)).count()
        };
        jni.with_frame(MOST_REFERENCES, count).unwrap_or(usize::MAX)
    }

    /// The current thread's stack, innermost frame first, at most `max` and [`MOST_FRAMES`] frames. Not to be called while
    /// a virtual thread is being mounted on this carrier, or unmounted: on JDK 21 it would wait for itself.
    pub fn with_stack<R>(
        &self,
        jni: Jni<'_>,
        max: usize,
        use_frames: impl FnOnce(&mut dyn Iterator<Item = StackFrame>) -> R,
    ) -> R {
        // Not kept in a thread-local: a thread's last Java may run after those are gone.
        let mut frames = [const { MaybeUninit::uninit() }; MOST_FRAMES];
        let taken = self.take_stack(jni, &mut frames[..max.min(MOST_FRAMES)]);
        // SAFETY: the JVM filled this many.
        let frames = unsafe { slice::from_raw_parts(frames.as_ptr().cast::<sys::jvmtiFrameInfo>(), taken) };
        use_frames(&mut frames.iter().map(|frame| StackFrame {
            method: frame.method.expose_provenance() as u64,
            location: frame.location,
        }))
    }

    fn take_stack(&self, jni: Jni<'_>, frames: &mut [MaybeUninit<sys::jvmtiFrameInfo>]) -> usize {
        let mut count = 0;
        let thread = if self.names_thread { self.raw_current_thread() } else { ptr::null_mut() };
        // SAFETY: the table is HotSpot's, GetStackTrace exists since JVMTI 1.0; the buffer has the length given; the
        // thread is null, which means the current one, or a reference to it.
        let code = unsafe {
            (*(*self.env).functions).GetStackTrace.map(|function| {
                let length = i32::try_from(frames.len()).unwrap_or(i32::MAX);
                function(self.env, thread, 0, length, frames.as_mut_ptr().cast(), &mut count)
            })
        };
        // SAFETY: a local reference of this call, or null.
        if let Some(thread) = unsafe { Object::from_raw(thread) } {
            jni.forget(thread);
        }
        let complete = code == Some(sys::jvmtiError::NONE);
        if complete { usize::try_from(count).unwrap_or(0).min(frames.len()) } else { 0 }
    }

    /// The current thread, as a fresh local reference.
    pub fn current_thread<'call>(&self, _jni: Jni<'call>) -> Option<Thread<'call>> {
        // SAFETY: a local reference of this thread's call, which is a thread, or null.
        unsafe { Object::from_raw(self.raw_current_thread()).map(|thread| thread.as_thread()) }
    }

    /// A local reference to the current thread; null if there is none.
    fn raw_current_thread(&self) -> jni_sys::jobject {
        let mut thread = ptr::null_mut();
        // SAFETY: the table is HotSpot's, GetCurrentThread exists since JVMTI 1.0; the out-pointer outlives the call.
        unsafe {
            if let Some(function) = (*(*self.env).functions).GetCurrentThread {
                function(self.env, &mut thread);
            }
        }
        thread
    }

    /// Names of a method seen in a stack. The class must still be loaded.
    pub fn method_facts(&self, jni: Jni<'_>, method: u64) -> Option<MethodFacts> {
        let id = ptr::with_exposed_provenance_mut(method as usize);
        let jvmti = self.jvmti();
        // SAFETY: the id came from a stack of this VM; JVMTI answers INVALID_METHODID for unloaded ones.
        let (name, _, _) = unsafe { jvmti.get_method_name(id) }.ok()?;
        // SAFETY: as above; the class comes back as a fresh local reference.
        let class = unsafe { Object::from_raw(jvmti.get_method_declaring_class(id).ok()?)?.as_class() };
        // SAFETY: a live class reference.
        let file = unsafe { jvmti.get_source_file_name(class.raw()) }.ok();
        let class_name = self.class_name(class);
        jni.forget(class.as_object());
        Some(MethodFacts { class: class_name?, name, file })
    }

    /// Whether the class of a method seen in a stack is still loaded.
    pub fn has_method(&self, method: u64) -> bool {
        let id = ptr::with_exposed_provenance_mut(method as usize);
        // SAFETY: the id came from a stack of this VM; JVMTI answers INVALID_METHODID for unloaded ones.
        unsafe { self.jvmti().get_method_modifiers(id) }.is_ok()
    }

    /// Bytecode of a method seen in a stack; `None` for native methods. The class must still be loaded.
    pub fn method_code(&self, jni: Jni<'_>, method: u64) -> Option<MethodCode> {
        let id = ptr::with_exposed_provenance_mut(method as usize);
        let jvmti = self.jvmti();
        // SAFETY: the id came from a stack of this VM; JVMTI answers INVALID_METHODID for unloaded ones.
        let code = unsafe { jvmti.get_bytecodes(id) }.ok()?;
        // SAFETY: as above; the class comes back as a fresh local reference.
        let class = unsafe { Object::from_raw(jvmti.get_method_declaring_class(id).ok()?)?.as_class() };
        // SAFETY: a live class reference.
        let constants = unsafe { jvmti.get_constant_pool(class.raw()) };
        jni.forget(class.as_object());
        Some(MethodCode { code, constants: constants.ok()? })
    }

    /// Source line of a bytecode index; `None` in native methods and without debug information.
    pub fn line(&self, frame: StackFrame) -> Option<u32> {
        let id = ptr::with_exposed_provenance_mut(frame.method as usize);
        // SAFETY: the id came from a stack of this VM.
        let table = unsafe { self.jvmti().get_line_number_table(id) }.ok()?;
        let entry = table.iter().filter(|entry| entry.start_location <= frame.location);
        let line = entry.max_by_key(|entry| entry.start_location)?.line_number;
        u32::try_from(line).ok()
    }
}
