//! Where the sources are, and what tests build.

use std::env;
use std::path::{Path, PathBuf};

/// The folder of the workspace's Cargo.toml.
pub fn workspace_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the workspace")
}

/// The folder for what tests build, out of version control.
pub(crate) fn build_folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    workspace_root().join(target)
}
