//! A verdict as a page: what a text says, in parts, and no script.
//!
//! Not here: what is in it.

use std::io::{self, Write};

use askama::Template;

/// A page that shows an answer from above to below.
#[derive(Debug, Template)]
#[template(path = "answer_page.html")]
pub struct AnswerPage {
    /// What it is an answer to.
    pub title: String,
    /// In their order.
    pub parts: Vec<AnswerPart>,
}

/// A part of such a page. All texts are escaped.
#[derive(Debug)]
pub enum AnswerPart {
    /// A paragraph.
    Text(String),
    /// Of what all that follows is.
    Heading(String),
    /// Rows below a heading, which may be empty; the first has the headings of columns.
    Table(String, Vec<Vec<String>>),
    /// Text as it is, below a heading.
    Block(String, String),
    /// The same, folded away.
    Details(String, String),
}

impl AnswerPage {
    /// Writes it.
    ///
    /// # Errors
    /// Of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_into(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_each_part_and_what_is_in_it_is_no_markup() {
        let name = "a.<b>".to_owned();
        let parts = vec![
            AnswerPart::Heading(name.clone()),
            AnswerPart::Text(name.clone()),
            AnswerPart::Table(String::new(), vec![vec!["limit".to_owned()], vec![name.clone()]]),
            AnswerPart::Block(name.clone(), name.clone()),
            AnswerPart::Details(name.clone(), name.clone()),
        ];
        let mut page = Vec::new();
        AnswerPage { title: name, parts }.write(&mut page).expect("written");
        let page = String::from_utf8(page).expect("text");
        assert!(!page.contains("<b>"), "{page}");
        assert_eq!(page.matches("a.&#60;b&#62;").count(), 9, "{page}");
        for tag in ["<h2>", "<p>", "<th>limit</th>", "<td>", "<pre>", "<details>"] {
            assert!(page.contains(tag), "{tag}: {page}");
        }
    }
}
