//! How many classes were loaded between two dumps: a program that starts loads many, and all that it holds becomes more.
//!
//! Not here: what follows from it.

use rustc_hash::FxHashMap;

use crate::graph::Graph;

/// The classes of a dump, counted by loader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedClasses {
    /// By the loader's id; `None` is the boot loader.
    by_loader: FxHashMap<Option<u64>, u64>,
}

impl LoadedClasses {
    /// Of a dump in which each object has the same id as in the others. Hidden classes do not count: they are made, not loaded.
    pub fn of(graph: &Graph) -> Self {
        let mut by_loader = FxHashMap::default();
        let named =
            graph.classes().filter(|(_, class)| !class.name.starts_with('[') && !is_hidden(&class.name));
        for (_, class) in named {
            *by_loader.entry(class.loader.map(|loader| graph.id(loader))).or_insert(0) += 1;
        }
        Self { by_loader }
    }

    /// All of them.
    pub fn count(&self) -> u64 {
        self.by_loader.values().sum()
    }

    /// How many more the loaders have that were there before. What a new loader loads may be a leak of loaders.
    pub fn since(&self, before: &Self) -> u64 {
        let more = self.by_loader.iter().filter_map(|(loader, count)| {
            before.by_loader.get(loader).map(|before| count.saturating_sub(*before))
        });
        more.sum()
    }
}

/// Whether the JVM made a class of bytes without a name of its own: a lambda, a proxy of a method handle.
fn is_hidden(name: &str) -> bool {
    name.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;

    fn classes(text: &str) -> LoadedClasses {
        LoadedClasses::of(&heap(text))
    }

    #[test]
    fn what_loaders_load_counts_and_what_comes_with_a_new_loader_does_not() {
        let loader = "root jni -> 7:a.Loader[8]\nclass a.A loader 7\nclass java.lang.String\n";
        let before = classes(loader);
        let after = classes(&format!(
            "{loader}root jni -> 8:a.Loader[8]\nclass a.B loader 7\nclass a.C loader 8\nclass a.D loader 8\nclass a.L$$Lambda/0x1 loader 7\nclass java.lang.Long\n"
        ));
        assert_eq!(after.since(&before), 2, "a.B and java.lang.Long: {after:?}");
        assert_eq!(after.count(), before.count() + 4, "{before:?} {after:?}");
        assert_eq!(before.since(&after), 0);
    }
}
