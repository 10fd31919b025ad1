//! Objects as people name them on a command line: by class, or by the id that other commands print.

use mayfly_heap::{ClassIndex, Filter, Graph, ObjectIndex};

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

/// As [`objects`], where a question about none has no answer.
///
/// # Errors
/// As [`objects`]; [`QueryError::NoInstances`].
pub(crate) fn some_objects(graph: &Graph, text: &str) -> Result<Vec<ObjectIndex>, QueryError> {
    let found = objects(graph, text)?;
    if !found.is_empty() {
        return Ok(found);
    }
    let name = text.strip_prefix("class ").unwrap_or(text).trim();
    let classes = classes(graph, name)?;
    let has_mirror = classes.iter().any(|&class| graph.class(class).mirror.is_some());
    Err(QueryError::NoInstances {
        name: text.to_owned(),
        mirror: has_mirror.then(|| format!("class {name}")),
    })
}

/// Objects meant by any of several words, each once.
///
/// # Errors
/// As [`some_objects`].
pub(crate) fn all_objects(graph: &Graph, words: &[String]) -> Result<Vec<ObjectIndex>, QueryError> {
    let mut all = Vec::new();
    for word in words {
        all.extend(some_objects(graph, word)?);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Lets a filter pass over what each word stands for: objects as in [`objects`], with the static fields if it is a class, or a
/// field `CLASS.FIELD`, static or not, of the class that declares it.
///
/// # Errors
/// As [`objects`], if there is no such field either; [`QueryError::UnknownField`] if there is such a class.
pub(crate) fn skip(graph: &Graph, filter: &mut Filter, words: &[String]) -> Result<(), QueryError> {
    for word in words {
        match objects(graph, word) {
            Ok(objects) => {
                objects.into_iter().for_each(|object| filter.skip_object(graph, object));
                if let Word::Class(name) = self::word(word) {
                    filter.skip_statics(graph, |class| class_name::means(name, &class.name));
                }
            }
            Err(unknown) => skip_field(graph, filter, word)?.ok_or(unknown)?,
        }
    }
    Ok(())
}

/// Passes over `CLASS.FIELD`; none if there is no such class.
fn skip_field(graph: &Graph, filter: &mut Filter, word: &str) -> Result<Option<()>, QueryError> {
    let Some((class, field)) = word.rsplit_once('.') else { return Ok(None) };
    if classes(graph, class).is_err() {
        return Ok(None);
    }
    let fields = filter
        .skip_fields(graph, |declaring, name| name == field && class_name::means(class, &declaring.name));
    match fields {
        0 => Err(QueryError::UnknownField { class: class.to_owned(), field: field.to_owned() }),
        _ => Ok(Some(())),
    }
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
    // Of hidden classes, which are many by one name, all are meant.
    let hidden = graph.classes().filter(|(_, class)| class_name::means(name, &class.name));
    let hidden: Vec<_> = hidden.map(|(index, _)| index).collect();
    if !hidden.is_empty() {
        return Ok(hidden);
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
        Some(class) if !class_name::means(class, own) => {
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
        assert!(reached(&["z"]).is_err_and(|why| why.contains("no class z")));
        assert!(reached(&["a.Q.z"]).is_err_and(|why| why.contains("no class a.Q.z")));
        assert!(reached(&["a.B.z"]).is_err_and(|why| why.contains("a.B declares no field z")));
    }

    /// The statics of a class go with its objects; it may have statics only.
    #[test]
    fn statics_of_a_class_are_passed_over_with_it() {
        let graph = mayfly_heap::fake::heap("root static a.S.x -> 1:a.B; root static a.C.y -> 2:a.B; 3:a.C");
        let reached = |skipped: &str| {
            let mut filter = Filter::new(&graph, mayfly_heap::Strength::Strong);
            skip(&graph, &mut filter, &[skipped.to_owned()]).expect("known");
            let live = mayfly_heap::reach::live(&graph, &filter);
            live.iter().map(|object| graph.id(object)).filter(|&id| id < 9).collect::<Vec<_>>()
        };
        assert_eq!(reached("a.S"), [2]);
        assert_eq!(reached("a/C"), [1]);
        assert_eq!(reached("a.B@2"), [1]);
    }

    #[test]
    fn a_class_without_objects_is_offered_as_such() {
        let graph = mayfly_heap::fake::heap("root static a.S.x -> 1:a.B");
        let why = some_objects(&graph, "a.S").expect_err("none").to_string();
        assert_eq!(
            why,
            "no object of a.S in this heap; for what its static fields hold, ask for \"class a.S\""
        );
        assert_eq!(some_objects(&graph, "class a.S").map(|found| found.len()).ok(), Some(1));
        assert!(all_objects(&graph, &["a.B".into(), "a.S".into()]).is_err());
    }
}
