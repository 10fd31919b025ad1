//! Who holds what grows, as the program's end begins, or on request: a recording then names the field, and not only who allocates.
//!
//! Not here: what grows (`mayfly-profile`), and the search (`retention`).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use mayfly_jvmti::Jni;
use mayfly_profile::{Grower, Link, Profile};

use super::control::publish;
use super::profiler::Profiler;
use crate::retention::{MOST_GROUPS, MOST_OBJECTS, retention};
use crate::session::{Grown, Rows};

/// How long the program is held up at most: this part of the time that was profiled, within bounds. A walk of a heap of a million objects
/// takes 0.04 to 0.12 s, so that of 256 MiB 0.7 s, and eight find a holder; on a busy machine each takes several times as long.
const PART: u32 = 8;
const MOST: Duration = Duration::from_secs(8);
/// The same where nothing surely grows: who holds what is undecided may tell that it does not.
const UNDECIDED_PART: u32 = 32;
const UNDECIDED_MOST: Duration = Duration::from_secs(1);

/// Who wants to know.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// Nobody asked: the program ends.
    AtTheEnd,
    /// Somebody did, and waits.
    OnRequest,
}

impl Wanted {
    /// How long may be looked, of a program that was profiled for so long.
    fn time(self, profiled: Duration, is_decided: bool) -> Duration {
        match (self, is_decided) {
            (Self::AtTheEnd, false) => (profiled / UNDECIDED_PART).min(UNDECIDED_MOST),
            (Self::AtTheEnd, true) => (profiled / PART).clamp(Duration::from_millis(500), MOST),
            (Self::OnRequest, _) => (profiled / PART).clamp(Duration::from_secs(2), MOST),
        }
    }
}

/// Looks for them, unless nothing grows. The caller holds no lock.
pub(super) fn look_for_holders(profiler: &Profiler, jni: Jni<'_>, wanted: Wanted) {
    let Some((grown, time)) = grown(profiler, jni, wanted) else { return };
    let groups: Vec<_> = grown.iter().map(Grown::count).collect();
    let references = profiler.shared.references.handles(jni);
    let get = |group: usize, number: usize| references.object(grown[group].reference(number));
    // A JVM that refuses says nothing of holders: a report is as good as without.
    let counted = matches!(wanted, Wanted::OnRequest);
    let Ok(found) = retention(profiler.target.vm, jni, &groups, time, counted, get) else { return };
    if let Some(session) = profiler.session.lock().as_mut() {
        for (grown, found) in grown.iter().zip(&found) {
            found.on_heap.into_iter().for_each(|objects| session.are_on_heap(grown, objects));
        }
        for (grown, found) in grown.iter().zip(found).filter(|(_, found)| !found.path.is_empty()) {
            session.are_held(grown, found.looked, &found.path);
            if found.at_work > 0 {
                session.are_held(grown, found.at_work, &[Link::at_work()]);
            }
        }
    }
}

/// Followed objects of all that grows for all that is known, and for how long to look; `None` if nothing may.
fn grown(profiler: &Profiler, jni: Jni<'_>, wanted: Wanted) -> Option<(Vec<Grown>, Duration)> {
    let mut session = profiler.session.lock();
    let session = session.as_mut()?;
    session.is_asked_for_all();
    publish(profiler, jni, session);
    let profile = profiler.profile_with_history();
    let growing = profile.growing().ok()?;
    // What is undecided is asked for beside: it may be in the same container, or in one that drops its eldest.
    let (mut sought, others): (Vec<_>, Vec<_>) =
        growing.growers.iter().partition(|grower| grower.growth.is_worth_a_search());
    let time = wanted.time(session.reached().profiled, !sought.is_empty());
    sought.extend(others);
    let own = sought.iter().map(|grower| rows(&profile, grower, own_class(grower)));
    // One method may leak one thing, and put another into a cache.
    let others = sought.iter().flat_map(|grower| {
        let classes = other_classes(&profile, grower).into_iter();
        classes.map(|class| rows(&profile, grower, class))
    });
    let rows: Vec<_> = own.chain(others).take(MOST_GROUPS).collect();
    (!rows.is_empty()).then(|| (session.grown(&rows, MOST_OBJECTS), time))
}

/// Those of a class of a grower, of sites that made some lately: what a library made there when it was first used is held elsewhere, and is most of
/// what is old.
fn rows<'a>(profile: &'a Profile, grower: &'a Grower, class: &'a str) -> Rows<'a> {
    if grower.is_class() {
        return vec![(&grower.class, None)];
    }
    let lately = grower.kept.iter().filter(|kept| kept.lately() > 0);
    let sites = lately.map(|kept| &profile.sites[kept.row]);
    sites.filter(|site| site.class == *class).map(|site| (site.class.as_str(), Some(&site.stack))).collect()
}

/// The program's class of most of its objects, else that of most bytes.
fn own_class(grower: &Grower) -> &str {
    grower.own_class.as_ref().unwrap_or(&grower.class)
}

/// The classes that a grower has most of, by bytes, beside that which it is called by.
fn other_classes<'a>(profile: &'a Profile, grower: &'a Grower) -> Vec<&'a str> {
    const LEAST: f64 = 0.1;
    const MOST: usize = 2;
    if grower.is_class() {
        return Vec::new();
    }
    let own = own_class(grower);
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for kept in &grower.kept {
        *bytes.entry(&profile.sites[kept.row].class).or_default() += kept.live.bytes;
    }
    let least = LEAST * grower.live.bytes as f64;
    let mut classes: Vec<_> =
        bytes.into_iter().filter(|&(class, bytes)| class != own && bytes as f64 >= least).collect();
    classes.sort_by_key(|&(_, bytes)| Reverse(bytes));
    classes.into_iter().take(MOST).map(|(class, _)| class).collect()
}
