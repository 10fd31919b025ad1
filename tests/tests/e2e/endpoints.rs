//! Scopes per endpoint, by `mayfly-endpoints.jar` alone: in a servlet container, by the filter that it registers, and in an application of
//! Spring Boot, which is started by `mayfly run --scopes`.
//!
//! Tomcat, Spring and the APIs come from Maven's central repository; without them these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mayfly_tests::{
    JsonReport, Jvm, Running, Workspace, any_jvm, artifacts, jdks, left_to_ci, mayfly, skip, workspace_root,
};
use regex::Regex;
use serde_json::Value;

use crate::scopes::{entries, made, outcome, scope};
use crate::servers::{http, start_tomcat, tomcat, try_http};

/// Both of our jars, and a JDK that compiles.
pub(crate) struct Jars {
    pub(crate) folder: Workspace,
    pub(crate) jdk: PathBuf,
}

impl Jars {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.file(name)
    }
}

pub(crate) const JARS: [(&str, &str); 2] = [("api", "mayfly-api.jar"), ("endpoints", "mayfly-endpoints.jar")];

pub(crate) fn jars() -> Option<&'static Jars> {
    static JARS: OnceLock<Option<Jars>> = OnceLock::new();
    JARS.get_or_init(|| build().map_err(|why| skip("scopes per endpoint", &why)).ok()).as_ref()
}

fn build() -> Result<Jars, String> {
    let jdk = jdks(17).into_iter().next().ok_or("no JDK 17 or newer with javac")?;
    let jars = Jars { folder: Workspace::new(), jdk: jdk.home };
    for (part, jar) in JARS {
        let mut build = Command::new(workspace_root().join("profiler-java").join(part).join("build"));
        let said = succeed(build.arg(jars.path(jar)).env("JAVA_HOME", &jars.jdk))?;
        if !jars.path(jar).is_file() {
            return Err(said);
        }
    }
    Ok(jars)
}

/// What it wrote to stdout and stderr; an error if it fails.
pub(crate) fn succeed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() { Ok(out + &err) } else { Err(out + &err) }
}

pub(crate) fn source(path: &str) -> PathBuf {
    workspace_root().join("tests/endpoints").join(path)
}

/// Compiles sources of the tests for the oldest JVM that their server runs on.
pub(crate) fn compile(jars: &Jars, release: &str, class_path: &str, sources: &[PathBuf], to: &Path) {
    compile_with(jars, &["-proc:none", "--release", release], class_path, sources, to);
}

pub(crate) fn compile_with(jars: &Jars, flags: &[&str], class_path: &str, sources: &[PathBuf], to: &Path) {
    let mut javac = Command::new(jars.jdk.join("bin/javac"));
    javac.args(["-nowarn", "-Xlint:-options", "-parameters"]).args(flags);
    javac.args(["-cp", class_path, "-d"]).arg(to).args(sources);
    succeed(&mut javac).unwrap_or_else(|said| panic!("{said}"));
}

/// Statuses and bodies.
pub(crate) type Answers = Vec<(u16, String)>;

