//! Objects and bytes of each class, by one pass over the heap. Only classes are tagged: objects cost no memory.

use mayfly_jvmti::{Class, HeapObject, HeapWalk, Jni, Visit, Vm};
use mayfly_profile::{HeapSummary, Total};

use super::error::HeapError;
use super::turn::{Before, in_turn, prepare};

/// Name of the class of objects whose class the JVM does not tell, as HeapSummary spelled it.
const NO_CLASS: &str = "NULL?";

/// Counts what is on the heap now. The program stands still meanwhile.
pub(crate) fn summary(vm: Vm, jni: Jni<'_>, before: Before) -> Result<HeapSummary, HeapError> {
    let _turn = in_turn();
    let walk = HeapWalk::new(vm, jni)?;
    prepare(&walk, before)?;
    let names = walk.with_classes(|classes| tag_classes(&walk, classes))?;
    let held = count(&walk, names.len())?;
    Ok(held.iter().zip(&names).map(|(held, name)| (name.as_str(), *held)).collect())
}

/// Tags each class with its place in the list of names; place 0 is for those without a tag. The fewer tags the JVM has, the
/// sooner it finds the one that it looks for with each object.
fn tag_classes(walk: &HeapWalk<'_>, classes: &[Class<'_>]) -> Vec<String> {
    let mut names = Vec::with_capacity(classes.len() + 1);
    names.push(NO_CLASS.to_owned());
    for class in classes.iter().filter(|class| walk.may_have_instances(**class)) {
        if let Ok(name) = walk.class_name(*class)
            && walk.set_tag(class.as_object(), names.len() as i64).is_ok()
        {
            names.push(name);
        }
    }
    names
}

fn count(walk: &HeapWalk<'_>, classes: usize) -> Result<Vec<Total>, HeapError> {
    let mut held = vec![Total::default(); classes];
    walk.iterate(|object: &HeapObject<'_>| {
        let row = usize::try_from(object.class_tag).ok().and_then(|place| held.get_mut(place));
        if let Some(row) = row {
            row.add(Total::one(object.size));
        }
        Visit::Continue
    })?;
    Ok(held)
}
