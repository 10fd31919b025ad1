//! The plugin for Spark, in real applications of PySpark: on a cluster of executors, one of which is killed, and where all is set wrong.
//!
//! PySpark comes by pip (450 MB); without it, or without a JDK that it runs on, these tests are skipped.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use mayfly_tests::{
    JsonReport, Outcome, Running, Workspace, artifacts, jdks, left_to_ci, mayfly, skip, workspace_root,
};
use serde_json::Value;

const GUIDE: &str = include_str!("../../../docs/guide/spark.md");
const FLEET: &str = include_str!("../../../docs/guide/fleet.md");
/// An application on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Spark, the jars that are tried on it, and a JVM that runs it.
struct Spark {
    /// The folder of the Python package.
    package: PathBuf,
    java: PathBuf,
    jars: Workspace,
}

fn spark() -> Option<&'static Spark> {
    static SPARK: OnceLock<Option<Spark>> = OnceLock::new();
    SPARK.get_or_init(|| found().map_err(|why| skip("the plugin for Spark", &why)).ok()).as_ref()
}

fn found() -> Result<Spark, String> {
    let java = jdks(17).into_iter().map(|jdk| jdk.home).find(|home| has_vectors(home));
    let java = java.ok_or("no JDK 17 or newer with the module jdk.incubator.vector")?;
    let class_path = said(Command::new(script("fetch-spark")))?;
    let package = class_path.strip_suffix("/pyspark/jars/*").ok_or("no folder of jars")?.into();
    let jars = Workspace::new();
    for (part, jar) in [("api", "mayfly-api.jar"), ("spark", "mayfly-spark.jar")] {
        let mut build = Command::new(workspace_root().join("profiler-java").join(part).join("build"));
        build.arg(jars.file(jar)).env("JAVA_HOME", &java);
        said(build)?;
    }
    let spark = Spark { package, java, jars };
    compile_counters(&spark, &class_path)?;
    Ok(spark)
}

fn script(name: &str) -> PathBuf {
    workspace_root().join("profiler-java/spark").join(name)
}

