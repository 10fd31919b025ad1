//! `mayfly heap` on real JVMs: every question on a dump of ours, an hprof file and XML of one program known by arithmetic,
//! the JVM's own histogram beside ours, and files that are damaged.
//!
//! Not here: how dumps are written (`heap_walk`), and what a second reader says (`heap_second_reader`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Outcome, Running, Terminal, Workspace, any_jvm, artifacts, each_jvm, fixture_classes, jcmd,
    mayfly, shell_words, skip,
};
use serde_json::Value;

const LINK: &str = "heapqueries.HeapQueries$Link";
const LEAKED: &str = "heapqueries.HeapQueries$Leaked";

/// A running fixture, and a folder for its dumps.
struct Target<'a> {
    jvm: &'a Jvm,
    running: Running,
    folder: Workspace,
}

impl<'a> Target<'a> {
    fn start(jvm: &'a Jvm) -> Self {
        let mut running = Launch::new(jvm, "heapqueries.HeapQueries").jvm_args(&["-Xmx128m"]).start();
        running.wait_for_line("READY");
        Self { jvm, running, folder: Workspace::new() }
    }

    fn pid(&self) -> String {
        self.running.pid().to_string()
    }

    /// What `jcmd` says; `None` without one.
    fn jcmd(&self, command: &[&str]) -> Option<String> {
        jcmd(self.jvm, &self.running, command)
    }

    /// The heap in the format that the name asks for; `walked.mayheap` by a walk.
    fn dump(&self, name: &str) -> PathBuf {
        let file = self.folder.file(name);
        let way: &[&str] = if name.starts_with("walked") { &["--walk"] } else { &[] };
        heap(&[&["dump", &self.pid(), path(&file), "--quiet"], way].concat()).ok();
        file
    }

    /// The heap in every format that can be had here.
    fn dumps(&self) -> Vec<PathBuf> {
        let names = ["heap.mayheap", "walked.mayheap", "heap.xml", "heap.insane"];
        let mut files = names.map(|name| self.dump(name)).to_vec();
        let hprof = self.folder.file("heap.hprof");
        if self.jcmd(&["GC.heap_dump", path(&hprof)]).is_some() {
            let converted = self.folder.file("converted.mayheap");
            heap(&["convert", path(&hprof), path(&converted)]).ok();
            files.extend([hprof, converted]);
        }
        files
    }
}

/// Whether it is in a format of INSANE's, which tell neither roots nor superclasses.
fn is_insanes(file: &Path) -> bool {
    file.extension().is_some_and(|name| name == "xml" || name == "insane")
}

/// Whether it is an hprof file, or was packed from one.
fn is_of_hprof(file: &Path) -> bool {
    !is_insanes(file) && !file.ends_with("walked.mayheap")
}

fn path(file: &Path) -> &str {
    file.to_str().expect("UTF-8")
}

fn heap(arguments: &[&str]) -> Outcome {
    mayfly([&["heap"], arguments].concat())
}

fn text(arguments: &[&str]) -> String {
    heap(arguments).ok().stdout
}

fn json(arguments: &[&str]) -> Value {
    let text = text(&[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
}

/// Objects and bytes by class.
fn rows(answer: &Value) -> BTreeMap<String, (u64, u64)> {
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key} in {row}"));
    let row = |row: &Value| {
        (row["class"].as_str().expect("a class").to_owned(), (number(row, "objects"), number(row, "bytes")))
    };
    answer["rows"].as_array().expect("rows").iter().map(row).collect()
}

/// For people a chain is one row, with units.
fn check_chains(file: &str) {
    let command = shell_words([artifacts().cli.as_path()]);
    let command = format!("{command} heap retained {}", shell_words([Path::new(file)]));
    let Some(terminal) = Terminal::run(120, 60, &command) else { return };
    let text = terminal.finish();
    let lines: Vec<_> = text.lines().collect();
    let is_row = |line: &&&str| line.contains(" KiB") && line.contains(&format!("  {LINK}@"));
    assert_eq!(lines.iter().filter(is_row).count(), 1, "{text}");
    let first = lines.iter().position(|line| is_row(&line)).expect("one");
    assert!(lines[first].ends_with(", heapqueries.HeapQueries.chain"), "{text}");
    assert!(lines[first + 1].starts_with(&format!("    next -> {LINK}@")), "{text}");
    assert!(text.contains(" are reachable"), "{text}");
    // The links of the chain, of which there are more than a screen, do not take the rows of others.
    let is_any_row =
        |line: &&&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit()) && line.contains("B ");
    assert!(lines.iter().filter(is_any_row).count() >= 15, "{text}");
    let Some(terminal) = Terminal::run(120, 60, &format!("{command} --by class --limit 40")) else { return };
    let text = terminal.finish();
    let is_row = |line: &str| line.contains(" KiB") && line.ends_with(&format!("    500  {LINK}"));
    assert!(text.lines().any(is_row), "{text}");
}

