//! `mayfly leaks` on real programs, none of which leaks, though one opens sessions all the time: run by hand, as the scripts of these programs are no part of a clone.
//!
//! Not here: programs that leak (`leaks`).

use mayfly_tests::{Beds, Running, Workspace, artifacts, files_in, mayfly};
use serde_json::Value;

/// Each runs by NAME.sh, and ends with a line of its result.
const BEDS: [&str; 8] =
    ["vnu", "javac-bc", "tomcat", "h2", "clojure", "jruby-rdoc", "spark-sql", "bio-picard"];

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
    assert!(matches!(outcome.code(), Some(0..=2)), "{bed}: {}", outcome.stderr);
    leaks.iter().map(|suspect| format!("{bed}: {suspect:#}")).collect()
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just leaks-on-beds"]
fn no_recording_of_a_real_program_is_said_to_leak() {
    let Some(beds) = Beds::found("leaks of real programs") else { return };
    let mut leaks = Vec::new();
    for bed in Beds::chosen(&BEDS) {
        let folder = Workspace::new();
        let options = format!("#trackcollections#trace#recording-{}", folder.file("%p.mayfly").display());
        beds.run(bed, "", &artifacts().agent_flag(&options));
        for recording in files_in(&folder.file("")) {
            leaks.extend(called_leaks(bed, &[&recording.display().to_string()]));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
#[ignore = "needs the scripts of real programs, and minutes: just leaks-on-beds"]
fn of_a_server_under_load_nothing_is_said_to_leak() {
    let Some(beds) = Beds::found("leaks of a server") else { return };
    let folder = Workspace::new();
    let options = format!("#live-0#recording-{}", folder.file("%p.mayfly").display());
    let mut command = beds.command("tomcat", &artifacts().agent_flag(&options));
    command.env("SECS", "60");
    let mut server = Running::of(command);
    let recordings = server.wait_for_files(&folder.file(""), 1);
    let pid = recordings[0].file_stem().expect("a name").to_string_lossy().into_owned();
    let leaks = called_leaks("tomcat, by PID", &[&pid, "--for", "30s"]);
    server.finish();
    // The load opens a session with every seventh request, and each is kept for half an hour: that can't be told.
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}
