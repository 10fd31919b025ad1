//! What the agent does at each JVMTI event.

use mayfly_jvmti::{
    Agent, AgentLoadContext, CallbackContext, ClassEvent, ClassFileLoadHookEvent, Exhausted,
    ObjectAllocationEvent, ResourceExhaustedEvent, SampledAllocation, ThreadEvent, class_of, jni_of, sys,
    thread_of,
};

use super::{loaded, mbean, starting, startup};
use crate::conduct::faults;
use crate::steering::{self, Profiler, switch_off};
use crate::target_jvm::{Target, note_thread};
use crate::{heap, remote};

/// Receiver of all events.
#[derive(Default)]
pub(super) struct MayflyAgent;

impl Agent for MayflyAgent {
    fn on_load(&self, context: AgentLoadContext<'_>) -> sys::jint {
        startup::launch(&context);
        sys::JNI_OK
    }

    fn on_attach(&self, context: AgentLoadContext<'_>) -> sys::jint {
        match startup::attach(&context) {
            Ok(()) => sys::JNI_OK,
            Err(refusal) => refusal.code(),
        }
    }

    fn callback_panicked(&self, _event: &'static str) {
        switch_off();
    }

    fn class_file_load_hook<'callback>(
        &self,
        context: CallbackContext<'callback>,
        event: ClassFileLoadHookEvent<'callback>,
    ) {
        loaded::with_exact(|exact| exact.rewrite(&context, event));
    }

    /// Early: no Java code has run yet.
    fn vm_start(&self, context: CallbackContext<'_>) {
        if let Some(jni) = jni_of(&context) {
            loaded::with_exact(|exact| exact.define_hooks(jni));
        }
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        let (Some(target), Some(jni)) = (Target::get(), jni_of(&context)) else { return };
        target.running(jni);
        mbean::register(target, jni);
        loaded::with_exact(|exact| exact.connect_hooks(jni));
        if let Some(profiler) = Profiler::get() {
            steering::begin(&profiler, jni);
        }
        remote::start(target, starting::start);
    }

    fn thread_start(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        note_thread();
        if let (Some(jni), Some(thread)) = (jni_of(&context), thread_of(&event)) {
            loaded::with_exact(|exact| exact.thread_starts(jni, thread));
        }
    }

    fn class_prepare(&self, context: CallbackContext<'_>, event: ClassEvent) {
        if let (Some(jni), Some(class)) = (jni_of(&context), class_of(&event)) {
            loaded::with_exact(|exact| exact.class_prepared(jni, class));
        }
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        faults::point("thread end");
        let (Some(jni), Some(thread)) = (jni_of(&context), thread_of(&event)) else { return };
        if let Some(profiler) = Profiler::get() {
            let allocated = profiler.target.thread_ends(jni, thread);
            profiler.engine.thread_ends(jni, thread, allocated);
            profiler.shared.traces.thread_ends(jni, thread);
        }
    }

    fn garbage_collection_start(&self, context: CallbackContext<'_>) {
        if let Some(profiler) = Profiler::get() {
            profiler.gc_started(&context);
        }
    }

    fn garbage_collection_finish(&self, context: CallbackContext<'_>) {
        faults::point("collection");
        if let Some(profiler) = Profiler::get() {
            profiler.gc_finished(&context);
        }
    }

    fn sampled_object_alloc(&self, context: CallbackContext<'_>, event: ObjectAllocationEvent) {
        let sample = SampledAllocation::of(&event);
        if let (Some(profiler), Some(jni), Some(sample)) = (Profiler::get(), jni_of(&context), sample) {
            profiler.engine.sampled(jni, sample);
        }
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        if let Some(target) = Target::get() {
            target.end();
            remote::end();
        }
        if let (Some(profiler), Some(jni)) = (Profiler::get(), jni_of(&context)) {
            steering::finish(&profiler, jni);
        }
        // After the profile is closed, which this collection does not belong to.
        if let (Some(target), Some(jni)) = (Target::get(), jni_of(&context)) {
            heap::at_exit(target, jni);
        }
    }

    fn data_dump_request(&self, _context: CallbackContext<'_>) {
        if let Some(target) = Target::get() {
            heap::on_request(target);
        }
    }

    fn resource_exhausted<'callback>(
        &self,
        context: CallbackContext<'callback>,
        event: ResourceExhaustedEvent<'callback>,
    ) {
        if let (Some(target), Some(jni)) = (Target::get(), jni_of(&context)) {
            heap::at_exhaustion(target, jni, Exhausted::of(&event));
        }
    }
}
