//! Who holds chosen objects: short walks of the heap that go one step nearer to the roots each, at a fifteenth of a dump's price an object.
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
use mayfly_profile::Link;
use rustc_hash::FxHashMap;

use names::{Names, tag_classes};
pub(crate) use objects::MOST_OBJECTS;
use objects::Objects;
use path::Path;
pub(crate) use search::MOST_GROUPS;
use search::{By, ClassTag, Search, Step};

/// Walks of one search; a path has fewer steps.
const MOST_WALKS: usize = 24;

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
        for (found, class) in found.iter_mut().zip(of_class) {
            found.on_heap = class.and_then(|class| objects.get(&class).copied());
        }
    }
    let mut names = Names::default();
    let paths = paths(&walk, &mut search, &mut names, found.len(), time)?;
    for ((found, path), objects) in found.iter_mut().zip(paths).zip(groups) {
        found.at_work = path.at_work().among(Objects::first(objects / 2)).count();
        found.path = path.links(&names);
    }
    Ok(found)
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

fn paths(
    walk: &HeapWalk<'_>,
    search: &mut Search,
    names: &mut Names,
    groups: usize,
    time: Duration,
) -> Result<Vec<Path>, JvmtiError> {
    let until = Instant::now() + time;
    let mut paths: Vec<Path> = (0..groups).map(|_| Path::default()).collect();
    for _ in 0..MOST_WALKS {
        let is_last = paths.iter().all(|path| path.is_done() || path.waits_for_a_last_look());
        if is_last {
            let pause = time / 4;
            if Instant::now() + pause > until {
                break;
            }
            // Threads stood still in all walks: methods at work have to go on.
            thread::sleep(pause);
        }
        let began = Instant::now();
        search.begin(until);
        walk.follow(Follow::default(), search)?;
        if search.gave_up {
            break;
        }
        let took = began.elapsed();
        let is_open = |path: &Path| !path.is_done() && (is_last || !path.waits_for_a_last_look());
        let open = paths.iter_mut().enumerate().filter(|(_, path)| is_open(path));
        let mut steps: Vec<(usize, Vec<Step>)> = Vec::new();
        for (group, path) in open {
            path.measure(search, group);
            steps.extend(search.steps(group).map(|found| (group, found)));
        }
        names.learn(walk, &classes(steps.iter().flat_map(|(_, steps)| steps)))?;
        for (group, steps) in steps {
            if let Some(next) = paths[group].go_on(steps, names) {
                search.want(group, next);
            }
        }
        if paths.iter().all(Path::is_done) || Instant::now() + took > until {
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
