//! What a program may use, as a text in TOML: limits on the whole, on classes, and on what code allocates.
//!
//! Whatever is not known, misspelt or out of place is refused with its line: a limit that nobody reads would pass for ever.
//! Not here: what is measured (`measure`), and the judgement (`check`).

use std::collections::BTreeMap;
use std::ops::Range;

use mayfly_profile::{Measure, Needs, Unit, jvm_class, measures, option_value};
use serde::Deserialize;
use toml::Spanned;

/// Least share of the JVM's bytes that has to be counted, where a budget names none.
const TRUST: f64 = 0.99;

/// Limits, and what has to be known for a judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Least share of the JVM's bytes that has to be counted or known exactly, for any judgement.
    pub trust: f64,
    /// How many operations the program does, for limits per operation; `None`: as many as it reported.
    pub operations: Option<f64>,
    /// What becomes of what class initialisers allocate.
    pub initialisation: Initialisation,
    /// In the order of the text.
    pub limits: Vec<Limit>,
}

/// What becomes of what class initialisers (`<clinit>`) allocate: a cold run allocates a multiple of a warm one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Initialisation {
    /// It counts like all else.
    #[default]
    Included,
    /// It is taken off, and named apart. Needs stacks.
    Apart,
}

/// One limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What it is on.
    pub subject: Subject,
    /// What is limited.
    pub quantity: Quantity,
    /// The most that is allowed (of a share, the least), in the unit of the quantity.
    pub bound: f64,
    /// Line in the budget, from 1.
    pub line: usize,
    /// Why what is beyond it is not exceeded for sure; `None`: it is.
    pub doubt: Option<String>,
    /// What is within it and is not kept for sure; `None`: all is.
    pub vague: Option<Vague>,
    /// What older runs had of it, where that is known roughly: what is no more for sure is kept, however far its error reaches.
    pub as_before: Option<f64>,
}

impl Limit {
    /// One that tells of each number whether it keeps it.
    pub fn without_doubt(subject: Subject, quantity: Quantity, bound: f64, line: usize) -> Self {
        Self { subject, quantity, bound, line, doubt: None, vague: None, as_before: None }
    }
}

/// What a limit does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Vague {
    /// Of what is more than this.
    pub above: f64,
    /// Why.
    pub why: String,
}

/// What a limit is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All of the program.
    Total,
    /// Classes of this name, or those whose name begins so where a `*` ends it.
    Class(String),
    /// Whatever is allocated by methods whose `class.method` begins so, and by what they call.
    Site(String),
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes allocated.
    Bytes,
    /// Objects allocated.
    Objects,
    /// Bytes allocated per operation.
    BytesPerOperation,
    /// Objects allocated per operation.
    ObjectsPerOperation,
    /// Objects live at the end.
    Live,
    /// Their bytes.
    LiveBytes,
    /// Bytes times the seconds that they are held.
    ByteSeconds,
    /// Lifetime in seconds that so many percent of the objects do not exceed.
    Percentile(u8),
    /// Least share of the dead that died at their first collection.
    DiedBeforeFirstGc,
    /// Any other measure of a class.
    Measure(&'static Measure),
}

impl Quantity {
    /// Those that are more, or known better, than a measure of a class.
    const NAMED: [Self; 11] = [
        Self::Bytes,
        Self::Objects,
        Self::BytesPerOperation,
        Self::ObjectsPerOperation,
        Self::Live,
        Self::LiveBytes,
        Self::ByteSeconds,
        Self::Percentile(50),
        Self::Percentile(90),
        Self::Percentile(99),
        Self::DiedBeforeFirstGc,
    ];

    /// The quantity of this key, if `subject` has it.
    pub(crate) fn of_key(key: &str, subject: &Subject) -> Option<Self> {
        // The key of budgets is older than the measure's.
        let key = if key == measures::LIVE_OBJECTS.key { Self::Live.key() } else { key };
        let named = Self::NAMED.into_iter().find(|quantity| quantity.key() == key);
        let of_measure = || Measure::of_key(key).map(Self::Measure);
        named.or_else(of_measure).filter(|quantity| quantity.is_of(subject))
    }

