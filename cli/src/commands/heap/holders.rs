//! `mayfly heap holders`: who holds an object, seeing through the collections of the JDK.

use std::collections::BTreeMap;

use mayfly_heap::holders::{HeldBy, Holding};
use mayfly_heap::paths::{edge_text, object_text};
use mayfly_heap::{Edge, EdgeName, Filter, Graph, ObjectIndex, Referrers, Strength};
use mayfly_profile::readable_classes;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::asked;
use crate::args::heap::HoldersArgs;
use crate::error::Error;
use crate::heap::class_name;
use crate::heap::columns::{Columns, counted, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::progress::Progress;
use crate::heap::selection;

/// Rows when `--limit` does not say.
const SHOWN: usize = 50;
/// Rows by class and field.
const FIELDS: usize = 10;
/// References that are looked at for all objects of a class: each object takes a walk through the collections that it is in, which
/// is long in a linked list.
const LOOKED_AT: u64 = 100_000_000;
/// Holders of one object that are looked for.
const MOST: usize = 10_000;

/// Holders, those of most objects first.
#[derive(Debug, Serialize)]
struct Holders {
    /// Objects there are of what was asked for.
    objects: usize,
    /// Of how many of them holders were looked for.
    asked: usize,
    /// Number of holders.
    holders: usize,
    rows: Vec<Row>,
    /// The same by class and field of the holder.
    fields: Vec<FieldRow>,
}

/// Holders of one class, by one field of it.
#[derive(Clone, Debug, Serialize)]
struct FieldRow {
    /// How many objects they hold; one that several hold is counted for each.
    held: usize,
    /// How many there are.
    holders: usize,
    /// Their class; what root it is.
    class: String,
    /// The field, `[]` for elements; `None` for a root.
    by: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    /// How many of the objects it holds.
    held: usize,
    /// The object, `class@id`; a class for a static field; what root it is.
    holder: String,
    /// The field, or `[i]`, of the holder; `None` for a root.
    by: Option<String>,
    /// The way down from the holder to the first of the objects.
    text: String,
    /// The last object counted: roots of one kind may hold it several times.
    #[serde(skip)]
    last: ObjectIndex,
}

impl Answer for Holders {
    const QUERY: &'static str = "holders";

    fn text(&self) -> String {
        let mut table = Columns::new(&["holds", "holder"]);
        for row in &self.rows {
            table.row([row.held.to_string(), reference(&row.holder, row.by.as_deref())]);
        }
        // Of few who reads them sees as much.
        let is_summed_up = self.holders > FIELDS && self.fields.len() < self.holders;
        let fields = if is_summed_up { self.fields_text() } else { String::new() };
        let first = self.rows.first().map(|row| format!("\nthe first of them:\n{}\n", row.text));
        let asked = match self.objects.saturating_sub(self.asked) {
            0 => String::new(),
            left => format!(
                "{} were not looked at: these collections are too long to go through for each; ask for one object, CLASS@ID, or \
                 --direct\n",
                counted(left as u64, "object")
            ),
        };
        table.text()
            + &left_out(self.rows.len(), self.holders, "holder")
            + &fields
            + &asked
            + &first.unwrap_or_default()
    }
}

impl Holders {
    fn fields_text(&self) -> String {
        let mut table = Columns::new(&["holds", "holders", "class and field"]);
        for row in self.fields.iter().take(FIELDS) {
            let name = reference(&row.class, row.by.as_deref());
            table.row([row.held.to_string(), row.holders.to_string(), name]);
        }
        format!("\n{}{}", table.text(), left_out(self.fields.len().min(FIELDS), self.fields.len(), "field"))
    }
}

pub(super) fn run(args: &HoldersArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let held = selection::all_objects(&graph, &args.of)?;
    let (mut rows, asked) = {
        let _progress = Progress::work("looking for holders");
        let referrers = file.referrers(&graph);
        if args.direct {
            (direct(&graph, &referrers, &held), held.len())
        } else {
            through_collections(&graph, &referrers, &held)
        }
    };
    if let Some(class) = &args.by {
        rows.retain(|row| {
            row.holder.rsplit_once('@').is_some_and(|(holder, _)| class_name::means(class, holder))
        });
    }
    let answer = Holders {
        objects: held.len(),
        asked,
        holders: rows.len(),
        fields: by_field(&rows),
        rows: rows.into_iter().take(args.shown.limit.unwrap_or(SHOWN)).collect(),
    };
    document::show(&file.source(), &answer, args.shown.json.is_json())
}

/// Holders with what they hold, in the order in which they are met.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    places: FxHashMap<(String, Option<String>), usize>,
}

impl Found {
    fn add(
        &mut self,
        object: ObjectIndex,
        holder: String,
        by: Option<String>,
        text: impl FnOnce() -> String,
    ) {
        let rows = &mut self.rows;
        let mut is_new = false;
        let place = *self.places.entry((holder.clone(), by.clone())).or_insert_with(|| {
            is_new = true;
            rows.push(Row { held: 1, holder, by, text: text(), last: object });
            rows.len() - 1
        });
        if !is_new && rows[place].last != object {
            rows[place].held += 1;
            rows[place].last = object;
        }
    }

    /// Those of most objects first; of equals the one met first.
    fn sorted(mut self) -> Vec<Row> {
        self.rows.sort_by_key(|row| std::cmp::Reverse(row.held));
        self.rows
    }
}

