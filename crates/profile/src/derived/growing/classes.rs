//! Classes of the program that grow though no place is sure to: where objects are followed whatever their stacks more is known of a class than of
//! its places, whose arrays and strings of few stacks hide what it is.

use std::collections::BTreeMap;

use super::births::Clock;
use super::growth::Growth;
use super::joined::by_method;
use super::pools::{Grower, Maker, Pool};
use super::worth::Worth;
use crate::derived::program::Program;
use crate::facts::jdk::is_of_the_program;
use crate::facts::run::Tracking;
use crate::stream::profile::Profile;

/// A class of which so much is named by place is named.
const NAMED: f64 = 0.5;
/// A place that makes this share of a class makes it.
const NEARLY_ALL: f64 = 0.9;

/// The same growers, and classes that surely grow of which these name too little. What is undecided of such a class's place goes.
pub(super) fn with_classes(
    profile: &Profile,
    program: &Program<'_>,
    worth: &Worth<'_>,
    clocks: [Clock; 2],
    mut growers: Vec<Grower>,
    judge: impl Fn(&Pool) -> Growth,
) -> Vec<Grower> {
    let knows_classes_best =
        matches!(profile.run.tracking, Tracking::EveryObject | Tracking::EveryNth(_) | Tracking::Balanced);
    if !profile.run.stacks || !knows_classes_best {
        return growers;
    }
    let classes = profile.classes.iter().enumerate().filter(|(_, class)| is_of_the_program(&class.name));
    let pools = classes.filter_map(|(row, class)| Pool::of_class(profile, worth, (row, class), clocks));
    let sure =
        pools.filter_map(|pool| Some(judge(&pool)).filter(Growth::is_sure).map(|growth| (pool, growth)));
    let sure: Vec<_> = sure.map(|(pool, growth)| pool.grower(profile, program, clocks, growth)).collect();
    name_by(profile, &mut growers, &sure);
    let mut classes: Vec<_> = sure
        .into_iter()
        .filter(|grower| named(profile, &growers, &grower.class) < NAMED * grower.live.bytes as f64)
        .map(|grower| Grower {
            class_made_at: maker_of(profile, &grower.class),
            // What its objects have of their own, arrays and strings, is of other classes.
            is_at_least: true,
            ..grower
        })
        .collect();
    growers.retain(|grower| {
        grower.growth.is_sure() || classes.iter().all(|class| class.class != grower.named_class())
    });
    classes.sort_by(|a, b| b.bytes_per_s.total_cmp(&a.bytes_per_s));
    // What one method makes are parts of one thing.
    let made_at = |class: &Grower| class.class_made_at.clone();
    let name = |class: &mut Grower, maker| class.class_made_at = Some(maker);
    for class in by_method(profile, program, classes, made_at, name) {
        let method = class.class_made_at.as_ref().map(Maker::without_line);
        let is_whole = |of: &&mut Grower| of.growth.is_sure() && Some(of.maker.without_line()) == method;
        match growers.iter_mut().find(is_whole) {
            // It is made beside what is named already.
            Some(whole) => whole.is_at_least = true,
            None => growers.push(class),
        }
    }
    growers
}

/// Names what grows at a place, and has no class of its own by the few stacks there, by the class that surely grows and is made there.
fn name_by(profile: &Profile, growers: &mut [Grower], classes: &[Grower]) {
    for grower in growers.iter_mut().filter(|grower| grower.own_class.is_none() && !grower.is_class()) {
        let is_in = |class: &&Grower| {
            grower
                .kept
                .iter()
                .any(|kept| profile.sites[kept.row].class == class.class && !kept.live.is_empty())
        };
        grower.own_class = classes
            .iter()
            .filter(is_in)
            .max_by_key(|class| class.live.bytes)
            .map(|class| class.class.clone());
    }
}

/// The line, else the method, that makes nearly all objects of a class.
fn maker_of(profile: &Profile, class: &str) -> Option<Maker> {
    let sites = || profile.sites.iter().filter(|site| site.class == class);
    let all: u64 = sites().map(|site| site.allocated.objects).sum();
    [true, false].into_iter().find_map(|with_line| {
        let mut makers: BTreeMap<Maker, u64> = BTreeMap::new();
        for site in sites() {
            let maker = Maker::of(site.stack.maker_frame(), with_line);
            *makers.entry(maker).or_default() += site.allocated.objects;
        }
        let (maker, most) = makers.into_iter().max_by_key(|(_, objects)| *objects)?;
        (maker != Maker::Unknown && most as f64 >= NEARLY_ALL * all as f64).then_some(maker)
    })
}

