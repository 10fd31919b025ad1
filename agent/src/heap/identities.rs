//! Which object is which from walk to walk: tags that stay on objects between walks, and what their numbers are in the walk at hand.
//!
//! Kept for one asker at a time, and not for longer than it said: every collection of the JVM looks at all tags. Not here: the walk.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mayfly_heap::dump::Number;
use mayfly_jvmti::{HeapWalk, Jni, JvmtiError, KeptTags, Vm};

/// The tags of the last walk of a series, until then.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

struct Kept {
    series: u64,
    tags: KeptTags,
    given: i64,
    until: Instant,
}

/// What tags mean in a walk.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// The number of each identity in this walk; 0 for what it has not met. None if tags are the numbers themselves.
    numbers: Option<Vec<u32>>,
}

impl Identities {
    /// Those of a walk whose tags stay: so many were given out before.
    fn after(given: i64) -> Self {
        Self { numbers: Some(vec![0; usize::try_from(given).unwrap_or(0) + 1]) }
    }

    /// The number of what has a tag; none if it was not told yet.
    #[inline]
    pub(super) fn number(&self, tag: i64) -> Number {
        match &self.numbers {
            None => Number(tag as u32),
            Some(numbers) => Number(numbers.get(tag as usize).copied().unwrap_or(0)),
        }
    }

    /// The tag for what has this one, 0 for none, and was told under a number.
    #[inline]
    pub(super) fn tag(&mut self, tag: i64, number: Number) -> i64 {
        let Some(numbers) = &mut self.numbers else { return i64::from(number.0) };
        if tag == 0 {
            numbers.push(number.0);
            return numbers.len() as i64 - 1;
        }
        if let Some(known) = numbers.get_mut(tag as usize) {
            *known = number.0;
        }
        tag
    }

    /// What an object with a tag, or the next one that is given out, is called.
    #[inline]
    pub(super) fn identity(&self, tag: i64) -> Option<u64> {
        let numbers = self.numbers.as_ref()?;
        Some(if tag == 0 { numbers.len() as u64 } else { tag as u64 })
    }

    fn given(&self) -> i64 {
        self.numbers.as_ref().map_or(0, |numbers| numbers.len() as i64 - 1)
    }
}

/// The next walk of a series, with the tags of those before, if they are still there; else its first one.
pub(super) fn resume(vm: Vm, jni: Jni<'_>, series: u64) -> Result<(HeapWalk<'_>, Identities), JvmtiError> {
    match take() {
        Some(kept) if kept.series == series => Ok((kept.tags.resume(jni), Identities::after(kept.given))),
        another => {
            drop(another.map(|kept| kept.tags.resume(jni)));
            Ok((HeapWalk::new(vm, jni)?, Identities::after(0)))
        }
    }
}

/// Keeps the tags of a walk for the next of its series.
pub(super) fn keep(walk: HeapWalk<'_>, identities: &Identities, series: u64, time: Duration) {
    let until = Instant::now() + time;
    let kept = Kept { series, tags: walk.keep(), given: identities.given(), until };
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
}

fn take() -> Option<Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Takes all kept tags away.
pub(crate) fn forget(jni: Jni<'_>) {
    drop(take().map(|kept| kept.tags.resume(jni)));
}

/// When kept tags are no longer wanted, if there are any.
pub(crate) fn kept_until() -> Option<Instant> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|kept| kept.until)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects keep what they are called; what a walk has not met has no number in it.
    #[test]
    fn an_object_is_called_the_same_in_each_walk() {
        let mut first = Identities::after(0);
        assert_eq!((first.identity(0), first.tag(0, Number(1))), (Some(1), 1));
        assert_eq!((first.identity(0), first.tag(0, Number(2))), (Some(2), 2));
        let mut next = Identities::after(first.given());
        assert_eq!([1, 2].map(|tag| next.number(tag).0), [0, 0]);
        assert_eq!((next.identity(2), next.tag(2, Number(1))), (Some(2), 2));
        assert_eq!((next.identity(0), next.tag(0, Number(2))), (Some(3), 3));
        assert_eq!([1, 2, 3].map(|tag| next.number(tag).0), [0, 1, 2]);
        let mut plain = Identities::default();
        assert_eq!((plain.identity(7), plain.tag(0, Number(9)), plain.number(9)), (None, 9, Number(9)));
    }
}