    fn is_of(self, subject: &Subject) -> bool {
        use Quantity::{
            ByteSeconds, Bytes, BytesPerOperation, DiedBeforeFirstGc, Live, LiveBytes, Objects,
            ObjectsPerOperation, Percentile,
        };
        match self {
            Bytes | Objects | BytesPerOperation | ObjectsPerOperation | Live | LiveBytes => true,
            ByteSeconds => !matches!(subject, Subject::Site(_)),
            Percentile(_) | DiedBeforeFirstGc | Self::Measure(_) => matches!(subject, Subject::Class(_)),
        }
    }

    /// Its key in a budget: that of the measure, where it is one.
    pub fn key(self) -> &'static str {
        match self {
            Self::Bytes => measures::BYTES.key,
            Self::Objects => measures::OBJECTS.key,
            Self::BytesPerOperation => "bytes_per_operation",
            Self::ObjectsPerOperation => "objects_per_operation",
            Self::Live => "live",
            Self::LiveBytes => measures::LIVE_BYTES.key,
            Self::ByteSeconds => measures::BYTE_SECONDS.key,
            Self::Percentile(50) => measures::P50_S.key,
            Self::Percentile(90) => measures::P90_S.key,
            Self::Percentile(_) => measures::P99_S.key,
            Self::DiedBeforeFirstGc => measures::DIED_BEFORE_FIRST_GC_SHARE.key,
            Self::Measure(measure) => measure.key,
        }
    }

    /// Whether it is in bytes, which a budget may spell as `20m`.
    fn is_size(self) -> bool {
        match self {
            Self::Bytes | Self::BytesPerOperation | Self::LiveBytes | Self::ByteSeconds => true,
            Self::Measure(measure) => measure.unit == Unit::Bytes,
            _ => false,
        }
    }

    /// Whether its bound is the least that is allowed, not the most.
    pub fn is_least(self) -> bool {
        self == Self::DiedBeforeFirstGc
    }

    /// Whether deaths have to be followed to know it.
    pub(crate) fn needs_lifetimes(self) -> bool {
        use Quantity::{Bytes, BytesPerOperation, Objects, ObjectsPerOperation};
        match self {
            Self::Measure(measure) => measure.needs == Needs::Deaths,
            quantity => !matches!(quantity, Bytes | Objects | BytesPerOperation | ObjectsPerOperation),
        }
    }
}

/// Why a text is no budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BudgetError {
    /// Line of the text, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Budget {
    /// Reads a text.
    ///
    /// # Errors
    /// It is not TOML, has a key that is not known, a value that is none, or no limit at all.
    pub fn parse(text: &str) -> Result<Self, BudgetError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let reason = error.message().replace('\n', "; ");
            BudgetError { line: line_of(text, error.span().unwrap_or_default()), reason }
        })?;
        file.budget(text)
    }
}

fn line_of(text: &str, span: Range<usize>) -> usize {
    text.bytes().take(span.start).filter(|&byte| byte == b'\n').count() + 1
}

/// A budget as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    trust: Option<Spanned<f64>>,
    operations: Option<Spanned<f64>>,
    #[serde(default)]
    class_initialisation: Initialisation,
    total: Option<Spanned<Entry>>,
    #[serde(default, rename = "class")]
    classes: Vec<Spanned<Entry>>,
    #[serde(default, rename = "site")]
    sites: Vec<Spanned<Entry>>,
}

/// Limits by their keys, and what they are on.
type Entry = BTreeMap<Spanned<String>, Spanned<Setting>>;

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a text")]
enum Setting {
    Whole(i64),
    Real(f64),
    Text(String),
}

