//! What `mayfly heap` takes: a running JVM, or a dump file and a question.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mayfly_heap::Strength;
use mayfly_profile::HeapOrder;

use super::part::JsonArgs;
use crate::output;

/// What `mayfly heap` takes: a process id, or a verb of its own.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HeapArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<HeapVerb>,

    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  mayfly heap 4711
  mayfly heap 4711 --output before.txt
  mayfly heap app.hprof
  mayfly heap diff before.txt after.txt
  mayfly heap dump 4711 app.hprof
  mayfly heap paths app.hprof --to com.example.Session
  mayfly heap retained java_pid4711.hprof --by class --limit 20

What a dump FILE may be: a dump of ours (mayfly heap dump), an hprof file (jcmd GC.heap_dump, jmap,
-XX:+HeapDumpOnOutOfMemoryError), or INSANE's XML or SBIH; packed by gzip, too. Which one it is, is read from its first
bytes.
CLASS may be spelled java.util.Map$Entry or java.util.Map.Entry, int[] or [I; ID as Class@1f or 0x1f.";

/// What the summary of a running JVM takes.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// Process id, or a main class or jar that exactly one JVM runs; or a dump FILE, to see what is in it
    #[arg(value_name = "PID|FILE", required = true)]
    pub(crate) jvm: Option<String>,

    /// Count what is there, garbage included, without two full collections first
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) rows: RowArgs,

    /// Write the columns of HeapSummary (bytes, objects, class) to FILE; it must not exist
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
}

/// Order and number of rows, and their format.
#[derive(Clone, Debug, Args)]
pub(crate) struct RowArgs {
    /// Order of the classes, largest first
    #[arg(long, value_name = "KEY", default_value = "size")]
    sort: SortKey,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

impl RowArgs {
    /// The order of rows.
    pub(crate) fn order(&self) -> HeapOrder {
        match self.sort {
            SortKey::Size => HeapOrder::Size,
            SortKey::Count => HeapOrder::Count,
        }
    }
}

/// How much is shown, and how.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ShownArgs {
    /// Show at most N rows; totals still cover everything
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

impl ShownArgs {
    /// Whether it is read on a terminal, as text.
    pub(crate) fn is_for_people(&self) -> bool {
        output::is_terminal() && !self.json.is_json()
    }
}

/// Order of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortKey {
    /// By bytes
    Size,
    /// By number of objects
    Count,
}

/// What to show.
#[derive(Debug, Subcommand)]
pub(crate) enum HeapVerb {
    /// Show what grew between summaries of one program
    ///
    /// Takes any number of summaries, oldest first: files of HeapSummary or mayfly heap --output, JSON of mayfly heap, text
    /// of jcmd GC.class_histogram, dumps. Classes that grew most from the first to the last come first.
    Diff(DiffArgs),
    /// Write the heap of a running JVM to a file
    ///
    /// The JVM writes its heap itself, after a full collection, and FILE is that in Mayfly's own compact format; a name ending in
    /// .hprof gives it as it is, in .xml INSANE's XML, in .insane its binary form. Then the usage by class is printed, as INSANE
    /// does.
    Dump(DumpArgs),
    /// Convert a dump to INSANE's XML or its binary form, or an hprof file to Mayfly's own form
    Convert(ConvertArgs),
    /// Show objects and bytes by class
    Histogram(HistogramArgs),
    /// Show GC roots by kind, or those of one kind
    Roots(RootsArgs),
    /// Show shortest paths from a GC root to an object: why it is alive
    Paths(PathsArgs),
    /// Show what retains most: what would be freed with it
    Retained(RetainedArgs),
    /// Show the size of a structure: an object and everything reachable from it
    Size(SizeArgs),
    /// List what is reachable from an object, by class
    Reachable(ReachableArgs),
    /// Show who holds an object, seeing through the collections of java.util
    Holders(HoldersArgs),
    /// Show classes by number of objects, fewest first, as INSANE prints them
    Distribution(DistributionArgs),
    /// Find strings by text, or duplicate strings and their wasted bytes
    Strings(StringsArgs),
    /// List the objects of a class, with their sizes
    Instances(InstancesArgs),
    /// Show what grew between two dumps: classes, and from where they are held
    Growth(GrowthArgs),
}

