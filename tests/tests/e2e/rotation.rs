//! A recording in several files: each is whole, and together they are the run, whatever became of it.
//!
//! Not here: when a file begins and which are removed, by a clock that is turned by hand (the agent's `output/recorder`).

use std::path::{Path, PathBuf};

use mayfly_tests::{Count, Counts, JsonReport, Jvm, Launch, Running, Workspace, any_jvm, files_in, mayfly};

const ITEM: &str = "steered.Steered$Item";

/// The program, whose recording goes on in a new file each second.
fn started(jvm: &Jvm, folder: &Path, more: &str) -> Running {
    let template = folder.join("app-%p.mayfly");
    let options = format!("#trackcollections#trace#live-0#loop-1s{more}#recording-{}", template.display());
    Launch::new(jvm, "steered.Steered").agent(options).start().when_ready()
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "mayfly");
    files_in(folder).into_iter().filter(is_one).collect()
}

/// Makes items and keeps as many as that, until the newest file has another number.
fn until_next_file(running: &mut Running, folder: &Path) -> u64 {
    let newest = recordings(folder).pop();
    let mut made = 0;
    loop {
        running.does("make 40");
        running.does("keep 10");
        made += 50;
        let mut looks = 0;
        running.wait_until("no new file", || {
            looks += 1;
            looks > 3 || recordings(folder).pop() != newest
        });
        if recordings(folder).pop() != newest {
            return made;
        }
    }
}

/// What the files say together.
fn sums(reports: &[JsonReport]) -> Counts {
    let mut sums = Counts::default();
    for (class, count) in reports.iter().flat_map(JsonReport::allocated) {
        let sum = sums.entry(class).or_default();
        *sum = Count { objects: sum.objects + count.objects, bytes: sum.bytes + count.bytes };
    }
    sums.retain(|_, sum| sum.objects > 0);
    sums
}

#[test]
fn files_are_whole_and_together_they_are_the_run() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let mut running = started(jvm, folder.path(), "");
        let made: u64 = (0..3).map(|_| until_next_file(&mut running, folder.path())).sum();
        let outcome = running.finish().ok();
        let files = recordings(folder.path());
        assert!(files.len() >= 4, "on {jvm}: {files:?}\n{}", outcome.stderr);
        let reports: Vec<_> = files.iter().map(|file| JsonReport::of(file)).collect();
        for (at, report) in reports.iter().enumerate() {
            assert_eq!(report.0["complete"], true, "file {at} on {jvm}");
            assert_eq!(report.0["part"]["files"]["first"], at + 1, "on {jvm}");
            let text = mayfly(["report".into(), files[at].clone().into_os_string()]).ok().stdout;
            assert!(text.contains(&format!("File {} of this run's recording", at + 1)), "on {jvm}:\n{text}");
            assert_eq!(text.contains("During "), at > 0, "on {jvm}:\n{text}");
        }
        let out = folder.path().join("merged");
        mayfly([
            "merge".into(),
            folder.path().as_os_str().to_owned(),
            "-o".into(),
            out.clone().into_os_string(),
        ])
        .ok();
        let merged = JsonReport::of(&out);
        assert_eq!(sums(&reports), merged.allocated(), "on {jvm}");
        assert_eq!(merged.allocated()[ITEM].objects, made, "on {jvm}");
        // One is held where the program put it last.
        assert_eq!(merged.live()[ITEM].objects, made / 5 + 1, "who lives at the end, once, on {jvm}");
        assert_eq!(merged.live(), reports.last().expect("some").live(), "on {jvm}");
        let accounted =
            |report: &JsonReport| report.0["trust"]["accounted_bytes"].as_u64().expect("a number");
        assert_eq!(reports.iter().map(accounted).sum::<u64>(), accounted(&merged), "on {jvm}");
        assert_eq!(merged.collected()[ITEM].objects, made / 5 * 4 - 1, "on {jvm}");
        // The folder, which is read as one run.
        let text = mayfly(["report".into(), folder.path().as_os_str().to_owned()]).ok().stdout;
        assert!(
            text.contains(&format!("Files 1 to {} of this run's recording", files.len())),
            "on {jvm}:\n{text}"
        );
        let [one, other] = [0, 1].map(|at| files[at].clone().into_os_string());
        // In a second of a small program the JVM itself is much of it.
        let diff = mayfly(["diff".into(), "--trust".into(), "0.1".into(), one, other]);
        assert!(matches!(diff.code(), Some(0 | 1)), "on {jvm}: {}", diff.stderr);
    });
}

#[test]
fn of_a_killed_jvm_all_but_the_last_second_is_there_and_old_files_are_removed() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let foreign = folder.path().join("app-1-20200101T000000Z-0001.mayfly");
        std::fs::write(&foreign, "another's").expect("written");
        let mut running = started(jvm, folder.path(), "#keep-2s");
        for _ in 0..6 {
            until_next_file(&mut running, folder.path());
        }
        running.kill();
        drop(running);
        assert!(foreign.exists(), "on {jvm}");
        let files: Vec<_> = recordings(folder.path()).into_iter().filter(|file| *file != foreign).collect();
        assert!((2..=5).contains(&files.len()), "on {jvm}: {files:?}");
        // The newest may have begun in the moment of the kill.
        let whole: Vec<_> = files[..files.len() - 1].iter().map(|file| JsonReport::of(file)).collect();
        assert!(whole.iter().all(|report| report.0["complete"] == true), "on {jvm}");
        let last = whole.last().expect("some");
        assert!(last.0["part"]["files"]["removed"].as_u64() > Some(0), "on {jvm}: {}", last.0["part"]);
    });
}

#[test]
fn metrics_of_a_running_jvm_are_in_a_file_for_node_exporter() {
    any_jvm(|jvm| {
        let folder = Workspace::new();
        let mut running = started(jvm, folder.path(), "");
        running.does("keep 30");
        let file = folder.file("app.prom");
        let pid = running.pid().to_string();
        mayfly(["push".into(), pid.clone().into(), "--textfile".into(), file.clone().into_os_string()]).ok();
        let text = std::fs::read_to_string(&file).expect("written");
        let items = format!("mayfly_allocated_objects_total{{class=\"{ITEM}\",application=");
        let line =
            text.lines().find(|line| line.starts_with(&items)).unwrap_or_else(|| panic!("on {jvm}:\n{text}"));
        assert!(line.ends_with(&format!("pid=\"{pid}\"}} 30")), "on {jvm}: {line}");
        running.finish().ok();
    });
}
