//! Classes and methods as people read them.
//!
//! Not here: JSON, and texts that other tools read, which keep the JVM's names.

use mayfly_profile::{readable_class, readable_classes};

use crate::text::printable;

/// A class in a line of text.
pub fn class_text(name: &str) -> String {
    printable(&readable_class(name)).into_owned()
}

/// A text that names classes, in lines of text.
pub fn text_of_classes(text: &str) -> String {
    printable(&readable_classes(text)).into_owned()
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
    fn a_place_has_its_line_if_that_is_known() {
        assert_eq!(place_text("a.Shop", "render", Some(70)), "a.Shop.render:70");
        assert_eq!(place_text("a.Shop", "render", None), "a.Shop.render");
    }
}
