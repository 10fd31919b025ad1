//! Foreign, newer, empty, cut-off and corrupt recordings: each is told apart, and nothing before the damage is lost.

use mayfly_profile::{ApplyError, Update};
use mayfly_recording::frame::{FILE_HEADER_LEN, FRAME_HEAD_LEN};
use mayfly_recording::{Damage, ReadError, RecordingReader, read_profile};
use proptest::prelude::*;

use crate::streams::{bytes_of, frames_of, full_stream};

/// All updates that can be read, and the damage.
fn read_all(bytes: &[u8]) -> (Vec<Update>, Option<Damage>) {
    read_in_pieces(bytes, bytes.len().max(1)).expect("a recording")
}

fn read_in_pieces(bytes: &[u8], size: usize) -> Result<(Vec<Update>, Option<Damage>), ReadError> {
    let mut reader = RecordingReader::new();
    let mut updates = Vec::new();
    for piece in bytes.chunks(size) {
        reader.push(piece);
        while let Some(update) = reader.next_update()? {
            updates.push(update);
        }
    }
    Ok((updates, reader.damage()))
}

/// Offset at which each frame begins, and the end of the last one.
fn frame_starts() -> Vec<usize> {
    let mut end = 0;
    let ends: Vec<_> = frames_of(&full_stream())
        .iter()
        .map(|frame| {
            end += frame.len();
            end
        })
        .collect();
    std::iter::once(FILE_HEADER_LEN).chain(ends).collect()
}

#[test]
fn a_whole_recording_gives_back_every_update() {
    assert_eq!(read_all(&bytes_of(&full_stream())), (full_stream(), None));
}

#[test]
fn foreign_bytes_are_named_so() {
    for foreign in [&b"PK\x03\x04"[..], b"\x89PNG\r\n\x1a\n....", b"\x89MAYFLY\r\n\x01\0\0", &[0; 64]] {
        assert_eq!(read_profile(foreign), Err(ReadError::Foreign), "{foreign:?}");
    }
}

#[test]
fn a_newer_format_is_named_with_its_version() {
    let mut bytes = bytes_of(&full_stream());
    bytes[8..10].copy_from_slice(&7u16.to_le_bytes());
    assert_eq!(read_profile(&bytes), Err(ReadError::Newer { version: 7, newest: 3 }));
}

#[test]
fn an_empty_recording_is_not_a_foreign_one() {
    let bytes = bytes_of(&full_stream());
    for len in 0..FILE_HEADER_LEN {
        assert_eq!(read_profile(&bytes[..len]), Err(ReadError::Empty { bytes: len }));
    }
    let (profile, damage) = read_profile(&bytes[..FILE_HEADER_LEN]).expect("a header is enough");
    assert_eq!((profile.classes.len(), profile.complete, damage), (0, false, None));
}

#[test]
fn a_recording_cut_off_anywhere_keeps_all_whole_frames() {
    let bytes = bytes_of(&full_stream());
    let starts = frame_starts();
    for len in FILE_HEADER_LEN..=bytes.len() {
        let whole = starts.iter().filter(|&&start| start <= len).count() - 1;
        let (updates, damage) = read_all(&bytes[..len]);
        assert_eq!(updates, full_stream()[..whole], "cut off at {len}");
        let left = len - starts[whole];
        let expected =
            (left > 0).then_some(Damage::Truncated { offset: starts[whole] as u64, bytes: left as u64 });
        assert_eq!(damage, expected, "cut off at {len}");
    }
}

#[test]
fn a_killed_jvm_leaves_a_profile_as_of_the_last_frame() {
    let bytes = bytes_of(&full_stream());
    let first_progress_ends = frame_starts()[7];
    let (profile, damage) = read_profile(&bytes[..first_progress_ends + 5]).expect("a recording");
    assert_eq!(damage, Some(Damage::Truncated { offset: first_progress_ends as u64, bytes: 5 }));
    assert_eq!(profile.duration_ms, 100_000);
    assert!(!profile.complete);
}

