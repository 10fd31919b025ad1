//! Who makes a soft reference with each object that stays may be a cache, which the collector empties.

/// How classes of soft references are named.
const NAME: &str = "Soft";

/// What the JDK knows of one class by reflection, which it holds by a soft reference: a program that loads classes all the time, as
/// one that leaks class loaders, makes as many of both and has no cache.
pub(crate) const HELD_BY_JDK: &str = "java.lang.Class$ReflectionData";

/// Whether a class is one of soft references, by its name.
pub(crate) fn is_soft(class: &str) -> bool {
    class.rsplit(['.', '$']).next().is_some_and(|simple| simple.contains(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_references_are_told_by_their_simple_name() {
        assert!(["java.lang.ref.SoftReference", "a.Cache$SoftValue"].into_iter().all(is_soft));
        assert!(!is_soft("java.lang.Software$Entry"));
    }
}
