//! Markdown tables, and the heading that says where and when figures were taken.

use std::fs;
use std::thread::available_parallelism;

use crate::jdk::Jdk;

/// Rows under a heading, as Markdown with padded columns.
pub(crate) fn markdown(heading: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> =
            widths.iter().zip(cells).map(|(&width, cell)| format!("{cell:<width$}")).collect();
        format!("| {} |\n", padded.join(" | "))
    };
    let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = line(&mut heading.iter().copied());
    text.push_str(&line(&mut rules.iter().map(String::as_str)));
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

/// Title and provenance: date, machine, its load at the start, JVM and the command line.
pub(crate) fn provenance(title: &str, jdk: &Jdk) -> String {
    let date = time::OffsetDateTime::now_utc().date();
    let cores = available_parallelism().map_or(0, usize::from);
    let cpu = field_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    let arguments: Vec<String> =
        std::env::args().skip(1).map(|argument| without_folders(&argument)).collect();
    format!(
        "## {title}, {date}\n\n- machine: {cores} cores, {cpu}; load at the start {load}\n- JVM: {}\n\
         - command: `cargo run --release -p mayfly-bench -- {}`\n",
        jdk.version,
        arguments.join(" ")
    )
}

/// The argument with absolute paths cut to their last part: figures are published, this machine's folders are not.
fn without_folders(argument: &str) -> String {
    let cut = |piece: &str| match piece.trim_end_matches('/').rsplit_once('/') {
        Some((_, name)) if piece.starts_with('/') => format!("…/{name}"),
        _ => piece.to_owned(),
    };
    let mut text = String::new();
    for piece in argument.split_inclusive(['=', ':', ',', ' ']) {
        let end = piece.trim_end_matches(['=', ':', ',', ' ']).len();
        text.push_str(&cut(&piece[..end]));
        text.push_str(&piece[end..]);
    }
    if text.contains(' ') { format!("\"{text}\"") } else { text }
}

fn field_of(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_without_this_machines_folders() {
        assert_eq!(without_folders("--java=/opt/jdk-25/"), "--java=…/jdk-25");
        assert_eq!(
            without_folders("a=-agentpath:/x/y/lib.so=start,file={dir}/a.jfr"),
            "a=-agentpath:…/lib.so=start,file={dir}/a.jfr"
        );
        assert_eq!(without_folders("a=-Xint -Xmx1g"), "\"a=-Xint -Xmx1g\"");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![vec!["h2".into(), "1.0–2".into()], vec!["clojure".into(), "1".into()]];
        let expected = "\
| bed     | CPU   |\n\
| ------- | ----- |\n\
| h2      | 1.0–2 |\n\
| clojure | 1     |\n";
        assert_eq!(markdown(&["bed", "CPU"], &rows), expected);
    }
}
