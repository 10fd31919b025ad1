//! What a limit is compared with: counts of a profile, with their bands.
//!
//! Allocated is what was executed: when the JIT compiler optimises it away differs from run to run, and a budget should not.
//! Not here: whether the profile can tell at all (`grounds`).

use mayfly_profile::{ClassProfile, EngineKind, Measure, Profile, SiteProfile, Sureness, Tally, Variances};

use crate::amount::Amount;
use crate::apart::initialises_a_class;
use crate::budget::{Budget, Initialisation, Limit, Quantity, Subject};
use crate::counted::Picked;
use crate::operations::reported;

/// Two-sided standard deviations of a band of 95 %.
const DEVIATIONS: f64 = 1.96;

const NO_OPERATIONS: &str = "the number of operations is not given: name it in the budget or by --operations, or have the \
                             program report it by Mayfly.operations";

impl Subject {
    /// Whether a limit on this is on that class, too.
    pub(crate) fn has_class(&self, name: &str) -> bool {
        match self {
            Self::Total => true,
            Self::Class(wanted) => match wanted.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == wanted,
            },
            Self::Site(_) => false,
        }
    }

    /// Whether a limit on this is on what is allocated there, too.
    pub(crate) fn has_site(&self, site: &SiteProfile) -> bool {
        match self {
            Self::Site(prefix) => site.stack.iter().any(|frame| {
                frame.class.starts_with(prefix.as_str())
                    || format!("{}.{}", frame.class, frame.method).starts_with(prefix.as_str())
            }),
            Self::Total | Self::Class(_) => self.has_class(&site.class),
        }
    }
}

/// A sum of amounts whose errors are independent of each other.
#[derive(Default)]
struct Sum {
    value: f64,
    below: f64,
    above: f64,
}

impl Sum {
    fn add(&mut self, amount: Amount) {
        self.value += amount.value;
        self.below = self.below.hypot(amount.value - amount.low);
        self.above = self.above.hypot(amount.high - amount.value);
    }

    fn amount(&self) -> Amount {
        Amount { value: self.value, low: (self.value - self.below).max(0.0), high: self.value + self.above }
    }
}

/// How many operations the program did, if that is known.
pub(crate) fn operations(profile: &Profile, budget: &Budget) -> Option<f64> {
    budget.operations.or_else(|| reported(profile))
}

/// What is limited, as `profile` has it; or why it does not tell.
pub(crate) fn measure(profile: &Profile, limit: &Limit, budget: &Budget) -> Result<Amount, String> {
    let subject = &limit.subject;
    let per = || operations(profile, budget).ok_or_else(|| NO_OPERATIONS.to_owned());
    let allocated = |bytes: bool| allocated(profile, subject, bytes, budget.initialisation);
    match limit.quantity {
        Quantity::Bytes => allocated(true),
        Quantity::Objects => allocated(false),
        Quantity::BytesPerOperation => Ok(allocated(true)?.per(per()?)),
        Quantity::ObjectsPerOperation => Ok(allocated(false)?.per(per()?)),
        Quantity::Live => Ok(live(profile, subject, false)),
        Quantity::LiveBytes => Ok(live(profile, subject, true)),
        Quantity::ByteSeconds => Ok(byte_seconds(profile, subject)),
        Quantity::Percentile(percent) => percentile(profile, subject, f64::from(percent) / 100.0),
        Quantity::DiedBeforeFirstGc => died_at_first(profile, subject),
        Quantity::Measure(measure) => of_classes(profile, subject, measure),
    }
}

fn classes<'a>(profile: &'a Profile, subject: &'a Subject) -> impl Iterator<Item = &'a ClassProfile> {
    profile.classes.iter().filter(|class| subject.has_class(&class.name))
}

fn sites<'a>(profile: &'a Profile, subject: &'a Subject) -> impl Iterator<Item = &'a SiteProfile> {
    profile.sites.iter().filter(|site| subject.has_site(site))
}

fn allocated(
    profile: &Profile,
    subject: &Subject,
    bytes: bool,
    initialisation: Initialisation,
) -> Result<Amount, String> {
    let apart = initialisation == Initialisation::Apart;
    if apart && !profile.run.stacks {
        return Err("class initialisation is recognised by stacks, and none were recorded".to_owned());
    }
    if matches!(subject, Subject::Site(_)) {
        let rest = sites(profile, subject).filter(|site| !(apart && initialises_a_class(site)));
        return Ok(sum_of_sites(profile, rest, bytes));
    }
    let mut sum = Sum::default();
    let variances = Variances::of(profile);
    let mut any = false;
    for class in classes(profile, subject) {
        any = true;
        let error = (variances.of_class(class), variances.sample_of_class(Some(class)));
        sum.add(amount(class.allocated, error, bytes));
    }
    if !any {
        // No sample is not none.
        sum.add(amount(Tally::default(), (0.0, variances.sample_of_class(None)), bytes));
    }
    let amount = sum.amount();
    Ok(if apart { without(amount, initialising(profile, subject, bytes)) } else { amount })
}

