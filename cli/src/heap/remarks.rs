//! What is said of a dump before its numbers: on stderr, a line each.
//!
//! Not here: finding it (`mayfly-heap`).

use std::path::Path;

use mayfly_heap::hprof::Remarks;

use crate::heap::columns::counted;

/// Prints what the file does not hold in full; nothing if it holds all.
pub(crate) fn print(file: &Path, remarks: &Remarks) {
    for line in lines(remarks) {
        eprintln!("mayfly: {}: {line}", file.display());
    }
}

/// Prints that the stacks of virtual threads are not in a dump of this name.
pub(crate) fn print_virtual_threads(name: &str, pid: Option<u32>) {
    eprintln!("mayfly: {}", virtual_threads(name, pid));
}

fn virtual_threads(name: &str, pid: Option<u32>) -> String {
    let pid = pid.map_or_else(|| "PID".to_owned(), |pid| pid.to_string());
    format!(
        "{name}: the JVM wrote no stack of a virtual thread into its dump, so what only they hold looks unreachable; `mayfly heap dump {pid} \
         FILE --walk` has them"
    )
}

fn lines(remarks: &Remarks) -> Vec<String> {
    let unknown = remarks.unknown.iter().map(|&(tag, records)| {
        let records = counted(records, "record");
        format!("{records} of a kind that this Mayfly does not know ({tag:#04x}) passed over")
    });
    let cut_off = (remarks.cut_off > 0).then(|| {
        let arrays = counted(remarks.cut_off, "array");
        format!(
            "{arrays} cut off at 4 GiB, the most that an hprof file can hold of one, so sizes are too small; `mayfly heap PID` and \
             `mayfly heap dump PID FILE --walk` tell them whole"
        )
    });
    unknown.chain(cut_off).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_a_file_that_holds_all() {
        assert!(lines(&Remarks::default()).is_empty());
        let told = lines(&Remarks { unknown: vec![(0x77, 2)], cut_off: 1 });
        assert_eq!(told[0], "2 records of a kind that this Mayfly does not know (0x77) passed over");
        assert!(told[1].starts_with("1 array cut off at 4 GiB"), "{}", told[1]);
    }

    /// "/proc/self/fd/4/mayfly-1457.heap: … (JDK 21 and 22 write none)" of a JVM of release 25.
    #[test]
    fn the_dump_without_virtual_threads_is_named_as_the_user_named_it() {
        let text = virtual_threads("JVM 1457", Some(1457));
        assert!(text.starts_with("JVM 1457: the JVM wrote no stack of a virtual thread"), "{text}");
        assert!(text.contains("`mayfly heap dump 1457 FILE --walk`"), "{text}");
        assert!(virtual_threads("app.hprof", None).contains("`mayfly heap dump PID FILE --walk`"));
    }
}
