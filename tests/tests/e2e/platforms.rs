//! What is handed out, from its own files: the archive on JVMs of other platforms (musl; aarch64, by qemu), the wheel and the Debian
//! package installed and used. `scripts/dist/build` and `scripts/fetch-platforms` come first; what is not there is skipped.
//!
//! Not here: what Maven makes of the repository (`packages_of_maven`).

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Outcome, Running, Workspace, any_jvm, artifacts, check_all, fixture_classes,
    jvms, skip, workspace_root,
};

/// By qemu a program takes ten times as long.
const LIMIT: Duration = Duration::from_secs(600);

/// Where packages are.
pub(crate) fn packages() -> PathBuf {
    std::env::var_os("MAYFLY_PACKAGES")
        .map_or_else(|| workspace_root().join("target/packages"), PathBuf::from)
}

/// A file of the packages that ends so; `None`, and said, if there is none.
fn package(end: &str) -> Option<PathBuf> {
    let files = fs::read_dir(packages()).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = files.filter(|path| path.to_string_lossy().ends_with(end)).min();
    if found.is_none() {
        skip(&format!("a package {end}"), "not built; scripts/dist/build makes it");
    }
    found
}

/// A JVM that `scripts/fetch-platforms` has fetched.
fn platform(name: &str, feature: u32) -> Option<Jvm> {
    let home = workspace_root().join("target/platforms").join(name);
    if !home.join("bin/java").exists() {
        skip(name, "not there; scripts/fetch-platforms fetches it");
        return None;
    }
    Some(Jvm { home, feature, version: name.to_owned(), compact_headers: false })
}

/// An archive, unpacked: where `bin` and `lib` are.
fn unpacked(arch: &str, to: &Workspace) -> Option<PathBuf> {
    let archive = package(&format!("-linux-{arch}.tar.gz"))?;
    run("tar", [OsStr::new("xzf"), archive.as_os_str(), OsStr::new("-C"), to.path().as_os_str()]).ok();
    fs::read_dir(to.path())
        .expect("unpacked")
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.join("bin").exists())
}

pub(crate) fn run<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    args: I,
) -> Outcome {
    let mut command = Command::new(program);
    command.args(args);
    Running::of(command).finish()
}

/// Objects by class, and who died and who is live, as the program itself knows them.
fn facts_hold(jvm: &Jvm, library: &Path, jvm_args: &[&str]) {
    let workspace = Workspace::new();
    let recording = workspace.file("run.mayfly");
    let options = format!("#live-0#trackcollections#trace#recording-{}", recording.display());
    let launch = Launch::new(jvm, "matrix.Matrix").agent_at(library, options).jvm_args(jvm_args).limit(LIMIT);
    let stdout = launch.run().ok().stdout;
    let report = JsonReport::of(&recording);
    let allocated = report.allocated();
    check_all(jvm, &stdout, &allocated).unwrap_or_else(|why| panic!("{}: {why}", jvm.version));
    let (dead, live) = (report.collected(), report.live());
    let facts: Vec<_> =
        stdout.lines().filter(|line| line.starts_with("DEAD ") || line.starts_with("LIVE ")).collect();
    assert_eq!(facts.len(), 5, "{stdout}");
    for fact in facts {
        let words: Vec<_> = fact.split(' ').collect();
        let objects: u64 = words[2].parse().expect("a number");
        let found = if words[0] == "DEAD" { &dead } else { &live };
        let found = found.get(words[1]).map_or(0, |count| count.objects);
        // The JDK's own few arrays.
        let others = if words[1].starts_with('[') { 10 } else { 0 };
        assert!((objects..=objects + others).contains(&found), "{}: {fact}, found {found}", jvm.version);
    }
}

#[test]
fn counts_and_deaths_are_right_under_musl() {
    let workspace = Workspace::new();
    let (Some(jvm), Some(place)) = (platform("musl17", 17), unpacked("x86_64", &workspace)) else { return };
    facts_hold(&jvm, &place.join("lib/libmayfly.so"), &["-Xmx512m"]);
}

#[test]
fn counts_and_deaths_are_right_on_aarch64() {
    let workspace = Workspace::new();
    let (Some(jvm), Some(place)) = (platform("arm21", 21), unpacked("aarch64", &workspace)) else { return };
    facts_hold(&jvm, &place.join("lib/libmayfly.so"), &["-Xmx512m", "-XX:+UseSerialGC"]);
}

/// The same file: nothing has to be chosen.
#[test]
fn the_same_library_is_right_under_glibc() {
    let workspace = Workspace::new();
    let Some(place) = unpacked("x86_64", &workspace) else { return };
    any_jvm(|jvm| facts_hold(jvm, &place.join("lib/libmayfly.so"), &["-Xmx512m"]));
}