/// What is known of the program, asked of a dump in any format. INSANE's `findRoots`, `HeapModel` and `InsaneParser`.
fn check_answers(file: &str) {
    let histogram = rows(&json(&["histogram", file]));
    let (links, link_bytes) = histogram[LINK];
    assert_eq!((links, histogram["heapqueries.HeapQueries$Item"].0), (500, 1000), "{file}");
    // A chain of links, each with an array of eight longs: 16 bytes of header, or 12 and padding.
    let chain = link_bytes + 500 * 80;
    let size = json(&["size", file, "--of", "heapqueries.HeapQueries.Link"]);
    assert_eq!(size["total"], serde_json::json!({"objects": 1000, "bytes": chain}), "{file}");
    let without = json(&["size", file, "--of", LINK, "--skip", "long[]"]);
    assert_eq!(without["total"]["bytes"], link_bytes, "{file}");
    let retained = json(&["retained", file, "--of", LINK, "--limit", "1"]);
    assert_eq!(
        (&retained["rows"][0]["retained_bytes"], &retained["of"]),
        (&chain.into(), &500.into()),
        "{file}"
    );
    let head = retained["rows"][0]["name"].as_str().expect("an object").to_owned();
    let reached = rows(&json(&["reachable", file, "--from", &head]));
    assert_eq!(reached[LINK].0, 500, "{file}");
    let within = rows(&json(&["reachable", file, "--from", &head, "--within", LINK]));
    assert_eq!(within.len(), 1, "{file}: {within:?}");
    let instances = json(&["instances", file, LINK, "--deep", "--fields", "--limit", "500"]);
    let deep =
        instances["rows"].as_array().expect("rows").iter().filter_map(|row| row["deep_bytes"].as_u64());
    assert_eq!(deep.max(), Some(chain), "{file}");
    // The one that refers to the last link is the class, by its static field; XML knows it by that alone.
    let direct = json(&["holders", file, "--of", &head, "--direct"]);
    let holder = (&direct["rows"][0]["holder"], &direct["rows"][0]["by"]);
    assert!(
        holder.0.as_str().is_some_and(|name| name.starts_with("class heapqueries.HeapQueries@")),
        "{direct}"
    );
    assert_eq!((holder.1, &direct["holders"]), (&"static chain".into(), &1.into()), "{file}");
    let statics = text(&["instances", file, "class heapqueries.HeapQueries", "--fields"]);
    assert!(statics.contains(&format!("chain -> {head}\n")), "{file}: {statics}");
    let distribution = text(&["distribution", file]);
    assert!(distribution.contains(&format!("{LINK}: 500/{link_bytes}B\n")), "{file}: {distribution}");
    let last = distribution.lines().last().unwrap_or_default();
    assert!(last.starts_with("Total: "), "{file}: {last}");
}

/// INSANE's `findRoots`: from a static field, printed as INSANE does, the shortest.
fn check_paths(file: &str) {
    let path = text(&["paths", file, "--to", LEAKED]);
    let lines: Vec<_> = path.lines().collect();
    assert_eq!(lines.len(), 4, "{file}: {path}");
    assert!(
        lines[0].starts_with("static ") && lines[0].ends_with("heapqueries.HeapQueries.GROWING->"),
        "{path}"
    );
    assert!(lines[1].starts_with("java.util.ArrayList@") && lines[1].ends_with("-elementData->"), "{path}");
    assert!(lines[2].starts_with("[Ljava.lang.Object;@") && lines[2].ends_with("-[0]->"), "{path}");
    assert!(lines[3].starts_with("heapqueries.HeapQueries$Leaked@"), "{path}");
    let excluded = text(&["paths", file, "--to", LEAKED, "--exclude", "java.util.ArrayList"]);
    assert!(excluded.starts_with("no path along strong references"), "{file}: {excluded}");
    let soft = "heapqueries.HeapQueries$OnlySoftly";
    let none = text(&["paths", file, "--to", soft]);
    assert!(none.contains("there is one by a soft reference (--soft)"), "{file}: {none}");
    let path = text(&["paths", file, "--to", soft, "--soft"]);
    assert!(path.contains("java.lang.ref.SoftReference@") && path.contains("-referent->"), "{file}: {path}");
}

