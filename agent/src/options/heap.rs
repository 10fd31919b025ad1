//! Options of the heap summary, and the comma form in which HeapSummary had them (`dir=logs,sort=count`).

use mayfly_profile::HeapOrder;

use super::error::OptionError;
use super::settings::HeapOptions;
use super::value;

/// How the comma form is written, for messages.
const FORM: &str = "dir=DIR,sort=size|count,all,exit,oom";

/// Whether the text before the first `#` is meant as HeapSummary's options.
pub(super) fn is_comma_form(text: &str) -> bool {
    let first = text.split(',').next().unwrap_or_default();
    let name = first.split('=').next().unwrap_or_default().trim();
    let words = ["all", "exit", "oom"];
    words.contains(&first.trim()) || (first.contains('=') && ["dir", "sort"].contains(&name))
}

/// Reads HeapSummary's options: a summary on request, as with `#heapsummary`.
pub(super) fn parse(text: &str) -> Result<HeapOptions, OptionError> {
    let mut options = HeapOptions { on_request: true, ..HeapOptions::default() };
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let refused = |why: String| OptionError::Comma { item: item.to_owned(), why, form: FORM };
        match item.split_once('=').map_or((item, None), |(name, value)| (name.trim(), Some(value.trim()))) {
            ("dir", Some(dir)) if !dir.is_empty() => {
                options.dir = Some(value::template(dir).map_err(refused)?);
            }
            ("sort", Some(key)) => (options.sort, options.unknown_sort) = sort(key),
            ("all", None) => options.all = true,
            ("exit", None) => options.at_exit = true,
            ("oom", None) => options.at_oom = true,
            _ => return Err(refused("there is no such option of a heap summary".into())),
        }
    }
    Ok(options)
}

/// HeapSummary went on with its default after a key that it did not know, and said so.
fn sort(key: &str) -> (Option<HeapOrder>, Option<String>) {
    match order(key) {
        Ok(order) => (Some(order), None),
        Err(_) => (None, Some(key.to_owned())),
    }
}

/// A sort key.
pub(super) fn order(key: &str) -> Result<HeapOrder, value::Why> {
    match key.trim() {
        "size" => Ok(HeapOrder::Size),
        "count" => Ok(HeapOrder::Count),
        _ => Err(format!("{key:?} is neither size nor count")),
    }
}