fn said(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Spark asks for them; small JVMs lack them.
fn has_vectors(home: &Path) -> bool {
    let mut java = Command::new(home.join("bin/java"));
    java.arg("--list-modules");
    said(java).is_ok_and(|modules| modules.contains("jdk.incubator.vector"))
}

/// A JVM from before it counted all its threads together can't have them.
fn compile_counters(spark: &Spark, class_path: &str) -> Result<(), String> {
    let classes = spark.jars.file("classes");
    let mut javac = Command::new(spark.java.join("bin/javac"));
    javac.args(["-nowarn", "-proc:none", "-cp", class_path, "-d"]).arg(&classes);
    javac.arg(workspace_root().join("tests/spark/counters/Counters.java"));
    said(javac)?;
    let mut jar = Command::new(spark.java.join("bin/jar"));
    jar.args(["cf".as_ref(), spark.jars.file("counters.jar").as_os_str(), "-C".as_ref()])
        .arg(&classes)
        .arg(".");
    said(jar).map(drop)
}

/// The arguments of `spark-submit` as the guide has them, with what is here in place of what a reader has.
fn of_the_guide(spark: &Spark, recordings: &Path) -> Vec<String> {
    let block = GUIDE.split("\n\n").find(|block| block.contains("    spark-submit --jars")).expect("a block");
    let block = block.replace("\\\n", " ");
    let here = |word: &str| {
        let file = |name| spark.jars.file(name).display().to_string();
        word.replace("mayfly-spark.jar", &file("mayfly-spark.jar"))
            .replace("mayfly-api.jar", &file("mayfly-api.jar"))
            .replace("hdfs:///mayfly", &format!("file:{}", recordings.display()))
            .replace("/opt/mayfly/lib/libmayfly.so", &artifacts().agent.display().to_string())
    };
    block.split_whitespace().skip(1).filter(|word| *word != "job.py").map(here).collect()
}

/// A setting of Spark, as two arguments.
fn conf(name: &str, value: impl std::fmt::Display) -> [String; 2] {
    ["--conf".into(), format!("{name}={value}")]
}

/// What makes the application small.
fn small() -> Vec<String> {
    let java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmn48m";
    [
        conf("spark.ui.enabled", false),
        conf("spark.driver.host", "127.0.0.1"),
        conf("spark.driver.bindAddress", "127.0.0.1"),
        conf("spark.driver.memory", "600m"),
        conf("spark.executor.memory", "600m"),
        conf("spark.sql.shuffle.partitions", 2),
        // Compiled queries take longer to compile than to run.
        conf("spark.sql.codegen.wholeStage", false),
        conf("spark.driver.extraJavaOptions", java),
        conf("spark.executor.extraJavaOptions", java),
    ]
    .concat()
}

/// Runs a program of `tests/spark`; it succeeds. What Spark writes is in `home/work` of the folder.
#[track_caller]
fn submit(
    spark: &Spark,
    folder: &Path,
    settings: &[String],
    program: &str,
    arguments: &[OsString],
) -> Outcome {
    let home = folder.join("home");
    fs::create_dir(&home).expect("a folder");
    for part in ["bin", "jars"] {
        symlink(spark.package.join("pyspark").join(part), home.join(part)).expect("a link");
    }
    let mut command = Command::new("env");
    command.arg("-C").arg(folder).arg(home.join("bin/spark-submit"));
    command
        .args(small())
        .args(settings)
        .arg(workspace_root().join("tests/spark").join(program))
        .args(arguments);
    command.env("SPARK_HOME", &home).env("PYTHONPATH", &spark.package).env("JAVA_HOME", &spark.java);
    command.env("SPARK_LOCAL_IP", "127.0.0.1").env("PYSPARK_PYTHON", "python3");
    let mut running = Running::of(command);
    running.set_limit(LIMIT);
    running.finish().ok()
}

fn cluster(executors: u32) -> Vec<String> {
    vec!["--master".into(), format!("local-cluster[{executors},1,600]")]
}

/// The job's result, whatever became of the executors.
const RESULT: &str = "KEPT 400000\nGONE 500\n";

/// All recordings of an application's folder, by executor.
fn recordings(folder: &Path) -> Vec<(String, PathBuf)> {
    let files = mayfly_tests::files_in(folder);
    let recordings = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "mayfly"));
    let named = |file: PathBuf| {
        let label = JsonReport::begun(&file)?.0["labels"]["executor"].as_str()?.to_owned();
        Some((label, file))
    };
    recordings.filter_map(named).collect()
}

fn read(file: PathBuf) -> Option<u64> {
    fs::read_to_string(file).ok()?.parse().ok()
}

#[track_caller]
fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {value}"))
}

#[test]
fn an_application_is_recorded_though_an_executor_is_killed() {
    if left_to_ci("an application of Spark") {
        return;
    }
    let Some(spark) = spark() else { return };
    let folder = Workspace::new();
    let [kept, counters, local] = ["kept", "counters", "local"].map(|name| folder.file(name));
    for made in [&kept, &counters] {
        fs::create_dir(made).expect("a folder");
    }
    let mut settings = of_the_guide(spark, &kept);
    let jars = settings.iter_mut().find(|word| word.ends_with(".jar")).expect("jars");
    *jars = format!("{jars},{}", spark.jars.file("counters.jar").display());
    settings.extend(cluster(2));
    settings.extend(conf("spark.plugins", "io.mayfly.spark.MayflyPlugin,counters.Counters"));
    settings.extend(conf("spark.counters.dir", counters.display()));
    settings.extend(conf("spark.mayfly.localDir", local.display()));
    settings.extend(conf("spark.mayfly.dfsWriteInterval", "1s"));
    settings.extend(conf("spark.mayfly.options", "#sample-64k"));
    let arguments = [artifacts().cli.clone().into(), kept.clone().into(), counters.clone().into()];
    let outcome = submit(spark, folder.path(), &settings, "job.py", &arguments);
    assert_eq!(outcome.stdout, RESULT, "{}", outcome.stderr);

    let applications = mayfly_tests::files_in(&kept);
    let [application] = &applications[..] else { panic!("{applications:?}") };
    is_complete(application, "1", &outcome.stderr);
    let of_executors = agrees_with_counters(application, &counters);
    let merged = agrees_with_its_parts(&folder, application);
    assert!(of_executors >= 2 && number(&merged, "/trust/share") > 0.9, "{merged}");
    stages_are_told_apart(application);
    blocks_of_the_guide(&folder, application);
    questions_are_answered(spark, &folder, &merged);
}

