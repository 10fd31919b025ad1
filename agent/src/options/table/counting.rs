//! What is counted, and of whom lifetimes are followed.

use crate::options::spec::{DEFAULTS, Shape, Spec};
use crate::options::value;

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
               whatever counts; also in a JVM that runs already, from its first collection on. Pauses grow by the reading, which #pause \
               bounds; the report says by how much, and which part was read. Off unless asked for.",
        ..DEFAULTS
    },
    Spec {
        name: "pause",
        mistaken: &["pausebudget", "maxpause"],
        shape: Shape::Value("MS", |o, v| value::milliseconds(v).map(|most| o.pause = Some(most))),
        example: "#pause-5ms",
        help: "What #census may add to a pause, about, in milliseconds. Where reading takes longer, G1 has a part of its regions \
               read, and Serial and Parallel some of their collections, drawn at random; samples count for the rest. If not given, \
               reading takes a fifth of what pauses take without it, and with G1 4 ms of one at most. 0: all is read.",
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
        name: "nolastgc",
        mistaken: &["nofinalgc", "nogc"],
        shape: Shape::Flag(|o| o.last_gc = false),
        example: "#engine-sampled#nolastgc",
        help: "Collect nothing as the JVM ends: it ends a full collection sooner. Live is then what was not seen dead, and with \
               #census what came since the last collection is estimated from samples.",
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
];