/// INSANE's string queries: by text, and who refers to it; the grep recipe's strings, without grep.
fn check_strings(file: &str) {
    let duplicates = json(&["strings", file, "--limit", "1000000"]);
    let rows = duplicates["rows"].as_array().expect("rows");
    let copies = |text: &str| rows.iter().find(|row| row["text"] == text).map(|row| row["strings"].as_u64());
    assert_eq!(copies("item 3"), Some(Some(100)), "{file}");
    let found = json(&["strings", file, "--search", "key 77", "--exact"]);
    assert_eq!(found["strings"], 1, "{file}");
    let holding =
        text(&["strings", file, "--search", "key 77", "--exact", "--held-by", "java.util.HashMap.Node"]);
    assert!(holding.contains("-key-> java.lang.String@"), "{file}: {holding}");
}

#[test]
fn every_format_gives_the_same_answers() {
    any_jvm(|jvm| {
        let target = Target::start(jvm);
        for file in target.dumps() {
            check_answers(path(&file));
            check_chains(path(&file));
            check_paths(path(&file));
            if file.extension().is_none_or(|name| name != "insane") {
                check_strings(path(&file));
            }
        }
    });
}

/// Roots that only a walk at a safepoint sees, and hprof: a local variable with its method, a thread's own.
#[test]
fn stacks_and_threads_hold() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        for file in target.dumps().iter().filter(|file| !is_insanes(file)) {
            let file = path(file);
            let path = text(&["paths", file, "--to", "heapqueries.HeapQueries$OnStack"]);
            assert!(path.contains("heapqueries.HeapQueries.hold"), "{file}: {path}");
            let path = text(&["paths", file, "--to", "heapqueries.HeapQueries$InThreadLocal"]);
            assert!(path.contains("java.lang.ThreadLocal$ThreadLocalMap$Entry@"), "{file}: {path}");
            assert!(path.contains("java.lang.Thread@"), "{file}: {path}");
            let kinds = text(&["roots", file]);
            assert!(kinds.contains("stack local") && kinds.contains("thread"), "{file}: {kinds}");
            let locals = text(&["roots", file, "--kind", "stack local"]);
            assert!(locals.contains("heapqueries.HeapQueries$OnStack@"), "{file}: {locals}");
        }
    });
}

/// Classes that the JVM tells otherwise in hprof files: of `java.lang.Class` only those of loaded classes, while its archive
/// brings others; and since JDK 19 the arrays by which it fills gaps, as arrays of int.
const PECULIAR: [&str; 3] = ["java.lang.Class", "[I", "[Ljdk.internal.vm.FillerElement;"];

/// The histogram of an hprof file says what `[I` holds.
fn check_note(file: &Path) {
    let note = json(&["histogram", path(file)])["note"].clone();
    assert!(note.as_str().is_some_and(|note| note.contains("FillerElement")), "{note}");
    assert!(
        text(&["histogram", path(file)]).contains("\nnote: arrays by which JDK 19"),
        "{}",
        file.display()
    );
}

/// What is too many of `[I` is missing of the fillers, to the byte.
fn check_fillers(differ: &[&Value]) {
    let more = |class: &str| {
        let row = differ.iter().find(|row| row["class"] == class);
        let bytes = |place: usize| row.and_then(|row| row["held"][place]["bytes"].as_i64()).unwrap_or(0);
        bytes(1) - bytes(0)
    };
    assert_eq!(more(PECULIAR[1]), -more(PECULIAR[2]), "{differ:#?}");
}

