//! What was found, in plain words: up to five sentences, each with how sure it is, and which command tells more.

use mayfly_profile::{ClassProfile, LiveAsOf, OldRow, SiteProfile, Tally, TallyVariance, Through, bursts};

use super::growers::{frame_name, growers_of, holder_of};
use super::longest;
use super::tables::linking;
use super::ways::short;
use super::{Finding, Screen};
use crate::coverage::BLANK;
use crate::names::{class_text, place_text};
use crate::over_time::{at_least, why_not_known};
use crate::process::while_it_runs;
use crate::text::shorten;
use crate::units;
use crate::units::{plus_minus, whole_percent};

/// Findings at most.
const FINDINGS: usize = 5;
/// Lines of them at most: on a narrow screen the least important is left out.
const FOUND_LINES: usize = 10;
/// Fewer leave room for one on all of it.
const FEW: usize = 3;
/// Who holds what lives, of all that does; of what grows.
const HOLDERS: &str = "; who holds it: mayfly heap retained PID, ";
const HOLDERS_OF_GROWTH: &str = "; who holds it: mayfly leaks PID, ";

/// A sentence, and what to do next.
type Found = (String, Option<String>);

/// Columns of the number before a sentence.
const NUMBER: usize = 5;

/// Columns of a name in a sentence.
const NAME: usize = 50;
/// A number of objects with a larger error, relative to it, is not shown beside bytes that are better known.
const FEW_OBJECTS: f64 = 0.25;
/// A share of all through one line of the program that is worth a word.
const MUCH: f64 = 0.2;
/// Lines of the program that are named for what they allocate, the share of all from which on one is, and that of them all: a server whose own code
/// is not what starts it has little that is known to be its.
const LINES: usize = 3;
const LEAST_OF_LINE: f64 = 0.05;
const LEAST_OF_LINES: f64 = 0.5;
/// What passes through a line is named if it is so many times what it makes itself, and not nearly all, as of who serves a request.
const LARGER: f64 = 1.3;
const NEARLY_ALL: f64 = 0.9;

