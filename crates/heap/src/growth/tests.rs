//! Two dumps of heaps that grew in known places.

use super::*;
use crate::dominators::Dominators;
use crate::edge::Strength;
use crate::fake::heap;
use crate::filter::Filter;
use crate::graph::Graph;

/// A cache of so many entries, a list of so many nodes, and something that does not change.
fn program(entries: u64, nodes: u64) -> Graph {
    let mut text = String::from(
        "root static my.App.cache -> 1:my.Cache[16] -map-> 2:java.util.HashMap[48] -table-> 3:java.util.HashMap$Node[][64]
         root static my.App.first -> 100000:my.Link[24]
         root jni -> 4:my.Fixed[1000]\n",
    );
    for entry in 0..entries {
        let (node, value) = (0x1000 + entry, 0x2000 + entry);
        text +=
            &format!("3 -[{entry}]-> {node:x}:java.util.HashMap$Node[32] -value-> {value:x}:my.Value[100]\n");
    }
    for node in 0..nodes {
        text += &format!(
            "{:x} -next-> {:x}:my.Link[24] -data-> {:x}:my.Data[10]\n",
            0x100000 + node,
            0x100001 + node,
            0x200000 + node
        );
        text += &format!("{:x} -owner-> {:x}\n", 0x200000 + node, 0x100001 + node);
    }
    heap(&text)
}

fn paths(before: &Graph, after: &Graph) -> Vec<(String, i64, u64)> {
    let [one, other] =
        [before, after].map(|graph| Dominators::new(graph, &Filter::new(graph, Strength::Soft)));
    let rows = by_path((before, &one), (after, &other));
    rows.iter().map(|row| (row.path.join(" > "), row.bytes(), row.after.objects)).collect()
}

#[test]
fn growth_is_found_below_what_holds_it() {
    let (before, after) = (program(10, 5), program(30, 100));
    let list = "class my.App > first: my.Link > my.Link".to_owned();
    let values = "class my.App > cache: my.Cache > java.util.HashMap > [Ljava.util.HashMap$Node; > \
                  java.util.HashMap$Node > my.Value"
        .to_owned();
    assert_eq!(paths(&before, &after), [(list, 95 * 34, 200), (values.clone(), 20 * 100, 30)]);
    assert_eq!(
        paths(&before, &program(200, 6)),
        [(values, 190 * 100, 200)],
        "a link more is not worth a row"
    );
    assert_eq!(paths(&before, &before), []);
    assert_eq!(paths(&after, &before), [], "what shrank did not grow");
}

