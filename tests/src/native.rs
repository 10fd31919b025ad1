//! Compiles native fixtures with the C compiler at hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folders::workspace_root;
use crate::jvms::jdks;

/// A library of a C source of the fixtures, made in `folder`.
///
/// # Errors
/// What is missing here: a C compiler, or a JDK with the headers of JNI.
///
/// # Panics
/// If the source does not compile.
pub fn native_library(source: &str, folder: &Path) -> Result<PathBuf, &'static str> {
    let mut headers = jdks(11).into_iter().map(|jdk| jdk.home.join("include"));
    let headers = headers.rfind(|folder| folder.join("jni.h").exists()).ok_or("no jni.h found")?;
    let library = folder.join("libfixture.so");
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-pthread", "-Wall", "-o"])
        .arg(&library)
        .arg("-I")
        .arg(&headers)
        .arg("-I")
        .arg(headers.join("linux"))
        .arg(workspace_root().join("fixtures").join(source))
        .output()
        .map_err(|_| "no C compiler found")?;
    assert!(compiler.status.success(), "{source}: {}", String::from_utf8_lossy(&compiler.stderr));
    Ok(library)
}
