//! Objects as people name them on a command line: by class, or by the id that other commands print.

use mayfly_heap::{ClassIndex, Filter, Graph, ObjectIndex, Skip};

use crate::heap::class_name;
use crate::heap::error::QueryError;

/// What a word on the command line stands for.
#[derive(Debug, PartialEq, Eq)]
enum Word<'a> {
    /// All objects of a class.
    Class(&'a str),
    /// The `java.lang.Class` of a class: its statics.
    Mirror(&'a str),
    /// One object, and the class that it should have.
    Id { id: u64, class: Option<&'a str> },
}

/// Objects that were meant.
///
/// `CLASS` are all objects of the class, `class CLASS` is its `java.lang.Class`, `CLASS@1f`, `@1f` and `0x1f` are one object.
///
/// # Errors
/// [`QueryError::UnknownClass`], [`QueryError::UnknownId`], [`QueryError::OtherClass`].
pub(crate) fn objects(graph: &Graph, text: &str) -> Result<Vec<ObjectIndex>, QueryError> {
    match word(text) {
        Word::Class(name) => match (classes(graph, name), bare_id(graph, text)) {
            (Ok(classes), _) => Ok(objects_of(graph, &classes)),
            (Err(_), Some(object)) => Ok(vec![object]),
            (Err(unknown), None) => Err(unknown),
        },
        Word::Mirror(name) => {
            let classes = classes(graph, name)?;
            Ok(classes.into_iter().filter_map(|class| graph.class(class).mirror).collect())
        }
        Word::Id { id, class } => object(graph, text, id, class).map(|object| vec![object]),
    }
}

/// Objects meant by any of several words, each once.
///
/// # Errors
/// As [`objects`].
pub(crate) fn all_objects(graph: &Graph, words: &[String]) -> Result<Vec<ObjectIndex>, QueryError> {
    let mut all = Vec::new();
    for word in words {
        all.extend(objects(graph, word)?);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Lets a filter pass over what each word stands for: objects as in [`objects`], or a field `CLASS.FIELD`, static or not, of
/// the class that declares it.
///
/// # Errors
/// As [`objects`], if there is no such field either.
pub(crate) fn skip(graph: &Graph, filter: &mut Filter, words: &[String]) -> Result<(), QueryError> {
    for word in words {
        match objects(graph, word) {
            Ok(objects) => {
                objects.into_iter().for_each(|object| filter.skip_object(graph, object, Skip::Object));
            }
            Err(unknown) => {
                let (class, field) = word.rsplit_once('.').unwrap_or_default();
                let spellings = class_name::spellings(class);
                let fields = filter.skip_fields(graph, |declaring, name| {
                    name == field && spellings.iter().any(|spelling| **spelling == *declaring.name)
                });
                if fields == 0 {
                    return Err(unknown);
                }
            }
        }
    }
    Ok(())
}

/// The classes of a name: several if more than one loader defined it.
///
/// # Errors
/// [`QueryError::UnknownClass`], with what may have been meant.
pub(crate) fn classes(graph: &Graph, name: &str) -> Result<Vec<ClassIndex>, QueryError> {
    for spelling in class_name::spellings(name) {
        let named = graph.classes().filter(|(_, class)| *class.name == *spelling);
        let found: Vec<_> = named.map(|(index, _)| index).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let known = graph.classes().map(|(_, class)| &*class.name);
    Err(QueryError::UnknownClass {
        name: name.to_owned(),
        closest: class_name::closest(name, known).map(str::to_owned),
    })
}

/// All objects of these classes, in the order of the graph.
pub(crate) fn objects_of(graph: &Graph, classes: &[ClassIndex]) -> Vec<ObjectIndex> {
    graph.objects().filter(|&object| classes.contains(&graph.class_of(object))).collect()
}

fn word(text: &str) -> Word<'_> {
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let split = text.rsplit_once('@').and_then(|(class, digits)| Some((class, hexadecimal(digits)?)));
    let prefixed = text.strip_prefix("0x").and_then(hexadecimal);
    match (split, prefixed) {
        // `class a.B@99` is how the java.lang.Class of a.B is shown.
        (Some((class, id)), _) => {
            let class = Some(class).filter(|class| !class.is_empty() && !class.starts_with("class "));
            Word::Id { id, class }
        }
        (None, Some(id)) => Word::Id { id, class: None },
        (None, None) => {
            text.strip_prefix("class ").map_or(Word::Class(text), |name| Word::Mirror(name.trim()))
        }
    }
}

/// Digits that are no class: an id, as INSANE's parser took it.
fn bare_id(graph: &Graph, text: &str) -> Option<ObjectIndex> {
    let id = u64::from_str_radix(text, 16).ok()?;
    object(graph, text, id, None).ok()
}

fn object(graph: &Graph, text: &str, id: u64, class: Option<&str>) -> Result<ObjectIndex, QueryError> {
    let object = graph.find(id).ok_or_else(|| QueryError::UnknownId { id: text.to_owned() })?;
    let own = &graph.class(graph.class_of(object)).name;
    match class {
        Some(class) if !class_name::spellings(class).iter().any(|spelling| **spelling == **own) => {
            Err(QueryError::OtherClass { id: text.to_owned(), class: own.to_string() })
        }
        _ => Ok(object),
    }
}

#[cfg(test)]
mod tests {
    use mayfly_heap::{Class, GraphBuilder};

    use super::*;

    /// Two objects of a.B, 10 and 1f; an array of it, 2a; two classes a.C; the Class of a.B, 99.
    fn graph() -> Graph {
        let mut builder = GraphBuilder::default();
        let mut class = |name: &str| builder.class(Class { name: name.into(), ..Class::default() });
        let [b, array, _, c, mirrors] = ["a.B", "[La.B;", "a.C", "a.C", "java.lang.Class"].map(&mut class);
        builder.object(0x10, b, 16);
        builder.object(0x1f, b, 16);
        builder.object(0x2a, array, 16);
        builder.object(0x2b, c, 16);
        let mirror = builder.object(0x99, mirrors, 64);
        builder.class_mut(b).mirror = Some(mirror);
        builder.finish().expect("small")
    }

    fn ids(text: &str) -> Result<Vec<u64>, String> {
        let graph = graph();
        let found = objects(&graph, text).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|object| graph.id(object)).collect())
    }

    #[test]
    fn classes_and_ids_are_told_apart() {
        for (text, expected) in [
            ("a.B", &[0x10, 0x1f][..]),
            ("a/B", &[0x10, 0x1f]),
            ("a.B[]", &[0x2a]),
            ("a.C", &[0x2b]),
            ("a.B@1f", &[0x1f]),
            ("@1f", &[0x1f]),
            ("0x1f", &[0x1f]),
            ("1f", &[0x1f]),
            ("class a.B", &[0x99]),
            ("class a.B@99", &[0x99]),
        ] {
            assert_eq!(ids(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_said_with_what_may_be_meant() {
        for (text, words) in [
            ("a.b", "did you mean a.B?"),
            ("quite.Other", "lists those that are there"),
            ("0x77", "no object 0x77"),
            ("a.C@1f", "is of class a.B"),
        ] {
            let error = ids(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn several_words_name_each_object_once() {
        let found = all_objects(&graph(), &["a.B".into(), "0x1f".into()]).expect("known");
        assert_eq!(found, [ObjectIndex(0), ObjectIndex(1)]);
    }

    #[test]
    fn objects_and_fields_can_be_passed_over() {
        let graph = mayfly_heap::fake::heap("1:a.B -x-> 2:a.C; 1 -y-> 3:a.D; root static a.B.s -> 1");
        let reached = |skipped: &[&str]| {
            let mut filter = Filter::new(&graph, mayfly_heap::Strength::Strong);
            let words: Vec<_> = skipped.iter().map(|&word| word.to_owned()).collect();
            skip(&graph, &mut filter, &words).map_err(|error| error.to_string())?;
            let live = mayfly_heap::reach::live(&graph, &filter);
            Ok::<_, String>(
                live.iter().map(|object| graph.id(object)).filter(|&id| id < 9).collect::<Vec<_>>(),
            )
        };
        assert_eq!(reached(&[]), Ok(vec![1, 2, 3]));
        assert_eq!(reached(&["a.B.x"]), Ok(vec![1, 3]));
        assert_eq!(reached(&["a/B.x", "a.D"]), Ok(vec![1]));
        assert_eq!(reached(&["a.B.s"]), Ok(vec![]));
        assert!(reached(&["a.B.z"]).is_err() && reached(&["z"]).is_err());
    }
}
