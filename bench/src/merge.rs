//! `merge`: what it takes to merge a fleet of recordings.
//!
//! Needs no JVM. The fleet is a folder, or made of some recordings, which come by turns.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::measured::measure;
use crate::table;

const HEADING: [&str; 7] = ["command", "recordings", "MB", "s", "CPU s", "peak MiB", "recordings/s"];

/// Options of `merge`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// A folder of recordings; or some recordings, of which one is made
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Recordings in the fleet that is made
    #[arg(long, default_value_t = 1_000)]
    count: usize,
    /// The mayfly to measure [default: the one beside this program]
    #[arg(long)]
    mayfly: Option<PathBuf>,
}

/// Merges the fleet, and reports of it as a whole and by a label.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let beside = std::env::current_exe()?.with_file_name("mayfly");
    let mayfly = arguments.mayfly.clone().unwrap_or(beside);
    let made = tempfile::tempdir()?;
    let fleet = match arguments.recordings.as_slice() {
        [folder] if folder.is_dir() => folder.clone(),
        recordings => {
            for (number, recording) in (0..arguments.count).zip(recordings.iter().cycle()) {
                fs::copy(recording, made.path().join(format!("{number:05}.mayfly")))?;
            }
            made.path().to_owned()
        }
    };
    let (mut recordings, mut bytes) = (0u64, 0);
    for file in fs::read_dir(&fleet)? {
        let file = file?;
        if file.path().extension().is_some_and(|extension| extension == "mayfly") {
            (recordings, bytes) = (recordings + 1, bytes + file.metadata()?.len());
        }
    }
    let output = tempfile::tempdir()?;
    let row = |command: &[&str]| -> Result<Vec<String>, Box<dyn Error>> {
        let measured = measure(&mayfly, &command_line(command, &fleet, &output.path().join("out")))?;
        let seconds = measured.wall.as_secs_f64();
        Ok(vec![
            command.join(" "),
            recordings.to_string(),
            (bytes / 1_000_000).to_string(),
            format!("{seconds:.1}"),
            format!("{:.1}", measured.cpu.as_secs_f64()),
            (measured.max_rss_kib / 1024).to_string(),
            format!("{:.0}", recordings as f64 / seconds),
        ])
    };
    let rows = [row(&["merge"])?, row(&["report"])?, row(&["report", "--by", "application"])?];
    println!("## A fleet of {recordings} recordings\n\n{}", table::markdown(&HEADING, &rows));
    Ok(true)
}

fn command_line(command: &[&str], fleet: &Path, output: &Path) -> Vec<OsString> {
    let words = command.iter().map(OsString::from);
    words.chain([fleet.into(), "-o".into(), output.into()]).collect()
}
