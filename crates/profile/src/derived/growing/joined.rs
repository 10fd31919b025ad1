//! One leak that is made along one way: a builder's `build`, and the line that calls it, make what belongs together; so does all that libraries make
//! below one method of the program (a listener's registration has an id, a filter and an adaptor).

use crate::derived::program::Program;
use crate::stream::profile::Profile;

use super::pools::{Grower, Maker};

/// Whose line it is has to keep at least this share of what is made by way of it: else it only calls.
const PART: f64 = 0.1;

/// Below one method of the program is what has this share of its bytes there.
const BELOW: f64 = 0.9;

/// The same, those joined of which all objects are made by way of another's line. What is surest is said of both.
pub(super) fn joined(profile: &Profile, program: &Program<'_>, mut growers: Vec<Grower>) -> Vec<Grower> {
    while let Some((inner, outer)) = pair(profile, &growers) {
        let part = growers[inner].clone();
        growers[outer].absorb(part, profile, program);
        growers.remove(inner);
    }
    of_one_method(profile, program, growers)
}

/// The same, those joined that are in one container: it is one collection, or they are of one class, or parts of its elements, or made by one class and
/// those nested in it, as keys and values are. That which grows fastest names them, and the line that makes what they are called by.
pub(super) fn by_container(
    profile: &Profile,
    program: &Program<'_>,
    mut growers: Vec<Grower>,
) -> Vec<Grower> {
    growers.sort_by(|a, b| {
        let key = |grower: &Grower| (grower.growth.rank(), grower.is_class());
        key(a).cmp(&key(b)).then(b.bytes_per_s.total_cmp(&a.bytes_per_s))
    });
    let mut joined: Vec<Grower> = Vec::new();
    for grower in growers {
        let is_same = |other: &&mut Grower| {
            let holders = other.holder.as_ref().zip(grower.holder.as_ref());
            let of_one_class = !grower.is_class() && other.named_class() == grower.named_class();
            let by_one_class = made_by(other).is_some_and(|class| Some(class) == made_by(&grower));
            // What is undecided and lies in what surely grows is part of it.
            let is_part = other.growth.is_sure() && !grower.growth.is_sure();
            (is_part || other.growth.rank() == grower.growth.rank())
                && holders.is_some_and(|(a, b)| {
                    let is_element = a.has_elements_called(grower.named_class())
                        || b.has_elements_called(other.named_class());
                    let is_one = is_part || by_one_class || is_element || a.has_elements_of(b);
                    (of_one_class && a.is_same(b)) || (is_one && a.has_name_of(b)) || a.is_container_of(b)
                })
        };
        match joined.iter_mut().find(is_same) {
            // What is known by class and what is known by place are not added up, nor what is sure and what is not.
            Some(with)
                if with.is_class() != grower.is_class() || with.growth.rank() != grower.growth.rank() =>
            {
                with.is_at_least = true;
            }
            Some(with) => {
                let element = grower.holder.as_ref().and_then(|holder| holder.element.clone());
                let are_parts = element.is_some() && with.named_class() != grower.named_class();
                with.absorb(grower, profile, program);
                if are_parts {
                    with.own_class = element;
                }
            }
            None => joined.push(grower),
        }
    }
    joined.iter_mut().for_each(|grower| grower.name_by_program(profile, program));
    joined
}

/// The outermost class whose code makes it.
fn made_by(grower: &Grower) -> Option<&str> {
    match grower.class_made_at.as_ref().unwrap_or(&grower.maker) {
        Maker::Method { class, .. } => class.split('$').next(),
        _ => None,
    }
}

/// Those joined that are made below one method of the program, whatever libraries make them; they are named by that method, with its line if
/// it is one.
fn of_one_method(profile: &Profile, program: &Program<'_>, growers: Vec<Grower>) -> Vec<Grower> {
    let maker =
        |grower: &Grower| grower.way(profile, program, BELOW).map(|frame| Maker::of(Some(frame), true));
    by_method(profile, program, growers, maker, |grower, maker| grower.maker = maker)
}

