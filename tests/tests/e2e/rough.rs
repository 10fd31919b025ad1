//! What is rough on an agent: storms of exceptions, classes that come and go, hidden ones, flags that change how objects look or
//! code runs, other agents. Every time the program's result is its own, and what it states is counted.

use mayfly_tests::{Beside, Jvm, Launch, Profiled, Workspace, check_all, each_jvm, left_to_ci, skip};

const UNLOCK: &str = "-XX:+UnlockExperimentalVMOptions";

fn holds(jvm: &Jvm, program: &Beside<'_>) {
    program.check(jvm, &|_| Ok(())).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
}

#[test]
fn storms_of_throwables() {
    each_jvm(|jvm| holds(jvm, &Beside::new("storm.Storm", &["100000"]).by_turns(0)));
}

#[test]
fn hidden_classes_and_records() {
    each_jvm(|jvm| {
        if jvm.feature < 16 {
            skip(&format!("records on {jvm}"), "older than Java 16");
        } else {
            holds(jvm, &Beside::new("shapes.Shapes", &[]));
        }
    });
}

#[test]
fn classes_that_are_unloaded_keep_their_names() {
    if left_to_ci("names of unloaded classes") {
        return;
    }
    const ROUNDS: &str = "\n\n\n\n";
    each_jvm(|jvm| {
        let program = Beside::new("loading.Loading", &["5", "1000"]).stdin(ROUNDS).by_turns(1);
        let named_once = |run: &Profiled| {
            let json = run.json();
            let classes = json.0["classes"].as_array().into_iter().flatten();
            let made = classes.filter(|class| class["name"] == "loading.Loading$Made").count();
            if made == 1 { Ok(()) } else { Err(format!("{made} rows of one class name")) }
        };
        program.check(jvm, &named_once).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
    });
}

