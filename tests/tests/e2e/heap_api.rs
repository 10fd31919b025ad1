//! The Java API's questions about the heap, and its assertions: sizes, scans, paths, what can be collected.
//!
//! INSANE's scanner, live references and assertions, feature by feature. Texts are compared whole; `@#` stands for any identity hash code and
//! `[#]` for any index, where a JDK's own tables decide it.

use std::fs;
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Outcome, Workspace, any_jvm, artifacts, each_jvm, fixture_classes, jdks, left_to_ci, skip,
    turns_of,
};
use regex::Regex;

/// A program that loads the agent's library itself.
fn launch(jvm: &Jvm, main: &str) -> Launch {
    let library = format!("-Dmayfly.agent={}", artifacts().agent.display());
    // Nothing here lets go late: what is held is held.
    Launch::new(jvm, main).jvm_args(&[&library, "-Dmayfly.assertgc.patience=60"])
}

fn run(jvm: &Jvm, main: &str, args: &[&str]) -> Outcome {
    launch(jvm, main).args(args).run().ok()
}

/// What stands under a heading `== NAME`.
fn section<'a>(stdout: &'a str, name: &str) -> &'a str {
    let heading = format!("== {name}\n");
    let start =
        stdout.find(&heading).unwrap_or_else(|| panic!("no {heading:?} in\n{stdout}")) + heading.len();
    let end = stdout[start..].find("\n== ").map_or(stdout.len(), |end| start + end);
    stdout[start..end].trim_end()
}

#[track_caller]
fn assert_reads(jvm: &Jvm, actual: &str, expected: &str) {
    let pattern =
        regex::escape(expected.trim()).replace("@\\#", "@[0-9a-f]+").replace("\\[\\#\\]", "\\[\\d+\\]");
    let pattern = Regex::new(&format!("^{pattern}$")).expect("a valid pattern");
    assert!(pattern.is_match(actual), "on {jvm}:\n{actual}\ninstead of\n{expected}");
}

