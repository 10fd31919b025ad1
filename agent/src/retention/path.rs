//! The path of one group of objects, as it grows walk by walk.

use std::iter;

use mayfly_profile::{AT_WORK, Link, LinkKind, MOST_LINKS, Room, is_of_lambda};

use super::names::Names;
use super::objects::Objects;
use super::search::{By, ClassTag, Kind, Root, Search, Step};

/// Where a thread's own objects are.
const THREAD: &str = "java.lang.Thread";

/// Arrays of one step that are looked into.
const MOST_ARRAYS: usize = 16;

/// A path, and what else could have been taken at each of its steps.
#[derive(Debug, Default)]
pub(super) struct Path {
    taken: Vec<Taken>,
    /// The best so far, if another way came to nothing or to a method's variable.
    best: (Ends, Vec<Known>),
    /// The group's first objects that lie below something of a running method's.
    at_work: Objects,
    /// What a method's variable refers to, if nothing else was found to hold it: whether it lasts until the next walk.
    last_look: Vec<u32>,
    is_done: bool,
}

/// What a way came to; the best is the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Ends {
    /// Nothing, so far.
    #[default]
    Nowhere,
    /// A variable of a running method.
    AtWork,
    /// What lasts.
    Held,
}

#[derive(Debug)]
struct Taken {
    step: Step,
    others: Vec<Step>,
}

/// A link, and the first arrays that it is about.
#[derive(Debug)]
struct Known {
    link: Link,
    arrays: Vec<u32>,
}

impl Path {
    /// Whether it is as long as it gets.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether only a method's variable was found to hold it, and what remains is to see whether that lasts.
    pub(super) fn waits_for_a_last_look(&self) -> bool {
        self.taken.is_empty() && !self.last_look.is_empty() && !self.is_done
    }

    /// The class of what refers to the group's objects by the last step: the next walk looks for references to its objects. `None`: no step yet.
    pub(super) fn class(&self) -> Option<ClassTag> {
        match self.taken.last()?.step.by {
            By::Element(class) | By::Field(class, _) => Some(class),
            By::Static(..) | By::Root(_) => None,
        }
    }

    /// Takes note of what the walk tells of what the one before it found: what is a method's at work.
    pub(super) fn measure(&mut self, search: &Search, group: usize) {
        if self.waits_for_a_last_look() {
            self.at_work = search.gone(group, self.last_look.iter());
            self.is_done = true;
        }
        let Some(last) = self.taken.last() else { return };
        let found = iter::once(&last.step).chain(&last.others).filter(|step| search.shows(step.by));
        let found = found.flat_map(|step| &step.from);
        self.at_work = self.at_work.with(search.at_work(group, found));
    }

    /// Of the group's first objects those that only a method at work has: nothing on the path to a field of a class, or what was gone soon.
    pub(super) fn at_work(&self) -> Objects {
        match self.taken.last() {
            Some(Taken { step: Step { by: By::Static(..), below, .. }, .. }) => self.at_work.without(*below),
            None if self.is_done && !self.last_look.is_empty() => self.at_work,
            _ => Objects::default(),
        }
    }

    /// Goes on by the best of the ways; back, if there is none. What refers then is looked for by the next walk.
    pub(super) fn go_on(&mut self, steps: Vec<Step>, names: &Names) -> Option<&[u32]> {
        if self.is_done {
            return None;
        }
        let mut steps: Vec<_> = steps.into_iter().filter(|step| holds(step, names)).collect();
        // What a lambda captured is mostly what refers to the lambda: a way back, which costs walks.
        steps.sort_by_key(|step| (step.kind(), step.kind() == Kind::Fields && is_captured(step, names)));
        steps.reverse();
        loop {
            if let Some(step) = steps.pop() {
                let ends = ends(&step, names);
                self.is_done = ends == Ends::Held || self.taken.len() + 1 >= MOST_LINKS;
                self.taken.push(Taken { step, others: steps });
                if ends != Ends::AtWork {
                    let last = self.taken.last()?;
                    return Some(&last.step.from).filter(|_| !self.is_done).map(Vec::as_slice);
                }
            }
            // What lasts may hold it, too: the other ways come first.
            self.keep_best(names);
            match self.taken.pop() {
                Some(last) => steps = last.others,
                None => {
                    self.is_done = self.last_look.is_empty();
                    return None;
                }
            }
        }
    }

    /// All links. `room` says how full some arrays are, all together.
    pub(super) fn links(mut self, names: &Names, room: impl Fn(&[u32]) -> Option<Room>) -> Vec<Link> {
        self.keep_best(names);
        let with_room = |Known { link, arrays }: Known| {
            let room = if arrays.is_empty() { None } else { room(&arrays) };
            // Those that were looked into stand for all.
            let of_all = |slots: u64| slots * u64::from(link.holders) / arrays.len() as u64;
            let room = room.map(|Room { used, length }| Room { used: of_all(used), length: of_all(length) });
            Link { room, ..link }
        };
        self.best.1.into_iter().map(with_room).collect()
    }

    fn keep_best(&mut self, names: &Names) {
        let ends = self.taken.last().map_or(Ends::Nowhere, |last| ends(&last.step, names));
        if (ends, self.taken.len()) > (self.best.0, self.best.1.len()) {
            if let [.., of_variable, _] = &self.taken[..]
                && ends == Ends::AtWork
            {
                self.last_look.clone_from(&of_variable.step.from);
            }
            self.best = (ends, self.taken.iter().filter_map(|taken| known(&taken.step, names)).collect());
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

fn is_captured(step: &Step, names: &Names) -> bool {
    let By::Field(class, _) = step.by else { return false };
    names.of(class).is_some_and(|class| is_of_lambda(&class.name))
}

fn ends(step: &Step, names: &Names) -> Ends {
    let is_held = match step.by {
        By::Root(Root::Local) => return Ends::AtWork,
        By::Static(..) | By::Root(_) => true,
        By::Field(class, index) => {
            names.of(class).and_then(|class| class.field(index)).is_some_and(|(class, _)| class == THREAD)
        }
        By::Element(_) => step.from.is_empty(),
    };
    if is_held { Ends::Held } else { Ends::Nowhere }
}

fn known(Step { by, from, .. }: &Step, names: &Names) -> Option<Known> {
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
    let arrays =
        if by == LinkKind::Element { from.iter().copied().take(MOST_ARRAYS).collect() } else { Vec::new() };
    Some(Known { link: Link { class, by, holders: from.len().max(1) as u32, room: None, expiry }, arrays })
}

impl Root {
    fn words(self) -> &'static str {
        match self {
            Self::Thread => "a thread that runs",
            Self::Local => AT_WORK,
            Self::Jni => "native code",
            Self::Constant => "a constant of a class",
            Self::Other => "the JVM",
        }
    }
}
