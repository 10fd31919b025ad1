//! A heap dump into a file of its own: new, the user's alone, and gone again if it did not become whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use mayfly_heap::dump::Facts;
use mayfly_jvmti::{Jni, Vm};
use mayfly_recording::control::HeapDumped;

use super::dump::{Series, dump_into};
use super::error::HeapError;
use super::turn::Before;
use crate::conduct::descriptors::above_standard;

/// Writes the heap into a new file.
///
/// # Errors
/// The file is there already, can't be made or written, or the walk came to nothing. Nothing is left of it.
pub(crate) fn dump(
    vm: Vm,
    jni: Jni<'_>,
    path: &Path,
    facts: &Facts,
    before: Before,
    series: Option<Series>,
) -> Result<HeapDumped, HeapError> {
    let failed = |cause: io::Error| HeapError::File { path: path.display().to_string(), cause };
    // `create_new` follows no link, and opens no pipe that nobody reads, at which the JVM would stand still.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file: File = file.and_then(above_standard).map_err(failed)?;
    match write(vm, jni, &mut file, facts, before, series) {
        Ok(dumped) => Ok(dumped),
        Err(error) => {
            let _ = fs::remove_file(path);
            Err(match error {
                HeapError::Sink(cause) => failed(cause),
                error => error,
            })
        }
    }
}

fn write(
    vm: Vm,
    jni: Jni<'_>,
    file: &mut File,
    facts: &Facts,
    before: Before,
    series: Option<Series>,
) -> Result<HeapDumped, HeapError> {
    let mut file_bytes = 0;
    let walked = dump_into(vm, jni, facts, before, series, |bytes| {
        file_bytes += bytes.len() as u64;
        file.write_all(bytes)
    })?;
    Ok(HeapDumped {
        objects: walked.objects,
        references: walked.references,
        file_bytes,
        paused_ms: u64::try_from(walked.paused.as_millis()).unwrap_or(u64::MAX),
    })
}
