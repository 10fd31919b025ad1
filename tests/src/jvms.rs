//! The JVMs at hand, and which of them a run of the tests takes. Nothing is downloaded here.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{self, Location, RefUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, thread};

use crate::folders::workspace_root;
use crate::jvm::{Jvm, launched_here};
use crate::skip::skip;

/// The oldest feature release that the agent runs on.
const OLDEST: u32 = 11;

/// Why a variant is not run.
const LEFT_OUT: &str = "another JVM stands for this one; MAYFLY_JVMS=all runs all";

/// What `MAYFLY_JVMS` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    /// These homes, separated by colons.
    Homes(Vec<PathBuf>),
    /// `all`: one of each feature release found.
    All,
    /// Nothing: two of these, with each test on one of them.
    Two,
}

impl Choice {
    fn made() -> Self {
        match env::var_os("MAYFLY_JVMS") {
            Some(value) if value == "all" => Self::All,
            Some(value) if !value.is_empty() => Self::Homes(env::split_paths(&value).collect()),
            _ => Self::Two,
        }
    }
}

/// The JVMs to test on: those of `MAYFLY_JVMS` (homes, separated by colons), or, if that is `all`, one per feature release
/// found, or, if it is not set, two of these. Only such as the agent supports.
///
/// # Panics
/// If there is none: an end-to-end test that tests nothing must not pass.
pub fn jvms() -> &'static [Jvm] {
    static JVMS: OnceLock<Vec<Jvm>> = OnceLock::new();
    JVMS.get_or_init(|| {
        let supported = |jvms: Vec<Jvm>| jvms.into_iter().filter(|jvm| jvm.feature >= OLDEST).collect();
        let jvms: Vec<_> = match Choice::made() {
            Choice::Homes(homes) => supported(probe_all(&homes)),
            Choice::All => one_per_feature(supported(found().to_vec())),
            Choice::Two => {
                let (kept, left) = two_of(one_per_feature(supported(found().to_vec())));
                say_left_out(&left);
                kept
            }
        };
        assert!(
            !jvms.is_empty(),
            "no JVM {OLDEST} or newer found: install one, or set MAYFLY_JVMS or JAVA_HOME"
        );
        jvms
    })
}

/// Whether two of the JVMs found stand for all: `MAYFLY_JVMS` is not set.
pub fn two_stand_for_all() -> bool {
    Choice::made() == Choice::Two
}

/// Whether this run leaves a test to CI, as it takes long and two JVMs stand for all; says so.
pub fn left_to_ci(what: &str) -> bool {
    let is_left = two_stand_for_all();
    if is_left {
        skip(what, "it takes long; MAYFLY_JVMS=all runs it, as CI does");
    }
    is_left
}

/// The modes in which a JVM runs a variant that every JVM has, the `variant`th: all where JVMs are named, else the JVMs share them by
/// turns. Each JVM runs each variant in some mode, and where all run it, each variant runs in each mode on some JVM.
pub fn turns_of<'a, T>(jvm: &Jvm, variant: usize, modes: &'a [T]) -> impl Iterator<Item = &'a T> {
    let jvms = jvms();
    let place = jvms.iter().position(|one| one == jvm).unwrap_or_default();
    let is_shared = !matches!(Choice::made(), Choice::Homes(_));
    let takes = move |mode| !is_shared || is_turn_of(place, jvms.len(), variant + mode, modes.len());
    modes.iter().enumerate().filter(move |&(mode, _)| takes(mode)).map(|(_, mode)| mode)
}

fn is_turn_of(place: usize, jvms: usize, turn: usize, modes: usize) -> bool {
    (place + turn).is_multiple_of(jvms.min(modes))
}

/// JVMs older than any that the agent supports.
pub fn jvms_too_old() -> Vec<Jvm> {
    found().iter().filter(|jvm| jvm.feature < OLDEST).cloned().collect()
}

/// Every full JDK found from this feature release on, not only one per release.
pub fn jdks(oldest: u32) -> Vec<Jvm> {
    found().iter().filter(|jvm| jvm.feature >= oldest && jvm.javac().is_some()).cloned().collect()
}

/// A full JDK to compile the fixtures with: the newest found.
pub(crate) fn compiler() -> Option<PathBuf> {
    jdks(OLDEST).iter().max_by_key(|jdk| jdk.feature)?.javac()
}

