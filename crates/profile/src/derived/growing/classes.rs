//! Classes of the program that grow though no place is seen to make them: where objects are followed whatever their stacks, and of few the
//! stack was taken.

use std::collections::HashMap;

use super::births::Clock;
use super::growth::Growth;
use super::judged::LEAST_SAMPLES;
use super::pools::{Grower, Maker, Pool};
use super::worth::Worth;
use crate::derived::program::Program;
use crate::facts::jdk::is_of_the_program;
use crate::facts::run::Tracking;
use crate::stream::profile::{ClassProfile, Profile};

/// A class of which so much is named by place is named.
const NAMED: f64 = 0.5;

/// Those that surely grow, and of which `growers` name too little.
pub(super) fn growing(
    profile: &Profile,
    program: &Program<'_>,
    worth: &Worth<'_>,
    clocks: [Clock; 2],
    growers: &[Grower],
    judge: impl Fn(&Pool) -> Growth,
) -> Vec<Grower> {
    let has_few_stacks =
        matches!(profile.run.tracking, Tracking::EveryObject | Tracking::EveryNth(_) | Tracking::Balanced);
    if !profile.run.stacks || !has_few_stacks {
        return Vec::new();
    }
    let stacks = stacks_of_classes(profile, worth);
    let has_few =
        |class: &ClassProfile| stacks.get(&*class.name).is_none_or(|stacks| *stacks < LEAST_SAMPLES);
    let is_one = |class: &ClassProfile| is_of_the_program(&class.name) && has_few(class);
    let classes = profile.classes.iter().enumerate().filter(|(_, class)| is_one(class));
    let pools = classes.filter_map(|(row, class)| Pool::of_class(profile, worth, (row, class), clocks));
    let sure =
        pools.filter_map(|pool| Some(judge(&pool)).filter(Growth::is_sure).map(|growth| (pool, growth)));
    sure.map(|(pool, growth)| pool.grower(profile, program, clocks, growth))
        .filter(|grower| named(profile, growers, &grower.class) < NAMED * grower.live.bytes as f64)
        .collect()
}

/// On how many stacks what is live of each class rests by places. Of enough of these places are judged by themselves.
fn stacks_of_classes<'p>(profile: &'p Profile, worth: &Worth<'_>) -> HashMap<&'p str, f64> {
    let mut stacks: HashMap<&str, f64> = HashMap::new();
    for site in &profile.sites {
        let live = site.live.unwrap_or_default();
        let size = live.bytes as f64 / live.objects.max(1) as f64;
        *stacks.entry(&site.class).or_default() += live.bytes as f64 / worth.of_site(site, size).max(1.0);
    }
    stacks
}

/// Bytes of a class that are live at places that are named.
fn named(profile: &Profile, growers: &[Grower], class: &str) -> f64 {
    let of_places =
        growers.iter().filter(|grower| !matches!(grower.maker, Maker::Class(_)) && grower.growth.is_sure());
    let kept = of_places.flat_map(|grower| &grower.kept);
    kept.filter(|kept| profile.sites[kept.row].class == class).map(|kept| kept.live.bytes as f64).sum()
}
