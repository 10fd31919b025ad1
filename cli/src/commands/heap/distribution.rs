//! `mayfly heap distribution`: classes by number of objects, fewest first, as INSANE's parser printed them.

use mayfly_heap::{Filter, Strength, reach};
use serde::Serialize;

use super::asked;
use crate::args::heap::DistributionArgs;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::selection;

#[derive(Serialize)]
struct Distribution {
    #[serde(flatten)]
    classes: ClassRows,
}

impl Answer for Distribution {
    const QUERY: &'static str = "distribution";

    /// `type: count/sizeB` by count, then `Total: count/sizeB`.
    fn text(&self) -> String {
        let rows = self.classes.rows.iter();
        let mut text: String =
            rows.map(|row| format!("{}: {}/{}B\n", row.class, row.held.objects, row.held.bytes)).collect();
        text += &format!("Total: {}/{}B\n", self.classes.total.objects, self.classes.total.bytes);
        text
    }
}

pub(super) fn run(args: &DistributionArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let summary = if args.from.is_empty() {
        file.histogram()?
    } else {
        let graph = file.graph()?;
        let from = selection::all_objects(&graph, &args.from)?;
        let mut filter = Filter::new(&graph, Strength::Strong);
        filter.skip_classes(&graph);
        graph.summary(reach::from(&graph, from, &filter).iter())
    };
    let classes = ClassRows::fewest_first(&summary, args.shown.limit);
    document::show(&file.source(), &Distribution { classes }, args.shown.json.is_json())
}
