//! Who makes what exceeds a limit: the sites that allocate or hold most of it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mayfly_profile::{Frame, Profile, SiteProfile, Stack, Tally, Variances};

use crate::budget::{Limit, Quantity};

/// Offenders named of each limit.
const MOST: usize = 3;

/// What a line of the program, or else a site, makes of a class of what is limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Offender {
    /// Class of its objects.
    pub class: String,
    /// Where most of them are made, innermost frame first.
    pub stack: Stack,
    /// The place in it of the program's innermost frame, or else of the first outside the JDK; `None`: it has none of them.
    pub own: Option<usize>,
    /// Objects of what is limited: allocated, or live.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The standard error of these, as a share of them; `None`: they were counted.
    pub error: Option<f64>,
}

/// What has most of what `limit` is on for sure; none without stacks.
pub(crate) fn offenders(profile: &Profile, limit: &Limit) -> Vec<Offender> {
    let live = matches!(limit.quantity, Quantity::Live | Quantity::LiveBytes);
    let tally = |site: &SiteProfile| if live { site.live.unwrap_or_default() } else { site.allocated };
    let has_some = |site: &&SiteProfile| limit.subject.has_site(site) && tally(site).objects > 0;
    let sites: Vec<_> = profile.sites.iter().filter(has_some).collect();
    let own = profile.program_frames(&sites.iter().map(|site| &site.stack).collect::<Vec<_>>());
    let own =
        sites.iter().zip(own).map(|(site, own)| own.or_else(|| site.stack.iter().position(Frame::is_own)));
    let mut lines: BTreeMap<Line<'_>, Vec<(&SiteProfile, Option<usize>)>> = BTreeMap::new();
    for (&site, own) in sites.iter().zip(own) {
        let line = match own.and_then(|own| site.stack.iter().nth(own)) {
            Some(frame) => Line::Of(&site.class, frame),
            None => Line::None(&site.class, &site.stack),
        };
        lines.entry(line).or_default().push((site, own));
    }
    let variances = Variances::of(profile);
    let mut offenders: Vec<_> = lines
        .into_values()
        .map(|mut sites| {
            sites.sort_by_key(|(site, _)| Reverse(tally(site).bytes));
            let (largest, own) = sites[0];
            let mut all = Tally::default();
            sites.iter().for_each(|(site, _)| all.add(tally(site)));
            let is_estimate =
                profile.run.tracking.follows_a_part() || sites.iter().any(|(site, _)| site.error > 0.0);
            let sites = sites.iter().map(|&(site, _)| site);
            let variance = match live {
                true => variances.of_live_sites(sites).bytes,
                false => variances.of_sites(sites).unwrap_or_default(),
            };
            Offender {
                class: largest.class.clone(),
                stack: largest.stack.clone(),
                own,
                objects: all.objects,
                bytes: all.bytes,
                error: is_estimate.then(|| variance.sqrt() / all.bytes.max(1) as f64),
            }
        })
        .collect();
    offenders.sort_by_key(|offender| Reverse(offender.surely()));
    offenders.truncate(MOST);
    offenders
}

/// Whose objects belong together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Line<'p> {
    /// Of a class and a line of the program.
    Of(&'p str, &'p Frame),
    /// Of a class and stack in which the program is not.
    None(&'p str, &'p Stack),
}

impl Offender {
    /// Bytes that there are for sure, but for one case in six.
    fn surely(&self) -> u64 {
        (self.bytes as f64 * (1.0 - self.error.unwrap_or(0.0))).max(0.0) as u64
    }
}
