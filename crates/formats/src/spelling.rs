//! How frames and classes are spelled where `;` and line feeds have a meaning of their own.

use mayfly_profile::{Frame, Stack};
use mayfly_report::readable_class;

/// A frame: class and method, and the line if that is wanted and known.
pub(crate) fn frame(frame: &Frame, lines: bool) -> String {
    let Frame { class, method, line, .. } = frame;
    match line.filter(|_| lines) {
        Some(line) => format!("{class}.{method}:{line}"),
        None => format!("{class}.{method}"),
    }
}

/// The frames from the outermost on, then the class.
pub(crate) fn path(stack: &Stack, class: &str, lines: bool) -> Vec<String> {
    let frames = stack.from_outermost().map(|one| frame(one, lines));
    frames.chain([readable_class(class)]).collect()
}

/// The frames of a stack from the outermost on, `;` between them.
pub(crate) fn stack(stack: &Stack, lines: bool) -> String {
    let frames: Vec<_> = stack.from_outermost().map(|one| field(&frame(one, lines))).collect();
    frames.join(";")
}

/// In one field between semicolons: what ends a field or a line is replaced.
pub(crate) fn field(text: &str) -> String {
    text.chars().map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_holds_no_separator() {
        assert_eq!(field("a;b\nc d"), "a_b_c d");
    }
}