/// A list that grows by so many in each dump, a cache that is full in the end, a batch that comes and goes, and soft references.
fn outline(list: u64, cache: u64, batch: u64, soft: u64) -> Outline {
    let mut text = String::from(
        "root static my.App.list -> 1:java.util.ArrayList[24] -elementData-> 2:java.lang.Object[][99]
         root static my.App.cache -> 3:my.Cache[16]
         root static my.App.batch -> 4:my.Batch[16]
         root static my.App.soft -> 5:my.Soft[16]
         class java.lang.ref.SoftReference extends java.lang.ref.Reference\n",
    );
    let mut add = |holder: &str, first: u64, number: u64, class: &str| {
        for at in 0..number {
            text += &format!("{holder} -[{at}]-> {:x}:{class}\n", first + at);
        }
    };
    add("2", 0x1000, list, "my.Listener[100]");
    add("3", 0x2000, cache, "my.Entry[5000]");
    add("4", 0x3000, batch, "my.Row[7000]");
    for at in 0..soft {
        text += &format!(
            "5 -[{at}]-> {:x}:java.lang.ref.SoftReference[48] -java.lang.ref.Reference.referent-> {:x}:my.Image[900]\n",
            0x4000 + at,
            0x5000 + at
        );
    }
    let graph = heap(&text);
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn what_grows_all_along_is_told_from_what_stopped_or_came_and_went() {
    let dumps = [outline(10, 1, 9, 1), outline(20, 90, 0, 2), outline(30, 90, 12, 3), outline(45, 90, 14, 9)];
    let rows = sustained(&dumps, 100, |_| false);
    let told: Vec<_> = rows.iter().map(|row| (row.path.join(" > "), row.element)).collect();
    let list = "class my.App > list: java.util.ArrayList > [Ljava.lang.Object; > my.Listener".to_owned();
    let soft = "class my.App > soft: my.Soft > java.lang.ref.SoftReference".to_owned();
    assert_eq!(told, [(list, 3), (soft, 2)]);
    let objects: Vec<_> = rows[0].own.iter().map(|own| own.objects).collect();
    assert_eq!((objects, rows[0].bytes()), (vec![10, 20, 30, 45], 3_500));
    assert_eq!(rows[1].soft, [1, 2, 3, 9]);
    assert_eq!(rows[0].soft, [0; 4]);
    assert_eq!(dumps[3].objects(&rows[0].path).len(), 45);
    assert_eq!(sustained(&dumps[..1], 1, |_| false), [], "one dump tells nothing");
}

/// "svc.Gauge: 567 objects more" of 1,200: those of the index were counted, of which a skip list has one for every two.
#[test]
fn each_class_of_the_path_has_its_own_number() {
    let skip_list = |index: u64| {
        let mut text = String::from("root static my.App.tags -> 1:java.util.SkipListMap[48]\n");
        for at in 0..index {
            let index = 0x1000 + at;
            text += &format!("1 -[{at}]-> {index:x}:java.util.SkipListMap$Index[24]\n");
            for number in [2 * at, 2 * at + 1] {
                let (node, gauge) = (0x10000 + number, 0x20000 + number);
                text += &format!(
                    "{index:x} -[{number}]-> {node:x}:java.util.SkipListMap$Node[24] -val-> {gauge:x}:my.Gauge[90]\n"
                );
            }
        }
        let graph = heap(&text);
        Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
    };
    let rows = sustained(&[10, 20, 30, 40].map(skip_list), 100, |label| label == "my.Gauge");
    let row = &rows[0];
    assert_eq!((row.element, row.path.last().map(|label| &**label)), (2, Some("my.Gauge")));
    assert_eq!(row.objects[2], [10, 20, 30, 40]);
    assert_eq!(row.objects[4], [20, 40, 60, 80]);
}

/// A service's list of events, each with an order that has a list of lines itself.
fn orders(number: u64) -> Outline {
    let mut text = String::from(
        "root jni -> 1:my.Service[16] -trail-> 2:java.util.ArrayList[24] -elementData-> 3:java.lang.Object[][99]\n",
    );
    for at in 0..number {
        let [event, order, list, array, line] = [1, 2, 3, 4, 5].map(|part| part * 0x1000 + at);
        text += &format!(
            "3 -[{at}]-> {event:x}:my.Event[10] -order-> {order:x}:my.Order[20] -lines-> {list:x}:java.util.ArrayList[24] \
             -elementData-> {array:x}:java.lang.Object[][30] -[0]-> {line:x}:my.Line[40]\n"
        );
    }
    let graph = heap(&text);
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn a_list_in_the_elements_of_a_list_is_no_part_of_that_one() {
    let rows = sustained(&[10, 20, 30, 40].map(orders), 100, |_| false);
    let told = rows.iter().map(|row| (&*row.path[row.element], row.own[3].objects, row.retained[3].bytes));
    assert_eq!(told.collect::<Vec<_>>(), [("my.Event", 40, 40 * 124)]);
    // Lists of the program's own are one node, however long, also if there are maps between.
    let mut text = String::from("root static my.App.tree -> 1:my.Node[16]\n");
    for at in 1..200 {
        let (map, next) = (0x1000 + at, at + 1);
        text += &format!("{at:x} -children-> {map:x}:java.util.HashMap[48] -table-> {next:x}:my.Node[16]\n");
    }
    let graph = heap(&text);
    let outline = Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)));
    assert!(outline.tree.nodes.len() < 8, "{:?}", outline.tree.nodes.len());
}