/// `GC.class_histogram` before and after: a class of which both say the same has so many objects and bytes in the hprof file, too.
/// In a dump by a walk this goes for the classes of the program: it does not come by what only the JVM
/// itself keeps.
#[test]
fn histograms_equal_the_jvms_own() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        let Some(before) = target.jcmd(&["GC.class_histogram"]) else { return };
        let files = target.dumps();
        let after = target.jcmd(&["GC.class_histogram"]).expect("a jcmd");
        let summaries = [("before.txt", before), ("after.txt", after)].map(|(name, text)| {
            let file = target.folder.file(name);
            fs::write(&file, text).expect("write");
            file
        });
        for file in files.iter().filter(|file| !is_insanes(file)) {
            let course = json(&["diff", path(&summaries[0]), path(file), path(&summaries[1])]);
            // Rows that changed and are the same at both ends: the file alone differs.
            let rows = course["rows"].as_array().expect("rows").iter();
            let differ: Vec<_> = rows.filter(|row| row["held"][0] == row["held"][2]).collect();
            let hprof = is_of_hprof(file);
            let judged =
                |class: &str| if hprof { !PECULIAR.contains(&class) } else { class.contains("heapqueries") };
            let odd: Vec<_> = differ.iter().filter(|row| row["class"].as_str().is_none_or(judged)).collect();
            assert!(odd.is_empty(), "{} on {jvm}: {odd:#?}", file.display());
            if hprof {
                check_fillers(&differ);
                check_note(file);
            }
            assert!(course["total"]["held"][1]["objects"].as_u64() > Some(5000), "{course}");
        }
    });
}

/// H-rows in short: a summary of a live JVM is the JVM's own histogram, and is compared with a later one.
#[test]
fn a_live_summary_shows_what_grows() {
    each_jvm(|jvm| {
        let mut target = Target::start(jvm);
        let (before, after) = (target.folder.file("before"), target.folder.file("after"));
        heap(&[&target.pid(), "--output", path(&before)]).ok();
        let live = rows(&json(&[&target.pid()]));
        assert_eq!(live[LINK].0, 500, "on {jvm}");
        if let Some(own) = target.jcmd(&["GC.class_histogram"]) {
            fs::write(target.folder.file("own"), own).expect("write");
            let own = json(&["diff", path(&target.folder.file("own")), path(&before)]);
            let odd = own["rows"].as_array().expect("rows").iter();
            let odd: Vec<_> = odd
                .filter(|row| row["class"].as_str().is_some_and(|class| class.starts_with("heapqueries")))
                .collect();
            assert!(odd.is_empty(), "on {jvm}: {odd:?}");
        }
        target.running.send_line("+");
        target.running.wait_for_line("READY");
        heap(&[&target.pid(), "--output", path(&after)]).ok();
        let grown = json(&["diff", path(&before), path(&after), "--sort", "count"]);
        let leak = grown["rows"].as_array().expect("rows").iter().find(|row| row["class"] == LEAKED);
        assert_eq!(leak.expect("it grew")["growth"]["objects"], 50, "on {jvm}");
    });
}

/// Garbage that is made all the time is not counted: the JVM collects and counts in one pause. Before, it was made between
/// the two, tens of thousands of arrays of it.
#[test]
fn a_live_summary_counts_no_garbage_of_a_busy_program() {
    each_jvm(|jvm| {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseG1GC"] {
            let mut running = Launch::new(jvm, "steered.Steered").jvm_args(&[collector, "-Xmx256m"]).start();
            running.wait_for_line("READY");
            let pid = running.pid().to_string();
            let arrays = || rows(&json(&[&pid]))["[B"].0;
            let before = arrays();
            running.send_line("spin");
            running.wait_for_line("DID spin");
            for _ in 0..3 {
                let busy = arrays();
                assert!(busy.abs_diff(before) < 1000, "{collector} on {jvm}: {before}, then {busy}");
            }
            let all = rows(&json(&[&pid, "--all"]))["[B"].0;
            assert!(all > before, "{collector} on {jvm}: with garbage {all}");
            let loaded = mayfly(["status", &pid]);
            assert_eq!(loaded.code(), Some(3), "on {jvm}: no agent was loaded for it");
        }
    });
}

