//! An answer before it has a form: what was looked at, how to read it, tables of rows, and what is left out.
//!
//! One answer is shown as text for a terminal, as Markdown for a comment, and in a page. Not here: what an answer says, tables in text
//! (`table`), and its JSON, which has more than people read.

use mayfly_formats::{AnswerPage, AnswerPart};

use super::table::{table, verdict_rows};

/// The parts of an answer, in their order.
#[derive(Debug, Default)]
pub(crate) struct Document(Vec<Part>);

#[derive(Debug)]
enum Part {
    Fact(String),
    Sentence(String),
    /// Rows below a heading, the headings of columns first; the last column names what a row is of, the one before says which number it is.
    Table(String, Vec<Vec<String>>),
    Heading(String),
    /// Rows that begin with a verdict, the headings of columns first.
    Verdicts(Vec<Vec<String>>),
    /// Lines as they are below a heading.
    Block(String, Vec<String>),
    /// The same, folded away where that can be.
    Details(String, Vec<String>),
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

    /// Of what all that follows is, up to the next.
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.0.push(Part::Heading(text.into()));
    }

    /// Rows that begin with a verdict; texts do not show the headings of columns.
    pub(crate) fn verdicts(&mut self, headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
        self.0.push(Part::Verdicts([headings].into_iter().chain(rows).collect()));
    }

    /// Lines that are shown as they are, below a heading.
    pub(crate) fn block(&mut self, heading: impl Into<String>, lines: Vec<String>) {
        self.0.push(Part::Block(heading.into(), lines));
    }

    /// Lines that few want to see.
    pub(crate) fn details(&mut self, heading: impl Into<String>, lines: Vec<String>) {
        self.0.push(Part::Details(heading.into(), lines));
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
            Part::Table(heading, _)
            | Part::Heading(heading)
            | Part::Block(heading, _)
            | Part::Details(heading, _) => heading.clone(),
            Part::Verdicts(_) => String::new(),
        };
        let texts = self.0.iter().filter(|part| wanted(part)).map(text);
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// For a screen of so many columns; names that are longer go on below.
    pub(crate) fn text(&self, columns: usize) -> String {
        let part = |(at, part): (usize, &Part)| match part {
            Part::Fact(text) | Part::Sentence(text) => format!("{text}\n"),
            Part::Heading(text) if at == 0 => format!("{text}\n"),
            Part::Table(heading, rows) => format!("\n{heading}:\n{}", table(rows, columns)),
            Part::Verdicts(rows) => verdict_rows(rows.get(1..).unwrap_or_default(), columns),
            Part::Block(heading, lines) => format!("\n{heading}\n{}", lined("", lines)),
            Part::Details(heading, lines) => format!("{heading}:\n{}", lined("  ", lines)),
            Part::Heading(text) | Part::Note(text) => format!("\n{text}\n"),
        };
        self.0.iter().enumerate().map(part).collect()
    }

    /// For a comment on a pull request.
    pub(crate) fn markdown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Fact(text) => format!("{}\n\n", escaped(text)),
            Part::Sentence(text) | Part::Note(text) => format!("{}\n\n", escaped(text)),
            Part::Table(heading, rows) => {
                let numbers = rows.first().map_or(0, Vec::len).saturating_sub(2);
                format!("**{}**\n\n{}\n", escaped(heading), markdown_table(rows, numbers, false))
            }
            Part::Heading(text) => format!("### {}\n\n", escaped(text)),
            Part::Verdicts(rows) => format!("{}\n", markdown_table(rows, 0, true)),
            Part::Block(heading, lines) => format!("**{}**\n\n{}\n", escaped(heading), literal(lines)),
            Part::Details(heading, lines) => format!(
                "<details><summary>{}</summary>\n\n{}\n</details>\n\n",
                escaped(heading),
                literal(lines)
            ),
        };
        self.0.iter().map(part).collect::<String>().trim_end().to_owned() + "\n"
    }

    /// For a browser.
    pub(crate) fn page(&self, title: String) -> AnswerPage {
        let part = |part: &Part| match part {
            Part::Fact(text) | Part::Sentence(text) | Part::Note(text) => AnswerPart::Text(text.clone()),
            Part::Heading(text) => AnswerPart::Heading(text.clone()),
            Part::Table(heading, rows) => AnswerPart::Table(heading.clone(), rows.clone()),
            Part::Verdicts(rows) => AnswerPart::Table(String::new(), rows.clone()),
            Part::Block(heading, lines) => AnswerPart::Block(heading.clone(), lined("", lines)),
            Part::Details(heading, lines) => AnswerPart::Details(heading.clone(), lined("", lines)),
        };
        AnswerPage { title, parts: self.0.iter().map(part).collect() }
    }
}

fn lined(indent: &str, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// Lines of Markdown that are shown as they are: nothing in a line ends what is indented.
fn literal(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {}\n", line.replace(['\n', '\r'], " "))).collect()
}

/// A table whose first columns are numbers, so many; `stressed`: the first column stands out.
fn markdown_table(rows: &[Vec<String>], numbers: usize, stressed: bool) -> String {
    let [headings, rows @ ..] = rows else { return String::new() };
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &Vec<String>| {
        let cells: Vec<_> = cells.iter().map(|cell| escaped(cell.trim())).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    // Numbers end below each other.
    let sides = headings.iter().enumerate().map(|(at, _)| if at < numbers { "--:|" } else { "---|" });
    let below = format!("|{}\n", sides.collect::<String>());
    let rows = rows.iter().map(|row| match stressed {
        true => line(row).replacen("| ", "| **", 1).replacen(" |", "** |", 1),
        false => line(row),
    });
    line(headings) + &below + &rows.collect::<String>()
}

/// Text that neither ends a cell nor is markup: names of classes may be anything.
fn escaped(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [&str; 6]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
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
