//! What the runs of one comparison differ in: the JVM options of no agent, of our modes, of other profilers.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Stands for the agent library in option templates.
const AGENT: &str = "{agent}";
/// Stands for the run's own folder in option templates.
const FOLDER: &str = "{dir}";
/// Name, agent options or (if they begin with `-`) whole JVM options.
const BUILT_IN: [(&str, &str); 12] = [
    ("none", ""),
    // Waits for somebody who asks after the heap.
    ("dormant", "-agentpath:{agent}=#heapsummary#heapoom#heapdir-{dir}/heap"),
    ("count", "#live-0"),
    // Each call of the workload `call` is a scope.
    ("scope", "#scope-Micro.request#live-0"),
    ("sample", "#sample-512k#live-0"),
    // As `mayfly run` does: a recording has a step a second.
    ("recorded", "#sample-512k#trace#live-0#recording-{dir}/%p.mayfly"),
    ("sampled", "#engine-sampled#live-0"),
    ("balanced", "#track-balanced#live-0"),
    ("track", "#trackcollections#live-0"),
    ("trace", "#trace#live-0"),
    ("tracktrace", "#trackcollections#trace#live-0"),
    // The JDK's own allocation sampling (jdk.ObjectAllocationSample, JDK 16 and later); its greeting on stdout is silenced.
    ("jfr", "-XX:StartFlightRecording=settings=profile,filename={dir}/peer.jfr -Xlog:jfr+startup=error"),
];

/// One way of running a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Name in tables.
    pub(crate) name: String,
    templates: Vec<String>,
}

/// A variant that can't be made of what the user wrote.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum VariantError {
    /// Not built in.
    #[error("no variant {name:?}: choose from {known}, or define one by --also NAME=OPTIONS")]
    Unknown {
        /// As written.
        name: String,
        /// All built-in names.
        known: String,
    },
    /// Not NAME=OPTIONS.
    #[error(
        "--also {0:?}: write NAME=OPTIONS, e.g. gc=-XX:+UseParallelGC ({{dir}} and {{agent}} are filled in)"
    )]
    Malformed(String),
}

impl Variant {
    /// A built-in variant.
    pub(crate) fn built_in(name: &str) -> Result<Self, VariantError> {
        let unknown = || VariantError::Unknown {
            name: name.to_owned(),
            known: BUILT_IN.map(|(name, _)| name).join(", "),
        };
        let (_, options) = BUILT_IN.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
        let templates = if options.starts_with('#') {
            vec![format!("-agentpath:{AGENT}={options}#output-{FOLDER}/agent-%p")]
        } else {
            options.split_whitespace().map(str::to_owned).collect()
        };
        Ok(Self { name: name.to_owned(), templates })
    }

    /// A variant of the user's: `NAME=OPTIONS`, options separated by blanks.
    pub(crate) fn defined(text: &str) -> Result<Self, VariantError> {
        let malformed = || VariantError::Malformed(text.to_owned());
        let (name, options) =
            text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(malformed)?;
        let templates: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
        if templates.is_empty() {
            return Err(malformed());
        }
        Ok(Self { name: name.to_owned(), templates })
    }

    /// Whether it loads our agent.
    pub(crate) fn needs_agent(&self) -> bool {
        self.templates.iter().any(|template| template.contains(AGENT))
    }

    /// Whether it loads something else than our agent.
    pub(crate) fn is_peer(&self) -> bool {
        !self.templates.is_empty() && !self.needs_agent()
    }

    /// The JVM options for a run that may write into `folder`.
    pub(crate) fn jvm_options(&self, agent: Option<&Path>, folder: &Path) -> Vec<String> {
        let agent = agent.map(|path| path.display().to_string()).unwrap_or_default();
        let folder = folder.display().to_string();
        self.templates
            .iter()
            .map(|template| template.replace(AGENT, &agent).replace(FOLDER, &folder))
            .collect()
    }
}

/// The agent library: as named, else beside this program, else where a release build puts it.
pub(crate) fn find_agent(named: Option<&Path>) -> Option<PathBuf> {
    if let Some(path) = named {
        return path.canonicalize().ok();
    }
    let beside =
        std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("libmayfly.so")));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/libmayfly.so");
    beside.into_iter().chain([built]).find_map(|path| path.canonicalize().ok())
}

/// Order of the variants in a round: rotated, so that no variant always runs first or always after the same one.
pub(crate) fn order(variants: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..variants).map(move |position| (position + round) % variants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_modes_load_the_agent_and_write_into_the_runs_folder() {
        let count = Variant::built_in("count").expect("built in");
        assert!(count.needs_agent());
        let options = count.jvm_options(Some(Path::new("/a/libmayfly.so")), Path::new("/run"));
        assert_eq!(options, ["-agentpath:/a/libmayfly.so=#live-0#output-/run/agent-%p"]);
    }

    #[test]
    fn none_and_jfr_do_without_the_agent() {
        assert_eq!(
            Variant::built_in("none").expect("built in").jvm_options(None, Path::new("/run")),
            [""; 0]
        );
        let jfr = Variant::built_in("jfr").expect("built in");
        assert!(!jfr.needs_agent());
        assert!(jfr.jvm_options(None, Path::new("/run"))[0].ends_with("filename=/run/peer.jfr"));
    }

    #[test]
    fn users_define_variants_of_several_options() {
        let variant =
            Variant::defined("asprof=-agentpath:x.so=start,file={dir}/a.jfr -Xint").expect("well formed");
        assert_eq!(variant.name, "asprof");
        let options = variant.jvm_options(None, Path::new("/run"));
        assert_eq!(options, ["-agentpath:x.so=start,file=/run/a.jfr", "-Xint"]);
        for bad in ["asprof", "=-Xint", "a= "] {
            assert_eq!(Variant::defined(bad), Err(VariantError::Malformed(bad.to_owned())));
        }
    }

    #[test]
    fn an_unknown_variant_is_answered_with_the_known_ones() {
        let error = Variant::built_in("cuont").expect_err("a typing error");
        assert!(
            error.to_string().contains(
                "none, dormant, count, scope, sample, recorded, sampled, balanced, track, trace, tracktrace, jfr"
            ),
            "{error}"
        );
    }

    #[test]
    fn every_round_runs_each_variant_once_and_starts_with_another() {
        assert_eq!(order(3, 0).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(order(3, 1).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(order(3, 5).collect::<Vec<_>>(), [2, 0, 1]);
    }
}
