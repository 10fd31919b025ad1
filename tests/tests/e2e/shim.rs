//! The compiled shim in the sources is what its source compiles to, with any JDK.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{Jvm, Workspace, jdks, skip};

/// The oldest JDK that `build` promises the same bytes with.
const OLDEST: u32 = 17;

fn boot() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("profiler-java").join("boot")
}

fn class(folder: &Path) -> Vec<u8> {
    let path = folder.join("MayflyHooks.class");
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What this JDK makes of the sources in a folder laid out as `profiler-java/boot`.
fn built(jdk: &Jvm, boot: &Path) -> Vec<u8> {
    let out = Workspace::new();
    let output = Command::new(boot.join("build"))
        .arg(out.path())
        .env("JAVA_HOME", &jdk.home)
        .env_remove("JDK_JAVAC_OPTIONS")
        .output()
        .expect("the build script starts");
    assert!(output.status.success(), "{jdk}: {}", String::from_utf8_lossy(&output.stderr));
    class(out.path())
}

#[test]
fn the_class_in_the_sources_is_what_the_source_compiles_to() {
    let jdks = jdks(OLDEST);
    if jdks.is_empty() {
        return skip("compiling the shim again", "no JDK 17 or newer with javac found");
    }
    for jdk in jdks {
        let fresh = built(&jdk, &boot()) == class(&boot());
        assert!(
            fresh,
            "{jdk} compiles another MayflyHooks.class: run profiler-java/boot/build and commit it"
        );
    }
}

#[test]
fn another_source_would_be_told() {
    let Some(jdk) = jdks(OLDEST).pop() else {
        return skip("compiling a changed shim", "no JDK 17 or newer with javac found");
    };
    let copy = Workspace::new();
    copy_folder(&boot(), copy.path());
    let source = copy.file("src/java/lang/MayflyHooks.java");
    let text = fs::read_to_string(&source).expect("the source of the shim");
    let end = text.rfind('}').expect("the end of the class");
    fs::write(&source, format!("{} static void added() {{}}\n}}\n", &text[..end]))
        .expect("the copy can be written");
    assert_ne!(built(&jdk, copy.path()), class(&boot()));
}

#[test]
fn no_hook_of_an_allocation_allocates_and_nothing_is_initialised() {
    let Some(jdk) = jdks(OLDEST).pop() else {
        return skip("reading the shim's code", "no JDK 17 or newer with javap found");
    };
    let code = Command::new(jdk.home.join("bin/javap"))
        .args(["-p", "-c"])
        .arg(boot().join("MayflyHooks.class"))
        .output()
        .expect("javap starts");
    let code = String::from_utf8(code.stdout).expect("javap prints text");
    assert!(code.contains("static void object(") && !code.contains("static {}"), "{code}");
    let methods = code.split("\n\n").filter(|method| {
        [": new ", "newarray ", "invokedynamic "].iter().any(|allocates| method.contains(allocates))
    });
    let names: Vec<_> = methods.filter_map(|method| method.lines().next()).collect();
    // Asked for by reflection, and by who enters scopes, not by an allocation.
    let known = [" roomForScopes(", " copy(", " visibleFields("];
    assert_eq!(names.len(), known.len(), "{names:?}");
    assert!(names.iter().zip(known).all(|(name, known)| name.contains(known)), "{names:?}");
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder of the shim").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file of the shim can be copied");
        }
    }
}
