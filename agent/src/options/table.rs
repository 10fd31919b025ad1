//! Every option once: name, shape, meaning, and what it goes with. Parsing, suggestions and `#help` all read this. Not here: what is
//! said of an option (`spec`).

use std::time::Duration;

use super::heap;
use super::settings::Live;
use super::spec::{CONTINUE, Shape, Spec};
use super::value;

/// Pairs of options of which only one can be meant.
pub(super) const CLASHES: &[(&str, &str, &str)] = &[
    (
        "trackcollections",
        "sample",
        "#sample follows the lifetimes of a sample, #trackcollections of every object",
    ),
    (
        "track-balanced",
        "trackcollections",
        "#track-balanced follows a share of the objects of hot classes, #trackcollections every object",
    ),
    ("track-balanced", "sample", "both choose the objects that are tracked"),
    ("every", "track-balanced", "both choose the objects that are tracked"),
    ("every", "sample", "both choose the objects that are tracked"),
    (
        "engine",
        "trackcollections",
        "the sampled engine sees no object but those of its sample; #engine-exact (mayfly start --exact) sees all",
    ),
    (
        "engine",
        "track-balanced",
        "the sampled engine sees no object but those of its sample; #engine-exact (mayfly start --exact) sees all",
    ),
    (
        "engine",
        "scope",
        "the sampled engine does not know in which scope an object was made; #engine-exact (mayfly start --exact) does",
    ),
    ("engine", "every", "the sampled engine chooses objects by their bytes: #sample-BYTES says how many"),
];

/// Options that are an occasion to write a heap summary.
pub(super) const HEAP_OCCASIONS: &[&str] = &["heapsummary", "heapexit", "heapoom"];

const DEFAULTS: Spec = Spec {
    name: "",
    alias: None,
    mistaken: &[],
    shape: Shape::Flag(|_| ()),
    example: "",
    help: "",
    needs: &[],
};

