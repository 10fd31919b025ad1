//! `mayfly pause`, `resume`, `reset`, `stop`: steering the profiling of a running JVM.

use mayfly_recording::control::{Request, Response, StopMode};

use crate::args::running::{StopArgs, TargetArgs};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;

/// Has the agent end, and leave classes as they were if that is asked for.
pub(crate) fn stop(args: &StopArgs) -> Result<u8, Error> {
    let mode = if args.restore { StopMode::Restore } else { StopMode::KeepHooks };
    let code = run(&args.jvm, &Request::Stop(mode))?;
    output::say(&format!("{} is profiled no longer", args.jvm.target));
    Ok(code)
}

/// Has the agent do it. Says nothing if it was done.
pub(crate) fn run(args: &TargetArgs, request: &Request) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.target)?;
    match Target::reach(pid)?.ask(request)? {
        Response::Done => Ok(exit_codes::SUCCESS),
        _ => Err(Error::unexpected(pid)),
    }
}
