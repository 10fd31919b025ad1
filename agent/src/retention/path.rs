//! The path of one group of objects, as it grows walk by walk.

use mayfly_profile::{Link, LinkKind, MOST_LINKS, Room};

use super::names::Names;
use super::search::{By, ClassTag, Root, Search, Step};

/// Where a thread's own objects are.
const THREAD: &str = "java.lang.Thread";

/// A path, and what else could have been taken at each of its steps.
#[derive(Debug, Default)]
pub(super) struct Path {
    taken: Vec<Taken>,
    /// The longest so far, if another way came to nothing.
    longest: Vec<Link>,
    is_done: bool,
}

#[derive(Debug)]
struct Taken {
    step: Step,
    room: Option<Room>,
    others: Vec<Step>,
}

impl Path {
    /// Whether it is as long as it gets.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Takes note of how full the arrays are that were found last.
    pub(super) fn measure(&mut self, search: &Search) {
        if let Some(last) = self.taken.last_mut().filter(|last| matches!(last.step.by, By::Element(_))) {
            last.room = search.room(&last.step.from).map(|(used, length)| Room { used, length });
        }
    }

    /// Goes on by the best of the ways; back, if there is none. What refers then is looked for by the next walk.
    pub(super) fn go_on(&mut self, steps: Vec<Step>, names: &Names) -> Option<&[u32]> {
        let mut steps: Vec<_> = steps.into_iter().filter(|step| holds(step, names)).rev().collect();
        loop {
            if let Some(step) = steps.pop() {
                self.is_done = is_end(&step, names) || self.taken.len() + 1 >= MOST_LINKS;
                self.taken.push(Taken { step, room: None, others: steps });
                let last = self.taken.last()?;
                return Some(&last.step.from).filter(|_| !self.is_done).map(Vec::as_slice);
            }
            self.keep_longest(names);
            match self.taken.pop() {
                Some(last) => steps = last.others,
                None => {
                    self.is_done = true;
                    return None;
                }
            }
        }
    }

    /// All links.
    pub(super) fn links(mut self, names: &Names) -> Vec<Link> {
        self.keep_longest(names);
        self.longest
    }

    fn keep_longest(&mut self, names: &Names) {
        if self.taken.len() > self.longest.len() {
            self.longest = self.taken.iter().filter_map(|taken| link(taken, names)).collect();
        }
    }
}

/// Whether what is held so stays.
fn holds(step: &Step, names: &Names) -> bool {
    match step.by {
        By::Field(class, index) => names.of(class).is_some_and(|class| !class.is_weak(index)),
        By::Static(class, _) | By::Element(class) => names.of(class).is_some(),
        By::Root(_) => true,
    }
}

fn is_end(step: &Step, names: &Names) -> bool {
    match step.by {
        By::Static(..) | By::Root(_) => true,
        By::Field(class, index) => {
            names.of(class).and_then(|class| class.field(index)).is_some_and(|(class, _)| class == THREAD)
        }
        By::Element(_) => step.from.is_empty(),
    }
}

fn link(taken: &Taken, names: &Names) -> Option<Link> {
    let Step { by, from, .. } = &taken.step;
    let field = |class: ClassTag, index| {
        let of = names.of(class)?;
        let (declaring, name) = of.field(index)?;
        Some((of.shown(declaring).to_owned(), name.to_owned()))
    };
    let (class, by, expiry) = match *by {
        By::Static(class, index) => {
            let (class, name) = field(class, index)?;
            (class, LinkKind::StaticField(name), None)
        }
        By::Field(of, index) => {
            let (class, name) = field(of, index)?;
            (class, LinkKind::Field(name), names.of(of)?.expiry.clone())
        }
        By::Element(class) => (names.of(class)?.name.clone(), LinkKind::Element, None),
        By::Root(root) => (String::new(), LinkKind::Root(root.words().to_owned()), None),
    };
    Some(Link { class, by, holders: from.len().max(1) as u32, room: taken.room, expiry })
}

impl Root {
    fn words(self) -> &'static str {
        match self {
            Self::Thread => "a thread that runs",
            Self::Local => "a local variable of a method that runs",
            Self::Jni => "native code",
            Self::Constant => "a constant of a class",
            Self::Other => "the JVM",
        }
    }
}
