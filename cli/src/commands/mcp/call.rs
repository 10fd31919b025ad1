//! One call of a tool: a process of this program, and its answer.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A process that runs, or has ended.
#[derive(Clone, Debug)]
pub(super) struct Call(Arc<Mutex<Child>>);

/// What it wrote, and how it ended.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) code: Option<i32>,
}

impl Call {
    /// Starts it.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn start(program: &Path, words: &[String]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self(Arc::new(Mutex::new(command.spawn()?))))
    }

    /// Waits for its end.
    pub(super) fn finish(&self) -> Outcome {
        let (stdout, stderr) = {
            let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            (child.stdout.take(), child.stderr.take())
        };
        let beside = thread::spawn(move || whole(stderr));
        let stdout = whole(stdout);
        let stderr = beside.join().unwrap_or_default();
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).wait();
        Outcome { stdout, stderr, code: ended.ok().and_then(|status| status.code()) }
    }

    /// Ends it as Ctrl-C does, so that it leaves nothing in a JVM.
    pub(super) fn interrupt(&self) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Its number is its own until it was waited for.
        if let (Ok(None), Ok(pid)) = (child.try_wait(), i32::try_from(child.id())) {
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::INT));
        }
    }
}

fn whole(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

impl Outcome {
    /// As a tool's result. A document is an answer whatever the exit code: 1 is a finding, 2 is "not known".
    pub(super) fn result(&self) -> Value {
        let document = serde_json::from_str::<Value>(&self.stdout).ok().filter(Value::is_object);
        let failed = document.is_none() && self.code != Some(0);
        let code = match self.code {
            Some(0) => String::new(),
            Some(code) => format!("exit code {code}"),
            None => "ended by a signal".to_owned(),
        };
        let texts = [&self.stdout, &self.stderr, &code].into_iter().filter(|text| !text.is_empty());
        let content: Vec<_> = texts.map(|text| json!({ "type": "text", "text": text })).collect();
        let mut result = json!({ "content": content, "isError": failed });
        if let Some(document) = document {
            result["structuredContent"] = document;
        }
        result
    }
}

/// The result of a call that is refused.
pub(super) fn refused(why: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": why }], "isError": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(stdout: &str, code: Option<i32>) -> Outcome {
        Outcome { stdout: stdout.into(), stderr: "remark".into(), code }
    }

    #[test]
    fn a_finding_is_an_answer_and_a_failure_is_none() {
        let leak = outcome(r#"{"schema":"mayfly-leaks/1"}"#, Some(1)).result();
        assert_eq!(
            (&leak["isError"], &leak["structuredContent"]["schema"]),
            (&json!(false), &json!("mayfly-leaks/1"))
        );
        assert_eq!(leak["content"][2]["text"], "exit code 1");
        let failure = outcome("", Some(4)).result();
        assert_eq!((&failure["isError"], &failure["content"][0]["text"]), (&json!(true), &json!("remark")));
        assert_eq!(outcome("", None).result()["isError"], true);
        assert_eq!(outcome("written", Some(0)).result()["isError"], false);
    }

    #[test]
    fn an_interrupt_ends_it() {
        let call = Call::start(Path::new("sleep"), &["60".to_owned()]).expect("started");
        call.interrupt();
        assert_eq!(call.finish().code, None);
        call.interrupt();
    }
}
