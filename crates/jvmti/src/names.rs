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
    use super::class_name;

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
