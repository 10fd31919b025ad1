//! Names of classes as the JVM has them (`Class.getName()`: `[B`, `[Ljava.lang.String;`) and as Java sources spell them (`byte[]`,
//! `java.lang.String[]`). Only arrays differ.
//!
//! People read the second, files for programs keep the first; whoever types a name may use either.

use std::borrow::Cow;

/// Names of primitive types, and their letters in names of arrays (JVMS §4.3.2).
pub const PRIMITIVES: [(&str, char); 8] = [
    ("boolean", 'Z'),
    ("byte", 'B'),
    ("char", 'C'),
    ("short", 'S'),
    ("int", 'I'),
    ("long", 'J'),
    ("float", 'F'),
    ("double", 'D'),
];

/// A class as Java sources spell it: `byte[]` for `[B`, `java.lang.Object[]` for `[Ljava.lang.Object;`. Other names stay.
pub fn readable_class(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name.to_owned();
    }
    let object = element.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let element = primitive(element).or(object).unwrap_or(element);
    format!("{element}{}", "[]".repeat(dimensions))
}

/// The JVM's name of a class in either spelling: `[B` for `byte[]`. Other names stay.
pub fn jvm_class(name: &str) -> Cow<'_, str> {
    let element = name.trim_end_matches("[]");
    let dimensions = (name.len() - element.len()) / 2;
    if dimensions == 0 || element.is_empty() || element.starts_with('[') {
        return Cow::Borrowed(name);
    }
    let element = match PRIMITIVES.iter().find(|(primitive, _)| *primitive == element) {
        Some((_, letter)) => letter.to_string(),
        None => format!("L{element};"),
    };
    Cow::Owned("[".repeat(dimensions) + &element)
}

/// A text with each array in it as Java sources spell it.
pub fn readable_classes(text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let (mut readable, mut rest, mut before) = (String::new(), text, ' ');
    while let Some(at) = rest.find('[') {
        let (head, from) = rest.split_at(at);
        readable.push_str(head);
        before = head.chars().next_back().unwrap_or(before);
        // Behind a name or an arrow stands an index.
        let array = if is_part_of_name(before) || before == ']' { None } else { array_at(from) };
        let length = array.unwrap_or(1);
        readable.push_str(&array.map_or_else(|| from[..1].to_owned(), |end| readable_class(&from[..end])));
        before = from[..length].chars().next_back().unwrap_or(before);
        rest = &from[length..];
    }
    Cow::Owned(readable + rest)
}

/// How long the name of an array is that a text begins with; `None` if it begins with none.
fn array_at(text: &str) -> Option<usize> {
    let dimensions = text.len() - text.trim_start_matches('[').len();
    let element = &text[dimensions..];
    if element.starts_with('L') {
        let end = element.find(|c: char| c == ';' || c.is_whitespace())?;
        return element[end..].starts_with(';').then_some(dimensions + end + 1);
    }
    let mut letters = element.chars();
    let is_primitive = letters.next().is_some_and(|c| PRIMITIVES.iter().any(|&(_, letter)| letter == c));
    let is_whole = letters.next().is_none_or(|c| !is_part_of_name(c) && c != ']');
    (is_primitive && is_whole).then_some(dimensions + 1)
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_$".contains(c)
}

fn primitive(letters: &str) -> Option<&'static str> {
    PRIMITIVES.iter().find(|(_, letter)| letters.chars().eq([*letter])).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPELLED: [(&str, &str); 6] = [
        ("[B", "byte[]"),
        ("[[J", "long[][]"),
        ("[Ljava.lang.Object;", "java.lang.Object[]"),
        ("[[La.B$C;", "a.B$C[][]"),
        ("a.B", "a.B"),
        ("", ""),
    ];

    #[test]
    fn arrays_are_spelled_as_in_java() {
        for (name, readable) in SPELLED {
            assert_eq!(readable_class(name), readable);
        }
    }

    #[test]
    fn either_spelling_is_a_name_of_the_jvm() {
        for (name, readable) in SPELLED {
            assert_eq!(jvm_class(readable), name);
            assert_eq!(jvm_class(name), name);
        }
        assert_eq!(jvm_class("[]"), "[]");
    }

    #[test]
    fn in_a_text_only_arrays_change() {
        for (text, readable) in [
            ("210 KiB in 3 objects of [B", "210 KiB in 3 objects of byte[]"),
            ("class a.App > list: [Ljava.lang.Object; > a.B", "class a.App > list: java.lang.Object[] > a.B"),
            ("[[I@1f-[11]->", "int[][]@1f-[11]->"),
            ("[La.B@c", "[La.B@c"),
            ("an [BIG] one, a[I], [Beta", "an [BIG] one, a[I], [Beta"),
            ("[B, [C", "byte[], char[]"),
        ] {
            assert_eq!(readable_classes(text), readable);
        }
    }
}
