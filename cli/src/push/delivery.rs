//! One profile, tried until it is taken, refused, or time is over.
//!
//! Not here: what a request is (`request`).

use std::thread;
use std::time::{Duration, Instant};

/// Between the first two tries; twice as long before each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// One try.
const LONGEST_TRY: Duration = Duration::from_secs(10);

/// Why a try failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It may be taken later: nobody was there, or he was busy.
    Passing(String),
    /// It will not be taken.
    Final(String),
}

/// What became of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Taken, after so many tries that failed.
    Taken { failed: u32 },
    /// Lost. `passing`: nobody took it, but nobody refused it.
    Lost { why: String, passing: bool },
}

/// Time, for tests another one.
pub(crate) trait Clock {
    /// Since it began.
    fn elapsed(&self) -> Duration;
    /// Waits.
    fn sleep(&mut self, time: Duration);
}

/// The system's.
pub(crate) struct SystemClock(Instant);

impl SystemClock {
    /// From now on.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&mut self, time: Duration) {
        thread::sleep(time);
    }
}

/// Tries for as long as `patience`; `attempt` is given the time that it may take. At least once.
pub(crate) fn deliver(
    patience: Duration,
    clock: &mut impl Clock,
    mut attempt: impl FnMut(Duration) -> Result<(), Failure>,
) -> Delivery {
    let (mut failed, mut pause) = (0, FIRST_PAUSE);
    loop {
        let left = patience.saturating_sub(clock.elapsed());
        let why = match attempt(left.clamp(Duration::from_secs(1), LONGEST_TRY)) {
            Ok(()) => return Delivery::Taken { failed },
            Err(Failure::Final(why)) => return Delivery::Lost { why, passing: false },
            Err(Failure::Passing(why)) => why,
        };
        failed += 1;
        if clock.elapsed() + pause >= patience {
            return Delivery::Lost { why: format!("{why}, tried {failed} times"), passing: true };
        }
        clock.sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// What became of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) taken: u64,
    /// Tries that failed, of profiles that were taken later.
    pub(crate) failed: u64,
    pub(crate) lost: u64,
    /// Why the last one was lost.
    pub(crate) why: Option<String>,
}

impl Account {
    /// Counts one.
    pub(crate) fn count(&mut self, delivery: &Delivery) {
        match delivery {
            Delivery::Taken { failed } => {
                self.taken += 1;
                self.failed += u64::from(*failed);
            }
            Delivery::Lost { why, .. } => {
                self.lost += 1;
                self.why = Some(why.clone());
            }
        }
    }

    /// In one line.
    pub(crate) fn text(&self, to: &str) -> String {
        let failed = if self.failed > 0 {
            format!(" (after {} tries that failed)", self.failed)
        } else {
            String::new()
        };
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let lost = if self.lost > 0 { format!("; {} lost{why}", self.lost) } else { String::new() };
        format!("{} profiles taken by {to}{failed}{lost}", self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each try takes a second.
    #[derive(Default)]
    struct Simulated(Duration);

    impl Clock for Simulated {
        fn elapsed(&self) -> Duration {
            self.0
        }

        fn sleep(&mut self, time: Duration) {
            self.0 += time;
        }
    }

    fn busy() -> Failure {
        Failure::Passing("busy".to_owned())
    }

    #[test]
    fn who_is_busy_is_asked_again_and_who_refuses_is_not() {
        let mut answers = vec![Ok(()), Err(busy()), Err(busy())];
        let taken =
            deliver(Duration::from_secs(30), &mut Simulated::default(), |_| answers.pop().expect("no more"));
        assert_eq!(taken, Delivery::Taken { failed: 2 });
        let mut tries = 0;
        let refused = deliver(Duration::from_secs(30), &mut Simulated::default(), |_| {
            tries += 1;
            Err(Failure::Final("no".to_owned()))
        });
        assert_eq!((tries, refused), (1, Delivery::Lost { why: "no".to_owned(), passing: false }));
    }

    #[test]
    fn patience_ends_and_no_try_takes_longer_than_is_left() {
        for seconds in [1, 3, 30, 300] {
            let (mut clock, mut tries, mut longest) = (Simulated::default(), 0u32, Duration::ZERO);
            let patience = Duration::from_secs(seconds);
            let lost = deliver(patience, &mut clock, |limit| {
                (tries, longest) = (tries + 1, longest.max(limit));
                Err(busy())
            });
            assert!(matches!(lost, Delivery::Lost { passing: true, .. }));
            assert!(
                clock.0 <= patience && longest <= LONGEST_TRY.min(patience),
                "{clock:?}",
                clock = clock.0
            );
            assert!(tries >= 2 && u64::from(tries) <= 6 + seconds / 5, "{tries} tries in {seconds} s");
        }
    }

    #[test]
    fn what_is_lost_is_counted() {
        let mut account = Account::default();
        account.count(&Delivery::Taken { failed: 2 });
        account.count(&Delivery::Lost { why: "refused".to_owned(), passing: true });
        assert_eq!(account.text("x"), "1 profiles taken by x (after 2 tries that failed); 1 lost: refused");
    }
}
