//! Who holds what grows, if that was looked for as the program's end began; and what that says of the growth.
//!
//! Not here: how paths are found, which is the agent's.

use std::fmt::Write;
use std::{iter, ptr};

use super::growth::Growth;
use crate::derived::program::holders_that_drop;
use crate::facts::class_name::readable_class;
use crate::facts::expiry::is_of_bounded_cache;
use crate::facts::in_source::is_of_lambda;
use crate::facts::jdk::is_of_the_program;
use crate::facts::retention::{Link, LinkKind, RetentionRow, Room};
use crate::facts::soft::is_soft;

/// Objects of one holder from which on it is a container.
const MANY: u32 = 4;
/// Slots in use of an array that has few, and of arrays that each have many, on average.
const FEW_SLOTS: u64 = 8;
const MANY_SLOTS: u64 = 16;
/// A part of what is old that is used by methods at this moment, and by nobody else: what leaks is forgotten.
const LENT: f64 = 0.2;
/// A cache that drops entries has dropped so many, for each that is there: it is full, and no leak.
const LOST: f64 = 0.25;
/// Classes of the JDK whose array is as long as it was made.
const FIXED: [&str; 2] =
    ["java.util.concurrent.ArrayBlockingQueue", "java.util.concurrent.atomic.AtomicReferenceArray"];
/// What is further from the objects than was looked.
const REST: &str = "...";
/// The JDK's class whose fields are as good as roots.
const THREAD: &str = "java.lang.Thread";
/// The JDK's class of what a thread has in thread locals, with its parts.
const THREAD_LOCALS: &str = "java.lang.ThreadLocal$ThreadLocalMap";
/// The packages of the JDK's collections.
const COLLECTIONS: &str = "java.util.";
/// The field of a reference that it refers by.
const REFERENT: &str = "referent";

/// Who holds what grows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holder {
    /// The program's own field nearest above the container, as `a.B.field`; where the program has none, the root. `None` if the way to it was
    /// too long to be looked for.
    pub name: Option<String>,
    /// The way from the root, or from `REST`, to the objects.
    pub path: Vec<String>,
    /// The part of it from what names it to where they come together; empty if they do nowhere.
    pub container: Vec<String>,
    /// The program's own class of what the container has, of which the objects are parts; `None`: they are in it themselves, or it has none.
    pub element: Option<String>,
    /// Slots of the array that they are in, if it is one that is not replaced by a larger one, as far as is known.
    pub room: Option<Room>,
    /// Whether a soft reference is on the way.
    pub is_soft: bool,
    /// A field of the container, or of what has it, by which entries may be dropped in time, as `a.B.field`.
    pub expiry: Option<String>,
    /// Whether the way was found to where many of them come together, or to a root.
    pub is_contained: bool,
    /// The class of an entry of theirs in a cache with a bound.
    pub cache: Option<String>,
    /// Of the older half of the objects, how large a part only methods at work have.
    pub at_work: f64,
    /// Whether they are in slots of full arrays, which are in such arrays: none of these is replaced by a larger one.
    pub is_full: bool,
    /// Whether each thread has some, by fields and arrays that do not grow: there are as many as threads.
    pub is_of_each_thread: bool,
}

impl Holder {
    /// By what is known of the objects of one class and site, in a program whose classes' names begin so, if that is known.
    pub(super) fn of(rows: &[&RetentionRow], family: Option<&str>) -> Option<Self> {
        let (at_work, held): (Vec<&RetentionRow>, Vec<_>) =
            rows.iter().copied().partition(|row| row.is_at_work());
        let (row, at_work) = match held.first() {
            Some(&row) => (row, at_work.first().map_or(0, |row| row.looked)),
            None => (*at_work.first()?, 0),
        };
        let older = (row.looked / 2).max(1);
        Some(Self { at_work: f64::from(at_work) / f64::from(older), ..Self::by_path(row, family) })
    }

