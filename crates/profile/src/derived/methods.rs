//! Methods across classes: each site is charged to one method of its stack, whatever class it allocates.
//!
//! Not here: blame, which charges every method of a stack (`blame`).

use std::collections::HashMap;

use crate::derived::places::Places;
use crate::facts::blame::BlameRules;
use crate::facts::frame::Frame;
use crate::facts::stack::Stack;
use crate::stream::profile::{Profile, SiteProfile};

/// A method, and what was allocated on its behalf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodProfile {
    /// Its class and its name as in the source; `None`: made without bytecode of its own, so there is no stack.
    pub method: Option<(String, String)>,
    /// Where in its source file most of it is, if that is known.
    pub line: Option<u32>,
    /// Bytes allocated. Where a class was optimised away, no more than all that was allocated of it.
    pub allocated_bytes: u64,
    /// The standard error of that, as a share of it; 0: it was counted.
    pub error: f64,
    /// Bytes executed.
    pub executed_bytes: u64,
    /// Bytes of what is live; 0 when deaths are not followed.
    pub live_bytes: u64,
    /// Byte-seconds of the dead. How old the living are is known by class only.
    pub dead_byte_seconds: f64,
    /// Bytes executed of what the JDK makes to link its calls ([`Stack::linking_frame`]).
    pub linking_bytes: u64,
}

impl MethodProfile {
    /// Whether most of it is what the JDK makes as it links the method's calls: once, and none of its own.
    pub fn is_mostly_linking(&self) -> bool {
        self.linking_bytes > self.executed_bytes / 2
    }
}

impl BlameRules {
    /// The one frame that a site is charged to: the first target, or the innermost frame that is not ignored, or the
    /// innermost one. `None`: there is no stack.
    pub fn charged<'a>(&self, stack: &'a Stack) -> Option<&'a Frame> {
        let mut looked_at = stack.iter().filter(|frame| self.looks_at(frame));
        let target = looked_at.clone().find(|frame| frame.starts_with_any(&self.target));
        let says_more = looked_at.clone().find(|frame| !frame.only_forwards());
        target.or(says_more).or_else(|| looked_at.next()).or(stack.first())
    }
}

impl Profile {
    /// What each method allocated, most bytes first, ties by name. Empty without stacks.
    pub fn methods(&self, rules: &BlameRules) -> Vec<MethodProfile> {
        let bounds = self.site_bounds();
        let mut charged: HashMap<Option<(&str, &str)>, Vec<Charged<'_>>> = HashMap::new();
        for site in &self.sites {
            let frame = rules.charged(&site.stack);
            let line = frame.and_then(|frame| frame.line);
            charged.entry(frame.map(Frame::in_source)).or_default().push((site, line));
        }
        let mut methods: Vec<_> =
            charged.into_iter().map(|(method, sites)| sum(method, &sites, &bounds)).collect();
        methods
            .sort_by(|a, b| b.allocated_bytes.cmp(&a.allocated_bytes).then_with(|| a.method.cmp(&b.method)));
        methods
    }
}

/// A site, and the line of the method that it is charged to.
type Charged<'p> = (&'p SiteProfile, Option<u32>);

fn sum(method: Option<(&str, &str)>, sites: &[Charged<'_>], bounds: &HashMap<&str, u64>) -> MethodProfile {
    let mut by_class: HashMap<&str, u64> = HashMap::new();
    let mut lines = Places::default();
    let mut sum = MethodProfile {
        method: method.map(|(class, name)| (class.to_owned(), name.to_owned())),
        ..MethodProfile::default()
    };
    let mut variance = 0.0;
    for &(site, line) in sites {
        lines.add(line, site.allocated_at_most(bounds) as f64);
        let executed = by_class.entry(&site.class).or_default();
        *executed = executed.saturating_add(site.allocated.bytes);
        sum.live_bytes = sum.live_bytes.saturating_add(site.live.map_or(0, |live| live.bytes));
        sum.dead_byte_seconds += site.byte_seconds;
        variance += (site.allocated.bytes as f64 * site.error).powi(2);
        if site.stack.linking_frame().is_some() {
            sum.linking_bytes = sum.linking_bytes.saturating_add(site.allocated.bytes);
        }
    }
    for (class, executed) in by_class {
        let bound = bounds.get(class).copied().unwrap_or(u64::MAX);
        sum.executed_bytes = sum.executed_bytes.saturating_add(executed);
        sum.allocated_bytes = sum.allocated_bytes.saturating_add(executed.min(bound));
    }
    sum.error = variance.sqrt() / (sum.executed_bytes as f64).max(1.0);
    sum.line = lines.most().copied().flatten();
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::tally::Tally;

    fn site(frames: &[(&str, &str, u32)], bytes: u64) -> SiteProfile {
        let frame = |&(class, method, line): &(&str, &str, u32)| Frame {
            class: class.into(),
            method: method.into(),
            file: None,
            line: Some(line),
        };
        let stack = frames.iter().map(frame).collect();
        SiteProfile { stack, allocated: Tally::of(1, bytes), ..SiteProfile::default() }
    }

    #[test]
    fn the_error_of_a_method_is_that_of_its_sites_together() {
        let at = |line, bytes, error| SiteProfile { error, ..site(&[("a.A", "run", line)], bytes) };
        let sites = vec![at(1, 300, 0.1), at(2, 400, 0.1)];
        let profile = Profile { sites, ..Profile::default() };
        let error = profile.methods(&BlameRules::outside_the_jdk())[0].error;
        assert!((error - 50.0 / 700.0).abs() < 1e-9, "{error}");
    }

    #[test]
    fn a_method_and_its_lambdas_are_one_row_with_the_line_of_most_bytes() {
        let rules = BlameRules { ignore: vec!["java.".into()], ..BlameRules::default() };
        let lambda = [("a.Shop", "lambda$price$0", 8), ("a.Shop$$Lambda$7/0x08", "get", 0)];
        let sites = vec![
            site(&[("java.lang.String", "valueOf", 1), ("a.Shop", "price", 5)], 10),
            site(&lambda, 70),
            site(&[("a.Shop$$Lambda$9/0x0c", "get", 0), ("a.Shop", "price", 6)], 15),
        ];
        let methods = Profile { sites, ..Profile::default() }.methods(&rules);
        let found: Vec<_> =
            methods.iter().map(|row| (row.method.clone(), row.line, row.allocated_bytes)).collect();
        assert_eq!(found, [(Some(("a.Shop".to_owned(), "price".to_owned())), Some(8), 95)]);
    }
}
