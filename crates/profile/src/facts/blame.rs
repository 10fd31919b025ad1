//! Blame: which classes on the stacks of allocations cause them, InMemProfiler's "Allocation Classes".
//!
//! Every allocation is charged once to each distinct class on the part of its stack that is looked at, and once to each
//! distinct method of that class. So shares add up to more than 100 %, and recursion charges nothing twice.
//! Not here: rows of text (`mayfly-report`).

use std::collections::{HashMap, HashSet};

use crate::facts::frame::Frame;
use crate::facts::jdk::JDK_PACKAGES;
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;

/// Which part of a stack is blamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlameRules {
    /// Frames whose class starts with one of these are passed over (`#traceignore`).
    pub ignore: Vec<String>,
    /// Going outward from the allocation, the first frame not ignored whose class starts with one of these is the last
    /// one looked at (`#tracetarget`). Without such a frame the whole stack is.
    pub target: Vec<String>,
}

/// A class and the allocations charged to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedClass {
    /// As `Class.getName()` gives it.
    pub class: String,
    /// All that is charged to it, each allocation once.
    pub tally: Tally,
    /// Its methods, most bytes first; an allocation may be charged to several.
    pub methods: Vec<BlamedMethod>,
}

/// A method and the allocations charged to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedMethod {
    /// Name; overloads are one.
    pub method: String,
    /// All that is charged to it.
    pub tally: Tally,
}

impl BlameRules {
    /// An allocation is charged to the first frame outside of the JDK.
    pub fn outside_the_jdk() -> Self {
        Self { ignore: JDK_PACKAGES.map(str::to_owned).to_vec(), ..Self::default() }
    }

    /// Whether a frame may be blamed.
    pub(crate) fn looks_at(&self, frame: &Frame) -> bool {
        frame.is_code() && !frame.starts_with_any(&self.ignore)
    }

    /// The frames of `stack` (innermost first) that these rules look at.
    pub fn considered<'a>(&self, stack: &'a Stack) -> Vec<&'a Frame> {
        let mut frames = Vec::new();
        for frame in stack.iter().filter(|frame| self.looks_at(frame)) {
            frames.push(frame);
            if frame.starts_with_any(&self.target) {
                break;
            }
        }
        frames
    }
}

/// Charges each tally to the classes and methods of its stack. Most bytes first, ties by name; nothing is charged for
/// empty tallies.
pub fn blame<'a>(
    allocations: impl IntoIterator<Item = (&'a Stack, Tally)>,
    rules: &BlameRules,
) -> Vec<BlamedClass> {
    let mut charged: HashMap<&str, (Tally, HashMap<&str, Tally>)> = HashMap::new();
    for (stack, tally) in allocations.into_iter().filter(|(_, tally)| !tally.is_empty()) {
        let frames = rules.considered(stack);
        let classes: HashSet<&str> = frames.iter().map(|frame| &*frame.class).collect();
        let methods: HashSet<(&str, &str)> =
            frames.iter().map(|frame| (&*frame.class, &*frame.method)).collect();
        for class in classes {
            charged.entry(class).or_default().0.add(tally);
        }
        for (class, method) in methods {
            charged.entry(class).or_default().1.entry(method).or_default().add(tally);
        }
    }
    in_order(charged)
}

fn in_order(charged: HashMap<&str, (Tally, HashMap<&str, Tally>)>) -> Vec<BlamedClass> {
    let mut classes: Vec<_> = charged
        .into_iter()
        .map(|(class, (tally, methods))| {
            let mut methods: Vec<_> = methods
                .into_iter()
                .map(|(method, tally)| BlamedMethod { method: method.to_owned(), tally })
                .collect();
            methods.sort_by(|a, b| b.tally.bytes.cmp(&a.tally.bytes).then_with(|| a.method.cmp(&b.method)));
            BlamedClass { class: class.to_owned(), tally, methods }
        })
        .collect();
    classes.sort_by(|a, b| b.tally.bytes.cmp(&a.tally.bytes).then_with(|| a.class.cmp(&b.class)));
    classes
}
