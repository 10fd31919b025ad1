//! The sections of the post-run report: allocated, live, and collected objects per lifetime bucket, with their sums.
//!
//! Sums are over all rows, whatever `#outputlimit` leaves of them. Not here: rows (`rows`), lifetimes and trust.

use std::collections::HashMap;
use std::fmt::Write;

use mayfly_profile::{
    ClassProfile, EngineKind, LiveAsOf, Profile, SiteProfile, Tally, Tracking, Variances, View,
};

use crate::followed::{estimated_from, thinned, tracking_measured};
use crate::over_time::why_not_known;
use crate::rows::{Row, blank, in_order, line, write_rows};
use crate::units;

/// Which of a profile's tallies a section shows.
#[derive(Clone, Copy)]
enum Part {
    Allocated,
    Live,
    Bucket(usize),
}

impl Part {
    fn of_class(self, class: &ClassProfile) -> Tally {
        match self {
            Self::Allocated => class.allocated,
            Self::Live => class.live.unwrap_or_default(),
            Self::Bucket(index) => class.collected.get(index).copied().unwrap_or_default(),
        }
    }

    fn of_site(self, site: &SiteProfile) -> Tally {
        match self {
            Self::Allocated => site.allocated,
            Self::Live => site.live.unwrap_or_default(),
            Self::Bucket(index) => site.collected.get(index).copied().unwrap_or_default(),
        }
    }
}

/// Writes the sections a profile has.
pub(crate) fn write_sections(out: &mut String, profile: &Profile, view: &View) {
    let variances = Variances::of(profile);
    let sections = Sections { profile, view, sites: sites_by_class(profile), variances };
    sections.allocated(out);
    if profile.run.lifetimes {
        sections.live(out);
        sections.collected(out);
    }
}

struct Sections<'a> {
    profile: &'a Profile,
    view: &'a View,
    sites: HashMap<&'a str, Vec<&'a SiteProfile>>,
    variances: Variances<'a>,
}

impl<'a> Sections<'a> {
    fn allocated(&self, out: &mut String) {
        line(out, 0, "Allocated objects:");
        let run = &self.profile.run;
        if let Some(rest) = self.profile.sampled_rest() {
            let text = sampling_note(self.profile).unwrap_or_default();
            line(
                out,
                2,
                &format!(
                    "Counts of classes are exact (read at young collections) where no samples are stated: of {} samples tell. \
                     Allocation sites are {text}",
                    units::bytes(rest)
                ),
            );
        } else if run.engine == EngineKind::Sampled {
            note(out, sampling_note(self.profile));
        } else if let Some(text) =
            sampling_note(self.profile).filter(|_| run.stacks && thinned(self.profile).is_none())
        {
            line(out, 2, &format!("Counts of classes are exact. Allocation sites are {text}"));
        }
        let rows = self.rows(Part::Allocated);
        write_rows(out, &rows, 2, self.view);
        blank(out);
        line(out, 0, "Allocated objects summary:");
        line(out, 2, &sum_text(&rows));
        blank(out);
    }

    fn live(&self, out: &mut String) {
        line(out, 0, "Live objects:");
        note(out, sampling_note(self.profile));
        live_as_of(self.profile).iter().for_each(|text| line(out, 2, text));
        let rows = self.rows(Part::Live);
        write_rows(out, &rows, 2, self.view);
        blank(out);
        line(out, 0, "Live objects summary:");
        line(out, 2, &sum_text(&rows));
        blank(out);
    }

    fn collected(&self, out: &mut String) {
        line(out, 0, "Collected objects:");
        note(out, sampling_note(self.profile));
        line(
            out,
            2,
            "By the age at which they were found dead, which is up to a wait for a collection more than they lived",
        );
        let mut summary = String::new();
        for (index, range) in self.profile.run.buckets.ranges().enumerate() {
            let rows = self.rows(Part::Bucket(index));
            let range = range_text(range);
            line(out, 2, &format!("{range} :"));
            write_rows(out, &rows, 4, self.view);
            blank(out);
            line(&mut summary, 4, &format!("{} - {range}", sum_text(&rows)));
        }
        line(out, 2, "Buckets summary:");
        out.push_str(&summary);
        blank(out);
    }