/// A JVM that can't be attached to is asked through its agent, which says what its numbers hold.
#[test]
fn an_agent_counts_where_the_jvm_cannot_be_asked() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered")
            .agent("#live-0")
            .jvm_args(&["-XX:+DisableAttachMechanism"])
            .start();
        running.wait_for_line("READY");
        running.send_line("keep 500");
        running.wait_for_line("DID keep 500");
        let outcome = heap(&[&running.pid().to_string(), "--json"]).ok();
        assert!(outcome.stderr.contains("its agent counted"), "on {jvm}: {}", outcome.stderr);
        let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(rows(&answer)["steered.Steered$Item"].0, 500, "on {jvm}");
        assert_eq!(answer["source"]["counted_by"], "agent", "on {jvm}");
    });
}

/// The JVM writes its heap for the question.
#[test]
fn a_running_jvm_is_asked_as_a_dump_is() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        let pid = target.pid();
        check_paths(&pid);
        let answer = json(&["retained", &pid, "--of", LINK]);
        assert_eq!(answer["source"]["pid"], target.running.pid(), "on {jvm}");
        assert_eq!(answer["source"]["format"], "hprof", "on {jvm}");
        let dump = target.dump("heap.mayheap");
        assert_eq!(answer["of"], json(&["retained", path(&dump), "--of", LINK])["of"], "on {jvm}");
        assert_eq!(heap(&["roots", "999999999"]).code(), Some(3), "on {jvm}: no such process");
    });
}

/// Before anything is done to the JVM: a folder that is not there, and forms that go with no way, or with no file.
#[test]
fn a_dump_that_can_not_be_is_refused() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        for name in ["none/heap.mayheap", "none/heap.hprof", "none/heap.xml"] {
            let outcome = heap(&["dump", &target.pid(), path(&target.folder.file(name))]);
            assert_eq!((outcome.code(), &*outcome.stdout), (Some(2), ""), "{name}: {}", outcome.stderr);
            assert!(outcome.stderr.contains("No such file or directory"), "{}", outcome.stderr);
            assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        }
        let hprof = heap(&["dump", "--walk", &target.pid(), path(&target.folder.file("heap.hprof"))]);
        assert_eq!(
            (hprof.code(), hprof.stderr.contains("leave --walk out")),
            (Some(2), true),
            "{}",
            hprof.stderr
        );
        let converted =
            heap(&["convert", path(&target.dump("heap.mayheap")), path(&target.folder.file("b.mayheap"))]);
        let refused = converted.stderr.contains("only hprof files become dumps of ours");
        assert_eq!((converted.code(), refused), (Some(2), true), "{}", converted.stderr);
        assert_eq!(mayfly(["status", &target.pid()]).code(), Some(3), "on {jvm}: no agent was loaded for it");
    });
}

/// Objects of all classes that implement an interface, where the format tells; else that it does not.
#[test]
fn subclasses_of_an_interface_are_listed() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        for file in target.dumps() {
            let ask =
                |class: &str| heap(&["instances", path(&file), class, "--subclasses", "--limit", "100000"]);
            let maps = ask("java.util.Map");
            if file.ends_with("walked.mayheap") {
                let maps = maps.ok().stdout;
                for class in
                    ["java.util.HashMap@", "java.util.Properties@", "java.util.concurrent.ConcurrentHashMap@"]
                {
                    assert!(maps.contains(class), "no {class} on {jvm}");
                }
                assert!(ask("java.util.AbstractMap").ok().stdout.contains("java.util.HashMap@"), "on {jvm}");
            } else {
                // INSANE's formats name only classes with objects.
                let refused = if is_insanes(&file) { ask("java.util.HashMap") } else { maps };
                assert_eq!(refused.code(), Some(2), "{}: {}", file.display(), refused.stderr);
                assert!(refused.stderr.contains("does not hold"), "{}", refused.stderr);
            }
        }
    });
}

/// Two dumps, with a leak between them.
#[test]
fn growth_names_the_leak() {
    any_jvm(|jvm| {
        let mut target = Target::start(jvm);
        let before = target.dump("before.mayheap");
        target.running.send_line("+");
        target.running.wait_for_line("READY");
        let after = target.dump("after.mayheap");
        let grown = text(&["growth", path(&before), path(&after)]);
        assert!(grown.contains(LEAKED), "on {jvm}: {grown}");
        assert!(
            grown.contains("class heapqueries.HeapQueries -> GROWING: java.util.ArrayList -> "),
            "on {jvm}: {grown}"
        );
        let holders = text(&["holders", path(&after), "--of", LEAKED]);
        assert!(holders.contains("heapqueries.HeapQueries"), "on {jvm}: {holders}");
    });
}

