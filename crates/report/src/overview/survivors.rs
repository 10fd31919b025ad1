//! What collections work for: what survived them, who made it, and what of the old generation was garbage soon.
//!
//! Not here: whether other sizes of generations would help (`mayfly advise`).

use mayfly_profile::{OldGeneration, OldRow};

use super::Screen;
use super::longest::maker;
use crate::names::class_text;
use crate::text::shorten;
use crate::units;
use crate::units::whole_percent;

/// Less in the old generation is not worth a sentence.
const LEAST_BYTES: u64 = 1 << 20;
/// Nor is a smaller share of it that was freed.
const LEAST_FREED: f64 = 0.25;
/// What was promoted is the matter, from this share of all that came on.
const MOSTLY: f64 = 0.5;
/// Columns of a class in a sentence.
const NAME: usize = 36;

impl Screen<'_> {
    /// What died in the old generation: it was copied there, or made there, for nothing.
    pub(super) fn died_promoted(&self) -> Option<[String; 2]> {
        let old = OldGeneration::over(&self.profile.collections, self.profile.run.jvm.gc)?;
        let (came, freed) = (old.came(), old.freed.min(old.came()));
        if came < LEAST_BYTES || (freed as f64) < LEAST_FREED * came as f64 {
            return None;
        }
        let how = if old.promoted as f64 >= MOSTLY * came as f64 {
            format!("{} of it by promotion", units::bytes(old.promoted))
        } else {
            format!("only {} of it by promotion", units::bytes(old.promoted))
        };
        Some([
            format!(
                "{} of {} that came into the old generation died there ({} %)",
                units::bytes(freed),
                units::bytes(came),
                units::percent(freed, came)
            ),
            format!("{how}; flags that help: mayfly advise"),
        ])
    }

    /// Whose objects survived most bytes of collections.
    pub(super) fn worked_for(&self) -> Option<[String; 2]> {
        if !self.profile.run.lifetimes {
            return None;
        }
        let rows = self.profile.old(&self.rules);
        let all = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.old.survived.bytes));
        let row = rows.iter().max_by_key(|row| row.old.survived.bytes)?;
        // By bytes, not by how long they were held.
        let row = &OldRow { class: row.survived_class, line: row.survived_line, ..row.clone() };
        let (survived, live) = (row.old.survived.bytes, row.old.survived_live.bytes);
        if !self.is_known(row, row.old.survived) || all < LEAST_BYTES || live * 2 > survived {
            return None;
        }
        Some([
            format!(
                "collections work for {}: {} % of what survived one ({}, {} dead since)",
                what(row),
                units::percent(survived, all),
                units::bytes(survived),
                whole_percent((survived - live) as f64 / survived.max(1) as f64)
            ),
            maker(row).unwrap_or_else(|| "who made it is not known".to_owned()),
        ])
    }
}

/// The class, and how many others.
fn what(row: &OldRow<'_>) -> String {
    let name = shorten(&class_text(row.class), NAME, "...");
    if row.others == 0 { name } else { format!("{name} and {} more", row.others) }
}
