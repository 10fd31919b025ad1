//! Who holds chosen objects: short walks of the heap that go one step nearer to the roots each, at a fifteenth of a dump's price an object,
//! or, where only references to one class are shown, a third of that.
//!
//! Not here: whose objects they are, and when it is looked for (`steering`).

mod names;
mod objects;
mod path;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use mayfly_jvmti::{Follow, HeapObject, HeapWalk, Jni, JvmtiError, Object, Visit, Vm};
use mayfly_profile::{Link, Room};
use rustc_hash::FxHashMap;

use names::{Names, tag_classes};
pub(crate) use objects::MOST_OBJECTS;
use objects::Objects;
use path::Path;
pub(crate) use search::MOST_GROUPS;
use search::{By, ClassTag, Search, Step};

/// Walks of one search.
const MOST_WALKS: usize = 100;
/// Steps of a path, mostly fewer.
const STEPS: u32 = 8;
/// A walk that shows all references takes as long as so many that show those to one class: the JVM looks up four tags for each that it shows.
const OF_ONE_CLASS: u32 = 3;
/// Slots of arrays that are looked into, some milliseconds.
const MOST_SLOTS: usize = 1 << 18;

/// What was found of a group.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Objects of it that are alive.
    pub(crate) looked: u32,
    /// From what refers to them on.
    pub(crate) path: Vec<Link>,
    /// Objects of their class on the heap, whoever made them and when; `None`: not counted.
    pub(crate) on_heap: Option<u64>,
    /// Of the first half of them those that only methods at work have, though a field of a class has others.
    pub(crate) at_work: u32,
}

/// Who holds the objects of each group, of which there are so many, the oldest first; `get` gives one as a fresh local reference, if it is alive. All pauses
/// together take no longer than `time`, and so long is the heap looked at: of a large one nothing, or the first steps, are found. `counted`: all
/// objects of their classes are counted, too, in a pause of its own.
///
/// # Errors
/// Refused by the VM.
pub(crate) fn retention<'call>(
    vm: Vm,
    jni: Jni<'call>,
    groups: &[usize],
    time: Duration,
    counted: bool,
    get: impl Fn(usize, usize) -> Option<Object<'call>>,
) -> Result<Vec<Found>, JvmtiError> {
    let walk = HeapWalk::new(vm, jni)?;
    let mut search = Search::new(tag_classes(&walk)?);
    let (mut found, mut of_class) = (Vec::new(), Vec::new());
    for (group, &objects) in groups.iter().enumerate().take(MOST_GROUPS) {
        let (mut looked, mut class) = (0, None);
        for (number, object) in (0..objects).filter_map(|index| Some((index, get(group, index)?))) {
            if let Some(tag) = search.add(walk.tag(object)?, group, number) {
                walk.set_tag(object, tag)?;
                looked += 1;
            }
            if class.is_none() {
                let of_object = jni.class_of(object);
                class = Some(walk.tag(of_object.as_object())?);
                jni.forget(of_object.as_object());
            }
            // The walk would meet it as a root.
            jni.forget(object);
        }
        of_class.push(class);
        found.push(Found { looked, ..Found::default() });
    }
    if counted {
        let objects = count(&walk, of_class.iter().flatten().map(|&class| (class, 0)).collect())?;
        for (found, class) in found.iter_mut().zip(&of_class) {
            found.on_heap = class.and_then(|class| objects.get(&class).copied());
        }
    }
    let mut names = Names::default();
    let paths = paths(&walk, &mut search, &mut names, &of_class, time)?;
    let room = |arrays: &[u32]| {
        let tags: Vec<_> = arrays.iter().map(|&array| search.tag(array)).collect();
        room(&walk, &tags)
    };
    for ((found, path), objects) in found.iter_mut().zip(paths).zip(groups) {
        found.at_work = path.at_work().among(Objects::first(objects / 2)).count();
        found.path = path.links(&names, room);
    }
    Ok(found)
}

/// How full the arrays with these tags are, all together. `None`: they have too many slots.
fn room(walk: &HeapWalk<'_>, tags: &[i64]) -> Option<Room> {
    let jni = walk.jni();
    let mut room = Room::default();
    let mut is_known = true;
    for (object, _) in walk.objects_with_tags(tags).ok()? {
        match jni.array_of_objects(object) {
            Some(array) if room.length as usize + array.len(jni) <= MOST_SLOTS => {
                room.length += array.len(jni) as u64;
                for slot in (0..array.len(jni)).filter_map(|slot| array.get(jni, slot)) {
                    room.used += 1;
                    jni.forget(slot);
                }
            }
            _ => is_known = false,
        }
        jni.forget(object);
    }
    Some(room).filter(|_| is_known)
}

