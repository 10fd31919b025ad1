//! What is true of the programs of the leak bench: the table beside them.
//!
//! Not here: what was said of them (`leak_verdict`).

use std::fmt;

const TABLE: &str = include_str!("../../fixtures/leakbench/truth.txt");

/// A program that leaks, or looks so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its class in the package `leakbench`.
    pub(crate) name: String,
    /// `None` of one that does not.
    pub(crate) leak: Option<Leak>,
    /// The oldest Java that runs it.
    pub(crate) java: u32,
}

/// What leaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leak {
    /// In a second, once it leaks.
    pub(crate) kib_per_s: u64,
    /// When it begins.
    pub(crate) from_s: u64,
    /// Classes and methods, each of which names it.
    pub(crate) names: Vec<String>,
    /// Class and field, which name it together.
    pub(crate) holders: Vec<(String, String)>,
}

impl Leak {
    /// Does a text name it?
    pub(crate) fn is_named_by(&self, text: &str) -> bool {
        let holds = |(class, field): &(String, String)| text.contains(class) && text.contains(field);
        self.names.iter().any(|name| text.contains(name)) || self.holders.iter().any(holds)
    }
}

/// A line of the table that is none.
#[derive(Debug, thiserror::Error)]
#[error("truth.txt: {0:?} is no line of seven or eight columns")]
pub(crate) struct BadLine(String);

/// No such program.
#[derive(Debug, thiserror::Error)]
#[error("no program {0}; there are {1}")]
pub(crate) struct NoProgram(String, String);

/// All programs, in the table's order.
pub(crate) fn programs() -> Result<Vec<Program>, BadLine> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| program(line).ok_or_else(|| BadLine(line.to_owned()))).collect()
}

/// Those of these names; all, if there are none.
pub(crate) fn chosen(all: &[Program], names: &[String]) -> Result<Vec<Program>, NoProgram> {
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    let known = || all.iter().map(|program| program.name.as_str()).collect::<Vec<_>>().join(", ");
    let find = |name: &String| all.iter().find(|program| program.name == *name).cloned();
    names.iter().map(|name| find(name).ok_or_else(|| NoProgram(name.clone(), known()))).collect()
}

fn program(line: &str) -> Option<Program> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let &[name, truth, rate, from, java, element, holder, allocated_by] = columns.as_slice() else {
        return None;
    };
    let list = |column: &str| -> Vec<String> {
        column.split(',').filter(|name| *name != "-").map(str::to_owned).collect()
    };
    let holder_of =
        |name: &str| name.rsplit_once('.').map(|(class, field)| (class.to_owned(), field.to_owned()));
    let leak = match truth {
        "leak" => Some(Leak {
            kib_per_s: rate.parse().ok()?,
            from_s: from.parse().ok()?,
            names: [list(element), list(allocated_by)].concat(),
            holders: holder.split(',').filter_map(holder_of).collect(),
        }),
        "clean" => None,
        _ => return None,
    };
    Some(Program { name: name.to_owned(), leak, java: java.parse().ok()? })
}

impl fmt::Display for Program {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.leak {
            Some(leak) if leak.from_s > 0 => {
                write!(to, "{} ({} KiB/s from {} s)", self.name, leak.kib_per_s, leak.from_s)
            }
            Some(leak) => write!(to, "{} ({} KiB/s)", self.name, leak.kib_per_s),
            None => to.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn source(name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/leakbench");
        fs::read_to_string(folder.join(format!("{name}.java"))).expect("a program of the table is there")
    }

    /// The last part of `leakbench.A$B.c`, or of `leakbench.A$B`.
    fn last(name: &str) -> &str {
        name.rsplit(['.', '$']).next().expect("something")
    }

    #[test]
    fn the_table_holds_as_many_leaks_and_others_as_it_should() {
        let programs = programs().expect("each line is one");
        let leaks = programs.iter().filter(|program| program.leak.is_some()).count();
        assert!(leaks >= 14 && programs.len() - leaks >= 12, "{leaks} of {}", programs.len());
    }

    #[test]
    fn what_the_table_names_is_in_the_programs() {
        for program in programs().expect("each line is one") {
            let text = source(&program.name);
            let says = if program.leak.is_some() { "/** Leaks" } else { "/** No leak" };
            assert!(text.contains(says), "{}", program.name);
            let Some(leak) = program.leak else { continue };
            assert!(!leak.names.is_empty() && leak.kib_per_s > 0, "{}", program.name);
            let own = leak.names.iter().filter(|name| name.starts_with("leakbench."));
            for name in own.map(|name| last(name)).filter(|name| *name != "<init>") {
                assert!(text.contains(name), "{}: {name}", program.name);
            }
            for (class, field) in leak.holders {
                assert!(text.contains(last(&class)) && text.contains(&field), "{class}.{field}");
            }
        }
    }

    #[test]
    fn each_program_in_the_folder_is_in_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/leakbench");
        let known = programs().expect("each line is one");
        for file in fs::read_dir(folder).expect("the folder").flatten() {
            let text = fs::read_to_string(file.path()).expect("a file");
            let name = file.path().file_stem().expect("a name").to_string_lossy().into_owned();
            let is_program = text.contains(&format!("final class {name} extends Program"));
            assert_eq!(is_program, known.iter().any(|program| program.name == name), "{name}");
        }
    }

    #[test]
    fn a_leak_is_named_by_its_class_its_method_or_its_holder() {
        let line = "A leak 5 0 11 p.A$E p.A$H.field p.A.make";
        let leak = program(line).expect("a line").leak.expect("a leak");
        assert!(leak.is_named_by("p.A$E leaks") && leak.is_named_by("by p.A.make:5"));
        assert!(leak.is_named_by("p.A$H@123-field->[0]"));
        assert!(!leak.is_named_by("p.A$H leaks") && !leak.is_named_by("a field of p.B"));
        assert!(program("A leak 5 0").is_none() && program("A maybe 5 0 11 a b c").is_none());
    }

    #[test]
    fn programs_are_chosen_by_name() {
        let all = programs().expect("each line is one");
        assert_eq!(chosen(&all, &[]).expect("all").len(), all.len());
        assert_eq!(chosen(&all, &["Lru".into()]).expect("there")[0].name, "Lru");
        assert!(chosen(&all, &["Nobody".into()]).expect_err("none").to_string().contains("Lru"));
    }
}
