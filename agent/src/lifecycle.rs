//! What the agent does at each JVMTI event.

use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::{
    Agent, AgentLoadContext, CallbackContext, ClassFileLoadHookEvent, Exhausted, ObjectAllocationEvent,
    ResourceExhaustedEvent, SampledAllocation, ThreadEvent, jni_of, sys, thread_of,
};

use crate::engine::Engine;
use crate::gc_kinds::GcCounters;
use crate::host::Host;
use crate::{allocations, control, faults, heap, hooks, mbean, remote, rewriting, startup, worker};

/// Receiver of all events.
#[derive(Default)]
pub(crate) struct MayflyAgent;

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
        if let Some(engine) = Engine::get() {
            rewriting::rewrite(engine, &context, event);
        }
    }

    /// Early: no Java code has run yet.
    fn vm_start(&self, context: CallbackContext<'_>) {
        if let (Some(engine), Some(jni)) = (Engine::get(), jni_of(&context)) {
            hooks::define(engine, jni);
        }
    }

    fn vm_init(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        let (Some(host), Some(jni)) = (Host::get(), jni_of(&context)) else { return };
        host.running(jni);
        mbean::register(host, jni);
        if let (Some(engine), Some(thread)) = (Engine::get(), thread_of(&event)) {
            hooks::connect(engine, jni, thread);
            worker::start(engine);
            control::begin(engine, host, jni);
        }
        remote::start(host);
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        faults::point("thread end");
        if let (Some(engine), Some(jni), Some(thread)) = (Engine::get(), jni_of(&context), thread_of(&event))
        {
            allocations::leave(engine, jni, thread);
        }
    }

    fn garbage_collection_start(&self, _context: CallbackContext<'_>) {
        if let Some(engine) = Engine::get() {
            engine.clock.gc_started();
        }
    }

    fn garbage_collection_finish(&self, _context: CallbackContext<'_>) {
        faults::point("collection");
        if let Some(engine) = Engine::get() {
            engine.clock.gc_finished(engine.gc_counters.get().map(GcCounters::kind).unwrap_or_default());
            engine.wake_worker();
        }
    }

    fn sampled_object_alloc(&self, context: CallbackContext<'_>, event: ObjectAllocationEvent) {
        let sample = SampledAllocation::of(&event);
        if let (Some(engine), Some(jni), Some(sample)) = (Engine::get(), jni_of(&context), sample) {
            allocations::sampled(engine, jni, sample);
        }
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        if let Some(host) = Host::get() {
            host.end();
        }
        if let (Some(engine), Some(jni)) = (Engine::get(), jni_of(&context)) {
            control::finish(engine, jni);
        }
        // After the profile is closed, which this collection does not belong to.
        if let (Some(host), Some(jni)) = (Host::get(), jni_of(&context)) {
            heap::at_exit(host, jni);
        }
    }

    fn data_dump_request(&self, _context: CallbackContext<'_>) {
        if let Some(host) = Host::get() {
            heap::on_request(host);
        }
    }

    fn resource_exhausted<'callback>(
        &self,
        context: CallbackContext<'callback>,
        event: ResourceExhaustedEvent<'callback>,
    ) {
        if let (Some(host), Some(jni)) = (Host::get(), jni_of(&context)) {
            heap::at_exhaustion(host, jni, Exhausted::of(&event));
        }
    }
}

/// After a panic, on any thread, be it in a collection's callback: nothing is counted or tracked any more. The worker
/// writes what was counted.
pub(crate) fn switch_off() {
    if let Some(engine) = Engine::get() {
        engine.failed.store(true, Relaxed);
        engine.finished.store(true, Relaxed);
        engine.wake_worker();
    }
}
