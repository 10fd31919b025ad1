//! What is read with most rows passed over is what the whole recording says.

use mayfly_profile::{
    ClassId, LifetimeHistograms, Profile, Progress, Rotation, Section, SharedStacks, SiteId, Stamp, Update,
};
use mayfly_recording::{read_profile, read_totals};
use proptest::prelude::*;

use crate::streams::{
    bytes_of, frames_of, full_stream, stream_with_collections, stream_with_lifetimes, stream_with_operations,
};

fn totals(bytes: &[u8]) -> Option<Profile> {
    read_totals(bytes, &SharedStacks::default())
}

#[test]
fn totals_are_those_of_the_recording_wherever_it_ends() {
    for stream in
        [full_stream(), stream_with_lifetimes(), stream_with_collections(), stream_with_operations()]
    {
        let mut bytes = Vec::new();
        for frame in frames_of(&stream) {
            bytes.extend(frame);
            let (whole, damage) = read_profile(&bytes).expect("a recording");
            assert_eq!((totals(&bytes), damage), (Some(whole), None));
            assert_eq!(totals(&bytes[..bytes.len() - 1]), None, "cut off");
        }
    }
}

#[test]
fn what_is_wrong_is_for_others_to_tell() {
    let bytes = bytes_of(&full_stream());
    let mut damaged = bytes.clone();
    *damaged.last_mut().expect("not empty") ^= 1;
    let mut newer = bytes.clone();
    newer[8] += 1;
    let twice = [&full_stream()[..], &[Update::Reset]].concat();
    for wrong in [&damaged[..], &newer, b"PK", &[], &bytes_of(&twice)] {
        assert_eq!(totals(wrong), None);
    }
}

/// A step of some rows of two classes and a site, with numbers that only grow.
fn step(at: u64, which: u8, is_base: bool) -> Update {
    let scale = |update: &Update| match update {
        Update::Step(sections) => sections.clone(),
        _ => Vec::new(),
    };
    let mut sections: Vec<_> = stream_with_lifetimes().iter().flat_map(scale).take(2).collect();
    for section in &mut sections {
        match section {
            Section::Progress(progress) => {
                let Progress { duration_ms, classes, sites, estimates, .. } = &mut **progress;
                *duration_ms = at * 1_000;
                classes.iter_mut().for_each(|row| row.allocated.objects += at);
                sites.iter_mut().for_each(|row| row.allocated.objects += at);
                classes.retain(|row| which & (1 << row.id.0) != 0);
                sites.retain(|_| which & 4 != 0);
                estimates.retain(|_| which & 8 != 0);
            }
            Section::Lifetimes(lifetimes) => {
                let LifetimeHistograms { stamp, classes, sites } = &mut **lifetimes;
                *stamp = Stamp { ms: at * 1_000, alive: (at * 1_000, at * 5_000) };
                classes.retain(|&(id, _)| id == ClassId(1) && which & 16 != 0);
                sites.retain(|&(id, _)| id == SiteId(0) && which & 32 != 0);
            }
            _ => {}
        }
    }
    if which & 64 != 0 {
        sections.pop();
    }
    if is_base {
        sections.insert(0, Section::Rotation { files: Rotation::file(2, 0), is_base });
    }
    Update::Step(sections)
}

proptest! {
    #[test]
    fn the_newest_rows_stand_for_those_before(
        steps in prop::collection::vec((any::<u8>(), 0..12u8), 0..12),
        has_base in any::<bool>(),
        is_closed in any::<bool>(),
    ) {
        let mut stream: Vec<_> =
            full_stream().into_iter().filter(|update| !matches!(update, Update::Step(_) | Update::Reset | Update::End)).collect();
        if has_base {
            stream.push(step(1, 127 - 64, true));
        }
        for (at, (which, turn)) in (2..).zip(steps) {
            if turn == 0 {
                stream.push(Update::Reset);
            }
            stream.push(step(at, which, false));
        }
        if is_closed {
            stream.push(Update::End);
        }
        let bytes = bytes_of(&stream);
        let (whole, damage) = read_profile(&bytes).expect("a recording");
        prop_assert_eq!((totals(&bytes), damage), (Some(whole), None));
    }
}
