//! Names and texts as HotSpot writes them: its symbols are modified UTF-8 (JVMS 4.4.7).

use std::borrow::Cow;

/// Text that the JVM wrote. In modified UTF-8 a character beyond the BMP is two surrogates of three bytes each, and a NUL two
/// bytes; neither is UTF-8, so what is valid UTF-8 is taken as it is. What is neither is replaced.
pub fn jvm_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => simd_cesu8::mutf8::decode_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::jvm_text;

    #[test]
    fn names_beyond_the_bmp_are_whole() {
        let name = "Names$\u{20bb7}\u{91ce}";
        assert_eq!(jvm_text(b"Names$\xed\xa1\x82\xed\xbe\xb7\xe9\x87\x8e"), name);
        assert_eq!(jvm_text(name.as_bytes()), name, "UTF-8, as other writers of dumps have it");
        assert_eq!(jvm_text(b"a\xc0\x80b"), "a\0b");
        assert_eq!(jvm_text(b"a\xffb"), "a\u{fffd}b");
    }
}
