//! What collections did: why they were, how long they stopped the program, what they moved into the old generation, and how full the
//! heap was after the last.
//!
//! Not here: single collections, which are in JSON.

use std::collections::BTreeMap;

use mayfly_profile::{Collection, FlagValue, Gc, OldGeneration};

use super::Screen;
use crate::names::class_text;
use crate::over_time::pauses;
use crate::text::printable;
use crate::units;

/// Causes that are named.
const CAUSES: usize = 3;

/// All pauses of one cause.
#[derive(Default)]
struct OfCause {
    number: usize,
    pause_us: u64,
    longest_us: u64,
    /// `None`: none of them says.
    promoted: Option<u64>,
}

impl Screen<'_> {
    /// The section; nothing where no collection has its times.
    pub(super) fn collections(&self) -> Vec<String> {
        let Some(paused) = pauses(self.profile) else { return Vec::new() };
        let paused = paused.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
        let all: u64 = self.profile.collections.iter().map(|gc| gc.pause_us).sum();
        let share = all as f64 / 10.0 / self.profile.duration_ms.max(1) as f64;
        let text = format!("Collections: stopped for {paused} ({share:.1} % of the time)");
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, &text));
        lines.extend(self.causes().iter().map(|text| self.fit(&format!("  {text}"))));
        lines.extend(self.heap_after().iter().flat_map(|text| self.wrap(2, text)));
        lines
    }

    /// A line for each cause, most pause first.
    fn causes(&self) -> Vec<String> {
        let mut causes: BTreeMap<(&str, &str), OfCause> = BTreeMap::new();
        for gc in &self.profile.collections {
            causes.entry((gc.kind.name(), &gc.cause)).or_default().add(gc);
        }
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|(_, of)| std::cmp::Reverse(of.pause_us));
        let left = causes.iter().skip(CAUSES).map(|(_, of)| of.number).sum::<usize>();
        let mut lines: Vec<_> =
            causes.iter().take(CAUSES).map(|((kind, cause), of)| of.line(kind, cause)).collect();
        lines.extend((left > 0).then(|| format!("{left} more, of {} other causes", causes.len() - CAUSES)));
        lines
    }

    /// How full it was in the end, and what went past the young generation.
    fn heap_after(&self) -> Option<String> {
        let mut parts = Vec::new();
        let gc = self.profile.run.jvm.gc;
        let last = self.profile.collections.iter().rev().find_map(|collection| collection.used_after(gc));
        if let Some(used) = last {
            let of = self.flag("MaxHeapSize").map_or_else(String::new, |most| {
                format!(" of {} ({} %)", units::bytes(most), units::percent(used, most))
            });
            parts.push(format!("in use after the last: {}{of}", units::bytes(used)));
        }
        parts.extend(self.humongous());
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Objects that G1 puts into regions of their own.
    fn humongous(&self) -> Option<String> {
        let half = self.flag("G1HeapRegionSize").filter(|&region| region > 0)? / 2;
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

    /// A number that the JVM was started with.
    fn flag(&self, name: &str) -> Option<u64> {
        let flag = self.profile.flags.iter().find(|flag| flag.name == name)?;
        match flag.value {
            FlagValue::Number(number) if number > 0 => Some(number),
            _ => None,
        }
    }
}

impl OfCause {
    fn add(&mut self, gc: &Collection) {
        self.number += 1;
        self.pause_us = self.pause_us.saturating_add(gc.pause_us);
        self.longest_us = self.longest_us.max(gc.pause_us);
        if let Some(bytes) = gc.promoted() {
            self.promoted = Some(self.promoted.unwrap_or(0).saturating_add(bytes));
        }
    }

    fn line(&self, kind: &str, cause: &str) -> String {
        let ms = |us: u64| units::duration(us as f64 / 1_000.0);
        let promoted =
            self.promoted.map(|bytes| format!(", promoted {}", units::bytes(bytes))).unwrap_or_default();
        let cause = if cause.is_empty() { String::new() } else { format!(" ({})", printable(cause)) };
        format!(
            "{} {kind}{cause}: {}, the longest {}{promoted}",
            self.number,
            ms(self.pause_us),
            ms(self.longest_us)
        )
    }
}
