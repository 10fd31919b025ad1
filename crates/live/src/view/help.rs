//! The keys, and what the numbers mean.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::put::Put;

const LINES: [&str; 22] = [
    "↑ ↓ PgUp PgDn Home End  choose a row        Tab  classes, or sites",
    "Enter  into it: a class, its sites, a stack Esc  back; clears the filter",
    "s      sort by the next column              r    in reverse order",
    "/      filter classes, or frames of stacks  c    clock: time, bytes, collections",
    "Space  pause the view; profiling goes on    z    charts: whole run, last steps",
    "m      mark: tables show the change since   w    write a recording of it so far",
    "p      what holds this class? Asks first: it stops the program to walk its heap",
    "q      quit; the program goes on",
    "",
    "alloc/s    bytes counted per second: since the last step or the mark, or in all",
    "           of a run that is over",
    "live       tracked objects that were there after the last collection",
    "median     half of the objects live so long; > more than half still live;",
    "           <= half died before a collection looked, nobody knows when;",
    "           of a site: the lifetime bucket in which half are gone",
    "1st GC     share of the dead that died at the first collection they saw",
    "byte-s     bytes times seconds held so far; of a site: by the dead only",
    "died/s     bytes found dead, over ten steps; deaths are found at collections",
    "live (GC)  in use after the last collection; <=: a young one, old garbage is in it",
    "GCs        collections: a mark for one, a number for several, + from ten on",
    "Numbers of a sample are estimates; reports make those of sites add up to their",
    "class, here they are as sampled.",
];

pub(super) fn draw(put: &mut Put<'_>, area: Rect) {
    for (row, line) in LINES.iter().enumerate() {
        let line = put.look.cut(line, area.width.into());
        put.line(area, row as u16, &line, Style::new());
    }
}
