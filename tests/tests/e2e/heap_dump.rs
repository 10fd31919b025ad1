//! Dumps read back: those that the agent writes by a walk, hprof files that the JVM writes, and these packed. Each object of the fixture is
//! held by what the fixture says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_heap::{Dump, EdgeName, Graph, ObjectIndex, Root, RootFrame, RootKind, Strength};
use mayfly_tests::{
    Jvm, Launch, Running, Workspace, any_jvm, check_all, class_histogram, each_jvm, jcmd, left_to_ci, mayfly,
    skip,
};

/// The heap of a running program, by a walk of the agent.
fn dump(running: &Running, file: &Path) -> Graph {
    dump_by(&["--walk"], running, file)
}

/// The heap of a running program, as the JVM writes it.
fn dump_by_the_jvm(running: &Running, file: &Path) -> Graph {
    dump_by(&[], running, file)
}

fn dump_by(way: &[&str], running: &Running, file: &Path) -> Graph {
    let pid = running.pid().to_string();
    let file = file.display().to_string();
    let words = [&["heap", "dump", "--quiet"], way, &[&pid, &file]].concat();
    mayfly(words).ok();
    let bytes = fs::read(file).expect("a dump");
    Dump::open(&bytes).and_then(|dump| dump.graph(&mut |_, _| {})).expect("a whole dump")
}

fn roots(jvm: &Jvm, workspace: &Workspace, options: &str, args: &[&str]) -> (Graph, Running) {
    let launch = Launch::new(jvm, "heap.Roots").args(args).agent(options).folder(workspace.path());
    let mut running = launch.jvm_args(&["-Xmx64m"]).start();
    running.wait_for_line("READY");
    (dump(&running, &workspace.file("run.mayheap")), running)
}

/// The one object of a class.
#[track_caller]
fn only(graph: &Graph, class: &str) -> ObjectIndex {
    let found: Vec<_> = graph.instances(|found| &*found.name == class).collect();
    assert_eq!(found.len(), 1, "objects of {class}");
    found[0]
}

/// What holds an object directly, in words; elements by index, fields by declaring class.
fn holders(graph: &Graph, object: ObjectIndex) -> BTreeSet<String> {
    let edges = graph.objects().flat_map(|from| graph.edges(from)).filter(|edge| edge.to == object);
    let by_edges = edges.map(|edge| match edge.name {
        EdgeName::Field { declaring, name, strength } => {
            let strength = match strength {
                Strength::Strong => String::new(),
                weaker => format!(" ({weaker:?})").to_lowercase(),
            };
            format!("{}.{name}{strength}", graph.class(*declaring).name)
        }
        EdgeName::Static { declaring, name, .. } => {
            assert_eq!(graph.class(*declaring).mirror, Some(edge.from), "a static field is its class's");
            format!("static {}.{name}", graph.class(*declaring).name)
        }
        EdgeName::Element => {
            format!("{}[{}]", graph.class(graph.class_of(edge.from)).name, edge.index.unwrap_or_default())
        }
        EdgeName::Internal(name) => format!("<{name}>"),
    });
    let by_roots = graph.roots().iter().filter(|root| root.object == object).map(in_words);
    by_edges.chain(by_roots).collect()
}

fn in_words(root: &Root) -> String {
    let at = |frame: &RootFrame| {
        let text = |text: &Option<Box<str>>| text.as_deref().unwrap_or("?").to_owned();
        let slot = frame.slot.map_or_else(String::new, |slot| format!(" slot {slot}"));
        format!("{} {}{slot}", text(&frame.thread), text(&frame.method))
    };
    match &root.kind {
        RootKind::StackLocal(frame) => format!("local {}", at(frame)),
        RootKind::JniLocal(frame) => format!("JNI local {}", at(frame)),
        kind => format!("{kind:?}"),
    }
}

#[track_caller]
fn held_by(graph: &Graph, class: &str, holder: &str) {
    let holders = holders(graph, only(graph, class));
    assert!(holders.contains(holder), "{class} is not held by {holder}, but by {holders:#?}");
}

