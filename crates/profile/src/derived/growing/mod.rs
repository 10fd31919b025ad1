//! What becomes more and more: survivors pooled by the place of the program that makes them, and judged by when they were born.
//!
//! A leaked object is some `byte[]`, a `String`, a node and the program's own class, all from one method: four classes with few
//! samples each, three of them busy with garbage. So samples of all classes are pooled by the first frame of the program's own.
//! Not here: what a user is told (`mayfly-verdicts`, `mayfly-report`).

mod below;
mod births;
mod classes;
mod containers;
mod growth;
mod held;
mod joined;
mod judged;
mod pools;
mod worth;

pub use births::Births;
pub use growth::Growth;
pub use held::Holder;
pub use judged::LEAST_SAMPLES;
pub use pools::{Grower, Kept, Maker};

use std::cell::LazyCell;
use std::mem;
use std::ops::Deref;

use crate::derived::own_code::is_foreign;
use crate::derived::program::Program;
use crate::derived::quiet_end::quiet_end;
use crate::facts::jdk::is_of_the_program;
use crate::facts::readings::UPTIME_MS;
use crate::facts::retention::RetentionRow;
use crate::facts::run::Tracking;
use crate::fitted::variance::Variances;
use crate::stream::history::soft_since;
use crate::stream::profile::{ClassProfile, Profile};
use births::Clock;
use pools::Pool;
use worth::Worth;

/// Bytes that are too few to speak of, and the share of all that is live.
const LEAST_BYTES: f64 = 8192.0;
const LEAST_SHARE: f64 = 0.001;
/// So many objects of a class of the program's are never too few: what they hold is not counted with them. Those of a framework or library
/// are mostly parts of what the program keeps.
const MANY_OF_A_CLASS: f64 = 256.0;
/// Collections from which on survivors are told from what was not looked at yet.
const COLLECTIONS: u32 = 2;
/// The oldest that is known alive must be so old, for the time that was profiled.
const SEEN: f64 = 0.5;
/// One soft reference for ten objects that are alive (an entry is some node, a key and its array, the reference and a value of a few
/// objects): it may be a cache that the collector empties.
const SOFT: f64 = 0.1;

/// The same, where of the program's soft references only the number is known: so many for one object of the class of most bytes, of which an
/// entry may have three: its key's, its value's and another.
const SOFT_OF_CLASS: f64 = 0.3;
/// A relative error beyond which a number is of few samples.
const FEW_SAMPLES: f64 = 0.5;
/// One with which nobody says "at least".
const ROUGH: f64 = 0.25;
/// Fewer are the JDK's own.
const FEW_SOFT: f64 = 32.0;

/// Of a program that ran for less nothing surely grows: what it keeps for some seconds looks the same.
const SHORTEST_MS: u64 = 6_000;

/// What was found of growth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growing {
    /// Who keeps more and more: what surely grows first, then by bytes a second.
    pub growers: Vec<Grower>,
    /// The slowest growth that would have been seen, in bytes a second.
    pub floor: f64,
    /// Whether that is of the JDK's objects and arrays only: of the program's own classes each object was followed.
    pub own_are_known: bool,
    /// Bytes of all that is live, by the same samples.
    pub live_bytes: f64,
    /// Classes of which few stacks were taken: so many bytes a second, at most, of what grows are not among `growers`, the most first.
    pub of_few_stacks: Vec<(String, f64)>,
}

impl Growing {
    /// Takes in what surely grew until the last part of the time, and not since; `doubt`: what that leaves open, if anything. What is sure by the
    /// whole time as well grew at that pace.
    fn add_before(&mut self, before: Vec<Grower>, doubt: Option<fn(u64) -> Growth>) {
        for mut grower in before.into_iter().filter(|grower| grower.growth.is_sure()) {
            let Some(until_ms) = grower.until_ms else { continue };
            let pace = grower.bytes_per_s / grower.live.bytes.max(1) as f64;
            let is_it = |other: &Grower| other.kept.iter().any(|kept| grower.has(kept.row));
            let mut is_known = false;
            for known in self.growers.iter_mut().filter(|other| other.growth.is_sure() && is_it(other)) {
                known.bytes_per_s = pace * known.live.bytes as f64;
                known.until_ms = Some(until_ms);
                is_known = true;
            }
            if is_known {
                continue;
            }
            self.growers.retain(|other| !is_it(other));
            if let Some(doubt) = doubt {
                grower.growth = doubt(until_ms);
            }
            self.growers.push(grower);
        }
    }

