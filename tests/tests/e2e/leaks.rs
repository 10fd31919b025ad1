//! `mayfly leaks` on programs that leak, each in another way, and on such as only look so.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Outcome, Profiled, Running, Workspace, any_jvm, artifacts, each_jvm, fixture_classes, jvms,
    mayfly, shell_words, turns_of,
};
use serde_json::Value;

/// A scenario, the class of what it leaves, and what is on each path to it.
const LEAKS: [(&str, &str, &str); 10] = [
    ("staticMap", "leaks.Leaks$InStaticMap", "leaks.Leaks.ENTRIES->"),
    ("listeners", "leaks.Leaks$View", "leaks.Leaks$Model@"),
    ("threadLocal", "leaks.Leaks$InThreadLocal", "-threadLocals->"),
    ("classLoaders", "leaks.Plugin", "leaks.Leaks.PLUGINS->"),
    ("pooledThreadLocal", "leaks.Leaks$Pooled", "-threadLocals->"),
    ("queue", "leaks.Leaks$Queued", "leaks.Leaks.QUEUE->"),
    ("interned", "java.lang.String", "leaks.Leaks.INTERNED->"),
    ("innerClass", "leaks.Leaks$Request$1", "leaks.Leaks.CALLBACKS->"),
    ("timer", "leaks.Leaks$Forgotten", "-queue->"),
    ("classValue", "leaks.Leaks$InClassValue", "class values of a java.lang.Class->"),
];

/// What grows as a leak does, until entries expire.
const NOT_TOLD: (&str, &str, &str) = ("longSessions", "leaks.Leaks$Session", "leaks.Leaks.MANAGER->");

fn started(jvm: &Jvm) -> Running {
    Launch::new(jvm, "leaks.Leaks").start().when_ready()
}

/// What dumps tell: the exit code, and the JSON.
fn leaks(words: impl IntoIterator<Item = OsString>) -> (Option<i32>, Value) {
    let outcome = mayfly([OsString::from("leaks"), "--json".into()].into_iter().chain(words));
    json(&outcome)
}

#[track_caller]
fn json(outcome: &Outcome) -> (Option<i32>, Value) {
    let json = serde_json::from_str(&outcome.stdout);
    (outcome.code(), json.unwrap_or_else(|error| panic!("{error}: {}{}", outcome.stdout, outcome.stderr)))
}

/// The heap as the program writes it.
fn dumped(program: &mut Running, folder: &Workspace, number: usize) -> PathBuf {
    let file = folder.file(&format!("{number}.hprof"));
    program.does(&format!("dump {}", file.display()));
    file
}

#[track_caller]
fn named_first(json: &Value, class: &str, on_path: &str) {
    let first = &json["suspects"][0];
    assert_eq!(first["verdict"], "leak", "{json:#}");
    assert_eq!(first["class"], class, "{json:#}");
    assert!(first["path"].as_str().is_some_and(|path| path.contains(on_path)), "{on_path} in {json:#}");
}

fn called_leaks(json: &Value) -> Vec<&Value> {
    let suspects = json["suspects"].as_array().expect("a list");
    suspects.iter().filter(|suspect| suspect["verdict"] == "leak").collect()
}

#[test]
fn ten_leaks_are_named_first_with_what_holds_them() {
    let jvm = &jvms()[0];
    let (folder, mut program) = (Workspace::new(), started(jvm));
    let mut dumps = vec![dumped(&mut program, &folder, 0)];
    for (scenario, class, on_path) in LEAKS {
        for _ in 0..3 {
            program.does(scenario);
            let number = dumps.len();
            dumps.push(dumped(&mut program, &folder, number));
        }
        let last = dumps[dumps.len() - 4..].iter().map(|dump| dump.clone().into_os_string());
        let (code, json) = leaks(last);
        assert_eq!(code, Some(1), "{scenario} on {jvm}: {json:#}");
        named_first(&json, class, on_path);
        if scenario == "timer" {
            // Its thread holds the queue.
            assert_eq!(json["suspects"][0]["holder"], "leaks.Leaks.timer", "on {jvm}: {json:#}");
        }
        // What leaked before it stays as it is.
        assert_eq!(called_leaks(&json).len(), 1, "{scenario} on {jvm}: {json:#}");
    }
}

/// What so many dumps tell of a program, each after a round of a scenario.
fn leaks_in_dumps(jvm: &Jvm, scenario: &str, rounds: usize) -> (Option<i32>, Value) {
    let (folder, mut program) = (Workspace::new(), started(jvm));
    let dump = |number| {
        program.does(scenario);
        dumped(&mut program, &folder, number).into_os_string()
    };
    let dumps: Vec<_> = (0..rounds).map(dump).collect();
    leaks(dumps)
}

