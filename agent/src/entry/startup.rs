//! Whether the agent can work: options, JVM, files. Decided before any Java runs, in one line if not.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mayfly_jvmti::{AgentLoadContext, Capabilities, Event, JvmtiEnv, JvmtiError, Vm};
use mayfly_profile::EngineKind;
use mayfly_recording::control::{AttachRefusal, Loaded};

use super::starting::{self, try_start};
use super::{loaded, marker};
use crate::conduct::descriptors::look_at_stderr;
use crate::conduct::notice::{give_up, install_panic_hook, say};
use crate::conduct::own_threads::exclude_this_thread;
use crate::exact::{Exact, ask_for_sampler};
use crate::heap;
use crate::options::{self, Options, continues_without};
use crate::output::Output;
use crate::plan::{Counting, Plan};
use crate::remote;
use crate::sampled::Sampled;
use crate::steering::{Begun, Profiler};
use crate::target_jvm::{AotCache, JvmAccess, Target, note_launch, release};
use crate::tracking::Shared;

/// The variable whose options every JVM takes before those of its command line.
const ENVIRONMENT: &str = "JAVA_TOOL_OPTIONS";

/// Reads the options, checks the JVM, and asks for events. If the agent can't work, ends the process or leaves it alone, as the
/// options say.
pub(super) fn launch(context: &AgentLoadContext<'_>) {
    look_at_stderr();
    let option_text = context.options_lossy().unwrap_or_default().into_owned();
    if let Err(why) = try_launch(context, option_text.clone()) {
        give_up(&why, continues_without(&option_text));
    }
}

fn try_launch(context: &AgentLoadContext<'_>, option_text: String) -> Result<(), String> {
    if Target::get().is_some() {
        return named_twice(&option_text);
    }
    install_panic_hook();
    if let Some(other) = marker::other_agent() {
        // JAVA_TOOL_OPTIONS comes before the command line: what `mayfly run` asked for wins.
        say(&format!("{} profiles this JVM already; this second copy does nothing", other.display()));
        return Ok(());
    }
    let options = read_options(&option_text)?;
    let (jvmti, jdk) = suitable(JvmtiEnv::new(context))?;
    prepare_summaries(&jvmti, &options)?;
    if options.heap_only {
        return launch_dormant(context, jvmti, jdk, options, option_text);
    }
    let (options, option_text) = for_classes_as_they_are(options, option_text)?;
    let plan = Plan::of(&options);
    let output = Output::open(&options, &plan).map_err(|error| error.to_string())?;
    let jvm = JvmAccess { vm: Vm::of(context), jvmti, jdk };
    if plan.counting == Counting::Samples {
        return launch_sampled(jvm, options, plan, option_text, output);
    }
    ask_for_events(&jvm.jvmti, &options, &plan)?;
    let unseen = ask_for_sampler(&jvm.jvmti, &plan)
        .map_err(|error| refused("sampled allocations, which #sample needs", error))?;
    note_launch();
    let target = keep(Target::new(jvm, Loaded::Launched, options.clone(), option_text));
    let shared = Arc::new(Shared::new(plan));
    let exact = loaded::keep(Exact::new(target, Arc::clone(&shared), unseen));
    Profiler::set(Profiler::new(target, options, shared, exact, output, Begun::AtLaunch));
    Ok(())
}

/// The options for a JVM in which no class may be rewritten, if this is one: the sampled engine's.
fn for_classes_as_they_are(options: Options, text: String) -> Result<(Options, String), String> {
    if options.engine == EngineKind::Sampled {
        return Ok((options, text));
    }
    let Some(cache) = AotCache::of_this_jvm() else { return Ok((options, text)) };
    let (why, cure) = (cache.why_not_rewritten(), cache.cure());
    let sampled = format!("{text}#engine-sampled");
    match Options::parse(&sampled) {
        Ok(instead) if !options.engine_named => {
            say(&format!(
                "{why}: the JVM's own samples instead of exact counts, as with #engine-sampled; {cure}"
            ));
            Ok((instead, sampled))
        }
        _ => Err(format!(
            "{why}, and these options need it: give #engine-sampled (mayfly run --sampled), or {cure}"
        )),
    }
}

