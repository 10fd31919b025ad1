//! Rewriting the classes that are loaded already, in batches, and giving them back as they were.
//!
//! Not here: what a hook is asked for each of them (`rewriting`).

use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_classfile::allocation::may_get_hooks;
use mayfly_classfile::nan_constants;
use mayfly_jvmti::{Class, Jni, JvmtiEnv, JvmtiError};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::target::release::{FIRST_WITH_CHEAP_BATCHES, LEFT_ALONE};

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

/// Has the hook, which is on, asked for all classes that it was not asked for while they were loaded, and that may get hooks;
/// with `places`, of object creations too. `seen` are those that it was asked for, to which those without anything to hook are
/// added. `refuse` is told of each that stays as it is.
pub(super) fn rewrite(
    (jvmti, jdk): (&JvmtiEnv, u32),
    jni: Jni<'_>,
    (seen, places): (&ClassNames, bool),
    refuse: &dyn Fn(LeftAsItIs),
) -> Option<()> {
    for pass in 0..MOST_PASSES {
        let is_wanted = |class: Class<'_>, name: &str| {
            // In the first pass all: what was seen may be another loader's class of that name.
            let is_left = LEFT_ALONE.iter().any(|start| name.starts_with(start));
            if is_left || (pass > 0 && seen.has(name)) {
                return false;
            }
            let may = may_be_changed(jvmti, class, name, places, refuse);
            if !may {
                seen.add(name);
            }
            may
        };
        if each_batch((jvmti, jdk), jni, &is_wanted, refuse)? == 0 {
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
pub(super) fn restore((jvmti, jdk): (&JvmtiEnv, u32), jni: Jni<'_>, names: &ClassNames) {
    each_batch((jvmti, jdk), jni, &|_, name| names.has(name), &|_| ());
}

/// Whether rewriting may find something in a class: asked of the JVM's own form of it, which takes a fraction of the time that it
/// takes to write the class out and take it anew. `refuse` is told if it would be once too often.
fn may_be_changed(
    jvmti: &JvmtiEnv,
    class: Class<'_>,
    name: &str,
    places: bool,
    refuse: &dyn Fn(LeftAsItIs),
) -> bool {
    let (Some(constants), Some(codes)) = (jvmti.class_constants(class), jvmti.class_codes(class)) else {
        return true;
    };
    let mut is_read = true;
    let codes = codes.map_while(|code| code.inspect_err(|_| is_read = false).ok());
    let may = may_get_hooks(name.replace('.', "/").as_bytes(), &constants, codes, places);
    let may = may || !is_read;
    let is_too_often = may && nan_constants(&constants) > MOST_NANS;
    if is_too_often {
        refuse(LeftAsItIs::ChangedTooOften(name.to_owned()));
    }
    may && !is_too_often
}

/// Retransforms the loaded classes that are wanted, asked with their names; how many there were. `None` if the JVM has no memory to tell them.
fn each_batch(
    (jvmti, jdk): (&JvmtiEnv, u32),
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
