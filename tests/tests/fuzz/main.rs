//! Fuzzing of what reads bytes that others wrote: some hundred changed inputs of each kind as a test, many more for `just fuzz`.
//!
//! `MAYFLY_FUZZ_SECONDS=60 cargo test --release -p mayfly-tests --test fuzz` goes on for so long with each kind, each time with other
//! changes. An input that makes a reader panic, or takes it too long, is kept in `target/fuzz`; copied into `corpus/` it is read
//! by every later run.

mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use mayfly_recording::control::{ExchangeError, Incoming, Response};
use mayfly_tests::workspace_root;

use crate::mutate::{Noise, mend_frames, mutated};
use crate::targets::Target;

/// Changed inputs of a kind where nothing else is wanted.
const CASES: u64 = 300;
/// Inputs are small: what takes longer takes for ever.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn class_files() {
    fuzz(&targets::CLASS);
}

#[test]
fn hprof_dumps() {
    fuzz(&targets::HPROF);
}

#[test]
fn own_dumps() {
    fuzz(&targets::DUMP);
}

#[test]
fn xml_of_insane() {
    fuzz(&targets::XML);
}

#[test]
fn binary_form_of_insane() {
    fuzz(&targets::SBIH);
}

#[test]
fn indexes_of_dumps() {
    fuzz(&targets::INDEX);
}

#[test]
fn recordings_and_their_reports() {
    fuzz(&targets::RECORDING);
}

#[test]
fn messages_of_the_control_socket() {
    fuzz(&targets::CONTROL);
}

/// A reader that errs is found: the test of the tests.
#[test]
fn a_fault_is_found_and_its_input_is_kept() {
    let run = |bytes: &[u8]| assert!(!bytes.contains(&0xff), "it errs");
    let seeds = || vec![vec![0; 100]];
    let faulty = Target { name: "faulty", seeds, mend: |_| {}, run };
    let found = catch_unwind(|| fuzz(&faulty)).expect_err("300 inputs have it");
    let message = found.downcast_ref::<String>().expect("a message");
    let (_, file) = message.split_once("reading ").expect("with the file");
    let file = file.strip_suffix(" panics").expect("and what it does");
    assert!(fs::read(file).expect("kept").contains(&0xff));
    fs::remove_file(file).expect("there");
}

/// Without that, changes would be found by checksums and by nothing else.
#[test]
fn changed_frames_are_given_checksums_that_fit() {
    let mut answers = (targets::CONTROL.seeds)().pop().expect("a golden file");
    let last = answers.len() - 1;
    answers[last] ^= 0x55;
    let read = |bytes: &[u8]| {
        let mut incoming = Incoming::<Response>::default();
        incoming.push(bytes);
        std::iter::from_fn(|| incoming.next_message().transpose()).find_map(Result::err)
    };
    assert!(matches!(read(&answers), Some(ExchangeError::Damaged(_))));
    mend_frames(&mut answers);
    assert!(!matches!(read(&answers), Some(ExchangeError::Damaged(_))));
}

fn fuzz(target: &Target) {
    let seeds = [(target.seeds)(), corpus(target.name)].concat();
    assert!(!seeds.is_empty(), "{}: there is nothing to begin with", target.name);
    seeds.iter().for_each(|seed| run(target, seed));
    let seconds = env::var("MAYFLY_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first = end.map_or(0, |_| now());
    let mut cases = 0;
    while end.map_or(cases < CASES, |end| Instant::now() < end) {
        cases += 1;
        let mut noise = Noise::new(first.wrapping_add(cases));
        let mut input = mutated(&seeds, &mut noise);
        // Damage is tried, too, but checksums would find nearly all of it.
        if noise.below(8) > 0 {
            (target.mend)(&mut input);
        }
        run(target, &input);
    }
    println!("{}: {cases} inputs of {} seeds", target.name, seeds.len());
}

fn run(target: &Target, input: &[u8]) {
    let begin = Instant::now();
    let ended = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let what = match ended {
        Err(_) => "panics",
        Ok(()) if begin.elapsed() > LONGEST => "takes too long",
        Ok(()) => return,
    };
    let file =
        workspace_root().join("target/fuzz").join(format!("{}-{:08x}", target.name, crc32fast::hash(input)));
    fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).expect("a folder");
    fs::write(&file, input).expect("written");
    panic!("{}: reading {} {what}", target.name, file.display());
}

/// What lies in the folder of a kind, if it has one.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let files = files_in(&format!("tests/tests/fuzz/corpus/{name}"));
    files.iter().map(|file| fs::read(file).expect("readable")).collect()
}

/// The files in a folder of the repository, in the order of their names.
fn files_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(workspace_root().join(folder)).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    files
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64)
}
