//! What the hooks do not see is estimated, under its cause: by the JVM's own counter of the thread that made it.

use std::fs;

use mayfly_tests::{Jvm, Profiled, Workspace, each_jvm, skip, workspace_root};
use serde_json::Value;

/// The first release with `Lookup.defineHiddenClass`.
const HIDDEN_CLASSES: u32 = 15;

/// What a run tells: bytes by the JVM's counter, bytes counted, and the trust line.
struct Measured {
    jvm: f64,
    counted: f64,
    trust: Value,
}

impl Measured {
    fn of(jvm: &Jvm, args: &[&str]) -> Option<Self> {
        Self::of_jvm_with(jvm, &[], args)
    }

    fn of_jvm_with(jvm: &Jvm, jvm_args: &[&str], args: &[&str]) -> Option<Self> {
        // Small enough an interval for an error of some per cent.
        let run = Profiled::new(jvm, "unseen.Unseen", "#delayprofiling#sample-16k")
            .with(|l| l.jvm_args(jvm_args).args(args));
        let outcome = run.start().finish();
        if outcome.stderr.contains("NoClassDefFoundError") {
            skip(&format!("{args:?} on {jvm}"), "this JVM lacks jdk.management");
            return None;
        }
        let stdout = outcome.ok().stdout;
        let bytes = stdout.lines().find_map(|line| line.strip_prefix("JVM ")?.parse().ok());
        let json = run.json();
        Some(Self {
            jvm: bytes.unwrap_or_else(|| panic!("no line JVM in:\n{stdout}")),
            counted: json.allocated().values().map(|count| count.bytes as f64).sum(),
            trust: json.0["trust"].clone(),
        })
    }

    /// Estimated bytes under a cause that begins so, and their error.
    fn cause(&self, start: &str) -> (f64, f64) {
        let parts = self.trust["remainder"].as_array().expect("trust.remainder");
        let part =
            parts.iter().find(|part| part["cause"].as_str().is_some_and(|cause| cause.starts_with(start)));
        part.map_or((0.0, 0.0), |part| {
            assert_eq!(part["estimated"], true, "{part}");
            (number(&part["bytes"]), number(&part["error_bytes"]))
        })
    }

    /// Bytes by the JVM's counter that are neither counted nor under another cause than this.
    fn missed_but_for(&self, start: &str) -> f64 {
        let parts = self.trust["remainder"].as_array().expect("trust.remainder");
        let named = parts.iter().filter(|part| {
            let cause = part["cause"].as_str().expect("a cause");
            !cause.starts_with(start) && !cause.starts_with("chance")
        });
        let elsewhere: f64 = named.map(|part| number(&part["bytes"])).sum();
        number(&self.trust["jvm_allocated_bytes"]) - number(&self.trust["accounted_bytes"]) - elsewhere
    }

    /// Estimated bytes of a class that no hook saw.
    fn of_class(&self, name: &str) -> f64 {
        let classes = self.trust["unseen_classes"].as_array().expect("trust.unseen_classes");
        classes.iter().find(|class| class["name"] == name).map_or(0.0, |class| number(&class["bytes"]))
    }

