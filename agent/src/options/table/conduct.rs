//! The agent itself: its memory, who may steer it, what happens if it can't start.

use crate::options::spec::{CONTINUE, DEFAULTS, Shape, Spec};
use crate::options::value;

pub(super) const SPECS: &[Spec] = &[
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
