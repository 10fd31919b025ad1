//! What can be said of judgements: `mayfly check`, `mayfly diff`.

use std::path::PathBuf;

use clap::Args;

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  mayfly check --write budget.toml mayfly-4711.mayfly
  mayfly check --budget budget.toml mayfly-4711.mayfly
  mayfly check --budget budget.toml --annotations --junit mayfly.xml --markdown mayfly.md mayfly-*.mayfly
  mayfly run --budget budget.toml -- java -jar app.jar";

/// What `mayfly check` takes.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The recordings, each checked by itself; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) recordings: Vec<PathBuf>,

    /// The budget that each of them has to keep
    #[arg(long, value_name = "TOML", required_unless_present = "write")]
    pub(crate) budget: Option<PathBuf>,

    /// Write a budget that the recording keeps with a tenth to spare, instead of checking; - is standard output
    #[arg(long, value_name = "TOML", conflicts_with = "budget")]
    pub(crate) write: Option<PathBuf>,

    /// How many operations the program did, for limits per operation; wins over the budget's
    #[arg(long, value_name = "N", value_parser = operations)]
    pub(crate) operations: Option<f64>,

    #[command(flatten)]
    pub(crate) outputs: CheckOutputs,
}

/// Where the outcome of a check goes, beside standard output.
#[derive(Debug, Default, Args)]
pub(crate) struct CheckOutputs {
    /// Print what is not kept as annotations of GitHub Actions
    #[arg(long, conflicts_with = "write")]
    pub(crate) annotations: bool,

    /// Write the outcome as JUnit XML, a test case for each limit
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) junit: Option<PathBuf>,

    /// Write what was measured as Bencher Metric Format (JSON)
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) bmf: Option<PathBuf>,

    /// Write the outcome as Markdown, for a comment on a pull request
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) markdown: Option<PathBuf>,
}

/// A number above zero.
pub(crate) fn operations(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) && number > 0.0 => Ok(number),
        _ => Err("expected a number above zero".to_owned()),
    }
}

pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  mayfly diff old.mayfly new.mayfly
  mayfly diff --before old-1.mayfly old-2.mayfly old-3.mayfly --after new-1.mayfly new-2.mayfly new-3.mayfly
  mayfly diff --per 10000,12000 old.mayfly new.mayfly
  mayfly diff --json old.mayfly new.mayfly | jq '.findings[] | select(.verdict != \"same\")'";

/// What `mayfly diff` takes.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// One recording of each side
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 2, required_unless_present = "before", conflicts_with = "before")]
    pub(crate) pair: Vec<PathBuf>,

    /// Recordings of the program as it was; three or more tell changes from the spread between runs
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "after")]
    pub(crate) before: Vec<PathBuf>,

    /// Recordings of the program as it is now
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "before")]
    pub(crate) after: Vec<PathBuf>,

    /// Compare per operation: how many each recording did, one number for all, or one for each with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = operations)]
    pub(crate) per: Vec<f64>,

    /// At most this share of what is called changed are false alarms
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(crate) level: f64,

    /// Least share of the JVM's bytes that has to be known of each recording
    #[arg(long, value_name = "SHARE", default_value = "0.9", value_parser = share)]
    pub(crate) trust: f64,

    /// Show every row, also those that did not change
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,

    /// Write JSON (schema mayfly-diff/1)
    #[arg(long)]
    pub(crate) json: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a share from 0 to 1".to_owned()),
    }
}