/// And of how many of them, in any order, they were looked for.
fn through_collections(graph: &Graph, referrers: &Referrers, held: &[ObjectIndex]) -> (Vec<Row>, usize) {
    let filter = Filter::new(graph, Strength::Phantom);
    let mut holding = Holding::new(graph, referrers, &filter);
    let mut found = Found::default();
    let mut asked = 0;
    for &object in held {
        if holding.looked_at() >= LOOKED_AT {
            break;
        }
        asked += 1;
        for holder in holding.of(object, MOST) {
            let (name, by) = match holder.by {
                HeldBy::Object(by) => {
                    (object_text(graph, by), holder.steps.edges(graph).next().map(|edge| by_text(&edge)))
                }
                HeldBy::Root(number) => (graph.roots()[number].kind.to_string(), None),
            };
            found.add(object, name, by, || holder.text(graph));
        }
    }
    (found.sorted(), asked)
}

fn direct(graph: &Graph, referrers: &Referrers, held: &[ObjectIndex]) -> Vec<Row> {
    let mut found = Found::default();
    for &object in held {
        for edge in referrers.edges(graph, object) {
            let name = object_text(graph, edge.from);
            let text = || format!("{name}-{}->\n{}", by_text(&edge), object_text(graph, object));
            found.add(object, name.clone(), Some(by_text(&edge)), text);
        }
        for root in graph.roots().iter().filter(|root| root.object == object) {
            let text = || format!("{}->\n{}", root.kind, object_text(graph, object));
            found.add(object, root.kind.to_string(), None, text);
        }
    }
    found.sorted()
}

/// By class and field, those of most objects first.
fn by_field(rows: &[Row]) -> Vec<FieldRow> {
    let mut fields: BTreeMap<(&str, Option<&str>), FieldRow> = BTreeMap::new();
    for row in rows {
        let class = row.holder.rsplit_once('@').map_or(&*row.holder, |(class, _)| class);
        let by = row.by.as_deref().map(|by| if by.starts_with('[') { "[]" } else { by });
        let new = || FieldRow { held: 0, holders: 0, class: class.to_owned(), by: by.map(str::to_owned) };
        let field = fields.entry((class, by)).or_insert_with(new);
        field.held += row.held;
        field.holders += 1;
    }
    let mut fields: Vec<_> = fields.into_values().collect();
    fields.sort_by_key(|field| std::cmp::Reverse(field.held));
    fields
}

/// A holder with the field by which it holds, if it does by one.
fn reference(holder: &str, by: Option<&str>) -> String {
    let by = by.map(|by| format!("-{by}->")).unwrap_or_default();
    format!("{}{by}", readable_classes(holder))
}

/// Field, `[i]`, or `static FIELD`.
fn by_text(edge: &Edge<'_>) -> String {
    let text = edge_text(edge);
    if matches!(edge.name, EdgeName::Static { .. }) { format!("static {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each of 4,800 timers.
    #[test]
    fn many_holders_of_one_class_are_summed_up() {
        let mut text = String::from("root static my.App.timers -> 1:my.Timers\n");
        for at in 0..20 {
            let task = 0x100 + at;
            text += &format!("1 -[{at}]-> {task:x}:my.Task -of-> {:x}:my.Order\n", 0x1000 + at);
        }
        let graph = mayfly_heap::fake::heap(&text);
        let orders: Vec<_> =
            graph.objects().filter(|&at| &*graph.class(graph.class_of(at)).name == "my.Order").collect();
        let (rows, asked) = through_collections(&graph, &Referrers::new(&graph), &orders);
        let fields = by_field(&rows);
        let sums: Vec<_> =
            fields.iter().map(|row| (row.held, row.holders, &*row.class, row.by.as_deref())).collect();
        assert_eq!(sums, [(20, 20, "my.Task", Some("of"))]);
        let holders = Holders { objects: 20, asked, holders: rows.len(), rows, fields };
        assert!(holders.text().contains("   20       20  my.Task-of->\n"), "{}", holders.text());
    }

    fn shown(rows: &[Row]) -> Vec<(usize, String)> {
        let text = |row: &Row| format!("{} {}", row.holder, row.by.as_deref().unwrap_or_default());
        rows.iter().map(|row| (row.held, text(row).trim_end().to_owned())).collect()
    }

    /// A map with more values than were once looked at: each is counted.
    #[test]
    fn all_objects_of_a_class_have_their_holders() {
        let mut text = String::from(
            "root static my.App.map -> 1:java.util.HashMap -table-> 2:java.util.HashMap$Node[]\n",
        );
        for at in 0..2_500 {
            let (node, value) = (0x10_000 + at, 0x20_000 + at);
            text += &format!("2 -[{at}]-> {node:x}:java.util.HashMap$Node -value-> {value:x}:my.Value\n");
        }
        let graph = mayfly_heap::fake::heap(&text);
        let held = selection::all_objects(&graph, &["my.Value".into()]).expect("there");
        let (rows, asked) = through_collections(&graph, &Referrers::new(&graph), &held);
        assert_eq!((rows.len(), rows[0].held, asked), (1, 2_500, 2_500), "{rows:?}");
    }

    /// Six fields hold one object, and two JNI references are one row: they have no names.
    #[test]
    fn each_field_is_a_row() {
        let graph = mayfly_heap::fake::heap(
            "class A mirror c; root static A.x -> 9:T; root static A.y -> 9; 3:B -one-> 9; 3 -two-> 9
             4:B -one-> 9; 5:B[] -[7]-> 9; root jni -> 9; root jni -> 9",
        );
        let held = [graph.find(9).expect("there")];
        let expected = [
            "JNI global",
            "B@3 one",
            "B@3 two",
            "B@4 one",
            "[LB;@5 [7]",
            "class A@c static x",
            "class A@c static y",
        ]
        .map(|row| (1, row.to_owned()));
        let referrers = Referrers::new(&graph);
        assert_eq!(shown(&through_collections(&graph, &referrers, &held).0), expected);
        let mut direct = shown(&direct(&graph, &referrers, &held));
        direct.rotate_right(1);
        assert_eq!(direct, expected);
    }
}
