//! Whether a profile keeps a budget. What can't be told is never taken for kept.
//!
//! Not here: reading budgets (`budget`), and how a ruling is shown.

use mayfly_profile::Profile;

use crate::amount::Amount;
use crate::budget::{Budget, Initialisation, Limit, Subject};
use crate::grounds::{Shortage, distrust_of_all, missing, trust_share};
use crate::measure::{initialising, measure, operations};
use crate::offenders::{Offender, offenders};

/// A profile held against a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Share of the JVM's bytes that is known; `None`: it has no counter.
    pub trust: Option<f64>,
    /// Why no judgement holds, if none does: what is missing leaves those that it can't change.
    pub distrust: Option<String>,
    /// Whether as much is known as is required.
    pub is_trusted: bool,
    /// One for each limit, in the order of the budget.
    pub outcomes: Vec<Outcome>,
    /// Bytes that class initialisers allocated; `None` without stacks.
    pub initialisation_bytes: Option<Amount>,
    /// Whether limits are on what is left without these.
    pub initialisation: Initialisation,
}

/// What became of one limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The limit.
    pub limit: Limit,
    /// What it was compared with; `None` where that is not known.
    pub measured: Option<Amount>,
    /// Whether it is kept.
    pub judgement: Judgement,
    /// Who makes most of what is limited, if it is exceeded.
    pub offenders: Vec<Offender>,
    /// Whether anything at all was seen of what is limited: a name may be misspelt.
    pub seen: bool,
}

/// Whether a limit is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All of the band is within it.
    Kept,
    /// All of the band is beyond it.
    Exceeded,
    /// Why it can't be told.
    Unknown(String),
}

/// What follows from all limits together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// Each is kept.
    Kept,
    /// Of one at least it can't be told, and none is exceeded for sure; or too little is known for any.
    Unknown,
    /// One at least is exceeded.
    Exceeded,
}

impl Checked {
    /// What follows.
    pub fn ruling(&self) -> Ruling {
        if self.distrust.is_some() {
            return Ruling::Unknown;
        }
        // No outcome is no reason to be content.
        self.outcomes.iter().map(Outcome::ruling).max().unwrap_or(Ruling::Unknown)
    }
}

/// Holds `profile` against `budget`.
pub fn check(profile: &Profile, budget: &Budget) -> Checked {
    let stacks = profile.run.stacks;
    let shortage = Shortage::of(profile, budget.trust);
    let outcome = |limit| outcome(profile, limit, (budget, shortage.as_ref()));
    let distrust = distrust_of_all(profile, budget.trust);
    Checked {
        trust: trust_share(profile),
        is_trusted: distrust.is_none() && shortage.is_none(),
        distrust,
        outcomes: budget.limits.iter().map(outcome).collect(),
        initialisation_bytes: stacks.then(|| initialising(profile, &Subject::Total, true)),
        initialisation: budget.initialisation,
    }
}

fn outcome(profile: &Profile, limit: &Limit, (budget, shortage): (&Budget, Option<&Shortage>)) -> Outcome {
    let mut measured = missing(profile, limit).map_or_else(|| measure(profile, limit, budget), Err);
    let judgement = match (&mut measured, shortage) {
        (Ok(amount), None) => judge(limit, *amount),
        (Ok(amount), Some(shortage)) => {
            let operations = operations(profile, budget).unwrap_or(1.0);
            let with_missing = shortage.added_to(*amount, limit.quantity, operations);
            *amount = with_missing.unwrap_or(*amount);
            // What decides is not what was missed, or it is not known.
            let judged = with_missing.map(|amount| judge(limit, amount));
            let known = judged.filter(|judgement| !matches!(judgement, Judgement::Unknown(_)));
            known.unwrap_or_else(|| Judgement::Unknown(shortage.why(limit, with_missing)))
        }
        (Err(why), _) => Judgement::Unknown(why.clone()),
    };
    let exceeded = judgement == Judgement::Exceeded;
    Outcome {
        limit: limit.clone(),
        measured: measured.ok(),
        judgement,
        offenders: if exceeded { offenders(profile, limit) } else { Vec::new() },
        seen: seen(profile, limit),
    }
}

fn judge(limit: &Limit, amount: Amount) -> Judgement {
    // No more than in older runs for sure.
    let is_as_before = limit.as_before.is_some_and(|most| amount.low <= most);
    if is_as_before { Judgement::Kept } else { judge_by_band(limit, amount) }
}

/// By all of what it may be.
fn judge_by_band(limit: &Limit, amount: Amount) -> Judgement {
    let (kept, exceeded) = if limit.quantity.is_least() {
        (amount.low >= limit.bound, amount.high < limit.bound)
    } else {
        (amount.high <= limit.bound, amount.low > limit.bound)
    };
    match (kept, exceeded) {
        (true, _) => match &limit.vague {
            Some(vague) if amount.high > vague.above => Judgement::Unknown(vague.why.clone()),
            _ => Judgement::Kept,
        },
        (_, true) => limit.doubt.clone().map_or(Judgement::Exceeded, Judgement::Unknown),
        _ => Judgement::Unknown("the limit lies within the error of the measurement".to_owned()),
    }
}

impl Outcome {
    /// What follows from it alone.
    pub fn ruling(&self) -> Ruling {
        match self.judgement {
            Judgement::Kept => Ruling::Kept,
            Judgement::Unknown(_) => Ruling::Unknown,
            Judgement::Exceeded => Ruling::Exceeded,
        }
    }

    /// Whether it is kept only as far as is known: as it is no more than in older runs for sure.
    pub fn is_rough(&self) -> bool {
        let is_kept_by_band = |amount| judge_by_band(&self.limit, amount) == Judgement::Kept;
        self.judgement == Judgement::Kept && self.measured.is_some_and(|amount| !is_kept_by_band(amount))
    }
}

fn seen(profile: &Profile, limit: &Limit) -> bool {
    match limit.subject {
        Subject::Site(_) => profile.sites.iter().any(|site| limit.subject.has_site(site)),
        _ => profile
            .classes
            .iter()
            .any(|class| limit.subject.has_class(&class.name) && class.allocated.objects > 0),
    }
}
