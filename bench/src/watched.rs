//! `view --pid`: what `mayfly live` of a JVM that is being profiled costs: CPU of the view, and of the agent for it.
//!
//! Times without and with a view come by turns. Of the agent only its own threads are looked at: what the program's threads do is the
//! session's, whoever watches it.

use std::error::Error;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use mayfly_tests::{Terminal, artifacts, shell_words};

use crate::process::{cpu_s, process_of, threads_cpu_s};
use crate::stats::Summary;
use crate::table;

const HEADING: [&str; 4] = ["what", "median, % of a core", "lowest to highest", "looks of so many seconds"];
const COLUMNS: u32 = 120;
const ROWS: u32 = 40;
/// How the names of the agent's threads begin (prctl(2), PR_SET_NAME).
const AGENT: &str = "mayfly";

/// Looks at the JVM `pid`, `rounds` times, so many seconds without a view and as many with one.
pub(crate) fn run(pid: u32, rounds: usize, seconds: u64) -> Result<bool, Box<dyn Error>> {
    println!("## Live view of a JVM that runs, {COLUMNS} x {ROWS} characters\n");
    let time = Duration::from_secs(seconds);
    let agent_s = || threads_cpu_s(pid, AGENT);
    let (mut without, mut with, mut of_view) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let [alone] = shares(time, || Ok([agent_s()?]))?;
        let Some(view) = View::open(pid)? else { return Ok(true) };
        let [watched, own] = shares(time, || Ok([agent_s()?, cpu_s(view.pid)?]))?;
        view.close();
        without.push(alone);
        with.push(watched);
        of_view.push(own);
    }
    let row = |what: &str, shares: &[f64]| {
        let percent: Vec<_> = shares.iter().map(|share| share * 100.0).collect();
        let Some(Summary { median, min, max }) = Summary::of(&percent) else { return Vec::new() };
        let looks = format!("{} of {seconds}", shares.len());
        vec![what.to_owned(), format!("{median:.2}"), format!("{min:.2} to {max:.2}"), looks]
    };
    let more: Vec<_> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    let rows = [
        row("the view", &of_view),
        row("the agent's threads, nobody watches", &without),
        row("the agent's threads, watched", &with),
        row("the agent for the view", &more),
    ];
    println!("{}", table::markdown(&HEADING, &rows));
    Ok(true)
}

/// How much of a core some things take for a while.
fn shares<const N: usize>(time: Duration, cpu_s: impl Fn() -> io::Result<[f64; N]>) -> io::Result<[f64; N]> {
    let (began, before) = (Instant::now(), cpu_s()?);
    thread::sleep(time);
    let (after, elapsed) = (cpu_s()?, began.elapsed().as_secs_f64());
    Ok(std::array::from_fn(|at| (after[at] - before[at]) / elapsed))
}

/// A view in a terminal of its own.
struct View {
    terminal: Terminal,
    pid: u32,
}

impl View {
    /// Opens it, and waits until it shows something; `None`, with a reason printed, without tmux.
    fn open(pid: u32) -> io::Result<Option<Self>> {
        let (program, target) = (&artifacts().cli, pid.to_string());
        let command = shell_words([program.as_path(), Path::new("live"), Path::new(&target)]);
        let Some(terminal) = Terminal::run(COLUMNS, ROWS, &command) else { return Ok(None) };
        terminal.wait_until("a trust line", |text| text.contains("trust"));
        let words = [program.as_os_str().as_encoded_bytes(), b"live", target.as_bytes()];
        let is_it = |line: &[&[u8]]| line.starts_with(&words);
        let pid = process_of(is_it)?.ok_or_else(|| io::Error::other("the view's process is not there"))?;
        Ok(Some(Self { terminal, pid }))
    }

    fn close(self) {
        self.terminal.type_keys(&["q"]);
        self.terminal.finish();
    }
}
