//! What is made again and again and dies at once, though it is dear to make and seldom differs: formats, patterns, parsers, mappers.
//!
//! That they are equal is not seen: who reads the advice knows. Not here: what few live of at once (`code`).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mayfly_profile::{Frame, Profile, SiteProfile, Stack};

/// Rows.
const ROWS: usize = 5;
/// Less than this share of all bytes is not told.
const LEAST_SHARE: f64 = 0.01;
/// Made so often at least.
const OFTEN: u64 = 100;
/// More than this share of them still there are kept, not thrown away.
const KEPT: f64 = 0.1;
/// One has no more parts of a class.
const MOST_PARTS: u64 = 20;

/// Packages and classes whose objects are dear to make; a name that ends in a point is a package.
const DEAR: &[&str] = &[
    "java.text.",
    "java.util.regex.",
    "java.time.format.",
    "java.security.",
    "java.net.http.",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.util.concurrent.Executors",
    "java.util.concurrent.ForkJoinPool",
    "java.util.Random",
    "java.util.Formatter",
    "java.util.ResourceBundle",
    "java.util.Timer",
    "java.nio.charset.",
    "javax.xml.",
    "javax.crypto.",
    "javax.net.ssl.",
    "javax.script.",
    "javax.naming.",
    "jakarta.xml.bind.",
    "jakarta.validation.",
    "com.fasterxml.jackson.databind.ObjectMapper",
    "com.fasterxml.jackson.databind.json.JsonMapper",
    "com.google.gson.Gson",
    "com.google.gson.GsonBuilder",
    "okhttp3.OkHttpClient",
    "org.apache.http.impl.client.HttpClientBuilder",
    "org.yaml.snakeyaml.Yaml",
    "freemarker.template.Configuration",
];

/// How methods that make something begin.
const MAKERS: &[&str] =
    &[CONSTRUCTOR, "compile", "getBundle", "of", "create", "new", "build", "forName", "toFormatter"];

/// What one method makes again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeAnew {
    /// Who makes it: class and method.
    pub maker: (String, String),
    /// How often, if objects of that class were seen.
    pub objects: u64,
    /// Bytes that making them took, all parts of them included.
    pub bytes: u64,
    /// Their share of all bytes.
    pub share: f64,
    /// From the method that wants it outwards.
    pub stack: Stack,
}

/// The largest of them.
pub fn made_anew(profile: &Profile) -> Vec<MadeAnew> {
    let (all, family) = (profile.allocated_bytes_of_all(), profile.own_family());
    let mut found: BTreeMap<[&str; 4], (MadeAnew, Sums<'_>)> = BTreeMap::new();
    for site in &profile.sites {
        let Some(making) = Making::of(site, family) else { continue };
        let (made, sums) = found.entry(making.key()).or_insert_with(|| (making.made(), Sums::default()));
        made.bytes = made.bytes.saturating_add(site.allocated.bytes);
        sums.add(site);
    }
    let mut rows: Vec<_> = found
        .into_values()
        .filter(|(_, sums)| sums.live_share().is_some_and(|share| share <= KEPT))
        .map(|(made, sums)| MadeAnew {
            share: made.bytes as f64 / all.max(1) as f64,
            objects: sums.made(&made.maker),
            ..made
        })
        .filter(|made| made.share >= LEAST_SHARE && made.objects >= OFTEN)
        .collect();
    rows.sort_by_key(|made| Reverse(made.bytes));
    rows.truncate(ROWS);
    rows
}

/// What sites made together.
#[derive(Clone, Debug, Default)]
struct Sums<'a> {
    live: u64,
    all: u64,
    is_known: bool,
    /// Objects by class.
    objects: BTreeMap<&'a str, u64>,
}

impl<'a> Sums<'a> {
    fn add(&mut self, site: &'a SiteProfile) {
        *self.objects.entry(&site.class).or_default() += site.allocated.objects;
        let Some(live) = site.live else { return };
        self.is_known = true;
        let dead: u64 = site.collected.iter().map(|tally| tally.bytes).sum();
        self.live = self.live.saturating_add(live.bytes);
        self.all = self.all.saturating_add(live.bytes).saturating_add(dead);
    }

