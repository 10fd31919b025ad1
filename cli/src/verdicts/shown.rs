//! A verdict in the form that is wanted, the same way for each command.

use std::path::Path;

use super::document::Document;
use crate::error::Error;
use crate::output;
use crate::report::Format;
use crate::report::screen::columns;

/// Writes it to the file, or to standard output. `title`: of its page.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn show(
    document: &Document,
    json: impl FnOnce() -> String,
    title: &str,
    format: Format,
    file: Option<&Path>,
) -> Result<(), Error> {
    match format {
        Format::Json => output::json(&json(), file),
        Format::Markdown => output::text(&document.markdown(), file),
        Format::Of(_) => output::page(|out| document.page(title.to_owned()).write(out), file),
        _ => output::text(&document.text(columns()), file),
    }
}
