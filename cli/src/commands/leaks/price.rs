//! What each dump of a running JVM takes, before any is taken: by how much its heap had in it when it was last collected.

use std::time::Duration;

use mayfly_report::size;

use crate::error::Error;
use crate::session::jvms;
use crate::session::perf_data::Heap;
use crate::session::process::Process;

/// Bytes of a heap of small objects that a walk goes through in a second, about: on JDK 17 to 25 half of it is the JVM's look-up of tags.
const BYTES_A_SECOND: f64 = (30 << 20) as f64;
/// Shorter pauses than this are not distinguished.
const LEAST: Duration = Duration::from_millis(500);

/// The price of one dump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Price {
    /// What was left by the last collection; of a collector that does not publish it all that is used, most of it garbage maybe.
    left: Option<u64>,
    used: u64,
}

impl Price {
    /// `None`: the JVM publishes no counters.
    pub(super) fn of(process: &Process) -> Option<Self> {
        let Heap { used_bytes, left_bytes, .. } = jvms::perf_data(process)?.heap()?;
        Some(Self { left: left_bytes, used: used_bytes })
    }

    fn pause(bytes: u64) -> Duration {
        Duration::from_secs_f64(bytes as f64 / BYTES_A_SECOND).max(LEAST)
    }

    /// Fails if a dump would pause the program for longer than it may be.
    ///
    /// # Errors
    /// [`Error::LongPause`].
    pub(super) fn check(self, pid: u32, most: Duration) -> Result<(), Error> {
        match self.left {
            Some(left) if Self::pause(left) > most => Err(Error::LongPause {
                pid,
                heap: size(left),
                pause: seconds(Self::pause(left)),
                most: seconds(most),
            }),
            _ => Ok(()),
        }
    }
}

/// What is stated before anything is done, for so many dumps.
pub(super) fn stated(price: Option<Price>, dumps: usize) -> String {
    let walked = match price {
        Some(Price { left: Some(left), .. }) => {
            format!(
                "{} after its last collection: some {}, longer where all cores are busy",
                size(left),
                seconds(Price::pause(left))
            )
        }
        Some(Price { used, .. }) => {
            format!(
                "{} in use: some {} at most, longer where all cores are busy",
                size(used),
                seconds(Price::pause(used))
            )
        }
        None => "a second for some 30 MiB".to_owned(),
    };
    format!(
        "for each of {dumps} dumps the JVM collects twice in full and stands still while its heap is walked ({walked}); allocations are sampled \
         in between"
    )
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_stated_by_what_is_in_the_heap_and_too_long_a_one_is_refused() {
        let price = |left| Some(Price { left, used: 300 << 20 });
        assert!(
            stated(price(Some(60 << 20)), 4)
                .contains("(60.0 MiB after its last collection: some 2.0 s, longer where")
        );
        assert!(stated(price(Some(1 << 20)), 4).contains("some 0.5 s"));
        assert!(stated(price(None), 4).contains("(300 MiB in use: some 10.0 s at most, longer"));
        assert!(stated(None, 4).contains("a second for some 30 MiB"));
        let refused = |left, most| {
            price(left)
                .map(|price| price.check(7, Duration::from_secs(most)).err().map(|error| error.to_string()))
        };
        assert_eq!(refused(Some(60 << 20), 3), Some(None));
        assert_eq!(refused(None, 3), Some(None), "most of it may be garbage");
        let why = refused(Some(120 << 20), 3).flatten().unwrap_or_default();
        assert!(why.contains("some 4.0 s") && why.contains("--most-pause"), "{why}");
    }
}
