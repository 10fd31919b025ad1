//! Fields of classes, those that reflection hides too, and where a scan of the whole heap starts.

use mayfly_jvmti::{Class, Jni, ObjectArray};

use super::environment::jvmti;
use super::error::ApiError;
use super::rows::array_of;

/// The fields that a class itself declares, as a `Field[]`; `None` if it is not prepared yet.
pub(crate) fn fields<'call>(
    jni: Jni<'call>,
    class: Class<'_>,
) -> Result<Option<ObjectArray<'call>>, ApiError> {
    let Some(fields) = jvmti(jni)?.reflected_fields(jni, class)? else { return Ok(None) };
    Ok(Some(array_of(jni, c"java/lang/reflect/Field", fields)?))
}

/// All loaded classes and all live platform threads, as an `Object[]`.
pub(crate) fn interesting_roots(jni: Jni<'_>) -> Result<ObjectArray<'_>, ApiError> {
    let jvmti = jvmti(jni)?;
    let classes = jvmti.loaded_classes(jni)?.into_iter().map(|class| class.as_object());
    let threads = jvmti.threads(jni).into_iter().map(|thread| thread.as_object());
    array_of(jni, c"java/lang/Object", classes.chain(threads).collect())
}