/// All options, in the order of `#help`.
pub(super) const SPECS: &[Spec] = &[
    Spec {
        name: "engine",
        mistaken: &["sampled", "mode"],
        shape: Shape::Value("exact|sampled", |o, v| {
            value::engine(v).map(|engine| (o.engine, o.engine_named) = (engine, true))
        }),
        example: "#engine-sampled",
        help: "What counts. exact (default): each allocation, in rewritten classes. sampled: the JVM's own sampler, one \
               object per 512k (#sample-BYTES) with its stack and lifetime; counts are estimates with their errors, \
               classes stay as they are, and class data sharing stays on. For production, and for JVMs that run already.",
        ..DEFAULTS
    },
    Spec {
        name: "yes",
        mistaken: &["force", "confirm"],
        shape: Shape::Flag(|o| o.yes = true),
        example: "#yes",
        help: "With #engine-exact in a JVM that runs already: begin also where more than 3,000 classes have to be rewritten. \
               Without it the price is said, and nothing is done.",
        ..DEFAULTS
    },
    Spec {
        name: "trackcollections",
        alias: Some("trackcollection"),
        mistaken: &["trackgc", "lifetimes"],
        shape: Shape::Flag(|o| o.track_collections = true),
        example: "#trackcollections",
        help: "Follow every object that passes the filters until it is dead: live objects, and collected ones per \
               lifetime bucket. Also spelled #trackcollection.",
        ..DEFAULTS
    },
    Spec {
        name: "track-balanced",
        mistaken: &["balanced", "trackbalanced"],
        shape: Shape::Flag(|o| o.track_balanced = true),
        example: "#track-balanced",
        help: "Follow objects until they are dead, rare classes one by one, and of hot ones a share that takes 1 % of the \
               process's CPU; what is followed stands for the rest, counts stay exact. At least the first 1,024 objects of \
               each class are followed. With #trace: with stacks of those followed, or of a share of them.",
        ..DEFAULTS
    },
    Spec {
        name: "sample",
        shape: Shape::Value("BYTES", |o, v| {
            let bytes = value::size_within(v, (1, "1 byte"), (i32::MAX as u64, "2147483647 bytes"))?;
            o.sample_bytes = Some(bytes);
            Ok(())
        }),
        example: "#sample-512k",
        help: "Follow an unbiased sample, one object per BYTES allocated on average (k, m, g as suffix); tallies of \
               lifetimes and stacks are scaled and labelled estimates, counts stay exact. Instead of \
               #trackcollections and #every. With #engine-sampled: its interval, 512k if not given.",
        ..DEFAULTS
    },
    Spec {
        name: "sample-rate",
        mistaken: &["samplerate", "rate"],
        shape: Shape::Value("N[..M]", |o, v| value::sample_rate(v).map(|rate| o.sample_rate = Some(rate))),
        example: "#sample-rate-200",
        help: "At most N samples a second, about; up to M as long as taking them uses no more than 2 % of a core. Where the program allocates more, samples are further apart than #sample says, \
               each standing for more; estimates stay unbiased, with the errors they then have. Without #engine-sampled they are \
               never further apart than 512k.",
        needs: &["engine", "sample"],
        ..DEFAULTS
    },
    Spec {
        name: "census",
        mistaken: &["young", "exactyoung"],
        shape: Shape::Flag(|o| o.census = true),
        example: "#census",
        help: "Read what each young collection leaves behind, inside of its pause: per class exactly what was born, what died \
               before its first collection or at which age, and what was copied and promoted. With Serial, Parallel and G1, \
               whatever counts; also in a JVM that runs already, from its first collection on. Pauses grow by the reading; the \
               report says by how much. Off unless asked for.",
        ..DEFAULTS
    },
    Spec {
        name: "pause",
        mistaken: &["pausebudget", "maxpause"],
        shape: Shape::Value("MS", |o, v| value::milliseconds(v).map(|most| o.pause = Some(most))),
        example: "#pause-5ms",
        help: "What #census may add to a pause, about, in milliseconds. Where reading takes longer, G1 has a part of its regions \
               read, and Serial and Parallel some of their collections, drawn at random; samples count for the rest. If not given, \
               reading is thinned where it takes longer than the pauses take without it. 0: all is read.",
        needs: &["census"],
        ..DEFAULTS
    },
    Spec {
        name: "bucket",
        mistaken: &["buckets"],
        shape: Shape::Value("SECONDS,...", |o, v| value::buckets(v).map(|bounds| o.buckets = bounds)),
        example: "#bucket-1,10,60",
        help: "Upper bounds of the lifetime buckets, in whole ascending seconds; a last bucket reaches to infinity. \
               Default 5,30,60,300,1800. Needs #trackcollections, #track-balanced or #sample.",
        needs: &["trackcollections", "track-balanced", "sample", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "gc",
        mistaken: &["forcegc"],
        shape: Shape::Value("SECONDS", |o, v| value::seconds(v, 1).map(|every| o.gc_every = Some(every))),
        example: "#gc-5",
        help: "Force a full collection every SECONDS while profiling is on: deaths are then known that precisely.",
        ..DEFAULTS
    },
    Spec {
        name: "gc-every",
        mistaken: &["gcevery"],
        shape: Shape::Value("BYTES", |o, v| {
            let bytes = value::size_within(v, (1 << 20, "1m"), (u64::MAX, ""))?;
            o.gc_every_bytes = Some(bytes);
            Ok(())
        }),
        example: "#gc-every-64m",
        help: "Force a full collection each time BYTES (k, m, g as suffix) were allocated while profiling is on: bounds the \
               error of every death, which the report states. Needs #trackcollections, #track-balanced or #sample.",
        needs: &["trackcollections", "track-balanced", "sample", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "trace",
        mistaken: &["tracealloc", "stack", "stacks"],
        shape: Shape::Optional(
            "all",
            |o| {
                o.trace = true;
                o.trace_all = false;
            },
            |o, v| {
                value::word(v, "all")?;
                o.trace = true;
                o.trace_all = true;
                Ok(())
            },
        ),
        example: "#trace",
        help: "Allocation sites and allocation classes: exact counts of each allocating instruction, its stacks from \
               a sample that takes all while they are few. #trace-all takes the stack of every object, at \
               microseconds each. With #track-balanced, #sample or #every: the stacks of the objects tracked.",
        ..DEFAULTS
    },
    Spec {
        name: "detailedtrace",
        mistaken: &["tracedetail", "linenumbers"],
        shape: Shape::Flag(|o| {
            o.trace = true;
            o.view.detailed_trace = true;
        }),
        example: "#detailedtrace",
        help: "As #trace, with line numbers: two lines of a method are two sites.",
        ..DEFAULTS
    },
    Spec {
        name: "lines",
        mistaken: &["line"],
        shape: Shape::Flag(|o| o.lines = true),
        example: "#trace#lines",
        help: "Stacks keep the line of each frame: rows of reports name it, and what other tools get is as without. Needs #trace.",
        needs: &["trace", "detailedtrace", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "threads",
        mistaken: &["thread", "pools", "bythread"],
        shape: Shape::Flag(|o| {
            o.trace = true;
            o.threads = true;
        }),
        example: "#threads",
        help: "As #trace, and stacks name the thread: their outermost frame is <thread>, with the pool's name (http-nio-8080-exec-*), \
               virtual threads without a name are one pool. mayfly report --threads shows what each pool allocates.",
        ..DEFAULTS
    },
    Spec {
        name: "loaders",
        mistaken: &["loader", "classloader", "classloaders", "byloader"],
        shape: Shape::Flag(|o| {
            o.trace = true;
            o.loaders = true;
        }),
        example: "#loaders",
        help: "As #trace, and stacks name the class loader: below the thread's, a frame <loader> has the loader of the innermost method that is \
               not the JDK's (app, ParallelWebappClassLoader (shop)). mayfly report --loaders shows what the code of each allocates.",
        ..DEFAULTS
    },
    Spec {
        name: "noblame",
        mistaken: &["blame"],
        shape: Shape::Flag(|o| o.view.blame = false),
        example: "#noblame",
        help: "Leave the allocation classes out of reports. Needs #trace.",
        needs: &["trace", "detailedtrace", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "traceignore",
        shape: Shape::Value("PREFIX,...", |o, v| value::list(v).map(|list| o.view.rules.ignore = list)),
        example: "#traceignore-java.,sun.",
        help: "Classes whose names start so are never blamed for an allocation; sites still show their frames. \
               Needs #trace.",
        needs: &["trace", "detailedtrace", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "scope",
        mistaken: &["scopes", "request", "requests"],
        shape: Shape::Value("CLASS.METHOD", |o, v| value::scope(v).map(|method| o.scopes.push(method))),
        example: "#scope-com.acme.Handler.handle",
        help: "Each call of the method, whatever its arguments, is a scope: reports say what is allocated in it, and with \
               #trackcollections or #track-balanced what survives it. May be given several times. \
               In the program: io.mayfly.Mayfly.scope.",
        ..DEFAULTS
    },
    Spec {
        name: "label",
        mistaken: &["labels", "tag"],
        shape: Shape::Value("NAME=VALUE", |o, v| {
            value::label(v).map(|(name, value)| drop(o.labels.insert(name, value)))
        }),
        example: "#label-version=1.4.2",
        help: "Tells the recording from those of other JVMs, where several are merged or compared: mayfly report --by NAME. May be \
               given several times. host and process are known, application and version also from OTEL_SERVICE_NAME and \
               OTEL_RESOURCE_ATTRIBUTES.",
        ..DEFAULTS
    },
    Spec {
        name: "tracetarget",
        mistaken: &["allocatingclasstargets"],
        shape: Shape::Value("PREFIX,...", |o, v| value::list(v).map(|list| o.view.rules.target = list)),
        example: "#tracetarget-com.acme.",
        help: "Blame classes from the allocation outwards up to the first frame whose class name starts so, and not \
               beyond. An ignored frame is no target. Needs #trace.",
        needs: &["trace", "detailedtrace", "engine"],
        ..DEFAULTS
    },
    Spec {
        name: "include",
        shape: Shape::Value("PREFIX,...", |o, v| value::list(v).map(|list| o.view.classes.include = list)),
        example: "#include-com.acme.,[C",
        help: "Report and track only classes whose names start so. Everything is still counted, for the trust line.",
        ..DEFAULTS
    },
    Spec {
        name: "exclude",
        shape: Shape::Value("PREFIX,...", |o, v| value::list(v).map(|list| o.view.classes.exclude = list)),
        example: "#exclude-java.,[",
        help: "Neither report nor track classes whose names start so; wins over #include.",
        ..DEFAULTS
    },
    Spec {
        name: "exactmatch",
        shape: Shape::Flag(|o| o.view.classes.exact_match = true),
        example: "#exactmatch",
        help: "#include and #exclude hold whole class names, not prefixes. Needs one of them.",
        needs: &["include", "exclude"],
        ..DEFAULTS
    },
    Spec {
        name: "largerthan",
        mistaken: &["largethan", "biggerthan"],
        shape: Shape::Value("BYTES", |o, v| value::size(v).map(|bytes| o.view.min_bytes = bytes)),
        example: "#largerthan-16",
        help: "Report and track only objects of at least BYTES (k, m, g as suffix), header included: 16 keeps a \
               16-byte object, 17 drops it. 0 keeps all.",
        ..DEFAULTS
    },
    Spec {
        name: "every",
        shape: Shape::Value("N", |o, v| value::number(v, 1).map(|n| o.every = n)),
        example: "#every-20",
        help: "Track only every Nth object that passes the filters; tallies of lifetimes and sites are multiplied \
               by N and labelled sampled, counts stay exact. Needs #trackcollections or #trace.",
        needs: &["trackcollections", "trace", "detailedtrace", "sample", "track-balanced"],
        ..DEFAULTS
    },
    Spec {
        name: "live",
        shape: Shape::Optional(
            "SECONDS",
            |o| o.live = Live::Every(Duration::from_secs(1)),
            |o, v| {
                let every = value::seconds(v, 0)?;
                o.live = if every.is_zero() { Live::Off } else { Live::Every(every) };
                Ok(())
            },
        ),
        example: "#live-5",
        help: "Print the live histogram to stderr every SECONDS; 1 if none are given, 0 for never. Default: when \
               lifetimes are followed, every 10 seconds if stderr is a file or pipe; never on a terminal, which is \
               the program's.",
        ..DEFAULTS
    },
    Spec {
        name: "redraw",
        mistaken: &["inplace"],
        shape: Shape::Flag(|o| o.redraw = true),
        example: "#redraw",
        help: "On a terminal, draw each live histogram over the last one. Only for programs that neither write to \
               that terminal nor read from it: what they write there is drawn over. Needs #live.",
        needs: &["live"],
        ..DEFAULTS
    },
    Spec {
        name: "periodic",
        shape: Shape::Value("SECONDS[,RESETS]", |o, v| value::periodic(v).map(|p| o.periodic = Some(p))),
        example: "#periodic-60,-1",
        help: "Write a report every SECONDS while profiling is on, and start again from zero after the first RESETS \
               of them: 0 (default) never, a negative number always.",
        ..DEFAULTS
    },
    Spec {
        name: "output",
        shape: Shape::Value("DIR", |o, v| value::template(v).map(|dir| o.output_dir = Some(dir))),
        example: "#output-logs/%p",
        help: "Append reports, with all rows, to DIR/mayfly.log, instead of one screen on stderr. DIR is made if missing; %p is \
               the pid, %h the host, %t the start time, %% a percent sign.",
        ..DEFAULTS
    },
    Spec {
        name: "outputlimit",
        mistaken: &["limit"],
        shape: Shape::Value("N", |o, v| value::rows(v).map(|rows| o.view.rows = Some(rows))),
        example: "#outputlimit-10",
        help: "Print reports in full, with at most N rows per list: classes, sites, blamed classes, methods. Totals do not \
               change. Default: one screen on stderr; into #output all rows, but of sites the 1,000 largest.",
        ..DEFAULTS
    },
    Spec {
        name: "delayprofiling",
        mistaken: &["delay", "paused"],
        shape: Shape::Flag(|o| o.delay_profiling = true),
        example: "#delayprofiling",
        help: "Start paused: nothing is counted until io.mayfly.Mayfly.start() is called, or `mayfly resume PID`.",
        ..DEFAULTS
    },
    Spec {
        name: "recording",
        mistaken: &["record", "file"],
        shape: Shape::Value("FILE", |o, v| value::template(v).map(|file| o.recording = Some(file))),
        example: "#recording-run-%p.mayfly",
        help: "Record into FILE, to be read with `mayfly report FILE`; % codes as in #output.",
        ..DEFAULTS
    },
    Spec {
        name: "loop",
        mistaken: &["rotate", "rotation"],
        shape: Shape::Value("TIME|SIZE", |o, v| value::bound(v, o.rotate.get_or_insert_default(), 1 << 20)),
        example: "#loop-1h",
        help: "Go on in a new file each TIME (seconds, or with s, min, h, d), or when the file has SIZE (with mb, g), or, if both are \
               given, whichever comes first. FILE's name gets when the agent was started, and a number. Each file says what \
               happened in its own time; `mayfly report` and `mayfly merge` take all of them together, as one run.",
        needs: &["recording"],
        ..DEFAULTS
    },
    Spec {
        name: "keep",
        mistaken: &["retain", "maxage", "maxsize"],
        shape: Shape::Value("TIME|SIZE", |o, v| value::bound(v, &mut o.keep, 4 << 20)),
        example: "#keep-24h#keep-1g",
        help: "Of the files of #loop keep those of the last TIME, and no more than SIZE; older ones of this JVM are removed, and no \
               others. May be given once for each.",
        needs: &["loop"],
        ..DEFAULTS
    },
    Spec {
        name: "heapsummary",
        mistaken: &["histogram", "classhistogram"],
        shape: Shape::Flag(|o| o.heap.on_request = true),
        example: "#heapsummary",
        help: "On SIGQUIT (kill -QUIT) and `jcmd PID JVMTI.data_dump`, write what is on the heap, per class, to \
               heapsummary.YYYYMMDDhhmmss. Costs nothing until asked; with heap options alone nothing is profiled. \
               HeapSummary's form is understood, too: dir=logs,sort=count.",
        ..DEFAULTS
    },
    Spec {
        name: "heapexit",
        mistaken: &["heapatexit"],
        shape: Shape::Flag(|o| o.heap.at_exit = true),
        example: "#heapexit",
        help: "Write one such summary when the JVM ends.",
        ..DEFAULTS
    },
    Spec {
        name: "heapoom",
        mistaken: &["heapatoom", "heapdumponoutofmemoryerror"],
        shape: Shape::Flag(|o| o.heap.at_oom = true),
        example: "#heapoom",
        help: "Write one such summary at the first OutOfMemoryError for want of heap.",
        ..DEFAULTS
    },
    Spec {
        name: "heapdir",
        mistaken: &["heapoutput"],
        shape: Shape::Value("DIR", |o, v| value::template(v).map(|dir| o.heap.dir = Some(dir))),
        example: "#heapdir-logs/%p",
        help: "Folder of heap summaries, made if missing; % codes as in #output. Default: where the JVM was started. \
               Needs #heapsummary, #heapexit or #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
    Spec {
        name: "heapsort",
        shape: Shape::Value("size|count", |o, v| {
            o.heap.unknown_sort = None;
            heap::order(v).map(|order| o.heap.sort = Some(order))
        }),
        example: "#heapsort-count",
        help: "Sort heap summaries by bytes (default) or by number of objects. Needs #heapsummary, #heapexit or \
               #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
    Spec {
        name: "heapall",
        shape: Shape::Flag(|o| o.heap.all = true),
        example: "#heapall",
        help: "Count every object on the heap, dead ones included, instead of collecting twice before. Needs \
               #heapsummary, #heapexit or #heapoom.",
        needs: HEAP_OCCASIONS,
        ..DEFAULTS
    },
    Spec {
        name: "memlimit",
        mistaken: &["memory", "maxmemory"],
        shape: Shape::Value("BYTES", |o, v| {
            let bytes = value::size_within(v, (64 << 10, "64k"), (u64::MAX, ""))?;
            o.mem_limit = bytes;
            Ok(())
        }),
        example: "#memlimit-512m",
        help: "Native memory the agent may hold (k, m, g as suffix), default 256m. As it gets short, \
               fewer objects are tracked, each standing for more; the report says so.",
        ..DEFAULTS
    },
    Spec {
        name: "nocontrol",
        mistaken: &["control", "nosocket"],
        shape: Shape::Flag(|o| o.control = false),
        example: "#nocontrol",
        help: "Take no requests from outside: no socket in /tmp, so `mayfly status`, `pause`, `heap` and so on can't reach \
               this JVM.",
        ..DEFAULTS
    },
    Spec {
        name: "mbean",
        mistaken: &["jmx"],
        shape: Shape::Optional(
            "JAR",
            |o| o.mbean = Some(None),
            |o, v| {
                o.mbean = Some(Some(v.to_owned()));
                Ok(())
            },
        ),
        example: "#mbean",
        help: "Register the MBean io.mayfly:type=Profiler, to steer profiling by jconsole and the like; JAR is the path of \
               mayfly-api.jar if it is not on the class path.",
        ..DEFAULTS
    },
    Spec {
        name: CONTINUE,
        mistaken: &["ignore-errors", "keep-going"],
        // At a start that fails it is looked for in the text, as another option may be the error.
        shape: Shape::Flag(|o| o.on_error_continue = true),
        example: "#on-error-continue",
        help: "If the agent can't start (a wrong option, a folder that can't be written to, a JVM it does not know), say so and run \
               the program without it, instead of ending the launch. For services that are started again and again.",
        ..DEFAULTS
    },
    Spec {
        name: "help",
        shape: Shape::Flag(|o| o.help = true),
        example: "#help",
        help: "Print this text; the program is not started.",
        ..DEFAULTS
    },
];
