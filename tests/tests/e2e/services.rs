//! The ten questions of `docs/README.md`, asked of two services that others wrote, Spring Boot and Kafka, with a shop and a delivery of our own in
//! them (`tests/services`); answers are held against what the program does, `jcmd` and the JVM's log of its collections.
//!
//! Their jars come from Maven's central repository; without them the test is skipped. Not here: the guide's shop (`questions`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mayfly_tests::{
    Workspace, class_histogram, each_jvm, jcmd, jdks, left_to_ci, shell_words, skip, workspace_root,
};
use regex::Regex;

use crate::endpoints::{fetched, succeed};
use crate::questions::{Here, Subject, Truth};

/// A service, in `tests/services`.
struct Service {
    source: &'static str,
    /// Where its `pom.xml` is, in `tests`.
    pom: &'static str,
    main: &'static str,
    flags: &'static str,
    request: &'static str,
    /// Entries of the request, as a report shows them.
    entries: &'static str,
    truth: Truth<'static>,
}

const SPRING: Service = Service {
    source: "spring/Books.java",
    pom: "endpoints/spring",
    main: "books.Books",
    flags: "-Drequests=1500",
    request: "books.Books.book",
    entries: "1.50 k",
    truth: [
        ("allocates most", &[&["byte[] is"], &["books.Books.render:"]]),
        ("lives long", &[&["longest: "], &["books.Books"]]),
        ("leaks, and who", &[&["VISITS"], &["books.Books$Visit leaks", "books.Books$Visit may leak"]]),
        ("my change help", &[&["In all"], &["-"], &["books.Books.render"]]),
        ("survives a request", &[&["books.Books.book"], &["survived"], &["books.Books$Visit"]]),
        ("GC busy", &[&["Why it collects (Serial)"], &["pauses"], &["books.Books"]]),
        ("Which flag", &[&["Nothing to gain from a flag", "Try -X", "Which flag helps is not known: "]]),
        ("fills the heap", &[&["byte[]"], &["total"]]),
        (
            "profiling cost",
            &[&["mayfly run took", "mayfly run takes", "mayfly run: the difference"], &["without Mayfly"]],
        ),
    ],
};

const KAFKA: Service = Service {
    source: "kafka/Orders.java",
    pom: "services/kafka",
    main: "orders.Orders",
    flags: "-Drequests=4000",
    request: "orders.Orders.deliver",
    entries: "4.00 k",
    truth: [
        ("allocates most", &[&["byte[] is"], &["orders.Orders.invoice:"]]),
        // The broker's map for compaction, 128 MiB.
        ("lives long", &[&["longest: "], &["SkimpyOffsetMap"]]),
        (
            "leaks, and who",
            &[&["DELIVERED"], &["orders.Orders$Delivery leaks", "orders.Orders$Delivery may leak"]],
        ),
        ("my change help", &[&["In all"], &["-"], &["orders.Orders.invoice"]]),
        ("survives a request", &[&["orders.Orders.deliver"], &["survived"], &["orders.Orders$Delivery"]]),
        ("GC busy", &[&["Why it collects (Serial)"], &["pauses"], &["orders.Orders.invoice"]]),
        ("Which flag", &[&["Nothing to gain from a flag", "Try -X", "Which flag helps is not known: "]]),
        ("fills the heap", &[&["byte[]"], &["total"]]),
        (
            "profiling cost",
            &[&["mayfly run took", "mayfly run takes", "mayfly run: the difference"], &["without Mayfly"]],
        ),
    ],
};

fn source(service: &Service) -> PathBuf {
    workspace_root().join("tests/services").join(service.source)
}

/// Jars and classes.
fn built(service: &Service) -> Result<Workspace, String> {
    let jdk = jdks(17).into_iter().next().ok_or("no JDK 17 or newer with javac")?;
    let folder = fetched(&workspace_root().join("tests").join(service.pom))?;
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    javac.args(["-g", "-nowarn", "-parameters", "-proc:none", "--release", "17", "-cp"]);
    javac.arg(folder.file("*")).arg("-d").arg(folder.path()).arg(source(service));
    succeed(&mut javac)?;
    Ok(folder)
}