/// Those joined that have one method by this, and of which as much is held; `name` calls them by it, with its line if it is one.
pub(super) fn by_method(
    profile: &Profile,
    program: &Program<'_>,
    growers: Vec<Grower>,
    maker: impl Fn(&Grower) -> Option<Maker>,
    name: impl Fn(&mut Grower, Maker),
) -> Vec<Grower> {
    let mut joined: Vec<(Option<Maker>, Grower)> = Vec::new();
    for grower in growers {
        let maker = maker(&grower);
        let method = maker.as_ref().map(Maker::without_line);
        let is_same = |(other, with): &&mut (Option<Maker>, Grower)| {
            method.is_some()
                && other.as_ref().map(Maker::without_line) == method
                && with.growth.rank() == grower.growth.rank()
        };
        match joined.iter_mut().find(is_same) {
            Some((other, with)) => {
                if *other != maker {
                    *other = method;
                }
                name(with, other.clone().unwrap_or_default());
                with.absorb(grower, profile, program);
            }
            None => joined.push((maker, grower)),
        }
    }
    joined.into_iter().map(|(_, grower)| grower).collect()
}

/// Two of which the first makes its objects by way of the second's line.
fn pair(profile: &Profile, growers: &[Grower]) -> Option<(usize, usize)> {
    let all = || 0..growers.len();
    let pairs = all().flat_map(|inner| all().map(move |outer| (inner, outer)));
    let mut pairs = pairs.filter(|(inner, outer)| inner != outer);
    let is_part = |inner: &Grower, outer: &Grower| {
        let surer = outer.growth.rank() <= inner.growth.rank();
        surer && outer.bytes_per_s >= PART * inner.bytes_per_s && goes_by(profile, inner, &outer.maker)
    };
    pairs.find(|&(inner, outer)| is_part(&growers[inner], &growers[outer]))
}

fn goes_by(profile: &Profile, grower: &Grower, line: &Maker) -> bool {
    let is_line = matches!(line, Maker::Method { line: Some(_), .. });
    let passes =
        |row: usize| profile.sites[row].stack.iter().any(|frame| Maker::of(Some(frame), true) == *line);
    is_line && matches!(grower.maker, Maker::Method { .. }) && grower.kept.iter().all(|kept| passes(kept.row))
}

#[cfg(test)]
mod tests {
    use super::super::growth::Growth;
    use super::super::held::Holder;
    use super::super::pools::Kept;
    use super::*;
    use crate::facts::frame::Frame;
    use crate::facts::tally::Tally;
    use crate::stream::profile::SiteProfile;

    const WATCH: [(&str, u32); 2] = [("shop.Carts", 20), ("io.helidon.Routing", 5)];

    fn profile(stacks: &[&[(&str, u32)]]) -> Profile {
        let site = |frames: &&[(&str, u32)]| SiteProfile {
            class: frames[0].0.to_owned(),
            stack: frames
                .iter()
                .map(|&(class, line)| Frame {
                    class: class.into(),
                    method: if class.ends_with("Tab") { "<init>".into() } else { "m".into() },
                    file: None,
                    line: Some(line),
                })
                .collect(),
            allocated: Tally::of(100, 32),
            live: Some(Tally::of(100, 32)),
            ..SiteProfile::default()
        };
        Profile { sites: stacks.iter().map(site).collect(), ..Profile::default() }
    }

    fn growers(profile: &Profile) -> Vec<String> {
        let all = all(profile);
        all.iter().map(|grower| format!("{} {}", grower.maker, grower.live.bytes)).collect()
    }

    fn all(profile: &Profile) -> Vec<Grower> {
        let grower = |(row, site): (usize, &SiteProfile)| Grower {
            maker: Maker::of(site.stack.maker_frame(), true),
            kept: vec![Kept {
                row,
                live: site.live.unwrap_or_default(),
                born: [0, 0, 100],
                ..Kept::default()
            }],
            live: site.live.unwrap_or_default(),
            samples: 40.0,
            bytes_per_s: 100.0,
            growth: Growth::Grows,
            ..Grower::default()
        };
        let all = profile.sites.iter().enumerate().map(grower).collect();
        joined(profile, &Program::of(profile), all)
    }

    #[test]
    fn what_libraries_make_below_one_method_of_the_program_is_one_leak() {
        let below = |library: &'static str, line| [&[(library, line)], &WATCH[..]].concat();
        let (adaptor, id) = (below("com.hazel.Adaptor", 240), below("com.hazel.Ids", 108));
        let profile_of = profile(&[&adaptor, &id]);
        assert_eq!(growers(&profile_of), ["shop.Carts.m:20 6400"]);
        // What the program makes itself, one line above, in a constructor.
        let tab = [("shop.Tab", 24), ("shop.Carts", 19), ("io.helidon.Routing", 5)];
        let of_tab = profile(&[&adaptor, &id, &tab]);
        assert_eq!(growers(&of_tab), ["shop.Carts.m 9600"]);
        assert_eq!(all(&of_tab)[0].own_class.as_deref(), Some("shop.Tab"), "the program's own, of as many");
    }