/// Runs a test body on every JVM; says on which ones it failed, after trying all. Where two releases stand for all, on one of
/// them, and on the other if it launched nothing on the first: what that one lacks is tested, too.
///
/// # Panics
/// If the body panics on any.
#[track_caller]
pub fn each_jvm(body: impl Fn(&Jvm) + RefUnwindSafe) {
    let failed: Vec<_> = match Choice::made() {
        Choice::Two => on_one(in_order(jvms(), Location::caller()), &body),
        Choice::Homes(_) | Choice::All => jvms().iter().filter_map(|jvm| failed_on(jvm, &body)).collect(),
    };
    fail_if_any(&failed);
}

/// Runs a test body on one JVM, another one from place to place in the tests, and on the next if it launched nothing there: for
/// what is ours alone and the same in every release. Where homes are named, on each of them.
///
/// # Panics
/// If the body panics.
#[track_caller]
pub fn any_jvm(body: impl Fn(&Jvm) + RefUnwindSafe) {
    let failed: Vec<_> = match Choice::made() {
        Choice::Homes(_) => jvms().iter().filter_map(|jvm| failed_on(jvm, &body)).collect(),
        Choice::All | Choice::Two => on_one(in_order(jvms(), Location::caller()), &body),
    };
    fail_if_any(&failed);
}

/// As [`each_jvm`], on all JVMs at once: for programs that mostly wait.
///
/// # Panics
/// If the body panics on any.
#[track_caller]
pub fn each_jvm_at_once(body: impl Fn(&Jvm) + RefUnwindSafe + Sync) {
    if two_stand_for_all() {
        return each_jvm(body);
    }
    let body = &body;
    let failed: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = jvms().iter().map(|jvm| scope.spawn(move || failed_on(jvm, body))).collect();
        runs.into_iter().filter_map(|run| run.join().expect("panics are caught in it")).collect()
    });
    fail_if_any(&failed);
}

/// Every JVM with every variant, in the order of these, and what `ask` says of it: what it takes there, or why the JVM does not
/// have it. Where two JVMs stand for all, every variant only on one of them, by turns, or on the one that has it; the
/// other is not asked.
pub fn by_turns<V: Copy, T>(
    variants: &[V],
    ask: impl Fn(&Jvm, V) -> Result<T, String>,
) -> Vec<(&'static Jvm, V, Result<T, String>)> {
    in_turns(jvms(), variants, two_stand_for_all(), ask)
}

fn in_turns<'a, V: Copy, T>(
    jvms: &'a [Jvm],
    variants: &[V],
    is_once: bool,
    ask: impl Fn(&Jvm, V) -> Result<T, String>,
) -> Vec<(&'a Jvm, V, Result<T, String>)> {
    let mut all = Vec::new();
    for (turn, &variant) in variants.iter().enumerate() {
        let (before, first) = jvms.split_at(turn % jvms.len());
        let mut is_taken = false;
        for jvm in first.iter().chain(before) {
            let offer = if is_once && is_taken { Err(LEFT_OUT.to_owned()) } else { ask(jvm, variant) };
            is_taken |= offer.is_ok();
            all.push((jvm, variant, offer));
        }
    }
    all
}

/// The JVMs, beginning with another one from place to place in the tests, always the same at one.
fn in_order(jvms: &[Jvm], place: impl Hash) -> impl Iterator<Item = &Jvm> {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    let first = (hasher.finish() % jvms.len() as u64) as usize;
    jvms[first..].iter().chain(&jvms[..first])
}

/// Runs the body on the first JVM on which it launches something.
fn on_one<'a>(jvms: impl Iterator<Item = &'a Jvm>, body: &(impl Fn(&Jvm) + RefUnwindSafe)) -> Vec<String> {
    let mut failed = Vec::new();
    for jvm in jvms {
        launched_here();
        failed.extend(failed_on(jvm, body));
        if launched_here() {
            break;
        }
    }
    failed
}

