//! Class names as people write them: Java source, `Class.getName()`, HeapSummary's columns; and what was meant by a wrong one.
//!
//! Not here: which classes a heap has.

use mayfly_profile::PRIMITIVES;

/// The spellings of `Class.getName()` that `text` may stand for, likeliest first.
///
/// Taken are `java.util.Map$Entry`, `java.util.Map.Entry`, `java/util/Map$Entry`, `int[]`, `java.util.Map.Entry[][]`, `[I`,
/// `[Ljava.lang.Object;`, and HeapSummary's `[int` and `[java.lang.Object`.
pub(crate) fn spellings(text: &str) -> Vec<String> {
    let (text, address) = without_address(text.trim());
    // Behind the address was the end of an array's element.
    let end = if text.starts_with("[L") && !address.is_empty() { ";" } else { "" };
    let text = text.replace('/', ".") + end;
    let (element, dimensions) = element_of(&text);
    let of_element: Vec<String> = match (dimensions, primitive(element)) {
        (0, _) => nested(element),
        (_, Some(letter)) => vec![letter.to_string()],
        _ => nested(element).into_iter().map(|name| format!("L{name};")).collect(),
    };
    let spelled = of_element.into_iter().map(|name| "[".repeat(dimensions) + &name);
    match address {
        "" => spelled.collect(),
        // The end of the name of an array's element is behind the address.
        address => spelled
            .map(|name| match name.strip_suffix(';') {
                Some(name) => format!("{name}{address};"),
                None => name + address,
            })
            .collect(),
    }
}

/// A hidden class's name as the JVM gives it, up to the `/` with its address and from there on: `my.App$$Lambda`, `/0x00007f…`. Of any
/// other name the second is empty.
pub(crate) fn without_address(name: &str) -> (&str, &str) {
    let trimmed = name.trim_end_matches(';');
    match trimmed.rfind("/0x") {
        Some(at) if trimmed[at + 3..].bytes().all(|byte| byte.is_ascii_hexdigit()) => trimmed.split_at(at),
        _ => (name, ""),
    }
}

/// Whether a class is meant by some text: by its name, or that of a hidden class without its address.
pub(crate) fn means(text: &str, class: &str) -> bool {
    let short = without_address(class);
    let is = |spelling: String| spelling == class || (!short.1.is_empty() && spelling == short.0);
    spellings(text).into_iter().any(is)
}

/// Element type and dimensions, of either spelling of an array.
fn element_of(text: &str) -> (&str, usize) {
    let element = text.trim_start_matches('[');
    let mut dimensions = text.len() - element.len();
    let signature = element.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let mut element = signature.filter(|_| dimensions > 0).unwrap_or(element);
    while let Some(inner) = element.strip_suffix("[]") {
        element = inner.trim_end();
        dimensions += 1;
    }
    (element, dimensions)
}

/// The letter of a primitive type (JVMS §4.3.2), if this names one, by its keyword or its letter.
fn primitive(element: &str) -> Option<char> {
    let is = |&&(keyword, letter): &&(&str, char)| element == keyword || element.chars().eq([letter]);
    PRIMITIVES.iter().find(is).map(|&(_, letter)| letter)
}

/// A name, then the same with more and more dots from the right as those of nested classes.
fn nested(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    let mut current = name.to_owned();
    while let Some(dot) = current.rfind('.') {
        current.replace_range(dot..=dot, "$");
        names.push(current.clone());
    }
    names
}

/// The name among `known` that was most probably meant.
pub(crate) fn closest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = spellings(wanted).swap_remove(0);
    let likeness = |name: &str| {
        let simple = if simple(name).eq_ignore_ascii_case(simple(&wanted)) { 1.0 } else { 0.0 };
        strsim::normalized_damerau_levenshtein(&wanted, name).max(simple * 0.95)
    };
    let of_a_kind = known.filter(|name| name.starts_with('[') == wanted.starts_with('['));
    let rated = of_a_kind.map(|name| (likeness(name), name)).filter(|&(likeness, _)| likeness > 0.7);
    rated.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1))).map(|(_, name)| name)
}

/// Without package and enclosing classes.
fn simple(name: &str) -> &str {
    name.trim_end_matches(';').rsplit(['.', '$', '[']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_class_leads_to_its_name() {
        for (text, name) in [
            ("java.lang.String", "java.lang.String"),
            ("java/lang/String", "java.lang.String"),
            ("java.util.Map$Entry", "java.util.Map$Entry"),
            ("java.util.Map.Entry", "java.util.Map$Entry"),
            ("int[]", "[I"),
            ("int[][]", "[[I"),
            ("[I", "[I"),
            ("[[int", "[[I"),
            ("[java.lang.Object", "[Ljava.lang.Object;"),
            ("[Ljava.lang.Object;", "[Ljava.lang.Object;"),
            ("java.lang.Object[]", "[Ljava.lang.Object;"),
            ("java.util.Map.Entry[]", "[Ljava.util.Map$Entry;"),
            ("Lot", "Lot"),
            ("I", "I"),
        ] {
            assert!(spellings(text).iter().any(|spelling| spelling == name), "{text}: {:?}", spellings(text));
        }
    }

    /// What one command prints, another takes; and nobody wants to write an address.
    #[test]
    fn hidden_classes_have_names_with_and_without_address() {
        let class = "my.App$$Lambda$14/0x0000000800c03000";
        assert_eq!(spellings(class)[0], class);
        assert_eq!(spellings("[Lmy.App$$Lambda/0x00007f13;")[0], "[Lmy.App$$Lambda/0x00007f13;");
        for text in [class, "my/App$$Lambda$14/0x0000000800c03000", "my.App$$Lambda$14", "my/App$$Lambda$14"]
        {
            assert!(means(text, class), "{text}");
        }
        assert!(!means("my.App$$Lambda$14/0x0000000800c03001", class));
        assert!(!means("my.App", "my.App$1") && means("my.App.1", "my.App$1"));
    }

    #[test]
    fn what_is_a_name_already_comes_first() {
        for name in ["java.util.Map$Entry", "[I", "[Ljava.util.Map$Entry;", "a.B"] {
            assert_eq!(spellings(name)[0], name);
        }
    }

    #[test]
    fn a_near_miss_and_a_bare_name_are_understood() {
        let known = || ["java.util.HashMap", "com.example.Session", "[Lcom.example.Session;"].into_iter();
        assert_eq!(closest("java.util.HasMap", known()), Some("java.util.HashMap"));
        assert_eq!(closest("session", known()), Some("com.example.Session"));
        assert_eq!(closest("Unrelated", known()), None);
    }
}
