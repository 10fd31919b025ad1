//! `mayfly advise`: what a larger young generation would promote, and what code could do.
//!
//! Not here: predictions (`mayfly-verdicts`), and what they look like (`verdicts/`).

use std::fs;
use std::path::Path;

use mayfly_profile::{Gc, Profile};
use mayfly_verdicts::advise::{self, Promoted, Young};

use crate::args::judging::AdviseArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::verdicts::{self, Advised};

/// Reads, predicts, and says what to try. That nothing is to be gained is no failure.
pub(crate) fn run(args: &AdviseArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording, None)?;
    let log = args.gc_log.as_deref().map(promoted).transpose()?;
    let advised = advised(&profile, args, log);
    let file = args.output.as_deref();
    if args.json {
        output::json(&verdicts::advice_json(&advised), file)?;
    } else {
        output::text(&verdicts::advice_text(&advised), file)?;
    }
    Ok(exit_codes::SUCCESS)
}

fn advised(profile: &Profile, args: &AdviseArgs, log: Option<Promoted>) -> Advised {
    let present = args.young.map(|size| young(profile.run.jvm.gc, size, args));
    let advice = match present {
        Some(present) => {
            advise::advise(profile, present, args.room.unwrap_or(u64::MAX)).map_err(|why| why.to_string())
        }
        None => Err("the size of the young generation is not known: name it, --young SIZE (the JVM's -Xmn)"
            .to_owned()),
    };
    let threshold = advice.as_ref().ok().map(|advice| advice.present);
    Advised {
        recording: args.recording.display().to_string(),
        gc: profile.run.jvm.gc,
        premature: threshold
            .map(|now| advise::premature(profile, now.young, now.prediction.threshold))
            .unwrap_or_default(),
        pools: advise::pools(profile),
        humongous: match profile.run.jvm.gc {
            Gc::G1 => advise::humongous(profile, args.region),
            _ => Vec::new(),
        },
        removed: advise::removed(profile),
        region: args.region,
        advice,
        log,
    }
}

fn young(gc: Gc, size: u64, args: &AdviseArgs) -> Young {
    let make = if gc == Gc::G1 { Young::g1 } else { Young::serial };
    make(size, args.survivor_ratio, args.threshold)
}

fn promoted(path: &Path) -> Result<Promoted, Error> {
    let bytes = fs::read(path).map_err(|source| Error::GcLogUnreadable { path: path.to_owned(), source })?;
    advise::promoted(&String::from_utf8_lossy(&bytes)).ok_or_else(|| Error::GcLogRefused(path.to_owned()))
}
