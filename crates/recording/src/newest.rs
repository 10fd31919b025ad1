//! Rows of steps, of which only the newest of each id are decoded. They are nearly all of a recording, and four in five of them are
//! replaced by later ones.
//!
//! Not here: all other sections, which are decoded as they come (`sections`).

use std::collections::BTreeMap;
use std::mem;

use mayfly_profile::{ClassEstimate, ClassId, LifetimeHistograms, Progress, Section, Stamp, Trust, Update};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;

use crate::shape::{CLASS_AGES, CLASS_COUNTS, SITE_COUNTS, SITE_LIFETIMES, Shape, skip};

/// Tags of the sections whose rows are held.
const PROGRESS: u8 = 0;
const LIFETIMES: u8 = 2;

/// What was held of the steps so far.
#[derive(Debug, Default)]
pub(crate) struct Newest<'a> {
    /// Time, collections and trust.
    progress: Option<(u64, u32, Trust)>,
    classes: Rows<'a>,
    sites: Rows<'a>,
    estimates: BTreeMap<ClassId, ClassEstimate>,
    /// As of when lifetimes were written, in the order of steps.
    stamps: Vec<Stamp>,
    ages: Rows<'a>,
    lifetimes: Rows<'a>,
}

/// The newest row of each id, and of which step with lifetimes it is.
type Rows<'a> = FxHashMap<u32, (usize, &'a [u8])>;

impl<'a> Newest<'a> {
    /// Whether sections with this tag are held.
    pub(crate) fn holds(tag: u8) -> bool {
        matches!(tag, PROGRESS | LIFETIMES)
    }

    /// Holds a section that it [holds](Self::holds); `None` if it is none, or more.
    pub(crate) fn hold(&mut self, section: &'a [u8]) -> Option<()> {
        let (&tag, content) = section.split_first()?;
        let rest = if tag == PROGRESS {
            let (progress, rest) = postcard::take_from_bytes(content).ok()?;
            self.progress = Some(progress);
            let rest = hold_rows(&mut self.classes, CLASS_COUNTS, rest, 0)?;
            let rest = hold_rows(&mut self.sites, SITE_COUNTS, rest, 0)?;
            let (estimates, rest) = postcard::take_from_bytes::<Vec<(ClassId, ClassEstimate)>>(rest).ok()?;
            self.estimates.extend(estimates);
            rest
        } else {
            let (stamp, rest) = postcard::take_from_bytes(content).ok()?;
            let step = self.stamps.len();
            self.stamps.push(stamp);
            let rest = hold_rows(&mut self.ages, CLASS_AGES, rest, step)?;
            hold_rows(&mut self.lifetimes, SITE_LIFETIMES, rest, step)?
        };
        rest.is_empty().then_some(())
    }

    /// All that is held as one step; nothing is held then. `None` if it can't be decoded.
    pub(crate) fn release(&mut self) -> Option<Update> {
        let held = mem::take(self);
        let mut step = Vec::new();
        if let Some((duration_ms, gcs, trust)) = held.progress {
            let (classes, sites) = (decoded(&held.classes)?, decoded(&held.sites)?);
            let estimates = held.estimates.into_iter().collect();
            let progress = Progress { duration_ms, gcs, trust, classes, sites, estimates };
            step.push(Section::Progress(Box::new(progress)));
        }
        // By step, the newest last: the living have grown older since.
        let mut steps = BTreeMap::new();
        if let Some(newest) = held.stamps.len().checked_sub(1) {
            steps.insert(newest, Rows::default());
        }
        for (id, row) in held.lifetimes {
            steps.entry(row.0).or_default().insert(id, row);
        }
        let newest = held.stamps.len();
        for (at, sites) in steps {
            let classes = if at + 1 == newest { decoded(&held.ages)? } else { Vec::new() };
            let lifetimes = LifetimeHistograms { stamp: held.stamps[at], classes, sites: decoded(&sites)? };
            step.push(Section::Lifetimes(Box::new(lifetimes)));
        }
        Some(Update::Step(step))
    }
}

/// Takes the rows of a list, and gives back what follows it.
fn hold_rows<'a>(rows: &mut Rows<'a>, shape: &[Shape], list: &'a [u8], step: usize) -> Option<&'a [u8]> {
    let (count, mut rest) = postcard::take_from_bytes::<usize>(list).ok()?;
    for _ in 0..count {
        let (id, _) = postcard::take_from_bytes(rest).ok()?;
        let next = skip(shape, rest)?;
        rows.insert(id, (step, &rest[..rest.len() - next.len()]));
        rest = next;
    }
    Some(rest)
}

/// Rows in the order of ids.
fn decoded<T: DeserializeOwned>(rows: &Rows) -> Option<Vec<T>> {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_unstable_by_key(|&(id, _)| id);
    rows.into_iter().map(|(_, (_, row))| postcard::from_bytes(row).ok()).collect()
}
