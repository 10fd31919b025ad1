//! Reads the post-run text report back: InMemProfiler's grammar, whoever wrote it (log file or stderr).

mod parts;
mod read;

pub use parts::{Blamed, Bucket, ClassRow, Row, Site, TextReport};

impl TextReport {
    /// All reports in a text, in order; other lines are passed over.
    pub fn all(text: &str) -> Vec<Self> {
        let mut reader = read::Reader::default();
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::Count;

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

Allocated objects summary:
  32424:107

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

Lifetimes:
  allocated  live  collected  class
  100%:56:1 - not a row of any list
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
        assert_eq!((report.allocated.len(), report.live.len(), report.buckets_summary.len()), (2, 1, 2));
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
}
