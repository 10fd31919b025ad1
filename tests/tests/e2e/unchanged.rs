//! The program is left as it was: stdout, exit code, what it prints on stderr, and what it sees of itself.

use std::process::Command;
use std::time::Duration;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Running, Workspace, artifacts, each_jvm, each_jvm_at_once, fixture_classes,
    turns_of,
};

const OPTIONS: [&str; 3] = ["", "#trackcollections#trace", "#sample-64k#trace"];

fn same_with_and_without(jvm: &Jvm, main: &str, args: &[&str], jvm_args: &[&str]) {
    same_with_each(jvm, main, args, jvm_args, OPTIONS.iter());
}

/// As [`same_with_and_without`], of one of several variants: where every release runs, with one of the options on each.
fn same_by_turns(jvm: &Jvm, variant: usize, how: &str, jvm_args: &[&str]) {
    same_with_each(jvm, "exits.Exits", &[how], jvm_args, turns_of(jvm, variant, &OPTIONS));
}

fn same_with_each<'a>(
    jvm: &Jvm,
    main: &str,
    args: &[&str],
    jvm_args: &[&str],
    options: impl Iterator<Item = &'a &'a str>,
) {
    let plain = Launch::new(jvm, main).args(args).jvm_args(jvm_args).run();
    for options in options {
        let folder = Workspace::new();
        let options = format!("{options}#live-0#output-{}", folder.path().display());
        let profiled = Launch::new(jvm, main).agent(&options).args(args).jvm_args(jvm_args).run();
        let what = format!("{main} {args:?} with {options} on {jvm}");
        assert_eq!(profiled.stdout, plain.stdout, "stdout of {what}");
        assert_eq!(profiled.status, plain.status, "end of {what}");
        for line in plain.stderr.lines() {
            assert!(profiled.stderr.contains(line), "{what} lacks on stderr: {line}");
        }
    }
}

#[test]
fn every_way_to_end() {
    each_jvm(|jvm| {
        let ways = [
            "return",
            "exit",
            "halt",
            "uncaught",
            "exit-in-thread",
            "halt-in-hook",
            "daemon",
            "last-thread",
            "stack-overflow",
            "uncaught-in-thread",
        ];
        for (variant, how) in ways.iter().enumerate() {
            same_by_turns(jvm, variant, how, &[]);
        }
    });
}

/// By the contract of `Runtime.exit` it never returns then, and the JVM never ends.
#[test]
fn exit_from_a_shutdown_hook_blocks_as_ever() {
    each_jvm_at_once(|jvm| {
        let program =
            || Launch::new(jvm, "exits.Exits").args(&["exit-in-hook"]).limit(Duration::from_secs(10));
        let both = [program(), program().agent("#trackcollections#live-0")].map(|launch| launch.start());
        for mut running in both {
            running.wait_for_line("hook");
            assert!(running.try_finish().is_err(), "it ended on {jvm}");
        }
    });
}

#[test]
fn out_of_memory() {
    each_jvm(|jvm| {
        for (variant, how) in ["caught-oom", "oom", "oom-in-thread"].iter().enumerate() {
            same_by_turns(jvm, variant, how, &["-Xmx32m"]);
        }
    });
}

#[test]
fn what_reflection_and_stacks_show() {
    each_jvm(|jvm| same_with_and_without(jvm, "reflect.Reflect", &[], &[]));
}

#[test]
fn results_of_every_way_of_making_an_object() {
    each_jvm(|jvm| same_with_and_without(jvm, "gap.Gap", &["all", "2000"], &[]));
}

#[test]
fn a_program_that_ends_while_threads_allocate() {
    each_jvm(|jvm| same_with_and_without(jvm, "exits.Exits", &["daemon"], &["-Xmx64m"]));
}

#[test]
fn nothing_of_ours_is_on_stdout() {
    each_jvm(|jvm| {
        // Live histogram and report on: both go to stderr.
        let outcome = Launch::new(jvm, "org.server.Server").agent("#trackcollections#live-1").run().ok();
        assert_eq!(outcome.stdout, "EXPECT org.server.Server$Request 100 0 1600\nDONE\n", "on {jvm}");
        assert!(outcome.stderr.contains("Reason for output: JVM Shutdown"), "on {jvm}: {}", outcome.stderr);
    });
}

/// The first whose cache of classes is made in one run of the program.
const FIRST_WITH_AOT_OUTPUT: u32 = 25;

/// A cache has classes as they were: rewriting them would crash the JVM that makes it, and switch it off in one that uses it, which
/// says so on stdout.
#[test]
fn a_cache_of_classes_ahead_of_time_is_made_and_used_beside_samples() {
    each_jvm(|jvm| {
        let Some(jar) = jvm.javac().map(|javac| javac.with_file_name("jar")) else { return };
        if jvm.feature < FIRST_WITH_AOT_OUTPUT {
            return;
        }
        let folder = Workspace::new();
        let app = folder.file("app.jar");
        let packed =
            Command::new(jar).arg("cf").arg(&app).arg("-C").arg(fixture_classes()).arg("exits").status();
        assert!(packed.expect("jar runs").success());
        let run = |agent: &str, mode: &[&str]| {
            let mut java = Command::new(jvm.java());
            if !agent.is_empty() {
                let options = format!("{agent}#live-0#recording-{}", folder.file("run").display());
                java.arg(artifacts().agent_flag(&options));
            }
            java.args(mode).arg("-cp").arg(&app).args(["exits.Exits", "return"]);
            Running::of(java).finish()
        };
        let plain = run("", &[]);
        let cache = folder.file("app.aot");
        let [made, used] = ["Output", ""].map(|end| format!("-XX:AOTCache{end}={}", cache.display()));
        for mode in [&*made, &used] {
            let outcome = run("#sample-64k#trace", &[mode]);
            assert!(outcome.stderr.contains("the JVM's own samples instead of exact counts"), "{outcome:?}");
            assert!(outcome.stdout.starts_with(&plain.stdout), "{outcome:?}");
            assert!(!outcome.stdout.contains("[error]"), "{outcome:?}");
            assert!(cache.exists(), "{outcome:?}");
            assert_eq!(JsonReport::of(&folder.file("run")).0["engine"], "sampled", "on {jvm}");
        }
        let refused = run("#trackcollections", &[&used]);
        assert_eq!((refused.code(), &*refused.stdout), (Some(2), ""), "{refused:?}");
        assert!(refused.stderr.contains("-XX:AOTMode=off"), "{refused:?}");
        let exact = run("#trackcollections", &["-XX:AOTMode=off", &used]);
        assert_eq!(exact.stdout, plain.stdout, "{exact:?}");
    });
}