#[test]
fn what_only_looks_like_a_leak_is_not_called_one() {
    let jvm = &jvms()[0];
    let (code, json) = leaks_in_dumps(jvm, "steady", 6);
    assert!(called_leaks(&json).is_empty(), "on {jvm}: {json:#}");
    // What is held softly, and what grows ever more slowly, is not called harmless either.
    assert_eq!(code, Some(2), "on {jvm}: {json:#}");
    let holders = json["suspects"].as_array().expect("a list").iter();
    let mut holders: Vec<_> = holders.map(|suspect| suspect["held_by"][1].clone()).collect();
    holders.sort_by_key(ToString::to_string);
    assert_eq!(holders, ["SOFT: java.util.HashMap", "WARM: java.util.ArrayList"], "on {jvm}: {json:#}");
}

/// Sessions that are kept for half an hour grow as a leak does, for as long as they are looked at.
#[test]
fn what_has_fields_for_its_expiry_can_not_be_told_from_a_leak() {
    any_jvm(|jvm| {
        let (code, json) = leaks_in_dumps(jvm, "longSessions", 4);
        let doubts = json["suspects"][0]["doubts"].to_string();
        assert_eq!((code, called_leaks(&json).len()), (Some(2), 0), "on {jvm}: {json:#}");
        assert_eq!(json["suspects"][0]["class"], "leaks.Leaks$Session", "on {jvm}: {json:#}");
        assert!(doubts.contains("leaks.Leaks$Manager.byExpiration entries may yet"), "on {jvm}: {json:#}");
    });
}

/// "leaks, held by svc.Lru.table" of a bounded cache that was recorded until it was half full.
#[test]
fn a_map_that_drops_its_eldest_is_no_leak_while_it_fills() {
    any_jvm(|jvm| {
        let judged = |args: &[&str]| {
            let run = Profiled::new(jvm, "leaks.Eldest", "#trackcollections#trace")
                .with(|launch| launch.args(args));
            let _ = run.run();
            leaks([run.recording().into_os_string()])
        };
        let (code, json) = judged(&[]);
        let doubts = json["suspects"][0]["doubts"].to_string();
        assert_eq!((code, called_leaks(&json).len()), (Some(2), 0), "on {jvm}: {json:#}");
        assert!(doubts.contains("leaks.Eldest$Pages.removeEldestEntry"), "on {jvm}: {json:#}");
        let (_, json) = judged(&["kept"]);
        let doubts = json["suspects"][0]["doubts"].to_string();
        assert!(doubts.contains(" s only: "), "it drops none, for less than a second, on {jvm}: {json:#}");
    });
}

#[test]
fn a_running_jvm_is_searched_by_one_command() {
    each_jvm(|jvm| {
        for (scenario, class, on_path) in [LEAKS[0], LEAKS[2], NOT_TOLD] {
            let mut program = started(jvm);
            // Caches are full, and what is initialised is, before it is looked at.
            (0..4).for_each(|_| program.does("steady"));
            // It has leaked for longer than a buffer fills.
            (0..6).for_each(|_| program.does(scenario));
            let pid = program.pid().to_string();
            let words = [&*artifacts().cli, Path::new("leaks"), Path::new(&pid)];
            let words = format!("exec {} --step --json 2>&1", shell_words(words).replace('\'', ""));
            let mut command = Command::new("sh");
            command.args(["-c", &words]);
            let mut search = Running::of(command);
            for dump in 1..4 {
                search.wait_for_line(&format!("mayfly: dump {dump} of 4 is taken"));
                program.does("steady");
                program.does(scenario);
                search.send_line("");
            }
            let outcome = search.finish();
            let begin = outcome.stdout.find('{').unwrap_or_default();
            let told: Value = serde_json::from_str(&outcome.stdout[begin..])
                .unwrap_or_else(|error| panic!("{error} on {jvm}: {}", outcome.stdout));
            if scenario == NOT_TOLD.0 {
                assert_eq!((outcome.code(), called_leaks(&told).len()), (Some(2), 0), "on {jvm}: {told:#}");
                continue;
            }
            assert_eq!(outcome.code(), Some(1), "on {jvm}: {told:#}");
            named_first(&told, class, on_path);
            if scenario == LEAKS[2].0 {
                let holder = "thread local leaks.Leaks.LOCAL of thread main";
                assert_eq!(told["suspects"][0]["holder"], holder, "on {jvm}: {told:#}");
            }
            assert!(told["searched"]["paused_ms"].is_u64(), "{told:#}");
        }
    });
}

