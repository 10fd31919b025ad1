//! Why objects of a real JVM's dump are alive, and what they retain: paths, dominators and holders against what the program did,
//! and against their definition.
//!
//! Not here: how dumps are read, and how the command line shows answers.

use std::fs;

use mayfly_heap::dominators::Dominators;
use mayfly_heap::holders::Holding;
use mayfly_heap::paths::{shortest, strongest};
use mayfly_heap::{Dump, Filter, Graph, ObjectIndex, ObjectSet, Referrers, Strength, reach};
use mayfly_tests::{Jvm, Launch, Workspace, each_jvm};

const LINKS: u64 = 500;

/// Two dumps of one process.
fn dumps(jvm: &Jvm) -> [Graph; 2] {
    let workspace = Workspace::new();
    let files = ["one.hprof", "two.hprof"].map(|name| workspace.file(name));
    let args = files.each_ref().map(|file| file.to_str().expect("a plain path"));
    // Interpreted, so that what is on the stack stays there until its method ends.
    Launch::new(jvm, "held.Held").jvm_args(&["-Xint"]).args(&args).run().ok();
    files.map(|file| {
        let bytes = fs::read(file).expect("the file is there");
        Dump::open(&bytes).expect("an hprof file").graph(&mut |_, _| {}).expect("whole")
    })
}

fn instances(graph: &Graph, class: &str) -> ObjectSet {
    ObjectSet::of(graph, graph.instances(|found| found.name.strip_prefix("held.") == Some(class)))
}

/// The shortest path to an instance, ids left out.
fn path(graph: &Graph, class: &str, weakest: Strength) -> String {
    let found = shortest(graph, &instances(graph, class), &Filter::new(graph, weakest), 1);
    without_ids(&found.first().map(|path| path.text(graph)).unwrap_or_default())
}

fn without_ids(text: &str) -> String {
    let line = |line: &str| match line.split_once('@') {
        Some((object, rest)) => {
            format!("{object}{}", rest.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
        }
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join(" ")
}

/// Static field, array, map, thread local, stack, static of the JDK, soft and weak references.
#[test]
fn paths_lead_to_what_holds() {
    each_jvm(|jvm| {
        let [graph, again] = dumps(jvm);
        let strong = |class| path(&graph, class, Strength::Strong);
        assert_eq!(strong("Held$InStatic"), "static held.Held.kept-> held.Held$InStatic");
        assert_eq!(
            strong("Held$InArray"),
            "static held.Held.array-> [Ljava.lang.Object;-[3]-> held.Held$InArray"
        );
        let in_map = strong("Held$InMap");
        assert!(
            in_map
                .starts_with("static held.Held.map-> java.util.HashMap-table-> [Ljava.util.HashMap$Node;-[")
                && in_map.ends_with("java.util.HashMap$Node-value-> held.Held$InMap"),
            "{in_map}"
        );
        let local = strong("Held$InThreadLocal");
        assert!(
            local.starts_with(
                "thread-> java.lang.Thread-threadLocals-> java.lang.ThreadLocal$ThreadLocalMap-table->"
            ),
            "{local}"
        );
        let stack = strong("Held$OnStack");
        assert!(
            stack.starts_with("local variable") && stack.contains("of held.Held.dump, thread \"main\"->"),
            "{stack}"
        );
        let jdk = strong("Held$InJdkStatic");
        assert!(jdk.starts_with("static java.lang.System.props-> java.util.Properties-map->"), "{jdk}");
        assert_eq!(strong("Held$Softly"), "");
        let soft = path(&graph, "Held$Softly", Strength::Soft);
        assert_eq!(soft, "static held.Held.soft-> java.lang.ref.SoftReference-referent-> held.Held$Softly");
        let best = strongest(&graph, &instances(&graph, "Held$Weakly"), &Filter::new(&graph, Strength::Weak));
        assert!(
            best.expect("a path").text(&graph).starts_with("local variable"),
            "a weak reference is shorter"
        );
        for class in ["Held$InStatic", "Held$InMap", "Held$InThreadLocal", "Held$OnStack", "Held$InJdkStatic"]
        {
            assert_eq!(strong(class), path(&again, class, Strength::Strong), "stable text");
        }
    });
}

/// A loader that cannot be unloaded is held by an instance of its class.
#[test]
fn a_leaked_loader_is_found_through_its_instance() {
    each_jvm(|jvm| {
        let [graph, _] = dumps(jvm);
        assert_eq!(
            path(&graph, "Held$PluginLoader", Strength::Strong),
            "static held.Held.plugin-> held.Plugin-<class>-> class held.Plugin-<loader>-> held.Held$PluginLoader"
        );
        let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Soft));
        let loader = instances(&graph, "Held$PluginLoader").iter().next().expect("a loader");
        let rows = dominators.by_loader(&graph);
        let row = rows.iter().find(|row| row.loader == Some(loader)).expect("a row");
        assert_eq!(row.classes, 1);
        assert!((12_345..50_000).contains(&row.retained), "what its class' static holds: {row:?}");
    });
}

