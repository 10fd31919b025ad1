//! Recordings kept as they were written: today's reader reads each, today's writer writes them so.
//!
//! `MAYFLY_BLESS=1 cargo test -p mayfly-recording` writes the file of the current version, which is only right before
//! that version was released: afterwards a difference needs a new version.
#![allow(clippy::disallowed_methods, reason = "blessing writes the golden file")]

use std::collections::BTreeMap;

use mayfly_profile::{
    BetweenSamples, Course, HolderCount, HolderCounts, Labels, LiveCounts, Point, Profile, ProfileBuilder,
    Readings, Rotation, RunInfo, SECTION_KINDS, Section, TraceCount, TraceCounts, Update,
};
use mayfly_recording::frame::{FILE_HEADER_LEN, FRAME_HEAD_LEN, KIND_STEP};
use mayfly_recording::{Damage, FORMAT_VERSION, ReadError, RecordingReader, read_profile};

use crate::streams::{
    bytes_of, frames_of, full_stream, stream_with_collections, stream_with_large_objects,
    stream_with_lifetimes, stream_with_operations, view,
};

/// The options of `v3.recording`: all that say what reports show.
const OPTIONS: &str = "dir=logs#trackcollections#detailedtrace#include-org.,[B#exclude-org.x#exactmatch\
                       #traceignore-java., sun.#tracetarget-org.#noblame#largerthan-2#largerthan-1k#outputlimit- 5";

/// The full stream of a run with these options, which ask for [`view`].
fn full_stream_with_view() -> Vec<Update> {
    let mut updates = full_stream();
    if let Update::Start(run) = &mut updates[0] {
        **run = RunInfo { options: OPTIONS.to_owned(), view: view(), ..(**run).clone() };
    }
    updates
}

fn profile_of(updates: Vec<Update>) -> Profile {
    let mut builder = ProfileBuilder::new();
    updates.into_iter().for_each(|update| builder.apply(update).expect("a whole stream"));
    builder.profile()
}

/// The golden file of that name, which is what the writer makes of these updates.
#[track_caller]
fn golden(name: &str, updates: &[Update]) -> Vec<u8> {
    let bytes = bytes_of(updates);
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("MAYFLY_BLESS").is_some() {
        std::fs::write(&path, &bytes).expect("the golden file can be written");
    }
    let golden = std::fs::read(path).expect("the golden file is there");
    let first_difference = golden.iter().zip(&bytes).position(|(a, b)| a != b);
    assert_eq!((first_difference, bytes.len()), (None, golden.len()), "bytes of the format changed");
    golden
}

/// What a recording holds; a recording of that one moment holds it, too.
#[track_caller]
fn read_in_full(bytes: &[u8]) -> Profile {
    let (profile, damage) = read_profile(bytes).expect("version 3 is supported");
    assert_eq!(damage, None);
    let again = mayfly_recording::write_profile(&profile).expect("small");
    assert_eq!(read_profile(&again), Ok((profile.clone(), None)));
    profile
}

#[test]
fn the_writer_still_writes_version_3_as_it_did() {
    assert_eq!(FORMAT_VERSION, 3, "a new version gets a golden file and a test of its own");
    golden("v3.recording", &full_stream_with_view());
}

#[test]
fn lifetimes_are_written_as_they_were_and_read_in_full() {
    let profile = read_in_full(&golden("v3-lifetimes.recording", &stream_with_lifetimes()));
    assert_eq!(profile, profile_of(stream_with_lifetimes()));
    assert_eq!(profile.sites[0].lifetimes.as_ref().map(|lifetimes| lifetimes.died_young.objects), Some(7));
}

#[test]
fn collections_are_written_as_they_were_and_read_in_full() {
    let profile = read_in_full(&golden("v3-collections.recording", &stream_with_collections()));
    assert_eq!(profile, profile_of(stream_with_collections()));
    assert_eq!((profile.collections.len(), profile.flags.len()), (7, 2));
    assert_eq!(profile.collections[0].heap().map(|heap| heap.after), Some(5 << 20));
}

#[test]
fn what_collections_freed_of_large_objects_is_read_in_full() {
    let profile = read_in_full(&bytes_of(&stream_with_large_objects()));
    assert_eq!(profile, profile_of(stream_with_large_objects()));
    let freed: Vec<_> = profile.collections.iter().map(|gc| gc.large_freed).take(3).collect();
    assert_eq!(freed, [Some(3 << 20), Some(0), None]);
}

