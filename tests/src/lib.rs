//! The end-to-end harness: finds JVMs, builds the products and the fixtures, runs Java programs with and
//! without the agent, and reads what came out.
//!
//! It knows nothing of how the agent works: it judges files, streams and exit codes, as a user would. The tests
//! themselves are in `tests/`, one topic a file.

mod artifacts;
mod beds;
mod beside;
mod control_socket;
mod expect;
mod fixtures;
mod folders;
mod jcmd;
mod json_report;
mod jvm;
mod jvms;
mod launch;
mod native;
mod profiled;
mod running;
mod schemas;
mod skip;
mod terminal;
mod text_report;

pub use artifacts::{Artifacts, artifacts, debug_artifacts};
pub use beds::Beds;
pub use beside::{Beside, MODES};
pub use control_socket::{connect_control, control_socket, exchange_bytes};
pub use expect::{Count, Counts, Expectation, Mismatch, check_all};
pub use fixtures::fixture_classes;
pub use folders::workspace_root;
pub use jcmd::{class_histogram, jcmd};
pub use json_report::JsonReport;
pub use jvm::Jvm;
pub use jvms::{
    any_jvm, by_turns, each_jvm, each_jvm_at_once, jdks, jvms, jvms_too_old, left_to_ci, turns_of,
    two_stand_for_all,
};
pub use launch::{Launch, Workspace, mayfly};
pub use native::native_library;
pub use profiled::Profiled;
pub use running::{Outcome, Running, files_in, status_bytes};
pub use schemas::schema_faults;
pub use skip::skip;
pub use terminal::{Terminal, shell_words};
pub use text_report::{Blamed, Bucket, ClassRow, Row, Site, TextReport};
