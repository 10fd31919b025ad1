//! Who makes what exceeds a limit: the sites that allocate or hold most of it.

use std::cmp::Reverse;

use mayfly_profile::{Frame, Profile, SiteProfile, Stack};

use crate::budget::{Limit, Quantity};

/// Offenders named of each limit.
const MOST: usize = 3;

/// A site that makes much of what is limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Offender {
    /// Class of its objects.
    pub class: String,
    /// Innermost frame first.
    pub stack: Stack,
    /// The place in it of the program's innermost frame, or else of the first outside the JDK; `None`: it has none of them.
    pub own: Option<usize>,
    /// Objects of what is limited: allocated, or live.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether both rest on samples.
    pub is_estimate: bool,
}

/// The largest of what `limit` is on; none without stacks.
pub(crate) fn offenders(profile: &Profile, limit: &Limit) -> Vec<Offender> {
    let live = matches!(limit.quantity, Quantity::Live | Quantity::LiveBytes);
    let offender = |site: &SiteProfile| {
        let tally = if live { site.live.unwrap_or_default() } else { site.allocated };
        Offender {
            class: site.class.clone(),
            stack: site.stack.clone(),
            own: None,
            objects: tally.objects,
            bytes: tally.bytes,
            is_estimate: site.error > 0.0 || profile.run.tracking.follows_a_part(),
        }
    };
    let sites = profile.sites.iter().filter(|site| limit.subject.has_site(site));
    let mut offenders: Vec<_> = sites.map(offender).filter(|offender| offender.objects > 0).collect();
    offenders.sort_by_key(|offender| Reverse(offender.bytes));
    offenders.truncate(MOST);
    let own = profile.program_frames(&offenders.iter().map(|offender| &offender.stack).collect::<Vec<_>>());
    for (offender, own) in offenders.iter_mut().zip(own) {
        offender.own = own.or_else(|| offender.stack.iter().position(Frame::is_own));
    }
    offenders
}
