//! The bytes between a running agent and the command line: kept as they are, read in any pieces, and never trusted.
//!
//! `MAYFLY_BLESS=1 cargo test -p mayfly-recording` writes the golden file, which is only right before the protocol's
//! version was released: afterwards messages are only added.
#![allow(clippy::disallowed_methods, reason = "blessing writes the golden file")]

use mayfly_profile::{EngineKind, Gc, HeapSummary, JvmInfo, ProfileBuilder, Total, Tracking};
use mayfly_recording::control::exchange::{GREETING_LEN, greeting};
use mayfly_recording::control::{
    ExchangeError, HeapDumped, Incoming, Loaded, Message, PROTOCOL_VERSION, Profiling, Refusal, Request,
    Response, Status, encode,
};
use mayfly_recording::frame::FRAME_HEAD_LEN;
use mayfly_recording::{read_profile, write_profile};
use proptest::prelude::*;

use crate::streams::{self, full_stream};

fn requests() -> Vec<Request> {
    vec![
        Request::Status,
        Request::Pause,
        Request::Resume,
        Request::Reset,
        Request::Snapshot,
        Request::HeapSummary { all: true },
        Request::HeapDump { path: "/tmp/größe.heap".into(), collect: true, strings: false },
        Request::Watch,
        Request::Start { options: "#engine-sampled".into(), stop_after_ms: Some(61_000) },
        Request::Stop,
        Request::Finish,
        Request::Engine,
        Request::StopAndRestore,
        Request::HeapStep { path: "/tmp/1.heap".into(), series: 4711, keep_ms: 40_000 },
        Request::HeapForget,
        Request::Collect,
    ]
}

/// How many of them the first version had.
const REQUESTS_OF_VERSION_1: usize = 7;
const RESPONSES_OF_VERSION_1: usize = 11;

fn responses() -> Vec<Response> {
    let refusals = [
        Refusal::Unknown { number: 300 },
        Refusal::Malformed { what: "x".into() },
        Refusal::NotProfiling,
        Refusal::NotRunning,
        Refusal::NoThread,
        Refusal::Failed { why: "no room on /tmp".into() },
    ];
    let held = Total { objects: 7, bytes: 700 };
    let mut responses = vec![
        Response::Done,
        Response::Status(Box::new(status())),
        Response::Recording(vec![0, 255, 7]),
        Response::HeapSummary(HeapSummary::from_iter([("[B", held)])),
        Response::HeapDump(HeapDumped { objects: 1, references: 2, file_bytes: 3, paused_ms: 4 }),
    ];
    responses.extend(refusals.map(Response::Refused));
    responses.push(Response::Engine(Some(EngineKind::Sampled)));
    responses
}

fn status() -> Status {
    Status {
        mayfly: "0.1.0".into(),
        loaded: Loaded::Attached,
        options: "#trace".into(),
        jvm: JvmInfo { pid: 1, version: "17".into(), gc: Gc::G1, command: "org.example.Main".into() },
        loaded_for_ms: 1_500,
        profiling: Some(Profiling {
            active: true,
            tracking: Tracking::EveryNth(3),
            lifetimes: true,
            stacks: false,
            duration_ms: 1_400,
            gcs: 2,
            resets: 1,
            native_bytes: 1 << 20,
            recording: Some("/r/run.mayfly".into()),
        }),
    }
}

/// A greeting and these messages.
fn bytes_of<M: Message>(messages: &[M]) -> Vec<u8> {
    let frames = messages.iter().flat_map(|message| encode(message).expect("a small message"));
    greeting().into_iter().chain(frames).collect()
}

fn read<M: Message>(bytes: &[u8], piece: usize) -> Result<Vec<M>, ExchangeError> {
    let mut incoming = Incoming::default();
    let mut messages = Vec::new();
    for piece in bytes.chunks(piece) {
        incoming.push(piece);
        while let Some(message) = incoming.next_message()? {
            messages.push(message);
        }
    }
    Ok(messages)
}

#[test]
fn the_protocol_is_as_it_was() {
    assert_eq!(PROTOCOL_VERSION, 6, "a new version adds messages behind those of the golden file");
    // Sides of the first version say so in their greeting; all else is the same.
    let greeted = |mut bytes: Vec<u8>| {
        bytes[8] = 1;
        bytes
    };
    let requests = bytes_of(&requests()[..REQUESTS_OF_VERSION_1]);
    let bytes = [greeted(requests), greeted(bytes_of(&responses()[..RESPONSES_OF_VERSION_1]))].concat();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1.control");
    if std::env::var_os("MAYFLY_BLESS").is_some() {
        std::fs::write(path, &bytes).expect("the golden file can be written");
    }
    assert!(std::fs::read(path).expect("the golden file is there") == bytes, "bytes of the protocol changed");
}