    fn live_share(&self) -> Option<f64> {
        (self.is_known && self.all > 0).then(|| self.live as f64 / self.all as f64)
    }

    /// How many were made: of the maker's class, or, where a method chooses the class, as many as of that class of its package of
    /// which there are fewest, as the others are parts.
    fn made(&self, (class, method): &(String, String)) -> u64 {
        let package = |class: &str| class.rsplit_once('.').map(|(package, _)| package.to_owned());
        let chosen = || {
            let of_package = self.objects.iter().filter(|(one, _)| package(one) == package(class));
            let counts: Vec<u64> = of_package.map(|(_, &objects)| objects).collect();
            // Not what is made once for all of them.
            let least = counts.iter().max()? / MOST_PARTS;
            counts.into_iter().filter(|&objects| objects >= least).min()
        };
        let own = self.objects.get(class.as_str()).copied();
        own.or_else(|| if method == CONSTRUCTOR { None } else { chosen() }).unwrap_or(0)
    }
}

/// A site at which something dear, or a part of it, is made.
struct Making<'a> {
    class: &'a str,
    method: &'a str,
    /// The first frame outside of the JDK: it wants it, and those that called it.
    wanting: Vec<&'a Frame>,
}

impl<'a> Making<'a> {
    /// The names of the program's own classes begin with `family`, if that is known.
    fn of(site: &'a SiteProfile, family: Option<&str>) -> Option<Self> {
        let frames: Vec<_> = site.stack.iter().collect();
        let is_own = |frame: &&Frame| frame.is_own() && !is_dear(&frame.class);
        // A mapper makes its parts by methods of its library.
        let in_program = frames.iter().position(|frame| family.is_some_and(|of| frame.class.starts_with(of)));
        let outermost = frames[..in_program.unwrap_or(0)].iter().rposition(|frame| is_maker(frame));
        let from = outermost.unwrap_or(0);
        let own = from + frames[from..].iter().copied().position(|frame| is_own(&frame))?;
        let wanting = frames[own..].to_vec();
        // The outermost: a format makes a pattern, and not the other way round.
        let maker = frames[..own].iter().rev().find(|frame| is_maker(frame));
        match maker {
            Some(maker) => Some(Self { class: &maker.class, method: &maker.method, wanting }),
            // Its own constructors are not in the stack of an object.
            None => (own == 0 && is_dear(&site.class)).then_some(Self {
                class: &site.class,
                method: CONSTRUCTOR,
                wanting,
            }),
        }
    }

    fn key(&self) -> [&'a str; 4] {
        [self.class, self.method, &self.wanting[0].class, &self.wanting[0].method]
    }

    fn made(&self) -> MadeAnew {
        let maker = (self.class.to_owned(), self.method.to_owned());
        let frames: Vec<Frame> = self.wanting.iter().map(|&frame| frame.clone()).collect();
        MadeAnew { maker, objects: 0, bytes: 0, share: 0.0, stack: frames.into() }
    }
}

const CONSTRUCTOR: &str = "<init>";

fn is_maker(frame: &Frame) -> bool {
    let method = &*frame.method;
    is_dear(&frame.class)
        && (MAKERS.iter().any(|maker| method.starts_with(maker)) || method.ends_with("Instance"))
}

