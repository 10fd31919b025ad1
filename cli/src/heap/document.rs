//! What a question about a heap prints: text, or JSON by schema `mayfly-heap/1`. Described in `docs/guide/heap.md`.
//!
//! Keys may be added to the JSON; none is renamed, removed or given another meaning.

use serde::Serialize;

use crate::error::Error;
use crate::output;

/// Name and version of the schema of all heap commands.
pub(crate) const SCHEMA: &str = "mayfly-heap/1";

/// The answer to a question.
pub(crate) trait Answer: Serialize {
    /// The verb that asks.
    const QUERY: &'static str;

    /// For people; ends in a newline.
    fn text(&self) -> String;
}

#[derive(Serialize)]
struct Document<'a, S, A> {
    schema: &'static str,
    query: &'static str,
    source: &'a S,
    #[serde(flatten)]
    answer: &'a A,
}

/// Prints `answer` to standard output. `source` says in JSON where it is from.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn show<S: Serialize, A: Answer>(source: &S, answer: &A, json: bool) -> Result<(), Error> {
    if json { output::json(&render(source, answer), None) } else { output::text(&answer.text(), None) }
}

fn render<S: Serialize, A: Answer>(source: &S, answer: &A) -> String {
    let document = Document { schema: SCHEMA, query: A::QUERY, source, answer };
    // Strings, numbers and structures only: nothing that JSON can't hold.
    let json = serde_json::to_string_pretty(&document).unwrap_or_default();
    json + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Two {
        rows: [u8; 2],
    }

    impl Answer for Two {
        const QUERY: &'static str = "two";

        fn text(&self) -> String {
            "two\n".to_owned()
        }
    }

    #[test]
    fn an_answer_says_what_it_answers_and_from_where() {
        let json: serde_json::Value =
            serde_json::from_str(&render(&"a.hprof", &Two { rows: [1, 2] })).expect("JSON");
        let expected = serde_json::json!({
            "schema": "mayfly-heap/1", "query": "two", "source": "a.hprof", "rows": [1, 2]
        });
        assert_eq!(json, expected);
    }
}