/// Which heap.
#[derive(Clone, Debug, Args)]
pub(crate) struct HeapArg {
    /// The dump; or a process id, or a main class or jar that exactly one JVM runs: a dump of it is taken for this command, and
    /// deleted
    #[arg(value_name = "FILE|PID")]
    pub(crate) dump: PathBuf,

    /// Neither read nor write the index beside the dump, FILE.mayidx, which makes the next query fast
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// What `heap diff` takes.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Summaries of the same program, oldest first
    #[arg(value_name = "FILE", num_args = 2.., required = true)]
    pub(crate) summaries: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

/// What `heap dump` takes.
#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// Process id, or a main class or jar that exactly one JVM runs
    #[arg(value_name = "PID")]
    pub(crate) jvm: String,

    /// File to write; it must not exist. Ending in .hprof: as the JVM writes it; in .xml: INSANE's XML; in .insane: its binary form,
    /// both by a walk
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Leave the text of strings out: a smaller file. An hprof file always has it
    #[arg(long)]
    pub(crate) no_strings: bool,

    /// Have the agent walk the heap instead: records slots of local variables, interfaces and types of static fields, too. Takes ten
    /// times as long, and some 80 bytes of the JVM's native memory per object
    #[arg(long)]
    pub(crate) walk: bool,

    /// Print no usage by class
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What `heap convert` takes.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The dump
    #[arg(value_name = "FILE")]
    pub(crate) from: PathBuf,

    /// File to write; it must not exist. Ending in .xml: INSANE's XML; in .insane: its binary form (SBIH); in .mayheap:
    /// Mayfly's own, an eighth of an hprof file and the texts
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,
}

/// What `heap histogram` takes.
#[derive(Debug, Args)]
pub(crate) struct HistogramArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    #[command(flatten)]
    pub(crate) rows: RowArgs,

    /// Write the columns of HeapSummary (bytes, objects, class) to FILE; it must not exist
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,

    /// Write a page for a browser to FILE: bytes by package and class
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "limit", "output"])]
    pub(crate) html: Option<PathBuf>,
}

/// What `heap roots` takes.
#[derive(Debug, Args)]
pub(crate) struct RootsArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// List the GC roots of this kind, e.g. 'stack local'
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap paths` takes.
#[derive(Debug, Args)]
#[command(after_help = PATHS_EXAMPLES)]
pub(crate) struct PathsArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// The object, or any object of the class
    #[arg(long, value_name = "CLASS|ID")]
    pub(crate) to: String,

    #[command(flatten)]
    pub(crate) strength: StrengthArgs,

    /// Show up to N paths; each avoids what the ones before went through
    #[arg(short = 'n', long = "number", alias = "limit", value_name = "N", default_value = "1", value_parser = positive)]
    pub(crate) number: usize,

    /// Go through no object of this class, not through this object, nor along this field; may be given several times
    #[arg(long, value_name = "CLASS|ID|CLASS.FIELD")]
    pub(crate) exclude: Vec<String>,

    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

pub(super) const PATHS_EXAMPLES: &str = "\
Examples:
  mayfly heap paths app.mayheap --to com.example.Session
  mayfly heap paths app.mayheap --to com.example.Session@1f -n 3 --weak
  mayfly heap paths app.mayheap --to byte[] --exclude com.example.Cache";

/// Which references a path may go through.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub(crate) struct StrengthArgs {
    /// Through strong references only: what keeps the object alive (the default)
    #[arg(long)]
    strong: bool,
    /// Through soft references, too
    #[arg(long)]
    soft: bool,
    /// Through soft and weak references, too
    #[arg(long)]
    weak: bool,
    /// Through any reference, phantom and final ones included
    #[arg(long)]
    all: bool,
}

impl StrengthArgs {
    /// The weakest references to follow.
    pub(crate) fn weakest(&self) -> Strength {
        match self {
            Self { all: true, .. } => Strength::Phantom,
            Self { weak: true, .. } => Strength::Weak,
            Self { soft: true, .. } => Strength::Soft,
            _ => Strength::Strong,
        }
    }
}

/// What `heap retained` takes.
#[derive(Debug, Args)]
pub(crate) struct RetainedArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// What is added up
    #[arg(long, value_name = "WHAT", default_value = "object")]
    pub(crate) by: RetainedBy,

    /// Only objects of this class, or this object
    #[arg(long, value_name = "CLASS|ID", conflicts_with = "by")]
    pub(crate) of: Option<String>,

    /// List what would be freed with them
    #[arg(long, requires = "of")]
    pub(crate) members: bool,

    /// Write a page for a browser to FILE: who retains what, by class
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "limit", "by", "of"])]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// Whose retained size is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RetainedBy {
    /// Of single objects
    Object,
    /// Of all objects of a class together
    Class,
    /// Of all classes and objects of a class loader
    Loader,
}

/// What `heap size` takes.
#[derive(Debug, Args)]
pub(crate) struct SizeArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// The objects to begin with; may be given several times
    #[arg(long, value_name = "CLASS|ID", required = true)]
    pub(crate) of: Vec<String>,

    /// References to this object, to objects of this class, or by this field, count as null; may be given several times
    #[arg(long, value_name = "CLASS|ID|CLASS.FIELD")]
    pub(crate) skip: Vec<String>,

    #[command(flatten)]
    pub(crate) strength: StrengthArgs,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap reachable` takes.