/// A cache of lists of numbers by a key of the program's own, which has no equals.
fn cache(number: u64) -> Outline {
    let mut text = String::from(
        "root jni -> 1:my.Cache[16] -results-> 2:java.util.HashMap[48] -table-> 3:java.util.HashMap$Node[][99]\n",
    );
    for at in 0..number {
        let [node, key, list] = [1, 2, 3].map(|part| part * 0x1000 + at);
        text += &format!(
            "3 -[{at}]-> {node:x}:java.util.HashMap$Node[32] -key-> {key:x}:my.Key[24]\n\
             {node:x} -value-> {list:x}:java.util.ArrayList[300]\n"
        );
    }
    let graph = heap(&text);
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn of_what_is_in_an_entry_that_is_named_which_says_something() {
    let last = |says: fn(&str) -> bool| {
        let rows = sustained(&[10, 20, 30, 40].map(cache), 100, says);
        let told =
            rows.iter().map(|row| (row.path.last().expect("a class").to_string(), row.retained[3].bytes));
        told.collect::<Vec<_>>()
    };
    let all = 40 * (32 + 24 + 300);
    assert_eq!(last(|_| false), [("java.util.ArrayList".to_owned(), all)]);
    assert_eq!(last(|class| class.starts_with("my.")), [("my.Key".to_owned(), all)]);
}

/// A text in a builder, whose array doubles now and then; a table that was enlarged once.
fn texts(number: usize) -> Outline {
    let text = [1 << 20, 2 << 20, 2 << 20, 4 << 20][number];
    let table = [1 << 20, 1 << 20, 2 << 20, 2 << 20][number];
    let graph = heap(&format!(
        "root static my.App.text -> 1:java.lang.StringBuilder[24] -value-> {:x}:byte[][{text}]
         root static my.App.table -> 2:my.Table[24] -slots-> {:x}:int[][{table}]\n",
        0x100 + number,
        0x200 + number
    ));
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn an_array_that_is_replaced_by_larger_ones_is_among_what_grew() {
    let rows = sustained(&[0, 1, 2, 3].map(texts), 100, |_| false);
    let told: Vec<_> = rows.iter().map(|row| (row.path.join(" > "), row.element)).collect();
    assert_eq!(told, [("class my.App > text: java.lang.StringBuilder > [B".to_owned(), 2)]);
    assert_eq!(rows[0].own.iter().map(|own| own.objects).collect::<Vec<_>>(), [1; 4]);
    assert_eq!(rows[0].bytes(), 3 << 20);
}

/// A map that a thread has hold of in the second dump, so that it hangs below another root there; a window beside it.
fn busy(number: u64) -> Outline {
    let mut text = String::from("root static my.App.window -> 3:my.Window[16]\n");
    text += match number {
        1 => "root jni -> 9:my.Passing[16] -map-> 1:my.Map[16]\n",
        _ => "root static my.App.map -> 1:my.Map[16]\n",
    };
    for at in 0..10 * (number + 1) {
        text += &format!("1 -[{at}]-> {:x}:my.Leaked[100]\n", 100 + at);
        // The window's are others in each dump.
        text += &format!("3 -[{at}]-> {:x}:my.Passing[100]\n", 500 + 100 * number + at);
    }
    let graph = heap(&text);
    Outline::identified(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn what_hung_below_something_else_for_a_moment_is_known_again() {
    let dumps = [0, 1, 2, 3].map(busy);
    let rows = sustained(&dumps, 100, |_| false);
    let numbers = |row: &Sustained| row.own.iter().map(|own| own.objects).collect::<Vec<_>>();
    let leaked = rows.iter().find(|row| &*row.path[row.element] == "my.Leaked").expect("found");
    assert_eq!(numbers(leaked), [10, 20, 30, 40]);
    let stay = &leaked.stays[leaked.element];
    assert_eq!((&stay.present[..], &stay.first[..]), (&[10, 20, 30, 40][..], &[10; 4][..]));
    let window = rows.iter().find(|row| &*row.path[row.element] == "my.Passing").expect("grows, too");
    let stay = &window.stays[window.element];
    assert_eq!((&stay.present[..], &stay.first[..]), (&[0, 0, 0, 40][..], &[10, 0, 0, 0][..]));
}

/// Of three maps with 30, 30, 0 entries and so many more in each of four dumps each map has `more` more; ids are the same in all dumps if they
/// are `known`.
fn maps(number: u64, more: [u64; 3], known: bool) -> Outline {
    let graph = maps_graph(number, more);
    let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Strong));
    if known { Outline::identified(&graph, &dominators) } else { Outline::new(&graph, &dominators) }
}

fn maps_graph(number: u64, more: [u64; 3]) -> Graph {
    let mut text = String::from("root static my.App.all -> 1:my.Registry[16]\n");
    for (at, (more, before)) in more.into_iter().zip([30, 30, 0]).enumerate() {
        // The table is another one each time.
        let (map, table) = (0x10 + at, 0x100 * (number + 1) + at as u64);
        text += &format!("1 -[{at}]-> {map:x}:my.Counts[16] -map-> {:x}:java.util.HashMap[48]\n", map + 0x10);
        text += &format!("{:x} -table-> {table:x}:java.util.HashMap$Node[][64]\n", map + 0x10);
        for entry in 0..before + more * number {
            let node = 0x1000 * (at as u64 + 1) + entry;
            text += &format!(
                "{table:x} -[{entry}]-> {node:x}:java.util.HashMap$Node[32] -value-> {:x}:my.Value[100]\n",
                node + 0x10000
            );
        }
    }
    heap(&text)
}

fn spread_of(more: [u64; 3], known: bool) -> Spread {
    let dumps = [0, 1, 2, 3].map(|number| maps(number, more, known));
    let rows = sustained(&dumps, 100, |_| false);
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!(&*row.path[row.element], "java.util.HashMap$Node");
    spreads(&[row], &maps_graph(3, more), &dumps)[0]
}

#[test]
fn growth_in_one_of_many_containers_is_told_from_growth_in_each() {
    for known in [true, false] {
        let each = spread_of([10, 10, 20], known);
        assert_eq!(each.containers, 3, "{each:?}");
        assert!(each.evenly > 2.5, "{each:?}");
    }
    let one = spread_of([0, 0, 20], true);
    assert_eq!(one, Spread::NONE, "what was there before is not what came");
    // Without ids what is there stands for what came.
    assert_eq!(spread_of([0, 0, 20], false).containers, 3);
}

/// Sessions that are open, each with ten attributes.
fn sessions(open: u64) -> Graph {
    let mut text = String::from("root static my.App.sessions -> 1:my.Sessions[16]\n");
    for session in 0..open {
        let holder = 0x100 + session;
        text += &format!("1 -[{session}]-> {holder:x}:my.Session[16]\n");
        for attribute in 0..10 {
            text += &format!(
                "{holder:x} -[{attribute}]-> {:x}:my.Attribute[100]\n",
                0x10000 + 0x100 * session + attribute
            );
        }
    }
    heap(&text)
}

#[test]
fn more_containers_are_growth_by_their_number() {
    for known in [true, false] {
        let graphs = || [10, 20, 20, 30].map(sessions);
        let outline = |graph: Graph| {
            let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Strong));
            if known { Outline::identified(&graph, &dominators) } else { Outline::new(&graph, &dominators) }
        };
        let dumps = graphs().map(outline);
        let row = Sustained {
            path: ["class my.App", "sessions: my.Sessions", "my.Session", "my.Attribute"]
                .map(Box::from)
                .into(),
            element: 3,
            own: Vec::new(),
            retained: Vec::new(),
            off_heap: Vec::new(),
            soft: Vec::new(),
            objects: Vec::new(),
            stays: Vec::new(),
        };
        let [.., last] = graphs();
        assert_eq!(spreads(&[&row], &last, &dumps), [Spread::NONE], "{known}");
    }
}