    fn by_path(row: &RetentionRow, family: Option<&str>) -> Self {
        let links = &row.path;
        let whole = gathering(row);
        let gathering = whole.map(|at| within_full(links, at));
        // Of few objects it is the array, or the JDK's object, nearest to them.
        let of_jdk = || links.iter().position(|link| !is_of_the_program(&link.class));
        let (inner, outer) = links.split_at(gathering.or_else(of_jdk).unwrap_or(0));
        let is_own = |link: &&Link| link.is_field() && link.is_own();
        let root = links.last().filter(|link| link.is_root());
        // A container that the program's own field has, in each of few.
        let has_container = |pair: &&[Link]| {
            let is_shared = pair[1].holders * 2 <= row.looked;
            is_shared && is_own(&&pair[1]) && !is_of_the_program(&pair[0].class)
        };
        let of_parts = || inner.windows(2).rev().find(has_container).map(|pair| &pair[1]);
        let name = match (gathering, root) {
            // What was found in the time there was are parts of what grows.
            (None, None) => links.windows(2).find(has_container).map(|pair| &pair[1]),
            _ => {
                let mut own = outer.iter().filter(is_own);
                let first = own.next();
                // Of a cache that is a map the field that has it.
                let of_map = first.filter(|link| link.is_of_its_table()).and_then(|_| own.next());
                of_map.or(first).or_else(of_parts).or(root)
            }
        };
        let holders = outer.iter().map(|link| is_own(&link).then_some(link.class.as_str()));
        let drops = holders_that_drop(holders, family);
        let rest = root.is_none().then(|| REST.to_owned());
        let room = outer
            .first()
            .zip(outer.get(1))
            .and_then(|(array, of)| array.room.filter(|_| of.has_fixed_array()));
        Self {
            name: name.map(Link::name),
            path: rest.into_iter().chain(links.iter().rev().map(Link::name)).collect(),
            container: gathering
                .and_then(|_| outer.iter().position(|link| name.is_some_and(|name| ptr::eq(link, name))))
                .map_or_else(Vec::new, |at| outer[..=at].iter().rev().map(Link::name).collect()),
            element: gathering.and_then(|_| inner.iter().rev().find(is_own)).map(|link| link.class.clone()),
            room,
            is_full: gathering != whole && room.is_some_and(|room| room.used == room.length),
            expiry: outer.iter().take(drops.unwrap_or(outer.len())).find_map(Link::expiry),
            is_soft: links.iter().any(|link| is_soft(&link.class) && link.is_referent()),
            is_contained: gathering.is_some() || root.is_some(),
            cache: iter::once(&row.class)
                .chain(links.iter().map(|link| &link.class))
                .find(|class| is_of_bounded_cache(class))
                .cloned(),
            at_work: 0.0,
            is_of_each_thread: gathering.is_none() && is_of_each_thread(links),
        }
    }

    /// What it makes of growth that is sure but for that, of which so many were lost after some time, for each that is there.
    pub(super) fn judge(&self, growth: Growth, lost: f64) -> Growth {
        let is_worth_it = growth.is_worth_a_search() && self.is_contained;
        if (is_worth_it || matches!(growth, Growth::Unsure(_))) && lost >= LOST && self.dropped().is_some() {
            return Growth::Harmless;
        }
        if matches!(growth, Growth::Unsure(_)) {
            if self.is_full {
                return Growth::Harmless;
            }
            // What is known of its container says more than that it is too early.
            let dropped = self.is_contained.then(|| self.dropped()).flatten();
            return dropped.map_or(growth, Growth::Unsure);
        }
        if !growth.is_worth_a_search() {
            return growth;
        }
        if self.is_of_each_thread {
            return Growth::Unsure(
                "each thread has its own, by thread locals: it may be no more than threads are".to_owned(),
            );
        }
        if self.is_soft {
            return Growth::Unsure("a soft reference holds it: the collector may take it".to_owned());
        }
        // Of entries that are held softly each has its reference: that lies on this side of what has them all.
        if !growth.is_sure() && !self.is_contained {
            return growth;
        }
        if let Some(why) = self.dropped() {
            return Growth::Unsure(why);
        }
        if self.at_work >= LENT {
            return Growth::Unsure(format!(
                "methods at work have {:.0} % of those that were made in the first half of the time: it may be a pool under a rising load",
                100.0 * self.at_work
            ));
        }
        if self.is_full {
            return Growth::Unsure(format!(
                "they fill all slots of {}, of which there are no more: what is new replaces what is old",
                self.name.as_deref().unwrap_or(REST)
            ));
        }
        match self.room.filter(|room| room.used < room.length) {
            Some(Room { used, length }) => Growth::Unsure(format!(
                "{} is an array of {length} slots, of which {used} are taken: it may be a ring or a pool that is not full yet",
                self.name.as_deref().unwrap_or(REST)
            )),
            None => Growth::Grows,
        }
    }