/// What class initialisers allocated of `subject`.
pub(crate) fn initialising(profile: &Profile, subject: &Subject, bytes: bool) -> Amount {
    sum_of_sites(profile, sites(profile, subject).filter(|site| initialises_a_class(site)), bytes)
}

fn without(all: Amount, part: Amount) -> Amount {
    let floor = |value: f64| value.max(0.0);
    Amount {
        value: floor(all.value - part.value),
        low: floor(all.low - part.high),
        high: floor(all.high - part.low),
    }
}

/// Objects or bytes of this variance in bytes, of which one sample stands for `weight` bytes; 0: it is exact.
fn amount(tally: Tally, (variance, weight): (f64, f64), bytes: bool) -> Amount {
    let size = if tally.objects > 0 { tally.bytes as f64 / tally.objects as f64 } else { 1.0 };
    if weight <= 0.0 {
        return Amount::exact(if bytes { tally.bytes } else { tally.objects } as f64);
    }
    let of_bytes = Amount::estimated(tally.bytes as f64, variance, weight);
    if bytes { of_bytes } else { of_bytes.per(size.max(1.0)) }
}

fn sum_of_sites<'a>(
    profile: &'a Profile,
    sites: impl Iterator<Item = &'a SiteProfile>,
    bytes: bool,
) -> Amount {
    let variances = Variances::of(profile);
    let sites: Vec<&SiteProfile> = sites.collect();
    let mut tally = Tally::default();
    sites.iter().for_each(|site| tally.add(site.allocated));
    let variance = variances.of_sites(sites.iter().copied()).unwrap_or(0.0);
    let weight = variances.sample_of_sites(sites.iter().map(|site| site.class.as_str()));
    with_unseen(amount(tally, (variance, weight), bytes), tally, variances.unseen_at(&sites), bytes)
}

/// No sample there, of any class or of some, is not: none was allocated there. So there may be more than `seen`.
fn with_unseen(seen: Amount, of: Tally, variance: f64, bytes: bool) -> Amount {
    let size = of.bytes as f64 / of.objects.max(1) as f64;
    let unseen = amount(Tally::default(), (0.0, variance.sqrt()), bytes);
    let mut sum = Sum::default();
    sum.add(seen);
    sum.add(if bytes { unseen } else { unseen.per(size.max(1.0)) });
    Amount { low: seen.low, ..sum.amount() }
}

fn live(profile: &Profile, subject: &Subject, bytes: bool) -> Amount {
    let variances = Variances::of(profile);
    if let Subject::Site(_) = subject {
        return live_at(profile, &variances, sites(profile, subject).collect(), bytes);
    }
    // What is not there at all may have been missed once, not once per class.
    let (mut sum, mut any, mut missed) = (Sum::default(), false, 0.0_f64);
    for class in classes(profile, subject) {
        let live = class.live.unwrap_or_default();
        let variance = variances.of_live(class).bytes;
        let weight = if variance > 0.0 { variances.followed_of_class(class) } else { 0.0 };
        if live.is_empty() {
            let size = class.allocated.bytes as f64 / class.allocated.objects.max(1) as f64;
            missed = missed.max(if bytes { weight } else { weight / size.max(1.0) });
        } else {
            any = true;
            sum.add(amount(live, (variance, weight), bytes));
        }
    }
    if any { sum.amount() } else { amount(Tally::default(), (0.0, missed), bytes) }
}

fn live_at(profile: &Profile, variances: &Variances<'_>, sites: Vec<&SiteProfile>, bytes: bool) -> Amount {
    let mut live = Tally::default();
    sites.iter().for_each(|site| live.add(site.live.unwrap_or_default()));
    let variance = variances.of_live_sites(sites.iter().copied()).bytes;
    let weight = variances.sample_of_sites(sites.iter().map(|site| site.class.as_str()));
    let unseen = if profile.run.lifetimes { variances.unseen_at(&sites) } else { 0.0 };
    with_unseen(amount(live, (variance, weight), bytes), live, unseen, bytes)
}