/// Every kind of root, by its right name.
#[test]
fn each_object_is_held_by_what_holds_it() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let (graph, mut running) = roots(jvm, &workspace, "#heapsummary", &[]);
        for (class, holder) in [
            ("heap.Roots$ByStatic", "static heap.Roots.BY_STATIC"),
            ("heap.Roots$ByStatic", "java.lang.ref.Reference.referent (weak)"),
            ("heap.Roots$ByJdkStatic", "static java.lang.Thread.defaultUncaughtExceptionHandler"),
            ("heap.Roots$ByMapValue", "java.util.HashMap$Node.value"),
            ("heap.Roots$ByElement", "[Ljava.lang.Object;[11]"),
            ("heap.Roots$ByThreadLocal", "java.lang.ThreadLocal$ThreadLocalMap$Entry.value"),
            ("heap.Roots$ByLocal", "local holder heap.Roots$Holder.hold slot 1"),
            ("heap.Roots$ByMonitor", "local holder heap.Roots$Holder.hold slot 2"),
            ("heap.Roots$BySoftReference", "java.lang.ref.Reference.referent (soft)"),
            ("heap.Roots$ByInterfaceStatic", "static heap.Roots$Constants.CONSTANT"),
            ("heap.Roots$ByInheritedField", "heap.Roots$Base.inherited"),
            ("heap.Roots$ByOwnField", "heap.Roots$Derived.own"),
            ("heap.Roots$Holder", "Thread"),
            ("heap.Roots$Plugin", "static heap.Roots.plugin"),
            ("heap.Roots$Plugin$ByPluginStatic", "static heap.Roots$Plugin.LEAK"),
        ] {
            held_by(&graph, class, holder);
        }
        let has = |kind: &str| graph.roots().iter().any(|root| in_words(root).starts_with(kind));
        assert!(has("JniGlobal") && has("JNI local main java.io.FileInputStream.readBytes"));
        running.send_line("go");
        running.finish().ok();
    });
}

/// A class of the application's is kept by nobody in particular; one of a loader that may go, by its objects, and it
/// keeps its loader.
#[test]
fn a_loader_is_held_by_the_objects_of_its_classes() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let (graph, _running) = roots(jvm, &workspace, "#heapsummary", &[]);
        let mirror = |object| graph.class(graph.class_of(object)).mirror.expect("a class is an object");
        let plugin = mirror(only(&graph, "heap.Roots$Plugin"));
        let by_plugin = holders(&graph, plugin);
        assert!(by_plugin.contains("<class>"), "{by_plugin:?}");
        assert!(!by_plugin.contains("SystemClass"), "{by_plugin:?}");
        let loader = graph.class(graph.class_of(only(&graph, "heap.Roots$Plugin"))).loader.expect("a loader");
        assert_eq!(&*graph.class(graph.class_of(loader)).name, "java.net.URLClassLoader");
        assert!(holders(&graph, loader).contains("<loader>"));
        let app = mirror(only(&graph, "heap.Roots$ByStatic"));
        assert!(holders(&graph, app).contains("SystemClass"));
    });
}

/// Objects, bytes and classes as the JVM itself counts them, in an agent that profiles too.
#[test]
fn the_dump_holds_what_the_jvm_counts() {
    each_jvm(|jvm| {
        for options in ["#heapsummary", "#live-0#output-logs"] {
            let workspace = Workspace::new();
            let mut running = Launch::new(jvm, "heap.Quiet")
                .agent(options)
                .folder(workspace.path())
                .jvm_args(&["-Xmx128m"])
                .start();
            running.wait_for_line("READY");
            let graph = dump(&running, &workspace.file("run.mayheap"));
            let Some(text) = jcmd(jvm, &running, &["GC.class_histogram"]) else { return };
            let mut counts = mayfly_tests::Counts::new();
            for object in graph.objects() {
                let count = counts.entry(graph.class(graph.class_of(object)).name.to_string()).or_default();
                count.objects += 1;
                count.bytes += graph.size(object);
            }
            let theirs = class_histogram(&text);
            for class in theirs.keys().filter(|class| class.contains("heap.Quiet")) {
                assert_eq!(counts.get(class), theirs.get(class), "{class}");
            }
            // Not what fills gaps between objects: int arrays up to JDK 18, then of a class of its own.
            let filler = |class: &String| class == "[I" || class.contains("Filler");
            let all = |counts: &mayfly_tests::Counts| {
                counts.iter().filter(|(class, _)| !filler(class)).map(|(_, count)| count.objects).sum::<u64>()
            };
            let (ours, theirs) = (all(&counts), all(&theirs));
            assert!(ours.abs_diff(theirs) < theirs / 50, "{ours} objects, the JVM has {theirs}");
            running.send_line("go");
            let outcome = running.finish().ok();
            check_all(jvm, &outcome.stdout, &counts).unwrap_or_else(|why| panic!("{why}"));
        }
    });
}

