//! The exact engine in a JVM that runs: its begin, with all classes that are loaded, and its end, after which another may begin.
//!
//! What the JVM allows then, and how counting finds its counters without added fields:
//! docs/design/counting.md#0060-exact-counts-after-an-attach.

use std::ffi::CStr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use mayfly_classfile::{MethodParameters, Parameter, with_parameters};
use mayfly_jvmti::{
    CallbackContext, Capabilities, ClassFileLoadHookEvent, Event, Jni, JvmtiError, NamedParameters,
    is_library_loaded, jni_of, modified_utf8, redefined_class,
};

use super::attached::{AttachError, Attached};
use super::loaded_classes::LeftAsItIs;
use super::sampler::{SAMPLING, ask_for_sampler};
use super::stand_ins::StandIns;
use super::state::{Exact, session_constants};
use super::{hooks, loaded_classes};
use crate::plan::{Plan, Stacks};
use crate::target_jvm::release::{
    CRASH_WITH_DEBUGGER, DEBUGGER_LIBRARY, FIRST_KEEPING_PARAMETERS, FLIGHT_RECORDER_CLASS,
    LAST_TO_CRASH_WITH_FLIGHT_RECORDER,
};
use crate::target_jvm::{Target, give_sampler_back};
use crate::tracking::Shared;

/// Switched on from the begin to the end, besides the class hook.
const EVENTS: [Event; 4] =
    [Event::ThreadStart, Event::ThreadEnd, Event::GarbageCollectionStart, Event::GarbageCollectionFinish];
/// More classes are rewritten only if that is asked for.
const MOST_UNASKED: usize = 3000;
/// Redefinitions after which all classes are looked at: the JVM counts those of a class, and of what it extends, below its cell, in
/// bits that have room for twice as many.
const BETWEEN_LOOKS: u64 = 4000;
/// As the hooks' class is called where classes are loaded.
const HOOKS: &str = "java/lang/MayflyHooks";

fn capabilities(plan: &Plan) -> Capabilities {
    Capabilities {
        retransformation: true,
        bytecodes: true,
        gc_events: true,
        sources: plan.stacks.are_taken(),
        ..Capabilities::default()
    }
}

impl Exact {
    /// In a JVM that runs. No class is changed yet. `forget` is called when the engine ended.
    ///
    /// # Errors
    /// What the JVM refuses; nothing is held of it then.
    pub(crate) fn attached(
        target: &'static Target,
        shared: Arc<Shared>,
        jni: Jni<'_>,
        forget: fn(),
    ) -> Result<Self, AttachError> {
        if !shared.plan.scopes.is_empty() {
            return Err(AttachError::Scopes);
        }
        let jvmti = &target.jvmti;
        if target.jdk <= LAST_TO_CRASH_WITH_FLIGHT_RECORDER
            && loaded_classes::has(jvmti, jni, FLIGHT_RECORDER_CLASS)
        {
            return Err(AttachError::FlightRecording);
        }
        if CRASH_WITH_DEBUGGER.contains(&target.jdk) && is_library_loaded(DEBUGGER_LIBRARY) {
            return Err(AttachError::Debugger);
        }
        let stand_ins = StandIns::find(jni).ok_or(AttachError::UnknownJvm)?;
        let wanted = capabilities(&shared.plan);
        jvmti.add_capabilities(wanted).map_err(AttachError::NoRetransformation)?;
        let unseen = ask_for_sampler(jvmti, &shared.plan).map_err(|error| {
            jvmti.give_back(wanted);
            AttachError::NoSampler(error)
        })?;
        Ok(Self::with(target, shared, unseen, Some(Attached::new(stand_ins, forget))))
    }

    /// Defines the Java side, or has it become this session's, and rewrites all classes. Counting is off.
    ///
    /// # Errors
    /// What the JVM refuses. The engine is to be ended then.
    pub(crate) fn rewrite_loaded(&self, jni: Jni<'_>) -> Result<(), AttachError> {
        let (Some(attached), jvmti) = (&self.attached, &self.target.jvmti) else { return Ok(()) };
        let places = self.shared.plan.stacks == Stacks::ByPlace;
        if !self.shared.plan.any_number_of_classes {
            let price = loaded_classes::price(jvmti, jni, places).ok_or(AttachError::NoClasses)?;
            let loaded_classes::Price { loaded, rewritten, call_sites } = price;
            if rewritten > MOST_UNASKED {
                return Err(AttachError::Dear { rewritten, loaded, call_sites });
            }
        }
        let is_there = jni.find_class(hooks::NAME);
        if is_there.is_none() && !hooks::define(jni, &attached.class_file) {
            return Err(AttachError::NoHooks);
        }
        jvmti.enable(Event::ClassFileLoadHook).map_err(AttachError::NoRetransformation)?;
        if let Some(class) = is_there {
            jvmti.retransform(&[class]).map_err(|_| AttachError::NoHooks)?;
        }
        let session = session_constants(&self.shared.plan, &self.counters, Some(attached.stand_ins()));
        let hooks = hooks::connect(jni, jvmti, session).map_err(AttachError::NotConnected)?;
        let _ = self.hooks.set(hooks);
        self.forget_cells(jni).ok_or(AttachError::NoClasses)?;
        let refuse = &|class: LeftAsItIs| self.rewriting.refuse(class.to_string());
        let (seen, changed) = (&attached.seen, &attached.changed);
        loaded_classes::rewrite(jvmti, self.target.jdk, jni, seen, changed, places, refuse)
            .ok_or(AttachError::NoClasses)
    }

