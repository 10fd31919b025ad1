//! `mayfly leaks` on real programs, none of which leaks, though one opens sessions all the time: run by hand, as the scripts of these programs are no part of a clone.
//!
//! Not here: programs that leak (`leaks`).

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{Running, Workspace, artifacts, files_in, jdks, mayfly, skip};
use serde_json::Value;

/// Each runs by NAME.sh, and ends with a line of its result.
const BEDS: [&str; 8] =
    ["vnu", "javac-bc", "tomcat", "h2", "clojure", "jruby-rdoc", "spark-sql", "bio-picard"];

/// Runs a bed, each of its JVMs with such an agent; it ends after ten minutes at most.
fn command(scripts: &Path, bed: &str, options: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["600", "bash"]).arg(scripts.join(format!("{bed}.sh")));
    let agent = format!("-agentpath:{}={options}", artifacts().agent.display());
    command.env("JAVA", jdks(17)[0].java()).env("JAVA_OPTS_EXTRA", agent);
    command
}

/// What `mayfly leaks` calls a leak; it is printed what it says.
fn called_leaks(bed: &str, words: &[&str]) -> Vec<String> {
    let outcome = mayfly(["leaks", "--json"].iter().chain(words));
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    let suspects = json["suspects"].as_array().cloned().unwrap_or_default();
    let of =
        |verdict: &str| suspects.iter().filter(|suspect| suspect["verdict"] == verdict).collect::<Vec<_>>();
    let (leaks, unsure) = (of("leak"), of("unsure"));
    let said = outcome.stderr.lines().last().unwrap_or_default();
    println!(
        "{bed}: exit code {:?}, {} leaks, {} that can't be told; {} {} {said}",
        outcome.code(),
        leaks.len(),
        unsure.len(),
        json["searched"],
        json["untold"]
    );
    leaks.iter().map(|suspect| format!("{bed}: {suspect:#}")).collect()
}

fn scripts() -> Option<PathBuf> {
    let folder = env::var_os("MAYFLY_BEDS").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        skip("leaks of real programs", "MAYFLY_BEDS names no folder of their scripts");
    }
    folder
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just leaks-on-beds"]
fn no_recording_of_a_real_program_is_said_to_leak() {
    let Some(scripts) = scripts() else { return };
    let only = env::var("MAYFLY_BED").ok();
    let mut leaks = Vec::new();
    for bed in BEDS.into_iter().filter(|bed| only.as_deref().is_none_or(|only| only == *bed)) {
        let folder = Workspace::new();
        let options = format!("#trackcollections#trace#recording-{}", folder.file("%p.mayfly").display());
        let output = command(&scripts, bed, &options).output().expect("runs");
        let said =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(said.contains("BED-RESULT"), "{bed}: {said}");
        for recording in files_in(&folder.file("")) {
            leaks.extend(called_leaks(bed, &[&recording.display().to_string()]));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just leaks-on-beds"]
fn of_a_server_under_load_nothing_but_its_sessions_is_said_to_leak() {
    let Some(scripts) = scripts() else { return };
    let folder = Workspace::new();
    let options = format!("#live-0#recording-{}", folder.file("%p.mayfly").display());
    let mut command = command(&scripts, "tomcat", &options);
    command.env("SECS", "60");
    let mut server = Running::of(command);
    let recordings = server.wait_for_files(&folder.file(""), 1);
    let pid = recordings[0].file_stem().expect("a name").to_string_lossy().into_owned();
    let leaks = called_leaks("tomcat, by PID", &[&pid, "--for", "30s"]);
    server.finish();
    // The load opens a session with every seventh request, and each is kept for half an hour: that grows all the time.
    let others: Vec<_> = leaks.into_iter().filter(|leak| !leak.contains("session.StandardManager")).collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}
