//! What real runs give to those who read many: labels, recordings of Flight Recorder, profiles of OpenTelemetry.
//!
//! Not here: merging, which needs no JVM (`cli/tests/all/merge.rs`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::mpsc;
use std::thread;

use mayfly_tests::{
    Jvm, Launch, Outcome, Profiled, Running, Workspace, any_jvm, jvms, mayfly, skip, workspace_root,
};

/// Each object followed, with stacks.
const EVERY: &str = "#trackcollections#trace";

/// Objects by class, as one of the numbers of an event says.
type Sums = BTreeMap<String, u64>;

#[test]
fn labels_of_the_user_and_of_the_environment_are_in_the_recording() {
    any_jvm(|jvm| {
        let run =
            Profiled::new(jvm, "exitlive.ExitLive", &format!("{EVERY}#label-version=2#label-team=cart"));
        let run = run.with(|launch| launch.environment("OTEL_SERVICE_NAME", "shop"));
        run.run();
        let labels = run.json().0["labels"].clone();
        for (name, value) in [("version", "2"), ("team", "cart"), ("application", "shop")] {
            assert_eq!(labels[name], value, "{labels} on {jvm}");
        }
        let uuid = labels["process"].as_str().unwrap_or_default();
        assert!(uuid.len() == 36 && labels["host"].is_string(), "{labels} on {jvm}");
    });
}

fn tool(jvm: &Jvm) -> Option<PathBuf> {
    Some(jvm.home.join("bin/jfr")).filter(|tool| tool.exists())
}

fn jfr(tool: &Path, words: &[&str], file: &Path) -> Outcome {
    let mut command = Command::new(tool);
    command.args(words).arg(file);
    Running::of(command).finish().ok()
}

/// Sums of a number by class, of the events that `jfr print --json` shows.
fn sums(tool: &Path, event: &str, class: &str, number: &str, file: &Path) -> Sums {
    let printed = jfr(tool, &["print", "--json", "--events", event], file).stdout;
    let json: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    let mut sums = Sums::new();
    for event in json["recording"]["events"].as_array().expect("events") {
        let values = &event["values"];
        let class =
            values.pointer(class).and_then(|name| name.as_str()).unwrap_or_else(|| panic!("{values:#}"));
        *sums.entry(class.replace('/', ".")).or_default() += values[number].as_u64().expect("a number");
    }
    sums.retain(|_, sum| *sum > 0);
    sums
}

#[test]
fn the_tools_of_all_jdks_read_the_recording_of_flight_recorder() {
    let tools: Vec<(u32, PathBuf)> =
        jvms().iter().filter_map(|jvm| Some((jvm.feature, tool(jvm)?))).collect();
    if tools.is_empty() {
        return skip("recordings of Flight Recorder", "no JVM here has the tool jfr");
    }
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let run = Profiled::new(jvm, "exitlive.ExitLive", EVERY);
        run.run();
        let file = folder.file("run.jfr");
        let words: [OsString; 5] =
            ["report".into(), "--jfr".into(), "-o".into(), file.clone().into(), run.recording().into()];
        mayfly(words).ok();
        let json = run.json();
        let rows = json.0["classes"].as_array().expect("classes");
        let of_report = |pointer: &str| -> Sums {
            let number = |row: &serde_json::Value| row.pointer(pointer).and_then(serde_json::Value::as_u64);
            let row = |row: &serde_json::Value| Some((row["name"].as_str()?.to_owned(), number(row)?));
            rows.iter().filter_map(row).filter(|(_, number)| *number > 0).collect()
        };
        for (release, tool) in &tools {
            let summary = jfr(tool, &["summary"], &file).stdout;
            assert!(summary.contains("mayfly.ObjectLifetime"), "{release}: {summary}");
            let allocated = sums(tool, "jdk.ObjectAllocationSample", "/objectClass/name", "weight", &file);
            assert_eq!(
                allocated,
                of_report("/allocated/bytes"),
                "allocated by the tool of {release} on {jvm}"
            );
            let live = sums(tool, "jdk.OldObjectSample", "/object/type/name", "objectSize", &file);
            assert_eq!(live, of_report("/live/bytes"), "live by the tool of {release} on {jvm}");
            let text = jfr(tool, &["print", "--events", "mayfly.ObjectLifetime"], &file).stdout;
            assert!(text.contains("exitlive.ExitLive") && text.contains("duration = "), "{release}: {text}");
            if *release >= 21 {
                let view = jfr(tool, &["view", "allocation-by-class"], &file).stdout;
                assert!(view.contains("exitlive.ExitLive"), "{release}: {view}");
            }
        }
    });
}

/// The collector that `scripts/fetch-collector` builds.
fn collector() -> Option<PathBuf> {
    let built = workspace_root().join("target/readers/otelcol");
    let named = std::env::var_os("MAYFLY_COLLECTOR").map(PathBuf::from);
    let found = named.into_iter().chain([built]).find(|file| file.exists());
    if found.is_none() {
        skip("OpenTelemetry's collector", "not in target/readers; scripts/fetch-collector builds it");
    }
    found
}

