//! A graph in INSANE's grammar.
//!
//! Not here: where the lines go. What the grammar has no words for is left out: classes as objects, roots, and what the JVM keeps
//! for a class.

use std::fmt::Write;

use crate::edge::EdgeName;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::text::Text;

/// Lines are given out in pieces of about this size.
const PIECE: usize = 64 << 10;

/// Writes a graph, all objects first, so that no reference names one before it is told. `texts`: which array of characters
/// holds which text, in the order of the objects.
///
/// An array that is not `[C` and holds a text, as since JDK 9, gets another attribute behind the text: `as='[C'`. So the lines
/// with texts can be found as ever: `grep '\[C' FILE | cut -d\' -f8`.
///
/// # Errors
/// Those of `sink`.
pub fn write<E>(
    graph: &Graph,
    texts: &[(ObjectIndex, Text<'_>)],
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = Lines { text: "<insane>\n".into(), sink };
    let mirrors = Mirrors::new(graph);
    let mut texts = texts.iter().peekable();
    for object in graph.objects().filter(|&object| !mirrors.has(object)) {
        while texts.next_if(|(array, _)| *array < object).is_some() {}
        let text = texts.peek().filter(|(array, _)| *array == object).map(|(_, text)| text);
        let class = &graph.class(graph.class_of(object)).name;
        out.object(graph.id(object), class, graph.size(object), text)?;
    }
    for object in graph.objects() {
        for edge in graph.edges(object).filter(|edge| !mirrors.has(edge.to)) {
            let to = graph.id(edge.to);
            let from = match edge.name {
                EdgeName::Static { .. } => None,
                _ if mirrors.has(object) => continue,
                _ => Some(graph.id(object)),
            };
            if let Some(name) = field_text(graph, edge.name, edge.index) {
                out.reference(from, &name, to)?;
            }
        }
    }
    out.text.push_str("</insane>\n");
    out.flush()
}

/// What INSANE calls a reference: `CLASS.FIELD`, or the index of an element; it has no words for those of the JVM's own.
pub(crate) fn field_text(graph: &Graph, name: &EdgeName, index: Option<u32>) -> Option<String> {
    match name {
        EdgeName::Field { declaring, name, .. } | EdgeName::Static { declaring, name, .. } => {
            Some(format!("{}.{name}", graph.class(*declaring).name))
        }
        EdgeName::Element => Some(index.unwrap_or(0).to_string()),
        EdgeName::Internal(_) => None,
    }
}

/// Which objects are classes.
pub(crate) struct Mirrors(Vec<ObjectIndex>);

impl Mirrors {
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut mirrors: Vec<_> = graph.classes().filter_map(|(_, class)| class.mirror).collect();
        mirrors.sort_unstable();
        Self(mirrors)
    }

    pub(crate) fn has(&self, object: ObjectIndex) -> bool {
        self.0.binary_search(&object).is_ok()
    }
}

struct Lines<'s, E> {
    text: String,
    sink: &'s mut dyn FnMut(&[u8]) -> Result<(), E>,
}

impl<E> Lines<'_, E> {
    fn object(&mut self, id: u64, class: &str, size: u64, text: Option<&Text<'_>>) -> Result<(), E> {
        let _ = write!(self.text, "<object id='{id:x}' type='{}' size='{size}'", Escaped(class));
        if let Some(text) = text {
            self.text.push_str(" value='");
            self.text.extend(text.units().map(plain));
            self.text.push_str(if class == "[C" { "'" } else { "' as='[C'" });
        }
        self.end()
    }

    fn reference(&mut self, from: Option<u64>, name: &str, to: u64) -> Result<(), E> {
        self.text.push_str("<ref");
        if let Some(from) = from {
            let _ = write!(self.text, " from='{from:x}'");
        }
        let _ = write!(self.text, " name='{}' to='{to:x}'", Escaped(name));
        self.end()
    }

    fn end(&mut self) -> Result<(), E> {
        self.text.push_str("/>\n");
        if self.text.len() < PIECE { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), E> {
        (self.sink)(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

/// A UTF-16 unit of a text, as INSANE writes it.
fn plain(unit: u16) -> char {
    match u8::try_from(unit) {
        Ok(b'\'') => '"',
        Ok(b'<' | b'&') => '_',
        Ok(byte @ 0x20..0x80) => byte.into(),
        _ => '.',
    }
}

/// A name, with entities for what an attribute can't hold. No name of Java source has any.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['\'', '<', '&', '\n']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'\'' => "&apos;",
                b'<' => "&lt;",
                b'&' => "&amp;",
                _ => " ",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}
