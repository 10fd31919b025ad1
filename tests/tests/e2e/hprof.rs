//! hprof files that real JVMs wrote are read: objects and sizes as the JVM itself counts them, texts, names, roots.

use std::collections::BTreeMap;
use std::fs;

use mayfly_heap::{Dump, EdgeName, Graph, HeapSummary, ObjectIndex, RootKind, Strength, Total};
use mayfly_tests::{Jvm, Launch, Workspace, each_jvm};

/// A dump, and the JVM's histogram of the same moment.
struct Dumped {
    bytes: Vec<u8>,
    counted: BTreeMap<String, Total>,
}

impl Dumped {
    fn new(jvm: &Jvm, jvm_args: &[&str]) -> Self {
        let workspace = Workspace::new();
        let file = workspace.file("heap.hprof");
        let name = file.to_str().expect("a plain path");
        let outcome = Launch::new(jvm, "heapdump.HeapDump").jvm_args(jvm_args).args(&[name]).run().ok();
        let rows = outcome.stdout.lines().filter_map(|line| line.strip_prefix("HISTOGRAM "));
        let row = |line: &str| {
            let fields: Vec<_> = line.split(' ').collect();
            let number = |at: usize| fields[at].parse().expect("a number");
            (fields[0].to_owned(), Total { objects: number(1), bytes: number(2) })
        };
        let mut counted: BTreeMap<String, Total> = BTreeMap::new();
        for (name, total) in rows.map(row) {
            let sum = counted.entry(name).or_default();
            *sum = Total { objects: sum.objects + total.objects, bytes: sum.bytes + total.bytes };
        }
        assert!(counted.len() > 100, "the JVM counted {} classes", counted.len());
        Self { bytes: fs::read(&file).expect("the file is there"), counted }
    }

    fn dump(&self) -> Dump<'_> {
        Dump::open(&self.bytes).expect("an hprof file")
    }

    fn graph(&self) -> Graph {
        self.dump().graph(&mut |_, _| {}).expect("whole")
    }

    /// Compares with what the JVM counted: all objects of the fixture and of every class that as many objects of were counted.
    /// (`java.lang.Class`es of the class data archive whose classes were never loaded are in the JVM's count only.)
    fn agrees(&self, histogram: &HeapSummary, every_class: bool) {
        let ours: BTreeMap<&str, Total> = histogram.rows().collect();
        let mut same = 0;
        for (name, counted) in &self.counted {
            let ours = ours.get(&**name).copied().unwrap_or_default();
            if name.contains("heapdump.") {
                assert_eq!(ours.objects, counted.objects, "objects of {name}");
            }
            if ours.objects == counted.objects && (every_class || name.contains("heapdump.")) {
                // As many classes may be other ones: each is as long as its own static fields need.
                let room = if name == "java.lang.Class" { counted.bytes / 1000 } else { 0 };
                let differ = ours.bytes.abs_diff(counted.bytes);
                assert!(differ <= room, "{name}: {ours:?} for {counted:?}");
                same += 1;
            }
        }
        let compared = if every_class { self.counted.len() * 9 / 10 } else { 12 };
        assert!(same >= compared, "only {same} of {} classes could be compared", self.counted.len());
    }
}

fn histogram_of(graph: &Graph) -> HeapSummary {
    graph.summary(graph.objects())
}

fn settings(jvm: &Jvm) -> Vec<Vec<&'static str>> {
    let mut settings = vec![vec![], vec!["-XX:-UseCompressedOops"], vec!["-XX:+UseSerialGC"]];
    if jvm.feature < 25 {
        settings.push(vec!["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"]);
    }
    if jvm.feature >= 24 {
        settings.push(vec!["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"]);
    }
    settings
}

#[test]
fn sizes_are_those_that_the_jvm_counts_under_every_layout() {
    each_jvm(|jvm| {
        for jvm_args in settings(jvm) {
            println!("{jvm_args:?}");
            let dumped = Dumped::new(jvm, &jvm_args);
            dumped.agrees(&histogram_of(&dumped.graph()), true);
            dumped.agrees(&dumped.dump().histogram(&mut |_, _| {}).expect("whole"), true);
        }
    });
}

