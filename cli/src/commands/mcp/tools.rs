//! The tools: each a command line of this program.

use std::path::Path;

use serde_json::{Value, json};

use super::given::{Given, Kind, Parameter, schema};

/// A tool, and the command that it is.
#[derive(Debug)]
pub(super) struct Tool {
    name: &'static str,
    help: &'static str,
    parameters: &'static [Parameter],
    /// Words behind the program's name.
    words: fn(&Given) -> Vec<String>,
    needs: Needs,
    /// The JSON Schema of its documents; none: it answers in words.
    answers: Option<&'static str>,
}

/// What a tool does to JVMs and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// It reads.
    Nothing,
    /// It attaches to a JVM if this argument names no file.
    AttachUnlessFile(&'static str),
    /// It attaches to a JVM, and writes a recording.
    Attach,
}

const fn text(name: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, required: false, help }
}

const fn required(name: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, required: true, help }
}

const LIMIT: Parameter = Parameter {
    name: "limit",
    kind: Kind::Number,
    required: false,
    help: "most rows, 20 if not given; totals cover everything",
};
const RECORDING: Parameter = required("recording", "path of a recording (*.mayfly)");
const JVM: Parameter = required("jvm", "process id, or a main class or jar that exactly one JVM runs");

/// Questions to a heap: the command's verbs.
const QUESTIONS: &[&str] =
    &["histogram", "retained", "paths", "holders", "roots", "strings", "instances", "growth"];

/// All of them.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "list_jvms",
        help: "JVMs of this machine: process id, main class, Java version, uptime, state of the agent.",
        parameters: &[],
        words: |_| strings(&["ps", "--json"]),
        needs: Needs::Nothing,
        answers: Some(include_str!("../../../../docs/schemas/mayfly-ps-1.json")),
    },
    Tool {
        name: "status",
        help: "What the agent in a running JVM does, and how full the heap is. Fails if the JVM has no agent.",
        parameters: &[JVM],
        words: |given| behind(strings(&["status", "--json"]), [given.text("jvm").to_owned()]),
        needs: Needs::Nothing,
        answers: Some(include_str!("../../../../docs/schemas/mayfly-status-1.json")),
    },
    Tool {
        name: "report",
        help: "A recording: classes and sites by bytes allocated, what is live, lifetimes, collections, coverage.",
        parameters: &[
            RECORDING,
            LIMIT,
            text("include", "only classes whose name starts so; commas between several"),
            text("exclude", "not the classes whose name starts so"),
            text("lived", "only objects that lived so long, e.g. 30s..5m or 1s.."),
            text("during", "only this time of the run, e.g. 10s..60s"),
        ],
        words: report,
        needs: Needs::Nothing,
        answers: Some(include_str!("../../../../docs/schemas/mayfly-report-1.json")),
    },
    Tool {
        name: "leaks",
        help: "What grows without end, and who holds it: a recording, two heap dumps or more (oldest first), or a running JVM, of \
               which dumps are taken (each pauses the program; 30 s by default).",
        parameters: &[
            Parameter {
                name: "targets",
                kind: Kind::Texts,
                required: true,
                help: "a recording; or dumps, oldest first; or a process id",
            },
            Parameter {
                name: "seconds",
                kind: Kind::Number,
                required: false,
                help: "of a running JVM: time from first to last dump",
            },
            Parameter {
                name: "dumps",
                kind: Kind::Number,
                required: false,
                help: "of a running JVM: how many, 4 if not given",
            },
        ],
        words: leaks,
        needs: Needs::AttachUnlessFile("targets"),
        answers: Some(include_str!("../../../../docs/schemas/mayfly-leaks-1.json")),
    },
    Tool {
        name: "diff",
        help: "What changed between recordings before and after a change, and how sure that is. Three of each side or more are best.",
        parameters: &[
            Parameter {
                name: "before",
                kind: Kind::Texts,
                required: true,
                help: "recordings of the program as it was",
            },
            Parameter {
                name: "after",
                kind: Kind::Texts,
                required: true,
                help: "recordings of the program as it is now",
            },
            text("per", "operations that each recording did, commas between; one number for all"),
        ],
        words: diff,
        needs: Needs::Nothing,
        answers: Some(include_str!("../../../../docs/schemas/mayfly-diff-1.json")),
    },
    Tool {
        name: "heap",
        help: "A heap dump (Mayfly's, hprof), or the heap of a running JVM: objects by class, what retains most, why an object is \
               alive, who holds it, strings.",
        parameters: &[
            Parameter {
                name: "question",
                kind: Kind::Choice(QUESTIONS),
                required: true,
                help: "histogram, retained, paths (to `of`), holders (of `of`), roots, strings (duplicates, or with `search`), instances (of `of`), growth (from `target` to `after`)",
            },
            required("target", "path of a dump, or a process id"),
            text("of", "class or object id (CLASS@1f): for paths, holders, instances, and retained"),
            text("search", "strings: only those that contain this"),
            text("after", "growth: path of the later dump"),
            Parameter {
                name: "by",
                kind: Kind::Choice(&["object", "class", "loader"]),
                required: false,
                help: "retained: object, class or loader",
            },
            LIMIT,
        ],
        words: heap,
        needs: Needs::AttachUnlessFile("target"),
        answers: Some(include_str!("../../../../docs/schemas/mayfly-heap-1.json")),
    },
    Tool {
        name: "advise",
        help: "Which flag helps, or that there is nothing to gain; why the collector is busy; what code could do.",
        parameters: &[
            RECORDING,
            text("gc_log", "path of the JVM's log of the same settings (-Xlog:gc*)"),
            text(
                "young",
                "size of the young generation of the recorded run, e.g. 64m, if the recording lacks it",
            ),
        ],
        words: advise,
        needs: Needs::AttachUnlessFile("recording"),
        answers: Some(include_str!("../../../../docs/schemas/mayfly-advice-1.json")),
    },
    Tool {
        name: "record",
        help: "Profiles a running JVM for a while, and writes a recording for `report`: by its sampler, or every allocation with `exact`.",
        parameters: &[
            JVM,
            required("output", "path of the recording to write, ending in .mayfly; it must not exist"),
            Parameter {
                name: "seconds",
                kind: Kind::Number,
                required: false,
                help: "how long, 30 if not given",
            },
            Parameter {
                name: "exact",
                kind: Kind::Flag,
                required: false,
                help: "count every allocation: rewrites classes, with pauses",
            },
        ],
        words: record,
        needs: Needs::Attach,
        answers: None,
    },
];