/// The JVM and why, in short: the end of a long log has the whole of neither.
fn failed_on(jvm: &Jvm, body: &(impl Fn(&Jvm) + RefUnwindSafe)) -> Option<String> {
    println!("on {jvm}");
    panic::catch_unwind(|| body(jvm)).err().map(|why| {
        println!("FAILED on {jvm}");
        let why = why.downcast_ref::<String>().map(String::as_str).or(why.downcast_ref::<&str>().copied());
        let why: String = why.unwrap_or("?").chars().take(LONGEST_REASON).collect();
        format!("{jvm}: {why}")
    })
}

/// How many characters of a failure are printed once more.
const LONGEST_REASON: usize = 1_500;

#[track_caller]
fn fail_if_any(failed: &[String]) {
    assert!(failed.is_empty(), "failed on {}", failed.join(", "));
}

fn found() -> &'static [Jvm] {
    static FOUND: OnceLock<Vec<Jvm>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut homes = match Choice::made() {
            Choice::Homes(homes) => homes,
            Choice::All | Choice::Two => Vec::new(),
        };
        homes.extend(env::var_os("JAVA_HOME").map(PathBuf::from));
        homes.extend(home_on_path());
        for folder in [PathBuf::from("/usr/lib/jvm"), workspace_root().join("target/jvms")] {
            homes.extend(subfolders(&folder));
        }
        probe_all(&homes)
    })
}

fn home_on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let java = env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.exists())?;
    let java = fs::canonicalize(java).ok()?;
    Some(java.parent()?.parent()?.to_owned())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// Each JVM once, though links lead to it, in the order given. They are asked at once.
fn probe_all(homes: &[PathBuf]) -> Vec<Jvm> {
    let mut seen = BTreeSet::new();
    let homes = homes.iter().filter_map(|home| fs::canonicalize(home).ok());
    let homes: Vec<_> = homes.filter(|home| seen.insert(home.clone())).collect();
    let answers: Vec<_> = thread::scope(|scope| {
        let asked: Vec<_> = homes.iter().map(|home| scope.spawn(|| Jvm::probe(home))).collect();
        asked.into_iter().filter_map(|answer| answer.join().expect("probing does not panic")).collect()
    });
    let mut seen = BTreeSet::new();
    answers.into_iter().filter(|jvm: &Jvm| seen.insert(jvm.home.clone())).collect()
}

/// The first of each feature release, full JDKs before runtimes.
fn one_per_feature(mut jvms: Vec<Jvm>) -> Vec<Jvm> {
    jvms.sort_by_key(|jvm| (jvm.feature, jvm.javac().is_none()));
    jvms.dedup_by_key(|jvm| jvm.feature);
    jvms
}

/// The oldest but one, and the newest: most of what differs between releases lies between. Then the others.
fn two_of(jvms: Vec<Jvm>) -> (Vec<Jvm>, Vec<Jvm>) {
    let last = jvms.len().saturating_sub(1);
    let is_kept = |at: usize| last < 2 || at == 1 || at == last;
    let (kept, left): (Vec<_>, Vec<_>) = jvms.into_iter().enumerate().partition(|&(at, _)| is_kept(at));
    let unnumbered = |jvms: Vec<(usize, Jvm)>| jvms.into_iter().map(|(_, jvm)| jvm).collect();
    (unnumbered(kept), unnumbered(left))
}