    /// Panics unless the estimate is what the JVM counted and the hooks didn't, within six errors: it is asked a hundred times a run.
    #[track_caller]
    fn check(&self, jvm: &Jvm, cause: &str, rounds: f64) {
        let (estimate, error) = self.cause(cause);
        // The work ran once before, to load what it needs, and was profiled then too.
        let missed = (self.jvm - self.counted) * rounds;
        assert!(error > 0.0 && error < missed / 5.0, "{estimate} ± {error} of {missed} on {jvm}");
        assert!(
            (estimate - missed).abs() < 6.0 * error + missed / 100.0,
            "{cause}: {estimate} ± {error} estimated, {missed} missed, on {jvm}: {}",
            self.trust
        );
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn strings_made_by_native_code() {
    each_jvm(|jvm| {
        let folder = Workspace::new();
        for file in 0..200 {
            fs::write(folder.file(&format!("a-file-with-a-name-{file:03}")), "").expect("a file can be made");
        }
        let path = folder.path().display().to_string();
        let Some(measured) = Measured::of(jvm, &["native", "1000", &path]) else { return };
        measured.check(jvm, "made by native code", 2.0);
        assert!(
            measured.of_class("java.lang.String") > 0.0 && measured.of_class("[B") > 0.0,
            "{}",
            measured.trust
        );
    });
}

#[test]
fn arrays_made_in_hidden_classes() {
    each_jvm(|jvm| {
        if jvm.feature < HIDDEN_CLASSES {
            return skip(&format!("hidden classes on {jvm}"), "it has none");
        }
        let Some(measured) = Measured::of(jvm, &["hidden", "20000"]) else { return };
        measured.check(jvm, "arrays made in hidden classes", 2.0);
        assert!(measured.of_class("[J") > 0.0);
    });
}

#[test]
fn clones_made_through_method_handles() {
    each_jvm(|jvm| {
        // Compiled, no frame of `clone` is there any more.
        for (jvm_args, times) in [(["-Xint"].as_slice(), "200000"), (&[], "2000000")] {
            let Some(measured) = Measured::of_jvm_with(jvm, jvm_args, &["handle", times]) else { return };
            measured.check(jvm, "cloned through method handles", 2.0);
            assert!(measured.of_class("unseen.Unseen$Original") > 0.0, "{jvm_args:?}: {}", measured.trust);
        }
    });
}

#[test]
fn what_a_constructor_makes_through_a_method_handle_is_no_clone() {
    each_jvm(|jvm| {
        let Some(measured) = Measured::of(jvm, &["constructor", "1000000"]) else { return };
        assert!(measured.counted > 30_000_000.0, "on {jvm}: {} counted", measured.counted);
        let (cloned, _) = measured.cause("cloned through method handles");
        assert!(
            cloned < measured.counted / 100.0,
            "{cloned} of {} on {jvm}: {}",
            measured.counted,
            measured.trust
        );
    });
}

/// Bytes of a vector and its array.
const BOX_BYTES: f64 = 48.0;

#[test]
fn vectors_that_c2_boxes() {
    const VECTORS: u32 = 4_000_000;
    each_jvm(|jvm| {
        let modules = jvm.modules();
        for needed in ["jdk.incubator.vector", "jdk.compiler"] {
            if !modules.contains(&needed.to_owned()) {
                return skip(&format!("vectors on {jvm}"), &format!("it lacks {needed}"));
            }
        }
        let source = workspace_root().join("fixtures/vectors/Vectors.java").display().to_string();
        let run = Profiled::new(jvm, &source, "#sample-16k")
            .with(|l| l.jvm_args(&["--add-modules", "jdk.incubator.vector"]).args(&[&VECTORS.to_string()]));
        run.run();
        let measured = Measured { jvm: 0.0, counted: 0.0, trust: run.json().0["trust"].clone() };
        let all = f64::from(VECTORS) * BOX_BYTES;
        let (boxed, error) = measured.cause("vectors that the JIT boxed");
        // How many C2 boxes depends on how soon it compiles; what is boxed is what the JVM counts and no other cause explains.
        assert!(
            (all / 10.0..all * 1.01 + 6.0 * error).contains(&boxed),
            "{boxed} of {all}: {}",
            measured.trust
        );
        let missed = measured.missed_but_for("vectors that the JIT boxed");
        assert!(
            (boxed - missed).abs() < 6.0 * error + missed / 50.0,
            "{boxed} of {missed}: {}",
            measured.trust
        );
        let (of_jvm, _) = measured.cause("made by the JVM itself");
        assert!(of_jvm < all / 10.0, "{of_jvm} on {jvm}: {}", measured.trust);
        assert!(number(&measured.trust["named_share"]) > 0.97, "on {jvm}: {}", measured.trust);
    });
}

#[test]
fn classes_and_their_reflection() {
    each_jvm(|jvm| {
        let Some(measured) = Measured::of(jvm, &["classes", "5000"]) else { return };
        // Collections of classes and loading the first ones are made by the JVM, too.
        let (estimate, error) = measured.cause("made by the JVM itself");
        let missed = (measured.jvm - measured.counted) * 2.0;
        assert!(
            estimate + 6.0 * error > missed * 0.9 && estimate - 6.0 * error < missed * 1.1,
            "{estimate} ± {error} estimated, {missed} missed, on {jvm}: {}",
            measured.trust
        );
        assert!(measured.of_class("java.lang.Class") > 0.0);
    });
}

#[test]
fn nothing_is_unseen_where_every_array_has_its_hook() {
    each_jvm(|jvm| {
        let Some(measured) = Measured::of(jvm, &["plain", "100000"]) else { return };
        // When compiled code is given up, the JVM itself makes arrays that had been removed from it: now and then one is picked.
        let stray = measured.counted / 1000.0;
        for cause in ["made by native code", "arrays made in"] {
            let (estimate, _) = measured.cause(cause);
            assert!(estimate < stray, "{cause} on {jvm}: {estimate} of {}", measured.trust);
        }
        assert!(measured.of_class("[J") < stray, "on {jvm}: {}", measured.trust);
    });
}
