//! A recording's bytes again, with coarser steps; and how large a recording may be before that is done.
//!
//! Bytes in, bytes out. Not here: the files (the agent's `output/rewritten`).

use mayfly_profile::Update;

use crate::coarsening::{Coarseness, Coarsening, Reached};
use crate::reader::RecordingReader;
use crate::writer::RecordingWriter;

/// Rewrites a recording piece by piece.
#[derive(Debug)]
pub struct Rewriting {
    reader: RecordingReader,
    coarsening: Coarsening,
    writer: RecordingWriter,
}

impl Rewriting {
    /// Of a recording that has come so far.
    pub fn new(until: Reached, coarseness: Coarseness) -> Self {
        let coarsening = Coarsening::new(until, coarseness);
        Self { reader: RecordingReader::new(), coarsening, writer: RecordingWriter::new() }
    }

    /// Takes the next bytes of the recording; the next bytes of the rewritten one, or `None` where it can't be read: it stays as it is.
    pub fn take(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.reader.push(bytes);
        let mut written = Vec::new();
        while let Some(update) = self.reader.next_update().ok()? {
            for due in self.coarsening.take(update) {
                self.write(&due, &mut written)?;
            }
        }
        Some(written)
    }

    /// The last bytes, once all were taken up to the end of a frame.
    pub fn end(mut self) -> Option<Vec<u8>> {
        if self.reader.damage().is_some() {
            return None;
        }
        let mut written = Vec::new();
        if let Some(rest) = self.coarsening.rest() {
            self.write(&rest, &mut written)?;
        }
        Some(written)
    }

    fn write(&mut self, update: &Update, to: &mut Vec<u8>) -> Option<()> {
        to.append(&mut self.writer.encode(update).ok()?);
        Some(())
    }
}

/// When a recording is rewritten, and how coarse.
#[derive(Debug)]
pub struct Room {
    coarseness: Coarseness,
    /// Not before it is as large.
    next_bytes: u64,
    /// The stream is one part in so many of a real one.
    part: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self { coarseness: Coarseness::FINE, next_bytes: 0, part: 1 }
    }
}

impl Room {
    /// A recording of so long may have so many bytes: 100 MB after a day, 200 after a week.
    pub fn bytes(&self, ms: u64) -> u64 {
        const LEAST: f64 = (16 << 20) as f64;
        const OF_A_DAY: f64 = 95e6;
        /// Seven times as long, twice as large.
        const POWER: f64 = 0.356;
        let days = ms as f64 / 86_400_000.0;
        (OF_A_DAY * days.powf(POWER)).max(LEAST) as u64 / self.part
    }

    /// How coarse it is to be written again; `None` if it is not to be, as it is small.
    pub fn is_short(&mut self, bytes: u64, ms: u64) -> Option<Coarseness> {
        if bytes <= self.bytes(ms).max(self.next_bytes) {
            return None;
        }
        if self.next_bytes == 0 {
            // Of the first time it is known how many steps there are.
            let (wanted, seconds) = (self.bytes(ms) as f64 / 2.0 / bytes as f64, ms as f64 / 1_000.0);
            while self.coarseness.share_left(seconds) > wanted && self.coarseness != Coarseness::MOST {
                self.coarseness = self.coarseness.coarser();
            }
        }
        Some(self.coarseness)
    }

    /// Notes that it has so many bytes after it was rewritten.
    pub fn rewritten(&mut self, bytes: u64, ms: u64) {
        let aim = self.bytes(ms) / 2;
        let mut left = bytes;
        while left > aim && self.coarseness != Coarseness::MOST {
            self.coarseness = self.coarseness.coarser();
            left /= 2;
        }
        // Names alone may take more: it is not rewritten for a little.
        self.next_bytes = bytes + bytes / 2;
    }