/// Waits until an executor has ended its recording: the driver does not wait for that.
#[track_caller]
fn is_complete(application: &Path, executor: &str, stderr: &str) {
    let mut waiting = Command::new("cat");
    waiting.arg("-");
    let complete = |(id, file): (String, PathBuf)| {
        id == executor && JsonReport::begun(&file).is_some_and(|report| report.0["complete"] == true)
    };
    let otherwise = format!("executor {executor} did not end its recording: {stderr}");
    Running::of(waiting).wait_until(&otherwise, || recordings(application).into_iter().any(complete));
}

/// Each recording is of what its executor's JVM counted, within three of the standard errors that it states; how many executors there are.
fn agrees_with_counters(application: &Path, counters: &Path) -> usize {
    let executors: Vec<_> = recordings(application).into_iter().filter(|(id, _)| id != "driver").collect();
    assert!(executors.iter().any(|(id, _)| id == "0"), "the killed one is missing: {executors:?}");
    for (id, file) in &executors {
        let report = JsonReport::of(file).0;
        assert!(id != "0" || report["complete"] == false, "{id} was killed: {report}");
        let counted = number(&report, "/trust/jvm_allocated_bytes");
        let least = read(counters.join(format!("{id}.task"))).unwrap_or(0) as f64;
        let most = read(counters.join(format!("{id}.now"))).expect("counters of each") as f64;
        // Counters begin a moment later than the recording.
        let slack = f64::from(8 << 20);
        assert!(least <= counted + slack && counted <= most + slack, "{id}: {least} {counted} {most}");
        let off = (number(&report, "/trust/accounted_bytes") - counted).abs();
        let causes = report["trust"]["remainder"].as_array().expect("causes");
        let stated: f64 = causes.iter().map(|cause| cause["error_bytes"].as_f64().unwrap_or(0.0)).sum();
        assert!(
            off <= 3.0 * stated + 0.02 * counted,
            "{id}: off by {off}, {stated} stated: {}",
            report["trust"]
        );
    }
    executors.len()
}

/// The merged recording has the sums of all.
fn agrees_with_its_parts(folder: &Workspace, application: &Path) -> Value {
    let merged = folder.file("merged.mayfly");
    mayfly(["merge".as_ref(), "-o".as_ref(), merged.as_os_str(), application.as_os_str()]).ok();
    let merged = JsonReport::of(&merged).0;
    for pointer in ["/trust/jvm_allocated_bytes", "/trust/accounted_bytes"] {
        let parts = recordings(application);
        let sum: f64 = parts.iter().map(|(_, file)| number(&JsonReport::of(file).0, pointer)).sum();
        let all = number(&merged, pointer);
        assert!((all - sum).abs() <= parts.len() as f64, "{pointer}: {all} instead of {sum}");
    }
    merged
}

/// The first stage's blocks are cached, and live; what a later one makes is garbage.
fn stages_are_told_apart(application: &Path) {
    let executor =
        recordings(application).into_iter().find(|(id, _)| id == "1").expect("it was never killed").1;
    let report = JsonReport::of(&executor).0;
    let rows = report["threads"].as_array().expect("pools");
    let stages: Vec<_> = rows
        .iter()
        .filter(|row| row["pool"].as_str().is_some_and(|pool| pool.starts_with("stage ")))
        .map(|row| {
            let bytes = |measure: &str| row["measures"][measure].as_f64().unwrap_or(0.0);
            (bytes("bytes"), bytes("live_bytes"))
        })
        .collect();
    let first = rows.iter().find(|row| row["pool"] == "stage 0").expect("the first stage");
    let kept = first["measures"]["live_bytes"].as_f64().unwrap_or(0.0);
    // Half of 400,000 longs and names of 10 characters are here, and a quarter of a block may wait for a collection.
    assert!(stages.len() >= 3 && kept > 1.5e6, "{stages:?}, {kept} of the first");
    let others: f64 = stages.iter().map(|(_, live)| live).sum::<f64>() - kept;
    let made: f64 = stages.iter().map(|(bytes, _)| bytes).sum::<f64>();
    assert!(others < 0.2 * made, "{stages:?}, {kept} of the first");
}

