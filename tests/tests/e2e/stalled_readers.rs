//! A reader that stands still: neither the program nor the recording waits for it.

use std::time::{Duration, Instant};

use mayfly_tests::{JsonReport, Launch, Workspace, each_jvm_at_once, mayfly};

/// Runs the java command with its stderr in a pipe that nobody empties.
const UNREAD: &str = r#"mkfifo "$0" && exec 3<>"$0" && exec "$@" 2>&3"#;

/// How much longer a JVM may take of which nobody reads what it says: the agent waits a second for that at the end, and
/// other work may be in its way.
const MORE: Duration = Duration::from_secs(9);

#[test]
fn a_stalled_terminal_stops_neither_the_program_nor_its_recording() {
    each_jvm_at_once(|jvm| {
        let folder = Workspace::new();
        let recording = folder.file("run.mayfly");
        let pipe = folder.file("pipe").display().to_string();
        let options = format!(
            "#trackcollections#trace#gc-every-4m#live-1#periodic-1#outputlimit-1000#recording-{}",
            recording.display()
        );
        let program = || Launch::new(jvm, "demo.Demo").agent(&options).args(&["5"]);
        let timed = |launch: Launch| {
            let began = Instant::now();
            (launch.run().ok(), began.elapsed())
        };
        let (_, read) = timed(program());
        let (outcome, unread) = timed(program().under("sh", &["-c", UNREAD, &pipe]));
        assert!(unread < 2 * read + MORE, "on {jvm}: {unread:?}; if somebody reads, {read:?}");

        let printed = mayfly(["report".into(), "--json".into(), recording.clone().into_os_string()]).ok();
        assert_eq!(printed.stderr, "", "on {jvm}: what reading the recording says");
        let json = JsonReport::of(&recording);
        assert_eq!(json.0["complete"], true, "on {jvm}");
        let made = json.allocated()["demo.Demo$Request"].objects;
        assert!(outcome.stdout.starts_with(&format!("served {made} ")), "on {jvm}: {made} counted");
    });
}
