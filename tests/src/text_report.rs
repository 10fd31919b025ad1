//! Reads the post-run text report back: InMemProfiler's grammar, whoever wrote it (log file or stderr).

use std::collections::BTreeMap;

use crate::expect::{Count, Counts};

/// A line `%:size:count[:(largest)]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Per cent of what it is part of.
    pub percent: u64,
    /// Bytes.
    pub bytes: u64,
    /// Objects.
    pub objects: u64,
    /// Bytes of the largest object, where told.
    pub largest: Option<u64>,
}

/// A class row and what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRow {
    /// As `Class.getName()` gives it.
    pub class: String,
    /// Its numbers.
    pub row: Row,
    /// Allocation sites.
    pub sites: Vec<Site>,
    /// Allocation classes.
    pub blamed: Vec<Blamed>,
}

/// An allocation site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Its numbers.
    pub row: Row,
    /// Innermost frame first.
    pub stack: Vec<String>,
}

/// A class charged with allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blamed {
    /// The class charged.
    pub class: String,
    /// The row `All methods`.
    pub all: Row,
    /// Its methods.
    pub methods: Vec<(String, Row)>,
}

/// What died within a range of lifetimes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Seconds.
    pub from: u64,
    /// Seconds; `None`: infinite.
    pub to: Option<u64>,
    /// What died.
    pub classes: Vec<ClassRow>,
}

/// One report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextReport {
    /// `JVM Shutdown`, `Periodic output` or `API request`.
    pub reason: String,
    /// Allocated objects.
    pub allocated: Vec<ClassRow>,
    /// Live objects.
    pub live: Vec<ClassRow>,
    /// Sum of the live ones.
    pub live_summary: Option<Count>,
    /// Collected objects.
    pub buckets: Vec<Bucket>,
    /// Sums of the collected ones: from, to, sum.
    pub buckets_summary: Vec<(u64, Option<u64>, Count)>,
}

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

#[derive(Debug, Default)]
struct Reader {
    reports: Vec<TextReport>,
    section: Section,
    below: Below,
}

impl TextReport {
    /// All reports in a text, in order; other lines are passed over.
    pub fn all(text: &str) -> Vec<Self> {
        let mut reader = Reader::default();
        for line in text.lines() {
            reader.line(line);
        }
        reader.reports
    }

    /// The last one, made at exit.
    ///
    /// # Panics
    /// If there is none, or another came last.
    #[track_caller]
    pub fn at_exit(text: &str) -> Self {
        let last = Self::all(text).pop().unwrap_or_else(|| panic!("no report in:\n{text}"));
        assert_eq!(last.reason, "JVM Shutdown", "reason of the last report");
        last
    }

    /// The rows of `Allocated objects`, per class.
    pub fn allocated_counts(&self) -> Counts {
        counts(&self.allocated)
    }

    /// The rows of `Live objects`, per class.
    pub fn live_counts(&self) -> Counts {
        counts(&self.live)
    }

    /// Dead objects of a class per bucket: from, to, objects. Empty buckets left out.
    pub fn buckets_of(&self, class: &str) -> Vec<(u64, Option<u64>, u64)> {
        let dead = |bucket: &Bucket| counts(&bucket.classes).get(class).map(|count| count.objects);
        self.buckets.iter().filter_map(|bucket| Some((bucket.from, bucket.to, dead(bucket)?))).collect()
    }

    /// Every row of a class, live and dead of all buckets, merged by what it charges: class to objects.
    pub fn blamed(&self, class: &str) -> BTreeMap<String, u64> {
        let mut blamed = BTreeMap::new();
        let lists = self.buckets.iter().map(|bucket| &bucket.classes).chain([&self.live, &self.allocated]);
        for row in lists.flatten().filter(|row| row.class == class) {
            for charge in &row.blamed {
                *blamed.entry(charge.class.clone()).or_default() += charge.all.objects;
            }
        }
        blamed
    }
}

fn counts(rows: &[ClassRow]) -> Counts {
    rows.iter().map(|r| (r.class.clone(), Count { objects: r.row.objects, bytes: r.row.bytes })).collect()
}

impl Reader {
    fn line(&mut self, line: &str) {
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
        let class = ClassRow { class: class.to_owned(), row, ..ClassRow::default() };
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
    use super::*;

    /// Put together from the lines that the original program printed, in its layout.
    const REPORT: &str = "===
Sat Nov 21 10:00:00 UTC 2026:
Reason for output: JVM Shutdown
Allocated objects:
  %:size:count:(largest)
   55%:24584:93:(1080) - [B
    Allocation Sites:

      100%:1600:100
        org.server.Server$Request.getNextRequest(Server.java:29)
        org.server.Server$ServerThread.run(Server.java:19)

    Allocation Classes:
    %:size:count
      java.lang.Thread
        92%:60816:782 - All methods
          100%:60760:780 - run
            0%:56:2 - <init>
   17%:7840:14:(1040) - [Ljava.lang.Object;

Live objects:
  %:size:count:(largest)
  100%:56:1 - [Ljava.lang.Object;

Live objects summary:
  56:1

Collected objects:
  0(s) - 5(s) :
    %:size:count:(largest)
     76%:432:6:(104) - [Ljava.lang.Object;
  5(s) - inf(s) :
    %:size:count:(largest)

  Buckets summary:
    568:11 - 0(s) - 5(s)
    240:12 - 5(s) - inf(s)
";

    fn numbers(percent: u64, bytes: u64, objects: u64) -> Row {
        Row { percent, bytes, objects, largest: None }
    }

    #[test]
    fn every_part_is_read() {
        let report = TextReport::at_exit(REPORT);
        let bytes = &report.allocated[0];
        assert_eq!((bytes.class.as_str(), bytes.row.largest), ("[B", Some(1080)));
        assert_eq!(bytes.sites[0].row, numbers(100, 1600, 100));
        assert_eq!(bytes.sites[0].stack.len(), 2);
        assert_eq!(bytes.blamed[0].class, "java.lang.Thread");
        assert_eq!(bytes.blamed[0].all, numbers(92, 60816, 782));
        assert_eq!(bytes.blamed[0].methods[1], ("<init>".to_owned(), numbers(0, 56, 2)));
        assert_eq!(report.allocated[1].class, "[Ljava.lang.Object;");
        assert_eq!(report.live_counts()["[Ljava.lang.Object;"], Count { objects: 1, bytes: 56 });
        assert_eq!(report.live_summary, Some(Count { objects: 1, bytes: 56 }));
        assert_eq!(report.buckets_of("[Ljava.lang.Object;"), [(0, Some(5), 6)]);
        assert_eq!(report.buckets_summary[1], (5, None, Count { objects: 12, bytes: 240 }));
    }

    #[test]
    fn each_report_of_a_log_is_told_apart() {
        let twice = REPORT.replace("JVM Shutdown", "API request") + REPORT;
        let reasons: Vec<_> = TextReport::all(&twice).into_iter().map(|report| report.reason).collect();
        assert_eq!(reasons, ["API request", "JVM Shutdown"]);
    }

    #[test]
    #[should_panic(expected = "no report")]
    fn a_text_without_a_report_fails() {
        TextReport::at_exit("[B was allocated\n");
    }

    #[test]
    fn a_damaged_row_is_no_row() {
        assert_eq!(row("55%:24584"), None);
        assert_eq!(row("55:24584:93"), None);
        assert_eq!(row("55%:24584:93:1080"), None);
    }
}