#[test]
fn a_damaged_length_is_corruption_and_not_truncation() {
    let mut bytes = bytes_of(&full_stream());
    let second = frame_starts()[1];
    bytes[second + 4] = 0x7f;
    let (updates, damage) = read_all(&bytes);
    assert_eq!(updates, full_stream()[..1]);
    assert!(matches!(damage, Some(Damage::Corrupt { offset, .. }) if offset == second as u64), "{damage:?}");
}

#[test]
fn frames_of_unknown_kinds_are_skipped() {
    let frames = frames_of(&full_stream()[..2]);
    let payload = b"from the future";
    let mut unknown = vec![200];
    unknown.extend((payload.len() as u32).to_le_bytes());
    unknown.extend(crc32fast::hash(&unknown).to_le_bytes());
    unknown.extend(crc32fast::hash(payload).to_le_bytes());
    unknown.extend(payload);
    assert_eq!(unknown.len(), FRAME_HEAD_LEN + payload.len());
    let bytes = [&frames[0][..], &unknown, &frames[1]].concat();
    assert_eq!(read_all(&bytes), (full_stream()[..2].to_vec(), None));
}

#[test]
fn a_missing_start_is_said_with_its_offset_and_the_rest_is_read() {
    let frames = frames_of(&full_stream());
    let without_names = [&frames[0][..], &frames[6]].concat();
    let (profile, damage) = read_profile(&without_names).expect("a recording");
    let cause = ApplyError::Unnamed { what: "classes", first: 0, count: 2 };
    assert_eq!(damage, Some(Damage::Inconsistent { offset: frames[0].len() as u64, cause }));
    assert_eq!(profile.gcs, 9);
}

#[test]
fn damage_says_where_and_what_was_saved() {
    let text = Damage::Truncated { offset: 77, bytes: 3 }.to_string();
    assert!(text.contains("byte 77") && text.contains("all before it was read"), "{text}");
}

proptest! {
    #[test]
    fn one_changed_byte_loses_no_frame_before_it(at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = bytes_of(&full_stream());
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let starts = frame_starts();
        let before = starts.iter().filter(|&&start| start <= at).count().saturating_sub(1);
        match read_in_pieces(&bytes, bytes.len()) {
            Err(_) => prop_assert!(at < FILE_HEADER_LEN),
            Ok((updates, damage)) => {
                prop_assert_eq!(&updates[..before], &full_stream()[..before]);
                if at >= FILE_HEADER_LEN {
                    prop_assert_eq!(updates.len(), before, "the damaged frame is not given out");
                    let offset = starts[before] as u64;
                    let found = matches!(damage, Some(Damage::Corrupt { offset: o, .. }) if o == offset);
                    prop_assert!(found);
                }
            }
        }
    }

    #[test]
    fn arbitrary_bytes_after_whole_frames_never_panic_nor_lose_them(
        junk in prop::collection::vec(any::<u8>(), 0..300), keep in 0usize..=10,
    ) {
        let whole = frames_of(&full_stream())[..keep].concat();
        let result = read_profile(&[whole.clone(), junk.clone()].concat());
        if keep > 0 {
            let (updates, _) = read_all(&[whole, junk].concat());
            prop_assert_eq!(&updates[..keep], &full_stream()[..keep]);
            prop_assert!(result.is_ok());
        }
    }

    #[test]
    fn arbitrary_payloads_with_good_checksums_never_panic(payload in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = frames_of(&full_stream()[..1]).concat();
        let mut head = vec![1];
        head.extend((payload.len() as u32).to_le_bytes());
        head.extend(crc32fast::hash(&head).to_le_bytes());
        head.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(head);
        bytes.extend(payload);
        prop_assert!(read_profile(&bytes).is_ok());
    }

    #[test]
    fn the_size_of_the_pieces_does_not_matter(size in 1usize..400, cut in any::<prop::sample::Index>()) {
        let bytes = bytes_of(&full_stream());
        let bytes = &bytes[..FILE_HEADER_LEN + cut.index(bytes.len() - FILE_HEADER_LEN + 1)];
        prop_assert_eq!(read_in_pieces(bytes, size), Ok(read_all(bytes)));
    }
}