#[test]
fn every_message_arrives_in_pieces_of_any_size() {
    for piece in [1, 2, 7, 13, 4096] {
        assert_eq!(read(&bytes_of(&requests()), piece), Ok(requests()));
        assert_eq!(read(&bytes_of(&responses()), piece), Ok(responses()));
    }
}

/// Adding a message without raising the number of those known would call it unknown.
#[test]
fn every_message_is_known() {
    let first = |frame: Vec<u8>| u32::from(frame[FRAME_HEAD_LEN]);
    let last = |numbers: Vec<u32>| numbers.into_iter().max();
    let requests = requests().iter().map(|request| first(encode(request).unwrap())).collect();
    assert_eq!(last(requests), Some(Request::KNOWN - 1));
    let responses = responses().iter().map(|response| first(encode(response).unwrap())).collect();
    assert_eq!(last(responses), Some(Response::KNOWN - 1));
}

/// A frame with good checksums around any payload, made by changing a real one.
fn frame_around(payload: &[u8], kind: u8) -> Vec<u8> {
    let mut frame = vec![kind];
    frame.extend((payload.len() as u32).to_le_bytes());
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(crc32fast::hash(payload).to_le_bytes());
    frame.extend(payload);
    frame
}

#[test]
fn a_later_message_is_named_with_its_version() {
    let mut bytes = greeting().to_vec();
    bytes[8] = 9;
    bytes.extend(frame_around(&[200, 1, 77], Request::KIND));
    assert_eq!(read::<Request>(&bytes, 5), Err(ExchangeError::UnknownMessage { number: 200, version: 9 }));
}

#[test]
fn frames_of_later_kinds_are_passed_over() {
    let frames = [frame_around(b"later", 99), encode(&Request::Pause).unwrap()].concat();
    assert_eq!(read(&[&greeting()[..], &frames].concat(), 3), Ok(vec![Request::Pause]));
}

#[test]
fn an_immense_length_is_refused_before_it_arrives() {
    let mut head = vec![Request::KIND];
    head.extend(u32::MAX.to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    head.extend([0; 4]);
    let refused = read::<Request>(&[&greeting()[..], &head].concat(), 64);
    assert_eq!(refused, Err(ExchangeError::TooLong { bytes: u32::MAX.into(), most: Request::MOST_BYTES }));
}

#[test]
fn what_is_too_long_is_not_sent() {
    let path = "x".repeat(Request::MOST_BYTES);
    let request = Request::HeapDump { path, collect: true, strings: true };
    assert!(matches!(encode(&request), Err(ExchangeError::TooLong { .. })));
}

#[test]
fn a_recording_is_not_taken_for_a_greeting() {
    let recording = streams::bytes_of(&full_stream());
    assert_eq!(read::<Response>(&recording, 64), Err(ExchangeError::Foreign));
}

#[test]
fn good_checksums_around_nonsense_are_malformed() {
    let bytes = [&greeting()[..], &frame_around(&[5], Request::KIND)].concat();
    assert_eq!(read::<Request>(&bytes, 64), Err(ExchangeError::Malformed { version: PROTOCOL_VERSION }));
}

#[test]
fn a_profile_written_and_read_is_the_same() {
    let mut builder = ProfileBuilder::new();
    for update in full_stream() {
        builder.apply(update).expect("a whole stream");
        let profile = builder.profile();
        let (read, damage) = read_profile(&write_profile(&profile).expect("small")).expect("a recording");
        assert_eq!((read, damage), (profile, None));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1usize..50) {
        let _ = read::<Request>(&bytes, piece);
        let _ = read::<Response>(&[&greeting()[..], &bytes].concat(), piece);
    }

    #[test]
    fn any_payload_is_a_message_or_refused(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = |kind| [&greeting()[..], &frame_around(&payload, kind)].concat();
        let _ = read::<Request>(&bytes(Request::KIND), 64);
        let _ = read::<Response>(&bytes(Response::KIND), 64);
    }

    #[test]
    fn one_changed_byte_is_never_another_message(at in 0usize..200, change in 1u8..) {
        let mut bytes = bytes_of(&requests());
        let at = GREETING_LEN + at % (bytes.len() - GREETING_LEN);
        bytes[at] ^= change;
        match read::<Request>(&bytes, 64) {
            // A kind is only a byte, but its head has a checksum.
            Ok(messages) => prop_assert!(requests().starts_with(&messages)),
            Err(error) => prop_assert!(matches!(error, ExchangeError::Damaged(_)), "{error}"),
        }
    }
}
