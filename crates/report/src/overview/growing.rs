//! What becomes more and more: how fast, since when, and by whom it is made.

use mayfly_profile::{Grower, Growth};

use super::Screen;
use crate::text::{printable, shorten};
use crate::units;

/// Growers that are named.
const MOST: usize = 2;
/// Columns of a name in a sentence.
const NAME: usize = 48;
/// What begins within this share of the time is there since the start.
const AT_THE_START: f64 = 0.1;

impl Screen<'_> {
    /// Sentences on what grows, and on what may. Nothing where it can't be told.
    pub(super) fn growing(&self) -> Vec<String> {
        let Ok(growing) = self.profile.growing() else { return Vec::new() };
        let sure: Vec<_> = growing.growers.iter().filter(|grower| grower.growth.is_sure()).collect();
        let mut lines: Vec<_> = sure.iter().take(MOST).flat_map(|grower| self.grows(grower)).collect();
        if sure.len() > MOST {
            lines.push(format!("   {} more grow: mayfly leaks", sure.len() - MOST));
        }
        if sure.is_empty() {
            lines.extend(growing.growers.first().map(may_grow));
        }
        lines
    }

    fn grows(&self, grower: &Grower) -> Vec<String> {
        let error = (196.0 / grower.samples.max(1.0).sqrt()).ceil();
        let since = match grower.since_ms as f64 {
            ms if ms < AT_THE_START * self.profile.duration_ms as f64 => "the start".to_owned(),
            _ => units::clock(grower.since_ms),
        };
        let by_class = grower.method().is_none();
        let made =
            if by_class { String::new() } else { format!(", made by {}", name(&grower.maker.to_string())) };
        vec![
            format!(
                "! growing: {}{made}: {}/s (+-{error:.0} %) since {since}",
                name(&grower.class),
                units::bytes(grower.bytes_per_s.round() as u64)
            ),
            format!(
                "   {} live in {} objects; who holds them: mayfly leaks PID while it runs",
                units::bytes(grower.live.bytes),
                units::count(grower.live.objects)
            ),
        ]
    }
}

fn may_grow(grower: &Grower) -> String {
    let why = match &grower.growth {
        Growth::Unsure(why) => why.as_str(),
        Growth::Grows | Growth::Harmless => "",
    };
    format!("? may be growing: {}, made by {}: {why}", name(&grower.class), name(&grower.maker.to_string()))
}

/// A name that leaves room for the sentence.
fn name(text: &str) -> String {
    shorten(&printable(text), NAME, "...")
}
