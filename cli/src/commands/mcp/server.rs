//! What comes in, line by line, and what goes out. Calls run beside each other; answers come as calls end.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::call::{self, Call};
use super::protocol::{self, Message};
use super::tools::{TOOLS, Tool};
use crate::output;

/// Serves one client.
#[derive(Debug)]
pub(super) struct Server {
    program: PathBuf,
    may_attach: bool,
    /// By the id of the request, as JSON.
    running: Mutex<HashMap<String, Call>>,
    /// One answer is written at a time.
    writing: Mutex<()>,
}

impl Server {
    pub(super) fn new(program: PathBuf, may_attach: bool) -> Self {
        Self { program, may_attach, running: Mutex::default(), writing: Mutex::default() }
    }

    /// Until the input ends; calls that run then are interrupted.
    pub(super) fn serve(&self, input: impl BufRead) {
        thread::scope(|scope| {
            for line in input.lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
                match Message::of(&line) {
                    Message::Request { id, method, params } if method == "tools/call" => {
                        if let Some(call) = self.started(&id, &params) {
                            scope.spawn(move || self.finish(&id, &call));
                        }
                    }
                    Message::Request { id, method, params } => self.send(&answer(&id, &method, &params)),
                    Message::Notification { method, params } if method == "notifications/cancelled" => {
                        self.cancel(&params["requestId"]);
                    }
                    Message::Notification { .. } | Message::Answer => {}
                    Message::Faulty(answer) => self.send(&answer),
                }
            }
            self.calls().drain().for_each(|(_, call)| call.interrupt());
        });
    }

    /// A call that runs now; one that can't is answered.
    fn started(&self, id: &Value, params: &Value) -> Option<Call> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = Tool::named(name) else {
            self.send(&protocol::unknown_tool(id, name));
            return None;
        };
        let words = tool.words(&params["arguments"], self.may_attach);
        let call =
            words.and_then(|words| Call::start(&self.program, &words).map_err(|error| error.to_string()));
        match call {
            Ok(call) => {
                self.calls().insert(id.to_string(), call.clone());
                Some(call)
            }
            Err(why) => {
                self.send(&protocol::result(id, &call::refused(&why)));
                None
            }
        }
    }

    /// Answers when it has ended; who was cancelled gets no answer.
    fn finish(&self, id: &Value, call: &Call) {
        let outcome = call.finish();
        if self.calls().remove(&id.to_string()).is_some() {
            self.send(&protocol::result(id, &outcome.result()));
        }
    }

    fn cancel(&self, id: &Value) {
        if let Some(call) = self.calls().remove(&id.to_string()) {
            call.interrupt();
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, Call>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: &Value) {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // Who reads no more needs no answer.
        let _ = output::json(&format!("{message}\n"), None);
    }
}

fn answer(id: &Value, method: &str, params: &Value) -> Value {
    match method {
        "initialize" => protocol::result(id, &protocol::initialized(params)),
        "ping" => protocol::result(id, &json!({})),
        "tools/list" => {
            let tools: Vec<_> = TOOLS.iter().map(Tool::described).collect();
            protocol::result(id, &json!({ "tools": tools }))
        }
        _ => protocol::unknown_method(id, method),
    }
}