/// ZGC tells objects in no order of addresses, so a histogram without a graph can only compute sizes from fields.
#[test]
fn sizes_are_right_where_objects_come_in_no_order() {
    each_jvm(|jvm| {
        if jvm.feature >= 17 {
            let dumped = Dumped::new(jvm, &["-XX:+UseZGC"]);
            dumped.agrees(&histogram_of(&dumped.graph()), true);
            dumped.agrees(&dumped.dump().histogram(&mut |_, _| {}).expect("whole"), false);
        }
    });
}

/// Objects of a class, by its name.
fn instances<'g>(graph: &'g Graph, name: &'g str) -> impl Iterator<Item = ObjectIndex> + 'g {
    graph.objects().filter(move |&object| &*graph.class(graph.class_of(object)).name == name)
}

#[test]
fn texts_names_and_roots_are_read() {
    each_jvm(|jvm| {
        let dumped = Dumped::new(jvm, &[]);
        let mut texts = 0;
        dumped
            .dump()
            .strings(&mut |_, _| {}, &mut |text| texts += u32::from(text.to_string().starts_with("größe→")))
            .expect("whole");
        assert!(texts >= 1000, "{texts} texts");
        let graph = dumped.graph();
        let local = instances(&graph, "heapdump.HeapDump$OnStack").next().expect("an object on the stack");
        let held = graph.roots().iter().filter(|root| root.object == local).map(|root| match &root.kind {
            RootKind::StackLocal(frame) => (frame.thread.as_deref(), frame.method.as_deref()),
            other => panic!("held by {other:?}"),
        });
        assert!(
            held.clone().any(|frame| frame == (Some("dümper"), Some("heapdump.HeapDump.dump"))),
            "{:?}",
            held.collect::<Vec<_>>()
        );
        let strength = |class| {
            let object = instances(&graph, class).next().expect("a referent");
            let edges = graph.objects().flat_map(|from| graph.edges(from)).filter(|edge| edge.to == object);
            edges.map(|edge| strength_of(edge.name)).collect::<Vec<_>>()
        };
        assert_eq!(strength("heapdump.HeapDump$Softly"), [Strength::Soft]);
        assert_eq!(strength("heapdump.HeapDump$Weakly"), [Strength::Weak]);
    });
}

fn strength_of(name: &EdgeName) -> Strength {
    match name {
        EdgeName::Field { strength, .. } => *strength,
        _ => Strength::Strong,
    }
}

#[test]
fn fields_are_named_by_the_class_that_declares_them() {
    each_jvm(|jvm| {
        let dumped = Dumped::new(jvm, &[]);
        let graph = dumped.graph();
        let holder = instances(&graph, "heapdump.HeapDump$C").next().expect("a C");
        let names: Vec<_> = graph.edges(holder).map(|edge| describe(&graph, edge.name)).collect();
        assert_eq!(names, ["heapdump.HeapDump$C.r"]);
        let (_, class) =
            graph.classes().find(|(_, class)| &*class.name == "heapdump.HeapDump").expect("the class");
        let statics = graph.edges(class.mirror.expect("its mirror"));
        let statics: Vec<_> = statics.map(|edge| describe(&graph, edge.name)).collect();
        assert!(statics.iter().any(|name| name == "static heapdump.HeapDump.kept"), "{statics:?}");
        let rooted = graph
            .roots()
            .iter()
            .any(|root| Some(root.object) == class.mirror && root.kind == RootKind::SystemClass);
        assert!(rooted, "classes of the application's loader are never unloaded");
    });
}

fn describe(graph: &Graph, name: &EdgeName) -> String {
    match name {
        EdgeName::Field { declaring, name, .. } => format!("{}.{name}", graph.class(*declaring).name),
        EdgeName::Static { declaring, name, .. } => format!("static {}.{name}", graph.class(*declaring).name),
        other => format!("{other:?}"),
    }
}