    #[test]
    fn two_methods_of_the_program_make_two_leaks() {
        let other = [("com.hazel.Ids", 108), ("shop.Orders", 7), ("io.helidon.Routing", 5)];
        let adaptor = [&[("com.hazel.Adaptor", 240)], &WATCH[..]].concat();
        assert_eq!(
            growers(&profile(&[&adaptor, &other])),
            ["com.hazel.Adaptor.m:240 3200", "com.hazel.Ids.m:108 3200"]
        );
    }

    /// A cache's values, by the library's line and by the program's.
    #[test]
    fn what_one_container_has_of_a_class_is_one_whoever_makes_it() {
        let map = |of: &str| Holder {
            name: Some(of.to_owned()),
            path: vec![of.to_owned(), "java.util.HashMap.table".to_owned()],
            is_contained: true,
            ..Holder::default()
        };
        let grower = |line, of: &str, rows: &[usize]| {
            let kept = |&row: &usize| Kept { row, live: Tally::of(10, 16), ..Kept::default() };
            Grower {
                maker: Maker::Method { class: "a.B".into(), method: "put".into(), line: Some(line) },
                own_class: Some("a.Page".into()),
                kept: rows.iter().map(kept).collect(),
                live: Tally::of(10 * rows.len() as u64, 16),
                bytes_per_s: f64::from(line),
                holder: Some(map(of)),
                ..Grower::default()
            }
        };
        let site = SiteProfile { class: "a.Page".into(), ..SiteProfile::default() };
        let profile = Profile { sites: vec![site; 4], ..Profile::default() };
        let all = vec![grower(7, "ALL", &[0, 1]), grower(9, "ALL", &[1, 2]), grower(8, "OTHERS", &[3])];
        let joined = by_container(&profile, &Program::of(&profile), all);
        let told: Vec<_> = joined.iter().map(|one| (one.live.objects, one.bytes_per_s)).collect();
        assert_eq!(told, [(30, 9.0 + 3.5), (10, 8.0)], "the row that both have counts once");
    }

    /// "2 leaks in TimerService.timers", of which the first was made by a parser.
    #[test]
    fn what_one_collection_has_is_one_and_is_named_by_the_line_that_makes_its_class() {
        let line =
            |class: &str, line| Maker::Method { class: class.into(), method: "m".into(), line: Some(line) };
        let held = |rest: &str| Holder {
            name: Some("a.Timers.queue".to_owned()),
            path: vec!["a.Timers.queue".to_owned(), "java.lang.Object[]".to_owned(), rest.to_owned()],
            container: vec!["a.Timers.queue".to_owned(), "java.lang.Object[]".to_owned()],
            is_contained: true,
            ..Holder::default()
        };
        let frame = |class: &str, line| Frame {
            class: class.into(),
            method: "m".into(),
            file: None,
            line: Some(line),
        };
        let site = |class: &str, frame: Frame| SiteProfile {
            class: class.into(),
            stack: [frame].into_iter().collect(),
            ..SiteProfile::default()
        };
        let profile = Profile {
            sites: vec![
                site("[B", frame("a.Parser", 7)),
                site("a.Job", frame("a.Engine", 29)),
                site("java.util.Task", frame("a.Timers", 18)),
            ],
            ..Profile::default()
        };
        let grower = |maker, own: Option<&str>, rest: &str, rows: &[(usize, u64)]| Grower {
            maker,
            own_class: own.map(str::to_owned),
            kept: rows
                .iter()
                .map(|&(row, bytes)| Kept {
                    row,
                    live: Tally::of(10, bytes),
                    born: [3, 3, 4],
                    ..Kept::default()
                })
                .collect(),
            live: Tally::of(10, 1),
            bytes_per_s: rows.len() as f64,
            holder: Some(held(rest)),
            ..Grower::default()
        };
        let jobs = grower(line("a.Parser", 7), Some("a.Job"), "a.Job.text", &[(0, 900), (1, 40)]);
        let tasks = grower(line("a.Timers", 18), None, "", &[(2, 70)]);
        let joined = by_container(&profile, &Program::of(&profile), vec![jobs, tasks]);
        let named: Vec<_> = joined.iter().map(|one| (one.named_class(), one.maker.to_string())).collect();
        assert_eq!(named, [("a.Job", "a.Engine.m:29".to_owned())]);
    }

