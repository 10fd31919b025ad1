//! An answer before it has a form: what was looked at, how to read it, tables of rows, and what is left out.
//!
//! One answer is shown as text for a terminal, as Markdown for a comment, and in a page. Not here: what an answer says.

use mayfly_report::{left_aligned, pad, right_aligned, width};

/// Columns of a name at least, however narrow the screen is.
const LEAST: usize = 24;

/// The parts of an answer, in their order.
#[derive(Debug, Default)]
pub(crate) struct Document(Vec<Part>);

#[derive(Debug)]
enum Part {
    Fact(String),
    Sentence(String),
    /// Rows below a heading, the headings of columns first; the last column names what a row is of, the one before says which number it is.
    Table(String, Vec<Vec<String>>),
    Note(String),
}

impl Document {
    /// What was looked at, in a line.
    pub(crate) fn fact(&mut self, text: impl Into<String>) {
        self.0.push(Part::Fact(text.into()));
    }

    /// How to read what follows.
    pub(crate) fn sentence(&mut self, text: impl Into<String>) {
        self.0.push(Part::Sentence(text.into()));
    }

    /// A table; of no rows but the headings of columns only its own heading is shown.
    pub(crate) fn table(&mut self, heading: String, rows: Vec<Vec<String>>) {
        self.0.push(Part::Table(heading, rows));
    }

    /// What was left out, behind all else.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.0.push(Part::Note(text.into()));
    }

    /// What was looked at.
    pub(crate) fn facts(&self) -> Vec<String> {
        self.texts(|part| matches!(part, Part::Fact(_)))
    }

    /// How to read it, and what was left out, a line each.
    pub(crate) fn words(&self) -> Vec<String> {
        self.texts(|part| matches!(part, Part::Sentence(_) | Part::Note(_)))
    }

    fn texts(&self, wanted: fn(&Part) -> bool) -> Vec<String> {
        let text = |part: &Part| match part {
            Part::Fact(text) | Part::Sentence(text) | Part::Note(text) => text.clone(),
            Part::Table(heading, _) => heading.clone(),
        };
        let texts = self.0.iter().filter(|part| wanted(part)).map(text);
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// For a screen of so many columns; names that are longer go on below.
    pub(crate) fn text(&self, columns: usize) -> String {
        let part = |part: &Part| match part {
            Part::Fact(text) | Part::Sentence(text) => format!("{text}\n"),
            Part::Table(heading, rows) => format!("\n{heading}:\n{}", table(rows, columns)),
            Part::Note(text) => format!("\n{text}\n"),
        };
        self.0.iter().map(part).collect()
    }

    /// For a comment on a pull request.
    pub(crate) fn markdown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Fact(text) => format!("{}\n\n", escaped(text)),
            Part::Sentence(text) | Part::Note(text) => format!("{}\n\n", escaped(text)),
            Part::Table(heading, rows) => format!("**{}**\n\n{}\n", escaped(heading), markdown_table(rows)),
        };
        self.0.iter().map(part).collect::<String>().trim_end().to_owned() + "\n"
    }
}

fn markdown_table(rows: &[Vec<String>]) -> String {
    let [headings, rows @ ..] = rows else { return String::new() };
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &Vec<String>| {
        let cells: Vec<_> = cells.iter().map(|cell| escaped(cell.trim())).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    // Numbers end below each other.
    let sides =
        headings.iter().enumerate().map(|(at, _)| if at + 2 < headings.len() { "--:|" } else { "---|" });
    let below = format!("|{}\n", sides.collect::<String>());
    line(headings) + &below + &rows.iter().map(line).collect::<String>()
}

/// Text that neither ends a cell nor is markup: names of classes may be anything.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => escaped.push(' '),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '@' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Rows as lines of at most so many columns: a name that is longer goes on below where it began.
fn table(rows: &[Vec<String>], columns: usize) -> String {
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

    #[test]
    fn one_answer_has_the_same_parts_in_each_form() {
        let mut document = Document::default();
        document.fact("Before: 1 recording.");
        document.sentence("~: no change.\nOf one run.");
        let rows = vec![
            row(["before", "after", "change", "chance", "of", ""]),
            row(["1 B", "2 B", "x2", "0.5", "allocated", "a.B[]"]),
        ];
        document.table("Classes (1 ~)".to_owned(), rows);
        document.note("3 rows were not compared.");
        assert_eq!(
            document.text(80),
            "Before: 1 recording.\n~: no change.\nOf one run.\n\nClasses (1 ~):\n  before  after  change  chance  of\n     1 B    2 B      x2     0.5  allocated  a.B[]\n\n3 rows were not compared.\n"
        );
        let markdown = document.markdown();
        assert!(markdown.contains("| 1 B | 2 B | x2 | 0.5 | allocated | a.B\\[\\] |\n"), "{markdown}");
        assert!(markdown.contains("|--:|--:|--:|--:|---|---|\n"), "{markdown}");
        assert_eq!(document.facts(), ["Before: 1 recording."]);
        assert_eq!(document.words(), ["~: no change.", "Of one run.", "3 rows were not compared."]);
        for word in document.facts().iter().chain(&["3 rows were not compared.".to_owned()]) {
            assert!(markdown.contains(word.as_str()), "{markdown}");
        }
    }
}
