//! Which frames are the program itself, among libraries that nobody named: those of its main class's package, else the first that are of no known
//! framework or library. So what a database engine in the program allocates is charged to the line that asks it.
//!
//! Not here: what users name as theirs (`own_code`), and the frame that allocates (`own_frame`).

use std::collections::{BTreeMap, BTreeSet};

use crate::derived::own_code::{is_foreign, is_framework};
use crate::derived::places::Places;
use crate::facts::frame::Frame;
use crate::facts::stack::Stack;
use crate::stream::profile::{Profile, SiteProfile};

/// Names that many projects' packages begin with: the part behind tells them apart.
const SHARED: [&str; 10] = [
    "com.github.",
    "com.gitlab.",
    "com.google.",
    "io.github.",
    "net.sourceforge.",
    "org.apache.",
    "org.eclipse.",
    "org.github.",
    "org.jetbrains.",
    "org.sonatype.",
];

/// What part of some objects passes through a frame of the program itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Through {
    /// The frame; its line is that of most.
    pub frame: Frame,
    /// Of all that were looked at.
    pub share: f64,
}

/// What part of some objects a line of the program itself makes.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLine {
    /// The line.
    pub frame: Frame,
    /// Of all that were looked at: what it is the innermost of, with what it calls of others.
    pub share: f64,
    /// The same with what it calls of the program's own.
    pub through: f64,
}

/// How the program's own classes are known.
pub(crate) struct Program<'p> {
    /// The beginning of the names of the main class and its kin, if it is the program's.
    main: Option<&'p str>,
}

impl Profile {
    /// How the names of the program's own classes begin: by its main class, or where a framework starts it by whom that calls. `None`: not known.
    pub fn own_family(&self) -> Option<&str> {
        Program::of(self).main
    }

    /// The innermost frame of the program itself in each of these stacks, by its place in it; `None`: it has only the JDK's and frameworks'.
    pub fn program_frames(&self, stacks: &[&Stack]) -> Vec<Option<usize>> {
        let program = Program::of(self);
        let at = |stack: &&Stack| {
            let frame = program.frame(stack)?;
            stack.iter().position(|other| std::ptr::eq(other, frame))
        };
        stacks.iter().map(at).collect()
    }

    /// How the program came to each of these stacks: from its innermost frame itself out to its outermost, without frameworks. Empty: it has only
    /// the JDK's and frameworks'.
    pub fn program_ways<'s>(&self, stacks: &[&'s Stack]) -> Vec<Vec<&'s Frame>> {
        let program = Program::of(self);
        let way = |stack: &&'s Stack| {
            let Some(innermost) = program.frame(stack) else { return Vec::new() };
            let mut way = program.way(stack);
            way.reverse();
            way.into_iter().skip_while(|frame| !std::ptr::eq(*frame, innermost)).collect()
        };
        stacks.iter().map(way).collect()
    }

    /// The frame of the program itself through which most of what `weight` gives passes. `None` without stacks, and where a stack has only
    /// frameworks.
    pub fn through(&self, weight: impl Fn(&SiteProfile) -> u64) -> Option<Through> {
        let sites = self.sites.iter().map(|site| (site, weight(site)));
        let (frame, share) = Program::of(self).through(sites, false)?;
        Some(Through { frame: frame.clone(), share })
    }

    /// The program's own lines, each with its share of all that `weight` gives; the most first. Empty where whose the program is is not known.
    pub fn own_lines(&self, weight: impl Fn(&SiteProfile) -> u64) -> Vec<OwnLine> {
        let program = Program::of(self);
        let Some(family) = program.main else { return Vec::new() };
        let (mut lines, mut all) = (BTreeMap::<(&str, &str, Option<u32>), (&Frame, u64)>::new(), 0u64);
        let mut passing: BTreeMap<(&str, &str, Option<u32>), u64> = BTreeMap::new();
        for site in &self.sites {
            let weight = weight(site);
            all = all.saturating_add(weight);
            if let Some(frame) = program.frame(&site.stack) {
                let (class, method) = frame.in_source();
                let (_, sum) = lines.entry((class, method, frame.line)).or_insert((frame, 0));
                *sum = sum.saturating_add(weight);
            }
            // Each once, however deep it calls itself.
            let own = site.stack.own_frames().filter(|frame| frame.class.starts_with(family));
            let own: BTreeSet<_> = own.map(|frame| (frame.in_source(), frame.line)).collect();
            for ((class, method), line) in own {
                let sum = passing.entry((class, method, line)).or_default();
                *sum = sum.saturating_add(weight);
            }
        }
        let share = |weight: u64| weight as f64 / all.max(1) as f64;
        let mut lines: Vec<_> = lines
            .into_iter()
            .map(|(line, (frame, weight))| OwnLine {
                frame: frame.clone(),
                share: share(weight),
                through: share(passing.get(&line).copied().unwrap_or(0).max(weight)),
            })
            .collect();
        lines.sort_by(|a, b| b.share.total_cmp(&a.share));
        lines
    }
}