/// A ring of so many slots, of which some are filled; a list; and sessions of which as many have a list with so many lines each.
fn ring(slots: u64, filled: u64, each: u64) -> Outline {
    let mut text = String::from(
        "root static my.App.ring -> 1:my.Ring[16] -data-> 2:my.Slot[][99]
         root static my.App.all -> 3:my.List[16]
         root static my.App.sessions -> 4:my.Sessions[16]\n",
    );
    for at in 0..slots {
        let [slot, entry, text_of, one, session, list, lines, line] =
            [1, 2, 3, 4, 5, 6, 7, 8].map(|part| part * 0x10000 + at);
        text += &format!("2 -[{at}]-> {slot:x}:my.Slot[16]\n4 -[{at}]-> {session:x}:my.Session[16]\n");
        if at < filled {
            text += &format!(
                "{slot:x} -ref-> {entry:x}:my.Entry[32] -text-> {text_of:x}:java.lang.String[100]\n"
            );
            text += &format!("3 -[{at}]-> {one:x}:my.One[100]\n");
            text += &format!(
                "{session:x} -lines-> {list:x}:java.util.ArrayList[24] -elementData-> {lines:x}:java.lang.Object[][30]\n"
            );
            for number in 0..each {
                text += &format!("{lines:x} -[{number}]-> {:x}:my.Line[100]\n", line + number * 0x1000);
            }
        }
    }
    let graph = heap(&text);
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn what_fills_slots_that_do_not_become_more_is_bounded() {
    let bounds = |dumps: [(u64, u64, u64); 4]| {
        let outlines = dumps.map(|(slots, filled, each)| ring(slots, filled, each));
        let rows = sustained(&outlines, 100, |_| false);
        assert_eq!(rows.len(), 3, "{rows:?}");
        let bound = |row: &Sustained| one_each(row, &outlines);
        let named = |row: &Sustained| (row.path[row.element].to_string(), bound(row));
        rows.iter().map(named).collect::<std::collections::BTreeMap<_, _>>()
    };
    let slots = Some(OneEach { holder: "my.Slot".into(), holders: 50, taken: 40 });
    let found = bounds([(50, 10, 1), (50, 20, 1), (50, 30, 1), (50, 40, 1)]);
    assert_eq!(found["my.Entry"], slots);
    assert_eq!(found["my.One"], None, "a list takes any number");
    assert_eq!(found["java.util.ArrayList"].as_ref().map(|bound| &*bound.holder), Some("my.Session"));
    // What is in the lists becomes more, beside their number.
    let swells = bounds([(50, 10, 1), (50, 20, 2), (50, 30, 3), (50, 40, 4)]);
    assert_eq!((&swells["my.Entry"], &swells["java.util.ArrayList"]), (&slots, &None));
    // The slots become more themselves.
    let grows = bounds([(20, 10, 1), (30, 20, 1), (40, 30, 1), (50, 40, 1)]);
    assert!(grows.values().all(Option::is_none), "{grows:?}");
}

/// A log's array with so many slots, of which some are filled; a table of as many, with chains; an ArrayList, and a queue with bounds.
fn log(slots: u64, filled: u64) -> Outline {
    let size = 16 + 4 * slots;
    let mut text = format!(
        "root static my.Log.lines -> 1:java.lang.Object[][{size}]
         root static my.App.table -> 2:my.Table[16] -slots-> 3:my.Entry[][{size}]
         root static my.App.list -> 4:java.util.ArrayList[24] -elementData-> 5:java.lang.Object[][{size}]
         root static my.App.queue -> 6:java.util.concurrent.ArrayBlockingQueue[40] -items-> 7:java.lang.Object[][{size}]\n"
    );
    for at in 0..filled {
        let [line, entry, next, item, job] = [1, 2, 3, 4, 5].map(|part| part * 0x10000 + at);
        text += &format!("1 -[{at}]-> {line:x}:my.Line[100]\n");
        text += &format!("3 -[{at}]-> {entry:x}:my.Entry[50] -next-> {next:x}:my.Entry[50]\n");
        text += &format!("5 -[{at}]-> {item:x}:my.Item[100]\n");
        text += &format!("7 -[{at}]-> {job:x}:my.Job[100]\n");
    }
    let graph = heap(&text);
    Outline::new(&graph, &Dominators::new(&graph, &Filter::new(&graph, Strength::Strong)))
}

#[test]
fn what_lies_in_slots_of_arrays_that_are_not_replaced_is_bounded_by_them() {
    let fixed = |slots: [u64; 4]| {
        let outlines = [(slots[0], 10), (slots[1], 20), (slots[2], 30), (slots[3], 40)];
        let outlines = outlines.map(|(slots, filled)| log(slots, filled));
        let rows = sustained(&outlines, 100, |_| false);
        assert_eq!(rows.len(), 4, "{rows:?}");
        let found = rows.iter().filter_map(|row| {
            Some((row.path[row.element].to_string(), in_fixed_arrays(row, &outlines)?.to_string()))
        });
        found.collect::<std::collections::BTreeMap<_, _>>()
    };
    let found = fixed([50; 4]);
    let named: Vec<_> = found.iter().map(|(what, of)| (&**what, &**of)).collect();
    assert_eq!(
        named,
        [("my.Job", "queue: java.util.concurrent.ArrayBlockingQueue"), ("my.Line", "class my.Log")],
        "a table has any number in each slot, a list gets another array"
    );
    assert!(fixed([20, 20, 50, 50]).is_empty(), "it was replaced");
}

/// A list to which a job adds now and then, and one that is full.
fn jobs(lines: u64, full: u64, known: bool) -> Outline {
    let mut text = String::from(
        "root static my.App.lines -> 1:my.Lines[16]
         root static my.App.cache -> 2:my.Cache[16]\n",
    );
    for (holder, number, class) in [(1, lines, "my.Line"), (2, full, "my.Page")] {
        for at in 0..number {
            text += &format!("{holder} -[{at}]-> {:x}:{class}[100]\n", 0x10000 * holder + at);
        }
    }
    let graph = heap(&text);
    let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Strong));
    if known { Outline::identified(&graph, &dominators) } else { Outline::new(&graph, &dominators) }
}

#[test]
fn what_grew_in_steps_is_found_where_it_is_known_what_has_gone() {
    let found = |known| {
        let outlines = [(10, 5), (70, 90), (70, 90), (130, 90)].map(|(lines, full)| jobs(lines, full, known));
        let rows = sustained(&outlines, 100, |_| false);
        rows.iter().map(|row| row.path[row.element].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(true), ["my.Line"]);
    assert!(found(false).is_empty());
}
