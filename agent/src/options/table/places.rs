//! By what counts are told apart: stacks, threads, class loaders, scopes, labels.

use crate::options::spec::{DEFAULTS, Shape, Spec};
use crate::options::value;

pub(super) const SPECS: &[Spec] = &[
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
               #trackcollections, #track-balanced or #scope-survivors what survives it. May be given several times. \
               In the program: io.mayfly.Mayfly.scope.",
        ..DEFAULTS
    },
    Spec {
        name: "scope-survivors",
        mistaken: &["scopesurvivors", "survivors"],
        shape: Shape::Flag(|o| o.scope_survivors = true),
        example: "#scope-survivors",
        help: "Beside a sample of all objects, follows a share of those that each scope makes of each class: reports say what \
               survives it. #trackcollections and #track-balanced know that without.",
        needs: &["sample", "trackcollections", "track-balanced"],
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
];