const LEAKS: &[(&str, &str)] = &[
    ("nothing", "collected"),
    (
        "static",
        "leaked by static:
static java.lang.Object heapapi.Leaks.field->
heapapi.Leaks$Leaked@#",
    ),
    (
        "jdk-static",
        "leaked by jdk-static:
static java.util.Properties java.lang.System.props->
java.util.Properties@#-map->
java.util.concurrent.ConcurrentHashMap@#-table->
[Ljava.util.concurrent.ConcurrentHashMap$Node;@#-[#]->
java.util.concurrent.ConcurrentHashMap$Node@#-val->
heapapi.Leaks$Leaked@#",
    ),
    (
        "map",
        "leaked by map:
static java.util.Map heapapi.Leaks.MAP->
java.util.HashMap@#-table->
[Ljava.util.HashMap$Node;@#-[14]->
java.util.HashMap$Node@#-value->
heapapi.Leaks$Leaked@#",
    ),
    (
        "array",
        "leaked by array:
static java.lang.Object[] heapapi.Leaks.ARRAY->
[Ljava.lang.Object;@#-[5]->
heapapi.Leaks$Leaked@#",
    ),
    (
        "thread-local",
        "leaked by thread-local:
thread->
java.lang.Thread@#-threadLocals->
java.lang.ThreadLocal$ThreadLocalMap@#-table->
[Ljava.lang.ThreadLocal$ThreadLocalMap$Entry;@#-[#]->
java.lang.ThreadLocal$ThreadLocalMap$Entry@#-value->
heapapi.Leaks$Leaked@#",
    ),
    (
        "stack",
        "leaked by stack:
local variable 1 of heapapi.Leaks$Running.run, thread \"holder\"->
heapapi.Leaks$Leaked@#",
    ),
    (
        "in hand",
        "leaked by a local variable:
local variable 0 of heapapi.Leaks.onOwnStack, thread \"main\"->
heapapi.Leaks$Leaked@#",
    ),
    (
        "soft",
        "leaked by soft:
static java.lang.Object heapapi.Leaks.field->
java.lang.ref.SoftReference@#-referent->
heapapi.Leaks$Leaked@#",
    ),
    ("soft-allowed", "collected"),
    ("weak", "collected"),
    ("finalizer", "collected"),
    (
        "instance",
        "leaked by instance:
static java.util.List heapapi.Leaks.KEPT->
java.util.ArrayList@#-elementData->
[Ljava.lang.Object;@#-[0]->
heapapi.Leaks$Holder@#-held->
heapapi.Leaks$Leaked@#",
    ),
    (
        "loader",
        "leaked by loader:
static java.util.List heapapi.Leaks.KEPT->
java.util.ArrayList@#-elementData->
[Ljava.lang.Object;@#-[1]->
heapapi.Plugin@#-<class>->
class heapapi.Plugin@#-<loader>->
java.net.URLClassLoader@#",
    ),
];

fn leak_kinds() -> Vec<&'static str> {
    LEAKS.iter().map(|(kind, _)| if *kind == "in hand" { "own-stack" } else { *kind }).collect()
}

/// Where no class is ever unloaded (ZGC before JDK 12), the JVM itself holds every loader.
const HELD_BY_THE_JVM: &str = "leaked by loader:
JVM->
java.net.URLClassLoader@#";

fn check_leaks(jvm: &Jvm, stdout: &str) {
    check_leaks_but(jvm, stdout, None);
}

/// As [`check_leaks`], where a loader is told as `loader`.
fn check_leaks_but(jvm: &Jvm, stdout: &str, loader: Option<&str>) {
    for (kind, expected) in LEAKS {
        let expected = loader.filter(|_| *kind == "loader").unwrap_or(expected);
        assert_reads(jvm, section(stdout, kind), expected);
    }
    assert_eq!(section(stdout, "own-stack"), "collected", "on {jvm}: once the variable is cleared");
}

/// `assertGC`: every kind of leak is found, by the shortest path; what is not held, or softly or weakly, passes.
#[test]
fn every_kind_of_leak_is_found() {
    each_jvm(|jvm| check_leaks(jvm, &run(jvm, "heapapi.Leaks", &leak_kinds()).stdout));
}

/// The same with every collector that the JVM has.
#[test]
fn every_collector_lets_leaks_be_found() {
    if left_to_ci("assertGC with every collector") {
        return;
    }
    each_jvm(|jvm| {
        for collector in ["Serial", "Parallel", "Shenandoah", "Z"] {
            let flag = format!("-XX:+Use{collector}GC");
            let flags = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockExperimentalVMOptions", &flag];
            let launch = launch(jvm, "heapapi.Leaks").jvm_args(&flags).args(&leak_kinds());
            let outcome = launch.run();
            if outcome.code() == Some(1) && outcome.stderr.contains("not supported") {
                skip(&format!("{collector} on {jvm}"), "it is not in this JVM");
                continue;
            }
            let unloads = collector != "Z" || jvm.feature >= 12;
            check_leaks_but(jvm, &outcome.ok().stdout, (!unloads).then_some(HELD_BY_THE_JVM));
        }
    });
}

/// `assertGC` beside the profiler: the library is in the JVM as an agent already.
#[test]
fn a_launched_agent_answers_too() {
    each_jvm(|jvm| {
        let options = ["", "#trackcollections#trace"];
        for options in turns_of(jvm, 0, &options) {
            let outcome = Launch::new(jvm, "heapapi.Leaks")
                .agent(options)
                .jvm_args(&["-Dmayfly.selfload=false", "-Dmayfly.assertgc.patience=60"])
                .args(&leak_kinds())
                .run()
                .ok();
            check_leaks(jvm, &outcome.stdout);
        }
    });
}

/// References that native code holds.
#[test]
fn jni_globals_are_found() {
    each_jvm(|jvm| {
        let folder = Workspace::new();
        let jar = folder.file("agent.jar").display().to_string();
        let made = Launch::new(jvm, "heapapi.Instrumented").args(&[&jar]).run();
        if made.stderr.contains("java/lang/instrument") {
            return skip(&format!("JNI globals on {jvm}"), "it has no java.instrument");
        }
        made.ok();
        let option = format!("-javaagent:{jar}");
        let stdout = launch(jvm, "heapapi.Leaks").jvm_args(&[&option]).args(&["jni"]).run().ok().stdout;
        assert_reads(
            jvm,
            section(&stdout, "jni"),
            "leaked by jni:
JNI global->
sun.instrument.InstrumentationImpl@#-mTransformerManager->
sun.instrument.TransformerManager@#-mTransformerList->
[Lsun.instrument.TransformerManager$TransformerInfo;@#-[0]->
sun.instrument.TransformerManager$TransformerInfo@#-mTransformer->
heapapi.Leaks$Transformer@#-held->
heapapi.Leaks$Leaked@#",
        );
    });
}

#[test]
fn a_virtual_threads_stack_is_looked_at() {
    each_jvm(|jvm| {
        if jvm.feature < 21 {
            return skip(&format!("virtual threads on {jvm}"), "it has none");
        }
        let stdout = run(jvm, "heapapi.Leaks", &["virtual-stack"]).stdout;
        assert_reads(
            jvm,
            section(&stdout, "virtual-stack"),
            "leaked by virtual-stack:
local variable 1 of heapapi.Leaks$Running.run, thread \"\"->
heapapi.Leaks$Leaked@#",
        );
    });
}

/// No assertion passes or fails by chance, while another thread allocates all the time.
#[test]
fn fifty_passes_and_fails_are_alike() {
    if left_to_ci("fifty assertions") {
        return;
    }
    any_jvm(|jvm| {
        let launch = launch(jvm, "heapapi.Repeated").jvm_args(&["-Dmayfly.assertgc.patience=1"]);
        let stdout = launch.args(&["50"]).run().ok().stdout;
        let expected = "passed 50 of 50
failed as [fails:
static java.lang.Object heapapi.Repeated.field->
[Ljava.lang.Object;@-[1]->
java.lang.Object@]
";
        assert_eq!(stdout, expected, "on {jvm}");
    });
}

/// `assertSize`, and sizes of objects and of all that they reach.
#[test]
fn sizes_are_those_of_the_jvm_or_of_the_old_model() {
    each_jvm(|jvm| {
        let stdout = run(jvm, "heapapi.Sizes", &[]).stdout;
        let plain: Vec<_> = stdout.lines().take(6).collect();
        let headers = if jvm.compact_headers { [8, 16, 40] } else { [16, 24, 40] };
        let [object, bytes, longs] = headers;
        assert_eq!(
            plain[..3],
            [format!("object {object}"), format!("byte[2] {bytes}"), format!("long[3] {longs}")],
            "on {jvm}"
        );
        assert_eq!(plain[3..], ["old object 8", "old byte[2] 16", "old long[3] 40"], "on {jvm}");
        for line in [
            "ways agree",
            "ways total",
            "weak counts",
            "strong only",
            "no classes",
            "a filter's size is that of two arrays:",
        ] {
            assert!(stdout.contains(&format!("{line} true\n")), "{line} on {jvm}:\n{stdout}");
        }
        if !jvm.compact_headers {
            check_size_texts(jvm, &stdout);
        }
    });
}

fn check_size_texts(jvm: &Jvm, stdout: &str) {
    for (name, text) in [
        (
            "one root",
            "one: leak 440 bytes  over limit of 0 bytes\n  [I: 1, 416B\n  [Ljava.lang.Object;: 1, 24B",
        ),
        (
            "several roots",
            "two: leak 464 bytes  over limit of 0 bytes\n  [I: 1, 416B\n  [Ljava.lang.Object;: 2, 48B",
        ),
        ("skipped objects", "skip: leak 48 bytes  over limit of 0 bytes\n  [Ljava.lang.Object;: 2, 48B"),
        ("retained", "too much: retains 16056 bytes, 15956 over the limit of 100 bytes"),
        ("in hand", "8016\n0\n0"),
        ("retained in hand", "too much: retains 8040 bytes, 7940 over the limit of 100 bytes"),
        ("retained at once", "too much: retains 8016 bytes, 7916 over the limit of 100 bytes"),
        ("retained and fits", "passes"),
    ] {
        assert_eq!(section(stdout, name), text, "on {jvm}");
    }
    assert!(
        section(stdout, "a filter").starts_with("filter: leak 48 bytes  over limit of 0 bytes"),
        "on {jvm}"
    );
    // Two arrays of 1000 longs, and the array that holds them.
    assert!(stdout.contains("retained 8016 0\n"), "on {jvm}:\n{stdout}");
}

/// The failure that INSANE printed on JDK 17, to the byte; its sizes are those of its model.
#[test]
fn the_old_model_gives_the_old_text() {
    each_jvm(|jvm| {
        if jvm.feature != 17 {
            return skip(
                &format!("the old text on {jvm}"),
                "the classes of JDK 17 have the fields it was taken with",
            );
        }
        let launch = launch(jvm, "heapapi.Sizes").jvm_args(&["-Dmayfly.sizes=insane"]);
        assert_eq!(
            section(&launch.run().ok().stdout, "a list").lines().take(6).collect::<Vec<_>>().join("\n"),
            "Size of list: leak 144 bytes  over limit of 0 bytes
  java.lang.String: 2, 48B
  [B: 2, 32B
  [Ljava.lang.Object;: 1, 24B
  java.util.ArrayList: 1, 24B
  java.lang.Integer: 1, 16B"
        );
    });
}

/// Scans: visitors, filters, statics, ids, the whole heap.
#[test]
fn a_scan_tells_in_order_and_only_what_filters_let_through() {
    any_jvm(|jvm| {
        let stdout = run(jvm, "heapapi.Scans", &[]).stdout;
        assert_eq!(stdout, SCANS, "on {jvm}");
    });
}

const SCANS: &str = "\
== all
class Base
class Node
object a
a.up -> a
object b
a.next -> b
object many
b.many -> many
object WeakReference
b.weak -> WeakReference
object SoftReference
b.soft -> SoftReference
class Leaf
object c
many[1] -> c
many[2] -> a
== nothing is followed
class Base
class Node
object a
class Leaf
object c
== skip objects
class Base
class Node
object a
a.up -> a
== skip contents
class Base
class Node
object a
a.up -> a
object b
a.next -> b
== skip references
class Base
class Node
object a
a.up -> a
== compound
class Base
class Node
object b
object many
b.many -> many
object WeakReference
b.weak -> WeakReference
object SoftReference
b.soft -> SoftReference
class Leaf
object c
many[1] -> c
== no filter
object WeakReference
object SoftReference
class Leaf
object weak leaf
WeakReference.referent -> weak leaf
object soft leaf
SoftReference.referent -> soft leaf
== statics
true
== no statics
class HasStatic
== both are told
true true
== counting
nodes 2
bytes true
base 0 true
total true
Unknown class
== ids
200000 true
== roots
threads true classes true
leaf of a static true
much true
";

/// Paths: hints, progress, several of them, and what each tells of itself.
#[test]
fn paths_can_be_asked_for_and_followed() {
    each_jvm(|jvm| assert_reads(jvm, run(jvm, "heapapi.Paths", &[]).stdout.trim_end(), PATHS));
}

const PATHS: &str = r#"
== path
static java.lang.Object[] heapapi.Paths.HELD->
[Ljava.lang.Object;@#-[2]->
heapapi.Paths$Link@#-next->
[Ljava.lang.Object;@#-[2]->
java.lang.Object@#
== nodes
root null static java.lang.Object[] heapapi.Paths.HELD
Object[] [2] [Ljava.lang.Object;@
Link next heapapi.Paths$Link@
Object[] [2] [Ljava.lang.Object;@
Object null java.lang.Object@
last is target true 4
equal true false true
== many
3 true
static java.lang.Object[] heapapi.Paths.HELD->
[Ljava.lang.Object;@-[0]->
java.lang.Object@
local variable 1 of heapapi.Paths.many, the calling thread
none 0
null is refused
== hint
heapapi.Paths$Link@#-next->
heapapi.Paths$Link@#-next->
java.lang.Object@#
== weak
STRONG: in hand
SOFT: in hand
WEAK: WEAK 4
ALL: WEAK 4
== soft
STRONG: in hand
SOFT: SOFT 4
WEAK: SOFT 4
ALL: SOFT 4
== strong
STRONG: STRONG 3
SOFT: STRONG 3
WEAK: STRONG 3
ALL: STRONG 3
== several
static java.lang.Object[] heapapi.Paths.HELD->
[Ljava.lang.Object;@#-[0]->
heapapi.Paths$Link@#-next->
java.lang.Object@#

static java.lang.Object heapapi.Paths.second->
heapapi.Paths$Link@#-next->
heapapi.Paths$Link@#-next->
heapapi.Paths$Link@#-next->
java.lang.Object@#

== in hand
local variable 0 of heapapi.Paths.inHand, the calling thread->
java.lang.Object@#
retains itself and 0
== progress
found null 2
told 0 to 200 true
cancelled at 0: null
cancelled at 1: null
cancelled at 100: null
cancelled at 181: null
cancelled at 200: null
thrown mine
thrown later
and then 1
"#;

/// Tracked instances, and survivors of a body.
#[test]
fn instances_are_tracked_and_survivors_shown() {
    each_jvm(|jvm| assert_reads(jvm, run(jvm, "heapapi.Tracked", &[]).stdout.trim_end(), TRACKED));
}

const TRACKED: &str = r#"
== nothing
sessions: No instance of this type reported
== gone
passes
== others gone
passes
== kept
sessions kept, heapapi.Tracked$Session:
static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Session@#
caused by sessions kept, heapapi.Tracked$Session:
static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Session@#
== forgotten
sessions: No instance of this type reported
== logged
passes
== too fine
opened: No instance of this type reported
== logged and kept
opened opened {0}, heapapi.Tracked$Session:
static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Session@#
handlers 0 level null
== no survivors
passes
== survivors
objects survive: 2 objects, 32 bytes
  heapapi.Tracked$Session: 1, 16B
  heapapi.Tracked$Special: 1, 16B

static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Session@#

static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Session@#-more->
heapapi.Tracked$Special@#
== of a class
passes
== of a superclass
sessions: 1 object, 16 bytes
  heapapi.Tracked$Special: 1, 16B

static java.lang.Object heapapi.Tracked.kept->
heapapi.Tracked$Special@#
== of the JDK
arrays: 1 object, 32 bytes
  [J: 1, 32B

static java.lang.Object heapapi.Tracked.kept->
[J@#
== throws
java.io.IOException: the body's own
== null
reference
"#;

/// Fails closed: without the agent nothing passes.
#[test]
fn without_the_agent_nothing_passes() {
    any_jvm(|jvm| {
        for (args, why) in [
            (&["-Dmayfly.selfload=false"][..], "and mayfly.selfload forbids to load it"),
            (&["-Dmayfly.agent=/none/libmayfly.so"], "there is no file /none/libmayfly.so"),
            (&[], "libmayfly.so is neither beside the API's jar nor in it"),
        ] {
            let outcome = Launch::new(jvm, "heapapi.Leaks").jvm_args(args).args(&["nothing"]).run();
            assert_eq!(outcome.code(), Some(1), "on {jvm}: {}", outcome.stdout);
            let said = format!(
                "io.mayfly.AgentMissingException: Mayfly's agent is not in this JVM, {why}. Start the JVM with"
            );
            assert!(outcome.stderr.contains(&said), "on {jvm}:\n{}", outcome.stderr);
        }
    });
}

/// By the environment's word, beside the API's classes, and among them.
#[test]
fn the_library_is_found_where_it_lies() {
    any_jvm(|jvm| {
        let library = &artifacts().agent;
        let launch = Launch::new(jvm, "heapapi.Leaks").args(&["nothing"]);
        let named = launch.environment("MAYFLY_AGENT", &library.display().to_string()).run().ok();
        assert_eq!(section(&named.stdout, "nothing"), "collected", "on {jvm}");
        let among = format!("classes/io/mayfly/native/linux-{}/libmayfly.so", std::env::consts::ARCH);
        for place in ["libmayfly.so", &among] {
            let folder = Workspace::new();
            let api = folder.file("classes/io/mayfly");
            fs::create_dir_all(folder.file(place).parent().expect("a folder")).expect("it can be made");
            fs::create_dir_all(&api).expect("it can be made");
            for class in
                fs::read_dir(fixture_classes().join("io/mayfly")).expect("the API's classes").flatten()
            {
                fs::copy(class.path(), api.join(class.file_name())).expect("a class can be copied");
            }
            fs::copy(library, folder.file(place)).expect("the library can be copied");
            let paths = format!("{}:{}", folder.file("classes").display(), fixture_classes().display());
            let java = Command::new(jvm.java()).args(["-cp", &paths, "heapapi.Leaks", "nothing"]).output();
            let stdout = String::from_utf8_lossy(&java.expect("java starts").stdout).into_owned();
            assert_eq!(section(&stdout, "nothing"), "collected", "{place} on {jvm}");
        }
    });
}

/// A library belongs to one class loader; another one of the same JVM takes a copy.
#[test]
fn two_class_loaders_can_ask() {
    each_jvm(|jvm| {
        let stdout = run(jvm, "heapapi.TwoLoaders", &[]).stdout;
        let failures = stdout.matches("passed 1 of 1\nfailed as [fails:\n").count();
        // A class of a loader that can go is no root, but a step of the path.
        let leaks = stdout.matches("class heapapi.Repeated@-field->\n[Ljava.lang.Object;@-[1]->").count();
        assert_eq!((failures, leaks), (2, 2), "on {jvm}:\n{stdout}");
    });
}

/// A heap with less than a twentieth free.
#[test]
fn a_full_heap_can_be_asked() {
    each_jvm(|jvm| {
        let stdout =
            launch(jvm, "heapapi.FullHeap").jvm_args(&["-Xmx96m", "-XX:+UseSerialGC"]).run().ok().stdout;
        let answers = "held:
static java.lang.Object heapapi.FullHeap.field->
[Ljava.lang.Object;@-[0]->
java.lang.Object@
fill true
retained true
";
        assert_eq!(stdout, format!("{answers}full true\n{answers}"), "on {jvm}");
    });
}

/// The examples of the guide compile, run and pass.
#[test]
fn the_guides_examples_hold() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/assertions.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let mark = "<!-- compiled -->\n```java\n";
    let examples: Vec<_> = guide.split(mark).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 6, "{} examples", examples.len());
    let Some(javac) = jdks(11).first().and_then(Jvm::javac) else {
        return skip("the examples of the guide", "no JDK with javac");
    };
    let folder = Workspace::new();
    fs::write(folder.file("Guide.java"), guide_program(&examples)).expect("it can be written");
    let javac = Command::new(javac)
        .args(["--release", "11", "-nowarn", "-cp"])
        .arg(fixture_classes())
        .arg("-d")
        .args([folder.path(), &folder.file("Guide.java")])
        .output()
        .expect("javac starts");
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    any_jvm(|jvm| {
        let paths = format!("{}:{}", folder.path().display(), fixture_classes().display());
        let library = format!("-Dmayfly.agent={}", artifacts().agent.display());
        let java =
            Command::new(jvm.java()).args(["-cp", &paths, &library, "Guide"]).output().expect("java starts");
        let stdout = String::from_utf8_lossy(&java.stdout);
        assert!(stdout.ends_with("DONE\n"), "on {jvm}:\n{stdout}{}", String::from_utf8_lossy(&java.stderr));
    });
}

/// The examples, each in a method, with what they call.
fn guide_program(examples: &[&str]) -> String {
    let methods = examples.iter().enumerate();
    let methods: String =
        methods.map(|(at, body)| format!("static void example{at}() {{\n{body}}}\n")).collect();
    let calls: String = (0..examples.len()).map(|at| format!("example{at}();\n")).collect();
    format!(
        "import io.mayfly.*;
import java.lang.ref.WeakReference;
import java.util.*;
public final class Guide {{
static class Session {{}}
static final Object SHARED = new byte[100];
static Object cache;
static Object openAndCloseWindow() {{ return new Session(); }}
static void handleRequest() {{ new Session(); }}
static Object openSession() {{ return new Session(); }}
static void closeAll() {{}}
static Object shared() {{ return SHARED; }}
static Object newCache() {{ cache = new HashMap<>(Map.of(1, SHARED)); return cache; }}
{methods}
public static void main(String[] args) {{
{calls}
System.out.println(\"DONE\");
}}
}}
"
    )
}
