//! Options that all measurements share: which JVM, which agent, which variants.

use std::path::PathBuf;

use clap::Args;

use crate::jdk::{Jdk, JdkError};
use crate::variant::{Variant, VariantError, find_agent};

/// Shared command-line options.
#[derive(Args)]
pub(crate) struct Settings {
    /// JAVA_HOME of the JVM under measurement [default: $JAVA_HOME, else java on the PATH]
    #[arg(long, value_name = "HOME")]
    java: Option<PathBuf>,
    /// The agent library [default: libmayfly.so beside this program, else of the release build]
    #[arg(long, value_name = "FILE")]
    agent: Option<PathBuf>,
    /// Further variant as NAME=JVM-OPTIONS; {dir} becomes the run's own folder, {agent} the agent library
    #[arg(long, value_name = "NAME=OPTIONS")]
    also: Vec<String>,
    /// JVM options for every variant, e.g. "-XX:+UseParallelGC"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, default_value = "")]
    jvm_options: String,
}

/// What the options name, checked.
pub(crate) struct Setup {
    /// The JVM under measurement.
    pub(crate) jdk: Jdk,
    /// The agent library, if there is one.
    pub(crate) agent: Option<PathBuf>,
    /// Variants that can run; the first is the base of all ratios.
    pub(crate) variants: Vec<Variant>,
    /// JVM options for every variant.
    pub(crate) jvm_options: Vec<String>,
}

/// Options that name nothing usable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// See there.
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// See there.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// Ratios need two.
    #[error("nothing to compare: {0} variant is left; name at least two by --variants or --also")]
    TooFew(usize),
}

impl Settings {
    /// Finds what is named. Variants without their agent are skipped aloud.
    pub(crate) fn set_up(&self, names: &[String]) -> Result<Setup, SettingsError> {
        let jdk = Jdk::find(self.java.as_deref())?;
        let agent = find_agent(self.agent.as_deref());
        let built_in = names.iter().map(|name| Variant::built_in(name));
        let defined = self.also.iter().map(|text| Variant::defined(text));
        let mut variants = built_in.chain(defined).collect::<Result<Vec<_>, _>>()?;
        if agent.is_none() {
            variants.retain(|variant| !skip_without_agent(variant));
        }
        if variants.len() < 2 {
            return Err(SettingsError::TooFew(variants.len()));
        }
        let jvm_options = self.jvm_options.split_whitespace().map(str::to_owned).collect();
        Ok(Setup { jdk, agent, variants, jvm_options })
    }
}

fn skip_without_agent(variant: &Variant) -> bool {
    if variant.needs_agent() {
        println!(
            "skip(no-agent): {}: build libmayfly.so by `cargo build --release`, or name it by --agent",
            variant.name
        );
    }
    variant.needs_agent()
}
