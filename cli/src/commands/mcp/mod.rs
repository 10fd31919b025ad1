//! `mayfly mcp`: the JSON of the other commands for an assistant, over the Model Context Protocol on standard input and output.
//!
//! Each tool is one command line of this same program, run as a process of its own: answers, refusals and exit codes are the
//! command's. Without `--allow-attach` no JVM is attached to and no file is written. ([why so](../../../../docs/design/building.md#0089-the-model-context-protocol-without-a-library))

mod call;
mod given;
mod protocol;
mod server;
mod tools;

use std::env;
use std::io;

use crate::args::running::McpArgs;
use crate::error::Error;
use crate::exit_codes;
use server::Server;

/// Serves until standard input ends.
pub(crate) fn run(args: &McpArgs) -> Result<u8, Error> {
    let program = env::current_exe()
        .map_err(|source| Error::NotStarted { program: "mayfly itself".to_owned(), source })?;
    Server::new(program, args.allow_attach).serve(io::stdin().lock());
    Ok(exit_codes::SUCCESS)
}