/// A real collector with these exporters takes what is pushed of a program's recording, until that is `seen` in what it prints; gives the report of it.
#[track_caller]
fn taken(
    collector: &Path,
    program: Launch,
    exporters: &str,
    mut seen: impl FnMut(&str) -> bool,
) -> serde_json::Value {
    let folder = Workspace::new();
    let port = free_port();
    let config = format!(
        "receivers: {{otlp: {{protocols: {{http: {{endpoint: '127.0.0.1:{port}'}}}}}}}}\n\
         exporters: {{{exporters}}}\n\
         service: {{telemetry: {{metrics: {{level: none}}}}, pipelines: {{profiles: {{receivers: [otlp], exporters: [{}]}}}}}}\n",
        exporters.split(':').next().expect("a name")
    );
    fs::write(folder.file("collector.yaml"), config).expect("written");
    let (config, log) = (folder.file("collector.yaml"), folder.file("collector.log"));
    let mut command = Command::new("sh");
    let gate = "--feature-gates=+service.profilesSupport";
    let line = format!(
        "exec {} --config file:{} {gate} >{} 2>&1",
        collector.display(),
        config.display(),
        log.display()
    );
    command.args(["-c", &line]);
    let mut running = Running::of(command);
    running.wait_until("the collector never listened", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let program = program.agent(format!("{EVERY}#recording-{}", folder.file("run.mayfly").display()));
    program.run().ok();
    let to = format!("http://127.0.0.1:{port}");
    let words: [OsString; 4] = ["push".into(), folder.file("run.mayfly").into(), "--to".into(), to.into()];
    let pushed = mayfly(words).ok();
    assert!(pushed.stderr.contains("1 profiles taken"), "{}", pushed.stderr);
    running
        .wait_until("the collector never showed it", || fs::read_to_string(&log).is_ok_and(|log| seen(&log)));
    running.kill();
    let words: [OsString; 3] = ["report".into(), "--json".into(), folder.file("run.mayfly").into()];
    serde_json::from_str(&mayfly(words).ok().stdout).expect("JSON")
}

/// Below those from which Linux takes the ports of outgoing connections: it stays free until the collector comes to it.
fn free_port() -> u16 {
    let first = 10_000 + process::id() % 20_000;
    let mut ports = (first..first + 2_000).filter_map(|port| u16::try_from(port).ok());
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a port")
}

#[test]
fn a_real_collector_takes_what_is_pushed() {
    let Some(collector) = collector() else { return };
    any_jvm(|jvm| {
        let wanted = ["alloc_space", "inuse_objects", "exitlive.ExitLive", "mayfly.lifetime", "service.name"];
        let program = Launch::new(jvm, "exitlive.ExitLive");
        let seen = |log: &str| wanted.iter().all(|text| log.contains(text));
        taken(&collector, program, "debug: {verbosity: detailed}", seen);
    });
}

/// The body of the first request that comes.
fn first_body(listener: TcpListener) -> io::Result<Vec<u8>> {
    let mut stream = BufReader::new(listener.accept()?.0);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    stream
        .get_mut()
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}")?;
    Ok(body)
}

/// Objects that are alive by trace and span: what the collector passes on, which prints no links.
fn linked(message: &serde_json::Value) -> BTreeMap<[String; 2], u64> {
    let dictionary = &message["dictionary"];
    let text = |index: &serde_json::Value| &dictionary["stringTable"][index.as_u64().unwrap_or(0) as usize];
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let mut found = BTreeMap::new();
    let profiles = list(&message["resourceProfiles"]).into_iter().flat_map(|one| list(&one["scopeProfiles"]));
    let profiles = profiles.flat_map(|one| list(&one["profiles"]));
    for profile in profiles.filter(|one| text(&one["sampleType"]["typeStrindex"]) == "inuse_objects") {
        for sample in list(&profile["samples"]) {
            let link = &dictionary["linkTable"][sample["linkIndex"].as_u64().unwrap_or(0) as usize];
            let ids = ["traceId", "spanId"].map(|key| link[key].as_str().unwrap_or_default().to_owned());
            let amount = sample["values"][0].as_str().and_then(|number| number.parse::<u64>().ok());
            *found.entry(ids).or_default() += amount.expect("a number");
        }
    }
    found
}

/// Ids of the program's own spans, through the agent, the recording, OTLP, and what the collector makes of it.
#[test]
fn a_real_collector_passes_on_the_links_to_spans() {
    let Some(collector) = collector() else { return };
    any_jvm(|jvm| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let to = listener.local_addr().expect("an address");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(first_body(listener)));
        let mut body = None;
        let exporter = format!("otlp_http: {{endpoint: 'http://{to}', encoding: json, compression: none}}");
        let program = Launch::new(jvm, "traced.Traced").args(&["api"]);
        let report = taken(&collector, program, &exporter, |_| {
            body = body.take().or_else(|| receiver.try_recv().ok());
            body.is_some()
        });
        let body = body.expect("it came").expect("whole");
        let mut found = linked(&serde_json::from_slice(&body).expect("JSON"));
        let objects = |is_wanted: fn(&str) -> bool| {
            let mut objects = BTreeMap::<_, u64>::new();
            for row in report["traces"]["rows"].as_array().expect("rows") {
                let ids = ["trace_id", "span_id"].map(|key| row[key].as_str().expect("an id").to_owned());
                let is_wanted = is_wanted(row["class"].as_str().expect("a class"));
                let live = row["live"]["objects"].as_u64().expect("a number");
                *objects.entry(ids).or_default() += if is_wanted { live } else { 0 };
            }
            objects
        };
        let without = found.remove(&[String::new(), String::new()]);
        assert!(without > Some(0), "{found:?}");
        // Of a class that is made in several places, objects without a stack have no link.
        let (own, all) = (objects(|class| class.starts_with("traced.")), objects(|_| true));
        assert!(own.values().sum::<u64>() > 200, "{own:?}");
        for (ids, &objects) in &own {
            let linked = found.remove(ids).unwrap_or_default();
            assert!((objects..=all[ids]).contains(&linked), "{ids:?} on {jvm}: {linked} of {objects}");
        }
        assert_eq!(found, BTreeMap::new(), "on {jvm}");
    });
}