#[test]
fn a_program_that_does_nothing_has_no_leak_and_is_told_how_long_it_stood_still() {
    let jvm = &jvms()[0];
    let program = started(jvm);
    let outcome = mayfly(["leaks", &program.pid().to_string(), "--for", "1s", "--dumps", "2"]);
    let said = format!("on {jvm}: {}{}", outcome.stdout, outcome.stderr);
    assert_eq!(outcome.code(), Some(0), "{said}");
    assert!(outcome.stdout.contains(" ms in all") && outcome.stdout.contains("No leak was found"), "{said}");
}

/// Threads are in the map at each moment, and classes are loaded between the tagging of all and the walk.
#[test]
fn a_leak_into_a_busy_map_is_found_while_classes_load() {
    each_jvm(|jvm| {
        let program = Launch::new(jvm, "leaks.Busy").start().when_ready();
        let pid = program.pid().to_string();
        let folder = Workspace::new();
        let file = folder.file("busy.mayheap");
        let dumped = mayfly(["heap", "dump", &pid, &file.display().to_string(), "--walk", "--quiet"]);
        assert_eq!(dumped.code(), Some(0), "on {jvm}: {}", dumped.stderr);
        let rows = mayfly(["heap", "histogram", &file.display().to_string()]);
        assert!(rows.stdout.contains("leaks.Busy$Leaked"), "on {jvm}: {}{}", rows.stdout, rows.stderr);
        let (code, told) = leaks([pid.into(), "--for".into(), "3s".into()]);
        assert_eq!(code, Some(1), "on {jvm}: {told:#}");
        named_first(&told, "leaks.Busy$Leaked", "leaks.Busy.MAP->");
        assert_eq!(told["suspects"][0]["holder"], "leaks.Busy.MAP", "on {jvm}: {told:#}");
        assert_eq!(told["notes"].as_array().map(Vec::len), Some(0), "all dumps are whole: {told:#}");
    });
}

/// What was taken before is judged, and nothing is ruled out.
/// The heap stays small, and the process grows: each round leaves a hundred buffers of 64 KiB, and as many views of the same memory.
#[test]
fn a_leak_of_direct_buffers_has_the_bytes_that_are_not_in_the_heap() {
    const ROUND: u64 = 100 * (64 << 10);
    each_jvm(|jvm| {
        let (folder, mut program) = (Workspace::new(), started(jvm));
        let pid = program.pid().to_string();
        let (mut written, mut walked, mut packed) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..4 {
            program.does("buffers");
            let hprof = dumped(&mut program, &folder, number);
            let [walk, pack] = ["walk", "pack"].map(|of| folder.file(&format!("{number}.{of}")));
            let file = |path: &Path| path.display().to_string();
            let dump = mayfly(["heap", "dump", &pid, &file(&walk), "--walk", "--quiet"]);
            let other = mayfly(["heap", "dump", &pid, &file(&pack), "--quiet"]);
            assert_eq!((dump.code(), other.code()), (Some(0), Some(0)), "{} {}", dump.stderr, other.stderr);
            written.push(hprof.into_os_string());
            walked.push(walk.into_os_string());
            packed.push(pack.into_os_string());
        }
        for dumps in [written, walked, packed] {
            let (code, json) = leaks(dumps);
            assert_eq!((code, called_leaks(&json).len()), (Some(1), 1), "on {jvm}: {json:#}");
            let first = &json["suspects"][0];
            let off_heap = (1..=4).map(|rounds| rounds * ROUND).collect::<Vec<_>>();
            assert_eq!(first["off_heap_bytes"], serde_json::json!(off_heap), "on {jvm}: {json:#}");
            assert_eq!(first["holder"], "leaks.Leaks.BUFFERS", "on {jvm}: {json:#}");
        }
    });
}

/// A search for an hour, of which the first dump is taken.
fn searched(pid: &str) -> Running {
    let words = [&*artifacts().cli, Path::new("leaks"), Path::new(pid)];
    let words = format!("exec {} --for 1h --dumps 2 2>&1", shell_words(words).replace('\'', ""));
    let mut command = Command::new("sh");
    command.args(["-c", &words]);
    let mut search = Running::of(command);
    search.wait_for_line("mayfly: dump 1 of 2 is taken");
    search
}

