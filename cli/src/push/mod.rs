//! Profiles to who collects them: requests over plain HTTP, tried again for a while, and what is lost is counted.
//!
//! Not here: where profiles come from (`commands/push`), and their formats (`mayfly-formats`).

mod delivery;
mod request;
mod textfile;

pub(crate) use delivery::{Account, Delivery, SystemClock, deliver};
pub(crate) use request::Receiving;
pub(crate) use textfile::Textfile;
