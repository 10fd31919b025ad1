//! Whether what was there goes while more comes: windows, pools, LRU caches and buffers that are emptied grow for a while as a leak
//! does, but a leak loses nothing.

use super::suspicion::Suspicion;

/// Fewer objects tell nothing by which of them go.
const LEAST_OBJECTS: u64 = 8;
/// Of those that were there, this share going in the last interval is no leak; this share is in doubt.
const GOES: f64 = 0.5;
const MAY_GO: f64 = 0.25;
/// This share going in each interval is a life that ends, if late.
const GOES_SLOWLY: f64 = 0.1;
/// Of what came in the first interval more than this share of what the second left has to be there.
const STAYS: f64 = 0.4;

/// Which objects came and went, as numbers of each dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turnover {
    /// Of those in the last dump, how many were there already.
    pub present: Vec<u64>,
    /// Of those in the first dump, how many still are.
    pub first: Vec<u64>,
    /// Of those in the second, how many are.
    pub second: Vec<u64>,
}

/// How many came and went in a second.
pub(super) struct Paces {
    /// In an early interval, and in the last.
    pub(super) came: [f64; 2],
    /// In two intervals.
    pub(super) went: [f64; 2],
    /// From the early interval to the last, in intervals.
    pub(super) apart: usize,
}

impl Turnover {
    /// Why it is no leak, or may be none; `None` if nothing speaks against one.
    pub fn judged(&self) -> Option<Suspicion> {
        let [first, second] = [(&self.first, 0), (&self.second, 1)].map(|(cohort, from)| lost(cohort, from));
        match (first, second) {
            (Some(lost), other) if lost.last >= GOES => Some(match other {
                Some(other) if other.last < MAY_GO => Suspicion::Unsure(
                    "what was there at first is gone, and what came since is not: look for longer (--for)"
                        .to_owned(),
                ),
                _ => gone(&lost),
            }),
            (None, Some(lost)) if lost.last >= GOES => Some(gone(&lost)),
            (Some(lost), _) | (None, Some(lost)) if lost.last >= MAY_GO => Some(Suspicion::Unsure(format!(
                "of {} objects that were there {} are gone: it may be emptied, only not as fast as it fills; look for longer (--for)",
                lost.of, lost.gone
            ))),
            _ => self.middle().or_else(|| self.slowly()),
        }
    }

    /// How many came and went in a second; there were so many in each dump, which were taken at these times. `None` for fewer than four, and if
    /// all went from dump to dump, so that what came and went in between was not seen.
    ///
    /// If nothing of the first dump is left in the second, more would have gone in between, and what came may have gone, too: then the second
    /// interval tells, and the last.
    pub(super) fn paces(&self, objects: &[u64], times: &[f64]) -> Option<Paces> {
        let [start, second, third, ..] = *times else { return None };
        let [.., before, end] = *times else { return None };
        let ([.., stayed, now], [one, of_one, ..], [here, two, of_two, ..]) =
            (&self.present[..], &self.first[..], &self.second[..])
        else {
            return None;
        };
        let ([_, _, then, ..], [.., there, _]) = (objects, objects) else { return None };
        if times.len() < 4 || self.present.len() != times.len() || (*of_one == 0 && *of_two == 0) {
            return None;
        }
        let pace = |from: u64, to: u64, seconds: f64| to.saturating_sub(from) as f64 / seconds.max(0.001);
        let (soon, late) = (third - second, end - before);
        let (comes, goes) = (pace(*stayed, *now, late), pace(*of_two, *two, soon));
        Some(match *of_one {
            0 => Paces {
                came: [pace(*of_two, *then, soon), comes],
                went: [goes, pace(*stayed, *there, late)],
                apart: times.len() - 3,
            },
            _ => Paces {
                came: [pace(*here, *two, second - start), comes],
                went: [pace(*of_one, *one, second - start), goes],
                apart: times.len() - 2,
            },
        })
    }