#[test]
fn a_jvm_that_ends_during_the_search_is_judged_by_what_was_taken() {
    any_jvm(|jvm| {
        let mut program = Launch::new(jvm, "leaks.Busy").start().when_ready();
        let pid = program.pid().to_string();
        let search = searched(&pid);
        program.send_line("");
        let outcome = search.finish();
        let said = format!("on {jvm}: {}", outcome.stdout);
        assert_eq!(outcome.code(), Some(2), "{said}");
        assert!(outcome.stdout.contains("the JVM ended before the last of 2 dumps was taken"), "{said}");
    });
}

/// The JVM is sampled while it is searched, and no longer.
#[test]
fn a_search_that_is_interrupted_leaves_the_jvm_as_it_was() {
    any_jvm(|jvm| {
        let mut program = Launch::new(jvm, "leaks.Busy").start().when_ready();
        let pid = program.pid().to_string();
        let search = searched(&pid);
        let told = Command::new("kill").args(["-INT", &search.pid().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()), "on {jvm}");
        let outcome = search.finish();
        let said = format!("on {jvm}: {}", outcome.stdout);
        assert_eq!(outcome.code(), Some(2), "{said}");
        assert!(outcome.stdout.contains("was ended early, by a signal"), "{said}");
        let status = mayfly(["status", &pid]).ok().stdout;
        assert!(status.contains("agent  ") && !status.contains("profiling  "), "on {jvm}: {status}");
        program.send_line("");
    });
}

/// Follows each object with its stack: a run of seconds has few samples.
const EACH_STACK: &str = "#trackcollections#trace-all";

/// Sixteen rounds, each with a collection, recorded: of less than six seconds nobody knows what leaks.
fn recorded(jvm: &Jvm, scenario: &str) -> Profiled {
    let lines = [scenario, "collect", "pause"].repeat(16);
    let run = Profiled::new(jvm, "leaks.Leaks", EACH_STACK).with(|launch| launch.args(&lines));
    run.run();
    run
}

#[test]
fn a_recording_tells_who_allocates_what_stays() {
    let jvm = &jvms()[0];
    let queue = recorded(jvm, "queue");
    let (code, json) = leaks([queue.recording().into_os_string(), "--trust".into(), "0.5".into()]);
    assert_eq!(code, Some(1), "on {jvm}: {json:#}");
    let first = &json["suspects"][0];
    assert_eq!(first["verdict"], "leak", "on {jvm}: {json:#}");
    let by = first["allocated_by"].as_str().unwrap_or_default();
    assert!(["leaks.Leaks.queue", "leaks.Leaks$Payload.<init>"].contains(&by), "on {jvm}: {json:#}");
    let run = recorded(jvm, "steady");
    let words = [run.recording().into_os_string(), "--trust".into(), "0.5".into()];
    let (code, json) = leaks(words.clone());
    assert_ne!(code, Some(1), "on {jvm}: {json:#}");
    assert!(called_leaks(&json).is_empty(), "on {jvm}: {json:#}");
    let text = mayfly(["leaks".into()].into_iter().chain(words.clone())).stdout;
    assert!(text.contains("that had returned when the recording ended"), "on {jvm}: {text}");
    let [steady, ..] = words;
    let both = ["diff", "--json", "--trust", "0.5"].map(OsString::from);
    let (_, compared) =
        self::json(&mayfly(both.into_iter().chain([queue.recording().into_os_string(), steady])));
    let leak = &compared["leaks"]["rows"][0];
    assert_eq!(leak["place"], "leaks.Leaks.QUEUE", "on {jvm}: {compared:#}");
    let rates =
        leak["bytes_per_s"].as_array().map(|sides| sides.iter().map(|side| side.as_array().map(Vec::len)));
    let rates: Vec<_> = rates.expect("two sides").collect();
    assert_eq!(rates, [Some(1), Some(0)], "on {jvm}: {compared:#}");
}

/// The field nearest above the container, and the way to it; in each way of following objects.
#[test]
fn a_recording_names_who_holds_what_grows() {
    let scenarios = [
        ("staticMap", "leaks.Leaks.ENTRIES", "java.util.HashMap.table"),
        ("listeners", "leaks.Leaks$Model.listeners", "leaks.Leaks.MODEL"),
        ("queue", "leaks.Leaks.QUEUE", "java.util.concurrent.LinkedBlockingQueue.head"),
        ("threadLocal", "java.lang.Thread.threadLocals", "java.util.ArrayList.elementData"),
    ];
    each_jvm(|jvm| {
        for &(scenario, holder, on_the_way) in turns_of(jvm, 0, &scenarios) {
            let run = recorded(jvm, scenario);
            let (_, told) = leaks([run.recording().into_os_string(), "--trust".into(), "0.5".into()]);
            let first = &told["suspects"][0];
            assert_eq!(first["holder"], holder, "{scenario} on {jvm}: {told:#}");
            let way = first["held_by"].to_string();
            assert!(way.contains(on_the_way) && !way.contains("..."), "{scenario} on {jvm}: {told:#}");
        }
    });
}

