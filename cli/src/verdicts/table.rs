//! A table of text in which names that are too long go on below.
//!
//! Not here: tables of other forms (`document`).

use mayfly_report::{left_aligned, pad, right_aligned, width};

/// Columns of a name at least, however narrow the screen is.
const LEAST: usize = 24;

/// Rows as lines of at most so many columns: a name that is longer goes on below where it began.
pub(super) fn table(rows: &[Vec<String>], columns: usize) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let (names, rows): (Vec<&String>, Vec<&[String]>) =
        rows.iter().filter_map(|row| row.split_last()).unzip();
    let rows = rows.into_iter().map(|row| [row.to_vec(), vec![String::new()]].concat()).collect();
    let numbers = right_aligned(&named_left(rows), "  ");
    let begin = numbers.lines().map(width).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (line, name) in numbers.lines().zip(&names) {
        for (at, part) in wrapped(name, columns.saturating_sub(begin).max(LEAST)).iter().enumerate() {
            let before = if at == 0 { line } else { "" };
            text += format!("{}{part}", pad(before, begin)).trim_end();
            text.push('\n');
        }
    }
    text
}

/// Rows that all read from the left, in at most so many columns: a last cell for which there is no room goes on below the second.
pub(super) fn verdict_rows(rows: &[Vec<String>], columns: usize) -> String {
    let (begins, lasts): (Vec<Vec<String>>, Vec<&String>) =
        rows.iter().filter_map(|row| row.split_last()).map(|(last, begin)| (begin.to_vec(), last)).unzip();
    let begins_text = left_aligned(&begins);
    // Long names are not what the others are aligned to.
    let widest = begins_text.lines().map(width).filter(|&one| one <= columns * 3 / 5).max().unwrap_or(0);
    let second = begins.iter().filter_map(|row| row.first()).map(|cell| width(cell)).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (begin, last) in begins_text.lines().zip(lasts) {
        let beside = [pad(begin, widest), begin.to_owned()].map(|begin| format!("{begin}  {last}"));
        // A file's name is not broken: who reads rows would lose it.
        let is_one_word = !last.contains(' ');
        match beside.iter().find(|line| width(line) <= columns || is_one_word) {
            Some(line) => text += &format!("{}\n", line.trim_end()),
            None => {
                let below = wrapped(last, columns.saturating_sub(second).max(LEAST));
                text += &format!("{begin}\n");
                below.iter().for_each(|part| text += &format!("{}{}\n", pad("", second), part.trim_end()));
            }
        }
    }
    text
}

/// The last two columns read from the left.
fn named_left(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let from = rows.first().map_or(0, |row| row.len().saturating_sub(2));
    let names: Vec<_> = rows.iter().map(|row| row[from..].to_vec()).collect();
    let names = left_aligned(&names);
    let lines: Vec<_> = names.lines().map(str::to_owned).collect();
    rows.into_iter().zip(lines).map(|(row, name)| [row[..from].to_vec(), vec![name]].concat()).collect()
}

/// A name in lines of at most so many columns: broken between its frames, or else behind a dot, or wherever it has to be.
fn wrapped(name: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in name.split_inclusive(' ') {
        let mut word = word;
        loop {
            let last = lines.last_mut().expect("at least one");
            if width(last) + width(word.trim_end()) <= columns {
                last.push_str(word);
                break;
            }
            // Below it may fit as a whole.
            if last.is_empty() {
                let (fits, rest) = word.split_at(broken_at(word, columns));
                last.push_str(fits);
                word = rest;
            }
            lines.push(String::new());
        }
    }
    lines
}

/// Behind how many bytes a word is broken that is too long.
fn broken_at(word: &str, columns: usize) -> usize {
    let begins = || word.char_indices().map(|(at, c)| at + c.len_utf8());
    let fits = begins().take_while(|&end| width(&word[..end]) <= columns).last();
    let most = fits.or(begins().next()).unwrap_or(word.len());
    word[..most].rfind('.').map(|dot| dot + 1).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [&str; 6]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_verdict_that_is_too_long_goes_on_below() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let why = "4.40 MiB, at most 28.1 MiB; the runs of the baseline differ too much";
        let rows = [row(["  kept", "total: bytes", "1 MiB"]), row(["  unknown", "total: live_bytes", why])];
        assert_eq!(
            verdict_rows(&rows, 60),
            "  kept     total: bytes       1 MiB\n  unknown  total: live_bytes\n           4.40 MiB, at most 28.1 MiB; the runs of the\n           baseline differ too much\n"
        );
        let names = [row(["  kept", "a", "1 B"]), row(["  kept", &"n".repeat(40), "at most 2 B"])];
        assert!(
            verdict_rows(&names, 44).starts_with("  kept  a  1 B\n  kept  nnn"),
            "{}",
            verdict_rows(&names, 44)
        );
    }

    #[test]
    fn a_long_name_goes_on_below_and_nothing_of_it_is_lost() {
        let name = "byte[] at com.example.shop.prices.QuoteCache.newFormat < com.example.shop.prices.QuoteCache.price";
        let lines = wrapped(name, 40);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line.trim_end()) <= 40), "{lines:?}");
        assert_eq!(lines.concat(), name);
        assert_eq!(wrapped("a.B", 40), ["a.B"]);
        assert_eq!(wrapped(&"x".repeat(50), 20).concat(), "x".repeat(50));
        let cells = |name| row(["1 B", "2 B", "new", "0.5", "allocated", name]);
        let text = table(&[cells(""), cells(name)], 80);
        let begin = text.lines().nth(1).and_then(|line| line.find("byte[]")).expect("the name");
        assert!(text.lines().skip(2).all(|line| line[..begin].trim().is_empty()), "{text}");
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    }
}