fn ask(service: &Service, built: &OnceLock<Result<Workspace, String>>) {
    each_jvm(|jvm| {
        let what = format!("questions on {} on {jvm}", service.main);
        // Of a release in between nothing else is to be learned, and it takes a minute and a half.
        if (18..25).contains(&jvm.feature) {
            return;
        }
        let needed =
            ["java.management.rmi", "java.naming", "java.desktop", "java.instrument", "jdk.unsupported"];
        let modules = jvm.modules();
        if jvm.feature < 17 || needed.iter().any(|needed| !modules.iter().any(|module| module == needed)) {
            return skip(&what, "it is too old or too small for the service");
        }
        let folder = match built.get_or_init(|| self::built(service)) {
            Ok(folder) => folder,
            Err(why) => return skip(&what, why),
        };
        let class_path = shell_words([Path::new(&format!("{0}:{0}/*", folder.path().display()))]);
        // Enough for all that is kept while the questions are asked.
        let flags = "-XX:+UseSerialGC -Xmn16m -Xmx400m -Xlog:gc:file=gc-%p.log";
        let program = format!("{flags} {} -cp {class_path} {}", service.flags, service.main);
        let subject = Subject { program, request: service.request, truth: &service.truth };
        let here = Here::new(&jvm.java(), &subject);
        let running = here.begin("exec java -Dforever=true -jar app.jar").when_ready();
        let answers = here.ask(jvm, running.pid());
        let of = |question: &str| {
            let answer = answers.iter().find(|(asked, _)| asked.contains(question));
            &answer.unwrap_or_else(|| panic!("{question}?")).1
        };
        check_pauses(&here, of("allocates most"), of("GC busy"));
        // A package may be cut to a letter.
        let (package, method) = service.request.split_once('.').expect("of a class in a package");
        let (first, rest) = package.split_at(1);
        let entries = format!(r"(?m)^ +{} .* {first}({rest})?\.{}$", service.entries, regex::escape(method));
        let survived = of("survives a request");
        assert!(Regex::new(&entries).expect("a pattern").is_match(survived), "{what}: {survived}");
        if let Some(histogram) = jcmd(jvm, &running, &["GC.class_histogram"]) {
            let all: u64 = class_histogram(&histogram).values().map(|count| count.bytes).sum();
            // Again, as it leaks.
            check_heap(all, &here.run("mayfly heap 4711", running.pid()).stdout);
        }
    });
}

/// By the JVM's log of the same run, but for what we force.
fn check_pauses(here: &Here<'_>, run: &str, busy: &str) {
    let one = |pattern: &str, text: &str| {
        let pattern = Regex::new(pattern).expect("a pattern");
        let found = pattern.captures(text).unwrap_or_else(|| panic!("no {pattern}: {text}"));
        found.iter().skip(1).map(|group| group.expect("there").as_str().to_owned()).collect::<Vec<_>>()
    };
    let pid = &one(r"(?m)^Program: pid (\d+),", run)[0];
    let log = fs::read_to_string(here.file(&format!("gc-{pid}.log"))).expect("the JVM's log");
    let pause = Regex::new(r"(?m) Pause .* ([0-9.]+)ms$").expect("a pattern");
    let own = pause.captures_iter(&log).filter(|row| !row[0].contains("ForceGarbageCollection"));
    let logged: Vec<f64> = own.map(|row| row[1].parse().expect("a number")).collect();
    let [ms, number] = &one(r"(?m)^  pauses +([0-9.]+ m?s) in (\d+) pauses", busy)[..] else {
        unreachable!()
    };
    let number: usize = number.parse().expect("a number");
    // A full collection of Serial begins with a young one, which its log has not.
    assert!(number.abs_diff(logged.len()) <= 2, "{busy}\n{log}");
    let (ms, unit) = ms.split_once(' ').expect("a unit");
    let ms = ms.parse::<f64>().expect("a number") * if unit == "s" { 1000.0 } else { 1.0 };
    let sum: f64 = logged.iter().sum();
    assert!((ms - sum).abs() <= 0.1 * sum + 2.0, "{ms} ms of {sum}: {busy}\n{log}");
}

/// By the JVM's own histogram, which was taken a moment before.
fn check_heap(all: u64, answer: &str) {
    let total = Regex::new(r"(?m)^ *(\d+) +\d+  total of ").expect("a pattern");
    let found = total.captures(answer).unwrap_or_else(|| panic!("no total: {answer}"));
    let bytes: f64 = found[1].parse().expect("a number");
    assert!((bytes - all as f64).abs() <= 0.1 * all as f64, "{all} bytes by jcmd: {answer}");
}

#[test]
fn questions_on_a_service_of_spring_boot_are_answered() {
    static BUILT: OnceLock<Result<Workspace, String>> = OnceLock::new();
    if !left_to_ci("questions on Spring Boot") {
        ask(&SPRING, &BUILT);
    }
}

#[test]
fn questions_on_a_broker_of_kafka_are_answered() {
    static BUILT: OnceLock<Result<Workspace, String>> = OnceLock::new();
    if !left_to_ci("questions on Kafka") {
        ask(&KAFKA, &BUILT);
    }
}
