//! A log of HdrHistogram, format V2: how long the dead of each class lived, in milliseconds, with the class as tag.
//!
//! Of each object the middle of the interval in which it died is recorded, to three digits. The living are left out: nobody knows
//! how long they will live.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use mayfly_profile::Profile;

use crate::choice::Choice;

/// Digits that values are kept to.
const DIGITS: u8 = 3;

pub(crate) fn write(profile: &Profile, _choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let begin = UNIX_EPOCH + Duration::from_millis(profile.run.started_unix_ms);
    let took = Duration::from_millis(profile.duration_ms);
    let mut serializer = V2DeflateSerializer::new();
    let mut out = out;
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("Lifetimes in milliseconds of the objects that died, by class (mayfly report --hdr)")
        .with_start_time(begin)
        .with_base_time(begin)
        .with_max_value_divisor(1_000.0)
        .begin_log_with(&mut out, &mut serializer)?;
    for (class, lives) in lives(profile) {
        let mut histogram = Histogram::<u64>::new(DIGITS).map_err(io::Error::other)?;
        for (ms, objects) in lives {
            histogram.record_n(ms, objects).map_err(io::Error::other)?;
        }
        let name = tag(class);
        log.write_histogram(&histogram, Duration::ZERO, took, Tag::new(&name)).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Objects by length of life, by class.
fn lives(profile: &Profile) -> BTreeMap<&str, BTreeMap<u64, u64>> {
    let mut classes: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for of_cell in profile.cell_lives() {
        for (life, tally) in of_cell.lives {
            if life.by_ms.is_some() && tally.objects > 0 {
                let lives = classes.entry(of_cell.cell.class).or_default();
                *lives.entry(life.middle_ms()).or_default() += tally.objects;
            }
        }
    }
    classes
}

/// A tag ends at a comma, and at white space.
fn tag(class: &str) -> String {
    class.chars().map(|c| if c == ',' || c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}