impl Tool {
    /// The one of that name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// As `tools/list` has it.
    pub(super) fn described(&self) -> Value {
        let reads = self.needs != Needs::Attach;
        let mut described = json!({
            "name": self.name,
            "description": self.help,
            "inputSchema": schema(self.parameters),
            "annotations": { "readOnlyHint": reads, "destructiveHint": false, "openWorldHint": false },
        });
        if let Some(schema) = self.answers.and_then(|schema| serde_json::from_str(schema).ok()) {
            described["outputSchema"] = schema;
        }
        described
    }

    /// The command line for these arguments.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn words(&self, arguments: &Value, may_attach: bool) -> Result<Vec<String>, String> {
        let given = Given::checked(arguments, self.parameters)?;
        let attaches = match self.needs {
            Needs::Nothing => false,
            Needs::AttachUnlessFile(name) => !given
                .texts(name)
                .iter()
                .chain([&given.text(name).to_owned()])
                .all(|word| word.is_empty() || is_file(word)),
            Needs::Attach => true,
        };
        if attaches && !may_attach {
            return Err("this needs a running JVM, and the server was started without --allow-attach; name a file, or start \
                        it as: mayfly mcp --allow-attach"
                .to_owned());
        }
        if self.needs == Needs::Attach {
            check_output(given.text("output"))?;
        }
        Ok((self.words)(&given))
    }
}

fn is_file(word: &str) -> bool {
    Path::new(word).is_file()
}

