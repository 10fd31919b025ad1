//! One statement of a fake heap, taken apart. Not here: what it means to the graph.

use crate::root::{RootFrame, RootKind};

/// What a statement says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'text> {
    Class { name: &'text str, extends: Option<&'text str>, mirror: Option<u64>, loader: Option<u64> },
    Static { type_name: Option<&'text str>, class: &'text str, field: &'text str, to: Chain<'text> },
    Root { kind: RootKind, to: Chain<'text> },
    Chain(Chain<'text>),
    OffHeap { object: u64, bytes: i64 },
    Thread { object: u64, name: &'text str },
}

/// An object, and others that references lead to from there, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain<'text> {
    pub(super) first: Object<'text>,
    pub(super) rest: Vec<(Reference<'text>, Object<'text>)>,
}

/// An object, and what is said about it in passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Object<'text> {
    pub(super) id: u64,
    pub(super) class: Option<&'text str>,
    pub(super) size: Option<u64>,
}

/// By what an object refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference<'text> {
    Field { declaring: Option<&'text str>, name: &'text str },
    Static(&'text str),
    Element(u32),
    Internal(&'text str),
}

pub(super) fn parse(text: &str) -> Option<Statement<'_>> {
    if let Some(rest) = text.strip_prefix("root ") {
        let (kind, to) = rest.split_once("->")?;
        return root(kind.trim(), chain(to.trim())?);
    }
    if let Some((object, bytes)) = text.split_once(" off-heap ") {
        return Some(Statement::OffHeap { object: hex(object)?, bytes: bytes.parse().ok()? });
    }
    if let Some((object, name)) = text.split_once(" named ") {
        return Some(Statement::Thread { object: hex(object)?, name });
    }
    match text.strip_prefix("class ") {
        Some(rest) => class(rest),
        None => chain(text).map(Statement::Chain),
    }
}

fn root<'text>(kind: &'text str, to: Chain<'text>) -> Option<Statement<'text>> {
    let words: Vec<_> = kind.split_whitespace().collect();
    let frame = |thread: &str, method: &str, slot| RootFrame {
        thread: Some(thread.into()),
        method: Some(method.into()),
        slot,
    };
    let kind = match words[..] {
        ["static", field] => return root_static(None, field, to),
        ["static", type_name, field] => return root_static(Some(type_name), field, to),
        ["local", thread, method, slot] => {
            RootKind::StackLocal(frame(thread, method, Some(slot.parse().ok()?)))
        }
        ["jni-local", thread, method] => RootKind::JniLocal(frame(thread, method, None)),
        ["jni"] => RootKind::JniGlobal,
        ["monitor"] => RootKind::Monitor,
        ["thread"] => RootKind::Thread,
        ["other", ..] => RootKind::Other(words[1..].join(" ").into()),
        _ => return None,
    };
    Some(Statement::Root { kind, to })
}

fn root_static<'text>(
    type_name: Option<&'text str>,
    field: &'text str,
    to: Chain<'text>,
) -> Option<Statement<'text>> {
    let (class, field) = field.rsplit_once('.')?;
    Some(Statement::Static { type_name, class, field, to })
}

fn class(text: &str) -> Option<Statement<'_>> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (mut extends, mut mirror, mut loader) = (None, None, None);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word {
            "extends" => extends = Some(value),
            "mirror" => mirror = Some(hex(value)?),
            "loader" => loader = Some(hex(value)?),
            _ => return None,
        }
    }
    Some(Statement::Class { name, extends, mirror, loader })
}

fn chain(text: &str) -> Option<Chain<'_>> {
    let mut links = text.split(" -");
    let first = object(links.next()?.trim())?;
    let rest = links.map(|link| {
        let (by, to) = link.split_once("->")?;
        Some((reference(by)?, object(to.trim())?))
    });
    Some(Chain { first, rest: rest.collect::<Option<_>>()? })
}

fn reference(text: &str) -> Option<Reference<'_>> {
    if let Some(index) = text.strip_prefix('[') {
        return Some(Reference::Element(index.strip_suffix(']')?.parse().ok()?));
    }
    if let Some(name) = text.strip_prefix('<') {
        return Some(Reference::Internal(name.strip_suffix('>')?));
    }
    if let Some(name) = text.strip_prefix("static ") {
        return Some(Reference::Static(name));
    }
    Some(match text.rsplit_once('.') {
        Some((declaring, name)) => Reference::Field { declaring: Some(declaring), name },
        None => Reference::Field { declaring: None, name: text },
    })
}

fn object(text: &str) -> Option<Object<'_>> {
    let (id, facts) = text.split_once(':').unwrap_or((text, ""));
    let (class, size) = match facts.strip_suffix(']').and_then(|facts| facts.rsplit_once('[')) {
        Some((class, size)) if !size.is_empty() => (class, Some(size.parse().ok()?)),
        _ => (facts, None),
    };
    Some(Object { id: hex(id)?, class: (!class.is_empty()).then_some(class), size })
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_taken_apart() {
        let object = |id, class, size| Object { id, class, size };
        let field = Reference::Field { declaring: Some("a.B"), name: "c" };
        assert_eq!(
            parse("a:int[][] -[7]-> 2:a.B[24] -a.B.c-> 3:x.D[][32] -<loader>-> 4"),
            Some(Statement::Chain(Chain {
                first: object(10, Some("int[][]"), None),
                rest: vec![
                    (Reference::Element(7), object(2, Some("a.B"), Some(24))),
                    (field, object(3, Some("x.D[]"), Some(32))),
                    (Reference::Internal("loader"), object(4, None, None)),
                ],
            }))
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let nonsense =
            ["root jni 1", "root x -> 1", "1:A -> 2", "1:A -x 2", "xyz:A", "class A mirror", "1:A[x]"];
        for text in nonsense {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
