//! What collections work for: what survived them, who made it, and what of the old generation was garbage soon.
//!
//! Not here: whether other sizes of generations would help (`mayfly advise`).

use mayfly_profile::{ClassProfile, Gc, OldGeneration, Value};

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
/// A smaller share of it, there before, does not show.
const LITTLE: f64 = 0.05;
/// Columns of a class in a sentence.
const NAME: usize = 36;

impl Screen<'_> {
    /// What died in the old generation: it was copied there, or made there, for nothing.
    pub(super) fn died_promoted(&self) -> Option<[String; 2]> {
        let old = OldGeneration::over(&self.profile.collections, self.profile.run.jvm.gc)?;
        let (came, freed) = (old.came(), old.freed);
        if came < LEAST_BYTES || (freed as f64) < LEAST_FREED * came as f64 {
            return None;
        }
        let promoted = units::bytes(old.promoted);
        let mut how = match (old.promoted_at_least, old.promoted as f64 >= MOSTLY * came as f64) {
            (true, _) => format!("at least {promoted} of it by promotion"),
            (false, true) => format!("{promoted} of it by promotion"),
            (false, false) => format!("only {promoted} of it by promotion"),
        };
        if self.profile.run.jvm.gc == Gc::G1 && old.made_there as f64 > LITTLE * came as f64 {
            how += &format!(", {} humongous", units::bytes(old.made_there));
        }
        // What was there before may have been freed first.
        let at_least = if old.before as f64 > LITTLE * came as f64 { "at least " } else { "" };
        Some([
            format!(
                "{at_least}{} of {} that came into the old generation died there ({} %)",
                units::bytes(freed),
                units::bytes(came),
                units::percent(freed, came)
            ),
            format!("{how}; flags that help: mayfly advise"),
        ])
    }

    /// Whose objects survived most bytes of collections: the class, by its own numbers, and of these the part of who made most.
    pub(super) fn worked_for(&self) -> Option<[String; 2]> {
        if !self.profile.knows(Value::Survived) {
            return None;
        }
        let survived = |class: &ClassProfile| class.survived().bytes;
        let all = self.profile.classes.iter().fold(0u64, |sum, class| sum.saturating_add(survived(class)));
        let class = self.profile.classes.iter().max_by_key(|class| survived(class))?;
        let part = class.survived();
        let live = class.live.unwrap_or_default().bytes.min(part.bytes);
        if !self.is_known_of(class, part) || all < LEAST_BYTES || live * 2 > part.bytes {
            return None;
        }
        let at_least = if self.live_is_at_most { "at least " } else { "" };
        Some([
            format!(
                "collections work for {}: {} % of what survived one ({}, {at_least}{} dead since)",
                shorten(&class_text(&class.name), NAME, "..."),
                units::percent(part.bytes, all),
                units::bytes(part.bytes),
                whole_percent((part.bytes - live) as f64 / part.bytes.max(1) as f64)
            ),
            self.most_made(&class.name),
        ])
    }

    /// Who made most of what survived of a class, and how much.
    fn most_made(&self, class: &str) -> String {
        let rows = self.profile.old_of(class, &self.rules);
        let all = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.old.survived.bytes));
        let Some(row) = rows.iter().max_by_key(|row| row.old.survived.bytes) else {
            return "who made it is not known".to_owned();
        };
        match maker(&row.by_survived()) {
            Some(made) if row.old.survived.bytes == all => made,
            Some(made) => {
                format!("{} of it {made}", whole_percent(row.old.survived.bytes as f64 / all.max(1) as f64))
            }
            None => "who made it is not known".to_owned(),
        }
    }
}
