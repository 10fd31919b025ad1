//! Objects and bytes by class tag, while a walk counts and as Java takes them.

use std::ffi::CStr;

use mayfly_jvmti::{HeapWalk, Jni, Object, ObjectArray};

use super::error::ApiError;

/// Counts by class tag. Classes are tagged from 1 on; 0 takes what belongs to a class that was loaded meanwhile.
#[derive(Debug)]
pub(super) struct Rows {
    objects: Vec<i64>,
    bytes: Vec<i64>,
}

impl Rows {
    pub(super) fn new(classes: usize) -> Self {
        Self { objects: vec![0; classes + 1], bytes: vec![0; classes + 1] }
    }

    /// Counts an object. Within a safepoint: no allocation.
    pub(super) fn add(&mut self, class_tag: i64, size: u64) {
        let row = usize::try_from(class_tag).ok().filter(|&row| row < self.objects.len()).unwrap_or(0);
        self.objects[row] += 1;
        self.bytes[row] += size as i64;
    }

    /// Whether a class was met that has no tag.
    pub(super) fn met_unknown(&self) -> bool {
        self.objects[0] > 0
    }

    /// `{Class[], long[], long[]}` of the rows that are not empty, with room for `more`.
    pub(super) fn into_java<'call>(
        self,
        walk: &HeapWalk<'call>,
        more: usize,
    ) -> Result<ObjectArray<'call>, ApiError> {
        let jni = walk.jni();
        let filled = (1..self.objects.len()).filter(|&tag| self.objects[tag] > 0);
        let classes = walk.objects_with_tags(&filled.map(|tag| tag as i64).collect::<Vec<_>>())?;
        let (mut objects, mut bytes) = (Vec::new(), Vec::new());
        for (_, tag) in &classes {
            objects.push(self.objects[*tag as usize]);
            bytes.push(self.bytes[*tag as usize]);
        }
        let classes = classes.into_iter().map(|(class, _)| class).collect();
        let classes = array_of(jni, c"java/lang/Class", classes)?;
        let object = jni.find_class(c"java/lang/Object").ok_or(ApiError::NoMemory)?;
        let answer = jni.new_array(object, 3 + more).ok_or(ApiError::NoMemory)?;
        answer.set(jni, 0, Some(classes.as_object()));
        for (index, values) in [(1, objects), (2, bytes)] {
            answer.set(jni, index, Some(jni.long_array(&values).ok_or(ApiError::NoMemory)?));
        }
        Ok(answer)
    }
}

/// A new array of these objects, whose local references are given back.
pub(super) fn array_of<'call>(
    jni: Jni<'call>,
    element: &CStr,
    objects: Vec<Object<'_>>,
) -> Result<ObjectArray<'call>, ApiError> {
    let class = jni.find_class(element).ok_or(ApiError::NoMemory)?;
    let array = jni.new_array(class, objects.len()).ok_or(ApiError::NoMemory)?;
    for (index, object) in objects.into_iter().enumerate() {
        array.set(jni, index, Some(object));
        jni.forget(object);
    }
    Ok(array)
}