/// This copy is an agent already. The environment comes before the command line: a build tool's own configuration names what
/// `mayfly run` gave it, and has nothing to say then. Twice on a command line are options torn apart.
fn named_twice(options: &str) -> Result<(), String> {
    if !environment_names_us() {
        return Err("loaded twice: give one -agentpath with all options in it".to_owned());
    }
    let what = if options.is_empty() { String::new() } else { format!("; not used: {options}") };
    say(&format!("{ENVIRONMENT} names the agent and its options, and the command line names it again{what}"));
    Ok(())
}

fn environment_names_us() -> bool {
    std::env::var_os(ENVIRONMENT).is_some_and(|options| names_an_agent(&options.to_string_lossy()))
}

/// Whether one of these options loads a library of our name.
fn names_an_agent(options: &str) -> bool {
    options.split_whitespace().any(|word| {
        ["-agentpath:", "-agentlib:"].iter().any(|option| word.contains(option)) && word.contains("mayfly")
    })
}

/// No class is looked at: class data sharing stays as the user has it.
fn launch_sampled(
    jvm: JvmAccess,
    options: Options,
    plan: Plan,
    option_text: String,
    output: Output,
) -> Result<(), String> {
    ask_for_few_events(&jvm.jvmti, &options)?;
    let target = keep(Target::new(jvm, Loaded::Launched, options.clone(), option_text));
    let shared = Arc::new(Shared::new(plan));
    let sampled = Sampled::new(target, Arc::clone(&shared)).map_err(|error| error.to_string())?;
    note_launch();
    Profiler::set(Profiler::new(target, options, shared, Arc::new(sampled), output, Begun::AtLaunch));
    Ok(())
}

/// The target of this process: from now on this copy of the library is an agent.
fn keep(target: Target) -> &'static Target {
    marker::mark_agent();
    Target::set(target)
}

/// Heap summaries beside whatever else is done; why not, if they can't be had.
fn prepare_summaries(jvmti: &JvmtiEnv, options: &Options) -> Result<(), String> {
    if !options.heap.is_wanted() {
        return Ok(());
    }
    let exhaustion = Capabilities { heap_exhaustion: options.heap.at_oom, ..Capabilities::default() };
    jvmti.add_capabilities(exhaustion).map_err(|error| {
        format!("the JVM refuses an event when the heap is exhausted, which #heapoom needs ({error})")
    })?;
    heap::announce(&options.heap)
}

/// Nothing is profiled: no class is looked at, nothing is counted. Only the events are asked for that a summary is
/// written at.
fn launch_dormant(
    context: &AgentLoadContext<'_>,
    jvmti: JvmtiEnv,
    jdk: u32,
    options: Options,
    option_text: String,
) -> Result<(), String> {
    ask_for_few_events(&jvmti, &options)?;
    keep(Target::new(
        JvmAccess { vm: Vm::of(context), jvmti, jdk },
        Loaded::LaunchedForHeap,
        options,
        option_text,
    ));
    Ok(())
}

/// The begin and the end of the JVM.
fn ask_for_few_events(jvmti: &JvmtiEnv, options: &Options) -> Result<(), String> {
    let events = jvmti.install_callbacks().and_then(|()| {
        heap::listen(jvmti, &options.heap)?;
        jvmti.enable(Event::VmInit)?;
        jvmti.enable(Event::VmDeath)
    });
    events.map_err(|error| refused("events", error))
}

fn read_options(text: &str) -> Result<Options, String> {
    let options = Options::parse(text).map_err(|error| error.to_string())?;
    if options.help {
        // stderr, as all that the agent says; the program does not start.
        eprint!("{}", options::help());
        std::process::exit(0);
    }
    Ok(options)
}