/// Each command of the page, on what the application has left.
fn blocks_of_the_guide(folder: &Workspace, application: &Path) {
    symlink(application, folder.file("application")).expect("a link");
    let commands: Vec<_> = GUIDE.lines().filter_map(|line| line.strip_prefix("    mayfly ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let mut typed = Command::new("env");
        typed.arg("-C").arg(folder.path()).arg(&artifacts().cli).args(command.split_whitespace());
        let outcome = Running::of(typed).finish();
        // Found, or too short to be judged.
        let leaks = command.starts_with("leaks") && matches!(outcome.code(), Some(1 | 2));
        assert!(outcome.status.success() || leaks, "mayfly {command}: {}", outcome.stderr);
        assert!(
            !command.contains("--by executor") || outcome.stdout.contains("driver"),
            "{}",
            outcome.stdout
        );
        assert!(!command.contains("--threads") || outcome.stdout.contains("stage 0"), "{}", outcome.stdout);
    }
}

/// The questions of the guide on fleets, in Spark SQL as in DuckDB, of an application in which the plugin is there and nothing is
/// switched on: it leaves nothing.
fn questions_are_answered(spark: &Spark, folder: &Workspace, merged: &Value) {
    let mut questions: Vec<String> = FLEET
        .lines()
        .filter_map(|line| line.strip_prefix("    duckdb -c \"")?.strip_suffix('"'))
        .map(in_spark)
        .collect();
    assert!(questions.len() >= 10, "{questions:?}");
    let own = FLEET.lines().find_map(|line| line.strip_prefix("    spark-sql -e '")?.strip_suffix('\''));
    questions.push(own.expect("one in Spark's own words").to_owned());
    questions.push("SELECT sum(allocated_bytes), count(*) FROM parquet.`tables/recordings`".into());
    questions.push("SELECT sum(bytes) FROM parquet.`tables/classes`".into());
    let asked = serde_json::to_string(&questions).expect("JSON");
    let quiet = Workspace::new();
    symlink(folder.file("tables"), quiet.file("tables")).expect("a link");
    let mut settings = vec!["--master".into(), "local[1]".into()];
    let jars = ["mayfly-spark.jar", "mayfly-api.jar"].map(|jar| spark.jars.file(jar).display().to_string());
    settings.extend(["--jars".into(), jars.join(",")]);
    settings.extend(conf("spark.plugins", "io.mayfly.spark.MayflyPlugin"));
    settings.extend(conf("spark.mayfly.dfsDir", format!("file:{}", quiet.file("kept").display())));
    settings.extend(conf("spark.mayfly.library", artifacts().agent.display()));
    let outcome = submit(spark, quiet.path(), &settings, "questions.py", &[asked.into()]);
    let rows = outcome.stdout.lines().find_map(|line| line.strip_prefix("ROWS ")).expect("rows");
    let rows: Vec<Vec<Value>> = serde_json::from_str(rows).expect("JSON");
    for (question, rows) in questions.iter().zip(&rows) {
        assert!(!rows.is_empty(), "{question}");
    }
    let sums = &rows[rows.len() - 2..];
    for sum in [&sums[0][0][0], &sums[1][0][0]] {
        let total: f64 = merged["classes"]
            .as_array()
            .expect("classes")
            .iter()
            .map(|class| number(class, "/allocated/bytes"))
            .sum();
        let sum = sum.as_f64().expect("a number");
        assert!((sum - total).abs() <= 1e-6 * total, "{sum} instead of {total}");
    }
    assert!(!outcome.stderr.contains("MayflyPlugin: "), "{}", outcome.stderr);
    let left: Vec<_> = walkdir::WalkDir::new(quiet.path())
        .into_iter()
        .flatten()
        .map(|entry| entry.path().to_owned())
        .collect();
    assert!(
        left.iter().all(|file| !file.to_string_lossy().contains("mayfly")),
        "it was never switched on: {left:?}"
    );
}

/// A question to DuckDB, as the guide says to put it to Spark; old is what is older than a second.
fn in_spark(question: &str) -> String {
    let table = regex::Regex::new(r"'(tables/\w+)/\*/\*/\*\.parquet'").expect("a pattern");
    table.replace_all(question, "parquet.`$1`").replace(">= 10000", ">= 1000")
}

#[test]
fn what_is_set_wrong_is_a_line_in_the_log() {
    if left_to_ci("applications of Spark that are set wrong") {
        return;
    }
    let Some(spark) = spark() else { return };
    let library = conf("spark.mayfly.library", "/nowhere/libmayfly.so");
    let folder = Workspace::new();
    let settings =
        [of_the_guide(spark, &folder.file("kept")), conf("spark.mayfly.options", "#nonsense").into()];
    let outcome = submit(spark, folder.path(), &[settings.concat(), cluster(1)].concat(), "job.py", &[]);
    assert_eq!(outcome.stdout, RESULT, "{}", outcome.stderr);
    let log = fs::read_dir(folder.file("home/work")).expect("applications").flatten().next().expect("one");
    let log = fs::read_to_string(log.path().join("0/stderr")).expect("what executor 0 wrote");
    for (what, log) in [("the driver", &outcome.stderr), ("executor 0", &log)] {
        assert_eq!(complaints(log, what, "nonsense"), 1, "{log}");
    }
    let without_api = |word: &String| match word.split_once(".jar,") {
        Some((plugin, _)) => format!("{plugin}.jar"),
        None => word.clone(),
    };
    for (wrong, why) in
        [(Some(library), "there is no file /nowhere/libmayfly.so"), (None, "NoClassDefFoundError")]
    {
        let folder = Workspace::new();
        let mut settings = of_the_guide(spark, &folder.file("kept"));
        settings.extend(["--master".into(), "local[1]".into()]);
        match wrong {
            Some(wrong) => settings.extend(wrong),
            None => settings = settings.iter().map(without_api).collect(),
        }
        let question = r#"["SELECT count(*) FROM range(1000)"]"#;
        let outcome = submit(spark, folder.path(), &settings, "questions.py", &[question.into()]);
        assert_eq!(outcome.stdout, "ROWS [[[1000]]]\n", "{}", outcome.stderr);
        assert_eq!(complaints(&outcome.stderr, "the driver", why), 1, "{}", outcome.stderr);
    }
}

/// The plugin leaves a JVM as it is that an agent counts exactly from its launch on, and enters a scope for each task.
#[test]
fn tasks_are_scopes_where_an_agent_counts_exactly() {
    if left_to_ci("scopes of stages of Spark") {
        return;
    }
    let Some(spark) = spark() else { return };
    let folder = Workspace::new();
    let (kept, recording) = (folder.file("kept"), folder.file("exact.mayfly"));
    let mut settings = of_the_guide(spark, &kept);
    settings.extend(["--master".into(), "local[1]".into()]);
    let options = format!("#track-balanced#recording-{}", recording.display());
    let agent = format!("-agentpath:{}={options} -XX:+UseSerialGC", artifacts().agent.display());
    settings.extend(conf("spark.driver.extraJavaOptions", agent));
    let question = r#"["SELECT /*+ REPARTITION(3) */ * FROM range(0, 3, 1, 2)"]"#;
    let outcome = submit(spark, folder.path(), &settings, "questions.py", &[question.into()]);
    let report = JsonReport::of(&recording).0;
    let scopes = report["scopes"].as_array().unwrap_or_else(|| panic!("no scopes: {}", outcome.stderr));
    let first = scopes.iter().find(|scope| scope["path"][0] == "stage 0").expect("a stage");
    assert_eq!(first["entries"], 2, "a task for each partition: {scopes:?}");
    assert!(!kept.exists(), "its recording is where its options say");
}

/// Lines of a log that say why somebody is not profiled.
fn complaints(log: &str, who: &str, why: &str) -> usize {
    let start = format!("WARN MayflyPlugin: Mayfly does not profile {who}: ");
    log.lines().filter(|line| line.split_once(&start).is_some_and(|(_, said)| said.contains(why))).count()
}
