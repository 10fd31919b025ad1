//! Whether this JVM makes or uses a cache of classes ahead of time (JEP 483, JDK 24 and later), by its flags. Such a cache holds
//! classes as they were: one that is rewritten has no place in it.
//!
//! Not here: what an agent does then (`entry`).

use mayfly_jvmti::VmFlags;

/// What this JVM does with a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AotCache {
    /// It runs the program to learn what belongs into a cache.
    Trains(&'static str),
    /// It takes classes from one.
    Uses,
}

impl AotCache {
    /// Of this JVM. `None`: none, or it does not tell.
    pub(crate) fn of_this_jvm() -> Option<Self> {
        let flags = VmFlags::find()?;
        Self::of(|name| match name {
            "AOTMode" => flags.text(c"AOTMode"),
            "AOTCacheOutput" => flags.text(c"AOTCacheOutput"),
            _ => flags.text(c"AOTCache"),
        })
    }

    /// By the values of flags.
    fn of(flag: impl Fn(&str) -> Option<String>) -> Option<Self> {
        match flag("AOTMode").as_deref() {
            Some("off") => None,
            // The JVM sets the mode, too, then.
            _ if flag("AOTCacheOutput").is_some() => Some(Self::Trains("-XX:AOTCacheOutput")),
            Some("record") => Some(Self::Trains("-XX:AOTMode=record")),
            _ => flag("AOTCache").map(|_| Self::Uses),
        }
    }

    /// Why no class is to be rewritten.
    pub(crate) fn why_not_rewritten(&self) -> String {
        match self {
            Self::Trains(flag) => {
                format!("{flag} writes a cache of classes, which rewritten classes would damage")
            }
            Self::Uses => {
                "-XX:AOTCache holds unchanged classes, and the JVM switches it off if classes are rewritten"
                    .into()
            }
        }
    }

    /// What to do for exact counts.
    pub(crate) fn cure(&self) -> &'static str {
        match self {
            Self::Trains(_) => "for exact counts run the program without it",
            Self::Uses => "for exact counts run the program with -XX:AOTMode=off",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Option<AotCache> {
        AotCache::of(|name| set.iter().find(|(flag, _)| *flag == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_cache_is_made_used_or_neither() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("AOTMode", "record")]), Some(AotCache::Trains("-XX:AOTMode=record")));
        assert_eq!(
            of(&[("AOTMode", "record"), ("AOTCacheOutput", "a")]),
            Some(AotCache::Trains("-XX:AOTCacheOutput"))
        );
        assert_eq!(of(&[("AOTMode", "auto"), ("AOTCache", "a")]), Some(AotCache::Uses));
        assert_eq!(of(&[("AOTMode", "off"), ("AOTCache", "a")]), None);
    }
}