/// Adds the objects of each of these classes.
fn count(
    walk: &HeapWalk<'_>,
    mut objects: FxHashMap<ClassTag, u64>,
) -> Result<FxHashMap<ClassTag, u64>, JvmtiError> {
    walk.iterate(|object: &HeapObject<'_>| {
        if let Some(objects) = objects.get_mut(&object.class_tag) {
            *objects += 1;
        }
        Visit::Continue
    })?;
    Ok(objects)
}

/// How long walks take, and until when they may.
struct Pace {
    until: Instant,
    /// What a walk takes that shows references to one class.
    unit: Option<Duration>,
}

impl Pace {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Whether there is time for paths of all groups by walks that show all references.
    fn is_enough_for_all(&self) -> bool {
        self.unit.is_some_and(|unit| unit * OF_ONE_CLASS * STEPS <= self.left())
    }

    fn is_enough_for(&self, units: u32) -> bool {
        self.unit.is_none_or(|unit| unit * units <= self.left())
    }

    /// One walk that shows references to objects of this class, or all; whether it came to its end.
    fn walk(
        &mut self,
        walk: &HeapWalk<'_>,
        search: &mut Search,
        shown: Option<ClassTag>,
    ) -> Result<bool, JvmtiError> {
        let units = if shown.is_some() { 1 } else { OF_ONE_CLASS };
        if !self.is_enough_for(units) {
            return Ok(false);
        }
        let began = Instant::now();
        search.begin(self.until, shown);
        let class = match shown {
            Some(tag) => walk.classes_with_tags(&[tag])?.first().map(|&(class, _)| class),
            None => None,
        };
        walk.follow(Follow { class, ..Follow::default() }, search)?;
        class.into_iter().for_each(|class| walk.jni().forget(class.as_object()));
        self.unit = Some(began.elapsed() / units);
        Ok(!search.gave_up)
    }
}

/// The paths of groups whose objects are of these classes. Of a heap that is too large for those of all in this time, the first groups' are
/// looked for, one class at a time.
fn paths(
    walk: &HeapWalk<'_>,
    search: &mut Search,
    names: &mut Names,
    of_class: &[Option<ClassTag>],
    time: Duration,
) -> Result<Vec<Path>, JvmtiError> {
    let mut pace = Pace { until: Instant::now() + time, unit: None };
    let mut paths: Vec<Path> = of_class.iter().map(|_| Path::default()).collect();
    let wanted = |path: &Path, group: usize| path.class().or(of_class[group]);
    for _ in 0..MOST_WALKS {
        let is_last = paths.iter().all(|path| path.is_done() || path.waits_for_a_last_look());
        if is_last {
            let pause = time / 4;
            if pause > pace.left() {
                break;
            }
            // Threads stood still in all walks: methods at work have to go on.
            thread::sleep(pause);
        }
        let is_open = |path: &Path| !path.is_done() && (is_last || !path.waits_for_a_last_look());
        let first = paths.iter().zip(0..).find(|(path, _)| is_open(path));
        let shown = first
            .filter(|_| !is_last && !pace.is_enough_for_all())
            .and_then(|(path, group)| wanted(path, group));
        if !pace.walk(walk, search, shown)? {
            break;
        }
        let is_shown = |path: &Path, group: usize| shown.is_none() || wanted(path, group) == shown;
        let mut steps: Vec<(usize, Vec<Step>)> = Vec::new();
        for (path, group) in paths.iter_mut().zip(0..) {
            if is_open(path) && is_shown(path, group) {
                path.measure(search, group);
                steps.extend(search.steps(group).map(|found| (group, found)));
            }
        }
        names.learn(walk, &classes(steps.iter().flat_map(|(_, steps)| steps)))?;
        for (group, steps) in steps {
            if let Some(next) = paths[group].go_on(steps, names) {
                search.want(group, next);
            }
        }
        if paths.iter().all(Path::is_done) {
            break;
        }
    }
    Ok(paths)
}

fn classes<'a>(steps: impl Iterator<Item = &'a Step>) -> BTreeSet<ClassTag> {
    steps
        .filter_map(|step| match step.by {
            By::Static(class, _) | By::Element(class) | By::Field(class, _) => Some(class),
            By::Root(_) => None,
        })
        .collect()
}
