//! Where results go, and how often.

use std::time::Duration;

use crate::options::settings::Live;
use crate::options::spec::{DEFAULTS, Shape, Spec};
use crate::options::value;

pub(super) const SPECS: &[Spec] = &[
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
];
