//! Lines and cells put into the grid, cut off where their area ends.

use mayfly_report::{pad, pad_left, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::look::Look;

/// Columns of a number in a table, with the two before it.
pub(super) const NUMBER: usize = 10;

/// The grid, and what may be put into it.
pub(super) struct Put<'b> {
    pub(super) buffer: &'b mut Buffer,
    pub(super) look: &'b Look,
}

impl Put<'_> {
    /// A line of ours, in row `row` of an area.
    pub(super) fn line(&mut self, area: Rect, row: u16, text: &str, style: Style) {
        self.at(area, 0, row, text, style);
    }

    /// The same from a column on.
    pub(super) fn at(&mut self, area: Rect, column: u16, row: u16, text: &str, style: Style) {
        if row < area.height && column < area.width {
            let text = self.look.text(text);
            let room = usize::from(area.width - column);
            self.buffer.set_stringn(area.x + column, area.y + row, text, room, style);
        }
    }

    /// A line over the whole width of an area.
    pub(super) fn full(&mut self, area: Rect, row: u16, text: &str, style: Style) {
        self.line(area, row, &pad(&self.look.text(text), area.width.into()), style);
    }

    /// A line with a text at its left, shortened as need be, and one at its right.
    pub(super) fn between(&mut self, area: Rect, row: u16, (left, right): (&str, &str), style: Style) {
        let right = self.look.text(right).into_owned();
        let room = usize::from(area.width).saturating_sub(width(&right));
        let left = self.look.short(left, room);
        self.full(area, row, &format!("{}{right}", pad(&left, room)), style);
    }

    /// A title, and lines of somebody's text.
    pub(super) fn text(&mut self, area: Rect, title: &str, lines: &[String], top: usize) {
        self.line(area, 0, title, self.look.heading());
        for (row, line) in lines.iter().skip(top).take(usize::from(area.height).saturating_sub(2)).enumerate()
        {
            self.line(area, row as u16 + 2, line, Style::new());
        }
    }

    pub(super) fn widget(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area.intersection(self.buffer.area), self.buffer);
    }
}

/// Numbers in columns.
pub(super) fn numbers<T: AsRef<str>>(cells: &[T]) -> String {
    cells.iter().map(|cell| pad_left(cell.as_ref(), NUMBER)).collect()
}
