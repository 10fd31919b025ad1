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

/// The same, those joined that are of one class in one container, whoever makes them: that which grows fastest names them.
pub(super) fn by_container(
    profile: &Profile,
    program: &Program<'_>,
    mut growers: Vec<Grower>,
) -> Vec<Grower> {
    growers.sort_by(|a, b| b.bytes_per_s.total_cmp(&a.bytes_per_s));
    let mut joined: Vec<Grower> = Vec::new();
    for grower in growers {
        let is_same = |other: &&mut Grower| {
            let same = other.holder.as_ref().zip(grower.holder.as_ref());
            same.is_some_and(|(a, b)| a.is_same(b))
                && other.named_class() == grower.named_class()
                && other.growth.rank() == grower.growth.rank()
                && !other.is_class()
                && !grower.is_class()
        };
        match joined.iter_mut().find(is_same) {
            Some(with) => with.absorb(grower, profile, program),
            None => joined.push(grower),
        }
    }
    joined
}

/// Those joined that are made below one method of the program, whatever libraries make them; they are named by that method, with its line if
/// it is one.
fn of_one_method(profile: &Profile, program: &Program<'_>, growers: Vec<Grower>) -> Vec<Grower> {
    let mut joined: Vec<(Option<Maker>, Grower)> = Vec::new();
    for grower in growers {
        let maker = grower.way(profile, program, BELOW).map(|frame| Maker::of(Some(frame), true));
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
                with.maker = other.clone().unwrap_or_default();
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
}