/// A chain retains all of its links, and of each what hangs on it.
#[test]
fn a_chain_retains_what_arithmetic_says() {
    each_jvm(|jvm| {
        let [graph, _] = dumps(jvm);
        let dominators = Dominators::new(&graph, &Filter::new(&graph, Strength::Soft));
        let links = instances(&graph, "Held$Link");
        assert_eq!(links.len() as u64, LINKS);
        let (head, _) = dominators.largest(links.iter(), 1)[0];
        let array = graph
            .edges(head)
            .find(|edge| edge.to != head && !links.contains(edge.to))
            .expect("its weight")
            .to;
        assert_eq!(dominators.retained(head), LINKS * (graph.size(head) + graph.size(array)));
        assert_eq!(dominators.retained(array), graph.size(array));
        let row = dominators.by_class(&graph).into_iter().find(|row| &*row.name == "held.Held$Link");
        assert_eq!(row.expect("a row").retained, dominators.retained(head));
        let (second, _) = dominators.largest(links.iter(), 2)[1];
        assert_eq!(dominators.immediate(second), Some(head));
    });
}

/// Against the definition, on objects from all over a real heap: what an object retains is what is unreachable without it.
#[test]
fn dominators_of_a_real_heap_are_what_their_definition_says() {
    each_jvm(|jvm| {
        let [graph, _] = dumps(jvm);
        let filter = Filter::new(&graph, Strength::Soft);
        let dominators = Dominators::new(&graph, &filter);
        let live = reach::live(&graph, &filter);
        assert_eq!(dominators.total(), graph.total(live.iter()).bytes);
        let everywhere = graph.objects().step_by(graph.len() / 30);
        let largest = dominators.largest(graph.objects(), 30).into_iter().map(|(object, _)| object);
        for object in everywhere.chain(largest) {
            let set = reach::retained(&graph, &ObjectSet::of(&graph, [object]), &filter);
            assert_eq!(dominators.retained(object), graph.total(set.iter()).bytes, "{object:?}");
            let above = dominators.immediate(object);
            assert!(above.is_none_or(|above| retains(&graph, &filter, above, object)), "{object:?}");
        }
    });
}

fn retains(graph: &Graph, filter: &Filter, by: ObjectIndex, object: ObjectIndex) -> bool {
    reach::retained(graph, &ObjectSet::of(graph, [by]), filter).contains(object)
}

/// INSANE's `reachableBy`: the insides of a map are seen through.
#[test]
fn a_map_is_seen_through() {
    each_jvm(|jvm| {
        let [graph, _] = dumps(jvm);
        let in_map = instances(&graph, "Held$InMap").iter().next().expect("an object");
        let referrers = Referrers::new(&graph);
        let filter = Filter::new(&graph, Strength::Strong);
        let found = Holding::new(&graph, &referrers, &filter).of(in_map, 9);
        let texts: Vec<_> = found.iter().map(|holder| without_ids(&holder.text(&graph))).collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].starts_with("class held.Held-map-> java.util.HashMap-table->"), "{texts:?}");
    });
}