    /// Whether growth so slow that it would not have been seen takes longer than a day to double what is live.
    pub fn floor_is_small(&self) -> bool {
        const DAY: f64 = 24.0 * 3600.0;
        self.floor * DAY <= self.live_bytes
    }
}

/// Of the objects that stay so many times as many are to be older than the recording.
const OLDER: f64 = 0.25;
const REPLACED_DOUBT: &str = "hardly any objects of its class are older than the recording, though the program ran as long before: they may be kept for a while, as \
                              in a cache; record for longer, or ask mayfly leaks PID";

const BEFORE_DOUBT: &str = "how many of its class were there before the recording is not known, and the program ran for longer: they may replace those, as in a cache; \
                            mayfly leaks PID tells";

impl Profile {
    /// Who keeps more and more.
    ///
    /// # Errors
    /// Why it can't be told.
    pub fn growing(&self) -> Result<Growing, String> {
        if !self.run.lifetimes {
            return Err("no lifetimes were recorded".to_owned());
        }
        if self.gcs < COLLECTIONS {
            let collections = match self.gcs {
                0 => "no collection was seen, which is".to_owned(),
                1 => "1 collection is".to_owned(),
                several => format!("{several} collections are"),
            };
            return Err(format!(
                "{collections} too few to tell what stays from what was not looked at yet: record for longer"
            ));
        }
        let clocks = Clock::both(self);
        let [whole_ms, _] = clocks.map(|clock| clock.whole);
        if !self.reaches_back(whole_ms) {
            return Err(
                "no collection of the second half of the time has looked at all that is old: only a full one tells what of it stays"
                    .to_owned(),
            );
        }
        let (program, worth) = (Program::of(self), Worth::of(self));
        // Made once, and only if something grows.
        let variances = LazyCell::new(|| Variances::of(self));
        let mut growing = self.growing_by(clocks, &program, &worth, &variances);
        // What has filled the heap stops for want of room.
        let full = self.without_room().map(|last| (last, None));
        let quiet =
            || quiet_end(&self.history).map(|last| (last, Some(Growth::while_busy as fn(u64) -> Growth)));
        if let Some((last, doubt)) = full.or_else(quiet)
            && let Some(before) = Clock::before(clocks, last)
        {
            growing.add_before(self.growing_by(before, &program, &worth, &variances).growers, doubt);
        }
        growing.growers.sort_by(|a, b| {
            (a.growth.rank().cmp(&b.growth.rank())).then_with(|| b.bytes_per_s.total_cmp(&a.bytes_per_s))
        });
        Ok(growing)
    }

