//! `mayfly start`: profiling begins in a JVM that runs.
//!
//! Not here: how the agent gets in (`session/attach`), what it does then.

use mayfly_recording::control::{Request, Response};

use crate::agent_options::AgentOptions;
use crate::args::running::{EngineArgs, StartArgs};
use crate::commands::next_commands::program;
use crate::commands::run::with_absolute_recording;
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
    let ours = AgentOptions::default().with("engine", "sampled");
    let options = if engine.sampled { given.overridden_by(ours) } else { ours.overridden_by(given) };
    Ok(options.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options_of(sampled: bool, options: &str) -> String {
        super::options(&EngineArgs { sampled, options: options.to_owned() }).expect("passable")
    }

    #[test]
    fn the_engine_is_the_sampled_one_unless_another_is_asked_for() {
        assert_eq!(options_of(false, ""), "#engine-sampled");
        assert_eq!(options_of(true, "#sample-1m"), "#sample-1m#engine-sampled");
        assert_eq!(options_of(false, "#engine-exact#trace"), "#engine-exact#trace");
    }

    #[test]
    fn a_recording_is_named_absolutely_as_the_target_has_another_working_folder() {
        let options = options_of(false, "#recording-x.mayfly");
        assert!(
            options.starts_with("#engine-sampled#recording-/") && options.ends_with("/x.mayfly"),
            "{options}"
        );
    }
}
