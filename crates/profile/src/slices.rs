//! A stream cut into slices of time: of each what was born and what died in it, and who lives at its end, by cell.
//!
//! So a range of time can be chosen when all is written: births and deaths of its slices are added up, the living are those at
//! its end, as of a range that is read (`since`). Slices end at steps of the stream. They are few: when there are too many,
//! neighbours become one. Not here: which cells there are (`cell_lives`).

use std::collections::{BTreeMap, HashMap};

use crate::amounts::Value;
use crate::builder::ProfileBuilder;
use crate::frame::Frame;
use crate::lives::LifeSpan;
use crate::profile::Profile;
use crate::tally::Tally;
use crate::update::Update;

/// Slices at which neighbours become one.
const MOST: usize = 24;
/// How long a slice is at first, in milliseconds.
const FIRST_MS: u64 = 1_000;

/// What happened in a slice to the objects of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Happened {
    /// Allocated in it.
    pub born: Tally,
    /// Found dead in it, by how long they lived.
    pub dead: BTreeMap<(u64, u64), Tally>,
    /// Alive at its end, by age.
    pub living: BTreeMap<u64, Tally>,
}

/// A slice of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// When it begins, in milliseconds of the profiled time.
    pub from_ms: u64,
    /// When it ends.
    pub to_ms: u64,
    /// What happened, by cell ([`Slices::cells`]).
    pub cells: BTreeMap<usize, Happened>,
}

/// The slices of a stream, of equal lengths about.
#[derive(Clone, Debug)]
pub struct Slices {
    width_ms: u64,
    begin: Profile,
    slices: Vec<Slice>,
    cells: Vec<(String, Vec<Frame>)>,
    ids: HashMap<(String, Vec<Frame>), usize>,
}

impl Default for Slices {
    fn default() -> Self {
        let begin = Profile::default();
        Self { width_ms: FIRST_MS, begin, slices: Vec::new(), cells: Vec::new(), ids: HashMap::new() }
    }
}

impl Slices {
    /// Looks at the next update of the stream, before it is applied to what has been folded so far.
    pub fn before(&mut self, next: &Update, so_far: &ProfileBuilder) {
        match next {
            // What follows a step belongs to it, up to the next.
            Update::Progress(_) if so_far.duration_ms >= self.begin.duration_ms + self.width_ms => {
                self.cut(so_far.profile());
            }
            Update::Reset => *self = Self::default(),
            _ => {}
        }
    }

    /// The stream has ended.
    pub fn end(&mut self, all: &ProfileBuilder) {
        if all.duration_ms > self.begin.duration_ms {
            self.cut(all.profile());
        }
    }

    /// In the order of time, without gaps.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// Class and stack of each cell, the innermost frame first.
    pub fn cells(&self) -> &[(String, Vec<Frame>)] {
        &self.cells
    }

    /// Makes one of each two neighbours; whether there were two.
    pub fn coarsen(&mut self) -> bool {
        if self.slices.len() < 2 {
            return false;
        }
        let mut joined = Vec::with_capacity(self.slices.len().div_ceil(2));
        let mut slices = std::mem::take(&mut self.slices).into_iter();
        while let Some(slice) = slices.next() {
            joined.push(match slices.next() {
                Some(next) => slice.then(next),
                None => slice,
            });
        }
        self.slices = joined;
        self.width_ms = self.width_ms.saturating_mul(2);
        true
    }

    fn cut(&mut self, now: Profile) {
        let part = now.clone().since(&self.begin);
        let mut slice =
            Slice { from_ms: self.begin.duration_ms, to_ms: now.duration_ms, cells: BTreeMap::new() };
        for of_cell in part.cell_lives() {
            let id = self.id(of_cell.cell.class, of_cell.cell.stack);
            let of = |value| of_cell.cell.amounts.of(value);
            let born = Tally { objects: of(Value::Objects), bytes: of(Value::Bytes), largest: 0 };
            let happened = slice.cells.entry(id).or_default();
            happened.born.add(born);
            for (LifeSpan { after_ms, by_ms }, tally) in of_cell.lives {
                match by_ms {
                    Some(by_ms) => happened.dead.entry((after_ms, by_ms)).or_default().add(tally),
                    None => happened.living.entry(after_ms).or_default().add(tally),
                }
            }
        }
        self.slices.push(slice);
        self.begin = now;
        if self.slices.len() == MOST {
            self.coarsen();
        }
    }

