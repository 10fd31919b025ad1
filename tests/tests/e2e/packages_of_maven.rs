//! What Maven and JBang make of the repository that `scripts/dist/build` makes: a project with a JDK alone, and an alias.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mayfly_tests::{JsonReport, Outcome, Running, Workspace, any_jvm, skip};

use crate::endpoints::shop_has_its_endpoints_reported;
use crate::platforms::{jar_in, maven_repository, packages, run};

/// Maven starts three JVMs, and resolves.
const LIMIT: Duration = Duration::from_secs(300);

/// A project, and a local repository that has what was fetched before, but nothing of Mayfly.
struct Project {
    folder: Workspace,
}

impl Project {
    /// In the pom `REPOSITORY` and `VERSION` stand for ours.
    fn new(repository: &Path, home: &Path, pom: &str) -> Self {
        let folder = Workspace::new();
        let ours = folder.file("m2");
        for (from, to) in [(home.to_owned(), ours.clone()), (home.join("io"), ours.join("io"))] {
            fs::create_dir_all(&to).expect("made");
            let entries = fs::read_dir(from).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_name() != "io" && entry.file_name() != "mayfly") {
                symlink(entry.path(), to.join(entry.file_name())).expect("linked");
            }
        }
        let pom = pom.replace("REPOSITORY", &repository.display().to_string());
        fs::write(folder.file("pom.xml"), pom.replace("VERSION", env!("CARGO_PKG_VERSION")))
            .expect("written");
        Self { folder }
    }

    fn maven(&self, args: &[&str]) -> Outcome {
        let mut command = Command::new("mvn");
        command.args(["-B", "-Daether.offline.protocols=file"]).args(args);
        command.arg("-f").arg(self.folder.file("pom.xml"));
        command.arg(format!("-Dmaven.repo.local={}", self.folder.file("m2").display()));
        let mut running = Running::of(command);
        running.set_limit(LIMIT);
        running.finish()
    }
}

/// `None`, and said, where there is no Maven.
fn home_of_maven() -> Option<PathBuf> {
    if run("mvn", ["-v"]).code() != Some(0) {
        skip("the Maven repository", "no mvn on PATH");
        return None;
    }
    Some(PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".m2/repository"))
}

/// Two tests pass, and one that must not fails with the path that holds the object: the agent came out of the repository.
#[test]
fn a_project_with_a_jdk_alone_asserts_and_records_by_three_lines() {
    let (Some(repository), Some(home)) = (maven_repository(), home_of_maven()) else { return };
    let project = Project::new(&repository, &home, include_str!("packages_of_maven.xml"));
    let tests = project.folder.file("src/test/java/shop");
    fs::create_dir_all(&tests).expect("made");
    fs::write(tests.join("BasketTest.java"), include_str!("packages_of_maven.java")).expect("written");
    let recording = project.folder.file("run.mayfly");
    let argument = format!("-DargLine=-Drecording={}", recording.display());
    let ran = |outcome: &Outcome| outcome.stdout.contains("Tests run: 3");
    let mut outcome = project.maven(&["-o", &argument, "test"]);
    if !ran(&outcome) {
        outcome = project.maven(&[&argument, "test"]);
    }
    if !ran(&outcome) && outcome.stdout.contains("Could not transfer") {
        return skip(
            "the Maven repository",
            &format!("Maven cannot fetch what it needs: {}", outcome.stdout),
        );
    }
    let said = &outcome.stdout;
    assert!(said.contains("Tests run: 3, Failures: 1, Errors: 0, Skipped: 0"), "{said}{}", outcome.stderr);
    assert!(said.contains("static java.util.List shop.BasketTest.FORGOTTEN->"), "{said}");
    assert!(JsonReport::of(&recording).class("shop.BasketTest$Basket").is_some(), "{said}");
}

