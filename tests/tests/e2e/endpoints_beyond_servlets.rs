//! Scopes per endpoint by `mayfly-endpoints.jar` alone, where a request's filters and its method may run on different threads: Jersey in a
//! server without servlets, Quarkus, Micronaut.
//!
//! All come from Maven's central repository; without it these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{JsonReport, Workspace, any_jvm, left_to_ci, skip};
use serde_json::Value;

use crate::endpoints::{
    Answers, JARS, Jars, all_entries, can_serve, compile, compile_with, fetched, jars, served, source,
    succeed, times,
};
use crate::scopes::{entries, made, outcome, scope};

const MODULES: [&str; 5] =
    ["java.desktop", "java.logging", "java.management", "java.naming", "jdk.unsupported"];
const ALL: [&str; 2] = [JARS[0].1, JARS[1].1];

type Requests = Vec<(&'static str, String)>;

/// A profiled run has the scopes, and answers are the same without the agent, and without our jars.
fn check_runs(
    name: &str,
    run: impl Fn(&[&str], &[&str]) -> (Answers, String),
    requests: &Requests,
    check: impl Fn(&Value),
) {
    let folder = Workspace::new();
    let recording = folder.file("run.mayfly").display().to_string();
    let mayfly = ["run", "--scopes", "--include", "shop.", "-o", &recording];
    let (with_agent, _) = run(&ALL, &mayfly);
    assert!(
        with_agent.iter().filter(|answer| answer.0 == 200).count() > requests.len() / 2,
        "{with_agent:?}"
    );
    check(&JsonReport::of(Path::new(&recording)).0);
    assert_eq!(with_agent, run(&ALL, &[]).0, "{name} without an agent");
    assert_eq!(with_agent, run(&[], &[]).0, "{name} without our jars");
}

fn requests_to_jax_rs() -> Requests {
    [
        times(7, "GET", |i| format!("/shop/orders/{i}")),
        times(3, "POST", |i| format!("/shop/baskets/{i}/items")),
        times(5, "GET", |i| format!("/shop/slow/{i}")),
        times(2, "GET", |i| format!("/shop/fails/{i}")),
        times(6, "GET", |i| format!("/shop/catalog/{i}")),
        times(1, "GET", |i| format!("/nowhere/{i}")),
    ]
    .concat()
}

/// What each of the shops has.
fn check_endpoints(json: &Value, on: &str) {
    let of = |name: &str| scope(json, &[name]);
    let objects = |name: &str, class: &str| made(of(name), &format!("shop.Shop${class}")).0;
    assert_eq!(entries(of("GET /shop/orders/{id}")), (7, 0), "{on}");
    assert_eq!(objects("GET /shop/orders/{id}", "Ordered"), 70, "{on}");
    let basket = of("POST /shop/baskets/{who}/items");
    assert_eq!(entries(basket), (3, 0), "{on}");
    assert_eq!(outcome(basket, "shop.Shop$Kept"), [0, 0, 9, 9], "{on}");
    assert_eq!(entries(of("GET /shop/slow/{id}")), (5, 0), "{on}");
    assert_eq!(objects("GET /shop/slow/{id}", "Asking"), 5, "{on}");
    assert_eq!(entries(of("GET /shop/fails/{id}")), (2, 0), "{on}");
    let scopes = json["scopes"].as_array().expect("scopes");
    assert!(scopes.iter().all(|scope| made(scope, "shop.Shop$Background").0 == 0), "{on}");
}

fn check_endpoints_of_jax_rs(json: &Value, on: &str) {
    check_endpoints(json, on);
    let listed = scope(json, &["GET /shop/catalog/{id}"]);
    assert_eq!((entries(listed), made(listed, "shop.Shop$Listed").0), ((6, 0), 6), "{on}");
    // With /end, and without what is nowhere.
    assert_eq!(all_entries(json), requests_to_jax_rs().len() as u64, "{on}");
}

fn class_path(jars: &Jars, ours: &[&str], others: &[&Path]) -> String {
    let ours = ours.iter().map(|jar| jars.path(jar).display().to_string());
    ours.chain(others.iter().map(|path| path.display().to_string())).collect::<Vec<_>>().join(":")
}

#[test]
fn the_jar_alone_makes_scopes_of_the_endpoints_of_jersey() {
    if left_to_ci("endpoints of Jersey") {
        return;
    }
    any_jvm(|jvm| {
        if !can_serve(jvm, "Jersey", 11, &MODULES) {
            return;
        }
        let Some(jars) = jars() else { return };
        let jersey = match fetched(&source("jersey")) {
            Ok(jersey) => jersey,
            Err(why) => return skip("endpoints of Jersey", &why),
        };
        let folder = Workspace::new();
        let classes = folder.file("classes");
        let jersey = jersey.file("*");
        let sources = ["jaxrs/Shop.java", "jaxrs/Catalog.java", "jersey/Main.java"].map(source);
        compile(jars, "11", &jersey.display().to_string(), &sources, &classes);
        let requests = requests_to_jax_rs();
        let run = |ours: &[&str], run: &[&str]| {
            let arguments = ["-cp", &class_path(jars, ours, &[&classes, &jersey]), "shop.Main"];
            served(jvm, "PORT ", &arguments, (&requests, "/shop/end"), run)
        };
        check_runs("Jersey", run, &requests, |json| {
            check_endpoints_of_jax_rs(json, &format!("Jersey on {jvm}"))
        });
    });
}

/// The shop as Quarkus builds it, with our jars among its dependencies or without.
fn shop_of_quarkus(jars: &Jars, folder: &Workspace, is_ours: bool) -> Result<PathBuf, String> {
    let project = folder.file(if is_ours { "with" } else { "without" });
    let sources = project.join("src/main/java/shop");
    fs::create_dir_all(&sources).expect("a folder");
    for name in ["Shop.java", "Catalog.java"] {
        fs::copy(source("jaxrs").join(name), sources.join(name)).expect("a source");
    }
    fs::copy(source("quarkus/pom.xml"), project.join("pom.xml")).expect("a project");
    let maven = |flags: &[&str]| {
        let mut maven = Command::new("mvn");
        maven.args(flags).args(["-q", "-B", "package", "-f"]).arg(project.join("pom.xml"));
        if is_ours {
            maven.arg("-Pours").arg(format!("-Dours={}", jars.folder.path().display()));
        }
        succeed(maven.env("JAVA_HOME", &jars.jdk))
    };
    maven(&["-o"]).or_else(|_| maven(&[]))?;
    Ok(project.join("target/quarkus-app/quarkus-run.jar"))
}

#[test]
fn the_jar_alone_makes_scopes_of_the_endpoints_of_quarkus() {
    if left_to_ci("endpoints of Quarkus") {
        return;
    }
    any_jvm(|jvm| {
        if !can_serve(jvm, "Quarkus", 17, &MODULES) {
            return;
        }
        let Some(jars) = jars() else { return };
        let folder = Workspace::new();
        let built = shop_of_quarkus(jars, &folder, true)
            .and_then(|with| Ok((with, shop_of_quarkus(jars, &folder, false)?)));
        let (with, without) = match built {
            Ok(both) => both,
            Err(why) => return skip("endpoints of Quarkus", &why),
        };
        let requests = requests_to_jax_rs();
        let run = |ours: &[&str], run: &[&str]| {
            let jar = if ours.is_empty() { &without } else { &with }.display().to_string();
            let arguments = [
                "-Dquarkus.http.host=127.0.0.1",
                "-Dquarkus.http.port=0",
                "-Dquarkus.log.console.format=%s%n",
                "-jar",
                &jar,
            ];
            served(jvm, "shop 1 on JVM", &arguments, (&requests, "/shop/end"), run)
        };
        check_runs("Quarkus", run, &requests, |json| {
            check_endpoints_of_jax_rs(json, &format!("Quarkus on {jvm}"));
        });
    });
}

fn requests_to_micronaut() -> Requests {
    [
        times(7, "GET", |i| format!("/shop/orders/{i}?page=2")),
        times(3, "POST", |i| format!("/shop/baskets/{i}/items")),
        times(5, "GET", |i| format!("/shop/slow/{i}")),
        times(4, "GET", |i| format!("/shop/mono/{i}")),
        times(2, "GET", |i| format!("/shop/fails/{i}")),
        times(1, "GET", |i| format!("/nowhere/{i}")),
    ]
    .concat()
}

fn check_endpoints_of_micronaut(json: &Value, on: &str) {
    check_endpoints(json, on);
    // Made on a thread of Reactor, to which Micronaut takes the request.
    let later = scope(json, &["GET /shop/mono/{id}"]);
    assert_eq!((entries(later), made(later, "shop.Shop$Later").0), ((4, 0), 4), "{on}");
    assert_eq!(entries(scope(json, &["GET /**"])), (1, 0), "{on}");
    assert_eq!(all_entries(json), requests_to_micronaut().len() as u64 + 1, "with /end, {on}");
}

#[test]
fn the_jar_alone_makes_scopes_of_the_endpoints_of_micronaut() {
    if left_to_ci("endpoints of Micronaut") {
        return;
    }
    any_jvm(|jvm| {
        if !can_serve(jvm, "Micronaut", 17, &MODULES) {
            return;
        }
        let Some(jars) = jars() else { return };
        let micronaut = match fetched(&source("micronaut")) {
            Ok(micronaut) => micronaut,
            Err(why) => return skip("endpoints of Micronaut", &why),
        };
        let folder = Workspace::new();
        let classes = folder.file("classes");
        let each: Vec<_> =
            fs::read_dir(micronaut.path()).expect("jars").flatten().map(|jar| jar.path()).collect();
        let processors = each.iter().map(|jar| jar.display().to_string()).collect::<Vec<_>>().join(":");
        let micronaut = micronaut.file("*");
        let flags = ["--release", "17", "-processorpath", &processors];
        compile_with(
            jars,
            &flags,
            &micronaut.display().to_string(),
            &[source("micronaut/Shop.java")],
            &classes,
        );
        let requests = requests_to_micronaut();
        let run = |ours: &[&str], run: &[&str]| {
            let class_path = class_path(jars, ours, &[&classes, &micronaut]);
            let port = "-Dmicronaut.server.port=-1";
            let arguments = ["-Dmicronaut.server.host=127.0.0.1", port, "-cp", &class_path, "shop.Shop"];
            served(jvm, "PORT ", &arguments, (&requests, "/shop/end"), run)
        };
        check_runs("Micronaut", run, &requests, |json| {
            check_endpoints_of_micronaut(json, &format!("Micronaut on {jvm}"));
        });
    });
}