impl<'p> Program<'p> {
    /// Of a profile, whose stacks are gone through for it.
    pub(crate) fn of(profile: &'p Profile) -> Self {
        Self {
            main: Self::by_command(&profile.run.jvm.command).or_else(|| called_by_frameworks(&profile.sites)),
        }
    }

    /// How the names of its own classes begin; `None`: not known.
    pub(crate) fn family(&self) -> Option<&'p str> {
        self.main
    }

    /// The frame of the program through which most of some sites with the weight of each passes, and its share of these. `callers`: of a
    /// constructor it is who calls it.
    pub(crate) fn through<'s>(
        &self,
        sites: impl Iterator<Item = (&'s SiteProfile, u64)>,
        callers: bool,
    ) -> Option<(&'s Frame, f64)> {
        let mut methods: BTreeMap<(&str, &str), (u64, Places<&Frame>)> = BTreeMap::new();
        let mut all = 0u64;
        let sites: Vec<_> = sites.filter(|(_, weight)| *weight > 0).collect();
        for &(site, weight) in &sites {
            all = all.saturating_add(weight);
            let made_by = if callers { self.made_below(&site.stack) } else { None };
            let Some(frame) = made_by.or_else(|| self.frame(&site.stack)) else { continue };
            let (sum, lines) = methods.entry(frame.in_source()).or_default();
            *sum = sum.saturating_add(weight);
            lines.add(frame, weight as f64);
        }
        let (method, (_, lines)) = methods.into_iter().max_by_key(|(_, (sum, _))| *sum)?;
        // With what other methods of the program make that it calls.
        let passes = |site: &SiteProfile| site.stack.own_frames().any(|frame| frame.in_source() == method);
        let below = sites.iter().filter(|(site, _)| passes(site)).map(|&(_, weight)| weight);
        Some((*lines.most()?, below.fold(0, u64::saturating_add) as f64 / all as f64))
    }

    /// The frames of a stack that say how the program came there, the outermost first. Where the program is known, without what calls it and
    /// without frameworks, and of frameworks alone the innermost; else all but the JDK's.
    pub(crate) fn way<'s>(&self, stack: &'s Stack) -> Vec<&'s Frame> {
        let mut frames: Vec<&Frame> = stack.own_frames().collect();
        if let Some(family) = self.main {
            if let Some(outermost) = frames.iter().rposition(|frame| frame.class.starts_with(family)) {
                frames.truncate(outermost + 1);
            }
            let innermost = frames.first().copied();
            frames.retain(|frame| frame.class.starts_with(family) || !is_foreign(&frame.class));
            if frames.is_empty() {
                frames.extend(innermost);
            }
        }
        frames.reverse();
        frames
    }

    /// The innermost frame of the program itself that is no constructor. `None`: it has none, or the program is not known.
    pub(crate) fn made_below<'s>(&self, stack: &'s Stack) -> Option<&'s Frame> {
        let family = self.main?;
        stack.own_frames().find(|frame| frame.class.starts_with(family) && &*frame.method != "<init>")
    }

    /// By the main class or jar, and its arguments.
    fn by_command(command: &'p str) -> Option<&'p str> {
        let first = command.split_whitespace().next().unwrap_or("");
        let class = first.rsplit('/').next().unwrap_or(first);
        let named =
            !class.is_empty() && !first.ends_with(".jar") && class.contains('.') && !is_framework(class);
        named.then(|| family(class))
    }

    /// The innermost frame of a stack that is the program's.
    fn frame<'s>(&self, stack: &'s Stack) -> Option<&'s Frame> {
        let of = |family: &str| stack.own_frames().find(|frame| frame.class.starts_with(family));
        self.main.and_then(of).or_else(|| stack.own_frames().find(|frame| !is_foreign(&frame.class)))
    }
}