    fn rows(&self, part: Part) -> Vec<Row<'a>> {
        let ranked_by = |class: &ClassProfile| match part {
            Part::Allocated => self.profile.allocated_bytes(class),
            Part::Live | Part::Bucket(_) => part.of_class(class).bytes,
        };
        let row = |class: &'a ClassProfile| Row {
            name: &class.name,
            tally: part.of_class(class),
            ranked_by: ranked_by(class),
            samples: self.samples(part, class),
            error: self.error(part, class),
            sites: self
                .sites_of(&class.name)
                .map(|site| (site, part.of_site(site), self.error_of_site(part, site)))
                .collect(),
        };
        in_order(self.profile.classes.iter().map(row).collect())
    }

    fn samples(&self, part: Part, class: &ClassProfile) -> Option<f64> {
        let counted = matches!(part, Part::Allocated) && self.profile.counts_exactly(class);
        if counted { None } else { self.profile.samples_behind(class, part.of_class(class)) }
    }

    fn error_of_site(&self, part: Part, site: &SiteProfile) -> f64 {
        match part {
            Part::Live => self.variances.of_live_sites([site]).relative(part.of_site(site)).1,
            Part::Allocated | Part::Bucket(_) => site.error,
        }
    }

    /// The error of what was allocated, as the sampled engine states it, and of what is live.
    fn error(&self, part: Part, class: &ClassProfile) -> f64 {
        if matches!(part, Part::Live) {
            return self.variances.of_live(class).relative(part.of_class(class)).1;
        }
        if self.profile.part.lived.is_some() && matches!(part, Part::Allocated) {
            return self.variances.of_class(class).sqrt() / (class.allocated.bytes as f64).max(1.0);
        }
        let estimated = self.profile.run.engine == EngineKind::Sampled && matches!(part, Part::Allocated);
        let estimate = self.profile.estimates.get(&class.name).filter(|_| estimated);
        estimate.map_or(0.0, |it| it.allocated.error_bytes() as f64 / it.allocated.bytes().max(1) as f64)
    }

    fn sites_of(&self, class: &str) -> impl Iterator<Item = &'a SiteProfile> + use<'_, 'a> {
        self.sites.get(class).into_iter().flatten().copied()
    }
}

/// What of it may be dead.
const AT_MOST: &str = "At most so much is live: no collection has looked at what became old since";

/// As of when what is live is known, and what of that is not.
fn live_as_of(profile: &Profile) -> Vec<String> {
    let mut unjudged = Tally::default();
    profile.classes.iter().for_each(|class| unjudged.add(class.unjudged));
    let since = format!("{} objects, {}", units::count(unjudged.objects), units::bytes(unjudged.bytes));
    let at_most = profile.live_is_at_most().then(|| AT_MOST.to_owned());
    let mut lines = match profile.live_as_of {
        LiveAsOf::End => Vec::new(),
        LiveAsOf::NoCollection => {
            vec![format!("Not known: {} ({since} were not judged)", why_not_known(profile))]
        }
        LiveAsOf::Ms(ms) => {
            let mut lines = vec![format!("Still there after the GC at {}", units::duration(ms as f64))];
            lines.extend((!unjudged.is_empty()).then(|| format!("Born since, and not judged yet: {since}")));
            lines
        }
        LiveAsOf::Each => {
            let mut lines = vec!["Still there after the last GC of each JVM".to_owned()];
            lines.extend((!unjudged.is_empty()).then(|| format!("Born since, and not judged yet: {since}")));
            lines
        }
    };
    lines.extend(at_most);
    lines
}

fn sites_by_class(profile: &Profile) -> HashMap<&str, Vec<&SiteProfile>> {
    let mut sites: HashMap<&str, Vec<&SiteProfile>> = HashMap::new();
    for site in &profile.sites {
        sites.entry(&site.class).or_default().push(site);
    }
    sites
}

fn sum_text(rows: &[Row<'_>]) -> String {
    let mut sum = Tally::default();
    rows.iter().for_each(|row| sum.add(row.tally));
    format!("{}:{}", sum.bytes, sum.objects)
}

/// `5(s) - 15(s)`, `55(s) - inf(s)`.
fn range_text((from, to): (u64, Option<u64>)) -> String {
    let mut text = format!("{from}(s) - ");
    let _ = match to {
        Some(to) => write!(text, "{to}(s)"),
        None => write!(text, "inf(s)"),
    };
    text
}

/// How the numbers of tracked objects were come by, if they are estimates, and how far off they may be.
///
/// The error is the standard error 1/√n of a number that rests on n samples: 10 % at 100 samples.
pub(crate) fn sampling_note(profile: &Profile) -> Option<String> {
    let tracking = tracking_measured(profile);
    if tracking == Tracking::Balanced {
        return Some(
            "exact where each object of a class was followed, and its stack taken; of larger classes a share was, and stands for the rest".to_owned(),
        );
    }
    let objects = |one_in: u64| format!("{} objects", units::count(one_in.saturating_mul(100)));
    let ten_percent_row = match (tracking, thinned(profile)) {
        (_, Some(one_in)) => objects(one_in),
        (Tracking::ByteSample(apart), _) => units::bytes(apart.saturating_mul(100)),
        (Tracking::EveryNth(n), _) => objects(n),
        (Tracking::Off | Tracking::EveryObject | Tracking::Balanced, _) => return None,
    };
    estimated_from(profile).map(|source| {
        format!("estimates from {source}, scaled to the whole (about 10 % off at {ten_percent_row}, less above, more below)")
    })
}

fn note(out: &mut String, text: Option<String>) {
    if let Some(text) = text {
        line(out, 2, &format!("Sizes and counts are {text}"));
    }
}