#[test]
fn a_running_jvm_of_musl_is_listed_profiled_and_examined() {
    let workspace = Workspace::new();
    let (Some(jvm), Some(place)) = (platform("musl17", 17), unpacked("x86_64", &workspace)) else { return };
    let mayfly = |args: &[&str]| run(place.join("bin/mayfly"), args);
    let mut running = Launch::new(&jvm, "steered.Steered").start().when_ready();
    let pid = running.pid().to_string();
    let doctor = mayfly(&["doctor", &pid]).ok().stdout;
    assert!(doctor.contains("C library") && doctor.contains("musl\n"), "{doctor}");
    let listed = mayfly(&["ps"]).ok().stdout;
    assert!(listed.lines().any(|line| line.starts_with(&pid) && line.contains("none")), "{listed}");
    mayfly(&["start", "--exact", &pid, "#trackcollections"]).ok();
    running.does("keep 500");
    let recording = workspace.file("run.mayfly");
    mayfly(&["snapshot", "-o", &recording.to_string_lossy(), &pid]).ok();
    let items = JsonReport::of(&recording).allocated().get("steered.Steered$Item").map(|count| count.objects);
    assert_eq!(items, Some(500));
    mayfly(&["stop", &pid]).ok();
    assert!(running.finish().ok().stdout.ends_with("KEPT 500\nDONE\n"));
}

/// A program that finds its library where it was installed.
fn is_installed(place: &Path, library: &Path) {
    let doctor = run(place, ["doctor"]).ok().stdout;
    let library = library.canonicalize().expect("installed").display().to_string();
    assert!(doctor.contains(&format!("{library}, for glibc 2.17 or newer, and musl")), "{doctor}");
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let mut command = Command::new(place);
        command
            .args(["run", "-o"])
            .arg(&recording)
            .arg("--")
            .arg(jvm.java())
            .arg("-cp")
            .arg(fixture_classes());
        let outcome = Running::of({
            command.args(["churn.Churn", "0"]);
            command
        });
        outcome.finish().ok();
        assert!(!JsonReport::of(&recording).allocated().is_empty(), "on {jvm}");
    });
}

#[test]
fn the_wheel_is_installed_and_used() {
    let Some(wheel) = package(&format!("_{}.whl", std::env::consts::ARCH)) else { return };
    let workspace = Workspace::new();
    let place = workspace.file("venv");
    if run("python3", [OsStr::new("-m"), OsStr::new("venv"), place.as_os_str()]).code() != Some(0) {
        return skip("the wheel", "no python3 with venv");
    }
    let quiet = ["install", "--quiet", "--no-index", "--disable-pip-version-check"].map(OsStr::new);
    run(place.join("bin/pip"), quiet.into_iter().chain([wheel.as_os_str()])).ok();
    is_installed(&place.join("bin/mayfly"), &place.join("lib/libmayfly.so"));
}

#[test]
fn the_debian_package_is_installed_and_used() {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let Some(package) = package(&format!("_{arch}.deb")) else { return };
    if run("dpkg", ["--version"]).code() != Some(0) {
        return skip("the Debian package", "no dpkg");
    }
    let root = Workspace::new();
    fs::create_dir_all(root.file("var/lib/dpkg/info")).expect("made");
    fs::create_dir_all(root.file("var/lib/dpkg/updates")).expect("made");
    fs::write(root.file("var/lib/dpkg/status"), "").expect("written");
    let at = format!("--root={}", root.path().display());
    run(
        "dpkg",
        [
            OsStr::new(&at),
            "--force-not-root".as_ref(),
            "--log=/dev/null".as_ref(),
            "-i".as_ref(),
            package.as_os_str(),
        ],
    )
    .ok();
    is_installed(&root.file("usr/bin/mayfly"), &root.file("usr/lib/libmayfly.so"));
}

/// Where there is nothing but the JVM, of each package that there is, and of what this build has made.
#[test]
fn the_first_report_comes_where_only_a_jvm_is() {
    if run("python3", ["--version"]).code() != Some(0) {
        return skip("a bare root", "no python3");
    }
    let built = Workspace::new();
    for (folder, file) in [("bin", &artifacts().cli), ("lib", &artifacts().agent)] {
        fs::create_dir(built.file(folder)).expect("made");
        fs::copy(file, built.file(folder).join(file.file_name().expect("a name"))).expect("copied");
    }
    let arch = std::env::consts::ARCH;
    let debian = if arch == "aarch64" { "arm64" } else { "amd64" };
    let kinds = [
        format!("-linux-{arch}.tar.gz"),
        format!("_{arch}.whl"),
        format!("_{debian}.deb"),
        format!(".{arch}.rpm"),
    ];
    let mut packages: Vec<_> = kinds.iter().filter_map(|end| package(end)).collect();
    packages.extend(maven_repository().map(|repository| jar_in(&repository)));
    packages.extend(Some(self::packages().join("image")).filter(|image| image.exists()));
    any_jvm(|jvm| {
        bare_root(jvm, &[], std::iter::once(built.path()).chain(packages.iter().map(|path| path.as_path())))
    });
}

