//! What the modules of a package import from each other, read from its sources.
//!
//! A node is a file, an arrow a path that leads from one file into another of the same package: in `use`, in an
//! expression, a type or a macro's tokens. What is compiled for tests only is left out. Not here: which arrows are
//! allowed (`main.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use regex::Regex;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, Macro, Meta, UseTree};

/// A module's path inside its package; empty for the root.
pub(crate) type Module = Vec<String>;

/// The files of one package and the arrows between them.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// Path of each file, from the package's source folder, by module.
    files: BTreeMap<Module, String>,
    /// (from, to), by module; with no arrow from a file to itself.
    arrows: BTreeSet<(Module, Module)>,
}

impl Package {
    /// Reads a package from its files, as (path from its source folder, text).
    ///
    /// # Panics
    /// If a file is no Rust.
    pub(crate) fn read(sources: &[(&str, &str)]) -> Self {
        let mut outlines: BTreeMap<Module, (String, Outline)> = BTreeMap::new();
        for (path, text) in sources {
            let module = module_of(path);
            let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
            let mut outline = Outline { here: module.clone(), ..Outline::default() };
            outline.visit_file(&file);
            outlines.insert(module, ((*path).to_owned(), outline));
        }
        let for_tests: BTreeSet<Module> =
            outlines.values().flat_map(|(_, outline)| outline.for_tests.iter().cloned()).collect();
        outlines.retain(|module, _| !(0..=module.len()).any(|end| for_tests.contains(&module[..end])));

        let files: BTreeMap<_, _> =
            outlines.iter().map(|(module, (path, _))| (module.clone(), path.clone())).collect();
        let mut arrows = BTreeSet::new();
        for (from, (_, outline)) in &outlines {
            let targets = outline.paths.iter().filter_map(|path| file_of(&files, path));
            arrows.extend(targets.filter(|to| to != from).map(|to| (from.clone(), to)));
        }
        Self { files, arrows }
    }

    /// Groups of files that import each other in a circle, each as its files' paths.
    pub(crate) fn circles(&self) -> Vec<Vec<&str>> {
        let graph: DiGraphMap<&str, ()> = self
            .arrows
            .iter()
            .map(|(from, to)| (self.files[from].as_str(), self.files[to].as_str()))
            .collect();
        let mut circles: Vec<_> = tarjan_scc(&graph).into_iter().filter(|group| group.len() > 1).collect();
        circles.iter_mut().for_each(|circle| circle.sort_unstable());
        circles.sort_unstable();
        circles
    }

    /// Arrows as (from, to), by the files' paths.
    pub(crate) fn arrows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.arrows.iter().map(|(from, to)| (self.files[from].as_str(), self.files[to].as_str()))
    }
}

fn module_of(path: &str) -> Module {
    let parts = path.trim_end_matches(".rs").split('/').map(str::to_owned);
    let mut module: Module = parts.collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || (module.len() == 1 && matches!(last, Some("lib" | "main"))) {
        module.pop();
    }
    module
}

/// The file in which a path ends: that of its longest beginning that is a module.
fn file_of(files: &BTreeMap<Module, String>, path: &[String]) -> Option<Module> {
    (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|module| files.contains_key(module))
}

/// What one file says of other modules.
#[derive(Debug, Default)]
struct Outline {
    /// The module that is being read: the file's, or one written out inside it.
    here: Module,
    /// Modules that this file declares.
    declared: BTreeSet<String>,
    /// Paths to modules and items of this package, from its root.
    paths: BTreeSet<Module>,
    /// Modules that only tests have.
    for_tests: BTreeSet<Module>,
}

impl Outline {
    fn note(&mut self, segments: &[String]) {
        let Some(first) = segments.first() else { return };
        let path = match first.as_str() {
            "crate" => segments[1..].to_vec(),
            "self" => [&self.here[..], &segments[1..]].concat(),
            "super" => {
                let ups = segments.iter().take_while(|segment| *segment == "super").count();
                let Some(kept) = self.here.len().checked_sub(ups) else { return };
                [&self.here[..kept], &segments[ups..]].concat()
            }
            child if self.declared.contains(child) => [&self.here[..], segments].concat(),
            _ => return,
        };
        self.paths.insert(path);
    }