impl File {
    fn budget(self, text: &str) -> Result<Budget, BudgetError> {
        let mut reading = Reading { text, limits: Vec::new() };
        let trust = match &self.trust {
            Some(trust) if !(0.0..=1.0).contains(trust.get_ref()) => {
                return Err(reading.error(trust.span(), "trust is a share from 0 to 1"));
            }
            trust => trust.as_ref().map_or(TRUST, |trust| *trust.get_ref()),
        };
        if let Some(bad) = self.operations.as_ref().filter(|value| !is_above_zero(*value.get_ref())) {
            return Err(reading.error(bad.span(), "operations is a number above 0"));
        }
        let operations = self.operations.map(Spanned::into_inner);
        if let Some(total) = self.total {
            reading.entry(total, |_, _| Ok(Subject::Total))?;
        }
        for class in self.classes {
            reading.named_entry(class, "name", |name| Subject::Class(jvm_class(&name).into_owned()))?;
        }
        for site in self.sites {
            reading.named_entry(site, "prefix", Subject::Site)?;
        }
        let mut limits = reading.limits;
        if limits.is_empty() {
            return Err(BudgetError { line: 1, reason: "there is no limit in it".to_owned() });
        }
        limits.sort_by_key(|limit| limit.line);
        Ok(Budget { trust, operations, initialisation: self.class_initialisation, limits })
    }
}

fn is_above_zero(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// Limits read so far of a text.
struct Reading<'a> {
    text: &'a str,
    limits: Vec<Limit>,
}

impl Reading<'_> {
    fn error(&self, span: Range<usize>, reason: &str) -> BudgetError {
        BudgetError { line: line_of(self.text, span), reason: reason.to_owned() }
    }

    /// An entry on what has a name, which limits something.
    fn named_entry(
        &mut self,
        entry: Spanned<Entry>,
        key: &str,
        subject: impl Fn(String) -> Subject,
    ) -> Result<(), BudgetError> {
        let (span, before) = (entry.span(), self.limits.len());
        self.entry(entry, |reading, entry| match entry.remove(key) {
            None => Err(reading.error(span.clone(), &format!("missing field `{key}`"))),
            Some(name) => match name.get_ref() {
                Setting::Text(text) if text.trim().is_empty() => {
                    Err(reading.error(span.clone(), &format!("{key} is empty")))
                }
                Setting::Text(text) => Ok(subject(text.clone())),
                Setting::Whole(_) | Setting::Real(_) => {
                    Err(reading.error(name.span(), &format!("{key} is a text")))
                }
            },
        })?;
        match self.limits.len() == before {
            true => Err(self.error(span, "this entry limits nothing")),
            false => Ok(()),
        }
    }

    fn entry(
        &mut self,
        entry: Spanned<Entry>,
        subject: impl Fn(&Self, &mut Entry) -> Result<Subject, BudgetError>,
    ) -> Result<(), BudgetError> {
        let mut entry = entry.into_inner();
        let subject = subject(self, &mut entry)?;
        for (key, bound) in entry {
            let Some(quantity) = Quantity::of_key(key.get_ref(), &subject) else {
                return Err(self.error(key.span(), &format!("unknown field `{}`", key.get_ref())));
            };
            let value = bound_of(quantity, bound.get_ref())
                .map_err(|why| self.error(bound.span(), &format!("{}{why}", quantity.key())))?;
            self.limit(&subject, quantity, value, key.span());
        }
        Ok(())
    }

    fn limit(&mut self, subject: &Subject, quantity: Quantity, bound: f64, span: Range<usize>) {
        let line = line_of(self.text, span);
        self.limits.push(Limit::without_doubt(subject.clone(), quantity, bound, line));
    }
}

/// What a quantity is set to; or what is wrong with it, as a text that follows its key.
fn bound_of(quantity: Quantity, setting: &Setting) -> Result<f64, String> {
    let value = match setting {
        Setting::Whole(value) => *value as f64,
        Setting::Real(value) if !quantity.is_size() => *value,
        Setting::Text(text) if quantity.is_size() => {
            return option_value::size(text).map(|bytes| bytes as f64).map_err(|why| format!(": {why}"));
        }
        Setting::Real(_) | Setting::Text(_) => f64::NAN,
    };
    let most = if quantity.is_least() { 1.0 } else { f64::MAX };
    match (0.0..=most).contains(&value) {
        true => Ok(value),
        false if quantity.is_size() => {
            Err(": expected bytes: a whole number, or a text such as \"20m\"".to_owned())
        }
        false if quantity.is_least() => Err(" is a share from 0 to 1".to_owned()),
        false => Err(" is a number of at least 0".to_owned()),
    }
}