/// What requests are answered, without what differs from run to run.
fn answers(port: u16, requests: &[(&str, String)]) -> Answers {
    let varying = Regex::new(r#""timestamp":"[^"]*"|Error id [0-9a-f-]*"#).expect("a pattern");
    let answer = |(method, path): &(&str, String)| {
        let answer = http(port, method, path, &[], "");
        (answer.status, varying.replace(&answer.body, "").into_owned())
    };
    requests.iter().map(answer).collect()
}

/// The program ends; the connection may be cut before the answer.
pub(crate) fn end(port: u16, path: &str, running: Running) -> String {
    let _ = try_http(port, "GET", path, &[], "");
    let outcome = running.finish().ok();
    outcome.stdout + &outcome.stderr
}

pub(crate) fn times(
    number: u64,
    method: &'static str,
    path: impl Fn(u64) -> String,
) -> Vec<(&'static str, String)> {
    (1..=number).map(|i| (method, path(i))).collect()
}

/// How often the scopes with this name in front were entered.
pub(crate) fn all_entries(json: &Value) -> u64 {
    let scopes = json["scopes"].as_array().expect("scopes");
    scopes.iter().filter(|it| it["path"].as_array().expect("names").len() == 1).map(|it| entries(it).0).sum()
}

/// A Tomcat's `webapps/shop`.
fn deploy(jars: &Jars, version: &str, webapps: &Path, ours: &[&str]) {
    let web_inf = webapps.join("shop/WEB-INF");
    fs::create_dir_all(web_inf.join("lib")).expect("a folder");
    for jar in ours {
        fs::copy(jars.path(jar), web_inf.join("lib").join(jar)).expect("a jar");
    }
    let servlet = tomcat(version).expect("it was there").join("lib/servlet-api.jar");
    let mut text = fs::read_to_string(source("servlet/Shop.java")).expect("a source");
    if version == "9" {
        text = text.replace("jakarta.servlet", "javax.servlet");
    }
    let shop = webapps.parent().expect("a folder").join("Shop.java");
    fs::write(&shop, text).expect("a file");
    let class_path = format!("{}:{}", servlet.display(), jars.path("mayfly-api.jar").display());
    compile(jars, "11", &class_path, &[shop], &web_inf.join("classes"));
    let errors = "<error-page><error-code>500</error-code><location>/oops</location></error-page>";
    fs::write(web_inf.join("web.xml"), format!("<web-app>{errors}</web-app>")).expect("a file");
}

/// Requests to the shop in Tomcat, and what a run of them leaves: the answers, and the report of a profiled one.
fn served_by_tomcat(
    jvm: &Jvm,
    version: &str,
    ours: &[&str],
    requests: &[(&str, String)],
    agent: Option<&str>,
) -> Option<(Answers, Option<Value>)> {
    let jars = jars()?;
    let folder = Workspace::new();
    deploy(jars, version, &folder.file("webapps"), ours);
    let recording = folder.file("run.mayfly");
    let agent = agent.map(|options| format!("{options}#live-0#recording-{}", recording.display()));
    let (running, port) = start_tomcat(jvm, version, &folder, agent.as_deref())?;
    let answers = answers(port, requests);
    end(port, "/shop/end", running);
    Some((answers, agent.map(|_| JsonReport::of(&recording).0)))
}

fn requests_to_tomcat() -> Vec<(&'static str, String)> {
    [
        times(7, "GET", |i| format!("/shop/orders/{i}")),
        times(3, "POST", |_| "/shop/baskets".to_owned()),
        times(5, "GET", |i| format!("/shop/async/{i}")),
        times(4, "GET", |i| format!("/shop/tasks/{i}")),
        times(2, "GET", |_| "/shop/fails".to_owned()),
        times(6, "GET", |i| format!("/shop/catalog/{i}/0f8fad5b-d9cb-469f-a165-70867728950e/img{i}{i}.png")),
        times(2, "FROB", |i| format!("/shop/orders/{i}")),
        // More than there is room for.
        times(400, "GET", |i| {
            let letter = |of: u64| char::from(b'a' + (of % 26) as u8);
            format!("/shop/of-{}{}", letter(i), letter(i / 26))
        }),
    ]
    .concat()
}

fn check_endpoints_of_tomcat(json: &Value, on: &str) {
    let of = |name: &str| scope(json, &[name]);
    let objects = |name: &str, class: &str| made(of(name), &format!("shop.Shop${class}")).0;
    assert_eq!(entries(of("GET /shop/orders/*")), (7, 0), "{on}");
    assert_eq!(objects("GET /shop/orders/*", "Ordered"), 70, "{on}");
    assert_eq!(entries(of("POST /shop/baskets")), (3, 0), "{on}");
    assert_eq!(outcome(of("POST /shop/baskets"), "shop.Shop$Kept"), [0, 0, 9, 9], "{on}");
    // The dispatch goes on in the entry of the request; what is not handed over is nobody's.
    assert_eq!(entries(of("GET /shop/async/*")), (5, 0), "{on}");
    assert_eq!(objects("GET /shop/async/*", "Dispatched"), 5, "{on}");
    assert_eq!(entries(of("GET /shop/tasks/*")), (4, 0), "{on}");
    assert_eq!((objects("GET /shop/tasks/*", "InTask"), objects("GET /shop/tasks/*", "Dispatched")), (4, 4));
    assert_eq!((entries(of("GET /shop/fails")), objects("GET /shop/fails", "Failing")), ((2, 0), 2), "{on}");
    assert_eq!((entries(of("GET /shop/oops")), objects("GET /shop/oops", "Failing")), ((2, 0), 2), "{on}");
    assert_eq!(entries(of("GET /shop/catalog/{n}/{id}/*.png")), (6, 0), "{on}");
    assert_eq!(objects("(other endpoints)", "Ordered"), 20, "of FROB, {on}");
    let scopes = json["scopes"].as_array().expect("scopes");
    assert_eq!(scopes.len(), 201, "names are bounded, {on}");
    assert!(scopes.iter().all(|scope| made(scope, "shop.Shop$Background").0 == 0), "{on}");
    // With the error page's two.
    assert_eq!(all_entries(json), requests_to_tomcat().len() as u64 + 2 + 1, "with /end, {on}");
}

#[test]
fn the_jar_alone_makes_scopes_of_the_endpoints_of_a_servlet_container() {
    if left_to_ci("endpoints of a servlet container") {
        return;
    }
    any_jvm(|jvm| {
        for version in ["10", "9"] {
            if let Err(why) = tomcat(version) {
                return skip("endpoints of a servlet container", &why);
            }
            let on = format!("Tomcat {version} on {jvm}");
            let both = JARS.map(|(_, jar)| jar);
            let requests = requests_to_tomcat();
            let options = "#trackcollections#include-shop.";
            let run = |ours: &[&str], agent| served_by_tomcat(jvm, version, ours, &requests, agent);
            let Some((with_agent, json)) = run(&both, Some(options)) else { return };
            check_endpoints_of_tomcat(&json.expect("a report"), &on);
            let (without_agent, _) = run(&both, None).expect("as before");
            assert_eq!(with_agent, without_agent, "{on}");
            let (without_jar, json) = run(&both[..1], Some(options)).expect("as before");
            assert_eq!(json.expect("a report")["scopes"].as_array().map_or(0, Vec::len), 0, "{on}");
            assert_eq!(with_agent, without_jar, "{on}");
        }
    });
}

/// What the `pom.xml` in a folder depends on, fetched by Maven.
pub(crate) fn fetched(project: &Path) -> Result<Workspace, String> {
    let folder = Workspace::new();
    let maven = |flags: &[&str]| {
        let mut maven = Command::new("mvn");
        maven.args(flags).args(["-q", "-B", "-f"]).arg(project.join("pom.xml"));
        maven.arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies");
        succeed(maven.arg(format!("-DoutputDirectory={}", folder.path().display())))
    };
    maven(&["-o"]).or_else(|_| maven(&[])).map(|_| folder)
}

/// Spring Boot's.
fn spring() -> Result<PathBuf, String> {
    static JARS: OnceLock<Result<Workspace, String>> = OnceLock::new();
    let jars = JARS.get_or_init(|| fetched(&source("spring")));
    jars.as_ref().map(|folder| folder.path().to_owned()).map_err(Clone::clone)
}

/// The class path of the shop.
fn shop_of_spring(jars: &Jars, ours: &[&str], classes: &Path) -> Result<String, String> {
    let spring = format!("{}/*", spring()?.display());
    compile(jars, "17", &spring, &[source("spring/Shop.java")], classes);
    let ours = ours.iter().map(|jar| jars.path(jar).display().to_string());
    let parts: Vec<_> = [classes.display().to_string(), spring].into_iter().chain(ours).collect();
    Ok(parts.join(":"))
}

/// What a run of a shop answered, and what it wrote. `ready` is how the line begins that ends with its port.
pub(crate) fn served(
    jvm: &Jvm,
    ready: &str,
    arguments: &[&str],
    (requests, last): (&[(&str, String)], &str),
    run: &[&str],
) -> (Answers, String) {
    let mut command = match run.first() {
        None => Command::new(jvm.java()),
        Some(_) => Command::new(&artifacts().cli),
    };
    command.args(run);
    if !run.is_empty() {
        command.env("MAYFLY_AGENT", &artifacts().agent).arg("--").arg(jvm.java());
    }
    command.args(["-Xmx256m", "-XX:TieredStopAtLevel=1"]).args(arguments);
    let mut running = Running::of(command);
    let line = running.wait_for_line(ready);
    let port = line.rsplit([' ', ':']).next().expect("one at least").parse().expect("a port");
    let answers = answers(port, requests);
    (answers, end(port, last, running))
}

fn served_by_spring(
    jvm: &Jvm,
    class_path: &str,
    requests: &[(&str, String)],
    run: &[&str],
) -> (Answers, String) {
    let arguments = ["-cp", class_path, "shop.Shop", "--server.port=0", "--server.address=127.0.0.1"];
    served(jvm, "PORT ", &arguments, (requests, "/end"), run)
}

/// Whether the JVM is new and large enough for a server; the reason is printed if not.
pub(crate) fn can_serve(jvm: &Jvm, name: &str, oldest: u32, modules: &[&str]) -> bool {
    let there = jvm.modules();
    let can = jvm.feature >= oldest && modules.iter().all(|needed| there.iter().any(|it| it == needed));
    if !can {
        skip(&format!("endpoints of {name} on {jvm}"), &format!("it is too old or too small for {name}"));
    }
    can
}

fn requests_to_spring() -> Vec<(&'static str, String)> {
    [
        times(7, "GET", |i| format!("/orders/{i}")),
        times(3, "POST", |i| format!("/baskets/{i}/items")),
        times(4, "GET", |i| format!("/slow/{i}")),
        times(5, "GET", |i| format!("/deferred/{i}")),
        times(2, "GET", |i| format!("/fails/{i}")),
        times(6, "GET", |i| format!("/forwarded/{i}")),
        times(1, "GET", |i| format!("/nowhere/{i}")),
    ]
    .concat()
}

fn check_endpoints_of_spring(json: &Value, on: &str) {
    let of = |names: &[&str]| scope(json, names);
    let objects = |names: &[&str], class: &str| made(of(names), &format!("shop.Shop${class}")).0;
    assert_eq!(entries(of(&["GET /orders/{id}"])), (7, 0), "{on}");
    assert_eq!(objects(&["GET /orders/{id}"], "Ordered"), 70, "{on}");
    let basket = of(&["POST /baskets/{who}/items"]);
    assert_eq!(entries(basket), (3, 0), "{on}");
    assert_eq!(outcome(basket, "shop.Shop$Kept"), [0, 0, 9, 9], "{on}");
    assert_eq!((entries(of(&["GET /slow/{id}"])), objects(&["GET /slow/{id}"], "InTask")), ((4, 0), 16));
    assert_eq!(entries(of(&["GET /deferred/{id}"])), (5, 0), "{on}");
    assert_eq!(entries(of(&["GET /fails/{id}"])), (2, 0), "{on}");
    let forwarded = ["GET /forwarded/{id}", "GET /orders/{id}"];
    assert_eq!((entries(of(&forwarded[..1])), entries(of(&forwarded))), ((6, 0), (6, 0)), "{on}");
    assert_eq!(objects(&forwarded, "Ordered"), 60, "{on}");
    assert_eq!((entries(of(&["GET /**"])), entries(of(&["GET /error"]))), ((1, 0), (3, 0)), "{on}");
    let scopes = json["scopes"].as_array().expect("scopes");
    assert!(scopes.iter().all(|scope| made(scope, "shop.Shop$Background").0 == 0), "{on}");
    assert_eq!(all_entries(json), requests_to_spring().len() as u64 + 3 + 1, "with errors and /end, {on}");
}

fn runs_spring(jvm: &Jvm) -> bool {
    let needed = ["java.management", "java.naming", "java.desktop", "java.instrument"];
    can_serve(jvm, "Spring Boot", 17, &needed)
}

/// The shop with a class path of jars that others have put together.
pub(crate) fn shop_has_its_endpoints_reported(jvm: &Jvm, all: &Path) {
    let Some(jars) = jars().filter(|_| runs_spring(jvm)) else { return };
    let folder = Workspace::new();
    let (classes, all) = (folder.file("classes"), format!("{}/*", all.display()));
    compile(jars, "17", &all, &[source("spring/Shop.java")], &classes);
    let recording = folder.file("run.mayfly").display().to_string();
    let run = ["run", "--scopes", "--include", "shop.", "-o", &recording];
    served_by_spring(jvm, &format!("{}:{all}", classes.display()), &requests_to_spring(), &run);
    check_endpoints_of_spring(&JsonReport::of(Path::new(&recording)).0, &format!("on {jvm}"));
}

#[test]
fn the_jar_alone_makes_scopes_of_the_endpoints_of_spring_boot() {
    if left_to_ci("endpoints of Spring Boot") {
        return;
    }
    any_jvm(|jvm| {
        if !runs_spring(jvm) {
            return;
        }
        let Some(jars) = jars() else { return };
        let folder = Workspace::new();
        let class_path = |ours: &[&str]| shop_of_spring(jars, ours, &folder.file("classes"));
        let both = match class_path(&JARS.map(|(_, jar)| jar)) {
            Ok(both) => both,
            Err(why) => return skip("endpoints of Spring Boot", &why),
        };
        let on = format!("on {jvm}");
        let requests = requests_to_spring();
        let recording = folder.file("run.mayfly").display().to_string();
        let run = ["run", "--scopes", "--include", "shop.", "-o", &recording];
        let (with_agent, said) = served_by_spring(jvm, &both, &requests, &run);
        check_endpoints_of_spring(&JsonReport::of(Path::new(&recording)).0, &on);
        let row = Regex::new(r"(?m)^ +7 +1.09 KiB +.* GET /orders/\{id\}$").expect("a pattern");
        assert!(said.contains("\nScopes") && row.is_match(&said), "{said}");
        assert!(said.contains("  Survivors of POST /baskets/{who}/items: 48 B per entry"), "{said}");
        let full = mayfly(["report", "--full", &recording]).ok().stdout;
        assert!(full.contains("  POST /baskets/{who}/items: entered 3 times\n"), "{full}");
        let (without_agent, _) = served_by_spring(jvm, &both, &requests, &[]);
        assert_eq!(with_agent, without_agent, "{on}");
        let without_jar = served_by_spring(jvm, &class_path(&[]).expect("as before"), &requests, &[]).0;
        assert_eq!(with_agent, without_jar, "{on}");
    });
}
