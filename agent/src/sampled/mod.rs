//! The sampled engine: the JVM's own allocation sampler picks objects, whose class, size and stack are taken and whose death is
//! followed. No class is rewritten, so class data sharing stays on, and it can begin in a JVM that runs.
//!
//! Counts are estimates with their errors ([why they hold](../../../docs/design/sampling.md#0036-the-sampled-engine)). Not here: when it
//! begins and ends (`steering`), how deaths are found (`tracking`).

mod calibration;
mod counting;
mod estimates;
mod state;
mod threads;

pub(crate) use state::Sampled;
