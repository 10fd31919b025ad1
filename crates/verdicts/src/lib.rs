//! Judgements on profiles: whether one keeps a budget ([`check`]), what changed between some ([`diff`]), what leaks ([`leaks`]),
//! and what would help ([`advise`]).
//!
//! Pure: profiles and texts in, values out. What commands, files and formats make of a judgement is the CLI's.

pub mod advise;
mod alike;
mod amount;
mod apart;
mod baseline;
mod budget;
mod check;
mod corrected;
mod cost;
mod counted;
mod diff;
mod grounds;
pub mod leaks;
mod lifetimes;
mod measure;
mod offenders;
mod operations;
mod parts;
mod rows;
mod runs;
mod significance;
mod spread;
mod work;
mod written;

pub use alike::Alike;
pub use amount::Amount;
pub use baseline::baseline;
pub use budget::{Budget, BudgetError, Initialisation, Limit, Quantity, Subject, Vague};
pub use check::{Checked, Judgement, Outcome, Ruling, check};
pub use cost::{Cost, MeasuredRun, OfRounds};
pub use diff::{Difference, Finding, Measure, NotComparable, Side, Verdict, diff};
pub use grounds::trust_share;
pub use lifetimes::Clock;
pub use offenders::Offender;
pub use operations::{CountedBy, by_program};
pub use parts::{Held, Part, parts};
pub use rows::RowName;
pub use work::Work;
pub use written::budget_of;
