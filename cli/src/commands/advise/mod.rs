//! `mayfly advise`: which flag helps a program, why its collector is busy, and what code could do.
//!
//! Not here: predictions and judgements (`mayfly-verdicts`), and what they look like (`verdicts/`).

mod launched;
mod measured;
mod running;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mayfly_profile::Gc;
use mayfly_verdicts::advise::{self, GcCpu, Known, Promoted, Promotion, Settings, Young};

use crate::args::judging::AdviseArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::recording_input;
use crate::session::jvms;
use crate::verdicts::{self, Advised};

/// What HotSpot has if nobody says otherwise.
const SURVIVOR_RATIO: u64 = 8;
const THRESHOLD: u8 = 15;
const REGION: u64 = 1 << 20;
/// Columns of a line.
const COLUMNS: usize = 140;

/// Measures, judges, and says what to try. That nothing is to be gained is no failure; what can't be told is no advice.
pub(crate) fn run(args: &AdviseArgs) -> Result<u8, Error> {
    let log = args.gc_log.as_deref().map(promoted).transpose()?;
    let measured = measured(args)?;
    let recorded = log.is_none().then(|| advise::promoted_as_recorded(&measured.profile)).flatten();
    let advised = advised(&measured, args, log.or(recorded), recorded.is_some());
    let (document, json) = (verdicts::advice_document(&advised), || verdicts::advice_json(&advised));
    verdicts::show(&document, json, "advice", args.form.format(), args.output.as_deref())?;
    Ok(if advised.is_decided() { exit_codes::SUCCESS } else { exit_codes::USAGE })
}

fn measured(args: &AdviseArgs) -> Result<measured::Measured, Error> {
    let Some(target) = &args.target else { return launched::measure(args) };
    let file = PathBuf::from(target);
    // What looks like a file is one that is not there.
    let is_file = target == "-" || file.exists() || jvms::is_file_name(target);
    if is_file {
        Error::if_given(&args.of_a_jvm())?;
        let profile = recording_input::read(&file, None)?;
        return Ok(measured::Measured { name: target.clone(), profile, seen: None });
    }
    running::measure(jvms::pid_of(target)?, args)
}

fn advised(
    measured: &measured::Measured,
    args: &AdviseArgs,
    log: Option<Promoted>,
    is_recorded: bool,
) -> Advised {
    let profile = &measured.profile;
    let gc = profile.run.jvm.gc;
    let settings = Settings::of(profile);
    let present = args.young.or(settings.young).map(|size| young(gc, size, (args, &settings)));
    let room = args.room.or(settings.room).unwrap_or(u64::MAX);
    let region = args.region.or(settings.region).unwrap_or(REGION);
    let advice = match present {
        Some(present) => advise::advise(profile, present, room).map_err(|why| why.to_string()),
        None => Err("no two young collections were recorded, and its size is not known (--young SIZE, the JVM's -Xmn)"
            .to_owned()),
    };
    let threshold = advice.as_ref().ok().map(|advice| advice.present);
    let known = known(measured, args);
    let promotion = Promotion::of(advice.as_ref().ok(), log, args.gc_log.is_some());
    Advised {
        recording: measured.name.clone(),
        gc,
        answer: advise::answer(profile, &known, &promotion),
        work: profile.gc_work(),
        cpu: known.cpu,
        lines: mayfly_report::gc_lines(profile, COLUMNS),
        premature: threshold
            .map(|now| advise::premature(profile, now.young, now.prediction.threshold))
            .unwrap_or_default(),
        pools: advise::pools(profile),
        humongous: match gc {
            Gc::G1 => advise::humongous(profile, region),
            _ => Vec::new(),
        },
        made_anew: advise::made_anew(profile),
        removed: advise::removed(profile),
        region,
        believed: promotion.believed,
        is_asked: args.young.is_some() || args.gc_log.is_some(),
        advice,
        log,
        is_recorded,
    }
}

/// What is known of the JVM beside its recording.
fn known(measured: &measured::Measured, args: &AdviseArgs) -> Known {
    let seen = measured.seen.unwrap_or_default();
    Known {
        cpu: seen.spent.map(|spent| {
            let gc = measured.profile.run.jvm.gc;
            let forced = measured.profile.collections.iter().filter(|gc| gc.is_forced());
            // Those were for us.
            let forced_ms = forced.map(|gc| gc.pause_us).sum::<u64>() / 1000;
            let in_vm_thread = if gc == Gc::Serial { spent.vm_thread_ms } else { 0 };
            GcCpu {
                collector_ms: (spent.collector_ms + in_vm_thread).saturating_sub(forced_ms),
                process_ms: spent.process_ms,
                wall_ms: u64::try_from(seen.wall.max(Duration::from_millis(1)).as_millis())
                    .unwrap_or(u64::MAX),
            }
        }),
        memory: args.memory.or(seen.memory),
        metaspace: seen.metaspace,
        room: args.room,
        collected_whole_ms: seen.collected_whole_ms,
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
