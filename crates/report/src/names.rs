//! Classes and methods as people read them.
//!
//! Not here: JSON, and texts that other tools read, which keep the JVM's names.

use crate::heap_summary::class_in_columns;
use crate::text::printable;

/// A class as Java sources spell it: `byte[]` for `[B`, `java.lang.Object[]` for `[Ljava.lang.Object;`. Other names stay.
pub fn readable_class(name: &str) -> String {
    let columns = class_in_columns(name);
    let element = columns.trim_start_matches('[');
    format!("{element}{}", "[]".repeat(columns.len() - element.len()))
}

/// A class in a line of text.
pub(crate) fn class_text(name: &str) -> String {
    printable(&readable_class(name)).into_owned()
}

/// `a.Shop.render:70`: a method in a line of text, and where in its file if that is known.
pub fn place_text(class: &str, method: &str, line: Option<u32>) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    printable(&format!("{class}.{method}{line}")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_spelled_as_in_java() {
        for (name, readable) in [
            ("[B", "byte[]"),
            ("[[J", "long[][]"),
            ("[Ljava.lang.Object;", "java.lang.Object[]"),
            ("[[La.B$C;", "a.B$C[][]"),
            ("a.B", "a.B"),
            ("", ""),
        ] {
            assert_eq!(readable_class(name), readable);
        }
    }

    #[test]
    fn a_place_has_its_line_if_that_is_known() {
        assert_eq!(place_text("a.Shop", "render", Some(70)), "a.Shop.render:70");
        assert_eq!(place_text("a.Shop", "render", None), "a.Shop.render");
    }
}