    /// What the class hook gives for the hooks' own class; `None` of all others, of which is noted that they were asked for.
    pub(super) fn own_class(&self, name: Option<&CStr>) -> Option<&[u8]> {
        let attached = self.attached.as_ref()?;
        let name = modified_utf8(name?.to_bytes());
        if name == HOOKS {
            return Some(&attached.class_file);
        }
        attached.seen.add(&name.replace('/', "."));
        None
    }

    /// The bytes of a class that is being changed with the names of its parameters, if this JVM left them out when it wrote them;
    /// what goes with them (the classes' constants) shows whether there are any.
    pub(super) fn with_lost_parameters(
        &self,
        context: &CallbackContext<'_>,
        event: &ClassFileLoadHookEvent<'_>,
    ) -> Option<Vec<u8>> {
        if self.attached.is_none() || self.target.jdk >= FIRST_KEEPING_PARAMETERS {
            return None;
        }
        let (class, jni) = (redefined_class(event)?, jni_of(context)?);
        let known = || self.target.jvmti.named_parameters(jni, class).into_iter().map(of_method).collect();
        with_parameters(event.class_data(), known).ok().flatten()
    }

    /// A class was changed.
    pub(super) fn note_changed(&self, name: Option<&CStr>) {
        if let (Some(attached), Some(name)) = (&self.attached, name) {
            attached.changed.add(&modified_utf8(name.to_bytes()).replace('/', "."));
        }
    }

    /// Listens to the JVM, in a JVM that runs: a launched agent does so from the start.
    pub(super) fn listen(&self, jni: Jni<'_>) -> Result<(), JvmtiError> {
        if self.attached.is_none() {
            return Ok(());
        }
        self.target.mark_threads(jni);
        EVENTS.into_iter().try_for_each(|event| self.target.jvmti.enable(event))
    }

    /// Leaves the JVM: nothing of it is held any more. Hooks stay where they are, and off, unless classes are to be as they were.
    pub(super) fn leave(&self, jni: Jni<'_>, restores: bool) {
        let (Some(attached), jvmti) = (&self.attached, &self.target.jvmti) else { return };
        self.shared.switches.finish();
        EVENTS.into_iter().chain([Event::SampledObjectAlloc]).for_each(|event| jvmti.disable(event));
        if self.target.jdk >= FIRST_KEEPING_PARAMETERS || !restores {
            jvmti.disable(Event::ClassFileLoadHook);
        }
        if restores {
            loaded_classes::restore(jvmti, self.target.jdk, jni, &attached.changed);
            jvmti.disable(Event::ClassFileLoadHook);
        }
        self.forget_slabs(jni);
        self.forget_cells(jni);
        self.counters.slabs.forget();
        if self.unseen.is_some() {
            give_sampler_back(jvmti, SAMPLING);
        }
        jvmti.give_back(capabilities(&self.shared.plan));
        (attached.forget)();
    }

    /// What a class had of an earlier session must not be taken for its own.
    fn forget_cells(&self, jni: Jni<'_>) -> Option<()> {
        let hooks = self.hooks()?;
        self.target.jvmti.with_loaded_classes(jni, |classes| {
            for class in classes {
                hooks.cell.set(jni, *class, 0);
                hooks.make_room_for_redefinitions(jni, *class);
            }
        })
    }

    /// The JVM is about to change a class, or to load one. Before its numbers of changes run into cells they are made smaller.
    pub(super) fn note_redefinition(
        &self,
        context: &CallbackContext<'_>,
        event: &ClassFileLoadHookEvent<'_>,
    ) {
        let (Some(attached), Some(_)) = (&self.attached, redefined_class(event)) else { return };
        let number = attached.redefinitions.fetch_add(1, Relaxed) + 1;
        if let (true, Some(hooks), Some(jni)) =
            (number.is_multiple_of(BETWEEN_LOOKS), self.hooks(), jni_of(context))
        {
            self.target.jvmti.with_loaded_classes(jni, |classes| {
                classes.iter().for_each(|class| hooks.make_room_for_redefinitions(jni, *class));
            });
        }
    }

    fn forget_slabs(&self, jni: Jni<'_>) {
        let Some(hooks) = self.hooks() else { return };
        jni.with_frame(16, || {
            for thread in self.target.jvmti.threads(jni) {
                hooks.set_slab(jni, thread, 0);
            }
        });
    }
}

fn of_method(known: NamedParameters) -> MethodParameters {
    let parameter = |(name, flags)| Parameter { name, flags };
    MethodParameters {
        method: known.method.into_bytes(),
        descriptor: known.descriptor.into_bytes(),
        parameters: known.parameters.into_iter().map(parameter).collect(),
    }
}
