//! `mayfly push` to a server that takes profiles, stalls, refuses and dies.
//!
//! Not here: a real collector, which is an end-to-end test's; a running JVM.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use assert_cmd::cargo::cargo_bin;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use mayfly_profile::Tracking;
use serde_json::Value;

use crate::recorded::Recording;

/// What the server does with a request.
#[derive(Clone, Copy)]
enum Answer {
    Status(&'static str),
    /// Reads it, and never answers.
    Stall,
    /// Closes in the middle of it.
    Die,
}

/// A request as it came: path and headers, and the body unpacked.
struct Taken {
    head: String,
    body: Vec<u8>,
}

/// Answers one connection after the other; the last answer holds for all further ones.
fn server(answers: &'static [Answer]) -> (String, Receiver<Taken>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (taken, requests) = channel();
    thread::spawn(move || {
        let mut stalled = Vec::new();
        for (at, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            match answers[at.min(answers.len() - 1)] {
                Answer::Die => drop(stream.read(&mut [0; 16])),
                Answer::Stall => stalled.push(stream),
                Answer::Status(status) => {
                    if taken.send(request(&stream)).is_err() {
                        return;
                    }
                    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nno");
                }
            }
        }
    });
    (url, requests)
}

fn request(stream: &TcpStream) -> Taken {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
        head.push_str(&line.to_lowercase());
        line.clear();
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).expect("a length");
    let mut packed = vec![0; length.trim().parse().expect("a number")];
    reader.read_exact(&mut packed).expect("a body");
    let mut body = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut body).expect("gzip");
    Taken { head, body }
}

fn push(recording: &Recording, options: &[&str]) -> (Output, String) {
    let mut command = Command::new(cargo_bin("mayfly"));
    let output = command.arg("push").arg(recording.file()).args(options).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

#[test]
fn a_collector_that_is_busy_and_dies_is_tried_again() {
    let (url, requests) = server(&[Answer::Status("503 Busy"), Answer::Die, Answer::Status("200 OK")]);
    let recording = Recording::of(Tracking::EveryObject);
    let (output, said) = push(&recording, &["--to", &url, "--header", "X-Tenant=shop"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 profiles taken") && said.contains("after 2 tries that failed"), "{said}");
    let (busy, taken) = (requests.recv().expect("the first"), requests.recv().expect("the third"));
    assert_eq!(busy.body, taken.body);
    assert!(taken.head.starts_with("post /v1development/profiles "), "{}", taken.head);
    assert!(
        taken.head.contains("content-type: application/x-protobuf") && taken.head.contains("x-tenant: shop")
    );
    for name in
        ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "mayfly.lifetime", "service.name"]
    {
        assert!(taken.body.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
}

#[test]
fn pyroscope_gets_the_pprof_of_the_report() {
    let (url, requests) = server(&[Answer::Status("200 OK")]);
    let recording = Recording::of(Tracking::EveryObject);
    let (output, said) = push(&recording, &["--to", &url, "--as", "pyroscope"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let taken = requests.recv().expect("a request");
    assert!(taken.head.starts_with("post /push.v1.pusherservice/push "), "{}", taken.head);
    let json: Value = serde_json::from_slice(&taken.body).expect("JSON");
    let series = &json["series"][0];
    let label = |name: &str| {
        let labels = series["labels"].as_array().expect("labels");
        labels.iter().find(|label| label["name"] == name).map(|label| label["value"].clone())
    };
    assert_eq!(label("__name__"), Some("memory".into()));
    assert!(label("service_name").is_some());
    let pprof = BASE64.decode(series["samples"][0]["rawProfile"].as_str().expect("text")).expect("base 64");
    assert_eq!(pprof, recording.read(&["--pprof"], &[]));
}

#[test]
fn what_nobody_takes_is_lost_in_time_and_counted() {
    let recording = Recording::of(Tracking::EveryObject);
    let (stalling, _requests) = server(&[Answer::Stall]);
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    for url in [stalling, format!("http://{nobody}")] {
        let (output, said) = push(&recording, &["--to", &url, "--patience", "1s"]);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("0 profiles taken") && said.contains("1 lost"), "{said}");
    }
    let (refusing, requests) = server(&[Answer::Status("400 Bad")]);
    let (output, said) = push(&recording, &["--to", &refusing]);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("answered 400: no"), "{said}");
    assert!(requests.recv().is_ok() && requests.try_recv().is_err(), "tried once");
    let (output, said) = push(&recording, &["--to", "https://somewhere"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
}
