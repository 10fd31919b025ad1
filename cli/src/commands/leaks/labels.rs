//! What the labels on a path of classes say: `class a.B`, `field: a.B`, `a.B`.

use mayfly_heap::growth::Sustained;
use mayfly_heap::holders::is_of_a_collection_library;

use crate::heap::owning_field::is_own_class;

/// Down to the first object that is the program's own: `HashMap$Node` says little.
pub(super) fn shown(row: &Sustained) -> usize {
    let own = row.path.iter().skip(row.element).position(|label| is_own(label));
    row.element + own.unwrap_or(0)
}

/// What the element is called by: its first object of the program's own; else, as the entries of maps say little and are made anew
/// when a table grows, what is in them.
pub(super) fn named(row: &Sustained) -> usize {
    let shown = shown(row);
    match is_own(&row.path[shown]) {
        true => shown,
        false => (shown..row.path.len()).find(|&at| !is_inside(&row.path[at])).unwrap_or(shown),
    }
}

/// What owns the container that grew: the last object of the program's own above the element, or what a static field holds.
pub(super) fn owner_at(row: &Sustained) -> Option<usize> {
    owner_above(row, row.element)
}

/// The same above a place of the path.
pub(super) fn owner_above(row: &Sustained, at: usize) -> Option<usize> {
    row.path[..at].iter().rposition(|label| static_field(label).is_some() || is_own_object(label))
}

/// Whether it is an object of the program's own, and no class.
pub(super) fn is_own_object(label: &str) -> bool {
    is_own(label) && !label.starts_with("class ")
}

/// The class in a label: `a.B` of `class a.B` and of `field: a.B`.
pub(super) fn class_of(label: &str) -> &str {
    let class = label.rsplit(": ").next().unwrap_or(label);
    class.strip_prefix("class ").unwrap_or(class)
}

/// The static field in a label, if it has one.
pub(super) fn static_field(label: &str) -> Option<&str> {
    label.split_once(": ").map(|(field, _)| field)
}

/// Whether a class is neither the JDK's, nor of a library of collections, nor an array of such, or of numbers.
pub(super) fn is_own(label: &str) -> bool {
    own_class(label).is_some()
}

/// The class of such, of an array that of its elements.
pub(super) fn own_class(label: &str) -> Option<&str> {
    let class = class_of(label).trim_start_matches('[');
    let element = if class.len() < class_of(label).len() { class.strip_prefix('L') } else { Some(class) };
    element.filter(|class| is_own_class(class))
}

/// Whether it is only a part of a collection: an entry, a table.
pub(super) fn is_inside(label: &str) -> bool {
    if is_of_a_collection_library(class_of(label).trim_start_matches('[').trim_start_matches('L')) {
        return true;
    }
    let class = class_of(label).trim_start_matches('[').trim_start_matches("Ljava.").trim_end_matches(';');
    let class = class.strip_prefix("java.").unwrap_or(class);
    (class.starts_with("util.") && class.contains('$')) || class == "lang.Object"
}

/// Ends of the names of collections.
const COLLECTIONS: [&str; 6] = ["List", "Map", "Set", "Deque", "Collection", "Table"];

/// Whether a class is a collection by its name, or an array of such.
pub(super) fn is_called_a_collection(label: &str) -> bool {
    let class = class_of(label).trim_end_matches(';');
    let class = class.strip_suffix("Impl").unwrap_or(class);
    COLLECTIONS.iter().any(|end| class.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_classes_are_told_from_the_jdks() {
        for (label, class, own) in [
            ("a.B", "a.B", true),
            ("class a.B", "a.B", true),
            ("cache: java.util.HashMap", "java.util.HashMap", false),
            ("[La.B;", "[La.B;", true),
            ("[Ljava.lang.Object;", "[Ljava.lang.Object;", false),
            ("[[B", "[[B", false),
            ("com.github.benmanes.caffeine.cache.PSMS", "com.github.benmanes.caffeine.cache.PSMS", false),
        ] {
            assert_eq!((class_of(label), is_own(label)), (class, own), "{label}");
        }
    }

    #[test]
    fn collections_are_known_by_the_ends_of_their_names() {
        for (label, is_one) in [
            ("my.utils.LinkedListImpl", true),
            ("[Lmy.utils.LinkedListImpl;", true),
            ("my.IntMap", true),
            ("my.QueueImpl", false),
            ("my.Listing", false),
            ("my.Mapper", false),
        ] {
            assert_eq!(is_called_a_collection(label), is_one, "{label}");
        }
    }

    #[test]
    fn entries_and_tables_are_the_insides_of_collections() {
        for (label, inside) in [
            ("java.util.concurrent.ConcurrentHashMap$Node", true),
            ("[Ljava.util.HashMap$Node;", true),
            ("[Ljava.lang.Object;", true),
            ("java.util.HashMap", false),
            ("java.lang.String", false),
            ("my.Map$Entry", false),
            ("com.github.benmanes.caffeine.cache.PSMS", true),
            ("[Lcom.google.common.collect.HashBiMap$BiEntry;", true),
        ] {
            assert_eq!(is_inside(label), inside, "{label}");
        }
        assert_eq!(static_field("MAP: java.util.HashMap"), Some("MAP"));
        assert_eq!(static_field("class a.B"), None);
    }
}
