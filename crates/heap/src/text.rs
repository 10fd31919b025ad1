//! The text of a string in a heap dump, as it lies there.
//!
//! Not here: how it is found (each format's), and what is asked of it.

/// The text of one `java.lang.String`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// The string, as [`crate::graph::Graph::id`] names it.
    pub id: u64,
    /// Length of the whole text, in UTF-16 units (`String.length()`).
    pub length: u64,
    /// What the dump has of it: all, or its beginning.
    pub kept: &'a [u8],
    /// How it is written there.
    pub encoding: TextEncoding,
}

/// How UTF-16 units are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// One byte each.
    Latin1,
    /// Two bytes each, the lower first.
    Utf16Le,
    /// Two bytes each, the higher first.
    Utf16Be,
}

impl Text<'_> {
    /// Its UTF-16 units, as far as the dump has them.
    pub fn units(&self) -> impl Iterator<Item = u16> {
        let width = if self.encoding == TextEncoding::Latin1 { 1 } else { 2 };
        let encoding = self.encoding;
        self.kept.chunks_exact(width).map(move |bytes| match encoding {
            TextEncoding::Latin1 => u16::from(bytes[0]),
            TextEncoding::Utf16Le => u16::from_le_bytes([bytes[0], bytes[1]]),
            TextEncoding::Utf16Be => u16::from_be_bytes([bytes[0], bytes[1]]),
        })
    }

    /// Whether the dump has all of it.
    pub fn is_whole(&self) -> bool {
        let width = if self.encoding == TextEncoding::Latin1 { 1 } else { 2 };
        self.kept.len() as u64 / width == self.length
    }
}

/// Unpaired surrogates become U+FFFD.
impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write;
        char::decode_utf16(self.units())
            .try_for_each(|unit| f.write_char(unit.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = |kept, encoding| Text { id: 1, length: 2, kept, encoding };
        let latin = text(b"\xe4b", TextEncoding::Latin1);
        let little = text(b"\xe4\0b\0", TextEncoding::Utf16Le);
        let big = text(b"\0\xe4\0b", TextEncoding::Utf16Be);
        for text in [latin, little, big] {
            assert_eq!(text.to_string(), "äb");
            assert!(text.is_whole());
        }
        assert_eq!(text(b"\xd8\0\0b", TextEncoding::Utf16Be).to_string(), "\u{fffd}b");
        assert!(!text(b"a", TextEncoding::Latin1).is_whole());
    }
}