/// Between what the collections prove: every death lies in an interval. The living count up to when they were last seen.
fn byte_seconds(profile: &Profile, subject: &Subject) -> Amount {
    let mut sum = Sum::default();
    for class in classes(profile, subject) {
        let picked = Picked::tracked_of(profile, class);
        let Some(known) = class.byte_seconds(&profile.run.buckets) else { continue };
        let (_, bytes) = picked.amounts(class.allocated, 0.0);
        let share = if bytes.value > 0.0 { known.all() / bytes.value } else { 0.0 };
        sum.add(Amount { value: known.all(), low: bytes.low * share, high: bytes.high * share });
    }
    sum.amount()
}

/// The one class that is meant, with its lifetimes; `None` if no object of any such class was seen.
fn one_class<'a>(profile: &'a Profile, subject: &'a Subject) -> Option<ClassProfile> {
    classes(profile, subject).cloned().reduce(|mut all, class| {
        all.allocated.add(class.allocated);
        all.live = all.live.zip(class.live).map(|(mut sum, live)| {
            sum.add(live);
            sum
        });
        match (&mut all.lifetimes, &class.lifetimes) {
            (Some(all), Some(more)) => all.merge(more),
            (none @ None, more) => *none = more.clone(),
            (Some(_), None) => {}
        }
        all
    })
}

/// Lifetimes of a class of which nothing was allocated exceed nothing.
fn percentile(profile: &Profile, subject: &Subject, q: f64) -> Result<Amount, String> {
    let Some(class) = one_class(profile, subject).filter(|class| class.allocated.objects > 0) else {
        return Ok(Amount::default());
    };
    let known = class.lifetimes.as_ref().and_then(mayfly_profile::Lifetimes::in_time);
    let Some(survival) = known else { return Err("nothing is known of its lifetimes".to_owned()) };
    let quantile = survival.quantile(q);
    let low = if profile.run.jvm.lifetimes_are_upper_bounds() { 0.0 } else { quantile.low };
    // Too many still live: it is at least what they have reached.
    let high = quantile.high.unwrap_or(f64::INFINITY);
    let value = quantile.point.unwrap_or(quantile.low);
    Ok(Amount { value, low, high }.per(1000.0))
}

/// Any measure, which is of one class or adds up. What is an estimate without a band can't be judged by.
fn of_classes(profile: &Profile, subject: &Subject, measure: &Measure) -> Result<Amount, String> {
    let all: Vec<_> = classes(profile, subject).filter(|class| class.allocated.objects > 0).collect();
    if all.len() > 1 && !measure.adds_up {
        return Err(format!("{} is of one class, and {} have such a name", measure.key, all.len()));
    }
    let mut sum = Sum::default();
    for class in all {
        let is_exact = match measure.sureness {
            Sureness::Counted => profile.run.engine == EngineKind::Exact,
            Sureness::Followed => matches!(Picked::tracked_of(profile, class), Picked::Each),
            Sureness::Estimated => true,
        };
        if !is_exact {
            return Err(format!("how far off {} may be is not known: it is an estimate here", measure.key));
        }
        let of = measure.of(profile, class).ok_or_else(|| format!("{} is not known", measure.key))?;
        let value = of.point.unwrap_or(of.low);
        sum.add(Amount { value, low: of.low, high: of.high.unwrap_or(f64::INFINITY) });
    }
    Ok(sum.amount())
}

fn died_at_first(profile: &Profile, subject: &Subject) -> Result<Amount, String> {
    let class = one_class(profile, subject);
    let lifetimes = class.as_ref().and_then(|class| class.lifetimes.as_ref());
    let Some((lifetimes, share)) =
        lifetimes.and_then(|known| Some((known, known.died_before_first_gc_share()?)))
    else {
        return Err("none of its objects was seen dead".to_owned());
    };
    let picked = class.as_ref().map_or(Picked::Each, |class| Picked::tracked_of(profile, class));
    let samples = match picked {
        Picked::Each => return Ok(Amount::exact(share)),
        Picked::OneIn(n) => lifetimes.ms.dead() as f64 / n,
        Picked::PerBytes(interval) => {
            let size = class
                .as_ref()
                .map_or(1.0, |class| class.allocated.bytes as f64 / class.allocated.objects.max(1) as f64);
            lifetimes.ms.dead() as f64 * (1.0 - (-size / interval).exp())
        }
    };
    Ok(wilson(share, samples.max(1.0)))
}

/// Wilson's interval of a share seen in so many samples.
fn wilson(share: f64, samples: f64) -> Amount {
    let z = DEVIATIONS * DEVIATIONS / samples;
    let middle = (share + z / 2.0) / (1.0 + z);
    let half = (share * (1.0 - share) * z + z * z / 4.0).sqrt() / (1.0 + z);
    Amount { value: share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}