/// Requests in a journal that fill the heap: what fills it is one leak with its holder, and no flag is of use.
#[test]
fn a_full_heap_is_said_first_and_no_flag_empties_it() {
    any_jvm(|jvm| {
        for gc in ["Serial", "Parallel", "G1"] {
            let (folder, collector) = (Workspace::new(), format!("-XX:+Use{gc}GC"));
            let file = folder.file("run.mayfly").display().to_string();
            let (java, classes) = (jvm.java().display().to_string(), fixture_classes().display().to_string());
            let program = [&java, "-Xmx64m", "-XX:-UseGCOverheadLimit", &collector, "-cp", &classes];
            let words = ["run", "-o", &file, "--"].into_iter().chain(program).chain(["filled.Filled"]);
            mayfly(words).ok();
            let screen = mayfly(["report", &file]).ok().stdout;
            let (_, found) = screen.split_once("Found:\n").expect(&screen);
            assert!(found.starts_with("  ! the heap is full: "), "{gc} on {jvm}: {screen}");
            assert!(found.contains("held by filled.Filled$Journal.requests\n"), "{gc} on {jvm}: {screen}");
            let advice = mayfly(["advise", &file]).ok().stdout;
            let words = advice.lines().next().unwrap_or_default();
            let is_none = words.starts_with("Nothing to gain from a flag: ");
            assert!(
                is_none && words.contains("the heap is full of what lives and grows"),
                "{gc} on {jvm}: {advice}"
            );
            let (code, told) = leaks([OsString::from(&file)]);
            assert_eq!(
                (code, &told["suspects"][0]["class"]),
                (Some(1), &"filled.Filled$Request".into()),
                "{told:#}"
            );
        }
    });
}

/// Of a JVM that runs on, by its own sampler: a full collection at the end, and holders.
#[test]
fn a_record_that_collects_names_who_holds_what_grows() {
    any_jvm(|jvm| {
        let program = Launch::new(jvm, "leaks.Busy").jvm_args(&["-Xmx96m"]).start().when_ready();
        let folder = Workspace::new();
        let (pid, file) = (program.pid().to_string(), folder.file("collected.mayfly"));
        let words =
            ["record", &pid, "--for", "8s", "--collect", "-o", &file.display().to_string(), "#sample-2k"];
        let said = mayfly(words).ok().stderr;
        assert!(said.contains("requesting a collection of the whole heap"), "on {jvm}: {said}");
        let (code, told) = leaks([file.into_os_string(), "--trust".into(), "0.5".into()]);
        assert_eq!(code, Some(1), "on {jvm}: {told:#}");
        let first = &told["suspects"][0];
        assert_eq!(first["verdict"], "leak", "on {jvm}: {told:#}");
        assert_eq!(first["holder"], "leaks.Busy.MAP", "on {jvm}: {told:#}");
        let mut program = program;
        program.send_line("");
    });
}

/// A service has no end to wait for.
#[test]
fn a_program_that_runs_is_judged_by_its_snapshot_and_by_its_recording_as_of_its_last_step() {
    let jvm = &jvms()[0];
    let run = Profiled::new(jvm, "leaks.Leaks", EACH_STACK);
    let mut program = run.start().when_ready();
    // At an even pace, whatever the JIT compiler and the machine do: as a leak comes.
    for round in 0..32 {
        program.does("queue");
        program.does("collect");
        if round % 2 == 0 {
            program.does("pause");
        }
        program.wait_until_idle();
    }
    let folder = Workspace::new();
    let file = folder.file("snapshot.mayfly");
    mayfly(["snapshot", &program.pid().to_string(), "-o", &file.display().to_string()]).ok();
    let report = mayfly(["report".as_ref(), file.as_os_str()]).ok();
    assert!(report.stderr.is_empty() && !report.stdout.contains("not ended"), "on {jvm}: {report:?}");
    for (file, has_end) in [(file, true), (run.recording().to_owned(), false)] {
        let (code, told) = leaks([file.into_os_string(), "--trust".into(), "0.5".into()]);
        assert_eq!(code, Some(1), "on {jvm}: {told:#}");
        assert_eq!(told["suspects"][0]["verdict"], "leak", "on {jvm}: {told:#}");
        let note = told["notes"].to_string();
        assert_eq!(
            note.contains("has no end") && note.contains("as of its last step"),
            !has_end,
            "on {jvm}: {note}"
        );
    }
}
