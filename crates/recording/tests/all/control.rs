//! The bytes between a running agent and the command line: kept as they are, read in any pieces, and never trusted.
//!
//! `MAYFLY_BLESS=1 cargo test -p mayfly-recording` writes the golden files, which is only right before the protocol's
//! version was released: afterwards messages, and facts of a status, are only added.
#![allow(clippy::disallowed_methods, reason = "blessing writes the golden file")]

use mayfly_profile::{EngineKind, Gc, HeapSummary, JvmInfo, ProfileBuilder, Total, Tracking};
use mayfly_recording::control::exchange::{GREETING_LEN, greeting};
use mayfly_recording::control::{
    ExchangeError, HeapDumped, Incoming, Loaded, Message, PROTOCOL_VERSION, Profiling, Refusal, Request,
    Response, Status, StopMode, encode,
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
        Request::Stop(StopMode::KeepHooks),
        Request::Stop(StopMode::RestoreAndSend),
        Request::Stop(StopMode::Restore),
        Request::HeapStep { path: "/tmp/1.heap".into(), series: 4711, keep_ms: 40_000 },
        Request::HeapForget,
        Request::Collect,
    ]
}

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
            engine: Some(EngineKind::Sampled),
            tracking: Some(Tracking::EveryNth(3)),
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

/// Compares with the golden file of that name.
#[track_caller]
fn assert_golden(name: &str, bytes: &[u8]) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("MAYFLY_BLESS").is_some() {
        std::fs::write(&path, bytes).expect("the golden file can be written");
    }
    assert!(std::fs::read(path).expect("the golden file is there") == bytes, "bytes of the protocol changed");
}

#[test]
fn version_7_is_written_as_it_was() {
    assert_eq!(PROTOCOL_VERSION, 7, "a new version adds messages behind those of the golden file");
    assert_golden("v7.control", &[bytes_of(&requests()), bytes_of(&responses())].concat());
}

/// Frame of an answer by fields: a status, as its number says, of these.
fn status_of(fields: &[&[u8]]) -> Vec<u8> {
    let mut payload = vec![7];
    for field in fields {
        payload.extend((field.len() as u32).to_le_bytes());
        payload.extend_from_slice(field);
    }
    [&greeting()[..], &frame_around(&payload, Response::KIND)].concat()
}

/// Version, way of loading, options, time, and the JVM: what every status has.
const PLAIN: [&[u8]; 7] =
    [&[0, 1, b'9'], &[1, 2], &[2, 0], &[3, 5], &[4, 1], &[5, 2, b'3', b'0'], &[7, 1, b'M']];

#[test]
fn facts_that_are_not_known_are_skipped() {
    let plain = Status {
        mayfly: "9".into(),
        loaded: Loaded::Attached,
        options: String::new(),
        jvm: JvmInfo { pid: 1, version: "30".into(), gc: Gc::Unknown, command: "M".into() },
        loaded_for_ms: 5,
        profiling: None,
    };
    let alone = |status: &Status| Ok(vec![Response::Status(Box::new(status.clone()))]);
    assert_eq!(read(&status_of(&PLAIN), 64), alone(&plain), "a collector that is not there is not known");
    // A tag of a later release; a collector and an engine that are not known here; more behind a time.
    let later: [&[u8]; 10] = [
        &[100, 1, 2, 3],
        &[6, 99],
        &[8, 1],
        &[9, 77],
        &[11, 1],
        &[12, 0],
        &[13, 7, 200],
        &[14, 2],
        &[15, 0],
        &[16, 9],
    ];
    let profiling = Profiling {
        active: true,
        engine: None,
        tracking: None,
        lifetimes: true,
        stacks: false,
        duration_ms: 7,
        gcs: 2,
        resets: 0,
        native_bytes: 9,
        recording: None,
    };
    let expected = Status { profiling: Some(profiling), ..plain };
    assert_eq!(read(&status_of(&[&PLAIN[..], &later].concat()), 64), alone(&expected));
}

#[test]
fn a_status_that_lacks_what_each_has_is_malformed() {
    let malformed = Err(ExchangeError::Malformed { version: PROTOCOL_VERSION });
    for left_out in 0..PLAIN.len() {
        let rest: Vec<_> =
            PLAIN.into_iter().enumerate().filter(|&(at, _)| at != left_out).map(|(_, it)| it).collect();
        assert_eq!(read::<Response>(&status_of(&rest), 64), malformed, "without {left_out}");
    }
    assert_eq!(read::<Response>(&status_of(&[&PLAIN[..], &[&[8, 1]]].concat()), 64), malformed);
}

/// Fields that a later release puts behind what a message holds.
#[test]
fn what_follows_the_contents_is_skipped() {
    let tail = [2, 0, 0, 0, 50, 1];
    for request in requests() {
        let payload = [&encode(&request).expect("small")[FRAME_HEAD_LEN..], &tail].concat();
        let bytes = [&greeting()[..], &frame_around(&payload, Request::KIND)].concat();
        assert_eq!(read(&bytes, 64), Ok(vec![request]));
    }
}

#[test]
fn every_message_arrives_in_pieces_of_any_size() {
    for piece in [1, 2, 7, 13, 4096] {
        assert_eq!(read(&bytes_of(&requests()), piece), Ok(requests()));
        assert_eq!(read(&bytes_of(&responses()), piece), Ok(responses()));
    }
}

/// Each has its number, and those behind the last are not known.
#[test]
fn numbers_are_those_of_the_messages() {
    let first = |frame: Vec<u8>| u32::from(frame[FRAME_HEAD_LEN]);
    let requests: Vec<_> = requests().iter().map(|request| first(encode(request).unwrap())).collect();
    assert_eq!(requests, (0..16).filter(|number| *number != 11).collect::<Vec<_>>());
    for number in 0..=255 {
        let payload = postcard_number(number);
        let bytes = [&greeting()[..], &frame_around(&payload, Request::KIND)].concat();
        let unknown = ExchangeError::UnknownMessage { number, version: PROTOCOL_VERSION };
        assert_eq!(read::<Request>(&bytes, 64) == Err(unknown), number >= 16 || number == 11, "{number}");
    }
}

/// Seven bits a byte, the lowest first.
fn postcard_number(number: u32) -> Vec<u8> {
    if number < 128 { vec![number as u8] } else { vec![number as u8 | 128, (number >> 7) as u8] }
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