    fn note_use(&mut self, before: &mut Module, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.note_use(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.note_use(before, tree)),
            UseTree::Name(name) => self.note_leaf(before, &name.ident.to_string()),
            UseTree::Rename(rename) => self.note_leaf(before, &rename.ident.to_string()),
            UseTree::Glob(_) => self.note(&before.clone()),
        }
    }

    fn note_leaf(&mut self, before: &[String], leaf: &str) {
        let mut segments = before.to_vec();
        if leaf != "self" || segments.is_empty() {
            segments.push(leaf.to_owned());
        }
        self.note(&segments);
    }
}

impl<'ast> Visit<'ast> for Outline {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.declared.extend(file.items.iter().filter_map(|item| match item {
            Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        }));
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let path = [&self.here[..], &[module.ident.to_string()]].concat();
        if is_for_tests(&module.attrs) {
            self.for_tests.insert(path);
        } else if module.content.is_some() {
            let outside = std::mem::replace(&mut self.here, path);
            visit::visit_item_mod(self, module);
            self.here = outside;
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note_use(&mut Vec::new(), &item.tree);
    }

    /// Names who may see an item, which imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single word names nothing in another file.
        if segments.len() > 1 {
            self.note(&segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        static PATH: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\b(?:crate|super|self)(?: :: \w+)+").expect("a valid pattern"));
        for found in PATH.find_iter(&call.tokens.to_string()) {
            self.note(&found.as_str().split(" :: ").map(str::to_owned).collect::<Vec<_>>());
        }
        visit::visit_macro(self, call);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(path) => path.is_ident("test"),
        Meta::NameValue(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(sources: &[(&str, &str)]) -> Vec<String> {
        Package::read(sources).arrows().map(|(from, to)| format!("{from} > {to}")).collect()
    }

    #[test]
    fn every_way_to_name_another_file_is_an_arrow() {
        for text in [
            "use crate::b::Thing;",
            "use crate::{b, c};",
            "use crate::b as other;",
            "use super::b::{self, Thing};",
            "pub(crate) use crate::b::*;",
            "fn f() { crate::b::g() }",
            "struct S(super::b::Thing);",
            "fn f() { println!(\"{}\", crate::b::NUMBER) }",
            "mod inside { use super::super::b::Thing; }",
            "impl crate::b::Trait for S {}",
        ] {
            let found =
                arrows(&[("lib.rs", "mod a; mod b; mod c;"), ("a.rs", text), ("b.rs", ""), ("c.rs", "")]);
            assert!(found.contains(&"a.rs > b.rs".to_owned()), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_path_ends_in_the_deepest_file_that_it_names() {
        let sources = [
            ("lib.rs", ""),
            ("a.rs", "use crate::b::c::Thing; use crate::b::Other;"),
            ("b/mod.rs", ""),
            ("b/c.rs", ""),
        ];
        assert_eq!(arrows(&sources), ["a.rs > b/mod.rs", "a.rs > b/c.rs"]);
    }

    #[test]
    fn what_is_declared_is_no_arrow_and_what_is_used_of_it_is_one() {
        let sources = [("lib.rs", "mod a; mod b; pub use a::Thing;"), ("a.rs", ""), ("b.rs", "")];
        assert_eq!(arrows(&sources), ["lib.rs > a.rs"]);
    }

    #[test]
    fn tests_and_other_packages_do_not_count() {
        let sources = [
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "use std::mem; #[cfg(test)] mod tests; #[cfg(test)] mod more { use crate::b::X; } #[test] fn f() { crate::b::g() }",
            ),
            ("a/tests.rs", "use crate::b::Thing;"),
            ("b.rs", "use serde::de; pub(in super::super) fn f() {}"),
        ];
        assert_eq!(arrows(&sources), [""; 0]);
    }

    #[test]
    fn circles_are_found_through_any_number_of_files() {
        let sources = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::X;"),
            ("b.rs", "use crate::c::X;"),
            ("c.rs", "use crate::a::X; use crate::d::X;"),
            ("d.rs", ""),
        ];
        assert_eq!(Package::read(&sources).circles(), [["a.rs", "b.rs", "c.rs"]]);
    }

    #[test]
    fn a_facade_that_its_own_folder_imports_through_is_a_circle() {
        let sources = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", ""),
            ("b.rs", "use crate::A;"),
            ("c.rs", ""),
        ];
        assert!(
            Package::read(&sources).circles().is_empty(),
            "b hangs on the root, and the root does not on b"
        );
        let both = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", ""),
            ("b.rs", "use crate::A;"),
        ];
        assert_eq!(Package::read(&both).circles(), [["b.rs", "lib.rs"]]);
    }
}
