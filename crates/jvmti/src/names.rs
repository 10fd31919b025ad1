//! Class names as `Class.getName()` spells them, from JVM type signatures (JVMS 4.3.2).

/// Turns a signature as JVMTI `GetClassSignature` gives it into the spelling of `Class.getName()`.
///
/// `Ljava/util/Map$Entry;` becomes `java.util.Map$Entry`; arrays keep their descriptor with dots (`[Ljava.lang.String;`,
/// `[I`); a hidden class's `LGap$$Lambda.0x7f;` becomes `Gap$$Lambda/0x7f`.
pub fn class_name(signature: &str) -> String {
    if signature.starts_with('[') {
        return signature.replace('/', ".");
    }
    let Some(inner) = signature.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) else {
        return primitive(signature).to_owned();
    };
    // A binary name has no dot in a signature; the one dot is a hidden class's suffix separator.
    match inner.split_once('.') {
        Some((name, suffix)) => format!("{}/{suffix}", name.replace('/', ".")),
        None => inner.replace('/', "."),
    }
}

/// Text of bytes in modified UTF-8 (JVMS 4.4.7), as class files and JNI have it: a character beyond the BMP is two surrogates of
/// three bytes each, a NUL two bytes. What is neither this nor UTF-8 is replaced.
pub fn modified_utf8(bytes: &[u8]) -> String {
    jvmti_bindings::mutf8::decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned())
}

fn primitive(signature: &str) -> &str {
    match signature {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        "V" => "void",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{class_name, modified_utf8};

    #[test]
    fn characters_beyond_the_bmp_are_two_surrogates() {
        assert_eq!(modified_utf8(b"Names$\xed\xa1\x82\xed\xbe\xb7\xe9\x87\x8e"), "Names$\u{20bb7}\u{91ce}");
        assert_eq!(modified_utf8(b"a\xc0\x80b"), "a\0b");
        assert_eq!(modified_utf8("maïn".as_bytes()), "maïn");
        assert_eq!(modified_utf8(b"a\xffb"), "a\u{fffd}b");
    }

    #[test]
    fn spells_names_as_get_name_does() {
        assert_eq!(class_name("Ljava/util/Map$Entry;"), "java.util.Map$Entry");
        assert_eq!(class_name("[Ljava/lang/String;"), "[Ljava.lang.String;");
        assert_eq!(class_name("[[I"), "[[I");
        assert_eq!(class_name("LGap$$Lambda.0x0000700001;"), "Gap$$Lambda/0x0000700001");
        assert_eq!(class_name("Lp/Gap$$Lambda.0x0000700001;"), "p.Gap$$Lambda/0x0000700001");
        assert_eq!(class_name("J"), "long");
    }
}
