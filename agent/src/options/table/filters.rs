//! Which objects are reported and tracked.

use crate::options::spec::{DEFAULTS, Shape, Spec};
use crate::options::value;

pub(super) const SPECS: &[Spec] = &[
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
];