fn is_dear(class: &str) -> bool {
    DEAR.iter().any(|dear| if dear.ends_with('.') { class.starts_with(dear) } else { class == *dear })
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, Tally};

    use super::*;

    fn site(class: &str, frames: &[&str], (objects, live): (u64, u64)) -> SiteProfile {
        let frame = |text: &&str| {
            let (class, method) = text.rsplit_once('.').expect("a method");
            Frame { class: class.into(), method: method.into(), file: None, line: None }
        };
        let frames: Vec<Frame> = frames.iter().map(frame).collect();
        SiteProfile {
            class: class.to_owned(),
            stack: frames.into(),
            allocated: Tally::of(objects, 100),
            live: Some(Tally::of(live, 100)),
            collected: vec![Tally::of(objects - live, 100)],
            ..SiteProfile::default()
        }
    }

    fn profile(sites: Vec<SiteProfile>) -> Profile {
        let all: u64 = sites.iter().map(|site| site.allocated.objects).sum();
        let class =
            ClassProfile { name: "all".into(), allocated: Tally::of(all, 100), ..ClassProfile::default() };
        Profile { classes: vec![class], sites, ..Profile::default() }
    }

    const OWN: [&str; 2] = ["shop.Quotes.newFormat", "shop.Quotes.price"];

    #[test]
    fn a_format_made_for_each_price_is_named_with_who_wants_it() {
        let parts =
            ["java.text.DecimalFormatSymbols.<init>", "java.text.DecimalFormat.<init>", OWN[0], OWN[1]];
        let rows = made_anew(&profile(vec![
            site("java.text.DecimalFormat", &OWN, (50_000, 10)),
            site("java.text.DecimalFormatSymbols", &parts[1..], (50_000, 10)),
            site("[C", &parts, (100_000, 0)),
            site("shop.Order", &OWN, (100_000, 100_000)),
        ]));
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!(row.maker, ("java.text.DecimalFormat".to_owned(), "<init>".to_owned()));
        assert_eq!((row.objects, row.bytes), (50_000, 20_000_000));
        assert_eq!(
            row.stack.iter().map(|frame| frame.method.to_string()).collect::<Vec<_>>(),
            ["newFormat", "price"]
        );
        assert!((row.share - 2.0 / 3.0).abs() < 1e-9);
    }

    /// "15.7 k ObjectMapper, 14.8 MiB with all that making them takes", of 177 MiB.
    #[test]
    fn what_a_library_makes_for_it_is_a_part_of_it() {
        const MAPPER: &str = "com.fasterxml.jackson.databind.ObjectMapper";
        let init = format!("{MAPPER}.<init>");
        let table = [
            "com.fasterxml.jackson.core.Names.<init>",
            "com.fasterxml.jackson.core.Factory.<init>",
            &init,
            OWN[0],
            OWN[1],
        ];
        let mut profile = profile(vec![
            site(MAPPER, &OWN, (5_000, 0)),
            site("[I", &table, (50_000, 0)),
            site("shop.Order", &OWN, (10_000, 0)),
        ]);
        profile.run.jvm.command = "shop.Main".into();
        let [row] = &made_anew(&profile)[..] else { panic!("one row") };
        assert_eq!((row.objects, row.bytes), (5_000, 5_500_000));
        assert_eq!(row.stack.first().map(|frame| frame.method.to_string()).as_deref(), Some("newFormat"));
    }

    #[test]
    fn patterns_of_a_method_that_chooses_the_class_count_too() {
        let compile = ["java.util.regex.Pattern.compile", OWN[0], OWN[1]];
        let rows = made_anew(&profile(vec![
            site("java.util.regex.Pattern", &compile, (5_000, 0)),
            site(
                "java.util.regex.Pattern$Node",
                &["java.util.regex.Pattern.<init>", compile[0], OWN[0]],
                (5_000, 0),
            ),
        ]));
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.maker.1.as_str(), row.objects, row.bytes), ("compile", 5_000, 1_000_000));
    }

    #[test]
    fn of_a_method_that_chooses_the_class_parts_are_not_counted() {
        let of = ["java.text.NumberFormat.getInstance", OWN[0]];
        let rows = made_anew(&profile(vec![
            site("java.text.DecimalFormat", &of, (5_000, 0)),
            site("java.text.DigitList", &["java.text.DecimalFormat.<init>", of[0], of[1]], (5_000, 0)),
        ]));
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.objects, row.bytes), (5_000, 1_000_000));
    }

    #[test]
    fn what_is_kept_or_rare_or_of_unknown_life_is_none() {
        let kept = site("java.util.regex.Pattern", &OWN, (5_000, 4_000));
        let rare = site("java.util.regex.Pattern", &OWN, (50, 0));
        let unknown =
            SiteProfile { live: None, collected: vec![], ..site("java.util.Random", &OWN, (5_000, 0)) };
        for site in [kept, rare, unknown] {
            assert_eq!(made_anew(&profile(vec![site])), []);
        }
    }
}
