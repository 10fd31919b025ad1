//! What the agent has in every mode, profiling or not: the JVM, its facts, and the way to reach it from outside.
//!
//! Not here: profiling (`engine`), which only an agent that was launched to profile has.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use mayfly_heap::dump::Facts;
use mayfly_jvmti::{Jni, Tool, Vm};
use mayfly_profile::JvmInfo;
use mayfly_recording::control::{Loaded, Profiling, Status};

use crate::control;
use crate::engine::Engine;
use crate::exports::mark_agent;
use crate::gc_kinds::collector;
use crate::heap::TEXT_LIMIT;
use crate::memory;
use crate::options::Options;
use crate::remote::socket::Place;

static HOST: OnceLock<Host> = OnceLock::new();

/// The agent of this process, whatever it was loaded for.
pub(crate) struct Host {
    pub(crate) vm: Vm,
    pub(crate) tool: Arc<Tool>,
    pub(crate) loaded: Loaded,
    pub(crate) options: Options,
    /// The options as the user gave them.
    pub(crate) option_text: String,
    since: Instant,
    /// Learned when the JVM runs.
    jvm: OnceLock<JvmInfo>,
    /// The JVM ends: nothing is asked of it any more.
    ended: AtomicBool,
    /// Where the socket is that requests come by.
    place: Mutex<Option<Place>>,
}

impl Host {
    /// What is known when the agent is loaded.
    pub(crate) fn new(
        vm: Vm,
        tool: Arc<Tool>,
        loaded: Loaded,
        options: Options,
        option_text: String,
    ) -> Self {
        Self {
            vm,
            tool,
            loaded,
            options,
            option_text,
            since: Instant::now(),
            jvm: OnceLock::new(),
            ended: AtomicBool::new(false),
            place: Mutex::new(None),
        }
    }

    /// Makes it the one of this process; the one that is there already, if there is.
    pub(crate) fn set(host: Self) -> &'static Self {
        mark_agent();
        HOST.get_or_init(|| host)
    }

    /// The host, once the agent is loaded.
    pub(crate) fn get() -> Option<&'static Self> {
        HOST.get()
    }

    /// The JVM runs: its facts can be learned.
    pub(crate) fn running(&self, jni: Jni<'_>) {
        self.jvm.get_or_init(|| self.learn(jni));
    }

    /// Whether the JVM can be asked for anything.
    pub(crate) fn is_running(&self) -> bool {
        self.jvm.get().is_some() && !self.ended.load(Relaxed)
    }

    /// The JVM ends: the socket is taken away.
    pub(crate) fn end(&self) {
        self.ended.store(true, Relaxed);
        drop(self.place.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Whether requests are taken, or none are wanted.
    pub(crate) fn is_served(&self) -> bool {
        !self.options.control || self.place.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps the socket's file until the JVM ends.
    pub(crate) fn keep(&self, place: Place) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// The JVM's facts; empty ones before it runs.
    pub(crate) fn jvm(&self) -> JvmInfo {
        self.jvm.get().cloned().unwrap_or_default()
    }

    /// What the agent is and does. Asks nothing of the JVM.
    pub(crate) fn status(&self) -> Status {
        Status {
            mayfly: env!("CARGO_PKG_VERSION").into(),
            loaded: self.loaded,
            options: self.option_text.clone(),
            jvm: self.jvm(),
            loaded_for_ms: self.since.elapsed().as_millis() as u64,
            profiling: Engine::get().and_then(profiling),
        }
    }

    /// What a heap dump says of itself.
    pub(crate) fn dump_facts(&self, texts: bool) -> Facts {
        let jvm = self.jvm();
        Facts {
            pid: jvm.pid,
            taken_at_ms: jiff::Timestamp::now().as_millisecond().try_into().unwrap_or(0),
            jvm_version: jvm.version.into(),
            collector: jvm.gc.name().into(),
            text_limit: texts.then_some(TEXT_LIMIT),
        }
    }

    fn learn(&self, jni: Jni<'_>) -> JvmInfo {
        let property = |name| self.tool.system_property(name).unwrap_or_default();
        JvmInfo {
            pid: std::process::id(),
            version: property("java.vm.version"),
            gc: collector(jni, &property("java.vm.specification.version")),
            command: property("sun.java.command"),
        }
    }
}

/// `None` once profiling has ended.
fn profiling(engine: &Engine) -> Option<Profiling> {
    let reached = control::progress(engine)?;
    Some(Profiling {
        active: engine.control.is_active(),
        tracking: engine.options.tracking(),
        lifetimes: engine.options.lifetimes(),
        stacks: engine.options.trace,
        duration_ms: reached.profiled.as_millis() as u64,
        gcs: engine.clock.gcs(),
        resets: reached.resets,
        native_bytes: memory::held_now(engine),
        recording: engine.output.recording().map(|path| {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            absolute.display().to_string()
        }),
    })
}