    /// A mock server's journal of requests was twenty leaks, of headers, texts and maps that many methods make.
    #[test]
    fn parts_of_the_elements_of_one_container_are_one() {
        let part_of = |element: &str| Holder {
            name: Some("a.Journal.entries".to_owned()),
            path: vec![element.to_owned()],
            element: Some(element.to_owned()),
            is_contained: true,
            ..Holder::default()
        };
        let grower = |class: &str, element: &str, row| Grower {
            maker: Maker::Method { class: class.into(), method: "of".into(), line: None },
            own_class: Some(class.into()),
            kept: vec![Kept { row, live: Tally::of(10, 16), ..Kept::default() }],
            live: Tally::of(10, 16),
            holder: Some(part_of(element)),
            ..Grower::default()
        };
        let profile = Profile { sites: vec![SiteProfile::default(); 3], ..Profile::default() };
        let all = vec![
            grower("a.Headers", "a.Entry", 0),
            grower("b.Url", "a.Entry", 1),
            grower("b.Url", "a.Other", 2),
        ];
        let joined = by_container(&profile, &Program::of(&profile), all);
        assert_eq!(joined.iter().map(|one| one.live.objects).collect::<Vec<_>>(), [20, 10]);
        assert_eq!(joined[0].program_class(), Some("a.Entry"));
        assert_eq!(joined[1].program_class(), Some("b.Url"));
        let element = Grower {
            holder: Some(Holder { element: None, ..part_of("a.Entry") }),
            ..grower("a.Entry", "", 1)
        };
        let all = vec![grower("a.Headers", "a.Entry", 0), element];
        assert_eq!(by_container(&profile, &Program::of(&profile), all).len(), 1, "the entry itself");
        let of_library =
            Grower { own_class: Some("com.google.common.collect.Maps".into()), ..joined[0].clone() };
        assert_eq!(of_library.program_class(), Some("a.Entry"));
    }

    /// A quote and its key were two leaks; of the key it was known by its class alone.
    #[test]
    fn keys_and_values_of_one_container_that_one_class_makes_are_one() {
        let in_map = |of: &str| Holder {
            name: Some("a.B.ALL".to_owned()),
            path: vec!["a.B.ALL".to_owned(), of.to_owned()],
            is_contained: true,
            ..Holder::default()
        };
        let grower = |class: &str, of: &str, row, bytes| Grower {
            maker: Maker::Method { class: class.into(), method: "put".into(), line: Some(row as u32) },
            own_class: Some(format!("a.Of{row}")),
            kept: vec![Kept { row, live: Tally::of(10, bytes), ..Kept::default() }],
            live: Tally::of(10, bytes),
            bytes_per_s: bytes as f64,
            holder: Some(in_map(of)),
            ..Grower::default()
        };
        let site = |class: &str| SiteProfile { class: class.into(), ..SiteProfile::default() };
        let profile = Profile { sites: ["a.V", "a.K"].map(site).into(), ..Profile::default() };
        let told = |all| {
            let joined = by_container(&profile, &Program::of(&profile), all);
            joined.iter().map(|one| (one.live.bytes, one.is_at_least)).collect::<Vec<_>>()
        };
        let value = || grower("a.B$Value", "Node.val", 0, 64);
        assert_eq!(told(vec![value(), grower("a.B", "Node.key", 1, 16)]), [(800, false)]);
        let unsure =
            Grower { growth: Growth::Unsure("few".into()), ..grower("a.Handler", "Node.key", 1, 16) };
        let sure = Grower { growth: Growth::Grows, ..value() };
        assert_eq!(told(vec![unsure, sure]), [(640, true)], "keys that another makes");
        let other = grower("a.C", "Node.key", 1, 16);
        assert_eq!(told(vec![value(), other]), [(640, false), (160, false)], "another class's");
        let by_class = Grower {
            maker: Maker::Class("a.K".into()),
            class_made_at: Some(Maker::Method { class: "a.B".into(), method: "key".into(), line: None }),
            ..grower("", "Node.key", 1, 16)
        };
        assert_eq!(told(vec![by_class, value()]), [(640, true)]);
    }
}
