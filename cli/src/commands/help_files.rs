//! `mayfly help-files`: manual pages and completions for shells, made of what `--help` shows.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Cli, HelpFilesArgs};
use crate::error::Error;
use crate::exit_codes;

/// Writes them into `man` and `completions` below the folder.
pub(crate) fn run(args: &HelpFilesArgs) -> Result<u8, Error> {
    let written = write(&args.folder);
    written.map_err(|source| Error::NotWritten { name: args.folder.display().to_string(), source })?;
    Ok(exit_codes::SUCCESS)
}

fn write(folder: &Path) -> std::io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(Cli::command(), &man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "mayfly", &completions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_and_each_shell_its_completions() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path()).expect("written");
        for file in [
            "man/mayfly.1",
            "man/mayfly-doctor.1",
            "completions/_mayfly",
            "completions/mayfly.bash",
            "completions/mayfly.fish",
        ] {
            let text = fs::read_to_string(folder.path().join(file)).expect(file);
            assert!(text.contains("mayfly"), "{file}");
        }
        let page = fs::read_to_string(folder.path().join("man/mayfly-record.1")).expect("there");
        assert!(page.contains("Profile a running JVM for a while"), "{page}");
    }
}
