//! `mayfly advise`: what a larger young generation would promote, and what code could do.
//!
//! Not here: predictions (`mayfly-verdicts`), and what they look like (`verdicts/`).

use std::fs;
use std::path::Path;

use mayfly_profile::{Gc, Profile};
use mayfly_verdicts::advise::{self, Promoted, Settings, Young};

use crate::args::judging::AdviseArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::verdicts::{self, Advised};

/// What HotSpot has if nobody says otherwise.
const SURVIVOR_RATIO: u64 = 8;
const THRESHOLD: u8 = 15;
const REGION: u64 = 1 << 20;

/// Reads, predicts, and says what to try. That nothing is to be gained is no failure; what can't be told is no advice.
pub(crate) fn run(args: &AdviseArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording, None)?;
    let log = args.gc_log.as_deref().map(promoted).transpose()?;
    let recorded = log.is_none().then(|| advise::promoted_as_recorded(&profile)).flatten();
    let advised = Advised { is_recorded: recorded.is_some(), ..advised(&profile, args, log.or(recorded)) };
    let file = args.output.as_deref();
    if args.json {
        output::json(&verdicts::advice_json(&advised), file)?;
    } else {
        output::text(&verdicts::advice_text(&advised), file)?;
    }
    Ok(if advised.is_told() { exit_codes::SUCCESS } else { exit_codes::USAGE })
}

fn advised(profile: &Profile, args: &AdviseArgs, log: Option<Promoted>) -> Advised {
    let known = Settings::of(profile);
    let present = args.young.or(known.young).map(|size| young(profile.run.jvm.gc, size, (args, &known)));
    let room = args.room.or(known.room).unwrap_or(u64::MAX);
    let region = args.region.or(known.region).unwrap_or(REGION);
    let advice = match present {
        Some(present) => advise::advise(profile, present, room).map_err(|why| why.to_string()),
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
            Gc::G1 => advise::humongous(profile, region),
            _ => Vec::new(),
        },
        made_anew: advise::made_anew(profile),
        removed: advise::removed(profile),
        region,
        advice,
        log,
        is_recorded: false,
    }
}

fn young(gc: Gc, size: u64, (args, known): (&AdviseArgs, &Settings)) -> Young {
    let make = if gc == Gc::G1 { Young::g1 } else { Young::serial };
    let ratio = args.survivor_ratio.or(known.survivor_ratio).unwrap_or(SURVIVOR_RATIO);
    make(size, ratio, args.threshold.or(known.threshold).unwrap_or(THRESHOLD))
}

fn promoted(path: &Path) -> Result<Promoted, Error> {
    let bytes = fs::read(path).map_err(|source| Error::GcLogUnreadable { path: path.to_owned(), source })?;
    advise::promoted(&String::from_utf8_lossy(&bytes)).ok_or_else(|| Error::GcLogRefused(path.to_owned()))
}