/// Comes into a running JVM, by its attach: to look at its heap when asked, or to profile as its options say.
pub(super) fn attach(context: &AgentLoadContext<'_>) -> Result<(), AttachRefusal> {
    look_at_stderr();
    let option_text = context.options_lossy().unwrap_or_default().into_owned();
    if let Some(target) = Target::get() {
        return attach_again(target, &option_text);
    }
    install_panic_hook();
    let target = come_in(Vm::of(context), JvmtiEnv::new(context), &option_text).map_err(Refused::written)?;
    if target.options.engine_named {
        match target.options.engine {
            EngineKind::Exact => start_when_loaded(target, option_text),
            EngineKind::Sampled => say_if_not(start(target, &option_text)),
        }
    }
    Ok(())
}

/// Why the agent does not come in; the words are missing if they are on stderr already.
#[derive(Debug)]
pub(super) struct Refused {
    refusal: AttachRefusal,
    why: Option<String>,
}

impl Refused {
    fn of(refusal: AttachRefusal, why: impl std::fmt::Display) -> Self {
        Self { refusal, why: Some(why.to_string()) }
    }

    /// Writes it to stderr.
    fn written(self) -> AttachRefusal {
        if let Some(why) = self.why {
            say(&format!("not attached: {why}"));
        }
        self.refusal
    }
}

impl From<AttachRefusal> for Refused {
    fn from(refusal: AttachRefusal) -> Self {
        Self { refusal, why: None }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.why {
            Some(why) => f.write_str(why),
            None => self.refusal.fmt(f),
        }
    }
}

/// Comes into a running JVM; nothing is profiled yet. Nothing is asked of the JVM that only a launched agent gets,
/// and nothing that would keep such a later agent out.
pub(super) fn come_in(
    vm: Vm,
    jvmti: Result<JvmtiEnv, JvmtiError>,
    text: &str,
) -> Result<&'static Target, Refused> {
    let options = options_of_running(text)?;
    // What fails from here on leaves nothing behind: the JVM unloads a library that refuses, and would call into nothing.
    let socket = if options.control { Some(remote::listen()?) } else { None };
    let (jvmti, jdk) = suitable(jvmti).map_err(|why| Refused::of(AttachRefusal::UnsuitableJvm, why))?;
    prepare_summaries(&jvmti, &options).map_err(|why| Refused::of(AttachRefusal::Options, why))?;
    if options.engine_named && options.engine == EngineKind::Sampled {
        Sampled::try_sampler(&jvmti).map_err(|why| Refused::of(AttachRefusal::Resources, why))?;
    }
    let events = jvmti.install_callbacks().and_then(|()| {
        heap::listen(&jvmti, &options.heap)?;
        jvmti.enable(Event::VmDeath)
    });
    events.map_err(|error| Refused::of(AttachRefusal::Resources, error))?;
    let target = Target::new(JvmAccess { vm, jvmti, jdk }, Loaded::Attached, options, text.to_owned());
    vm.with_jni(|jni| target.running(jni)).ok_or(AttachRefusal::Resources)?;
    let target = keep(target);
    if let Some(socket) = socket {
        remote::serve(target, socket, starting::start);
    }
    Ok(target)
}

/// Those that an agent can have in a JVM that runs.
fn options_of_running(text: &str) -> Result<Options, Refused> {
    let options = Options::parse(text).map_err(|error| Refused::of(AttachRefusal::Options, error))?;
    let summaries = Options {
        control: options.control,
        heap: options.heap.clone(),
        heap_only: options.heap_only,
        ..Options::default()
    };
    if options != summaries && !options.engine_named {
        let why = "its options are for an agent that is there from the start; give none, those of heap summaries, or \
                   #engine-sampled or #engine-exact and what goes with it";
        return Err(Refused::of(AttachRefusal::Options, why));
    }
    Ok(options)
}

fn say_if_not(started: Result<(), impl std::fmt::Display>) {
    if let Err(why) = started {
        say(&format!("attached, but not profiling: {why}"));
    }
}

