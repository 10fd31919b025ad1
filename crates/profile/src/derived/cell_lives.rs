//! How long the objects of each cell lived, so that lives of a class's cells add up to those of the class.
//!
//! So a choice of lengths, made when all is written, has the totals that a report of that band has. Not here: parts in which
//! each value of a cell is divided (`lives`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::derived::amounts::{Cell, Value};
use crate::derived::band::Life;
use crate::derived::lives::LifeSpan;
use crate::facts::division::divide;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// A cell, and how many of its objects lived for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct CellLives<'p> {
    /// The cell; its numbers may be zero where it has lives alone.
    pub cell: Cell<'p>,
    /// The dead, then the living; each length once.
    pub lives: Vec<(LifeSpan, Tally)>,
}

impl Profile {
    /// All cells of which there is a number or a life, in the order of [`Self::cells`].
    pub fn cell_lives(&self) -> Vec<CellLives<'_>> {
        let buckets = &self.run.buckets;
        let sites: FxHashMap<_, &SiteProfile> =
            self.sites.iter().map(|site| ((site.class.as_str(), &site.stack), site)).collect();
        let classes: FxHashMap<_, &ClassProfile> =
            self.classes.iter().map(|class| (class.name.as_str(), class)).collect();
        let of_site = |cell: &Cell<'_>| {
            sites.get(&(cell.class, cell.stack)).map(|site| site.lives(buckets)).unwrap_or_default()
        };
        let cells = self.all_cells();
        let of_class = |cells: &[Cell<'_>]| classes.get(cells[0].class).map(|class| class.lives(buckets));
        let mut found = Vec::new();
        for cells in cells.chunk_by(|one, next| one.class == next.class) {
            let of_sites: Vec<_> = cells.iter().map(of_site).collect();
            // Of sites without a row of their class nothing else is known.
            let all = of_class(cells).unwrap_or_else(|| of_sites.concat());
            found.extend(shared(cells, &all, &of_sites));
        }
        found.retain(|cell| !cell.lives.is_empty() || !cell.cell.amounts.is_empty());
        found
    }
}

/// The lives of a class shared out among its cells, by what is known of these.
fn shared<'p>(cells: &[Cell<'p>], all: &[Life], of_cells: &[Vec<Life>]) -> Vec<CellLives<'p>> {
    let mut shared: Vec<_> =
        cells.iter().map(|cell| CellLives { cell: cell.clone(), lives: Vec::new() }).collect();
    for alive in [false, true] {
        let lives = of_kind(all, alive);
        let mut known = vec![BTreeMap::<usize, Tally>::new(); lives.len()];
        for (cell, of_cell) in of_cells.iter().enumerate() {
            for life in of_kind(of_cell, alive) {
                if let Some(at) = nearest(&lives, life.span().middle_ms()) {
                    known[at].entry(cell).or_default().add(life.tally);
                }
            }
        }
        for (life, known) in lives.iter().zip(known) {
            for (cell, tally) in dealt(life.tally, &known, cells) {
                shared[cell].lives.push((life.span(), tally));
            }
        }
    }
    shared
}

/// The dead or the living, the shorter lives first; of one length one.
fn of_kind(lives: &[Life], alive: bool) -> Vec<Life> {
    let mut lives: Vec<_> = lives.iter().copied().filter(|life| life.by.is_none() == alive).collect();
    lives.sort_by_key(|life| (life.span().middle_ms(), life.after));
    lives.dedup_by(|next, kept| {
        let is_same = (next.after, next.by) == (kept.after, kept.by);
        if is_same {
            kept.tally.add(next.tally);
        }
        is_same
    });
    lives
}

/// Which of these is closest to a length; the shorter one if two are.
fn nearest(lives: &[Life], ms: u64) -> Option<usize> {
    let middle = |at: usize| lives[at].span().middle_ms();
    let above = lives.partition_point(|life| life.span().middle_ms() < ms);
    match above.checked_sub(1) {
        Some(below) if above == lives.len() || ms - middle(below) <= middle(above) - ms => Some(below),
        _ => (above < lives.len()).then_some(above),
    }
}