/// How many holders, the nearest first, may drop what they hold: up to the first that is not the JDK's (`None`), and if that is of a library which the
/// program uses (whose own classes' names begin with `own`), up to the outermost of that library. `None` without such a holder.
pub fn holders_that_drop<'c>(
    holders: impl Iterator<Item = Option<&'c str>>,
    own: Option<&str>,
) -> Option<usize> {
    let mut library = None;
    let mut last = None;
    for (at, class) in holders.enumerate() {
        let Some(class) = class else { continue };
        let library = *library.get_or_insert(family(class));
        let is_own = own.is_none_or(|own| library.starts_with(own) || own.starts_with(library));
        if last.is_some() && (is_own || !class.starts_with(library)) {
            break;
        }
        last = Some(at + 1);
    }
    last
}

/// Whose classes frameworks call to allocate most: a server calls the program, and the program its libraries.
fn called_by_frameworks(sites: &[SiteProfile]) -> Option<&str> {
    let mut families: BTreeMap<&str, u64> = BTreeMap::new();
    for site in sites {
        let own: Vec<_> = site.stack.own_frames().collect();
        let called = own.iter().rposition(|frame| !is_foreign(&frame.class));
        let Some(called) = called.filter(|at| at + 1 < own.len()) else { continue };
        let sum = families.entry(family(&own[called].class)).or_default();
        *sum = sum.saturating_add(site.allocated.bytes);
    }
    let all = families.values().copied().fold(0, u64::saturating_add);
    let (most, bytes) = families.into_iter().max_by_key(|(_, bytes)| *bytes)?;
    (bytes > all / 2).then_some(most)
}

