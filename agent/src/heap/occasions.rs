//! When the options of the launch want a heap summary written: on request, at the end, when the heap is exhausted.
//!
//! Until then nothing runs and nothing is kept. What is said on stderr is word for word what HeapSummary said.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mayfly_jvmti::{Event, Exhausted, Jni, JvmtiEnv, JvmtiError};
use mayfly_profile::HeapOrder;
use mayfly_report::heap_columns;

use super::summary::summary;
use super::summary_file;
use super::turn::Before;
use crate::conduct::notice::say_as;
use crate::options::HeapOptions;
use crate::options::name::expand;
use crate::output::name_facts;
use crate::target_jvm::{Target, stops_the_world};

/// Folder of the summaries, once it is known.
static DIR: OnceLock<String> = OnceLock::new();

/// Makes the folder, and says what is going to be written, and where.
///
/// # Errors
/// The folder can't be made.
pub(crate) fn announce(options: &HeapOptions) -> Result<(), String> {
    if let Some(template) = &options.dir {
        let dir = expand(template, &name_facts());
        fs::create_dir_all(&dir).map_err(|error| {
            format!("cannot make the folder {dir} ({error}): give #heapdir a folder that you may write to")
        })?;
        let _ = DIR.set(dir);
    }
    say("Initializing...");
    if let Some(key) = &options.unknown_sort {
        say(&format!("Unknown sort key [{}]. Defaulting to sorting on memory size", key.escape_debug()));
    }
    match options.sort {
        Some(HeapOrder::Size) => say("Sorting on memory size"),
        Some(HeapOrder::Count) => say("Sorting on count"),
        None => {}
    }
    say(&format!("Running. Will output to summary file {}", summary_file::announced(dir())));
    Ok(())
}

/// Asks for the events that summaries are written at; the one at the end is the agent's in any case.
///
/// # Errors
/// Refused by the VM.
pub(crate) fn listen(jvmti: &JvmtiEnv, options: &HeapOptions) -> Result<(), JvmtiError> {
    if options.on_request {
        jvmti.enable(Event::DataDumpRequest)?;
    }
    if options.at_oom {
        jvmti.enable(Event::ResourceExhausted)?;
    }
    Ok(())
}

/// SIGQUIT, or `jcmd PID JVMTI.data_dump`.
pub(crate) fn on_request(target: &Target) {
    let before = before(&target.options.heap);
    // The event comes without an environment.
    target.vm.with_jni(|jni| write(target, jni, before));
}

/// The heap is exhausted: a summary of the first time. The JVM has just collected all it could.
pub(crate) fn at_exhaustion(target: &Target, jni: Jni<'_>, what: Exhausted) {
    static WRITTEN: AtomicBool = AtomicBool::new(false);
    if what.java_heap && target.options.heap.at_oom && !WRITTEN.swap(true, Relaxed) {
        write(target, jni, Before::Nothing);
    }
}

/// The JVM ends: one summary, whatever else comes. By now the threads of concurrent collectors are stopped and a forced
/// collection would wait for them for ever; a walk shows only what is reachable there.
pub(crate) fn at_exit(target: &Target, jni: Jni<'_>) {
    static WRITTEN: AtomicBool = AtomicBool::new(false);
    if !target.options.heap.at_exit || WRITTEN.swap(true, Relaxed) {
        return;
    }
    let before =
        if stops_the_world(target.info().gc) { before(&target.options.heap) } else { Before::Nothing };
    write(target, jni, before);
}

fn dir() -> Option<&'static str> {
    DIR.get().map(String::as_str)
}

fn before(options: &HeapOptions) -> Before {
    Before::collecting(!options.all)
}

fn write(target: &Target, jni: Jni<'_>, before: Before) {
    let options = &target.options.heap;
    match summary(target.vm, jni, before) {
        Ok(summary) => {
            let text = heap_columns(&summary, options.sort.unwrap_or_default());
            if let Err((path, error)) = summary_file::write(dir(), &text) {
                say(&format!("Failed to open dump file {}: {error}", path.display()));
            }
        }
        Err(error) => say(&format!("no summary was written: {error}")),
    }
}

fn say(text: &str) {
    say_as("heapsummary>", text);
}