#[test]
fn operations_are_read_in_full() {
    let profile = read_in_full(&bytes_of(&stream_with_operations()));
    assert_eq!(profile, profile_of(stream_with_operations()));
    assert_eq!(profile.operations, 12_000);
    let without = Profile { operations: 0, ..profile };
    assert_eq!(without, read_in_full(&bytes_of(&full_stream())), "they are in a frame of their own");
}

/// The frame of a step that says nothing but these bytes.
fn step_of(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![KIND_STEP];
    frame.extend((payload.len() as u32).to_le_bytes());
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(crc32fast::hash(payload).to_le_bytes());
    frame.extend(payload);
    frame
}

fn section(tag: u8, content: &[u8]) -> Vec<u8> {
    let len = (content.len() as u32 + 1).to_le_bytes();
    [&len[..], &[tag], content].concat()
}

#[test]
fn sections_of_a_later_mayfly_are_left_out_and_that_is_said() {
    let mut frames = frames_of(&stream_with_operations());
    let end = frames.len() - 1;
    let operations = section(5, &[17, 99]);
    let later = [section(100, b"from the future"), operations, section(127, b"")].concat();
    frames.insert(end, step_of(&later));
    let (profile, damage) = read_profile(&frames.concat()).expect("version 3 is supported");
    let what = "sections 5, 100, 127".to_owned();
    assert_eq!(damage, Some(Damage::LeftOut { what }), "also what was added to a section");
    let expected = profile_of(stream_with_operations());
    assert_eq!(profile, Profile { operations: 17, ..expected });
}

#[test]
fn every_kind_of_section_is_read_again_and_its_tag_is_its_place() {
    let step = vec![
        Section::Progress(Box::default()),
        Section::Live(LiveCounts::default()),
        Section::Lifetimes(Box::default()),
        Section::Shares(vec![]),
        Section::Scopes(vec![]),
        Section::Operations(7),
        Section::Census(Box::default()),
        Section::Collections(vec![]),
        Section::Flags(vec![]),
        Section::Labels(Labels::default()),
        Section::Sources(vec![]),
        Section::Readings(Readings(BTreeMap::from([(1, 1 << 30), (250, 7)]))),
        Section::Rotation { files: Rotation { first: 3, last: 4, files: 2, removed: 1 }, is_base: true },
        Section::Traces(TraceCounts {
            rows: vec![TraceCount::default()],
            traces: 1,
            ..TraceCounts::default()
        }),
        Section::Holders(HolderCounts {
            rows: vec![HolderCount::default()],
            unknown: 3,
            ..HolderCounts::default()
        }),
        Section::Course(Box::new(Course::of(&[Point { span_ms: 900, live: Some(5), ..Point::default() }]))),
        Section::SoftClasses(Vec::new()),
        Section::Retention(Vec::new()),
        Section::LargeFreed(vec![(3, 5 << 20)]),
        Section::BetweenSamples(BetweenSamples::default()),
        Section::ScopeDetails(vec![]),
        Section::OnHeap(vec![]),
    ];
    assert_eq!(step.len(), SECTION_KINDS);
    for (tag, section) in step.into_iter().enumerate() {
        let update = Update::from(section);
        let bytes = bytes_of(std::slice::from_ref(&update));
        assert_eq!(usize::from(bytes[FILE_HEADER_LEN + FRAME_HEAD_LEN + 4]), tag);
        let mut reader = RecordingReader::new();
        reader.push(&bytes);
        assert_eq!(reader.next_update(), Ok(Some(update)));
        assert_eq!(reader.end(), Ok(None));
    }
}

#[test]
fn a_section_that_is_longer_than_its_step_is_damage() {
    for payload in [&[1, 0][..], &[0, 0, 0, 0], &[9, 0, 0, 0, 5, 1], &[1, 0, 0, 0, 5]] {
        let bytes = [&frames_of(&full_stream()[..1])[0][..], &step_of(payload)].concat();
        let (_, damage) = read_profile(&bytes).expect("version 3 is supported");
        assert!(matches!(damage, Some(Damage::Corrupt { .. })), "{payload:?}: {damage:?}");
    }
}

#[test]
fn version_3_is_read_in_full() {
    let read = read_profile(include_bytes!("../golden/v3.recording"));
    let (profile, damage) = read.expect("version 3 is supported");
    assert_eq!(damage, None);
    assert_eq!(profile, profile_of(full_stream_with_view()));
}

#[test]
fn a_format_from_before_the_first_release_is_named() {
    let mut old = bytes_of(&full_stream());
    for version in [1_u16, 2] {
        old[8..10].copy_from_slice(&version.to_le_bytes());
        assert_eq!(read_profile(&old), Err(ReadError::Older { version }));
    }
}
