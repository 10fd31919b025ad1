//! Rewriting the classes that are loaded already, in batches, and giving them back as they were.
//!
//! Not here: what a hook is asked for each of them (`rewriting`).

use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_classfile::allocation::{dynamic_calls, has_hooks_without_places, may_get_hooks};
use mayfly_classfile::nan_constants;
use mayfly_jvmti::{Class, Jni, JvmtiEnv, JvmtiError};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::target_jvm::release::{FIRST_WITH_CHEAP_BATCHES, LEFT_ALONE};

/// Classes changed at once: the program is paused for each batch, and the JVM looks at all its classes in each pause.
const BATCH: usize = 500;
/// The same where it does so for each class of a batch.
const SMALL_BATCH: usize = 20;
/// How often it is looked for classes that were being loaded when the hook came.
const MOST_PASSES: usize = 4;

/// Constants NaN in a class with which it may be changed once more, and given back. HotSpot takes over the constants of a class that
/// is changed, but for those that it has; NaN equals nothing, so all NaN come again: on JDK 21 and later three times as many with each begin and
/// end. With more than 65,535 constants JVMTI's `GetConstantPool` never returns, and nor does any safepoint.
const MOST_NANS: usize = 1000;

/// A class that stays as it is.
#[derive(Debug, thiserror::Error)]
pub(super) enum LeftAsItIs {
    #[error("the JVM does not take {0} rewritten ({1})")]
    Refused(String, JvmtiError),
    #[error("{0} was changed too often: the JVM copies its constants NaN each time")]
    ChangedTooOften(String),
}

/// Names of classes, by their hashes.
#[derive(Debug, Default)]
pub(super) struct ClassNames(Mutex<FxHashSet<u64>>);

impl ClassNames {
    /// Takes note of a name as `Class.getName()` gives it.
    pub(super) fn add(&self, name: &str) {
        self.lock().insert(FxBuildHasher.hash_one(name));
    }

    fn has(&self, name: &str) -> bool {
        self.lock().contains(&FxBuildHasher.hash_one(name))
    }

    fn lock(&self) -> MutexGuard<'_, FxHashSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What it takes to begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Price {
    /// Classes that are loaded.
    pub(super) loaded: usize,
    /// Those of them that are rewritten.
    pub(super) rewritten: usize,
    /// Call sites in these that the program links anew when it comes by.
    pub(super) call_sites: usize,
}

/// What [`rewrite`] would take. `None` if the JVM has no memory to tell which classes there are.
pub(super) fn price(jvmti: &JvmtiEnv, jni: Jni<'_>, places: bool) -> Option<Price> {
    jvmti.with_loaded_classes(jni, |classes| {
        let mut price = Price { loaded: classes.len(), ..Price::default() };
        for class in classes.iter().filter(|class| jvmti.is_modifiable(**class)) {
            let Some(name) = jvmti.class_name(*class).filter(|name| !is_left_alone(name)) else { continue };
            if look(jvmti, *class, &name, places, &|_| ()) == Look::Wanted {
                price.rewritten += 1;
                let codes = jvmti.class_codes(*class).into_iter().flatten().map_while(Result::ok);
                price.call_sites += codes.map(|code| dynamic_calls(&code)).sum::<usize>();
            }
        }
        price
    })
}

fn is_left_alone(name: &str) -> bool {
    LEFT_ALONE.iter().any(|start| name.starts_with(start))
}

/// Has the hook, which is on, asked for all classes that it was not asked for while they were loaded, and that may get hooks;
/// with `places`, of object creations too. `seen` are those that it was asked for, to which those without anything to hook are
/// added; `changed` those that are as they were not before, to which those are added that have hooks of an earlier session. `refuse` is told of each
/// that stays as it is.
pub(super) fn rewrite(
    jvmti: &JvmtiEnv,
    jdk: u32,
    jni: Jni<'_>,
    seen: &ClassNames,
    changed: &ClassNames,
    places: bool,
    refuse: &dyn Fn(LeftAsItIs),
) -> Option<()> {
    for pass in 0..MOST_PASSES {
        let is_wanted = |class: Class<'_>, name: &str| {
            // In the first pass all: what was seen may be another loader's class of that name.
            if is_left_alone(name) || (pass > 0 && seen.has(name)) {
                return false;
            }
            let found = look(jvmti, class, name, places, refuse);
            if found == Look::Hooked {
                changed.add(name);
            }
            if found != Look::Wanted {
                seen.add(name);
            }
            found == Look::Wanted
        };
        if each_batch(jvmti, jdk, jni, &is_wanted, refuse)? == 0 {
            break;
        }
    }
    Some(())
}

