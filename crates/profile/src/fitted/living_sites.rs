//! What is live by site where every object was followed, and stacks were taken of some: the sites of a class share what is live of it
//! as those of their objects say that were followed with a stack.
//!
//! Not here: sessions that follow a sample (`calibration`).

use crate::facts::division::divide;
use crate::facts::run::Tracking;
use crate::facts::tally::Tally;
use crate::fitted::calibration::by_class;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// Makes what is live of sites add up to what is live of their class. Of a site of which nothing was followed it stays unknown, and
/// gets so for all of them if objects of the class are live and none of these was followed with a stack.
pub(crate) fn fit(profile: &mut Profile) {
    if profile.run.tracking != Tracking::EveryObject {
        return;
    }
    let mut by_class = by_class(&mut profile.sites);
    for class in &profile.classes {
        if let (Some(live), Some(sites)) = (class.live, by_class.get_mut(&class.name)) {
            fit_class(class, live, sites);
        }
    }
}

fn fit_class(class: &ClassProfile, live: Tally, sites: &mut [&mut SiteProfile]) {
    let all_known = sites.iter().all(|site| site.live.is_some() || site.allocated.is_empty());
    let mut known: Vec<_> = sites.iter_mut().filter(|site| site.live.is_some()).collect();
    let parts: Vec<Tally> = known.iter().filter_map(|site| site.live).collect();
    let mut sum = Tally::default();
    parts.iter().for_each(|&part| sum.add(part));
    let fits = sum.objects == live.objects && sum.bytes == live.bytes;
    let has_room = !all_known && sum.objects <= live.objects && sum.bytes <= live.bytes;
    if fits || has_room {
        return;
    }
    if sum.objects == 0 {
        known.iter_mut().for_each(|site| site.forget_lifetimes());
        return;
    }
    let of = |number: fn(&Tally) -> u64| -> Vec<(u64, u64)> {
        let rooms = known.iter().map(|site| number(&site.allocated));
        parts.iter().map(number).zip(rooms).collect()
    };
    let objects = shared(live.objects, &of(|part| part.objects));
    let bytes = match class.allocated.is_uniform() {
        true => objects.iter().map(|objects| objects * class.allocated.largest).collect(),
        false => shared(live.bytes, &of(|part| part.bytes)),
    };
    for (site, (objects, bytes)) in known.into_iter().zip(objects.into_iter().zip(bytes)) {
        site.set_live(objects, if objects > 0 { bytes } else { 0 });
    }
}

/// A total by weights, of which each part has room for so much; what finds no room is left out.
fn shared(total: u64, parts: &[(u64, u64)]) -> Vec<u64> {
    let mut shares = vec![0; parts.len()];
    let mut free: Vec<usize> = (0..parts.len()).filter(|&at| parts[at].0 > 0).collect();
    let mut left = total;
    loop {
        let weights: Vec<u64> = free.iter().map(|&at| parts[at].0).collect();
        let wanted = divide(left, &weights);
        let (full, others): (Vec<_>, Vec<_>) =
            free.iter().copied().zip(wanted).partition(|&(at, share)| share > parts[at].1);
        if full.is_empty() {
            others.into_iter().for_each(|(at, share)| shares[at] = share);
            return shares;
        }
        for (at, _) in full {
            shares[at] = parts[at].1;
            left -= parts[at].1;
        }
        free = others.into_iter().map(|(at, _)| at).collect();
    }
}

impl SiteProfile {
    /// It is not known what became of its objects.
    fn forget_lifetimes(&mut self) {
        self.live = None;
        self.unjudged = Tally::default();
        self.collected.fill(Tally::default());
        self.byte_seconds = 0.0;
    }