/// The application's own pom, with the repository, the versions and one dependency.
fn with_endpoints() -> String {
    let ours = |artifact: &str, version: &str, rest: &str| {
        let names = format!("<groupId>io.mayfly</groupId><artifactId>{artifact}</artifactId>{version}");
        format!("<dependency>{names}{rest}</dependency>")
    };
    let bom = ours("mayfly-bom", "<version>VERSION</version>", "<type>pom</type><scope>import</scope>");
    let hooks = ours("mayfly-endpoints", "", "<scope>runtime</scope>");
    let repository = "<repository><id>packages</id><url>file://REPOSITORY</url></repository>";
    let before = format!(
        "<repositories>{repository}</repositories>\n  <dependencyManagement><dependencies>{bom}</dependencies></dependencyManagement>"
    );
    let pom = include_str!("../../endpoints/spring/pom.xml");
    pom.replacen("<dependencies>", &format!("{before}\n  <dependencies>{hooks}"), 1)
}

/// Hooks and API come with the class path that Maven resolves; the report has the endpoints.
#[test]
fn an_application_has_its_endpoints_reported_by_one_dependency() {
    let (Some(repository), Some(home)) = (maven_repository(), home_of_maven()) else { return };
    let project = Project::new(&repository, &home, &with_endpoints());
    let jars = project.folder.file("jars");
    let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
    let directory = format!("-DoutputDirectory={}", jars.display());
    let mut outcome = project.maven(&["-o", goal, &directory]);
    if outcome.code() != Some(0) {
        outcome = project.maven(&[goal, &directory]);
    }
    if outcome.stdout.contains("Could not transfer") {
        return skip("the Maven repository", &format!("Maven cannot fetch Spring: {}", outcome.stdout));
    }
    outcome.ok();
    for ours in ["mayfly-endpoints", "mayfly-api"] {
        let jar = jars.join(format!("{ours}-{}.jar", env!("CARGO_PKG_VERSION")));
        assert!(jar.exists(), "{}", jar.display());
    }
    any_jvm(|jvm| shop_has_its_endpoints_reported(jvm, &jars));
}

/// What Maven Central refuses a pom without.
#[test]
fn each_pom_says_what_maven_central_asks_for() {
    let Some(repository) = maven_repository() else { return };
    let version = env!("CARGO_PKG_VERSION");
    let artifacts: Vec<_> = fs::read_dir(repository.join("io/mayfly"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(artifacts.len() >= 3, "{artifacts:?}");
    for artifact in artifacts {
        let folder = repository.join("io/mayfly").join(&artifact).join(version);
        let pom = fs::read_to_string(folder.join(format!("{artifact}-{version}.pom"))).expect("a pom");
        for part in ["name", "description", "url", "licenses", "developers", "scm", "connection"] {
            assert!(pom.contains(&format!("<{part}>")), "{artifact} has no {part}: {pom}");
        }
        let is_jar = !pom.contains("<packaging>pom</packaging>");
        for end in ["", "-sources", "-javadoc"].into_iter().filter(|_| is_jar) {
            let jar = folder.join(format!("{artifact}-{version}{end}.jar"));
            assert!(jar.metadata().is_ok_and(|jar| jar.len() > 1000), "{}", jar.display());
        }
    }
}

/// JBang reads the file, and finds the jar from its place. Itself it is tried if `MAYFLY_JBANG` has its class path.
#[test]
fn an_alias_of_jbang_runs_the_jar_of_the_repository() {
    let Some(repository) = maven_repository() else { return };
    let catalog = packages().join("jbang-catalog.json");
    let aliases: serde_json::Value =
        serde_json::from_slice(&fs::read(&catalog).expect("beside the repository")).expect("JSON");
    let reference = aliases["aliases"]["mayfly"]["script-ref"].as_str().expect("an alias");
    assert_eq!(packages().join(reference), jar_in(&repository));
    let version = format!("mayfly {}\n", env!("CARGO_PKG_VERSION"));
    let Some(class_path) = std::env::var_os("MAYFLY_JBANG") else {
        return skip("JBang itself", "MAYFLY_JBANG names no class path of dev.jbang:jbang-cli");
    };
    let alias = format!("mayfly@{}", catalog.display());
    let words: [&OsStr; 5] =
        ["-cp".as_ref(), &class_path, "dev.jbang.Main".as_ref(), alias.as_ref(), "-V".as_ref()];
    // It prints the command that its script then becomes, and says so by its code.
    let command = run("java", words);
    assert_eq!(command.code(), Some(255), "{}", command.stderr);
    assert_eq!(run("sh", ["-c", command.stdout.trim()]).ok().stdout, version);
}
