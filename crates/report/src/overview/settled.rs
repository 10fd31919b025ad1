//! Whether errors leave an order as it seems: a finding that chance may turn round is none.
//!
//! Not here: the errors (`Variances` of `mayfly-profile`).

use mayfly_profile::{ClassProfile, EngineKind};

use super::Screen;
use crate::names::class_text;
use crate::units;

/// Standard errors that two numbers have to be apart.
const APART: f64 = 2.0;
/// An error of so much of a number leaves nothing of it.
const FEW: f64 = 0.5;
/// A class of a smaller share of the largest one's bytes is no rival: that the largest rests on few samples is said of itself.
const NEAR: f64 = 0.25;
/// A largest class that may be less than this share of what is not known is no finding.
const UNKNOWN: f64 = 1.0;

impl Screen<'_> {
    /// Why it can't be told which class allocates most; `None`: it can.
    pub(super) fn unsettled(&self) -> Option<String> {
        let sampled = self.profile.run.engine == EngineKind::Sampled;
        if !sampled && self.profile.part.lived.is_none() {
            return None;
        }
        let bytes = |class: &ClassProfile| class.allocated.bytes as f64;
        let classes = self.largest_first(bytes);
        let Some(first) = classes.first() else { return self.unsampled().filter(|_| sampled) };
        let unknown = self.unknown_bytes() as f64;
        if unknown > UNKNOWN * bytes(first) {
            return Some(format!(
                "what allocates most can't be told: of {} no sample says what they are",
                units::bytes(unknown as u64)
            ));
        }
        let variance = |class: &ClassProfile| self.variances.of_class(class);
        if variance(first).sqrt() > FEW * bytes(first) {
            let why = match sampled {
                true => {
                    "which class allocates most can't be told: few samples, or of threads that live briefly"
                }
                false => "which class has most of what lived so long can't be told: few samples",
            };
            return Some(why.to_owned());
        }
        let rival = rival(&classes, bytes, variance)?;
        let most = if sampled { "allocates most" } else { "has most of what lived so long" };
        Some(format!(
            "{} or {} {most}: about {} and {}, too close to tell ({})",
            class_text(&first.name),
            class_text(&rival.name),
            units::bytes(first.allocated.bytes),
            units::bytes(rival.allocated.bytes),
            self.sureness_of_allocated(first),
        ))
    }

    /// The class that may have more alive than the one that seems to have most.
    pub(super) fn rival_of_living(&self) -> Option<&ClassProfile> {
        let bytes = |class: &ClassProfile| class.live.unwrap_or_default().bytes as f64;
        rival(&self.largest_first(bytes), bytes, |class| self.variances.of_live(class).bytes)
    }

    fn largest_first(&self, bytes: impl Fn(&ClassProfile) -> f64) -> Vec<&ClassProfile> {
        let mut classes: Vec<&ClassProfile> = self.profile.classes.iter().collect();
        classes.sort_by(|a, b| bytes(b).total_cmp(&bytes(a)));
        classes
    }

    /// That nothing is known of what was allocated, where something was.
    fn unsampled(&self) -> Option<String> {
        let bytes = self.profile.trust.jvm_allocated_bytes.filter(|&bytes| bytes > 0)?;
        Some(format!("what allocates most can't be told: no sample fell on any of {}", units::bytes(bytes)))
    }

    /// Bytes of which it is known who allocated them, and no sample fell on any.
    fn unknown_bytes(&self) -> u64 {
        let parts = self.profile.trust.remainder.iter();
        parts
            .filter(|part| part.named && part.cause.contains("sampled nothing"))
            .map(|part| part.bytes.max(0).unsigned_abs())
            .sum()
    }
}

/// Of classes by size, the first that errors leave as large as the largest, if it seems to be nearly so.
fn rival<'c>(
    classes: &[&'c ClassProfile],
    bytes: impl Fn(&ClassProfile) -> f64,
    variance: impl Fn(&ClassProfile) -> f64,
) -> Option<&'c ClassProfile> {
    let (first, others) = classes.split_first()?;
    let (most, of_first) = (bytes(first), variance(first));
    let apart = |class: &ClassProfile| APART * (of_first + variance(class)).sqrt();
    let near = others.iter().take_while(|class| bytes(class) > NEAR * most);
    near.copied().find(|class| most - bytes(class) < apart(class))
}