impl Screen<'_> {
    /// The sentences, numbered, each with what to do next below it.
    pub(super) fn findings(&self) -> Vec<String> {
        let mut lines = vec![String::new(), "Found:".to_owned()];
        if self.profile.is_blank() {
            lines.extend(self.wrap(2, &format!("nothing was recorded: {BLANK}")));
            return lines;
        }
        if let Some(hidden) = self.all_hidden {
            lines
                .extend(self.wrap(2, &format!("nothing: what is shown leaves out each of {hidden} classes")));
            return lines;
        }
        let growing = self.growing();
        lines.extend(growing.iter().flat_map(|text| {
            let text_only = text.trim_start();
            self.wrap(2 + text.len() - text_only.len(), text_only)
        }));
        let before = lines.len();
        for (at, (text, next)) in self.found().into_iter().take(FINDINGS).enumerate() {
            let sentence = self.wrap(2, &format!("{}. {text}", at + 1));
            let next: Vec<_> = next.iter().flat_map(|text| self.wrap(NUMBER, text)).collect();
            if lines.len() - before + sentence.len() + next.len() > FOUND_LINES {
                break;
            }
            lines.extend(sentence.into_iter().chain(next));
        }
        lines
    }

    /// All of them, unbroken.
    pub(super) fn unbroken_findings(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        if self.profile.is_blank() || self.profile.classes.is_empty() {
            return found;
        }
        for line in self.growing() {
            // What is indented belongs to the sentence before it.
            match (line.strip_prefix("   "), found.last_mut()) {
                (Some(more), Some(last)) if last.next.is_empty() => more.clone_into(&mut last.next),
                (Some(more), Some(last)) => last.next = format!("{}; {more}", last.next),
                _ => found.push(Finding { text: line, next: String::new() }),
            }
        }
        let finding = |(text, next): Found| Finding { text, next: next.unwrap_or_default() };
        found.extend(self.found().into_iter().take(FINDINGS).map(finding));
        found
    }

    /// What there is to say, the most important first.
    fn found(&self) -> Vec<Found> {
        let two = |[text, next]: [String; 2]| (text, Some(next));
        let long_lived = self.long_lived();
        let longest = longest::longest(&long_lived, self.profile.own_family());
        let lives_longest = longest.map(|row| {
            let age = self.profile.age_of(row);
            let text = longest::sentence(row, age, self.profile.duration_ms, self.live_is_at_most);
            let text = text + &self.sureness_of_old(row);
            let made = self.maker(row).map(|made| made + &self.holder(row));
            let next: Vec<_> = made.into_iter().chain(self.others_that_live(&long_lived, row)).collect();
            (text, (!next.is_empty()).then(|| next.join("; ")))
        });
        let found = [
            self.allocates().map(|text| (text, self.allocating_method())),
            lives_longest,
            self.bursts().map(two),
            self.died_promoted().map(two),
            self.worked_for().map(two),
            self.holds().map(|text| (text, None)),
            self.optimised_away().map(|text| (text, None)),
        ];
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        if found.len() < FEW {
            found.extend(self.in_all().map(|text| (text, None)));
        }
        found
    }

    /// Who allocates most.
    fn allocates(&self) -> Option<String> {
        if let Some(unsettled) = self.unsettled() {
            return Some(unsettled);
        }
        let bytes = |class: &ClassProfile| self.profile.allocated_bytes(class);
        let class = self.profile.classes.iter().max_by_key(|class| bytes(class));
        let Some(class) = class.filter(|class| bytes(class) > 0) else {
            return Some("nothing was allocated".to_owned());
        };
        let total = self.profile.classes.iter().map(bytes).fold(0, u64::saturating_add);
        let all = if self.profile.part.lived.is_some() { "what lived so long" } else { "what was allocated" };
        Some(format!(
            "{} is {} of {all}: {}, {}/s ({})",
            name(&class.name),
            share(bytes(class), total),
            units::bytes(bytes(class)),
            units::bytes(self.rate(bytes(class))),
            self.sureness_of_allocated(class),
        ))
    }

    /// Which method allocates most, over all classes.
    fn allocating_method(&self) -> Option<String> {
        if self.unsettled().is_some() {
            return None;
        }
        let total = self.methods.iter().map(|method| method.allocated_bytes).fold(0, u64::saturating_add);
        let most = self.methods.iter().max_by_key(|method| method.allocated_bytes)?;
        let (class, method) = most.method.as_ref().map(|(class, method)| (&**class, &**method))?;
        if most.allocated_bytes == 0 {
            return None;
        }
        let share = share(most.allocated_bytes, total);
        let made = shorten(&place_text(class, method, most.line), NAME, "...") + linking(most);
        let bounds = self.profile.site_bounds();
        let through = self.program_of((class, method), |site| site.allocated_at_most(&bounds));
        Some(match through {
            Some(_) if let Some(lines) = self.own_lines(|site| site.allocated_at_most(&bounds)) => {
                format!(
                    "of all, by line of the program with what it calls of others: {lines}; the ways: mayfly report --ways"
                )
            }
            Some(Through { frame, share: all }) => format!(
                "{} of all is allocated below {}, {share} by {made}; the ways: mayfly report --ways",
                whole_percent(all),
                frame_name(&frame)
            ),
            None => format!("{made} allocates {share} of all; its callers: mayfly report --ways"),
        })
    }

    /// The program's own lines that allocate most, with their shares of all; `None` if these are small, or it is one only.
    fn own_lines(&self, weight: impl Fn(&SiteProfile) -> u64) -> Option<String> {
        let mut lines = self.profile.own_lines(weight);
        lines.retain(|line| line.share >= LEAST_OF_LINE);
        let all: f64 = lines.iter().map(|line| line.share).sum();
        let texts = lines.iter().take(LINES).map(|line| {
            let through = match line.through >= LARGER * line.share && line.through < NEARLY_ALL {
                true => format!(" (through it {})", whole_percent(line.through)),
                false => String::new(),
            };
            format!("{} {}{through}", short(&line.frame), whole_percent(line.share))
        });
        (lines.len() > 1 && all >= LEAST_OF_LINES).then(|| texts.collect::<Vec<_>>().join(", "))
    }

    /// The program's frame through which most passes, if that is not this method (class and name), and much.
    fn program_of(&self, made_by: (&str, &str), weight: impl Fn(&SiteProfile) -> u64) -> Option<Through> {
        let through = self.profile.through(weight)?;
        (through.share >= MUCH && through.frame.in_source() != made_by).then_some(through)
    }

    /// Who made what lives longest, and which line of the program asked for it.
    fn maker(&self, row: &OldRow<'_>) -> Option<String> {
        let made = longest::maker(row)?;
        let made_by = row.method?;
        let charged = |site: &SiteProfile| {
            self.rules.charged(&site.stack).is_some_and(|frame| frame.in_source() == made_by)
        };
        let live = |site: &SiteProfile| if charged(site) { site.live.unwrap_or_default().bytes } else { 0 };
        let through = self.program_of(made_by, live);
        Some(
            made + &through
                .map_or_else(String::new, |through| format!(", through {}", frame_name(&through.frame))),
        )
    }

    /// Who holds what is live of it: known of what grows, or how to find out.
    fn holder(&self, row: &OldRow<'_>) -> String {
        if row.old.live.is_empty() {
            return String::new();
        }
        let growing = self.growth.as_ref().ok();
        let of = (self.profile, &self.rules);
        if let Some(field) = growing.and_then(|growing| holder_of(of, growing, row)) {
            return format!("; held by {}", name(&field));
        }
        let grows =
            growing.is_some_and(|growing| growers_of(of, growing, row).any(|grower| grower.growth.is_sure()));
        let command = if grows { HOLDERS_OF_GROWTH } else { HOLDERS };
        format!("{command}{}", while_it_runs(self.profile))
    }

    /// Who holds most of what is live.
    fn holds(&self) -> Option<String> {
        if !self.profile.run.lifetimes {
            return None;
        }
        if self.profile.live_as_of == LiveAsOf::NoCollection {
            return Some(format!("what is live is not known: {}", why_not_known(self.profile)));
        }
        let live = |class: &ClassProfile| class.live.unwrap_or_default();
        let class = self.profile.classes.iter().max_by_key(|class| live(class).bytes);
        let Some(class) = class.filter(|class| live(class).bytes > 0) else {
            return Some("nothing that was followed is live".to_owned());
        };
        let total = self.profile.classes.iter().map(|class| live(class).bytes).fold(0, u64::saturating_add);
        // What was there before is in the heap as well.
        let knows_all = self.profile.is_of_launched() || self.profile.trust.jvm_allocated_bytes.is_none();
        let live_text = if self.live_is_at_most { "not seen dead" } else { "live" };
        let of = format!("what {}is {live_text}", if knows_all { "" } else { "was made since and " });
        if let Some(rival) = self.rival_of_living() {
            let about = if self.live_is_at_most { "at most" } else { "about" };
            return Some(format!(
                "{} or {} is most of {of}{}: {about} {} and {}, too close to tell ({})",
                name(&class.name),
                name(&rival.name),
                self.moment(),
                units::bytes(live(class).bytes),
                units::bytes(live(rival).bytes),
                self.sureness_of_live(class).0,
            ));
        }
        let at_most = if self.live_is_at_most { "at most " } else { "" };
        Some(format!(
            "{} is {} of {of}{}: {at_most}{}",
            name(&class.name),
            share(live(class).bytes, total),
            self.moment(),
            self.live_of(class),
        ))
    }

    /// As of when it is known what is live, where that is not the end.
    fn moment(&self) -> String {
        let LiveAsOf::Ms(ms) = self.profile.live_as_of else { return String::new() };
        let long_before = self.profile.duration_ms.saturating_sub(ms) >= 1_000;
        if long_before { format!(" after the GC at {}", units::duration(ms as f64)) } else { String::new() }
    }

    /// Whether all of it comes at once, and again.
    fn bursts(&self) -> Option<[String; 2]> {
        let found = bursts(&self.profile.history)?;
        let (from, to) = found.last_ms;
        Some([
            format!(
                "allocates in bursts of {}/s, every {} s ({} of them; else {}/s)",
                units::bytes(found.rate),
                units::seconds(found.every_ms as f64),
                found.number,
                units::bytes(found.usual)
            ),
            format!(
                "what the last of them allocated: mayfly report --during {}s..{}s",
                from / 1_000,
                to.div_ceil(1_000)
            ),
        ])
    }

    /// What the JIT compiler removed, if it is much.
    fn optimised_away(&self) -> Option<String> {
        let removed = |class: &&ClassProfile| class.allocated.bytes - self.profile.allocated_bytes(class);
        let class = self.profile.classes.iter().max_by_key(removed).filter(|class| removed(class) > 0)?;
        Some(format!(
            "{} was optimised away: {} executed, about {} of it allocated",
            name(&class.name),
            units::bytes(class.allocated.bytes),
            units::bytes(self.profile.allocated_bytes(class)),
        ))
    }

    /// How sure what was allocated of a class is.
    pub(super) fn sureness_of_allocated(&self, class: &ClassProfile) -> String {
        if self.profile.part.lived.is_some() {
            let error = self.variances.of_class(class).sqrt() / class.allocated.bytes.max(1) as f64;
            return self.sureness_of_part(error);
        }
        let estimate = self.profile.estimates.get(&class.name).copied().unwrap_or_default();
        if self.profile.is_optimised_away(class) || !self.profile.counts_exactly(class) {
            let (bytes, error) = (estimate.allocated.bytes(), estimate.allocated.error_bytes());
            return plus_minus(error as f64 / bytes.max(1) as f64);
        }
        "counted".to_owned()
    }

    /// How sure a number is of a part by how long objects lived, which is mostly known between two collections.
    fn sureness_of_part(&self, error: f64) -> String {
        match (error > 0.0, self.profile.is_exact_part()) {
            (true, _) => format!("{}, by when last seen alive", plus_minus(error)),
            (false, true) => "counted".to_owned(),
            (false, false) => "by when last seen alive".to_owned(),
        }
    }

    /// What is live of a class, in how many objects if that is known about as well, and how sure both are: `1.14 MiB in 1.20 k objects (+-23 %)`.
    fn live_of(&self, class: &ClassProfile) -> String {
        let live = class.live.unwrap_or_default();
        let (bytes, number) =
            (units::bytes(live.bytes), format!(" in {} objects", units::count(live.objects)));
        let (sureness, of_objects) = self.sureness_of_live(class);
        // Each number has its own error, the same as in the full report.
        match of_objects {
            None => format!("{bytes} ({sureness})"),
            Some(same) if same == sureness => format!("{bytes}{number} ({sureness})"),
            Some(other) => format!("{bytes} ({sureness}){number} ({other})"),
        }
    }

    /// How sure the bytes and the objects of a class that are live are; `None`: the latter are known much worse.
    fn sureness_of_live(&self, class: &ClassProfile) -> (String, Option<String>) {
        let live = class.live.unwrap_or_default();
        let both = |text: String| (text.clone(), Some(text));
        if let Some(dropped) = self.profile.dropped_beside(class, live) {
            return both(at_least(dropped));
        }
        let (objects, bytes) = self.variances.of_live(class).relative(live);
        if bytes == 0.0 && objects == 0.0 {
            return both(self.sureness_of_part(0.0));
        }
        // A small object that was sampled stands for many.
        let is_worse = objects > FEW_OBJECTS && objects > 2.0 * bytes;
        (plus_minus(bytes), (!is_worse).then(|| plus_minus(objects)))
    }

    /// How sure it is how much of such a row is live; nothing if it was counted.
    fn sureness_of_old(&self, row: &OldRow<'_>) -> String {
        self.error_of_old(row).map_or_else(String::new, |error| format!(" (live: {})", plus_minus(error)))
    }

    /// The relative error of what is live of such a row, in bytes; `None` if nothing is, or it was counted.
    pub(super) fn error_of_old(&self, row: &OldRow<'_>) -> Option<f64> {
        let mut live = Tally::default();
        let variance = match row.method {
            Some(made_by) => {
                // What is live and escaped all samples is of other sites of the method, and none of what the sentence is about.
                let has_live = |site: &&SiteProfile| site.live.is_some_and(|live| !live.is_empty());
                let sites: Vec<_> = self.sites_charged(made_by).filter(has_live).collect();
                sites.iter().filter_map(|site| site.live).for_each(|part| live.add(part));
                self.variances.of_live_sites(sites)
            }
            None => {
                let class = self.profile.classes.iter().find(|class| class.name == row.class);
                live = class.and_then(|class| class.live).unwrap_or_default();
                class.map_or_else(TallyVariance::default, |class| self.variances.of_live(class))
            }
        };
        let is_estimate = !live.is_empty() && !row.old.live.is_empty() && variance.bytes > 0.0;
        is_estimate.then(|| variance.relative(live).1)
    }

    /// Sites that are charged to a method, by its class and name.
    fn sites_charged<'s>(&'s self, made_by: (&'s str, &'s str)) -> impl Iterator<Item = &'s SiteProfile> {
        let charged = move |site: &&SiteProfile| {
            self.rules.charged(&site.stack).is_some_and(|frame| frame.in_source() == made_by)
        };
        self.profile.sites.iter().filter(charged)
    }

    /// How fast all of it is.
    fn in_all(&self) -> Option<String> {
        let classes = &self.profile.classes;
        let bytes = self.profile.allocated_bytes_of_all();
        let objects = classes.iter().map(|class| class.allocated.objects).fold(0, u64::saturating_add);
        (bytes > 0).then(|| {
            format!(
                "in all {} were allocated, {}/s, by {} executed allocations of {} classes",
                units::bytes(bytes),
                units::bytes(self.rate(bytes)),
                units::count(objects),
                classes.len()
            )
        })
    }

    fn rate(&self, bytes: u64) -> u64 {
        let seconds = self.profile.duration_ms as f64 / 1000.0;
        if seconds > 0.0 { (bytes as f64 / seconds).round() as u64 } else { 0 }
    }
}

fn share(part: u64, whole: u64) -> String {
    whole_percent(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// A class that leaves room for the sentence.
fn name(class: &str) -> String {
    shorten(&class_text(class), NAME, "...")
}
