//! `mayfly attach`: loads the agent into a running JVM, to look at its heap.
//!
//! Not needed before `mayfly heap`, which does it by itself. Not here: how it is done (`session/attach`).

use crate::args::running::TargetArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;

/// Attaches, if there is no agent, and says on stderr what is there then.
pub(crate) fn run(args: &TargetArgs) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.target)?;
    let status = Target::connect(pid)?.status()?;
    let loaded = status.loaded.name().replace('_', " ");
    output::say(&format!("JVM {pid} has the agent: Mayfly {}, {loaded}", status.mayfly));
    Ok(exit_codes::SUCCESS)
}
