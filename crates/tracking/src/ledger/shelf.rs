//! Books by id: of a class that was never followed there is none, and a book does not move when another is added.

/// A book of each id that has one.
#[derive(Clone, Debug)]
pub(super) struct Shelf<T>(Vec<Option<Box<T>>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Shelf<T> {
    /// The book of an id, an empty one if there was none.
    pub(super) fn book(&mut self, id: u32) -> &mut T {
        let at = id as usize;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].get_or_insert_default()
    }

    /// That of a row, if there is one.
    pub(super) fn get(&self, row: usize) -> Option<&T> {
        self.0.get(row)?.as_deref()
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, row: usize) -> Option<&mut T> {
        self.0.get_mut(row)?.as_deref_mut()
    }

    /// Those of the first rows, each with its row.
    pub(super) fn first(&mut self, rows: usize) -> impl Iterator<Item = (usize, &mut T)> {
        let books = self.0.iter_mut().take(rows).enumerate();
        books.filter_map(|(row, book)| Some((row, book.as_deref_mut()?)))
    }

    /// All, each with its row.
    pub(super) fn all(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        self.first(usize::MAX)
    }

    /// Takes all out.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.0.drain(..).flatten().map(|book| *book)
    }

    /// Throws all away.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
