//! What the user asked for, option by option. Not here: how it is written (`parse`, `table`), and what follows from several together
//! (`crate::plan`).

use std::time::Duration;

use mayfly_profile::{BucketBounds, EngineKind, HeapOrder, Labels, View};

/// How many samples a second are taken at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRate {
    /// So many, whatever they cost.
    pub paid: u64,
    /// Up to so many where they cost little.
    pub cheap: u64,
}

/// What the user asked for. Every combination that can be parsed can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What counts, `#engine`.
    pub engine: EngineKind,
    /// Whether `#engine` was given: an agent that is loaded into a JVM that runs profiles only then.
    pub engine_named: bool,
    /// Lifetime buckets, `#bucket`.
    pub buckets: BucketBounds,
    /// What reports show: `#include`, `#exclude`, `#exactmatch`, `#largerthan` (which also say what is tracked),
    /// `#detailedtrace`, `#noblame`, `#traceignore`, `#tracetarget`, `#outputlimit`.
    pub view: View,
    /// Force a collection this often while profiling is on, `#gc`. `None`: never.
    pub gc_every: Option<Duration>,
    /// Collect the whole heap as the JVM ends; `#nolastgc` clears it.
    pub last_gc: bool,
    /// Force a collection each time so many bytes were allocated while profiling is on, `#gc-every`. `None`: never.
    pub gc_every_bytes: Option<u64>,
    /// Regular reports, `#periodic`.
    pub periodic: Option<Periodic>,
    /// Folder of the report log, `#output`: a template for [`super::name::expand`]. `None`: reports go to stderr.
    pub output_dir: Option<String>,
    /// Follow the death of every object that passes the filters, `#trackcollections`.
    pub track_collections: bool,
    /// Follow the death of rare objects one by one and of a share of the others, `#track-balanced`.
    pub track_balanced: bool,
    /// Stacks of allocations, `#trace` (implied by `#detailedtrace`, `#trace-all`, `#threads` and `#loaders`).
    pub trace: bool,
    /// Stacks keep lines, `#lines`.
    pub lines: bool,
    /// Stacks name the pool of their thread, `#threads`.
    pub threads: bool,
    /// Stacks name the loader of the code that allocates, `#loaders`.
    pub loaders: bool,
    /// Take the stack of every object, not of a sample at each place: `#trace-all`.
    pub trace_all: bool,
    /// Track every Nth object, `#every`. 1: all.
    pub every: u64,
    /// Start paused, `#delayprofiling`.
    pub delay_profiling: bool,
    /// Live console histogram, `#live`.
    pub live: Live,
    /// Draw each live block over the last one: `#redraw`.
    pub redraw: bool,
    /// Mean bytes between two tracked objects, `#sample`. `None`: no byte sample. The sampled engine always has one.
    pub sample_bytes: Option<u64>,
    /// Read each young collection inside of its pause: exact counts of what was born and died young, `#census`.
    pub census: bool,
    /// What reading may add to a pause, `#pause`. `None`: a part of what pauses take without it.
    pub pause: Option<Duration>,
    /// Samples a second, `#sample-rate`. `None`: however many the interval gives.
    pub sample_rate: Option<SampleRate>,
    /// What survives scopes is followed beside a sample.
    pub scope_survivors: bool,
    /// Native memory the agent may hold, in bytes, `#memlimit`.
    pub mem_limit: u64,
    /// File to record into, `#recording`: a template for [`super::name::expand`].
    pub recording: Option<String>,
    /// When the recording goes on in a new file, `#loop`. `None`: it is one file.
    pub rotate: Option<Bounds>,
    /// How much of it is kept, `#keep`: older files are removed.
    pub keep: Bounds,
    /// Heap summaries, `#heapsummary` and others.
    pub heap: HeapOptions,
    /// Nothing but heap summaries was asked for: nothing is profiled.
    pub heap_only: bool,
    /// Whether reports without a folder, and remarks, go to stderr: not where profiling begins in a JVM that runs.
    pub console: bool,
    /// Methods whose calls are scopes, `#scope`.
    pub scopes: Vec<ScopeMethod>,
    /// What tells the recording from others, `#label`.
    pub labels: Labels,
    /// Take requests from `mayfly`; `#nocontrol` clears it.
    pub control: bool,
    /// Register the MBean, and from which jar if the class path lacks it, `#mbean`.
    pub mbean: Option<Option<String>>,
    /// Rewrite however many classes a JVM that runs has loaded, `#yes`.
    pub yes: bool,
    /// Run the program without an agent that can't start, `#on-error-continue`.
    pub on_error_continue: bool,
    /// Print [`super::help`], `#help`.
    pub help: bool,
}

/// All methods of a class that have a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeMethod {
    /// As `Class.getName()` gives it.
    pub class: String,
    /// The methods' name.
    pub method: String,
}

impl ScopeMethod {
    /// What the scope is called.
    pub fn scope_name(&self) -> String {
        format!("{}.{}", self.class, self.method)
    }
}

/// When a heap summary is written, where to, and what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapOptions {
    /// On SIGQUIT and `jcmd PID JVMTI.data_dump`, `#heapsummary`.
    pub on_request: bool,
    /// When the JVM ends, `#heapexit`.
    pub at_exit: bool,
    /// At the first OutOfMemoryError for want of heap, `#heapoom`.
    pub at_oom: bool,
    /// Count what is there, instead of collecting twice before, `#heapall`.
    pub all: bool,
    /// Folder of the summaries, `#heapdir`: a template for [`super::name::expand`]. `None`: where the JVM was started.
    pub dir: Option<String>,
    /// What rows are sorted by, `#heapsort`. `None`: by size.
    pub sort: Option<HeapOrder>,
    /// A key that was given in the comma form and is none.
    pub unknown_sort: Option<String>,
}

impl HeapOptions {
    /// Whether there is any occasion to write one.
    pub fn is_wanted(&self) -> bool {
        self.on_request || self.at_exit || self.at_oom
    }
}

/// A time, a size, or both: whichever is reached first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// So long.
    pub time: Option<Duration>,
    /// So many bytes.
    pub bytes: Option<u64>,
}

/// Regular reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// Time between two reports.
    pub every: Duration,
    /// After which of them the data is reset.
    pub resets: Resets,
}

/// After which periodic reports all counts start again from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resets {
    /// After none.
    Never,
    /// After the first so many, at least one.
    First(u32),
    /// After each.
    Always,
}

/// When the live histogram is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// If lifetimes are followed and stderr is no terminal: every 10 s.
    Auto,
    /// Never.
    Off,
    /// This often, whatever stderr is.
    Every(Duration),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: EngineKind::Exact,
            engine_named: false,
            buckets: BucketBounds::default(),
            view: View::default(),
            gc_every: None,
            last_gc: true,
            gc_every_bytes: None,
            periodic: None,
            output_dir: None,
            track_collections: false,
            track_balanced: false,
            trace: false,
            lines: false,
            threads: false,
            loaders: false,
            trace_all: false,
            every: 1,
            delay_profiling: false,
            live: Live::Auto,
            redraw: false,
            sample_bytes: None,
            sample_rate: None,
            scope_survivors: false,
            census: false,
            pause: None,
            mem_limit: 256 << 20,
            recording: None,
            rotate: None,
            keep: Bounds::default(),
            heap: HeapOptions::default(),
            heap_only: false,
            console: true,
            scopes: Vec::new(),
            labels: Labels::new(),
            control: true,
            mbean: None,
            yes: false,
            on_error_continue: false,
            help: false,
        }
    }
}
