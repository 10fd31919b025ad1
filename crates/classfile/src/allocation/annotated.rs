//! Methods with the annotation `io.mayfly.Scoped` (JVMS §4.7.16): which they are in a class, and what their scope is called.

use alloc::vec::Vec;

use super::scoped::{NumberOfScope, ScopedMethods};
use crate::bytes::Reader;
use crate::class::{ClassFile, Member};
use crate::refusal::Malformed;

/// The annotation's type.
pub(super) const SCOPED: &[u8] = b"Lio/mayfly/Scoped;";

/// Where annotations are, whether a program sees them when it runs or not.
const ATTRIBUTES: [&[u8]; 2] = [b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations"];

/// Annotations and lists inside of one another that are read; javac makes no list of lists.
const DEEPEST: u32 = 16;

/// The annotated methods; `number` gives that of a name. A broken annotation is none: the JVM says so to who asks for it.
pub(super) fn methods(class: &ClassFile<'_>, number: &NumberOfScope<'_>) -> Vec<ScopedMethods> {
    let scoped = |method: &Member| {
        let name = ATTRIBUTES.iter().find_map(|attribute| {
            let content = class.attribute(method, attribute)?;
            scope_name(class, content).ok().flatten()
        })?;
        let method_name = class.member_name(method);
        let name = if name.is_empty() { of_method(class.name(), method_name) } else { name.to_vec() };
        Some(ScopedMethods {
            class: class.name().to_vec(),
            method: method_name.to_vec(),
            descriptor: Some(class.member_descriptor(method).to_vec()),
            scope: number(&name),
        })
    };
    class.methods().iter().filter_map(scoped).collect()
}

/// `com.acme.Handler.handle`, as an option has it.
fn of_method(class: &[u8], method: &[u8]) -> Vec<u8> {
    let class = class.iter().map(|&byte| if byte == b'/' { b'.' } else { byte });
    class.chain([b'.']).chain(method.iter().copied()).collect()
}

/// The name that the annotation gives, empty if it gives none; `None` if it is not among these annotations.
fn scope_name<'a>(class: &ClassFile<'a>, annotations: &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
    let mut reader = Reader::new(annotations, "annotations");
    for _ in 0..reader.u2()? {
        let is_ours = class.pool().utf8(reader.u2()?) == Some(SCOPED);
        let mut name: &[u8] = b"";
        for _ in 0..reader.u2()? {
            reader.u2()?;
            if let Some(text) = value(&mut reader, DEEPEST)?.and_then(|index| class.pool().utf8(index)) {
                name = text;
            }
        }
        if is_ours {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Reads one value of an annotation; the constant of a string.
fn value(reader: &mut Reader<'_>, depth: u32) -> Result<Option<u16>, Malformed> {
    let depth = depth.checked_sub(1).ok_or(reader.malformed())?;
    match reader.u1()? {
        b's' => return reader.u2().map(Some),
        b'e' => {
            reader.take(4)?;
        }
        b'[' => {
            for _ in 0..reader.u2()? {
                value(reader, depth)?;
            }
        }
        b'@' => {
            reader.u2()?;
            for _ in 0..reader.u2()? {
                reader.u2()?;
                value(reader, depth)?;
            }
        }
        _ => {
            reader.take(2)?;
        }
    }
    Ok(None)
}
