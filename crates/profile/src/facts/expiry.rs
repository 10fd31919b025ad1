//! Names of fields that say that what is held is dropped by itself in time.

/// How a word begins in the names of fields by which something is dropped in time.
const EXPIRY: [&str; 4] = ["expir", "evict", "ttl", "flush"];

/// Whether a field's name says that what is held has a bounded life: `expiredSessions`, `evictionLock`, `idleTtl`.
pub fn is_of_expiry(field: &str) -> bool {
    words(field).any(|word| EXPIRY.iter().any(|begin| word.starts_with(begin)))
}

/// Begins the names of a cache's classes of which those in capitals are of entries, and only of caches with a bound: by size, by time, or by what is
/// held weakly.
const CAFFEINE: &str = "com.github.benmanes.caffeine.cache.";

/// Whether objects of a class are entries of a cache that drops them.
pub(crate) fn is_of_bounded_cache(class: &str) -> bool {
    let entry = class.strip_prefix(CAFFEINE);
    entry.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Of a name in camel case or with underscores, in lower case.
fn words(name: &str) -> impl Iterator<Item = String> {
    let (mut words, mut after_lower) = (vec![String::new()], false);
    for letter in name.chars() {
        if (letter.is_uppercase() && after_lower) || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        after_lower = letter.is_lowercase();
        if letter.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(letter.to_lowercase());
        }
    }
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_caches_with_a_bound_are_known() {
        let of = |class: &str| is_of_bounded_cache(&format!("{CAFFEINE}{class}"));
        assert!(
            of("PSMS") && of("FW") && !of("UnboundedLocalCache") && !of("BoundedLocalCache$1") && !of("")
        );
        assert!(!is_of_bounded_cache("my.PSMS"));
    }

    #[test]
    fn words_of_names_are_told_apart() {
        let known = ["expiredSessions", "byExpiration", "evictionLock", "lock_evict", "idleTTL", "ttlMillis"];
        assert!(known.into_iter().all(is_of_expiry));
        assert!(!["sessions", "settled", "reviction", "table", ""].into_iter().any(is_of_expiry));
    }
}