    /// Notes that it could not be rewritten: later, when it is larger.
    pub fn failed(&mut self, bytes: u64) {
        self.next_bytes = bytes.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {

    use mayfly_profile::{ClassId, Progress, SiteCounts, SiteId, Tally};

    use super::*;
    use crate::profile::read_profile;
    use crate::thinning::{Growth, Thinner};

    /// Of a service with 6,000 sites, of which 1,500 change each second, a few much more often than the others.
    const PART: u64 = 150;
    const SITES: u64 = 6_000 / PART;
    const CHANGED: u64 = 1_500 / PART;

    /// A recording as the agent writes it, without its files.
    struct Recorded {
        bytes: Vec<u8>,
        room: Room,
        reached: Reached,
        thinner: Thinner,
        writer: RecordingWriter,
        /// The largest that it was.
        largest: usize,
    }

    impl Recorded {
        fn new() -> Self {
            let whole = Growth::FRESH;
            let growth = Growth {
                bytes_per_second: whole.bytes_per_second / PART,
                bytes_ahead: whole.bytes_ahead / PART,
                ..whole
            };
            Self {
                bytes: Vec::new(),
                room: Room { part: PART, ..Room::default() },
                reached: Reached::default(),
                thinner: Thinner::new(growth),
                writer: RecordingWriter::new(),
                largest: 0,
            }
        }

        fn step(&mut self, updates: Vec<Update>, ms: u64) {
            let due = self.thinner.take(updates, ms);
            let before = self.bytes.len();
            for update in &due {
                self.bytes.extend(self.writer.encode(update).expect("small"));
                self.reached.note(update);
            }
            let written = self.bytes.len() - before;
            self.thinner.wrote(written);
            self.largest = self.largest.max(self.bytes.len());
            let Some(coarseness) = self.room.is_short(self.bytes.len() as u64, ms) else { return };
            let mut rewriting = Rewriting::new(self.reached, coarseness);
            let mut bytes = rewriting.take(&self.bytes).expect("readable");
            bytes.extend(rewriting.end().expect("whole"));
            self.bytes = bytes;
            self.room.rewritten(self.bytes.len() as u64, ms);
        }
    }

    fn step(second: u64, chance: &mut u64) -> Vec<Update> {
        let mut sites: Vec<_> = (0..CHANGED)
            .map(|_| {
                *chance =
                    chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let share = (*chance >> 11) as f64 / (1u64 << 53) as f64;
                (SITES as f64 * share * share) as u32
            })
            .collect();
        sites.sort_unstable();
        sites.dedup();
        let counts = |id| SiteCounts {
            id: SiteId(id),
            allocated: Tally::of(second * 1_000 + 1, 48),
            live: Some(Tally::of(second + 1, 48)),
            collected: vec![Tally::of(second * 999, 48); 3],
            byte_seconds: second as f64 * 1_234.5,
            error: 0.01,
        };
        let sites = sites.into_iter().map(counts).collect();
        vec![Update::from(Progress { duration_ms: second * 1_000, sites, ..Progress::default() })]
    }

    fn recorded(seconds: u64) -> Recorded {
        let mut recorded = Recorded::new();
        let mut names =
            vec![Update::Start(Box::default()), Update::Class { id: ClassId(0), name: "a.A".into() }];
        names.extend((0..SITES as u32).map(|id| Update::Site {
            id: SiteId(id),
            class: ClassId(0),
            stack: vec![],
        }));
        recorded.step(names, 0);
        let mut chance = 7;
        for second in 1..=seconds {
            recorded.step(step(second, &mut chance), second * 1_000);
        }
        recorded
    }

    fn check(seconds: u64, most_mb: u64) {
        let recorded = recorded(seconds);
        assert!(
            recorded.largest as u64 * PART <= most_mb * 1_000_000,
            "{} bytes",
            recorded.largest as u64 * PART
        );
        let (profile, damage) = read_profile(&recorded.bytes).expect("a recording");
        assert_eq!((damage, profile.duration_ms), (None, seconds * 1_000), "the newest is there");
        let mut chance = 7;
        let mut last = std::collections::HashMap::new();
        for second in 1..=seconds {
            let step = step(second, &mut chance);
            let progress = step[0].progress().expect("a step");
            last.extend(progress.sites.iter().map(|site| (site.id, site.allocated.bytes)));
        }
        let told: u64 = profile.sites.iter().map(|site| site.allocated.bytes).sum();
        assert_eq!(told, last.values().sum::<u64>(), "all that was counted");
    }

    #[test]
    fn four_hours_of_a_busy_service_take_no_more_than_their_part_of_100_mb_a_day() {
        check(4 * 3_600, 55);
    }

    /// `cargo test --release -p mayfly-recording a_week -- --ignored --nocapture`
    #[test]
    #[ignore = "minutes where it is not built for release"]
    fn a_day_of_a_busy_service_takes_no_more_than_100_mb_and_a_week_no_more_than_200() {
        check(86_400, 100);
        check(7 * 86_400, 200);
    }
}