#[test]
fn unloaded_classes_cost_no_memory() {
    if left_to_ci("memory of unloaded classes") {
        return;
    }
    const MIB: u64 = 1 << 20;
    each_jvm(|jvm| {
        let heap = ["-Xint", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"];
        let run = Profiled::new(jvm, "loading.Loading", "#trackcollections#trace")
            .with(|l| l.jvm_args(&heap).args(&["6", "2000"]));
        let mut running = run.start();
        let mut resident = Vec::new();
        for _ in 0..6 {
            running.wait_for_line("READY");
            running.wait_until_idle();
            resident.push(running.resident_bytes());
            running.send_line("GO");
        }
        running.finish().ok();
        // What is left of loaders is left in each round, of 2,000: half a kilobyte for each would fail. At times the JVM itself takes some MiB, in
        // three rounds of five once: on a busy machine JDK 11 took 6.9, 3.7, 0, 0 and 1.2 MB.
        let mut more: Vec<_> = resident.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        more.sort_unstable();
        assert!(more[1] < MIB, "on {jvm}: resident memory by round {resident:?}");
    });
}

#[test]
fn flags_that_change_how_objects_look() {
    if left_to_ci("flags that change how objects look") {
        return;
    }
    // With the size of an Item, where it is known: 16 bytes by default, a header of 12 and a field of 4.
    let flags: [(&[&str], Option<u64>); 5] = [
        (&["-XX:-UseCompressedOops"], None),
        // Second: of two JVMs that take turns, the newer knows it.
        (&[UNLOCK, "-XX:+UseCompactObjectHeaders"], Some(16)),
        (&["-XX:-UseCompressedClassPointers"], None),
        (&["-Xmx40g", "-Xms16m"], None),
        (&["-XX:ObjectAlignmentInBytes=32"], Some(32)),
    ];
    each_jvm(|jvm| {
        for (variant, (jvm_args, size)) in flags.iter().enumerate() {
            let program = Beside::new("threads.Threads", &["2", "20000"]).jvm_args(jvm_args).layout_differs();
            // What only newer JVMs know they are asked in every mode.
            let is_new = jvm_args.contains(&UNLOCK);
            let program = if is_new { program } else { program.by_turns(variant) };
            let sized = |run: &Profiled| {
                let bytes = run.json().allocated()["threads.Threads$Item"].bytes;
                match size.map(|size| size * 40_000) {
                    Some(expected) if expected != bytes => Err(format!("{bytes} bytes, not {expected}")),
                    _ => Ok(()),
                }
            };
            program.check(jvm, &sized).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
        }
    });
}

#[test]
fn compact_headers_make_objects_smaller() {
    each_jvm(|jvm| {
        let flags = [UNLOCK, "-XX:+UseCompactObjectHeaders"];
        let halved = |run: &Profiled| match run.json().allocated()["exitlive.ExitLive$Node"].bytes {
            // A header of 8 and a field of 8 bytes.
            6_416_000 => Ok(()),
            bytes => Err(format!("{bytes} bytes for 401,000 objects of 16")),
        };
        let program = Beside::new("exitlive.ExitLive", &[]).jvm_args(&flags).layout_differs();
        program.check(jvm, &halved).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
    });
}

#[test]
fn flags_that_change_how_code_runs() {
    if left_to_ci("flags that change how code runs") {
        return;
    }
    let flags: [&[&str]; 9] = [
        &["-Xint"],
        &["-XX:TieredStopAtLevel=1"],
        &["-Xcomp", "-XX:TieredStopAtLevel=1"],
        &[UNLOCK, "-XX:+UseEpsilonGC", "-Xmx512m"],
        &["-XX:+DisableAttachMechanism"],
        &["-XX:-UsePerfData"],
        &["-Xshare:auto"],
        &["-XX:-UseTLAB"],
        &["-Xrs"],
    ];
    each_jvm(|jvm| {
        for (variant, jvm_args) in flags.iter().enumerate() {
            let program = Beside::new("threads.Threads", &["2", "5000"]).jvm_args(jvm_args);
            holds(jvm, &program.by_turns(variant));
        }
    });
}

#[test]
fn no_collection_means_that_nothing_died() {
    each_jvm(|jvm| {
        let flags = [UNLOCK, "-XX:+UseEpsilonGC", "-Xmx512m"];
        let program = Beside::new("exitlive.ExitLive", &[]).jvm_args(&flags);
        let all_live = |run: &Profiled| {
            let json = run.json();
            let node = "exitlive.ExitLive$Node";
            let tracked = json.class(node).is_some_and(|class| class["live"]["objects"].is_u64());
            let live = json.live().get(node).map_or(0, |count| count.objects);
            if !tracked || live == 401_000 { Ok(()) } else { Err(format!("{live} live")) }
        };
        program.check(jvm, &all_live).unwrap_or_else(|why| panic!("on {jvm}: {why}"));
    });
}

#[test]
fn the_jvms_own_checks_of_jni_find_nothing() {
    each_jvm(|jvm| {
        let folder = Workspace::new();
        let heap_too = format!("#heapexit#heapdir-{}", folder.path().display());
        for mode in mayfly_tests::MODES.into_iter().chain([heap_too.as_str()]) {
            let run = Launch::new(jvm, "threads.Threads").agent(mode);
            let outcome = run.jvm_args(&["-Xcheck:jni"]).args(&["2", "5000"]).run();
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            let found = said.lines().find(|line| {
                ["WARNING", "FATAL ERROR", "JNI call made", "native method"]
                    .iter()
                    .any(|word| line.contains(word))
            });
            assert_eq!(found, None, "{mode:?} on {jvm}:\n{said}");
        }
    });
}

#[test]
fn an_agent_that_retransforms_everything() {
    if left_to_ci("an agent that retransforms everything") {
        return;
    }
    each_jvm(|jvm| {
        let folder = Workspace::new();
        let jar = folder.file("agent.jar").display().to_string();
        Launch::new(jvm, "retransform.Agent").args(&[&jar]).run().ok();
        let option = format!("-javaagent:{jar}");
        let program = Beside::new("threads.Threads", &["2", "5000"]).jvm_args(&[option.as_str()]);
        holds(jvm, &program.by_turns(0));
    });
}

#[test]
fn options_given_by_the_environment() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "threads.Threads", "");
        let agent = run.launch().java_args()[0].to_string_lossy().into_owned();
        let plain = Launch::new(jvm, "threads.Threads").args(&["2", "5000"]);
        let outcome = plain.environment("JAVA_TOOL_OPTIONS", &agent).run().ok();
        check_all(jvm, &outcome.stdout, &run.json().allocated())
            .unwrap_or_else(|why| panic!("on {jvm}:\n{why}"));
    });
}