    /// Why entries of the container may be dropped, if they may.
    fn dropped(&self) -> Option<String> {
        let of_cache = self.cache.as_ref().map(|class| {
            let class = readable_class(class);
            format!("{class} is of a cache that drops entries: it may not be full yet, or replace them")
        });
        let in_time = || {
            let field = self.expiry.as_ref()?;
            Some(format!(
                "{field} tells of entries that are dropped in time: it may be a cache, full or not yet"
            ))
        };
        of_cache.or_else(in_time)
    }

    /// Whether both are one container that the program has in one field, and in the same part of it.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.has_name_of(other) && self.path == other.path
    }

    /// Whether one collection, which the program has in one field, is where both come together.
    pub(super) fn is_container_of(&self, other: &Self) -> bool {
        self.has_name_of(other) && !self.container.is_empty() && self.container == other.container
    }

    /// Whether both are parts of elements of one class of the program's.
    pub(super) fn has_elements_of(&self, other: &Self) -> bool {
        self.element.is_some() && self.element == other.element
    }

    /// Whether they are parts of elements of this class.
    pub(super) fn has_elements_called(&self, class: &str) -> bool {
        self.element.as_deref() == Some(class)
    }

    /// Whether containers in one field hold both: keys and values, say.
    pub(super) fn has_name_of(&self, other: &Self) -> bool {
        self.is_contained && other.is_contained && self.name.is_some() && self.name == other.name
    }
}

/// The link at which many come together, if there is one. Where that has few, or is a method at work, and they come from arrays of which each has
/// many, these: a list in each of four topics, of which the map never grows.
fn gathering(row: &RetentionRow) -> Option<usize> {
    let links = &row.path;
    let whole = links.iter().position(|link| link.holders * MANY <= row.looked)?;
    let has_few = match links[whole].by {
        LinkKind::Element => links[whole].room.is_some_and(|room| room.used <= FEW_SLOTS),
        LinkKind::Root(_) => true,
        LinkKind::Field(_) | LinkKind::StaticField(_) => false,
    };
    let has_many =
        |link: &Link| link.room.is_some_and(|room| room.used >= MANY_SLOTS * u64::from(link.holders));
    let parts = links[..whole].iter().position(has_many).filter(|_| has_few);
    parts.or(Some(whole))
}

/// The same, below an array that is full and is not replaced by a larger one: what it has does not become more, but what is in that, say slots of a ring in
/// each of its rooms.
fn within_full(links: &[Link], gathering: usize) -> usize {
    let is_full = |at: usize| {
        let room = links[at].room.filter(|room| room.used == room.length);
        room.is_some() && links.get(at + 1).is_some_and(Link::has_fixed_array)
    };
    let mut at = gathering;
    while is_full(at)
        && let Some(inner) = links[..at].iter().rposition(|link| link.by == LinkKind::Element)
    {
        at = inner;
    }
    at
}

/// Whether a thread has them by its thread locals, and nothing on the way there takes more and more: no collection, no chain.
fn is_of_each_thread(links: &[Link]) -> bool {
    let Some(of_thread) = links.iter().position(Link::is_of_thread_locals) else { return false };
    let way = &links[..of_thread];
    let is_growing = |(at, link): (usize, &Link)| {
        link.class.starts_with(COLLECTIONS) || way[..at].iter().any(|nearer| nearer.class == link.class)
    };
    !way.iter().enumerate().any(is_growing)
}

impl Link {
    /// Whether it is of what each thread has one of: the JDK's thread locals, or Netty's, which a build may have renamed.
    fn is_of_thread_locals(&self) -> bool {
        self.class.starts_with(THREAD_LOCALS) || self.class.ends_with(".InternalThreadLocalMap")
    }

    fn is_field(&self) -> bool {
        matches!(self.by, LinkKind::Field(_) | LinkKind::StaticField(_))
    }

