//! Texts for people on their way to one place, the console or the report log: few wait, and none is waited for.
//!
//! Not here: what they say.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::queue::{Pace, Queue, Unserved, queue};

/// Texts that wait at most. A report may have megabytes.
const WAITING: usize = 4;
/// Most bytes written at once: a pipe with so much room takes them whole.
const PIECE: usize = 4096;

/// A text.
pub(super) enum Text {
    /// A report or a note, which stays.
    Lasting(String),
    /// A live block, which the next one may replace.
    Live(String),
}

/// The way to one place.
pub(super) struct Texts {
    queue: Queue<Text>,
    /// Lasting ones that found no room, since the last that did.
    left_out: AtomicU64,
}

impl Texts {
    /// A way, and the end of it.
    pub(super) fn new() -> (Self, Unserved<Text>) {
        let (queue, unserved) = queue(WAITING);
        (Self { queue, left_out: AtomicU64::new(0) }, unserved)
    }

    /// Adds a text that stays. One that finds no room is left out, and the next one says so.
    pub(super) fn add(&self, text: String) {
        let left_out = self.left_out.swap(0, Relaxed);
        let text = match left_out {
            0 => text,
            1 => format!("mayfly: a report is left out here: nobody took it\n{text}"),
            many => format!("mayfly: {many} reports are left out here: nobody took them\n{text}"),
        };
        if self.queue.offer(Text::Lasting(text)).is_err() {
            self.left_out.fetch_add(left_out + 1, Relaxed);
        }
    }

    /// Adds a live block that `make` makes, if nothing else waits.
    pub(super) fn show(&self, make: impl FnOnce() -> String) {
        if self.queue.is_empty() {
            // The next one shows more than this one if it finds no room after all.
            let _ = self.queue.offer(Text::Live(make()));
        }
    }

    /// Waits until all is written, as long as whoever reads gets ahead within `patience`.
    pub(super) fn flush(&self, patience: Duration) {
        self.queue.flush(patience);
    }
}

/// Writes a text in pieces of whole lines, as far as lines are no longer than pieces.
pub(super) fn write(to: &mut impl Write, text: &str, pace: &Pace) -> io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let most = &rest[..rest.len().min(PIECE)];
        let lines = if most.len() < rest.len() { most.iter().rposition(|&byte| byte == b'\n') } else { None };
        let (piece, later) = rest.split_at(lines.map_or(most.len(), |at| at + 1));
        to.write_all(piece)?;
        pace.ahead();
        rest = later;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn what_nobody_takes_is_left_out_and_the_next_one_says_so() {
        let (texts, unserved) = Texts::new();
        (0..WAITING + 2).for_each(|number| texts.add(format!("report {number}\n")));
        texts.show(|| panic!("a block behind what waits"));
        let (sender, taken) = channel();
        unserved.serve("test", move |text, _| drop(sender.send(text)));
        texts.flush(PATIENCE);
        texts.add("last\n".into());
        texts.flush(PATIENCE);
        let lasting = |text| match text {
            Text::Lasting(text) => text,
            Text::Live(text) => panic!("{text}"),
        };
        let taken: Vec<_> = taken.try_iter().map(lasting).collect();
        assert_eq!(taken[..WAITING], ["report 0\n", "report 1\n", "report 2\n", "report 3\n"]);
        assert_eq!(taken[WAITING..], ["mayfly: 2 reports are left out here: nobody took them\nlast\n"]);
    }

    #[test]
    fn long_texts_are_written_by_lines() {
        struct Pieces(Vec<String>);
        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(String::from_utf8_lossy(bytes).into_owned());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let text = format!("{}\n", "x".repeat(1500)).repeat(7) + &"y".repeat(2 * PIECE + 1);
        let mut pieces = Pieces(Vec::new());
        write(&mut pieces, &text, &Pace::default()).expect("written");
        assert_eq!(pieces.0.concat(), text);
        assert!(pieces.0[..3].iter().all(|piece| piece.ends_with('\n')), "{:?}", pieces.0);
        assert!(pieces.0.iter().all(|piece| piece.len() <= PIECE));
    }
}