    fn id(&mut self, class: &str, stack: &[Frame]) -> usize {
        let next = self.cells.len();
        *self.ids.entry((class.to_owned(), stack.to_vec())).or_insert_with_key(|key| {
            self.cells.push(key.clone());
            next
        })
    }
}

impl Slice {
    /// Both, one after the other.
    fn then(mut self, next: Self) -> Self {
        self.to_ms = next.to_ms;
        for happened in self.cells.values_mut() {
            happened.living.clear();
        }
        for (cell, later) in next.cells {
            let happened = self.cells.entry(cell).or_default();
            happened.born.add(later.born);
            for (span, tally) in later.dead {
                happened.dead.entry(span).or_default().add(tally);
            }
            happened.living = later.living;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ids::ClassId;
    use crate::lifetimes::Lifetimes;
    use crate::run::RunInfo;
    use crate::update::{ClassCounts, LifetimeCounts, Progress};
    use crate::window::{TimeRange, Window};

    /// Each second as many more objects as it has; of all but those of the last second half is dead after a second.
    fn step(second: u64) -> Update {
        let born = second * (second + 1) / 2;
        let dead = (born - second) / 2;
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_deaths(500, 1_500, dead);
        lifetimes.ms.record_living(100 * second, born - dead);
        let tracked = LifetimeCounts {
            live: Tally::of(born - dead, 16),
            collected: vec![Tally::of(dead, 16)],
            lifetimes,
        };
        let classes =
            vec![ClassCounts { id: ClassId(0), allocated: Tally::of(born, 16), lifetimes: Some(tracked) }];
        Update::Progress(Box::new(Progress { duration_ms: second * 1_000, classes, ..Progress::default() }))
    }

    fn stream(seconds: u64) -> Vec<Update> {
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let start = [Update::Start(Box::new(run)), Update::Class { id: ClassId(0), name: "a.A".into() }];
        start.into_iter().chain((1..=seconds).map(step)).collect()
    }

    fn cut(updates: Vec<Update>) -> Slices {
        let (mut slices, mut builder) = (Slices::default(), ProfileBuilder::new());
        for update in updates {
            slices.before(&update, &builder);
            builder.apply(update).expect("fits");
        }
        slices.end(&builder);
        slices
    }

    fn sum<'a>(tallies: impl Iterator<Item = &'a Tally>) -> u64 {
        tallies.map(|tally| tally.objects).sum()
    }

    #[test]
    fn a_range_of_slices_is_that_range_of_time() {
        for seconds in [1, 5, 23, 24, 25, 100, 1_000] {
            let slices = cut(stream(seconds));
            let slices = slices.slices();
            assert!(slices.len() < MOST, "{seconds}");
            assert!(slices.windows(2).all(|two| two[0].to_ms == two[1].from_ms), "{slices:?}");
            assert_eq!((slices[0].from_ms, slices[slices.len() - 1].to_ms), (0, seconds * 1_000));
            for (first, last) in
                [(0, slices.len() - 1), (slices.len() / 2, slices.len() - 1), (0, slices.len() / 3)]
            {
                let range = &slices[first..=last];
                let [from, to] = [range[0].from_ms, range[range.len() - 1].to_ms].map(Duration::from_millis);
                let mut window = Window::new(TimeRange::new(from, Some(to)).expect("not empty"));
                stream(seconds).into_iter().for_each(|update| window.apply(update).expect("fits"));
                let class = &window.profile().expect("in time").classes[0];
                let of_range = || range.iter().filter_map(|slice| slice.cells.get(&0));
                assert_eq!(of_range().map(|cell| cell.born.objects).sum::<u64>(), class.allocated.objects);
                assert_eq!(
                    of_range().map(|cell| sum(cell.dead.values())).sum::<u64>(),
                    class.collected[0].objects
                );
                let living = sum(range[range.len() - 1].cells[&0].living.values());
                assert_eq!(Some(living), class.live.map(|live| live.objects), "{from:?} {to:?} of {seconds}");
            }
        }
    }

    #[test]
    fn a_reset_voids_what_was_before() {
        let updates = stream(9).into_iter().chain([Update::Reset]).chain((1..=3).map(step)).collect();
        let slices = cut(updates);
        let ends: Vec<_> = slices.slices().iter().map(|slice| slice.to_ms).collect();
        assert_eq!(ends, [1_000, 2_000, 3_000]);
        assert_eq!(slices.slices()[2].cells[&0].born.objects, 3);
    }

    #[test]
    fn without_a_step_there_is_no_slice() {
        let mut slices = cut(stream(0));
        assert!(!slices.coarsen() && slices.slices().is_empty());
    }
}
