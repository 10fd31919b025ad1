//! What would help: settings of the young generation, and code.
//!
//! Survivors of the first collections are copied, and those that survive them all are promoted, to die in the old generation,
//! where that costs more. How many are promoted follows from how long bytes live on the clock of allocated bytes ([`predict`]).
//! Not here: what the JVM says of itself, and how advice is shown.

mod answer;
mod code;
mod curve;
mod explicit;
mod first_survivors;
mod flag;
mod gc_log;
mod made_anew;
mod pauses;
mod predict;
mod settings;
mod sizes;
mod suggest;

pub use answer::{Answer, BELIEVED, Promotion, answer};
pub use code::{Humongous, Pool, Premature, Removed, humongous, pools, premature, removed};
pub use curve::Curve;
pub use flag::{Direct, FlagAdvice, GcCpu, Known, Missing, Nothing, Reason};
pub use gc_log::{Promoted, promoted};
pub use made_anew::{MadeAnew, made_anew};
pub use pauses::{Cost, YoungWork};
pub use predict::{Prediction, Young, predict};
pub use settings::{Settings, promoted_as_recorded};
pub use suggest::{Advice, Declined, Tried, advise};