    /// Of what was there at first as large a share goes in each interval: all of it will, however long that takes. Of a leak beside what lives for
    /// a while, ever less goes.
    fn slowly(&self) -> Option<Suspicion> {
        let (&of, &now) = (self.first.first()?, self.first.last()?);
        let goes = |pair: &[u64]| pair[0] > 0 && 1.0 - pair[1] as f64 / pair[0] as f64 >= GOES_SLOWLY;
        let steady = self.first.len() > 3
            && of as f64 * GOES_SLOWLY >= LEAST_OBJECTS as f64
            && self.first.windows(2).all(goes);
        steady.then(|| {
            Suspicion::Unsure(format!(
                "of {of} objects that were there {} are gone, about as many between any two dumps: it may turn over, only slowly; look for \
                 longer (--for)",
                of.saturating_sub(now)
            ))
        })
    }

    /// What came in the first interval has to be there still, or it only lives for longer than one of them. Of what lives for a while beside a
    /// leak, as much is left of the first interval as of the second.
    fn middle(&self) -> Option<Suspicion> {
        let born: Vec<u64> = self.present.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let [stayed, later, .., _] = born[..] else { return None };
        let [before, then, ..] = self.second[..] else { return None };
        let came = then.saturating_sub(before);
        let goes = stayed as f64 <= STAYS * later.min(came) as f64;
        (came >= LEAST_OBJECTS && goes).then(|| {
            Suspicion::Harmless("what came a while ago is gone: it only lives for a while".to_owned())
        })
    }
}

/// What became of the objects of one dump.
struct Lost {
    of: u64,
    gone: u64,
    /// The share that went in the last interval, of those that were left.
    last: f64,
}

fn lost(cohort: &[u64], from: usize) -> Option<Lost> {
    let cohort = cohort.get(from..)?;
    let [of, .., before, now] = *cohort else { return None };
    let last = if before == 0 { 1.0 } else { 1.0 - now as f64 / before as f64 };
    (of >= LEAST_OBJECTS).then_some(Lost { of, gone: of.saturating_sub(now), last })
}

fn gone(lost: &Lost) -> Suspicion {
    Suspicion::Harmless(format!("of {} objects that were there {} are gone", lost.of, lost.gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(present: [u64; 4], first: [u64; 4], second: [u64; 4]) -> Option<&'static str> {
        let [present, first, second] = [present, first, second].map(Vec::from);
        Some(Turnover { present, first, second }.judged()?.name())
    }

    #[test]
    fn a_leak_loses_nothing_and_what_loses_is_none() {
        let cases = [
            ("a leak", [100, 200, 300, 400], [100; 4], [100, 200, 200, 200], None),
            ("one that begins late", [0, 0, 100, 200], [0; 4], [0; 4], None),
            (
                "a leak among what comes and goes",
                [20, 30, 40, 150],
                [100, 20, 20, 20],
                [20, 130, 30, 30],
                None,
            ),
            ("a window", [0, 0, 90, 200], [100, 60, 20, 0], [60, 110, 50, 0], Some("harmless")),
            ("an LRU cache", [10, 30, 90, 200], [100, 60, 30, 10], [60, 110, 60, 25], Some("harmless")),
            (
                "emptied between the first dumps",
                [0, 50, 150, 250],
                [10, 0, 0, 0],
                [0, 50, 50, 50],
                Some("unsure"),
            ),
            ("lives for one interval and a half", [0, 0, 80, 200], [0; 4], [0, 120, 80, 0], Some("harmless")),
            ("lives for less", [0, 0, 0, 200], [0; 4], [0, 120, 0, 0], Some("harmless")),
            (
                "a ring that turns over slowly",
                [600, 700, 800, 1000],
                [1000, 870, 760, 660],
                [600, 900, 780, 680],
                Some("unsure"),
            ),
            (
                "a leak beside what is reset once",
                [70, 80, 90, 100],
                [100, 88, 87, 86],
                [80, 90, 89, 88],
                None,
            ),
            ("few", [0, 0, 1, 2], [3, 0, 0, 0], [0, 2, 0, 0], None),
        ];
        for (what, present, first, second, expected) in cases {
            assert_eq!(judged(present, first, second), expected, "{what}");
        }
    }
}
