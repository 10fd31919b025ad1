//! `assertions`: what the Java API's assertions take, by the clock, in a heap of many objects.
//!
//! Not here: what they say, which the end to end tests check.

use std::error::Error;
use std::process::Command;

use clap::Args;

use crate::settings::Settings;
use crate::table;

const HEADING: [&str; 4] = ["question", "median ms", "min ms", "max ms"];

/// Options of `assertions`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Objects on the heap
    #[arg(long, default_value_t = 1_000_000)]
    objects: u64,
    /// Times each question is asked, after one to warm up
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Milliseconds that a failing assertGC waits for others to let go, -Dmayfly.assertgc.patience
    #[arg(long, default_value_t = 1000)]
    patience: u32,
    #[command(flatten)]
    settings: Settings,
}

/// Runs the program and prints the table. `false` if it failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let setup = arguments.settings.set_up(&["none".into(), "count".into()])?;
    let Some(agent) = &setup.agent else { return Ok(true) };
    let classes = tempfile::tempdir()?;
    setup.jdk.compile("Assertions.java", classes.path())?;
    println!("{}", table::provenance("Assertions", &setup.jdk));
    let output = Command::new(setup.jdk.java())
        .arg(format!("-Dmayfly.agent={}", agent.display()))
        .arg(format!("-Dmayfly.assertgc.patience={}", arguments.patience))
        .args(&setup.jvm_options)
        .arg("-cp")
        .arg(classes.path())
        .args(["Assertions", &arguments.objects.to_string(), &arguments.rounds.to_string()])
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        println!("FAILED {}: {stdout}{}", output.status, String::from_utf8_lossy(&output.stderr));
        return Ok(false);
    }
    println!("{}", table::markdown(&HEADING, &rows(&stdout)));
    println!(
        "{} objects; a pass includes a collection, a failing assertGC waits {} ms for others to let go.",
        arguments.objects, arguments.patience
    );
    Ok(true)
}

/// A row for each question, in the order in which they came first.
fn rows(stdout: &str) -> Vec<Vec<String>> {
    let mut answers: Vec<(&str, Vec<u64>)> = Vec::new();
    for (name, micros) in stdout.lines().filter_map(|line| line.split_once(' ')) {
        let Ok(micros) = micros.parse() else { continue };
        match answers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.push(micros),
            None => answers.push((name, vec![micros])),
        }
    }
    let row = |(name, mut all): (&str, Vec<u64>)| {
        all.sort_unstable();
        let ms = |micros: u64| format!("{:.0}", micros as f64 / 1000.0);
        vec![name.to_owned(), ms(all[all.len() / 2]), ms(all[0]), ms(all[all.len() - 1])]
    };
    answers.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_gathered_by_question() {
        let rows = rows("pass 2000\nfail 7000\npass 1000\npass 9000\nnoise\n");
        assert_eq!(rows, [["pass", "2", "1", "9"], ["fail", "7", "7", "7"]]);
    }
}