    /// Who keeps more and more in the time of these clocks.
    fn growing_by<'p>(
        &'p self,
        clocks: [Clock; 2],
        program: &Program<'_>,
        worth: &Worth<'_>,
        variances: &impl Deref<Target = Variances<'p>>,
    ) -> Growing {
        let [whole_ms, _] = clocks.map(|clock| clock.whole);
        let pools = Pool::all(self, program, worth, clocks, &containers::of_sites(self, program));
        let live_bytes: f64 = pools.iter().map(|pool| pool.births[0].living()).sum();
        let least = LEAST_BYTES.max(live_bytes * LEAST_SHARE);
        let judge = |pool: &Pool| {
            let growth = Growth::of(pool, clocks, if self.is_of_many(pool) { 0.0 } else { least });
            if growth.is_harmless() || pool.soft < SOFT * pool.objects {
                growth
            } else {
                growth.perhaps_softly()
            }
        };
        let soft = soft_since(&self.history, self.duration_ms / 2) as f64;
        let mut growers = Vec::new();
        for pools in containers::apart(pools) {
            let grows = |pool: &Pool| Growth::of(pool, clocks, 0.0).is_sure();
            let mut of = pools::growers(self, program, &pools, clocks, judge, grows);
            for (pool, growth) in below::growing(&pools, &of, judge) {
                let whole = pool.grower(self, program, clocks, growth);
                of.retain(|part| !part.is_part_of(&whole));
                of.push(whole);
            }
            for grower in of.iter_mut().filter(|grower| grower.growth.is_sure()) {
                if soft >= FEW_SOFT.max(SOFT_OF_CLASS * self.born_late(grower)) {
                    grower.growth = mem::take(&mut grower.growth).perhaps_softly();
                }
            }
            growers.extend(joined::joined(self, program, of));
        }
        let is_balanced = self.run.tracking == Tracking::Balanced;
        self.doubt_few_samples(&mut growers, variances);
        self.settle_soft(&mut growers, program);
        growers = classes::with_classes(self, program, worth, clocks, growers, judge);
        for grower in &mut growers {
            if let Some(holder) = self.holder_of(grower, program) {
                grower.growth = holder.judge(mem::take(&mut grower.growth), grower.lost(self));
                grower.holder = Some(holder);
            }
        }
        growers.retain(|grower| !grower.growth.is_harmless());
        for grower in growers.iter_mut().filter(|grower| grower.growth.is_sure()) {
            if self.is_replaced(grower, variances) {
                grower.growth = Growth::Unsure(REPLACED_DOUBT.to_owned());
            } else if self.is_unknown_before(grower) {
                grower.growth = Growth::Unsure(BEFORE_DOUBT.to_owned());
            }
        }
        if self.duration_ms < SHORTEST_MS {
            for grower in growers.iter_mut().filter(|grower| grower.growth.is_sure()) {
                grower.growth = Growth::Shortly(format!(
                    "the program was profiled for {:.1} s only: what is kept for some seconds looks the same",
                    self.duration_ms as f64 / 1000.0
                ));
            }
        }
        growers = joined::by_container(self, program, growers);
        let is_shared = is_balanced && self.classes.iter().any(|class| self.is_shared(class));
        // Of each object its class is known, and not its stack, where there is no room for all.
        let is_thinned =
            self.run.tracking == Tracking::EveryObject && self.trust.following.thinned_to_one_in > 1;
        for grower in &mut growers {
            grower.error = self.error_of(grower, variances);
            let is_part = grower.is_at_least || ((is_shared || is_thinned) && !grower.is_class());
            // What is known of it may be far too much.
            grower.is_at_least = is_part && grower.error <= if is_thinned { FEW_SAMPLES } else { ROUGH };
        }
        let floor = (LEAST_SAMPLES * worth.of_one()).max(least) * 1000.0 / whole_ms.max(1.0);
        let floor = no_more_than(floor, self.left_by_the_last().map(|left| left.bytes), whole_ms);
        let own_are_known = self.run.tracking == Tracking::EveryObject
            && self.run.stacks
            && self.trust.following.thinned_to_one_in <= 1;
        let of_few_stacks = if is_shared && !growers.is_empty() {
            self.left_of_few_stacks(clocks, worth, &growers)
        } else {
            Vec::new()
        };
        Growing { growers, floor, own_are_known, live_bytes, of_few_stacks }
    }

    /// Whether many objects of the program's own are in a pool: of a class; or of a place, where of the arrays that they hold few stacks were taken.
    fn is_of_many(&self, pool: &Pool) -> bool {
        let own = match &pool.maker {
            Maker::Class(class) if !is_foreign(class) => pool.objects,
            Maker::Method { .. } if self.run.tracking == Tracking::Balanced => {
                let sites = pool.rows.iter().map(|(row, _)| &self.sites[*row]);
                let own = sites.filter(|site| is_of_the_program(&site.class) && !is_foreign(&site.class));
                own.filter_map(|site| site.live).map(|live| live.objects as f64).sum()
            }
            _ => 0.0,
        };
        own >= MANY_OF_A_CLASS
    }

    /// Whether of a class a share was followed, and few stacks were taken.
    fn is_shared(&self, class: &ClassProfile) -> bool {
        self.shares.get(&class.name).is_some_and(|share| share.stacks < class.allocated.objects)
    }

    /// Of classes of which few stacks were taken, by how many bytes a second more became old than these growers have of them; whether that stays
    /// is not known.
    fn left_of_few_stacks(
        &self,
        clocks: [Clock; 2],
        worth: &Worth<'_>,
        growers: &[Grower],
    ) -> Vec<(String, f64)> {
        let classes = self.classes.iter().enumerate().filter(|(_, class)| self.is_shared(class));
        let pools = classes.filter_map(|row| Some((row.1, Pool::of_class(self, worth, row, clocks)?)));
        let sure = || growers.iter().filter(|grower| grower.growth.is_sure());
        let named = |class: &str| sure().map(|grower| grower.late_of(self, class)).sum::<f64>();
        let halves_s = clocks[0].whole / 2000.0;
        let mut rates: Vec<_> = pools
            .map(|(class, pool)| (class, pool.births[0].staying() - named(&class.name)))
            .filter(|(_, left)| *left > 0.0)
            .map(|(class, left)| (class.name.clone(), left / halves_s.max(1e-3)))
            .collect();
        rates.sort_by(|a, b| b.1.total_cmp(&a.1));
        rates
    }

    /// Whether the oldest age at which anything is known alive is of the first half of the time.
    fn reaches_back(&self, oldest_ms: f64) -> bool {
        oldest_ms >= SEEN * self.duration_ms as f64
    }

    /// Where a share of each class is followed, few samples of a frequent class may be most of what a place makes: that it grows is not sure. Nor is it
    /// anywhere, if the error of how much is larger than that.
    fn doubt_few_samples(&self, growers: &mut [Grower], variances: &Variances<'_>) {
        let (most, why) = match self.run.tracking {
            Tracking::Balanced => (
                FEW_SAMPLES,
                "it rests on few samples of frequent classes: mayfly run without #track-balanced has more",
            ),
            _ => (1.0, "it rests on few samples, of which one stands for much of it: record for longer"),
        };
        for grower in growers.iter_mut().filter(|grower| grower.growth.is_sure()) {
            if self.error_of(grower, variances) > most {
                grower.growth = Growth::Unsure(why.to_owned());
            }
        }
    }

    /// The relative error of what a grower brings in a second, and so of its bytes at most; of what it is at least, not of how much more it is.
    fn error_of(&self, grower: &Grower, variances: &Variances<'_>) -> f64 {
        let rows = grower.kept.iter().map(|kept| kept.row);
        let variance = if grower.is_class() {
            rows.map(|row| variances.of_live(&self.classes[row]).bytes).sum()
        } else {
            let sites: Vec<_> = rows.map(|row| &self.sites[row]).collect();
            variances.of_live_sites(sites.iter().copied()).bytes
        };
        let samples = grower.samples.max(1.0);
        let of_all = (1.0 / samples.sqrt()).max(variance.sqrt() / grower.live.bytes.max(1) as f64);
        // Which part of them came lately the samples tell, too.
        let late = grower.late().max(1.0 / samples);
        of_all.hypot(((1.0 - late) / late / samples).sqrt())
    }

    /// Whether hardly any objects of a grower's class are there that were made before the recording, though the program ran as long before: what
    /// was kept then is dropped since.
    fn is_replaced(&self, grower: &Grower, variances: &Variances<'_>) -> bool {
        let class = grower.own_class.as_ref().unwrap_or(&grower.class);
        if !self.ran_long_before() || is_foreign(class) {
            return false;
        }
        let known = self.on_heap.get(class).zip(self.classes.iter().find(|known| known.name == *class));
        known.is_some_and(|(&on_heap, class)| {
            let since = class.live.unwrap_or_default().objects as f64;
            let error = variances.of_live(class).objects.sqrt();
            if error > FEW_SAMPLES * since {
                // Of few samples it is not known how many are older; but not that any is, if as many were made as are there.
                return grower.own_class.is_some() && class.allocated.objects >= on_heap;
            }
            on_heap as f64 - since < (OLDER * since).max(2.0 * error)
        })
    }

    /// Whether of a program that ran long before the recording nobody has counted how many objects there are of a grower's own class, or looked at
    /// what is on its heap at all.
    fn is_unknown_before(&self, grower: &Grower) -> bool {
        let own = grower.own_class.as_ref().filter(|class| !is_foreign(class));
        let nobody_looked = self.on_heap.is_empty() && self.retention.is_empty();
        self.ran_long_before()
            && (nobody_looked || own.is_some_and(|class| !self.on_heap.contains_key(class)))
    }

    /// Whether the program ran before the recording for as long as that took.
    fn ran_long_before(&self) -> bool {
        let uptime_ms = self.readings.0.get(&UPTIME_MS).copied().unwrap_or(0);
        !self.is_from_launch() && uptime_ms >= 2 * self.duration_ms
    }

    /// What is held by nothing soft surely grows: before it is asked which classes do that no place names, as these would hide it.
    fn settle_soft(&self, growers: &mut [Grower], program: &Program<'_>) {
        for grower in growers.iter_mut().filter(|grower| grower.growth == Growth::PerhapsSoftly) {
            let judged =
                self.holder_of(grower, program).map(|holder| holder.judge(Growth::PerhapsSoftly, 0.0));
            if judged.is_some_and(|growth| growth.is_sure()) {
                grower.growth = Growth::Grows;
            }
        }
    }

    /// Who holds the objects of a grower: by those of its own class, else by those of most bytes.
    fn holder_of(&self, grower: &Grower, program: &Program<'_>) -> Option<Holder> {
        let by_class = grower.is_class();
        let rows_of = |row: usize| {
            let site = (!by_class).then(|| &self.sites[row]);
            let is_of = move |known: &&RetentionRow| match site {
                // Of the program's own classes each object may have been looked at, and few stacks taken.
                Some(site) => {
                    let is_of_class = known.stack.is_empty() && is_of_the_program(&known.class);
                    known.class == site.class && (known.stack == site.stack || is_of_class)
                }
                None => known.class == self.classes[row].name,
            };
            self.retention.iter().filter(is_of).collect::<Vec<_>>()
        };
        let found: Vec<_> = grower.kept.iter().map(|kept| rows_of(kept.row)).collect();
        let is_own = |rows: &&Vec<&RetentionRow>| {
            rows.first().is_some_and(|row| grower.own_class.as_ref() == Some(&row.class))
        };
        let known = found.iter().find(is_own).or_else(|| found.iter().find(|rows| !rows.is_empty())).cloned();
        let known = known.or_else(|| self.held_of_maker(&grower.maker));
        Holder::of(&known?, program.family())
    }

    /// Who holds what a method makes: objects of one class and site. They may have been looked for before the end, when others were most.
    fn held_of_maker(&self, maker: &Maker) -> Option<Vec<&RetentionRow>> {
        let Maker::Method { line, .. } = maker else { return None };
        let is_made_there =
            |row: &&RetentionRow| Maker::of(row.stack.maker_frame(), line.is_some()) == *maker;
        let first = self.retention.iter().find(is_made_there)?;
        Some(
            self.retention
                .iter()
                .filter(|row| (&row.class, &row.stack) == (&first.class, &first.stack))
                .collect(),
        )
    }

    /// Objects of the class of most bytes that were born in the second half of the time.
    fn born_late(&self, grower: &Grower) -> f64 {
        let of_class = grower.kept.iter().filter(|kept| grower.class_of(self, kept) == grower.class);
        let late = of_class.map(Kept::lately);
        late.sum::<u64>() as f64
    }
}