fn say_left_out(jvms: &[Jvm]) {
    if !jvms.is_empty() {
        let features: Vec<_> = jvms.iter().map(|jvm| jvm.feature.to_string()).collect();
        skip(&format!("JVM {}", features.join(", ")), "two releases stand for all; MAYFLY_JVMS=all runs all");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn jvm(feature: u32, home: &str) -> Jvm {
        Jvm { home: home.into(), feature, version: String::new(), compact_headers: false }
    }

    #[test]
    fn two_releases_stand_for_all() {
        for (found, kept) in [
            (vec![], vec![]),
            (vec![21], vec![21]),
            (vec![17, 21], vec![17, 21]),
            (vec![11, 17, 25], vec![17, 25]),
            (vec![11, 17, 21, 25, 26], vec![17, 26]),
        ] {
            let (two, left) = two_of(found.iter().map(|&feature| jvm(feature, "/none")).collect());
            assert_eq!(two.len() + left.len(), found.len());
            assert_eq!(two.iter().map(|jvm| jvm.feature).collect::<Vec<_>>(), kept, "of {found:?}");
        }
    }

    #[test]
    fn a_test_runs_on_the_first_that_has_something_for_it() {
        let two = [jvm(17, "/none/a"), jvm(25, "/none/b")];
        let tried_for = |wanted: u32| {
            let tried = Mutex::new(Vec::new());
            let failed = on_one(two.iter(), &|jvm: &Jvm| {
                tried.lock().expect("no panic").push(jvm.feature);
                if jvm.feature >= wanted {
                    let _ = jvm.java();
                }
            });
            assert!(failed.is_empty());
            tried.into_inner().expect("no panic")
        };
        assert_eq!([17, 21, 99].map(tried_for), [vec![17], vec![17, 25], vec![17, 25]]);
        let failed = on_one(two.iter(), &|jvm: &Jvm| panic!("on purpose: {}", jvm.java().display()));
        assert_eq!(failed.len(), 1, "{failed:?}");
    }

    #[test]
    fn each_is_the_first_somewhere() {
        let orders_of = |jvms: &[Jvm]| -> BTreeSet<Vec<_>> {
            (0..32).map(|place| in_order(jvms, place).map(|jvm| jvm.feature).collect()).collect()
        };
        let three = [11, 17, 25].map(|feature| jvm(feature, "/none"));
        assert_eq!(orders_of(&three[1..]), BTreeSet::from([vec![17, 25], vec![25, 17]]));
        assert_eq!(orders_of(&three), BTreeSet::from([vec![11, 17, 25], vec![17, 25, 11], vec![25, 11, 17]]));
    }

    #[test]
    fn each_variant_has_its_turn_on_one_that_has_it() {
        let two = [jvm(17, "/none/a"), jvm(25, "/none/b")];
        let run = |is_once| {
            // The last is for the newer only.
            let ask = |jvm: &Jvm, variant| {
                if variant == 4 && jvm.feature == 17 { Err(String::new()) } else { Ok(()) }
            };
            let all = in_turns(&two, &[1, 2, 3, 4, 4], is_once, ask);
            assert_eq!(all.len(), 10, "what is left out is named");
            let run = all.iter().filter(|(.., offer)| offer.is_ok());
            run.map(|(jvm, variant, _)| (*variant, jvm.feature)).collect::<Vec<_>>()
        };
        assert_eq!(run(true), [(1, 17), (2, 25), (3, 17), (4, 25), (4, 25)]);
        assert_eq!(run(false), [(1, 17), (1, 25), (2, 25), (2, 17), (3, 17), (3, 25), (4, 25), (4, 25)]);
    }

    #[test]
    fn by_turns_no_jvm_lacks_a_variant_and_no_variant_a_mode() {
        let (mut run, mut all) = (0, 0);
        for (jvms, modes, variant) in
            (1..6).flat_map(|jvms| (1..6).flat_map(move |modes| (0..6).map(move |it| (jvms, modes, it))))
        {
            let takes = |jvm, mode| is_turn_of(jvm, jvms, variant + mode, modes);
            assert!((0..jvms).all(|jvm| (0..modes).any(|mode| takes(jvm, mode))), "{jvms}, {modes}");
            assert!((0..modes).all(|mode| (0..jvms).any(|jvm| takes(jvm, mode))), "{jvms}, {modes}");
            run += (0..jvms).map(|jvm| (0..modes).filter(|&mode| takes(jvm, mode)).count()).sum::<usize>();
            all += jvms * modes;
        }
        assert!(run < all / 2, "{run} of {all}");
    }

    #[test]
    fn one_of_each_feature_release_is_kept() {
        let kept = one_per_feature(vec![jvm(25, "/none/a"), jvm(17, "/none/b"), jvm(25, "/none/c")]);
        assert_eq!(kept.iter().map(|jvm| jvm.feature).collect::<Vec<_>>(), [17, 25]);
    }

    #[test]
    #[should_panic(expected = "failed on JVM")]
    fn a_failure_on_one_jvm_fails_the_test() {
        each_jvm(|_| panic!("on purpose"));
    }

    #[test]
    #[should_panic(expected = "failed on JVM")]
    fn a_failure_on_one_of_all_at_once_fails_the_test() {
        each_jvm_at_once(|_| panic!("on purpose"));
    }
}
