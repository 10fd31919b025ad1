//! What retains what, by ours and by another reader of hprof files: the library that NetBeans and VisualVM use.
//!
//! It takes other sizes for objects than the JVM does, so sets are compared: the sizes that it gives to what we say an
//! object retains have to add up to what it says the object retains. Classes are not compared: what it states for them leaves
//! out some of what only a static field refers to, by its own list of references. `scripts/fetch-second-reader` fetches it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io::Write};

use mayfly_tests::{Jvm, Launch, Workspace, each_jvm_at_once, jdks, mayfly, skip};
use serde_json::Value;

/// Objects compared per JVM: of our largest.
const COMPARED: usize = 60;

fn library() -> Option<PathBuf> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the workspace");
    let folders = [root.join(target).join("second-reader"), root.join("target/second-reader")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    files.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|extension| extension == "jar"))
}

/// The hprof file of a running fixture; `None` without a `jcmd`.
fn hprof(jvm: &Jvm, folder: &Workspace) -> Option<PathBuf> {
    let jcmd = Some(jvm.home.join("bin/jcmd")).filter(|jcmd| jcmd.exists())?;
    let mut running = Launch::new(jvm, "heapqueries.HeapQueries").start();
    running.wait_for_line("READY");
    let file = folder.file("heap.hprof");
    let status = Command::new(jcmd).arg(running.pid().to_string()).arg("GC.heap_dump").arg(&file).output();
    assert!(status.is_ok_and(|output| output.status.success()), "jcmd dumps the heap");
    Some(file)
}

fn json(arguments: &[&str]) -> Value {
    let output = mayfly([&["heap"], arguments, &["--json"]].concat()).ok().stdout;
    serde_json::from_str(&output).expect("JSON")
}

fn id(object: &Value) -> &str {
    object.as_str().and_then(|name| name.rsplit('@').next()).expect("class@id")
}

/// For each of our largest retainers the ids of what it retains, itself first.
fn retained_sets(file: &str) -> Vec<Vec<String>> {
    let largest = json(&["retained", file, "--limit", &(10 * COMPARED).to_string()]);
    let rows = largest["rows"].as_array().expect("rows").iter();
    let objects = rows.filter(|row| !row["name"].as_str().is_some_and(|name| name.starts_with("class ")));
    objects
        .map(|row| id(&row["name"]).to_owned())
        .take(COMPARED)
        .map(|object| {
            let of = format!("0x{object}");
            let members = json(&["retained", file, "--of", &of, "--members", "--limit", "100000000"]);
            let rows = members["rows"].as_array().expect("rows");
            let others =
                rows.iter().map(|row| id(&row["object"]).to_owned()).filter(|member| *member != object);
            [object.clone()].into_iter().chain(others).collect()
        })
        .collect()
}

/// What the other reader says: what the first object of each set retains, and what the set takes together.
fn second_reader(
    jdk: &Jvm,
    library: &Path,
    folder: &Workspace,
    file: &str,
    sets: &[Vec<String>],
) -> Vec<(u64, u64)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/SecondReader.java");
    let javac = jdk.javac().expect("a full JDK");
    let compiled =
        Command::new(javac).arg("-cp").arg(library).arg("-d").arg(folder.path()).arg(source).output();
    let compiled = compiled.expect("javac runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let class_path = env::join_paths([library, folder.path()]).expect("no colons in paths");
    let mut reader = Command::new(jdk.java())
        .arg("-cp")
        .arg(class_path)
        .args(["SecondReader", file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("java runs");
    let mut input = reader.stdin.take().expect("piped");
    let lines: String = sets.iter().map(|set| set.join(" ") + "\n").collect();
    // It answers as it reads; a thread writes, so that neither waits for the other.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = reader.wait_with_output().expect("java ends");
    writer.join().expect("no panic").expect("it reads its input");
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let numbers = |line: &str| {
        let (retained, together) = line.split_once(' ')?;
        Some((retained.parse().ok()?, together.parse().ok()?))
    };
    answers.lines().map(|line| numbers(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

#[test]
fn what_is_retained_is_what_netbeans_says() {
    let Some(library) = library() else {
        return skip(
            "the second reader of hprof",
            "no target/second-reader: run scripts/fetch-second-reader",
        );
    };
    // The library is of Java 17.
    let Some(jdk) = jdks(17).pop() else {
        return skip("the second reader of hprof", "no full JDK 17 or newer to run it with");
    };
    each_jvm_at_once(|jvm| {
        let folder = Workspace::new();
        let Some(file) = hprof(jvm, &folder) else {
            return skip("the second reader of hprof", &format!("{jvm} has no jcmd"));
        };
        let file = file.to_str().expect("UTF-8");
        let sets = retained_sets(file);
        assert_eq!(sets.len(), COMPARED);
        let answers = second_reader(&jdk, &library, &folder, file, &sets);
        let compared = sets.iter().zip(&answers);
        let odd: Vec<_> = compared.filter(|(_, (retained, together))| retained != together).collect();
        let told: Vec<_> = odd.iter().map(|(set, answer)| (&set[0], set.len(), answer)).collect();
        assert!(odd.is_empty(), "on {jvm} of {COMPARED}: {told:#?}");
    });
}
