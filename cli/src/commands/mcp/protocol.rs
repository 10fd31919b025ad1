//! The messages of JSON-RPC 2.0 and of the Model Context Protocol that a server of tools needs.
//!
//! Not here: which tools there are (`tools`), and what happens when (`server`).

use serde_json::{Value, json};

/// Versions of the protocol in which these messages are the same, newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;

const INSTRUCTIONS: &str = "Mayfly profiles JVMs: what is allocated, how long objects live, what leaks and who holds it. \
Begin with list_jvms, or with report on a recording. Numbers with `estimated` come from samples. `null` and exit code 2 mean: not known.";

/// What one line of the client is.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Wants an answer under its id.
    Request { id: Value, method: String, params: Value },
    /// Wants none.
    Notification { method: String, params: Value },
    /// No message: the answer to it.
    Faulty(Value),
    /// An answer, though nothing was asked.
    Answer,
}

impl Message {
    /// Of one line.
    pub(super) fn of(line: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return Self::Faulty(error(&Value::Null, PARSE_ERROR, "this line is not JSON"));
        };
        let id = value.get("id").cloned();
        let params = value.get("params").cloned().unwrap_or_default();
        match (value.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => Self::Request { id, method: method.to_owned(), params },
            (Some(method), None) => Self::Notification { method: method.to_owned(), params },
            (None, _) if value.get("result").or(value.get("error")).is_some() => Self::Answer,
            (None, id) => {
                Self::Faulty(error(&id.unwrap_or_default(), INVALID_REQUEST, "a request has a method"))
            }
        }
    }
}

/// An answer.
pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The answer to a method that is not there.
pub(super) fn unknown_method(id: &Value, method: &str) -> Value {
    error(id, METHOD_NOT_FOUND, &format!("there is no method {method}"))
}

/// The answer to the call of a tool that is not there.
pub(super) fn unknown_tool(id: &Value, name: &str) -> Value {
    error(id, INVALID_PARAMS, &format!("there is no tool {name:?}; tools/list has all"))
}

/// The answer to `initialize`: the client's version if it is known, else the newest.
pub(super) fn initialized(params: &Value) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version = VERSIONS.into_iter().find(|version| *version == wanted).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "mayfly", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> Option<i64> {
        match Message::of(line) {
            Message::Faulty(answer) => answer["error"]["code"].as_i64(),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_fault() {
        assert_eq!(code("{"), Some(PARSE_ERROR));
        assert_eq!(code(r#"{"id":1}"#), Some(INVALID_REQUEST));
        assert_eq!(code("[1]"), Some(INVALID_REQUEST));
        assert_eq!(Message::of(r#"{"id":1,"result":{}}"#), Message::Answer);
        let request = Message::Request { id: 7.into(), method: "ping".into(), params: Value::Null };
        assert_eq!(Message::of(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#), request);
    }

    #[test]
    fn a_known_version_is_kept_and_another_becomes_the_newest() {
        let version =
            |wanted: &str| initialized(&json!({ "protocolVersion": wanted }))["protocolVersion"].clone();
        assert_eq!(version("2024-11-05"), "2024-11-05");
        assert_eq!(version("1999-01-01"), VERSIONS[0]);
    }
}