    /// Whether it is a field of the program's: lambdas have none that anybody could look for.
    fn is_own(&self) -> bool {
        is_of_the_program(&self.class) && !is_of_lambda(&self.class)
    }

    /// Whether it is a field of the JDK's maps and lists for their table, which a class of the program's inherits.
    fn is_of_its_table(&self) -> bool {
        const TABLES: [&str; 2] = ["table", "elementData"];
        matches!(&self.by, LinkKind::Field(name) if TABLES.contains(&name.as_str()))
    }

    fn is_root(&self) -> bool {
        match &self.by {
            LinkKind::StaticField(_) | LinkKind::Root(_) => true,
            LinkKind::Field(_) => self.class == THREAD,
            LinkKind::Element => false,
        }
    }

    fn expiry(&self) -> Option<String> {
        self.expiry.as_ref().map(|field| format!("{}.{field}", readable_class(&self.class)))
    }

    fn is_referent(&self) -> bool {
        matches!(&self.by, LinkKind::Field(name) if name == REFERENT)
    }

    /// Whether an array that it refers to stays as long as it is, for all that is known: collections of the JDK replace theirs, and so does each
    /// hash table, whose class may be of the program's own.
    fn has_fixed_array(&self) -> bool {
        const HASHED: &str = "table";
        let is_hashed = matches!(&self.by, LinkKind::Field(name) if name == HASHED);
        let is_fixed = is_of_the_program(&self.class) || FIXED.contains(&self.class.as_str());
        self.is_field() && is_fixed && !is_hashed
    }