/// A floor in bytes a second, if the heap holds so many bytes in the end: no leak can have brought more.
fn no_more_than(floor: f64, left: Option<u64>, whole_ms: f64) -> f64 {
    left.map_or(floor, |left| floor.min(left as f64 * 1000.0 / whole_ms.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;
    use crate::facts::retention::{Link, LinkKind};
    use crate::facts::run::EngineKind;
    use crate::facts::share::Share;
    use crate::facts::tally::Tally;
    use crate::stream::profile::SiteProfile;

    #[test]
    fn what_replaced_all_that_was_there_before_the_recording_may_be_a_cache() {
        let class = |live| ClassProfile {
            name: "shop.Booking".into(),
            allocated: Tally::of(live, 40),
            live: Some(Tally::of(live, 40)),
            ..ClassProfile::default()
        };
        let is_replaced = |on_heap: u64, uptime_ms: u64| {
            let mut profile =
                Profile { classes: vec![class(1_200)], duration_ms: 60_000, ..Profile::default() };
            profile.on_heap.insert("shop.Booking".into(), on_heap);
            profile.readings.0.insert(UPTIME_MS, uptime_ms);
            let grower = Grower { own_class: Some("shop.Booking".into()), ..Grower::default() };
            profile.is_replaced(&grower, &Variances::of(&profile))
        };
        assert!(is_replaced(1_250, 300_000), "kept for a minute each");
        assert!(!is_replaced(6_000, 300_000), "those of before are there, too");
        assert!(!is_replaced(1_250, 90_000), "it did not run for long before");
    }

    /// "Hardly any objects of its class are older": 1,543 of 2,343 were, of which three samples stood for 2,056.
    #[test]
    fn of_few_samples_it_is_not_known_what_was_replaced() {
        let is_replaced = |samples: u64, on_heap: u64| {
            let class = ClassProfile {
                name: "a.Subscription".into(),
                allocated: Tally::of(2_000, 24),
                live: Some(Tally::of(2_000, 24)),
                between_samples: Some(2_000 * 24 / samples),
                ..ClassProfile::default()
            };
            let mut profile = Profile { classes: vec![class], duration_ms: 60_000, ..Profile::default() };
            profile.run.engine = EngineKind::Sampled;
            profile.run.tracking = Tracking::ByteSample(2_000 * 24 / samples);
            profile.run.lifetimes = true;
            profile.on_heap.insert("a.Subscription".into(), on_heap);
            profile.readings.0.insert(UPTIME_MS, 300_000);
            let grower = Grower { own_class: Some("a.Subscription".into()), ..Grower::default() };
            profile.is_replaced(&grower, &Variances::of(&profile))
        };
        assert_eq!([3, 300].map(|samples| is_replaced(samples, 2_050)), [false, true]);
        assert!(is_replaced(3, 1_900), "as many were made as are there");
    }

    /// The holder was looked for by the program's own class, of which hardly any are sampled; in the last step of a recording none is.
    #[test]
    fn who_holds_another_class_of_the_same_place_holds_it() {
        let stack = Frame { class: "shop.Audit".into(), method: "note".into(), file: None, line: Some(12) };
        let stack: crate::Stack = [stack].into_iter().collect();
        let held = RetentionRow {
            class: "shop.Audit$Note".into(),
            stack: stack.clone(),
            looked: 9,
            path: vec![Link {
                class: "shop.Audit".to_owned(),
                by: LinkKind::StaticField("NOTES".to_owned()),
                holders: 1,
                room: None,
                expiry: None,
            }],
        };
        let site = SiteProfile { class: "[B".into(), stack: stack.clone(), ..SiteProfile::default() };
        let profile = Profile { sites: vec![site], retention: vec![held], ..Profile::default() };
        let at = |with_line| Grower {
            maker: Maker::of(stack.maker_frame(), with_line),
            kept: vec![pools::Kept::default()],
            ..Grower::default()
        };
        let holder =
            |grower| profile.holder_of(&grower, &Program::of(&profile)).and_then(|holder| holder.name);
        assert_eq!(holder(at(true)).as_deref(), Some("shop.Audit.NOTES"));
        assert_eq!(holder(at(false)).as_deref(), Some("shop.Audit.NOTES"));
        let other = Maker::Method { class: "shop.Audit".into(), method: "note".into(), line: Some(13) };
        assert_eq!(holder(Grower { maker: other, ..at(true) }), None);
    }

    /// "growing: lately >=479 B/s, all of Subscription", of 4.84 KiB/s, as a library made soft references: where each object is followed, who holds
    /// them was known of the class only.
    #[test]
    fn what_a_list_holds_grows_whatever_soft_references_a_library_makes() {
        let frame = Frame { class: "a.Topic".into(), method: "add".into(), file: None, line: Some(7) };
        let stack: crate::Stack = [frame].into_iter().collect();
        let field = |by, holders| Link { class: "a.Topic".into(), by, holders, room: None, expiry: None };
        let settled = |class: &str, path| {
            let held = RetentionRow { class: class.into(), stack: crate::Stack::NONE, looked: 40, path };
            let site = SiteProfile { class: class.into(), stack: stack.clone(), ..SiteProfile::default() };
            let profile = Profile { sites: vec![site], retention: vec![held], ..Profile::default() };
            let kept = vec![pools::Kept::default()];
            let maker = Maker::Method { class: "a.Other".into(), method: "add".into(), line: None };
            let mut growers = [Grower { maker, kept, growth: Growth::PerhapsSoftly, ..Grower::default() }];
            profile.settle_soft(&mut growers, &Program::of(&profile));
            growers[0].growth.is_sure()
        };
        let listed = || vec![field(LinkKind::StaticField("LISTENERS".to_owned()), 1)];
        assert!(settled("a.Subscription", listed()));
        assert!(!settled("[B", listed()), "arrays of others may be held elsewhere");
        let soft = Link {
            class: "java.lang.ref.SoftReference".into(),
            ..field(LinkKind::Field("referent".to_owned()), 40)
        };
        assert!(!settled("a.Subscription", [vec![soft], listed()].concat()));
    }

    /// "lately >=10.7 KiB/s" of 61: of the byte[240] of each record no stack was taken.
    #[test]
    fn what_few_stacks_were_taken_of_is_bounded_by_what_its_class_keeps() {
        let class = |name: &str, each: u64| {
            let mut lifetimes = crate::Lifetimes::default();
            // One a second, for 100 s.
            for age in 0..100 {
                lifetimes.ms.record_living(age * 1_000 + 500, 1);
                lifetimes.bytes.record_living((age << 20) + 500, 1);
            }
            let (allocated, live) = (Tally::of(9_000, each), Some(Tally::of(100, each)));
            ClassProfile {
                name: name.into(),
                allocated,
                live,
                lifetimes: Some(lifetimes),
                ..ClassProfile::default()
            }
        };
        let mut profile = Profile {
            classes: vec![class("[B", 240), class("a.Record", 32)],
            duration_ms: 100_000,
            ..Profile::default()
        };
        for class in ["[B", "a.Record"] {
            let mut share = Share::default();
            share.record(9_000, Some(9_000));
            profile.shares.insert(class.into(), share);
        }
        let kept = vec![Kept { row: 1, live: Tally::of(100, 32), born: [50, 25, 25], ..Kept::default() }];
        let growers = [Grower {
            maker: Maker::Class("a.Record".into()),
            kept,
            growth: Growth::Grows,
            ..Grower::default()
        }];
        let (clocks, worth) = (Clock::both(&profile), Worth::of(&profile));
        let left = profile.left_of_few_stacks(clocks, &worth, &growers);
        let of = |class: &str| left.iter().find(|(name, _)| name == class).map_or(0.0, |(_, rate)| *rate);
        assert!((230.0..=250.0).contains(&of("[B")), "{left:?}");
        assert!(of("a.Record") < 2.0, "it is named: {left:?}");
    }

    /// "byte[] leaks, made by Svc.render", lately 24.4 KiB/s (few samples): a cache that is full, of which two samples of large classes were left.
    #[test]
    fn what_rests_on_few_samples_of_frequent_classes_is_not_sure_to_grow() {
        let grows = |each: u64| {
            let site = SiteProfile {
                class: "[B".into(),
                allocated: Tally::of(1_000_000, 100),
                live: Some(Tally::of(4_000, 100)),
                ..SiteProfile::default()
            };
            let class = ClassProfile {
                name: "[B".into(),
                allocated: site.allocated,
                live: site.live,
                ..ClassProfile::default()
            };
            let mut profile = Profile { sites: vec![site], classes: vec![class], ..Profile::default() };
            (profile.run.tracking, profile.run.lifetimes, profile.run.stacks) =
                (Tracking::Balanced, true, true);
            let mut share = Share::default();
            (0..1_000_000 / each).for_each(|_| share.record(each, Some(each)));
            profile.shares.insert("[B".into(), share);
            let live = Tally::of(4_000, 100);
            let kept = vec![Kept { live, born: [2_000, 1_000, 1_000], ..Kept::default() }];
            let maker = Maker::Method { class: "a.Svc".into(), method: "render".into(), line: None };
            let mut growers =
                [Grower { maker, kept, live, samples: 40.0, growth: Growth::Grows, ..Grower::default() }];
            profile.doubt_few_samples(&mut growers, &Variances::of(&profile));
            growers[0].growth.is_sure()
        };
        assert_eq!([1, 10, 2_000].map(grows), [true, true, false]);
    }

    /// "A leak below 672 MiB/s would not have been seen", of a heap of 400 MiB in 78 s.
    #[test]
    fn no_leak_brings_more_than_is_there() {
        assert_eq!(no_more_than(700e6, Some(15_600_000), 78_000.0), 200e3);
        assert_eq!(no_more_than(1e3, Some(15_600_000), 78_000.0), 1e3);
        assert_eq!(no_more_than(700e6, None, 78_000.0), 700e6);
    }
}