/// Bytes of a class that are live at places that are named.
fn named(profile: &Profile, growers: &[Grower], class: &str) -> f64 {
    let of_places = growers.iter().filter(|grower| !grower.is_class() && grower.growth.is_sure());
    let kept = of_places.flat_map(|grower| &grower.kept);
    kept.filter(|kept| profile.sites[kept.row].class == class).map(|kept| kept.live.bytes as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lifetimes;
    use crate::facts::frame::Frame;
    use crate::facts::tally::Tally;
    use crate::stream::profile::{ClassProfile, SiteProfile};

    use super::super::pools::Kept;

    const SECONDS: u64 = 100;

    /// Of each class ten objects a second, all there; made at lines of one method.
    fn profile(classes: &[(&str, u32)]) -> Profile {
        let mut profile = Profile { gcs: 9, duration_ms: SECONDS * 1_000, ..Profile::default() };
        (profile.run.tracking, profile.run.stacks, profile.run.lifetimes) =
            (Tracking::EveryObject, true, true);
        for &(name, line) in classes {
            let mut lifetimes = Lifetimes::default();
            for age in 1..=SECONDS {
                lifetimes.ms.record_living(age * 1_000, 10);
                lifetimes.bytes.record_living(age << 20, 10);
            }
            let (allocated, live) = (Tally::of(SECONDS * 10, 32), Some(Tally::of(SECONDS * 10, 32)));
            let lifetimes = Some(lifetimes);
            let name = name.to_owned();
            let frame =
                Frame { class: "a.Bus".into(), method: "add".into(), line: Some(line), ..Frame::default() };
            let stack = [frame].into_iter().collect();
            profile.sites.push(SiteProfile {
                class: name.clone(),
                stack,
                allocated,
                live,
                ..SiteProfile::default()
            });
            profile.classes.push(ClassProfile {
                name,
                allocated,
                live,
                lifetimes,
                ..ClassProfile::default()
            });
        }
        profile
    }

    fn named_beside(profile: &Profile, growers: Vec<Grower>) -> Vec<(String, String)> {
        let (program, worth, clocks) = (Program::of(profile), Worth::of(profile), Clock::both(profile));
        let judge = |pool: &Pool| Growth::of(pool, clocks, 0.0);
        let found = with_classes(profile, &program, &worth, clocks, growers, judge);
        let row = |grower: &Grower| (grower.class.clone(), grower.method().unwrap_or_default());
        found.iter().map(row).collect()
    }

    /// A listener in five was kept, each was followed, and nothing was said of it: of the strings made at its line few stacks were taken,
    /// most of which were of dead ones.
    #[test]
    fn a_class_that_surely_grows_is_named_whatever_its_place_looks_like() {
        let profile = profile(&[("a.Listener", 7)]);
        let named = [("a.Listener".to_owned(), "a.Bus.add:7".to_owned())];
        assert_eq!(named_beside(&profile, vec![]), named);
        let place = |growth| Grower {
            maker: Maker::Method { class: "a.Bus".into(), method: "add".into(), line: Some(7) },
            own_class: Some("a.Listener".into()),
            class: "[B".into(),
            kept: vec![Kept { row: 0, live: Tally::of(600, 32), ..Kept::default() }],
            growth,
            ..Grower::default()
        };
        assert_eq!(named_beside(&profile, vec![place(Growth::Unsure("few".into()))]), named);
        assert_eq!(
            named_beside(&profile, vec![place(Growth::Grows)]),
            [("[B".to_owned(), "a.Bus.add:7".to_owned())],
            "its place names it"
        );
        let mut by_sample = profile;
        by_sample.run.tracking = Tracking::ByteSample(8192);
        assert_eq!(named_beside(&by_sample, vec![]), [], "of its places as much is known");
    }

    #[test]
    fn classes_that_one_method_makes_are_one_thing() {
        let two = profile(&[("a.Key", 7), ("a.Listener", 8)]);
        let found = named_beside(&two, vec![]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].1, "a.Bus.add");
    }
}
