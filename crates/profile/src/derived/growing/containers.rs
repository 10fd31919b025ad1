//! In which container lies what each site makes, where that was looked for: what lies in two is not one leak, though one method makes both.
//!
//! Not here: who holds a grower (`held`), and parts of one container (`joined`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::derived::program::Program;
use crate::facts::jdk::is_of_the_program;
use crate::facts::retention::RetentionRow;
use crate::facts::stack::Stack;
use crate::stream::profile::{Profile, SiteProfile};

use super::held::Holder;
use super::pools::{Container, Maker, Pool};

/// The container of each site, by its row. Where only one is known what else is made belongs to it for all that is known.
pub(super) fn of_sites(profile: &Profile, program: &Program<'_>) -> Vec<Container> {
    let known = known(profile, program);
    let numbers: BTreeMap<&str, usize> =
        known.values().map(String::as_str).collect::<BTreeSet<_>>().into_iter().zip(0..).collect();
    if numbers.len() < 2 {
        return vec![None; profile.sites.len()];
    }
    let no_stack = Stack::default();
    let itself = |site: &SiteProfile| {
        // Of the program's own classes each object may have been looked at, and few stacks taken.
        let of_class = || known.get(&(&*site.class, &no_stack)).filter(|_| is_of_the_program(&site.class));
        let name = known.get(&(&*site.class, &site.stack)).or_else(of_class)?;
        numbers.get(name.as_str()).copied()
    };
    let mut makers: BTreeMap<Maker, BTreeSet<usize>> = BTreeMap::new();
    let lines_of = |site: &SiteProfile| [true, false].map(|line| Maker::of(site.stack.maker_frame(), line));
    for (site, container) in profile.sites.iter().filter_map(|site| Some((site, itself(site)?))) {
        for maker in lines_of(site) {
            makers.entry(maker).or_default().insert(container);
        }
    }
    // What else a line makes, or its method, is a part of what lies in the only container of either.
    let of_maker = |site: &SiteProfile| {
        let only = |maker: Maker| makers.get(&maker).filter(|of| of.len() == 1)?.first().copied();
        lines_of(site).into_iter().find_map(only)
    };
    profile.sites.iter().map(|site| itself(site).or_else(|| of_maker(site))).collect()
}

/// The pools of each container.
pub(super) fn apart(pools: Vec<Pool>) -> Vec<Vec<Pool>> {
    let mut of: BTreeMap<Container, Vec<Pool>> = BTreeMap::new();
    for pool in pools {
        of.entry(pool.container).or_default().push(pool);
    }
    of.into_values().collect()
}

/// What holds the objects of each class and stack, as far as it was found to where many of them come together.
fn known<'p>(profile: &'p Profile, program: &Program<'_>) -> HashMap<(&'p str, &'p Stack), String> {
    let mut rows: HashMap<(&str, &Stack), Vec<&RetentionRow>> = HashMap::new();
    for row in &profile.retention {
        rows.entry((&row.class, &row.stack)).or_default().push(row);
    }
    let name = |rows: &[&RetentionRow]| {
        Holder::of(rows, program.family()).filter(|holder| holder.is_contained).and_then(|holder| holder.name)
    };
    rows.into_iter().filter_map(|(of, rows)| Some((of, name(&rows)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;
    use crate::facts::retention::{Link, LinkKind};

    /// One method tags its context, which leaks, and puts a view into a cache.
    #[test]
    fn what_lies_in_two_containers_is_apart_though_one_method_makes_it() {
        let frame = |method: &str, line| Frame {
            class: "shop.Orders".into(),
            method: method.into(),
            line: Some(line),
            ..Frame::default()
        };
        let site = |class: &str, method, line| SiteProfile {
            class: class.into(),
            stack: [frame(method, line)].into_iter().collect(),
            ..SiteProfile::default()
        };
        let held = |site: &SiteProfile, field: &str| RetentionRow {
            class: site.class.clone(),
            stack: site.stack.clone(),
            looked: 100,
            path: vec![Link {
                class: "shop.Held".into(),
                by: LinkKind::StaticField(field.into()),
                holders: 1,
                room: None,
                expiry: None,
            }],
        };
        let sites = vec![
            site("shop.Tag", "handle", 7),
            site("shop.View", "handle", 9),
            site("[I", "handle", 9),
            site("[C", "handle", 8),
            site("[B", "other", 1),
        ];
        let retention = vec![held(&sites[0], "TAGS"), held(&sites[1], "VIEWS")];
        let mut profile = Profile { sites, retention, ..Profile::default() };
        let of = |profile: &Profile| of_sites(profile, &Program::of(profile));
        assert_eq!(
            of(&profile),
            [Some(0), Some(1), Some(1), None, None],
            "an array beside a view is its own"
        );
        profile.retention.pop();
        assert_eq!(of(&profile), [None; 5], "one container says nothing of others");
    }
}
