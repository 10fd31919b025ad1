//! The only foreign-function interface of Mayfly: JNI, JVMTI and the JVM's management table behind safe types.
//!
//! A thin layer over `jvmti-bindings`: handles become types that cannot be confused or used on another thread, and
//! every call that needs `unsafe` is made here. Nothing in it knows what a profiler is.
#![allow(unsafe_code)] // This crate is the fence: all unsafe code of the workspace but the agent's exports is here.

mod allocation_watch;
mod arrays;
mod boot_statics;
mod buffers;
mod error;
mod events;
mod fields;
mod heap;
mod heap_memory;
mod jni;
mod jvmti_env;
mod known_objects;
mod layout;
mod libraries;
mod loaders;
mod management;
mod marking;
mod names;
mod native;
mod object_sizes;
mod parameters;
mod perf_data;
mod refs;
mod retransform;
mod spaces;
mod thread_context;
mod thread_names;
mod vm;
mod vm_flags;
mod vm_structs;
mod weak_numbers;

pub use allocation_watch::{AllocationWatch, TakesAllocations};
pub use arrays::ObjectArray;
pub use boot_statics::{BootStatics, StaticNumber};
pub use buffers::{Buffer, BufferLayout};
pub use error::JvmtiError;
pub use events::{Exhausted, SampledAllocation, class_of, jni_of, redefined_class, thread_of, use_agent};
pub use fields::{Field, FieldValue, InstanceOf, OfClass, OfThread};
pub use heap::{
    FieldFacts, Follow, HeapObject, HeapVisitor, HeapWalk, KeptTags, Reference, ReferenceKind, StackSlot,
    StringText, ThreadFacts, Visit,
};
pub use heap_memory::{HeapMemory, OwnMemory, PausedHeap};
pub use jni::{Jni, StaticField};
pub use jvmti_bindings::agent::AgentLoadContext;
pub use jvmti_bindings::callbacks::{
    CallbackContext, ClassEvent, ClassFileLoadHookEvent, ObjectAllocationEvent, ResourceExhaustedEvent,
    ThreadEvent,
};
pub use jvmti_bindings::sys::jni as sys;
pub use jvmti_bindings::{Agent, export_agent};
pub use jvmti_env::{
    Capabilities, Event, JVMS_SAMPLING_INTERVAL, JvmtiEnv, MOST_FRAMES, MethodCode, MethodFacts, StackFrame,
};
pub use known_objects::{KnownObject, KnownObjects};
pub use layout::{ArrayLayout, FieldOffset};
pub use libraries::{is_library_loaded, keep_library, other_library_marked};
pub use loaders::LoaderFacts;
pub use management::{AllocationCounter, Management};
pub use marking::ZMarking;
pub use names::{class_name, modified_utf8};
pub use native::method_body;
pub use object_sizes::ObjectSizes;
pub use parameters::NamedParameters;
pub use perf_data::{PerfCounter, PerfData, PerfText};
pub use refs::{Class, GlobalClass, Object, Thread, Weak};
pub use spaces::Generation;
pub use thread_context::{look_for_thread_context, thread_context};
pub use thread_names::ThreadNames;
pub use vm::{Attached, Vm};
pub use vm_flags::VmFlags;
pub use vm_structs::VmStructs;
pub use weak_numbers::{Asking, WeakNumbers};
