//! `mayfly mcp`: the messages of a client, by hand and, if `MAYFLY_MCP_PYTHON` names an interpreter that has it, by the protocol's own library.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use mayfly_tests::{
    Launch, Profiled, Running, any_jvm, artifacts, mayfly, schema_faults, skip, workspace_root,
};
use serde_json::{Value, json};

const MAIN: &str = "com.example.Main";

struct Client {
    server: Child,
    answers: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    fn new(options: &[&str]) -> Self {
        let mut command = Command::new(&artifacts().cli);
        command.arg("mcp").args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("mayfly mcp");
        let answers = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut client = Self { server, answers, asked: 0 };
        let hello = client.ask("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {} }));
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18", "{hello}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let pipe = self.server.stdin.as_mut().expect("a pipe");
        writeln!(pipe, "{message}").expect("it reads");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).expect("JSON on one line");
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Without input it ends.
        drop(self.server.stdin.take());
        assert!(self.server.wait().expect("it ends").success() || std::thread::panicking());
    }
}

fn said(result: &Value) -> String {
    let texts = result["content"].as_array().expect("content").iter();
    texts.filter_map(|content| content["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The same calls by the library.
fn by_the_library(recording: &Path, pid: u32) {
    let Ok(python) = std::env::var("MAYFLY_MCP_PYTHON") else {
        skip("mayfly mcp by the protocol's library", "MAYFLY_MCP_PYTHON names no interpreter that has it");
        return;
    };
    let mut client = Command::new(python);
    client.arg(workspace_root().join("tests/mcp_client.py")).arg(&artifacts().cli);
    client.arg(recording).arg(pid.to_string());
    assert!(Running::of(client).finish().ok().stdout.contains("the client is content"));
}

#[test]
fn a_client_gets_what_the_commands_answer() {
    any_jvm(|jvm| {
        let profiled = Profiled::new(jvm, MAIN, "#trackcollections#trace");
        profiled.run().ok();
        let recording = profiled.recording();
        let file = recording.display().to_string();
        let waiting = Launch::new(jvm, "org.example.Main").start().when_ready();
        let pid = waiting.pid().to_string();

        let mut client = Client::new(&[]);
        let tools = client.ask("tools/list", json!({}));
        assert!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.len() == 8), "{tools}");
        let report = client.call("report", json!({ "recording": file, "limit": 5 }));
        let ours = mayfly(["report", "--json", "--limit", "5", &file]).ok().stdout;
        let ours: Value = serde_json::from_str(&ours).expect("JSON");
        assert_eq!(report["structuredContent"], ours, "on {jvm}");
        let jvms = client.call("list_jvms", json!({}));
        assert!(
            said(&jvms).contains(format!("\"pid\":{pid}").as_str()) || said(&jvms).contains(&pid),
            "{jvms}"
        );

        // All of them keep their schemas.
        let before = json!({ "before": [file], "after": [file] });
        let answers = [
            client.call("diff", before),
            client.call("leaks", json!({ "targets": [file] })),
            client.call("advise", json!({ "recording": file })),
            report,
            jvms,
        ];
        for answer in answers {
            assert_eq!(schema_faults(&answer["structuredContent"]), [""; 0], "on {jvm}");
        }

        // Refusals are those of the commands, or name the option that is missing.
        let lost = client.call("report", json!({ "recording": "lost.mayfly" }));
        assert!(
            lost["isError"] == true && said(&lost).contains("can't read recording lost.mayfly"),
            "{lost}"
        );
        let refused = client.call("heap", json!({ "question": "histogram", "target": pid }));
        assert!(refused["isError"] == true && said(&refused).contains("--allow-attach"), "{refused}");
        let wrong = client.call("report", json!({ "recording": file, "output": "/tmp/x" }));
        assert!(wrong["isError"] == true && said(&wrong).contains("no argument output"), "{wrong}");
        assert_eq!(client.ask("tools/call", json!({ "name": "rm" }))["error"]["code"], -32_602);
        assert_eq!(client.ask("resources/list", json!({}))["error"]["code"], -32_601);

        let mut client = Client::new(&["--allow-attach"]);
        let heap = client.call("heap", json!({ "question": "histogram", "target": pid, "limit": 400 }));
        assert!(said(&heap).contains("com.example.Session"), "on {jvm}: {heap}");
        assert_eq!(schema_faults(&heap["structuredContent"]), [""; 0], "on {jvm}");
        let running = Launch::new(jvm, "org.example.Main").agent("#sample-64k").start().when_ready();
        let status = client.call("status", json!({ "jvm": running.pid().to_string() }));
        assert_eq!(schema_faults(&status["structuredContent"]), [""; 0], "on {jvm}");
        by_the_library(&recording, waiting.pid());
    });
}

#[test]
fn a_call_that_is_cancelled_ends_and_is_not_answered() {
    any_jvm(|jvm| {
        let waiting = Launch::new(jvm, "org.example.Main").start().when_ready();
        let folder = mayfly_tests::Workspace::new();
        let file = folder.file("early.mayfly");
        let mut client = Client::new(&["--allow-attach"]);
        let arguments = json!({ "jvm": waiting.pid().to_string(), "output": file, "seconds": 600 });
        let call = json!({ "jsonrpc": "2.0", "id": "late", "method": "tools/call", "params": { "name": "record", "arguments": arguments } });
        client.send(&call);
        let mut waiting = waiting;
        waiting.wait_until("no recording begins", || file.exists());
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "late" } }));
        // The next answer is that of the next request.
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
        drop(client);
        assert_eq!(mayfly(["report", &file.display().to_string()]).code(), Some(0), "what there was is kept");
    });
}
