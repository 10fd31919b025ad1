//! The live histogram as plain blocks of text, where there is no terminal for a view: one at the end of what is there
//! already, and then one a second at most.

use std::time::{Duration, Instant};

use mayfly_profile::{Profile, ProfileBuilder};
use mayfly_report::{LiveOptions, live};

use crate::error::Error;
use crate::live::feed::Feed;
use crate::live::source::{Piece, Source};
use crate::output;

/// Least time from block to block.
const STEP: Duration = Duration::from_secs(1);

/// Writes blocks until the stream ends or nobody reads them any more. Why it ended, if not because the agent closed it.
///
/// # Errors
/// Those of the source; [`Error::NotWritten`].
pub(crate) fn write(source: Box<dyn Source>) -> Result<Option<String>, Error> {
    let feed = Feed::of(source)?;
    let mut blocks = Blocks::default();
    loop {
        match feed.within(blocks.wait()).transpose()? {
            Some(Piece::Updates(updates)) => {
                for update in updates {
                    if let Err(fault) = blocks.builder.apply(update) {
                        blocks.fault.get_or_insert(fault.to_string());
                    }
                }
                (blocks.changed, blocks.caught_up) = (true, false);
            }
            Some(Piece::CaughtUp) => blocks.caught_up = true,
            Some(Piece::End(why)) => {
                blocks.write()?;
                return Ok(why.or(blocks.fault));
            }
            None => {}
        }
        if blocks.is_due() {
            blocks.write()?;
        }
        if blocks.unread || !output::is_read() {
            return Ok(None);
        }
    }
}

#[derive(Default)]
struct Blocks {
    builder: ProfileBuilder,
    changed: bool,
    caught_up: bool,
    fault: Option<String>,
    /// The reader of standard output left.
    unread: bool,
    previous: Option<Profile>,
    written: Option<Instant>,
}

impl Blocks {
    /// Whether there is a block to write now.
    fn is_due(&self) -> bool {
        self.changed && self.caught_up && self.left() == Duration::ZERO
    }

    /// Until the next block may come.
    fn left(&self) -> Duration {
        self.written.map_or(Duration::ZERO, |at| STEP.saturating_sub(at.elapsed()))
    }

    /// How long to wait for more.
    fn wait(&self) -> Duration {
        if self.changed && self.caught_up { self.left() } else { STEP }
    }

    fn write(&mut self) -> Result<(), Error> {
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        let profile = self.builder.profile_without_sites();
        let separator = if self.written.is_some() { "\n" } else { "" };
        let block = live(&profile, self.previous.as_ref(), &LiveOptions::default());
        self.unread = !output::part(&format!("{separator}{block}"))?;
        self.previous = Some(profile);
        self.written = Some(Instant::now());
        Ok(())
    }
}
