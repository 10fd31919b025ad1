//! What of a profile is shown: as the recorded run's own options say, unless the command line says otherwise.
//!
//! So `mayfly report` shows what the agent's own report showed, and the same recording can be looked at differently.

use mayfly_profile::{BlameRules, ClassFilter, View};

use crate::args::ReportArgs;

/// The recorded view with what the command line overrides. Its classes replace the recorded ones as a whole.
pub(crate) fn overridden(recorded: &View, args: &ReportArgs) -> View {
    let or_recorded = |given: &[String], recorded: &[String]| {
        if given.is_empty() { recorded.to_vec() } else { given.to_vec() }
    };
    let given = ClassFilter {
        include: args.classes.include.clone(),
        exclude: args.classes.exclude.clone(),
        exact_match: args.classes.exact_match,
    };
    View {
        classes: if given.admits_all() { recorded.classes.clone() } else { given },
        rows: args.limit.or(recorded.rows),
        blame: recorded.blame && !args.no_blame,
        rules: BlameRules {
            ignore: or_recorded(&args.trace_ignore, &recorded.rules.ignore),
            target: or_recorded(&args.trace_target, &recorded.rules.target),
        },
        ..recorded.clone()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn recorded() -> View {
        View {
            classes: ClassFilter { include: words(&["a."]), exclude: words(&["b"]), exact_match: true },
            min_bytes: 1_024,
            rows: Some(5),
            blame: true,
            rules: BlameRules { ignore: words(&["java."]), target: words(&["org."]) },
            detailed_trace: true,
        }
    }

    fn shown(options: &[&str]) -> View {
        let line = [&["mayfly", "report", "file"], options].concat();
        match Cli::try_parse_from(line).expect("parses").command {
            Command::Report(args) => overridden(&recorded(), &args),
            other => panic!("not report: {other:?}"),
        }
    }

    #[test]
    fn without_options_a_run_is_shown_as_it_was_meant() {
        assert_eq!(shown(&[]), recorded());
    }

    #[test]
    fn options_replace_what_was_recorded() {
        let view = shown(&["--include", "c.", "--trace-target", "com.", "--limit", "2", "--no-blame"]);
        let expected = View {
            classes: ClassFilter { include: words(&["c."]), ..ClassFilter::default() },
            rows: Some(2),
            blame: false,
            rules: BlameRules { ignore: words(&["java."]), target: words(&["com."]) },
            ..recorded()
        };
        assert_eq!(view, expected);
    }
}