/// Begins to count exactly: the JVM finds native methods in the library only after this call of it.
fn start_when_loaded(target: &'static Target, text: String) {
    /// Time for the JVM to end the call.
    const ATTEMPTS: u32 = 500;
    const PAUSE: Duration = Duration::from_millis(10);
    let begin = move || {
        exclude_this_thread();
        for attempt in 1..=ATTEMPTS {
            let started = target.vm.with_daemon("mayfly-start", |jni| try_start(target, &text, None, jni));
            match started {
                Some(Err(error)) if error.may_pass() && attempt < ATTEMPTS => thread::sleep(PAUSE),
                Some(started) => return say_if_not(started),
                // The JVM ends.
                None => return,
            }
        }
    };
    say_if_not(thread::Builder::new().name("mayfly-start".into()).spawn(begin).map(drop));
}

/// The agent is there: nothing changes, but that profiling begins if it is asked for.
fn attach_again(target: &'static Target, text: &str) -> Result<(), AttachRefusal> {
    if Options::parse(text).is_ok_and(|options| options.engine_named) {
        return start(target, text).map_err(|why| Refused::of(AttachRefusal::Resources, why).written());
    }
    say("the agent is in this JVM already; nothing was changed");
    if remote::is_served(target) { Ok(()) } else { Err(AttachRefusal::NoSocket) }
}

/// Begins to profile, on the thread on which the JVM loads agents.
fn start(target: &'static Target, text: &str) -> Result<(), String> {
    let started = target.vm.with_jni(|jni| starting::start(target, text, None, jni));
    started.unwrap_or_else(|| Err("the JVM gave no environment".into()))
}

/// The environment and the JVM's feature release, e.g. 17, if it is one that the agent runs on.
fn suitable(jvmti: Result<JvmtiEnv, JvmtiError>) -> Result<(JvmtiEnv, u32), String> {
    let jvmti =
        jvmti.map_err(|error| format!("this JVM has no usable JVMTI ({error}): use HotSpot 11 or newer"))?;
    let jdk = check_jvm(&jvmti)?;
    Ok((jvmti, jdk))
}

fn check_jvm(jvmti: &JvmtiEnv) -> Result<u32, String> {
    let property = |name| jvmti.system_property(name).unwrap_or_default();
    let version = property("java.vm.specification.version");
    let feature = version.strip_prefix("1.").unwrap_or(&version).parse().unwrap_or(0);
    if feature < release::OLDEST {
        let full = property("java.vm.version");
        return Err(format!(
            "needs a JDK {} or newer, this JVM is {version} ({full}): run the program on a newer one",
            release::OLDEST
        ));
    }
    let name = property("java.vm.name");
    if name.contains("OpenJ9") {
        return Err(format!("works in HotSpot, this JVM is {name}: use a HotSpot JDK"));
    }
    Ok(feature)
}

fn refused(what: &str, error: JvmtiError) -> String {
    format!("the JVM refuses {what} ({error}): is another profiler loaded?")
}

fn ask_for_events(jvmti: &JvmtiEnv, options: &Options, plan: &Plan) -> Result<(), String> {
    let capabilities = Capabilities {
        early_class_hooks: true,
        gc_events: true,
        sources: plan.stacks.are_taken(),
        ..Capabilities::default()
    };
    jvmti.add_capabilities(capabilities).map_err(|error| refused("early class hooks", error))?;
    jvmti.install_callbacks().map_err(|error| refused("callbacks", error))?;
    heap::listen(jvmti, &options.heap).map_err(|error| refused("the events of heap summaries", error))?;
    let mut events = [
        Event::ClassFileLoadHook,
        Event::VmStart,
        Event::VmInit,
        Event::VmDeath,
        Event::ThreadStart,
        Event::ThreadEnd,
        Event::GarbageCollectionStart,
        Event::GarbageCollectionFinish,
    ]
    .into_iter();
    events.try_for_each(|event| {
        jvmti.enable(event).map_err(|error| refused(&format!("the event {event:?}"), error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_among_other_options() {
        assert!(names_an_agent("-Xmx1g -agentpath:/opt/libmayfly.so=#trace"));
        assert!(names_an_agent("'-agentpath:/opt/x'libmayfly.so"));
        assert!(!names_an_agent("-agentpath:/opt/libother.so -Dname=libmayfly.so"));
        assert!(!names_an_agent(""));
    }
}