    /// As `a.B.field`, `a.B[]` or what the root is.
    fn name(&self) -> String {
        let mut name = readable_class(&self.class);
        match &self.by {
            LinkKind::Field(field) | LinkKind::StaticField(field) => {
                let _ = write!(name, ".{field}");
            }
            LinkKind::Element => {}
            LinkKind::Root(what) => name.clone_from(what),
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::stack::Stack;

    fn field(class: &str, name: &str, holders: u32) -> Link {
        Link { class: class.into(), by: LinkKind::Field(name.into()), holders, room: None, expiry: None }
    }

    fn fixed(class: &str, name: &str) -> Link {
        Link {
            class: class.into(),
            by: LinkKind::StaticField(name.into()),
            holders: 1,
            room: None,
            expiry: None,
        }
    }

    fn slots(class: &str, holders: u32, used: u64, length: u64) -> Link {
        Link {
            class: class.into(),
            by: LinkKind::Element,
            holders,
            room: Some(Room { used, length }),
            expiry: None,
        }
    }

    fn row(looked: u32, path: Vec<Link>) -> RetentionRow {
        RetentionRow { class: "a.Row".into(), stack: Stack::NONE, looked, path }
    }

    fn holder(path: Vec<Link>) -> Holder {
        Holder::of(&[&row(40, path)], Some("a.")).expect("a row")
    }

    /// "held by svc.Lru.table", which is no field of the source.
    #[test]
    fn a_map_of_the_programs_is_called_by_the_field_that_has_it() {
        let links = [
            field("java.util.HashMap$Node", "value", 40),
            slots("java.util.HashMap$Node[]", 1, 40, 64),
            field("a.Lru", "table", 1),
        ];
        let alone = holder(links.to_vec());
        assert_eq!(alone.name.as_deref(), Some("a.Lru.table"), "nothing else is known");
        let held = holder([&links[..], &[fixed("a.Quotes", "LRU")]].concat());
        assert_eq!(held.name.as_deref(), Some("a.Quotes.LRU"));
    }

    #[test]
    fn the_holder_is_the_programs_field_above_what_has_many() {
        let found = holder(vec![
            field("a.Entry", "row", 40),
            field("java.util.HashMap$Node", "value", 40),
            slots("[Ljava.util.HashMap$Node;", 1, 60, 64),
            field("java.util.HashMap", "table", 1),
            field("a.Registry", "rows", 1),
            fixed("a.Main", "REGISTRY"),
        ]);
        assert_eq!(found.name.as_deref(), Some("a.Registry.rows"));
        assert_eq!(found.element.as_deref(), Some("a.Entry"));
        assert_eq!(found.path[0], "a.Main.REGISTRY");
        assert_eq!(found.path[3], "java.util.HashMap$Node[]");
        assert_eq!((found.room, found.is_soft), (None, false), "the map gets a larger table");
    }

    /// A list in each of ten sessions, which one map has.
    #[test]
    fn parts_of_what_grows_do_not_hold_it() {
        let of_sessions = holder(vec![
            slots("[Ljava.lang.Object;", 35, 60, 400),
            field("java.util.ArrayList", "elementData", 35),
            field("a.Session", "rows", 35),
            slots("[Ljava.lang.Object;", 1, 30, 49),
            field("java.util.ArrayList", "elementData", 1),
            fixed("a.Sessions", "OPEN"),
        ]);
        assert_eq!(of_sessions.name.as_deref(), Some("a.Sessions.OPEN"));
        assert_eq!(of_sessions.element.as_deref(), Some("a.Session"));
    }

    /// "held by Engine.topics", a map of four entries, "held by a local variable", and "held by Topic.listeners", of equal runs.
    #[test]
    fn lists_that_each_have_many_hold_it_and_not_a_map_of_few() {
        let topics = [
            slots("[Ljava.lang.Object;", 3, 456, 489),
            field("java.util.ArrayList", "elementData", 3),
            field("a.Topic", "listeners", 3),
        ];
        let of_map = |topics_used| {
            let map = [slots("[La.Node;", 1, topics_used, 128), fixed("a.Engine", "TOPICS")];
            let found = Holder::of(&[&row(4, [&topics[..], &map].concat())], Some("a.")).expect("a row");
            found.name.expect("a name")
        };
        assert_eq!(of_map(4), "a.Topic.listeners");
        assert_eq!(of_map(90), "a.Engine.TOPICS", "lists may be what becomes more");
        let back = [field("a.Subscription", "topic", 620), Link::at_work()];
        let by_method = Holder::of(&[&row(6, [&topics[..], &back].concat())], Some("a.")).expect("a row");
        assert_eq!(by_method.name.as_deref(), Some("a.Topic.listeners"));
    }

    #[test]
    fn parts_are_named_where_only_a_method_has_what_grows() {
        let root = Link::at_work();
        let parts = [field("java.util.ArrayDeque", "elements", 12), field("a.Document", "undo", 12)];
        let list =
            [slots("[Ljava.lang.Object;", 1, 12, 49), field("java.util.ArrayList", "elementData", 1), root];
        let of_documents = holder([&[slots("[Ljava.lang.Object;", 12, 60, 400)][..], &parts, &list].concat());
        assert_eq!(of_documents.name.as_deref(), Some("a.Document.undo"));
        let timer = holder(
            [&[field("a.Passage", "picture", 40), field("a.Passage$1", "this$0", 40)][..], &list].concat(),
        );
        assert_eq!(timer.name.as_deref(), Some("a local variable of a method that runs"));
    }

    /// "Hub$Room leaks, in Hub.rooms", of 160 rooms from the start to the end: the ring of each filled.
    #[test]
    fn what_a_full_array_has_does_not_become_more() {
        let found = |ring_used, rooms_used| {
            holder(vec![
                slots("[[B", 35, ring_used, 2_000),
                field("a.History", "ring", 35),
                field("a.Room", "history", 35),
                slots("[La.Room;", 1, rooms_used, 160),
                field("a.Hub", "rooms", 1),
                fixed("a.Hub", "INSTANCE"),
            ])
        };
        let filling = found(1_900, 160);
        assert_eq!((filling.name.as_deref(), filling.element.as_deref()), (Some("a.History.ring"), None));
        let Growth::Unsure(why) = filling.judge(Growth::Grows, 0.0) else { panic!("it may only fill") };
        assert!(why.starts_with("a.History.ring is an array of 2000 slots"), "{why}");
        let replaced = found(2_000, 160).judge(Growth::Grows, 0.0);
        assert!(replaced.doubt().is_some_and(|why| why.starts_with("they fill all slots of a.History.ring")));
        assert!(found(2_000, 160).judge(Growth::Unsure("few".to_owned()), 0.0).is_harmless());
        let opened = found(1_900, 150);
        assert_eq!(
            (opened.name.as_deref(), opened.element.as_deref()),
            (Some("a.Hub.rooms"), Some("a.Room"))
        );
        let lists = holder(vec![
            slots("[Ljava.lang.Object;", 35, 1_900, 2_000),
            field("java.util.ArrayList", "elementData", 35),
            field("a.Room", "lines", 35),
            slots("[La.Room;", 1, 160, 160),
            fixed("a.Hub", "ROOMS"),
        ]);
        assert_eq!((lists.name.as_deref(), lists.room), (Some("a.Room.lines"), None));
        assert!(lists.judge(Growth::Grows, 0.0).is_sure());
    }

    /// A ring of 9,000 lines, two thirds full.
    #[test]
    fn an_array_of_the_programs_that_is_not_full_is_a_doubt() {
        let ring = |used| holder(vec![slots("[La.Row;", 1, used, 9_000), fixed("a.Log", "LINES")]);
        let Growth::Unsure(why) = ring(6_000).judge(Growth::Grows, 0.0) else { panic!("it may only fill") };
        assert!(why.starts_with("a.Log.LINES is an array of 9000 slots, of which 6000 are taken"), "{why}");
        assert!(ring(9_000).judge(Growth::Grows, 0.0).is_sure(), "what is full and grows does so elsewhere");
        let queue =
            [slots("[Ljava.lang.Object;", 1, 5, 9), field(FIXED[0], "items", 1), fixed("a.B", "QUEUE")];
        assert!(!holder(queue.to_vec()).judge(Growth::Grows, 0.0).is_sure());
        // Of a class of the program's that extends a map.
        let lru =
            [slots("[Ljava.util.HashMap$Node;", 1, 5, 16), field("a.Lru", "table", 1), fixed("a.B", "CACHE")];
        assert!(holder(lru.to_vec()).judge(Growth::Grows, 0.0).is_sure());
    }

    #[test]
    fn what_may_drop_its_entries_is_a_doubt() {
        let bounded = Link { expiry: Some("evictionLock".into()), ..field("b.BoundedCache", "data", 1) };
        let map = [slots("[La.Node;", 1, 9, 16), field("java.util.HashMap", "table", 1)];
        let cached = holder([&map[..], &[bounded.clone(), fixed("a.B", "CACHE")]].concat());
        let Growth::Unsure(why) = cached.judge(Growth::Grows, 0.0) else { panic!("it may be evicted") };
        assert!(why.starts_with("b.BoundedCache.evictionLock tells"), "{why}");
        // "May leak", exit 2, of a cache that had dropped two of five.
        assert!(cached.judge(Growth::Grows, 0.4).is_harmless(), "it is full");
        assert!(cached.judge(Growth::Unsure(String::new()), 0.4).is_harmless());
        let beyond = holder([&map[..], &[field("a.Shop", "sold", 1), bounded]].concat());
        assert!(beyond.judge(Growth::Grows, 0.4).is_sure(), "whatever else dies");
        assert!(beyond.judge(Growth::Grows, 0.0).is_sure(), "of what has the map's owner");
    }

    #[test]
    fn entries_of_a_cache_with_a_bound_are_a_doubt() {
        let entry = [field("com.github.benmanes.caffeine.cache.PSMS", "value", 40)];
        let Growth::Unsure(why) = holder(entry.to_vec()).judge(Growth::Grows, 0.0) else {
            panic!("it has a bound")
        };
        assert!(why.starts_with("com.github.benmanes.caffeine.cache.PSMS is of a cache"), "{why}");
    }

    /// "It grew by 7 samples so far, too few", of a full cache.
    #[test]
    fn that_a_cache_drops_entries_says_more_than_that_samples_are_few() {
        let few = || Growth::Unsure("too few".to_owned());
        let map = [slots("[La.Node;", 1, 9, 16), field("java.util.HashMap", "table", 1)];
        let bounded = Link { expiry: Some("evictionLock".into()), ..field("b.BoundedCache", "data", 1) };
        let cached = holder([&map[..], &[bounded, fixed("a.B", "CACHE")]].concat());
        assert!(cached.judge(few(), 0.0).doubt().is_some_and(|why| why.starts_with("b.BoundedCache")));
        let listed = holder([&map[..], &[fixed("a.B", "ALL")]].concat());
        assert_eq!(listed.judge(few(), 0.0), few());
    }

    /// Buffers of a pool, of which a third is at work.
    #[test]
    fn what_methods_at_work_have_is_a_doubt() {
        let of_deque = field("java.util.ArrayDeque", "elements", 1);
        let pooled =
            row(60, vec![slots("[Ljava.lang.Object;", 1, 40, 64), of_deque, fixed("a.Pool", "FREE")]);
        let judged = |lent| {
            let lent = row(lent, vec![Link::at_work()]);
            Holder::of(&[&lent, &pooled], None).expect("rows").judge(Growth::Grows, 0.0)
        };
        let Growth::Unsure(why) = judged(10) else { panic!("they are in use") };
        assert!(why.starts_with("methods at work have 33 %"), "{why}");
        assert!(judged(2).is_sure(), "requests that are being served");
        let local = Holder::of(&[&row(60, vec![Link::at_work()])], None).expect("a row");
        assert!(local.judge(Growth::Grows, 0.0).is_sure(), "a list of a method that runs for ever");
    }

    #[test]
    fn what_a_soft_reference_holds_is_a_doubt() {
        let cached =
            holder(vec![field("java.lang.ref.SoftReference", "referent", 40), fixed("a.B", "CACHE")]);
        assert!(cached.is_soft && !cached.judge(Growth::Grows, 0.0).is_sure());
        let listed = holder(vec![field("java.util.ArrayList", "elementData", 1), fixed("a.B", "ALL")]);
        assert!(listed.judge(Growth::PerhapsSoftly, 0.0).is_sure(), "no soft reference is on the way");
        let part = holder(vec![field("a.Row", "name", 40)]);
        assert_eq!(part.judge(Growth::PerhapsSoftly, 0.0), Growth::PerhapsSoftly);
    }

    #[test]
    fn what_nobody_of_the_program_holds_is_named_by_what_does() {
        let of_thread = holder(vec![
            field("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value", 40),
            field("java.lang.Thread", "threadLocals", 40),
        ]);
        assert_eq!(of_thread.name.as_deref(), Some("java.lang.Thread.threadLocals"));
    }

    /// "MpscArrayQueue leaks": one more thread of a pool brings 40 of them.
    #[test]
    fn what_each_thread_has_is_a_doubt() {
        let local = || {
            [
                slots("[Ljava.lang.Object;", 20, 640, 640),
                field("z.netty.util.internal.InternalThreadLocalMap", "indexedVariables", 20),
            ]
        };
        let of = |way: &[Link]| holder([way, &local()].concat()).judge(Growth::Grows, 0.0).is_sure();
        let caches = field("z.netty.buffer.PoolThreadCache", "smallSubPageDirectCaches", 20);
        assert!(!of(&[slots("[Lz.netty.buffer.PoolThreadCache$Region;", 20, 780, 780), caches]));
        let listed = field("java.util.ArrayList", "elementData", 20);
        assert!(of(&[slots("[Ljava.lang.Object;", 20, 780, 900), listed]), "a list of each grows");
        let chained = [field("a.Span", "parent", 40), field("a.Span", "parent", 40)];
        assert!(of(&chained), "and so does a chain");
    }

    #[test]
    fn nobody_is_named_where_the_way_to_the_root_is_not_known() {
        let part =
            holder(vec![field("java.lang.String", "value", 40), field("java.util.HashMap$Node", "key", 40)]);
        assert_eq!(
            (part.name, &part.path[..2]),
            (None, &["...".to_owned(), "java.util.HashMap$Node.key".to_owned()][..])
        );
        let future = field("java.util.concurrent.CompletableFuture$UniApply", "fn", 40);
        let captured = vec![field("a.Main$$Lambda/0x1", "arg$1", 40), future];
        assert_eq!(holder(captured.clone()).name, None);
        assert_eq!(holder(vec![field("a.Passage", "picture", 40)]).name, None, "each has one of its own");
        assert_eq!(
            holder([captured, vec![fixed("a.Main", "OPEN")]].concat()).name.as_deref(),
            Some("a.Main.OPEN")
        );
    }
}