/// Objects of a class dealt out to its cells, by how many are known of each; what no cell has is of that without frames.
fn dealt(all: Tally, known: &BTreeMap<usize, Tally>, cells: &[Cell<'_>]) -> Vec<(usize, Tally)> {
    let mut dealt = BTreeMap::<usize, Tally>::new();
    let mut deal = |total: u64, of: fn(&Tally) -> u64, give: fn(&mut Tally, u64)| {
        for (cell, part) in parts(total, known, of, cells) {
            give(dealt.entry(cell).or_default(), part);
        }
    };
    deal(all.objects, |tally| tally.objects, |tally, objects| tally.objects += objects);
    deal(all.bytes, |tally| tally.bytes, |tally, bytes| tally.bytes += bytes);
    dealt.into_iter().filter(|(_, tally)| !tally.is_empty()).collect()
}

fn parts(
    total: u64,
    known: &BTreeMap<usize, Tally>,
    of: fn(&Tally) -> u64,
    cells: &[Cell<'_>],
) -> Vec<(usize, u64)> {
    let weights: Vec<u64> = known.values().map(of).collect();
    let sum: u64 = weights.iter().sum();
    let without_frames = cells.iter().position(|cell| cell.stack.is_empty() && !cell.amounts.is_empty());
    match without_frames {
        Some(at) if sum <= total => known.keys().copied().zip(weights).chain([(at, total - sum)]).collect(),
        _ if sum > 0 => known.keys().copied().zip(divide(total, &weights)).collect(),
        _ => {
            let sizes: Vec<u64> = cells.iter().map(|cell| cell.amounts.of(Value::Bytes)).collect();
            divide(total, &sizes).into_iter().enumerate().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derived::amounts::Amounts;
    use crate::facts::frame::Frame;
    use crate::facts::stack::Stack;

    fn life(after: u64, by: Option<u64>, objects: u64) -> Life {
        Life { after, by, judged: true, tally: Tally::of(objects, 10), mean: None }
    }

    fn cell(stack: &Stack, bytes: u64) -> Cell<'_> {
        let mut amounts = Amounts::default();
        amounts.set(Value::Bytes, bytes);
        Cell { class: "a.A", stack, amounts }
    }

    /// Objects by length, of each cell.
    fn rows(shared: &[CellLives<'_>]) -> Vec<Vec<(u64, u64)>> {
        let row = |(span, tally): &(LifeSpan, Tally)| {
            assert_eq!(tally.bytes, tally.objects * 10);
            (span.middle_ms(), tally.objects)
        };
        shared.iter().map(|cell| cell.lives.iter().map(row).collect()).collect()
    }

    fn stacks() -> [Stack; 2] {
        ["run", "main"].map(|method| vec![Frame { method: method.into(), ..Frame::default() }].into())
    }

    #[test]
    fn lives_of_cells_have_the_lengths_of_the_class_and_add_up_to_it() {
        let [run, main] = stacks();
        let cells = [cell(&run, 600), cell(&main, 400)];
        let all = [life(0, Some(1_000), 60), life(4_000, Some(6_000), 30), life(9_000, None, 10)];
        // Their lengths are coarser, and one of the class's no cell has.
        let of_cells = [vec![life(0, Some(1_400), 40)], vec![life(0, Some(1_400), 20), life(8_000, None, 5)]];
        let shared = shared(&cells, &all, &of_cells);
        assert_eq!(rows(&shared), [vec![(500, 40), (5_000, 18)], vec![(500, 20), (5_000, 12), (9_000, 10)]]);
    }

    #[test]
    fn what_no_stack_has_is_without_frames() {
        let [run, _] = stacks();
        let cells = [cell(&run, 600), cell(&Stack::NONE, 400)];
        let shared = shared(&cells, &[life(0, Some(1_000), 60)], &[vec![life(0, Some(1_000), 45)], vec![]]);
        assert_eq!(rows(&shared), [vec![(500, 45)], vec![(500, 15)]]);
    }

    #[test]
    fn the_closest_length_is_found() {
        let lives = [life(100, None, 1), life(200, None, 1), life(400, None, 1)];
        assert_eq!(
            [0, 100, 149, 150, 151, 300, 301, 9_999].map(|ms| nearest(&lives, ms)),
            [0, 0, 0, 0, 1, 1, 2, 2].map(Some)
        );
        assert_eq!(nearest(&[], 5), None);
    }
}
