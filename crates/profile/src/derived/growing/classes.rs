//! Classes of the program that grow though no place is seen to make them: where objects are followed whatever their stacks, and of few the
//! stack was taken.

use super::births::Clock;
use super::growth::Growth;
use super::pools::{Grower, Maker, Pool};
use super::worth::Worth;
use crate::derived::program::Program;
use crate::facts::jdk::is_of_the_program;
use crate::facts::run::Tracking;
use crate::stream::profile::Profile;

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
    let classes = profile.classes.iter().enumerate().filter(|(_, class)| is_of_the_program(&class.name));
    let pools = classes.filter_map(|(row, class)| Pool::of_class(profile, worth, (row, class), clocks));
    let sure =
        pools.filter_map(|pool| Some(judge(&pool)).filter(Growth::is_sure).map(|growth| (pool, growth)));
    sure.map(|(pool, growth)| pool.grower(profile, program, clocks, growth))
        .filter(|grower| named(profile, growers, &grower.class) < NAMED * grower.live.bytes as f64)
        .collect()
}

/// Bytes of a class that are live at places that are named.
fn named(profile: &Profile, growers: &[Grower], class: &str) -> f64 {
    let of_places =
        growers.iter().filter(|grower| !matches!(grower.maker, Maker::Class(_)) && grower.growth.is_sure());
    let kept = of_places.flat_map(|grower| &grower.kept);
    kept.filter(|kept| profile.sites[kept.row].class == class).map(|kept| kept.live.bytes as f64).sum()
}
