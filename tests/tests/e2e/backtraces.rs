//! The arrays that the VM makes for an exception's stack trace are counted to the byte: by the JVM's own counter, and by
//! arithmetic.

use mayfly_tests::{Jvm, Profiled, check_all, each_jvm, skip};

/// Bytes that the fixture read from the JVM's counter: `JVM bytes`.
fn jvm_bytes(stdout: &str) -> u64 {
    let line = stdout.lines().find_map(|line| line.strip_prefix("JVM "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or_else(|| panic!("no line JVM in:\n{stdout}"))
}

fn counted_to_the_byte(jvm: &Jvm, jvm_args: &[&str], options: &str, depth: &str, times: &str) {
    let run = Profiled::new(jvm, "unseen.Backtraces", &format!("#delayprofiling{options}"))
        .with(|l| l.jvm_args(jvm_args).args(&[depth, times]));
    let outcome = run.start().finish();
    if outcome.stderr.contains("NoClassDefFoundError") {
        return skip(&format!("backtraces on {jvm}"), "this JVM lacks jdk.management");
    }
    let outcome = outcome.ok();
    let allocated = run.json().allocated();
    let counted: u64 = allocated.values().map(|count| count.bytes).sum();
    let jvm_counted = jvm_bytes(&outcome.stdout);
    // Compiled code may make the VM allocate something once: 584 bytes were seen with a load of 38 on two cores. Collections wake threads of
    // the JDK, and what those allocate the fixture's own counter lacks. Both are less than one word, the least by which an object can
    // be miscounted, of each exception.
    let collects = options.contains("#trackcollections");
    let exceptions: u64 = times.parse().expect("a number of exceptions");
    let slack = match (collects, jvm_args.contains(&"-Xint")) {
        (true, _) => 8 * exceptions - 1,
        (false, true) => 0,
        (false, false) => 2_048,
    };
    let surplus = if collects { slack } else { 0 };
    assert!(
        counted <= jvm_counted + surplus && jvm_counted <= counted + slack,
        "{counted} bytes counted, {jvm_counted} allocated: depth {depth} {jvm_args:?} {options} on {jvm}"
    );
    if let Err(mismatch) = check_all(jvm, &outcome.stdout, &allocated) {
        panic!("depth {depth} {jvm_args:?} {options} on {jvm}:\n{mismatch}");
    }
}

#[test]
fn at_every_depth() {
    each_jvm(|jvm| {
        // The main method and the fixture's own frames come on top; at 1024 (MaxJavaStackTraceDepth) it ends.
        for depth in ["1", "28", "29", "60", "2000"] {
            counted_to_the_byte(jvm, &["-Xint", "-Xss4m"], "", depth, "300");
        }
    });
}

#[test]
fn compiled_and_without_compressed_references() {
    each_jvm(|jvm| {
        for (jvm_args, times) in [
            (["-XX:+TieredCompilation", "-Xmx64m"], "300"),
            (["-XX:TieredStopAtLevel=1", "-Xmx64m"], "30000"),
            (["-XX:-TieredCompilation", "-Xmx64m"], "30000"),
            (["-Xint", "-XX:-UseCompressedOops"], "300"),
        ] {
            counted_to_the_byte(jvm, &jvm_args, "", "40", times);
        }
    });
}

#[test]
fn tracked_too() {
    each_jvm(|jvm| counted_to_the_byte(jvm, &["-Xint"], "#trackcollections", "40", "3000"));
}
