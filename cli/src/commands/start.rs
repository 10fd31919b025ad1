//! `mayfly start`: profiling begins in a JVM that runs.
//!
//! Not here: how the agent gets in (`session/attach`), what it does then.

use mayfly_recording::control::{Request, Response};

use crate::agent_options::AgentOptions;
use crate::args::running::{EngineArgs, StartArgs};
use crate::commands::next_commands::program;
use crate::commands::run::{LOADERS, THREADS, with_absolute_recording, with_beside, with_census};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;

/// Begins, and says on stderr what can be asked next.
pub(crate) fn run(args: &StartArgs) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.jvm.target)?;
    let target = Target::connect(pid)?;
    begin(&target, pid, &args.engine, None)?;
    let mayfly = program();
    output::say(&format!(
        "JVM {pid} is being profiled; fetch the profile so far: {mayfly} snapshot {pid}; end it: {mayfly} stop {pid}"
    ));
    Ok(exit_codes::SUCCESS)
}

/// Has the agent begin; to end by itself after `stop_after_ms`, if that is given.
pub(super) fn begin(
    target: &Target,
    pid: u32,
    engine: &EngineArgs,
    stop_after_ms: Option<u64>,
) -> Result<(), Error> {
    match target.ask(&Request::Start { options: options(engine)?, stop_after_ms })? {
        Response::Done => Ok(()),
        _ => Err(Error::unexpected(pid)),
    }
}

fn options(engine: &EngineArgs) -> Result<String, Error> {
    let given = with_absolute_recording(AgentOptions::parse(&engine.options))?;
    let named = AgentOptions::default().with("engine", if engine.exact { "exact" } else { "sampled" });
    let named = if engine.yes { named.flag("yes") } else { named };
    let options =
        if engine.sampled || engine.exact { given.overridden_by(named) } else { named.overridden_by(given) };
    let options = with_beside(options, [(engine.threads, THREADS), (engine.loaders, LOADERS)]);
    Ok(with_census(options, &engine.census).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::running::CensusArgs;

    fn options_of([sampled, exact]: [bool; 2], options: &str) -> String {
        super::options(&EngineArgs {
            sampled,
            exact,
            yes: false,
            threads: false,
            loaders: false,
            census: CensusArgs { census: options.is_empty(), pause: None },
            options: options.to_owned(),
        })
        .expect("passable")
    }

    const DEFAULT: [bool; 2] = [false; 2];

    #[test]
    fn the_engine_is_the_sampled_one_unless_another_is_asked_for() {
        assert_eq!(options_of(DEFAULT, ""), "#engine-sampled#census", "no option, but --census");
        assert_eq!(options_of([true, false], "#sample-1m"), "#sample-1m#engine-sampled");
        assert_eq!(options_of(DEFAULT, "#engine-exact#trace"), "#engine-exact#trace");
        assert_eq!(options_of([false, true], "#trace"), "#trace#engine-exact");
    }

    #[test]
    fn a_recording_is_named_absolutely_as_the_target_has_another_working_folder() {
        let options = options_of(DEFAULT, "#recording-x.mayfly");
        assert!(
            options.starts_with("#engine-sampled#recording-/") && options.ends_with("/x.mayfly"),
            "{options}"
        );
    }
}
