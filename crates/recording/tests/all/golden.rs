//! Recordings kept as they were written: today's reader reads each, today's writer writes them so.
//!
//! `MAYFLY_BLESS=1 cargo test -p mayfly-recording` writes the file of the current version, which is only right before
//! that version was released: afterwards a difference needs a new version.
#![allow(clippy::disallowed_methods, reason = "blessing writes the golden file")]

use mayfly_profile::{Profile, ProfileBuilder, RunInfo, Update};
use mayfly_recording::{FORMAT_VERSION, ReadError, read_profile};

use crate::streams::{
    bytes_of, full_stream, stream_with_collections, stream_with_fates, stream_with_operations, view,
};

/// The options of `v2.recording`: all that say what reports show.
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
    let (profile, damage) = read_profile(bytes).expect("version 2 is supported");
    assert_eq!(damage, None);
    let again = mayfly_recording::write_profile(&profile).expect("small");
    assert_eq!(read_profile(&again), Ok((profile.clone(), None)));
    profile
}

#[test]
fn the_writer_still_writes_version_2_as_it_did() {
    assert_eq!(FORMAT_VERSION, 2, "a new version gets a golden file and a test of its own");
    golden("v2.recording", &full_stream_with_view());
}

#[test]
fn fates_are_written_as_they_were_and_read_in_full() {
    let profile = read_in_full(&golden("v2-fates.recording", &stream_with_fates()));
    assert_eq!(profile, profile_of(stream_with_fates()));
    assert_eq!(profile.sites[0].fates.as_ref().map(|fates| fates.died_young.objects), Some(7));
}

#[test]
fn collections_are_written_as_they_were_and_read_in_full() {
    let profile = read_in_full(&golden("v2-collections.recording", &stream_with_collections()));
    assert_eq!(profile, profile_of(stream_with_collections()));
    assert_eq!((profile.collections.len(), profile.flags.len()), (7, 2));
    assert_eq!(profile.collections[0].heap().map(|heap| heap.after), Some(5 << 20));
}

#[test]
fn operations_are_read_in_full() {
    let profile = read_in_full(&bytes_of(&stream_with_operations()));
    assert_eq!(profile, profile_of(stream_with_operations()));
    assert_eq!(profile.operations, 12_000);
    let without = Profile { operations: 0, ..profile };
    assert_eq!(without, read_in_full(&bytes_of(&full_stream())), "they are in a frame of their own");
}

#[test]
fn what_a_reader_does_not_know_is_skipped() {
    // As a reader from before these frames has it: everything else.
    let (collections, bare) = (bytes_of(&stream_with_collections()), bytes_of(&full_stream()));
    let of = |bytes: &[u8]| read_profile(bytes).expect("version 2 is supported").0;
    let known = Profile { collections: vec![], flags: vec![], ..of(&collections) };
    assert_eq!(known, of(&bare));
    assert_eq!(of(&bare).collections, []);
}

#[test]
fn version_2_is_read_in_full() {
    let read = read_profile(include_bytes!("../golden/v2.recording"));
    let (profile, damage) = read.expect("version 2 is supported");
    assert_eq!(damage, None);
    assert_eq!(profile, profile_of(full_stream_with_view()));
}

#[test]
fn a_format_from_before_the_first_release_is_named() {
    let mut old = bytes_of(&full_stream());
    old[8..10].copy_from_slice(&1_u16.to_le_bytes());
    assert_eq!(read_profile(&old), Err(ReadError::Older { version: 1 }));
}
