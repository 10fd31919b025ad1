//! Profiles as text: the report on one screen ([`overview`]) and in full ([`post_run`]), the live console histogram
//! ([`live`]), heap summaries ([`heap_columns`]).
//!
//! Pure: a profile in, a `String` out. No terminal control, no colours, no clock, no files; other formats (JSON, HTML) are
//! the CLI's. Sizes for people are in binary units (1 KiB = 1024 bytes), as the JVM's own options are; large numbers of
//! objects use k, M and G for powers of 1000. Sizes in the rows of the full report are plain bytes.

mod bars;
mod census;
mod coverage;
mod doubts;
mod followed;
mod gc_work;
mod groups;
mod heap_summary;
mod lifetimes;
mod live;
mod measured;
mod median;
mod names;
mod off_heap;
mod operations;
mod over_time;
mod overview;
mod part;
mod post_run;
mod process;
mod readings;
mod rows;
mod scopes;
mod sections;
mod sources;
mod table;
mod text;
mod traces;
mod trust;
mod units;
mod unseen;
mod ways;

pub use bars::bar;
pub use coverage::{BLANK, coverage};
pub use doubts::doubts;
pub use followed::{followed_text, gcs, tracking_text};
pub use gc_work::{gc_lines, pause, percent};
pub use groups::{group_errors, groups};
pub use heap_summary::{HeapTextError, class_in_columns, heap_columns, parse_heap_columns};
pub use lifetimes::{LIFE_HEADING, life_label};
pub use live::{LiveOptions, live};
pub use mayfly_profile::readable_class;
pub use measured::{measured, number};
pub use median::Median;
pub use names::{class_text, place_text, text_of_classes};
pub use off_heap::{HoldersTable, MUCH_OFF_HEAP, growing_off_heap, holders, off_heap_lines};
pub use over_time::{left_by, pauses_known};
pub use overview::{
    COLUMNS, Finding, GrowerWords, LINES, MOST_COLUMNS, Summary, growing_line, growth_sureness, holder_of,
    old_age, overview, sign_of, surely_of,
};
pub use part::part_lines;
pub use post_run::{Occasion, post_run};
pub use readings::reading_lines;
pub use rows::stack_line;
pub use sources::sources_line;
pub use table::{left_aligned, right_aligned};
pub use text::{ascii, harmless, harmless_json, pad, pad_left, printable, shorten, width};
pub use traces::{TRACE_COLUMNS, trace_cells, trace_notes, traces};
pub use trust::{short_trust_line, trust_block, trust_line};
pub use units::{bytes as size, clock, count, duration, grouped, rough_duration, whole_seconds};
pub use units::{plus_minus, whole_percent};
pub use unseen::{OF_ADDED_OBJECTS, heap_rises, leak_below};
pub use ways::ways;