    /// So much is live; the others are not judged, or dead, in the parts that they were.
    fn set_live(&mut self, objects: u64, bytes: u64) {
        let largest = self.live.map_or(0, |live| live.largest);
        let live = Tally { objects, bytes, largest };
        self.live = Some(live);
        let left = self.allocated.without(live);
        let parts: Vec<Tally> = [self.unjudged].into_iter().chain(self.collected.iter().copied()).collect();
        if parts.iter().all(Tally::is_empty) {
            // Nobody was seen dead: when those died that are not live is not known.
            self.unjudged = Tally { largest: self.allocated.largest, ..left };
            return;
        }
        let of = |number: fn(&Tally) -> u64| parts.iter().map(number).collect::<Vec<_>>();
        let objects = divide(left.objects, &of(|part| part.objects));
        let bytes = divide(left.bytes, &of(|part| part.bytes));
        let before: u64 = self.collected.iter().map(|dead| dead.bytes).sum();
        let mut parted = parts
            .iter()
            .zip(objects.into_iter().zip(bytes))
            .map(|(part, (objects, bytes))| Tally { objects, bytes, largest: part.largest });
        self.unjudged = parted.next().unwrap_or_default();
        self.collected = parted.collect();
        let now: u64 = self.collected.iter().map(|dead| dead.bytes).sum();
        self.byte_seconds *= now as f64 / (before as f64).max(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(allocated: u64, live: Option<u64>, dead: u64) -> SiteProfile {
        SiteProfile {
            class: "a.B".to_owned(),
            allocated: Tally::of(allocated, 16),
            live: live.map(|live| Tally::of(live, 16)),
            collected: vec![Tally::of(dead, 16)],
            ..SiteProfile::default()
        }
    }

    fn fitted(live: u64, sites: Vec<SiteProfile>) -> Vec<(Option<u64>, u64, u64)> {
        let allocated = sites.iter().map(|site| site.allocated.objects).sum();
        let class = ClassProfile {
            name: "a.B".to_owned(),
            allocated: Tally::of(allocated, 16),
            live: Some(Tally::of(live, 16)),
            ..ClassProfile::default()
        };
        let mut profile = Profile { classes: vec![class], sites, ..Profile::default() };
        profile.run.tracking = Tracking::EveryObject;
        fit(&mut profile);
        let told = |site: &SiteProfile| {
            let live = site.live.map(|live| live.objects);
            assert!(site.live.is_none_or(|live| live.bytes == 16 * live.objects));
            (live, site.unjudged.objects, site.collected[0].objects)
        };
        profile.sites.iter().map(told).collect()
    }

    #[test]
    fn what_is_live_of_sites_is_what_is_live_of_their_class() {
        // 300 are said to be live where 30 are.
        let told =
            fitted(30, vec![site(1000, Some(200), 800), site(500, Some(100), 400), site(50, Some(0), 50)]);
        assert_eq!(told, [(Some(20), 0, 980), (Some(10), 0, 490), (Some(0), 0, 50)]);
        let told = fitted(60, vec![site(1000, Some(20), 980), site(500, Some(10), 490)]);
        assert_eq!(told, [(Some(40), 0, 960), (Some(20), 0, 480)]);
    }

    #[test]
    fn no_site_has_more_live_than_it_allocated() {
        let told = fitted(100, vec![site(20, Some(20), 0), site(500, Some(20), 480), site(30, Some(0), 30)]);
        assert_eq!(told, [(Some(20), 0, 0), (Some(80), 0, 420), (Some(0), 0, 30)]);
        let told = fitted(100, vec![site(20, Some(20), 0), site(30, Some(0), 30)]);
        assert_eq!(told, [(Some(20), 0, 0), (Some(0), 0, 30)], "the others' site was not met");
    }

    #[test]
    fn what_no_sample_tells_is_not_known() {
        let told = fitted(30, vec![site(1000, Some(10), 990), site(500, None, 0)]);
        assert_eq!(told, [(Some(10), 0, 990), (None, 0, 0)], "the other may have the rest");
        let told = fitted(5, vec![site(1000, Some(10), 990), site(500, None, 0)]);
        assert_eq!(told, [(Some(5), 0, 995), (None, 0, 0)], "not more than there is");
        let told = fitted(5, vec![site(1000, Some(0), 1000), site(500, Some(0), 500)]);
        assert_eq!(told, [(None, 0, 0), (None, 0, 0)], "some are live, of nobody knows which site");
    }
}