#[derive(Debug, Args)]
pub(crate) struct ReachableArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// The objects to begin with; may be given several times
    #[arg(long, value_name = "CLASS|ID", required = true)]
    pub(crate) from: Vec<String>,

    /// Only objects of these classes, and what is reachable through them alone; may be given several times
    #[arg(long, value_name = "CLASS")]
    pub(crate) within: Vec<String>,

    /// Follow no references to this object, to objects of this class, or by this field; may be given several times
    #[arg(long, value_name = "CLASS|ID|CLASS.FIELD")]
    pub(crate) skip: Vec<String>,

    /// List objects, not classes
    #[arg(long)]
    pub(crate) objects: bool,

    #[command(flatten)]
    pub(crate) strength: StrengthArgs,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap holders` takes.
#[derive(Debug, Args)]
pub(crate) struct HoldersArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// The objects held; may be given several times
    #[arg(long, value_name = "CLASS|ID", required = true)]
    pub(crate) of: Vec<String>,

    /// Name the objects that refer directly, collections too
    #[arg(long)]
    pub(crate) direct: bool,

    /// Only objects of this class hold
    #[arg(long, value_name = "CLASS")]
    pub(crate) by: Option<String>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap distribution` takes.
#[derive(Debug, Args)]
pub(crate) struct DistributionArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// Only what is reachable from here; may be given several times
    #[arg(long, value_name = "CLASS|ID")]
    pub(crate) from: Vec<String>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap strings` takes.
#[derive(Debug, Args)]
pub(crate) struct StringsArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// Show strings that contain TEXT, instead of duplicates
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,

    /// TEXT is the whole string
    #[arg(long, requires = "search")]
    pub(crate) exact: bool,

    /// Show the objects of CLASS that hold such a string
    #[arg(long, value_name = "CLASS", requires = "search")]
    pub(crate) held_by: Option<String>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap instances` takes.
#[derive(Debug, Args)]
pub(crate) struct InstancesArgs {
    #[command(flatten)]
    pub(crate) heap: HeapArg,

    /// The class, or a single object
    #[arg(value_name = "CLASS|ID", required_unless_present = "of")]
    pub(crate) class: Option<String>,

    /// The same, as other commands take it
    #[arg(long, value_name = "CLASS|ID", conflicts_with = "class")]
    pub(crate) of: Option<String>,

    /// Objects of its subclasses, too
    #[arg(long)]
    pub(crate) subclasses: bool,

    /// Add the size of everything reachable from each, as INSANE's computeInstanceSizes did
    #[arg(long)]
    pub(crate) deep: bool,

    /// Show what each refers to, field by field
    #[arg(long)]
    pub(crate) fields: bool,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What `heap growth` takes.
#[derive(Debug, Args)]
pub(crate) struct GrowthArgs {
    /// The earlier dump
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,

    /// The later dump of the same program
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number above zero".to_owned()),
        Ok(number) => Ok(number),
    }
}
