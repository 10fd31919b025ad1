//! The record of a tracked object: twenty bytes, as there are millions of them.

use mayfly_profile::SiteId;

/// Bits of [`Tracked::origin`] that number the site; above them are two logarithms of weights.
const SITE_BITS: u32 = 22;
const LOG_BITS: u32 = 5;
const LOG_MASK: u32 = (1 << LOG_BITS) - 1;

/// Bits of a reference; the eight above hold the upper part of the birth. No process has addresses of more than 56 bits,
/// neither x86-64 with five levels of page tables (57, half of them the kernel's) nor aarch64 (52).
const REFERENCE_BITS: u32 = 56;
/// Bits of a birth: 34 years of milliseconds.
const BIRTH_BITS: u32 = 40;
const LAST_BIRTH: u64 = (1 << BIRTH_BITS) - 1;

/// Number of sites that a tracked object can refer to.
pub const MOST_SITES: usize = 1 << SITE_BITS;
/// The largest logarithm of what an object stands for, to base 2.
pub(crate) const MOST_LOG2: u32 = LOG_MASK;
/// In place of the other logarithm: the object counts in its scope alone.
const IN_SCOPE_ALONE: u32 = LOG_MASK;

/// One object whose death we wait for (or, with no reference, one that only its site is noted of).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Low and high half of the weak reference, with the upper bits of the birth above it: as one number it would pad the
    /// record to 24 bytes.
    reference: [u32; 2],
    /// Site, log2 of the objects that its class counts for it, log2 of the objects that its stack stands for beyond.
    origin: u32,
    /// Shallow size in units of 8 bytes.
    size_8: u32,
    /// Birth on the time clock, in milliseconds: the lower 32 bits.
    birth_ms: u32,
}

impl Tracked {
    /// An object standing for itself. `reference`: the weak reference as a number, zero if deaths are not followed;
    /// `size_8`: shallow size in units of 8 bytes. Sites from [`MOST_SITES`] on must not be given, nor references of more
    /// than 56 bits. Births after 34 years are taken for the last moment of these.
    pub fn new(reference: u64, site: SiteId, size_8: u32, birth_ms: u64) -> Self {
        debug_assert!(site.row() < MOST_SITES && reference >> REFERENCE_BITS == 0);
        let birth_ms = birth_ms.min(LAST_BIRTH);
        let both = birth_ms >> 32 << REFERENCE_BITS | reference & ((1 << REFERENCE_BITS) - 1);
        let halves = [both as u32, (both >> 32) as u32];
        Self {
            reference: halves,
            origin: site.0 & (MOST_SITES as u32 - 1),
            size_8,
            birth_ms: birth_ms as u32,
        }
    }

    /// The same object standing for 2^`log2` objects of its class and site.
    pub fn thinned(self, log2: u32) -> Self {
        Self { origin: self.origin | log2.min(MOST_LOG2) << SITE_BITS, ..self }
    }

    /// The same object whose stack stands for 2^`log2` times as many objects as it does.
    pub fn stack_thinned(self, log2: u32) -> Self {
        Self { origin: self.origin | log2.min(IN_SCOPE_ALONE - 1) << (SITE_BITS + LOG_BITS), ..self }
    }

    /// The same object, one of those that stand for all of their class in a scope, and for none of the class's and the site's.
    pub fn in_scope_alone(self) -> Self {
        Self { origin: self.origin | IN_SCOPE_ALONE << (SITE_BITS + LOG_BITS), ..self }
    }

    /// The weak reference as a number; zero if deaths are not followed.
    pub fn reference(&self) -> u64 {
        self.both() & ((1 << REFERENCE_BITS) - 1)
    }

    /// The reference, and above it the upper bits of the birth.
    fn both(&self) -> u64 {
        u64::from(self.reference[1]) << 32 | u64::from(self.reference[0])
    }

    /// Class and stack.
    pub fn site(&self) -> SiteId {
        SiteId(self.origin & (MOST_SITES as u32 - 1))
    }

    /// Log2 of the objects that it stands for among those of its class.
    pub fn thinning(&self) -> u32 {
        self.origin >> SITE_BITS & LOG_MASK
    }

    /// Log2 of how many times more objects its stack stands for; means nothing of an object in its scope alone.
    pub fn stack_thinning(&self) -> u32 {
        self.origin >> (SITE_BITS + LOG_BITS)
    }

    /// Whether it stands for objects of its scope, and for none of its class and site ([`Self::in_scope_alone`]).
    pub fn is_in_scope_alone(&self) -> bool {
        self.stack_thinning() == IN_SCOPE_ALONE
    }

    /// Shallow size in bytes.
    pub fn size(&self) -> u64 {
        u64::from(self.size_8) * 8
    }

    /// Birth on the time clock, in milliseconds.
    pub fn birth_ms(&self) -> u64 {
        self.both() >> REFERENCE_BITS << 32 | u64::from(self.birth_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_twenty_bytes_and_gives_back_what_it_was_given() {
        assert_eq!((size_of::<Tracked>(), align_of::<Tracked>()), (20, 4));
        let reference = 0x00ff_1234_9abc_def1;
        let object =
            Tracked::new(reference, SiteId(MOST_SITES as u32 - 1), u32::MAX, 7).thinned(3).stack_thinned(31);
        assert_eq!((object.reference(), object.site()), (reference, SiteId(MOST_SITES as u32 - 1)));
        assert_eq!((object.thinning(), object.stack_thinning()), (3, 30));
        assert!(!object.is_in_scope_alone());
        assert_eq!((object.size(), object.birth_ms()), (u64::from(u32::MAX) * 8, 7));
    }

    #[test]
    fn an_object_of_its_scope_alone_keeps_what_it_stands_for_there() {
        let object = Tracked::new(7, SiteId(3), 2, 1).thinned(5).in_scope_alone();
        assert!(object.is_in_scope_alone());
        assert_eq!((object.site(), object.thinning()), (SiteId(3), 5));
    }

    #[test]
    fn births_are_told_apart_for_years() {
        const DAY_MS: u64 = 86_400_000;
        let highest = (1 << REFERENCE_BITS) - 1;
        for days in [50, 500, 5000] {
            let object = Tracked::new(highest, SiteId(3), 2, days * DAY_MS + 1);
            assert_eq!((object.birth_ms(), object.reference()), (days * DAY_MS + 1, highest));
        }
        assert_eq!(Tracked::new(1, SiteId(0), 2, u64::MAX).birth_ms(), LAST_BIRTH, "after 34 years");
    }
}
