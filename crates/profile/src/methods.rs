//! Methods across classes: each site is charged to one method of its stack, whatever class it allocates.
//!
//! Not here: blame, which charges every method of a stack (`blame`).

use std::collections::HashMap;

use crate::blame::BlameRules;
use crate::frame::Frame;
use crate::profile::{Profile, SiteProfile};
use crate::stack::Stack;

/// A method, and what was allocated on its behalf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodProfile {
    /// Its class and its name; `None`: made without bytecode of its own, so there is no stack.
    pub method: Option<(String, String)>,
    /// Bytes allocated. Where a class was optimised away, no more than all that was allocated of it.
    pub allocated_bytes: u64,
    /// Bytes executed.
    pub executed_bytes: u64,
    /// Bytes of what is live; 0 when deaths are not followed.
    pub live_bytes: u64,
    /// Byte-seconds of the dead. How old the living are is known by class only.
    pub dead_byte_seconds: f64,
}

impl BlameRules {
    /// The one frame that a site is charged to: the first target, or the innermost frame that is not ignored, or the
    /// innermost one. `None`: there is no stack.
    pub fn charged<'a>(&self, stack: &'a Stack) -> Option<&'a Frame> {
        let mut looked_at = stack.iter().filter(|frame| !frame.starts_with_any(&self.ignore));
        let target = looked_at.clone().find(|frame| frame.starts_with_any(&self.target));
        target.or_else(|| looked_at.next()).or(stack.first())
    }
}

impl Profile {
    /// What each method allocated, most bytes first, ties by name. Empty without stacks.
    pub fn methods(&self, rules: &BlameRules) -> Vec<MethodProfile> {
        let bounds = self.site_bounds();
        let mut charged: HashMap<Option<(&str, &str)>, Vec<&SiteProfile>> = HashMap::new();
        for site in &self.sites {
            let frame = rules.charged(&site.stack);
            charged.entry(frame.map(|frame| (&*frame.class, &*frame.method))).or_default().push(site);
        }
        let mut methods: Vec<_> =
            charged.into_iter().map(|(method, sites)| sum(method, &sites, &bounds)).collect();
        methods
            .sort_by(|a, b| b.allocated_bytes.cmp(&a.allocated_bytes).then_with(|| a.method.cmp(&b.method)));
        methods
    }
}

fn sum(method: Option<(&str, &str)>, sites: &[&SiteProfile], bounds: &HashMap<&str, u64>) -> MethodProfile {
    let mut by_class: HashMap<&str, u64> = HashMap::new();
    let mut sum = MethodProfile {
        method: method.map(|(class, name)| (class.to_owned(), name.to_owned())),
        ..MethodProfile::default()
    };
    for site in sites {
        let executed = by_class.entry(&site.class).or_default();
        *executed = executed.saturating_add(site.allocated.bytes);
        sum.live_bytes = sum.live_bytes.saturating_add(site.live.map_or(0, |live| live.bytes));
        sum.dead_byte_seconds += site.byte_seconds;
    }
    for (class, executed) in by_class {
        let bound = bounds.get(class).copied().unwrap_or(u64::MAX);
        sum.executed_bytes = sum.executed_bytes.saturating_add(executed);
        sum.allocated_bytes = sum.allocated_bytes.saturating_add(executed.min(bound));
    }
    sum
}
