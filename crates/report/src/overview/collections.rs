//! What collections did: why they were, how long they stopped the program, what they moved into the old generation, and how full the
//! heap was after the last.
//!
//! Not here: single collections, which are in JSON.

use mayfly_profile::{Gc, GcCause, OldGeneration};

use super::Screen;
use crate::names::class_text;
use crate::over_time::{pauses_known, stopped};
use crate::text::printable;
use crate::units;

/// Causes that are named.
const CAUSES: usize = 3;

impl Screen<'_> {
    /// The section, in lines that belong together; nothing where no collection has its times.
    pub(super) fn collections(&self) -> Vec<Vec<String>> {
        let Some(stopped) = stopped(self.profile) else { return Vec::new() };
        let all: u64 = self.profile.own_collections().map(|gc| gc.pause_us).sum();
        let share = all as f64 / 10.0 / self.profile.duration_ms.max(1) as f64;
        let text = format!("Collections: stopped for {stopped} ({share:.1} % of the time)");
        let mut heading = vec![String::new()];
        heading.extend(self.wrap(0, &text));
        let mut parts = vec![heading];
        parts.extend(self.forced().map(|text| self.wrap(2, &text)));
        parts.extend(self.causes().iter().map(|text| vec![self.fit(&format!("  {text}"))]));
        parts.extend(pauses_known(self.profile).map(|known| self.wrap(2, &known)));
        parts.extend(self.heap_after().map(|text| self.wrap(2, &text)));
        parts
    }

    /// Those that are not the program's; nothing if there are none.
    fn forced(&self) -> Option<String> {
        let forced = self.profile.collections.iter().filter(|gc| gc.is_forced()).count();
        (forced > 0).then(|| format!("without {forced} forced from outside (Mayfly, jcmd)"))
    }

    /// A line for each cause, most pause first.
    fn causes(&self) -> Vec<String> {
        let causes = GcCause::of(self.profile.own_collections());
        let left = causes.iter().skip(CAUSES).map(|cause| cause.count).sum::<u32>();
        let mut lines: Vec<_> = causes.iter().take(CAUSES).map(line).collect();
        lines.extend((left > 0).then(|| format!("{left} more, of {} other causes", causes.len() - CAUSES)));
        lines
    }

    /// How full it was in the end, and what went past the young generation.
    fn heap_after(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(last) = self.profile.left_by_the_last() {
            let used = last.bytes;
            let kind = if last.is_at_most() { " (young: old garbage is in it)" } else { "" };
            let of =
                self.profile.flag("MaxHeapSize").filter(|&most| most > 0).map_or_else(String::new, |most| {
                    format!(" of {} ({} %)", units::bytes(most), units::percent(used, most))
                });
            parts.push(format!("in use after the last{kind}: {}{of}", units::bytes(used)));
        }
        parts.extend(self.humongous());
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Objects that G1 puts into regions of their own.
    fn humongous(&self) -> Option<String> {
        let half = self.profile.flag("G1HeapRegionSize").filter(|&region| region > 0)? / 2;
        if self.profile.run.jvm.gc != Gc::G1 {
            return None;
        }
        let class = self.profile.classes.iter().max_by_key(|class| class.allocated.largest)?;
        if class.allocated.largest < half {
            return None;
        }
        let made = OldGeneration::over(&self.profile.collections, Gc::G1)
            .map(|old| old.made_there)
            .filter(|&bytes| bytes > 0);
        let made = made.map_or_else(String::new, |bytes| format!(", {} in all", units::bytes(bytes)));
        let largest = units::bytes(class.allocated.largest);
        Some(format!("humongous: {} up to {largest}{made}", class_text(&class.name)))
    }
}

fn line(of: &GcCause) -> String {
    let ms = |us: u64| units::duration(us as f64 / 1_000.0);
    let promoted = of.promoted.map(|bytes| format!(", promoted {}", units::bytes(bytes))).unwrap_or_default();
    let cause = if of.cause.is_empty() { String::new() } else { format!(" ({})", printable(&of.cause)) };
    let (number, kind) = (of.count, of.kind.name());
    format!("{number} {kind}{cause}: {}, the longest {}{promoted}", ms(of.pause_us), ms(of.longest_us))
}