/// The beginning of a class's name that its project's classes share: two parts of its package, three where the first two are many projects'; the
/// whole name without a package.
fn family(class: &str) -> &str {
    let parts = if SHARED.iter().any(|shared| class.starts_with(shared)) { 3 } else { 2 };
    let package = class.rfind('.').map_or(0, |dot| dot + 1);
    let ends = class[..package].match_indices('.').map(|(dot, _)| dot + 1);
    match ends.take(parts).last() {
        Some(end) => &class[..end],
        None => class,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::tally::Tally;

    fn through(command: &str, stacks: &[(&[&str], u64)]) -> Option<(String, f64)> {
        let site = |(classes, bytes): &(&[&str], u64)| SiteProfile {
            stack: classes
                .iter()
                .map(|&class| Frame { class: class.into(), method: "m".into(), ..Frame::default() })
                .collect(),
            allocated: Tally::of(1, *bytes),
            ..SiteProfile::default()
        };
        let mut profile = Profile { sites: stacks.iter().map(site).collect(), ..Profile::default() };
        command.clone_into(&mut profile.run.jvm.command);
        let found = profile.through(|site| site.allocated.bytes)?;
        Some((found.frame.class.to_string(), found.share))
    }

    /// As Hazelcast's maps, whose entries a task of the record store drops long after their time.
    #[test]
    fn what_a_library_keeps_may_be_dropped_by_another_part_of_it() {
        let holders =
            [None, Some("com.cache.util.Segment"), None, Some("com.cache.Store"), Some("my.Shop"), None];
        let of = |own| holders_that_drop(holders.into_iter(), own);
        assert_eq!([of(Some("my.")), of(Some("com.cache.")), of(None)], [Some(4), Some(2), Some(2)]);
        assert_eq!(holders_that_drop([None].into_iter(), Some("my.")), None);
    }

    #[test]
    fn what_a_library_allocates_is_charged_to_the_program_that_calls_it() {
        let query: &[&str] = &[
            "scala.List",
            "org.neo4j.Parser",
            "org.neo4j.Tx",
            "social.Friends",
            "social.Social",
            "java.lang.Thread",
        ];
        let friends = |share| Some(("social.Friends".to_owned(), share));
        assert_eq!(through("social.Social 8200", &[(query, 90), (&["org.neo4j.Timer"], 10)]), friends(0.9));
        // Started by a jar: nobody knows which of the others is a library.
        assert_eq!(through("/opt/app.jar", &[(query, 90)]), Some(("org.neo4j.Parser".to_owned(), 1.0)));
        // Called back by the library's own threads.
        let event: &[&str] = &["java.util.HashMap", "social.Listener", "org.neo4j.Events", "org.neo4j.Job"];
        assert_eq!(through("social.Social", &[(event, 5)]), Some(("social.Listener".to_owned(), 1.0)));
        // `Social.page` calls `Friends`, and both allocate.
        let nested: &[(&[&str], u64)] = &[
            (&["social.Page", "social.Social"], 60),
            (&["social.Friends", "social.Page", "social.Social"], 40),
        ];
        assert_eq!(through("social.Social", nested), Some(("social.Page".to_owned(), 1.0)));
        // A controller below a server and a framework, above another.
        let rest: &[&str] = &[
            "org.hibernate.Session",
            "com.shop.orders.Orders",
            "com.shop.web.Controller",
            "org.springframework.Servlet",
            "org.apache.catalina.Valve",
        ];
        let orders = Some(("com.shop.orders.Orders".to_owned(), 1.0));
        assert_eq!(through("org.springframework.boot.loader.JarLauncher", &[(rest, 5)]), orders);
        // A server's jar, and a database engine below a framework: whom the server calls is the program.
        let jpa: &[&str] = &[
            "org.neo4j.Row",
            "org.neo4j.Query",
            "org.hibernate.Session",
            "shopx.Library",
            "org.eclipse.jetty.Runner",
        ];
        let engine: &[&str] = &["org.neo4j.Row", "java.lang.Thread"];
        let library = Some(("shopx.Library".to_owned(), 0.9));
        assert_eq!(through("/opt/jetty/start.jar", &[(jpa, 90), (engine, 10)]), library);
        // A library that is itself the program, and one that no framework calls.
        let rows: &[&str] = &["org.h2.Row", "org.h2.Query"];
        assert_eq!(through("org.h2.tools.Bench", &[(rows, 5)]), Some(("org.h2.Row".to_owned(), 1.0)));
        let asked: &[&str] = &["org.h2.Row", "org.h2.Query", "a.b.Shop"];
        assert_eq!(through("/opt/app.jar", &[(asked, 5)]), Some(("a.b.Shop".to_owned(), 1.0)));
        assert_eq!(through("", &[(&["org.springframework.Servlet", "java.lang.Thread"], 5)]), None);
    }

    #[test]
    fn a_way_begins_with_the_program_and_has_no_frameworks() {
        let stack = |classes: &[&str]| {
            classes.iter().map(|&class| Frame { class: class.into(), ..Frame::default() }).collect()
        };
        let way = |main, classes: &[&str]| {
            let stack: Stack = stack(classes);
            let frames = Program { main }.way(&stack);
            frames.iter().map(|frame| frame.class.to_string()).collect::<Vec<_>>()
        };
        let served: &[&str] = &[
            "java.util.Map",
            "com.fasterxml.Json",
            "a.Lib",
            "kotlin.Let",
            "a.b.Shop",
            "a.b.Web",
            "x.Server",
        ];
        assert_eq!(way(Some("a.b."), served), ["a.b.Web", "a.b.Shop", "a.Lib"]);
        assert_eq!(
            way(None, served),
            ["x.Server", "a.b.Web", "a.b.Shop", "kotlin.Let", "a.Lib", "com.fasterxml.Json"]
        );
        let timer: &[&str] = &["x.Buffer", "x.Timer", "java.lang.Thread"];
        assert_eq!(way(Some("a.b."), timer), ["x.Timer", "x.Buffer"]);
        let server: &[&str] = &["com.fasterxml.Json", "io.netty.Loop", "java.lang.Thread"];
        assert_eq!(way(Some("a.b."), server), ["com.fasterxml.Json"]);
        assert_eq!(way(Some("a.b."), &["java.lang.Thread"]), [""; 0]);
        assert_eq!(way(Some("a.b."), &["org.h2.Row", "org.h2.Query", "a.b.Shop"]), ["a.b.Shop"]);
        assert_eq!(
            way(Some("org.h2."), &["org.h2.Row", "kotlin.Let", "org.h2.Query"]),
            ["org.h2.Query", "org.h2.Row"]
        );
    }

    #[test]
    fn a_family_is_what_a_projects_packages_begin_with() {
        for (class, of) in [
            ("social.Friends", "social."),
            ("com.shop.web.Cart", "com.shop."),
            ("org.apache.kafka.clients.Client", "org.apache.kafka."),
            ("Main", "Main"),
        ] {
            assert_eq!(family(class), of);
        }
    }
}