/// Nothing is written over.
fn check_output(output: &str) -> Result<(), String> {
    let path = Path::new(output);
    if path.extension().is_none_or(|extension| extension != "mayfly") {
        return Err(format!("output has to end in .mayfly: {output}"));
    }
    if path.exists() { Err(format!("{output} is there already; choose another name")) } else { Ok(()) }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Options, then what is none.
fn behind(mut options: Vec<String>, names: impl IntoIterator<Item = String>) -> Vec<String> {
    options.push("--".to_owned());
    options.extend(names);
    options
}

fn report(given: &Given) -> Vec<String> {
    let mut words = strings(&["report", "--json"]);
    words.extend(given.option("limit", "limit", "20"));
    words.extend(
        ["include", "exclude", "lived", "during"].iter().filter_map(|name| given.option(name, name, "")),
    );
    behind(words, [given.text("recording").to_owned()])
}

fn leaks(given: &Given) -> Vec<String> {
    let mut words = strings(&["leaks", "--json"]);
    words.extend(given.option("for", "seconds", ""));
    words.extend(given.option("dumps", "dumps", ""));
    behind(words, given.texts("targets"))
}

fn diff(given: &Given) -> Vec<String> {
    let mut words = strings(&["diff", "--json"]);
    words.extend(given.option("per", "per", ""));
    for name in ["before", "after"] {
        words.extend(given.texts(name).iter().map(|file| format!("--{name}={file}")));
    }
    words
}

fn heap(given: &Given) -> Vec<String> {
    let question = given.text("question");
    let mut words = strings(&["heap", question, "--json"]);
    let of = match question {
        "paths" => Some("to"),
        "holders" | "instances" | "retained" => Some("of"),
        _ => None,
    };
    words.extend(of.and_then(|option| given.option(option, "of", "")));
    match question {
        "strings" => words.extend(given.option("search", "search", "")),
        "retained" => words.extend(given.option("by", "by", "")),
        _ => {}
    }
    words.extend((question != "paths").then(|| given.option("limit", "limit", "20")).flatten());
    let mut names = vec![given.text("target").to_owned()];
    if question == "growth" {
        names.push(given.text("after").to_owned());
    } else {
        // An index is a file, too.
        words.push("--no-index".to_owned());
    }
    behind(words, names)
}

fn advise(given: &Given) -> Vec<String> {
    let mut words = strings(&["advise", "--json"]);
    words.extend(given.option("gc-log", "gc_log", ""));
    words.extend(given.option("young", "young", ""));
    // What stands behind `--` is a program to run there. A path never begins with a dash.
    let recording = given.text("recording");
    words.push(if recording.starts_with('-') { format!("./{recording}") } else { recording.to_owned() });
    words
}

fn record(given: &Given) -> Vec<String> {
    let mut words = strings(&["record"]);
    words.extend(given.option("for", "seconds", "30"));
    words.extend(given.option("output", "output", ""));
    words.extend(given.has("exact").then(|| "--exact".to_owned()));
    behind(words, [given.text("jvm").to_owned()])
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    /// Each argument that a tool takes, at once where the command takes them so.
    fn arguments(tool: &Tool, but_for: &[&str]) -> Value {
        let value = |parameter: &Parameter| match (parameter.name, parameter.kind) {
            ("lived" | "during", _) => json!("1s..2s"),
            ("output", _) => json!("new.mayfly"),
            ("young", _) => json!("64m"),
            ("per", _) => json!("7"),
            (_, Kind::Text) => json!("-x"),
            (_, Kind::Texts) => json!(["-x", "y"]),
            (_, Kind::Number) => json!(4),
            (_, Kind::Flag) => json!(true),
            (_, Kind::Choice(words)) => json!(words[0]),
        };
        let wanted = tool.parameters.iter().filter(|parameter| !but_for.contains(&parameter.name));
        wanted.map(|parameter| (parameter.name.to_owned(), value(parameter))).collect()
    }

    #[track_caller]
    fn accepted(tool: &Tool, arguments: &Value) {
        let words = tool.words(arguments, true).expect("words");
        let line: Vec<_> = std::iter::once("mayfly".to_owned()).chain(words).collect();
        if let Err(error) = Cli::try_parse_from(&line) {
            panic!("{line:?}: {error}");
        }
    }

    #[test]
    fn every_tool_is_a_command_line_whatever_its_arguments() {
        for tool in TOOLS {
            accepted(tool, &arguments(tool, &[]));
        }
        let heap = Tool::named("heap").expect("a tool");
        for question in QUESTIONS {
            let mut given = arguments(heap, if *question == "retained" { &["by"] } else { &[] });
            given["question"] = json!(question);
            accepted(heap, &given);
        }
    }

    #[test]
    fn documents_have_a_schema() {
        for tool in TOOLS {
            let schema = tool.described()["outputSchema"].clone();
            assert_eq!(schema["type"].as_str(), tool.answers.map(|_| "object"), "{}", tool.name);
        }
    }

    #[test]
    fn without_leave_files_alone_are_read() {
        let refused = |name: &str, arguments: Value| {
            Tool::named(name).expect("a tool").words(&arguments, false).is_err()
        };
        let file = env!("CARGO_MANIFEST_DIR").to_owned() + "/Cargo.toml";
        assert!(refused("leaks", json!({ "targets": ["4711"] })));
        assert!(!refused("leaks", json!({ "targets": [file] })));
        assert!(refused("heap", json!({ "question": "histogram", "target": "4711" })));
        assert!(!refused("heap", json!({ "question": "histogram", "target": file })));
        assert!(refused("advise", json!({ "recording": "4711" })));
        assert!(refused("record", json!({ "jvm": "4711", "output": "new.mayfly" })));
        assert!(!refused("list_jvms", json!({})));
    }

    #[test]
    fn no_argument_is_a_program_to_run() {
        let words = |recording: &str| {
            Tool::named("advise")
                .expect("a tool")
                .words(&json!({ "recording": recording }), true)
                .expect("words")
        };
        for recording in ["--", "-rf", "/bin/sh"] {
            let line = std::iter::once("mayfly".to_owned()).chain(words(recording));
            match Cli::try_parse_from(line).expect("a command line").command {
                crate::args::Command::Advise(args) => assert!(args.command.is_empty(), "{recording}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_recording_is_written_over_nothing() {
        let record = |output: &str| {
            Tool::named("record").expect("a tool").words(&json!({ "jvm": "1", "output": output }), true)
        };
        assert!(record("/etc/passwd").is_err());
        assert!(record("new.mayfly").is_ok());
    }
}