/// The local of a virtual thread that waits, and is on no carrier.
#[test]
fn a_virtual_thread_s_local_is_found() {
    each_jvm(|jvm| {
        if jvm.feature < 21 {
            return;
        }
        let workspace = Workspace::new();
        let (graph, _running) = roots(jvm, &workspace, "#heapsummary", &["virtual"]);
        let object = only(&graph, "heap.Roots$ByVirtualThread");
        let holders = holders(&graph, object);
        let local = |holder: &String| {
            holder.starts_with("local ") && holder.contains(" heap.Roots.lambda$startVirtual$")
        };
        assert!(holders.iter().any(local), "{holders:?}");
    });
}

/// A dump of a heap without room is whole, too.
#[test]
fn a_nearly_full_heap_is_dumped() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = Launch::new(jvm, "heap.Full")
            .args(&["95"])
            .agent("#heapsummary")
            .jvm_args(&["-Xmx64m", "-XX:+UseSerialGC", "-Xmn8m"])
            .start();
        running.wait_for_line("READY");
        let graph = dump(&running, &workspace.file("run.mayheap"));
        let blocks = graph.instances(|class| &*class.name == "heap.Full$Block").count() as u64;
        running.send_line("go");
        let outcome = running.finish().ok();
        assert_eq!(blocks, mayfly_tests::Expectation::all(&outcome.stdout)[0].objects);
    });
}

/// A file ending in .hprof is the JVM's own work: no agent is there, or comes.
#[test]
fn the_jvm_writes_hprof_files_without_an_agent() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running =
            Launch::new(jvm, "heap.Full").args(&["95"]).jvm_args(&["-Xmx64m", "-XX:+UseSerialGC"]).start();
        running.wait_for_line("READY");
        let graph = dump_by_the_jvm(&running, &workspace.file("run.hprof"));
        let blocks = graph.instances(|class| &*class.name == "heap.Full$Block").count() as u64;
        let pid = running.pid().to_string();
        let missing = workspace.file("missing/run.hprof").display().to_string();
        let refused = mayfly(["heap", "dump", &pid, &missing]);
        assert_eq!(refused.code(), Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("can't write {missing}: ")), "{}", refused.stderr);
        let status = mayfly(["status", &pid]);
        assert!(status.stderr.contains("runs without the agent"), "{}", status.stderr);
        running.send_line("go");
        let outcome = running.finish().ok();
        assert_eq!(blocks, mayfly_tests::Expectation::all(&outcome.stdout)[0].objects);
    });
}

