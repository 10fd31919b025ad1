//! What a program may use, as a text in TOML: limits on the whole, on classes, and on what code allocates.
//!
//! Whatever is not known, misspelt or out of place is refused with its line: a limit that nobody reads would pass for ever.
//! Not here: what is measured (`measure`), and the judgement (`check`).

use std::ops::Range;

use mayfly_profile::{jvm_class, option_value};
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
}

impl Quantity {
    /// Its key in a budget.
    pub fn key(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Objects => "objects",
            Self::BytesPerOperation => "bytes_per_operation",
            Self::ObjectsPerOperation => "objects_per_operation",
            Self::Live => "live",
            Self::LiveBytes => "live_bytes",
            Self::ByteSeconds => "byte_seconds",
            Self::Percentile(50) => "p50_s",
            Self::Percentile(90) => "p90_s",
            Self::Percentile(_) => "p99_s",
            Self::DiedBeforeFirstGc => "died_before_first_gc_share",
        }
    }

    /// Whether its bound is the least that is allowed, not the most.
    pub fn is_least(self) -> bool {
        self == Self::DiedBeforeFirstGc
    }

    /// Whether deaths have to be followed to know it.
    pub(crate) fn needs_lifetimes(self) -> bool {
        use Quantity::{Bytes, BytesPerOperation, Objects, ObjectsPerOperation};
        !matches!(self, Bytes | Objects | BytesPerOperation | ObjectsPerOperation)
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
    total: Option<Total>,
    #[serde(default, rename = "class")]
    classes: Vec<Spanned<Class>>,
    #[serde(default, rename = "site")]
    sites: Vec<Spanned<Site>>,
}

/// Bytes: digits, or a text with a suffix.
type Size = Option<Spanned<SizeText>>;
type Number = Option<Spanned<f64>>;

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected bytes: a whole number, or a text such as \"20m\"")]
enum SizeText {
    Whole(u64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Total {
    bytes: Size,
    objects: Number,
    bytes_per_operation: Size,
    objects_per_operation: Number,
    live: Number,
    live_bytes: Size,
    byte_seconds: Size,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    name: String,
    bytes: Size,
    objects: Number,
    bytes_per_operation: Size,
    objects_per_operation: Number,
    live: Number,
    live_bytes: Size,
    byte_seconds: Size,
    p50_s: Number,
    p90_s: Number,
    p99_s: Number,
    died_before_first_gc_share: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Site {
    prefix: String,
    bytes: Size,
    objects: Number,
    bytes_per_operation: Size,
    objects_per_operation: Number,
    live: Number,
    live_bytes: Size,
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
            reading.total(total)?;
        }
        for class in self.classes {
            reading.class(class)?;
        }
        for site in self.sites {
            reading.site(site)?;
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

    fn total(&mut self, total: Total) -> Result<(), BudgetError> {
        let subject = &Subject::Total;
        self.allocated(
            subject,
            [total.bytes, total.bytes_per_operation],
            [total.objects, total.objects_per_operation],
        )?;
        self.number(subject, Quantity::Live, total.live)?;
        self.size(subject, Quantity::LiveBytes, total.live_bytes)?;
        self.size(subject, Quantity::ByteSeconds, total.byte_seconds)
    }

    fn class(&mut self, class: Spanned<Class>) -> Result<(), BudgetError> {
        let (span, before) = (class.span(), self.limits.len());
        let class = class.into_inner();
        self.named(&span, "name", &class.name)?;
        let subject = &Subject::Class(jvm_class(&class.name).into_owned());
        self.allocated(
            subject,
            [class.bytes, class.bytes_per_operation],
            [class.objects, class.objects_per_operation],
        )?;
        self.number(subject, Quantity::Live, class.live)?;
        self.size(subject, Quantity::LiveBytes, class.live_bytes)?;
        self.size(subject, Quantity::ByteSeconds, class.byte_seconds)?;
        for (percent, bound) in [(50, class.p50_s), (90, class.p90_s), (99, class.p99_s)] {
            self.number(subject, Quantity::Percentile(percent), bound)?;
        }
        self.number(subject, Quantity::DiedBeforeFirstGc, class.died_before_first_gc_share)?;
        self.limited(span, before)
    }

    fn site(&mut self, site: Spanned<Site>) -> Result<(), BudgetError> {
        let (span, before) = (site.span(), self.limits.len());
        let site = site.into_inner();
        self.named(&span, "prefix", &site.prefix)?;
        let subject = &Subject::Site(site.prefix);
        self.allocated(
            subject,
            [site.bytes, site.bytes_per_operation],
            [site.objects, site.objects_per_operation],
        )?;
        self.number(subject, Quantity::Live, site.live)?;
        self.size(subject, Quantity::LiveBytes, site.live_bytes)?;
        self.limited(span, before)
    }

    fn named(&self, span: &Range<usize>, key: &str, name: &str) -> Result<(), BudgetError> {
        match name.trim().is_empty() {
            true => Err(self.error(span.clone(), &format!("{key} is empty"))),
            false => Ok(()),
        }
    }

    /// Refuses an entry that added nothing.
    fn limited(&self, span: Range<usize>, before: usize) -> Result<(), BudgetError> {
        match self.limits.len() == before {
            true => Err(self.error(span, "this entry limits nothing")),
            false => Ok(()),
        }
    }

    fn allocated(
        &mut self,
        subject: &Subject,
        [bytes, bytes_per]: [Size; 2],
        [objects, objects_per]: [Number; 2],
    ) -> Result<(), BudgetError> {
        self.size(subject, Quantity::Bytes, bytes)?;
        self.number(subject, Quantity::Objects, objects)?;
        self.size(subject, Quantity::BytesPerOperation, bytes_per)?;
        self.number(subject, Quantity::ObjectsPerOperation, objects_per)
    }

    fn size(&mut self, subject: &Subject, quantity: Quantity, bound: Size) -> Result<(), BudgetError> {
        let Some(bound) = bound else { return Ok(()) };
        let bytes = match bound.get_ref() {
            SizeText::Whole(bytes) => Ok(*bytes),
            SizeText::Text(text) => option_value::size(text),
        };
        let bytes = bytes.map_err(|why| self.error(bound.span(), &format!("{}: {why}", quantity.key())))?;
        self.limit(subject, quantity, bytes as f64, bound.span());
        Ok(())
    }

    fn number(&mut self, subject: &Subject, quantity: Quantity, bound: Number) -> Result<(), BudgetError> {
        let Some(bound) = bound else { return Ok(()) };
        let value = *bound.get_ref();
        let most = if quantity.is_least() { 1.0 } else { f64::MAX };
        if !(0.0..=most).contains(&value) {
            let what = if quantity.is_least() { "a share from 0 to 1" } else { "a number of at least 0" };
            return Err(self.error(bound.span(), &format!("{} is {what}", quantity.key())));
        }
        self.limit(subject, quantity, value, bound.span());
        Ok(())
    }

    fn limit(&mut self, subject: &Subject, quantity: Quantity, bound: f64, span: Range<usize>) {
        let line = line_of(self.text, span);
        self.limits.push(Limit { subject: subject.clone(), quantity, bound, line, doubt: None, vague: None });
    }
}
