//! The columns of a heap summary to the byte, their way back, and the table for people.

use mayfly_profile::{HeapOrder, HeapSummary, Total};
use mayfly_report::{HeapTextError, class_in_columns, heap_columns, parse_heap_columns};
use proptest::collection::vec;
use proptest::prelude::*;

fn summary() -> HeapSummary {
    let rows = [
        ("java.util.HashMap$Node", 24_938, 798_016),
        ("[C", 135_484, 9_361_944),
        ("[[Ljava.lang.Object;", 1, 24),
        ("[[I", 3, 1_000_000_000_000),
        ("Gap$$Lambda/0x0000700001", 1, 16),
    ];
    rows.into_iter().map(|(class, objects, bytes)| (class, Total { objects, bytes })).collect()
}

/// HeapSummary's lines: bytes and objects 20 wide, one space, the class; the total first, no heading.
#[test]
fn columns_are_exact() {
    insta::assert_snapshot!(heap_columns(&summary(), HeapOrder::Size), @r"
           1000010160000              160427 TOTAL
           1000000000000                   3 [[int
                 9361944              135484 [char
                  798016               24938 java.util.HashMap$Node
                      24                   1 [[java.lang.Object
                      16                   1 Gap$$Lambda/0x0000700001
    ");
    let text = heap_columns(&summary(), HeapOrder::Count);
    for line in text.lines() {
        assert_eq!((&line[..40], &line[40..41]), (format!("{:>40}", line[..40].trim_start()).as_str(), " "));
        assert!(line.as_bytes()[19].is_ascii_digit() && line.as_bytes()[39].is_ascii_digit(), "{line:?}");
    }
    assert_eq!(text.lines().nth(1).map(|line| &line[41..]), Some("[char"));
}

/// HeapSummary's names: one `[` per dimension, primitives by their Java names, no `L` and `;`.
#[test]
fn names_are_spelled_as_heap_summary_does() {
    let cases = [
        ("java.lang.String", "java.lang.String"),
        ("[Z", "[boolean"),
        ("[B", "[byte"),
        ("[C", "[char"),
        ("[S", "[short"),
        ("[I", "[int"),
        ("[J", "[long"),
        ("[F", "[float"),
        ("[D", "[double"),
        ("[[[D", "[[[double"),
        ("[Ljava.util.HashMap$Node;", "[java.util.HashMap$Node"),
        ("[[Ljava.lang.String;", "[[java.lang.String"),
        ("[LI;", "[I"),
    ];
    cases.iter().for_each(|(class, spelled)| assert_eq!(class_in_columns(class), *spelled));
}

#[test]
fn what_is_no_summary_is_refused_with_its_place() {
    let text = heap_columns(&summary(), HeapOrder::Size);
    assert_eq!(parse_heap_columns(&text), Ok(summary()));
    assert_eq!(parse_heap_columns(""), Err(HeapTextError::NoTotal));
    assert_eq!(parse_heap_columns("1 1 java.lang.String\n"), Err(HeapTextError::NoTotal));
    assert_eq!(parse_heap_columns("#!/bin/sh\n"), Err(HeapTextError::Line { line: 1, offset: 0 }));
    let damaged = text.replacen("24938 ", "24938x ", 1);
    assert_eq!(parse_heap_columns(&damaged), Err(HeapTextError::Line { line: 4, offset: 3 * 47 }));
    let cut = &text[..text.find("java.util").expect("a row") - 41];
    assert!(matches!(parse_heap_columns(cut), Err(HeapTextError::Incomplete { .. })));
    // The sample of 2006 has its white space collapsed.
    assert_eq!(parse_heap_columns("32 2 TOTAL\n24 1 [char\n8 1 A\n").map(|read| read.of("[C").bytes), Ok(24));
}

proptest! {
    #[test]
    fn columns_read_back_as_they_were(rows in vec((name(), 1u64..1 << 60, 1u64..1 << 60), 0..8)) {
        let summary: HeapSummary =
            rows.iter().map(|(class, objects, bytes)| (class.as_str(), Total { objects: *objects, bytes: *bytes })).collect();
        for order in [HeapOrder::Size, HeapOrder::Count] {
            prop_assert_eq!(parse_heap_columns(&heap_columns(&summary, order)), Ok(summary.clone()));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}|([0-9 ]{1,30}[a-zA-Z\\[\n]{0,5}){0,5}") {
        let _ = parse_heap_columns(&text);
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,3}(\\.[A-Z][a-z]{1,3}){1,3}", "\\[{1,3}[ZBCSIJFD]", "\\[{1,3}L[a-z]{1,3}\\.[A-Z];"]
}
