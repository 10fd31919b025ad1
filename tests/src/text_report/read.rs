//! The reader's state machine: one line at a time, by headings and indentation.

use mayfly_profile::jvm_class;

use crate::expect::Count;
use crate::text_report::parts::{Blamed, Bucket, ClassRow, Row, Site, TextReport};

/// Which list the next class row belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    Allocated,
    Live,
    LiveSummary,
    Collected,
    BucketsSummary,
}

/// What stands below the current class row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Below {
    #[default]
    Nothing,
    Sites,
    /// With the indentation of its headline: rows deeper than that are methods.
    Blame(usize),
}

/// Reads line after line.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) reports: Vec<TextReport>,
    section: Section,
    below: Below,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str) {
        if let Some((_, reason)) = line.split_once("Reason for output: ") {
            self.reports.push(TextReport { reason: reason.trim().to_owned(), ..TextReport::default() });
            self.enter(Section::None);
        } else if !self.reports.is_empty() && !self.heading(line) {
            self.content(line);
        }
    }

    fn enter(&mut self, section: Section) {
        self.section = section;
        self.below = Below::Nothing;
    }

    fn heading(&mut self, line: &str) -> bool {
        match line.trim() {
            "Allocated objects:" => self.enter(Section::Allocated),
            "Live objects:" => self.enter(Section::Live),
            "Live objects summary:" => self.enter(Section::LiveSummary),
            "Collected objects:" => self.enter(Section::Collected),
            "Buckets summary:" => self.enter(Section::BucketsSummary),
            "Allocation Sites:" => self.below = Below::Sites,
            "Allocation Classes:" => self.below = Below::Blame(indent(line)),
            // Sections that are not read: sums of what is read, lifetimes, run, trust.
            section if !line.starts_with(' ') && section.ends_with(':') => self.enter(Section::None),
            "===" => self.enter(Section::None),
            heading if heading.starts_with("%:size:count") => {}
            other => return self.bucket_heading(other),
        }
        true
    }

    fn bucket_heading(&mut self, line: &str) -> bool {
        let range = line.strip_suffix(':').and_then(|line| range(line.trim()));
        let (Section::Collected, Some((from, to))) = (self.section, range) else { return false };
        self.report().buckets.push(Bucket { from, to, classes: Vec::new() });
        self.below = Below::Nothing;
        true
    }

    fn content(&mut self, line: &str) {
        match self.section {
            Section::None => {}
            Section::LiveSummary => {
                self.report().live_summary = size_and_count(line.trim()).or(self.report().live_summary)
            }
            Section::BucketsSummary => {
                if let Some((sum, of)) = line.trim().split_once(" - ")
                    && let (Some(sum), Some((from, to))) = (size_and_count(sum), range(of))
                {
                    self.report().buckets_summary.push((from, to, sum));
                }
            }
            Section::Allocated | Section::Live | Section::Collected => self.row(line),
        }
    }

    fn row(&mut self, line: &str) {
        let (numbers, name) = match line.trim().split_once(" - ") {
            Some((numbers, name)) => (numbers, Some(name)),
            None => (line.trim(), None),
        };
        match (row(numbers), name, self.below) {
            (Some(row), Some(name), Below::Blame(heading)) if indent(line) > heading => {
                self.charge(name, row)
            }
            (Some(row), Some(class), _) => self.class(class, row),
            (Some(row), None, Below::Sites) => self.last().sites.push(Site { row, stack: Vec::new() }),
            (None, None, Below::Sites) if !line.trim().is_empty() => {
                if let Some(site) = self.last().sites.last_mut() {
                    site.stack.push(line.trim().to_owned());
                }
            }
            (None, None, Below::Blame(_)) if !line.trim().is_empty() => {
                let class = line.trim().to_owned();
                self.last().blamed.push(Blamed { class, ..Blamed::default() });
            }
            _ => {}
        }
    }

    fn class(&mut self, class: &str, row: Row) {
        self.below = Below::Nothing;
        // Rows that rest on few samples say so: ` (1 sample)`.
        let class = class.split(" (").next().unwrap_or_default();
        let class = ClassRow { class: jvm_class(class).into_owned(), row, ..ClassRow::default() };
        if let Some(list) = self.list() {
            list.push(class);
        }
    }

    fn charge(&mut self, method: &str, row: Row) {
        let Some(blamed) = self.last().blamed.last_mut() else { return };
        if method == "All methods" {
            blamed.all = row;
        } else {
            blamed.methods.push((method.to_owned(), row));
        }
    }

    fn report(&mut self) -> &mut TextReport {
        self.reports.last_mut().expect("a line is read inside a report")
    }

    fn list(&mut self) -> Option<&mut Vec<ClassRow>> {
        match self.section {
            Section::Allocated => Some(&mut self.report().allocated),
            Section::Live => Some(&mut self.report().live),
            Section::Collected => self.report().buckets.last_mut().map(|bucket| &mut bucket.classes),
            _ => None,
        }
    }

    fn last(&mut self) -> &mut ClassRow {
        self.list().and_then(|list| list.last_mut()).expect("sites stand below a class row")
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `55%:24584:93` or `55%:24584:93:(1080)`.
fn row(text: &str) -> Option<Row> {
    let mut fields = text.split(':');
    let percent = fields.next()?.trim().strip_suffix('%')?.parse().ok()?;
    let bytes = fields.next()?.parse().ok()?;
    let objects = fields.next()?.parse().ok()?;
    let largest = match fields.next() {
        Some(largest) => Some(largest.strip_prefix('(')?.strip_suffix(')')?.parse().ok()?),
        None => None,
    };
    Some(Row { percent, bytes, objects, largest })
}

/// `568:11`.
fn size_and_count(text: &str) -> Option<Count> {
    let (bytes, objects) = text.split_once(':')?;
    Some(Count { bytes: bytes.parse().ok()?, objects: objects.parse().ok()? })
}

/// `5(s) - 15(s)`, `55(s) - inf(s)`.
fn range(text: &str) -> Option<(u64, Option<u64>)> {
    let (from, to) = text.split_once(" - ")?;
    let to = match to.strip_suffix("(s)")? {
        "inf" => None,
        to => Some(to.parse().ok()?),
    };
    Some((from.strip_suffix("(s)")?.parse().ok()?, to))
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_damaged_row_is_no_row() {
        assert_eq!(row("55%:24584"), None);
        assert_eq!(row("55:24584:93"), None);
        assert_eq!(row("55%:24584:93:1080"), None);
    }
}