/// A dump of ours is the JVM's own file, packed: no agent is there, or comes, so no object is tagged; no other file is left; and what
/// holds what is what a walk finds, but for slots of local variables.
#[test]
fn a_dump_of_ours_needs_no_agent() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = Launch::new(jvm, "heap.Roots").jvm_args(&["-Xmx64m"]).start();
        running.wait_for_line("READY");
        let packed = dump_by_the_jvm(&running, &workspace.file("run.mayheap"));
        assert_eq!(mayfly_tests::files_in(workspace.path()).len(), 1, "on {jvm}");
        let status = mayfly(["status", &running.pid().to_string()]);
        assert!(status.stderr.contains("runs without the agent"), "{}", status.stderr);
        let walked = dump(&running, &workspace.file("walked.mayheap"));
        let without_slot =
            |holder: String| holder.split_once(" slot ").map_or(holder.clone(), |(what, _)| what.to_owned());
        let mut compared = 0;
        for (_, class) in walked.classes().filter(|(_, class)| class.name.starts_with("heap.Roots$By")) {
            let held = |graph: &Graph| {
                let by = holders(graph, only(graph, &class.name)).into_iter().map(without_slot);
                by.collect::<BTreeSet<_>>()
            };
            assert_eq!(held(&packed), held(&walked), "{} on {jvm}", class.name);
            compared += 1;
        }
        assert_eq!(compared, 11, "kinds of holders");
        running.send_line("go");
        running.finish().ok();
    });
}

/// What can't be written is an error of the asker's; the program goes on, and nothing is left.
#[test]
fn a_dump_that_can_not_be_written_harms_nobody() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let launch = Launch::new(jvm, "heap.Roots").agent("#heapsummary").folder(workspace.path());
        let mut running = launch.start();
        running.wait_for_line("READY");
        let pid = running.pid().to_string();
        for file in
            [workspace.file("missing/run.mayheap").display().to_string(), "/dev/full/run.mayheap".into()]
        {
            let refused = mayfly(["heap", "dump", &pid, &file]);
            assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
            assert_ne!(refused.code(), Some(0), "{}", refused.stderr);
        }
        running.send_line("go");
        running.finish().ok();
        assert_eq!(mayfly_tests::files_in(workspace.path()), Vec::<std::path::PathBuf>::new());
    });
}

/// A file that can't grow any more, as on a full disk, in the middle of the walk: told, removed, and the program goes on.
#[test]
fn a_disk_that_is_full_harms_nobody() {
    if left_to_ci("a heap dump on a full disk") {
        return;
    }
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = Launch::new(jvm, "heap.Full")
            .args(&["80"])
            .agent("#heapsummary")
            .folder(workspace.path())
            .jvm_args(&["-Xmx64m", "-XX:+UseSerialGC"])
            .start();
        running.wait_for_line("READY");
        let pid = running.pid().to_string();
        let limit =
            |bytes: &str| Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}")]).status();
        if !limit("100000:").is_ok_and(|status| status.success()) {
            return skip("a full disk", "there is no prlimit");
        }
        let file = workspace.file("run.mayheap");
        let refused = mayfly(["heap", "dump", "--walk", &pid, &file.display().to_string()]);
        assert_ne!(refused.code(), Some(0));
        assert!(
            refused.stderr.contains("cannot write") && refused.stderr.contains("File too large"),
            "{}",
            refused.stderr
        );
        assert!(!file.exists());
        assert!(limit("unlimited:").is_ok_and(|status| status.success()));
        mayfly(["heap", "dump", "--quiet", "--walk", &pid, &file.display().to_string()]).ok();
        running.send_line("go");
        running.finish().ok();
    });
}

/// Where the JVM can't be attached to, its agent walks, and that is said.
#[test]
fn an_agent_walks_where_the_jvm_can_not_be_asked() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let start = |agent: bool| {
            let launch = Launch::new(jvm, "heap.Roots").jvm_args(&["-XX:+DisableAttachMechanism"]);
            let launch = if agent { launch.agent("#heapsummary").folder(workspace.path()) } else { launch };
            let mut running = launch.start();
            running.wait_for_line("READY");
            running
        };
        let file = workspace.file("run.mayheap").display().to_string();
        let (with, without) = (start(true), start(false));
        let walked = mayfly(["heap", "dump", &with.pid().to_string(), &file]).ok();
        assert!(walked.stderr.contains("its agent walks the heap"), "on {jvm}: {}", walked.stderr);
        let refused = mayfly(["heap", "dump", &without.pid().to_string(), &(file + ".2")]);
        assert_eq!(
            (refused.code(), refused.stderr.lines().count()),
            (Some(3), 1),
            "on {jvm}: {}",
            refused.stderr
        );
    });
}