/// Whether a class of that name is loaded.
pub(super) fn has(jvmti: &JvmtiEnv, jni: Jni<'_>, name: &str) -> bool {
    let is_it = |class: &Class<'_>| jvmti.class_name(*class).is_some_and(|it| it == name);
    jvmti.with_loaded_classes(jni, |classes| classes.iter().any(is_it)).unwrap_or(false)
}

/// Has the JVM take classes of these names as they were before: the hook is off.
pub(super) fn restore(jvmti: &JvmtiEnv, jdk: u32, jni: Jni<'_>, names: &ClassNames) {
    each_batch(jvmti, jdk, jni, &|_, name| names.has(name), &|_| ());
}

/// What a loaded class has to do with hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// There is nothing to hook in it, or it must be left as it is.
    Nothing,
    /// It has its hooks from an earlier session.
    Hooked,
    /// Rewriting may find something in it.
    Wanted,
}

/// Looks at a class: in the JVM's own form of it, which takes a fraction of the time that it takes to write the class out and take it
/// anew. `refuse` is told if it would be changed once too often.
fn look(jvmti: &JvmtiEnv, class: Class<'_>, name: &str, places: bool, refuse: &dyn Fn(LeftAsItIs)) -> Look {
    let codes = || jvmti.class_codes(class);
    let (Some(constants), Some(all), Some(again)) = (jvmti.class_constants(class), codes(), codes()) else {
        return Look::Wanted;
    };
    if !places && has_hooks_without_places(&constants, all.map_while(Result::ok)) {
        return Look::Hooked;
    }
    let mut is_read = true;
    let again = again.map_while(|code| code.inspect_err(|_| is_read = false).ok());
    let may = may_get_hooks(name.replace('.', "/").as_bytes(), &constants, again, places) || !is_read;
    if may && nan_constants(&constants) > MOST_NANS {
        refuse(LeftAsItIs::ChangedTooOften(name.to_owned()));
        return Look::Nothing;
    }
    if may { Look::Wanted } else { Look::Nothing }
}

/// Retransforms the loaded classes that are wanted, asked with their names; how many there were. `None` if the JVM has no memory to tell them.
fn each_batch(
    jvmti: &JvmtiEnv,
    jdk: u32,
    jni: Jni<'_>,
    is_wanted: &dyn Fn(Class<'_>, &str) -> bool,
    refuse: &dyn Fn(LeftAsItIs),
) -> Option<usize> {
    jvmti.with_loaded_classes(jni, |classes| {
        let wanted = |class: &Class<'_>| {
            jvmti.is_modifiable(*class)
                && jvmti.class_name(*class).is_some_and(|name| is_wanted(*class, &name))
        };
        let wanted: Vec<_> = classes.iter().copied().filter(wanted).collect();
        let most = if jdk < FIRST_WITH_CHEAP_BATCHES { SMALL_BATCH } else { BATCH };
        for batch in wanted.chunks(most) {
            retransform(jvmti, batch, refuse);
        }
        wanted.len()
    })
}

/// All of them or, where one is in the way, all but that one.
fn retransform(jvmti: &JvmtiEnv, classes: &[Class<'_>], refuse: &dyn Fn(LeftAsItIs)) {
    let Err(error) = jvmti.retransform(classes) else { return };
    match classes {
        [] => {}
        [class] => refuse(LeftAsItIs::Refused(jvmti.class_name(*class).unwrap_or_default(), error)),
        _ => {
            let (first, second) = classes.split_at(classes.len() / 2);
            retransform(jvmti, first, refuse);
            retransform(jvmti, second, refuse);
        }
    }
}