/// INSANE's `--dumpheap`: the table of the dump; and that nothing is overwritten.
#[test]
fn a_dump_prints_its_usage_and_overwrites_nothing() {
    each_jvm(|jvm| {
        let target = Target::start(jvm);
        let file = target.folder.file("heap.xml");
        let outcome = heap(&["dump", &target.pid(), path(&file)]).ok();
        let lines: Vec<_> = outcome.stdout.lines().collect();
        assert_eq!(lines[0], "Usage: [instances class.Name: totalSizeInBytes]", "on {jvm}");
        assert!(lines.iter().any(|line| line.starts_with(&format!("500 {LINK}: "))), "on {jvm}");
        let total = json(&["histogram", path(&file), "--no-index"])["total"].clone();
        let expected = format!("total: {} in {} objects.", total["bytes"], total["objects"]);
        assert_eq!(lines[lines.len() - 2], expected, "on {jvm}");
        assert!(lines[lines.len() - 1].starts_with("Classes:"), "on {jvm}");
        let again = heap(&["dump", &target.pid(), path(&file)]);
        assert_eq!((again.code(), again.stdout.as_str()), (Some(2), ""), "on {jvm}: {}", again.stderr);
        let left: Vec<_> = fs::read_dir(target.folder.path()).expect("readable").flatten().collect();
        assert_eq!(left.len(), 1, "on {jvm}: {left:?}");
    });
}

/// A JVM that has other folders than we do, as in a container: the dump is written in there, and fetched.
#[test]
fn a_dump_is_fetched_from_another_namespace() {
    let script =
        "mount -t tmpfs t /mnt && cp -r \"$1\" /mnt/classes && mount -t tmpfs t /tmp && shift && exec \"$@\"";
    let namespace = ["--mount", "--fork"];
    let works = Command::new("unshare").args(namespace).args(["sh", "-c", "mount -t tmpfs t /mnt"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        return skip("a dump from another namespace", "unshare --mount does not work here (needs root)");
    }
    each_jvm(|jvm| {
        if jvm.home.starts_with("/tmp") || jvm.home.starts_with("/mnt") {
            return skip(
                &format!("another namespace on {jvm}"),
                "it lies where the namespace has its own files",
            );
        }
        let mut command = Command::new("unshare");
        command.args(namespace).args(["sh", "-c", script, "sh"]).arg(fixture_classes()).arg(jvm.java());
        command.args(["-cp", "/mnt/classes", "heapqueries.HeapQueries"]);
        let mut running = Running::of(command);
        running.wait_for_line("READY");
        let children =
            fs::read_to_string(format!("/proc/{0}/task/{0}/children", running.pid())).expect("it runs");
        let folder = Workspace::new();
        let file = folder.file("heap.mayheap");
        heap(&["dump", children.trim(), path(&file), "--quiet"]).ok();
        assert_eq!(rows(&json(&["histogram", path(&file)]))[LINK].0, 500, "on {jvm}");
        let theirs =
            fs::read_dir(format!("/proc/{}/root/tmp", children.trim())).expect("its folder").flatten();
        let left: Vec<_> = theirs.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(!left.iter().any(|name| name.starts_with("mayfly-")), "on {jvm}: {left:?}");
    });
}

/// Cut off and damaged files of each format: one line with the place, exit code 4.
#[test]
fn damage_is_one_line_with_its_place() {
    any_jvm(|jvm| {
        let target = Target::start(jvm);
        for file in target.dumps() {
            let whole = fs::read(&file).expect("readable");
            let broken = target.folder.file("broken");
            for length in [whole.len() - 3, whole.len() / 2, 40] {
                fs::write(&broken, &whole[..length]).expect("write");
                for question in [&["histogram"][..], &["paths", "--to", LEAKED], &["strings"]] {
                    let outcome = heap(&[question, &[path(&broken)]].concat());
                    let said = outcome.stderr;
                    assert_eq!(outcome.status.code(), Some(4), "{} to {length}: {said}", file.display());
                    assert!(
                        said.lines().count() == 1 && said.contains("byte "),
                        "{}: {said}",
                        file.display()
                    );
                }
            }
        }
    });
}
