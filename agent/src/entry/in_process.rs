//! The agent by `System.load`: without `-agentpath` and without an attach, by `io.mayfly.Mayfly.start(options)` or by the load alone.
//!
//! Only the sampled engine: the JVM looks for the native methods of the exact one's hooks in agents it has loaded itself.

use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use mayfly_jvmti::{JvmtiEnv, Vm, use_agent};
use mayfly_profile::EngineKind;

use super::events::MayflyAgent;
use super::starting::NotStarted;
use super::{marker, starting, startup};
use crate::conduct::descriptors::look_at_stderr;
use crate::conduct::notice::{install_panic_hook, say};
use crate::options::Options;
use crate::steering::Profiler;
use crate::target_jvm::Target;

/// The options of a load by the program itself.
const PROPERTY: &str = "mayfly.options";
/// The Java API's class that loads the library: what is to be done, it says itself.
const OF_THE_API: &str = "io.mayfly.AgentLibrary";
/// Frames of `System.load` until its caller, and some to spare.
const FRAMES: usize = 16;

/// One at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Begins to profile, if nothing does yet. Whether it began; false if an agent profiles this JVM already.
///
/// # Errors
/// Why it can't, in words.
pub(super) fn start(vm: Vm, text: &str) -> Result<bool, String> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = sampled(text)?;
    if Profiler::get().is_some_and(|profiler| !profiler.is_finished()) || is_elsewhere() {
        return Ok(false);
    }
    let target = match Target::get() {
        Some(target) => target,
        None => come_in(vm, &text)?,
    };
    let started = vm.with_jni(|jni| starting::try_start(target, &text, None, jni));
    match started {
        Some(started) => started.map(|()| true).map_err(|why: NotStarted| why.to_string()),
        None => Err("the JVM gave no environment".into()),
    }
}

/// Another copy of the library is this JVM's agent.
fn is_elsewhere() -> bool {
    Target::get().is_none() && marker::other_agent().is_some()
}

/// This copy becomes the JVM's agent, for as long as the JVM lives, whatever becomes of the class loader that loaded it.
fn come_in(vm: Vm, text: &str) -> Result<&'static Target, String> {
    look_at_stderr();
    install_panic_hook();
    use_agent::<MayflyAgent>();
    marker::keep_loaded();
    startup::come_in(vm, JvmtiEnv::of(vm), text).map_err(|refused| refused.to_string())
}

/// The options, with the engine that can be had.
fn sampled(text: &str) -> Result<String, String> {
    let named = text.split('#').any(|option| option.starts_with("engine-"));
    let text = if named { text.to_owned() } else { format!("#engine-sampled{text}") };
    let options = Options::parse(&text).map_err(|error| error.to_string())?;
    match options.engine {
        EngineKind::Sampled => Ok(text),
        EngineKind::Exact => Err("a JVM is counted exactly by an agent from its start (-agentpath) or attached \
                                  (mayfly start --exact PID); from inside it is sampled: leave out #engine-exact"
            .into()),
    }
}

/// The JVM has loaded this library for Java code: profiling begins, unless the Java API has loaded it, which says what it wants, or
/// this is the agent already. The program goes on in any case.
pub(super) fn library_loaded(vm: Vm) {
    let begin = || {
        if Target::get().is_some() || Profiler::get().is_some() {
            return;
        }
        let Ok(jvmti) = JvmtiEnv::of(vm) else { return };
        if vm.with_jni(|jni| is_called_by(&jvmti, jni, OF_THE_API)) != Some(false) {
            return;
        }
        let options = jvmti.system_property(PROPERTY).unwrap_or_default();
        drop(jvmti);
        match start(vm, &options) {
            Ok(true) => {}
            Ok(false) => say("another copy of the agent is in this JVM; this one does nothing"),
            Err(why) => say(&format!("loaded, but not profiling: {why}")),
        }
    };
    // Called by the JVM: what goes wrong has been written to stderr.
    drop(catch_unwind(begin));
}

/// Whether a method of the class is among those that this thread runs.
fn is_called_by(jvmti: &JvmtiEnv, jni: mayfly_jvmti::Jni<'_>, class: &str) -> bool {
    let methods: Vec<_> = jvmti.with_stack(jni, FRAMES, |frames| frames.map(|frame| frame.method).collect());
    methods.into_iter().filter_map(|method| jvmti.method_facts(jni, method)).any(|facts| facts.class == class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_engine_it_is_the_sampled_one() {
        assert_eq!(sampled("").as_deref(), Ok("#engine-sampled"));
        assert_eq!(sampled("#sample-64k").as_deref(), Ok("#engine-sampled#sample-64k"));
        assert_eq!(sampled("#trace#engine-sampled").as_deref(), Ok("#trace#engine-sampled"));
    }

    #[test]
    fn what_is_not_to_be_had_is_refused_with_what_to_do() {
        let why = sampled("#engine-exact").expect_err("no exact counts");
        assert!(why.contains("-agentpath") && why.contains("mayfly start --exact"), "{why}");
        assert!(sampled("#nonsense").is_err());
    }
}
