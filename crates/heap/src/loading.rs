//! What the names of some classes of the JDK say about others: which loaders are the JVM's own, and which references
//! are not strong.
//!
//! Shared by all formats that tell classes with their loaders and superclasses.

use crate::edge::Strength;

/// The field by which reference objects hold what they refer to.
pub(crate) const REFERENT: (&str, &str) = ("java.lang.ref.Reference", "referent");

/// The class of buffers whose memory is not in the heap, and the field that says how many bytes it has.
pub const DIRECT_BUFFER: &str = "java.nio.DirectByteBuffer";
pub(crate) const CAPACITY: (&str, &str) = ("java.nio.Buffer", "capacity");

/// Whether a loader of this class is one of the JVM's own, whose classes are never unloaded.
pub(crate) fn is_builtin_loader(class_name: &str) -> bool {
    class_name.starts_with("jdk.internal.loader.ClassLoaders$")
        || class_name.starts_with("sun.misc.Launcher$")
}

/// How strongly a reference object of a class refers, by the names of the class and its superclasses.
pub(crate) fn referent_strength<'a>(ancestry: impl IntoIterator<Item = &'a str>) -> Strength {
    let named = |name: &str| match name {
        "java.lang.ref.SoftReference" => Some(Strength::Soft),
        "java.lang.ref.WeakReference" => Some(Strength::Weak),
        "java.lang.ref.PhantomReference" | "java.lang.ref.FinalReference" => Some(Strength::Phantom),
        _ => None,
    };
    ancestry.into_iter().find_map(named).unwrap_or_default()
}

/// The name of a field's type, as Java source has it, from its descriptor (JVMS §4.3.2): `java.lang.String[]`.
pub(crate) fn type_name(descriptor: &str) -> Box<str> {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "Z" => "boolean".into(),
        "B" => "byte".into(),
        "C" => "char".into(),
        "S" => "short".into(),
        "I" => "int".into(),
        "J" => "long".into(),
        "F" => "float".into(),
        "D" => "double".into(),
        // One letter says that it is a class, and the name may begin with the same.
        other => {
            let name = other.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
            name.unwrap_or(other).replace('/', ".")
        }
    };
    (name + &"[]".repeat(dimensions)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_in_source() {
        let of = |descriptor| type_name(descriptor).into_string();
        assert_eq!(of("Ljava/util/Map$Entry;"), "java.util.Map$Entry");
        assert_eq!(of("LLedger;"), "Ledger");
        assert_eq!(of("[LLLine$Item;"), "LLine$Item[]");
        assert_eq!(of("[[I"), "int[][]");
        assert_eq!(of("[Ljava/lang/String;"), "java.lang.String[]");
    }

    #[test]
    fn strength_is_that_of_the_nearest_known_class() {
        let of = |names: &[&str]| referent_strength(names.iter().copied());
        assert_eq!(of(&["java.util.WeakHashMap$Entry", "java.lang.ref.WeakReference"]), Strength::Weak);
        assert_eq!(of(&["java.lang.ref.Finalizer", "java.lang.ref.FinalReference"]), Strength::Phantom);
        assert_eq!(of(&["java.lang.ref.Reference", "java.lang.Object"]), Strength::Strong);
    }
}
