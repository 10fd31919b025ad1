//! Drives the ledger: what threads have tracked goes in, deaths come out, and how long that took is known.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use mayfly_profile::{Following, HOLDERS, RunInfo};
use mayfly_tracking::{GcFamily, Ledger, References};

use super::shared::Shared;

/// The ledger, and the time that its sweeps took.
pub(crate) struct Deaths {
    ledger: Ledger,
    sweeping: Sweeping,
}

/// Time that sweeps took.
#[derive(Default)]
struct Sweeping {
    total: Duration,
    longest: Duration,
}

impl Sweeping {
    fn add(&mut self, sweep: Duration) {
        self.total += sweep;
        self.longest = self.longest.max(sweep);
    }

    fn beside(&self, following: Following) -> Following {
        let ms = |time: Duration| time.as_millis() as u64;
        Following { sweep_ms: ms(self.total), longest_sweep_ms: ms(self.longest), ..following }
    }
}

impl Deaths {
    /// Of such a run.
    pub(crate) fn new(shared: &Shared, run: &RunInfo) -> Self {
        let ledger = Ledger::new(
            run.buckets.clone(),
            run.tracking,
            run.lifetimes,
            GcFamily::of(run.jvm.gc),
            Arc::clone(&shared.budget),
            Arc::clone(&shared.clock),
        );
        Self { ledger, sweeping: Sweeping::default() }
    }

    /// Takes over what threads have tracked.
    pub(crate) fn absorb(&mut self, shared: &Shared) {
        self.ledger.absorb(&shared.nurseries, &shared.sites);
        self.ledger.note_outside(&shared.sites, |class| {
            let name = shared.classes.name(class)?;
            HOLDERS.iter().position(|holding| holding.class == name)
        });
    }

    /// Takes note of the collections that have ended, before the byte clock is corrected.
    pub(crate) fn note_collections(&mut self) {
        self.ledger.note_collections();
    }

    /// Books the deaths up to the last collection.
    pub(crate) fn sweep(&mut self, shared: &Shared, references: &mut impl References) {
        let (began, cpu) = (Instant::now(), ThreadTime::now());
        self.ledger.sweep(references, &shared.sites);
        self.sweeping.add(began.elapsed());
        if let Some(shares) = &shared.shares {
            shares.objects().spend(cpu.elapsed());
        }
    }

    /// Forgets all objects, and what was counted of them.
    pub(crate) fn reset(&mut self, shared: &Shared, references: &mut impl References) {
        self.ledger.reset(references, &shared.nurseries);
    }

    /// How closely objects were followed so far.
    pub(crate) fn following(&self) -> Following {
        self.sweeping.beside(self.ledger.following())
    }

    /// Counts of what was tracked.
    pub(crate) fn ledger(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
}