/// The same with the C library of Debian 11, glibc 2.31, of the archive: on a JVM that goes with it, as many as are built elsewhere do.
#[test]
fn the_first_report_comes_with_the_libraries_of_debian_11() {
    let libraries = workspace_root().join("target/platforms/debian11");
    let Some(archive) = package(&format!("-linux-{}.tar.gz", std::env::consts::ARCH)) else { return };
    let Some(jvm) = jvms().iter().find(|jvm| asks_for_glibc(jvm) <= 31) else {
        return skip("the libraries of Debian 11", "no JVM goes with glibc 2.31");
    };
    if !libraries.join("libc.so.6").exists() {
        return skip("the libraries of Debian 11", "not there; scripts/fetch-platforms fetches them");
    }
    let options = ["--libraries", &libraries.display().to_string()];
    bare_root(jvm, &options, std::iter::once(archive.as_path()));
}

/// The minor version of the glibc that a JVM needs: the highest that its library names.
fn asks_for_glibc(jvm: &Jvm) -> u32 {
    let library = fs::read(jvm.home.join("lib/server/libjvm.so")).expect("a JVM");
    let text = String::from_utf8_lossy(&library);
    let minors =
        text.split("GLIBC_2.").skip(1).map(|rest| rest.split(|end: char| !end.is_ascii_digit()).next());
    minors.filter_map(|minor| minor?.parse().ok()).max().unwrap_or(0)
}

/// The same where the C library is musl, of the archive.
#[test]
fn the_first_report_comes_where_only_a_jvm_of_musl_is() {
    let (Some(jvm), Some(archive)) = (platform("musl17", 17), package("-linux-x86_64.tar.gz")) else {
        return;
    };
    bare_root(&jvm, &[], std::iter::once(archive.as_path()));
}

/// The same on aarch64, by qemu.
#[test]
fn the_first_report_comes_where_only_a_jvm_of_aarch64_is() {
    let (Some(jvm), Some(archive)) = (platform("arm21", 21), package("-linux-aarch64.tar.gz")) else {
        return;
    };
    let qemu = ["--qemu", "/usr/bin/qemu-aarch64-static", "--libraries", "/usr/aarch64-linux-gnu/lib"];
    bare_root(&jvm, &qemu, std::iter::once(archive.as_path()));
}

fn bare_root<'a>(jvm: &Jvm, options: &[&str], packages: impl Iterator<Item = &'a Path>) {
    let mut command = Command::new(workspace_root().join("scripts/dist/bare-root"));
    command.arg("--jre").arg(&jvm.home).arg("--classes").arg(fixture_classes()).args(options).args(packages);
    let tried = Running::of(command).finish();
    match tried.code() {
        Some(77) => skip("a bare root", tried.stdout.trim()),
        code => assert_eq!(code, Some(0), "on {jvm}: {}{}", tried.stdout, tried.stderr),
    }
}

/// The repository that `scripts/dist/build` makes.
pub(crate) fn maven_repository() -> Option<PathBuf> {
    let repository = packages().join("maven");
    let is_there = repository.join("io/mayfly/mayfly-bom").exists();
    if !is_there {
        skip("the Maven repository", "not built; scripts/dist/build makes it");
    }
    is_there.then_some(repository)
}

pub(crate) fn jar_in(repository: &Path) -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    repository.join(format!("io/mayfly/mayfly/{version}/mayfly-{version}.jar"))
}

#[test]
fn a_symbol_above_the_floor_is_named() {
    let check = workspace_root().join("scripts/dist/check-symbols");
    if run("python3", ["--version"]).code() != Some(0) || run("readelf", ["--version"]).code() != Some(0) {
        return skip("check-symbols", "needs python3 and readelf");
    }
    // This test's own program, for which the machine's C library has what it takes.
    let own = std::env::current_exe().expect("a path");
    let refused = run(&check, [OsStr::new("--floor"), "2.1".as_ref(), own.as_os_str()]);
    assert_eq!(refused.code(), Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("above 2.1"), "{}", refused.stderr);
}
