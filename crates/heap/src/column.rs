//! Numbers in little memory: in blocks of 64, each of as many bits as the range of its block needs.
//!
//! What lies together in a heap has neighbouring addresses, classes and sizes, and refers to neighbours: a block takes a byte or two
//! for each where an array takes four or eight. Any number is found by two reads. The bytes are the same in memory and in a
//! file. Not here: what the numbers mean.

use bytes::Bytes;

/// Numbers in a block.
const BLOCK: usize = 64;
/// Bytes that describe a block: its least number; then where its bits begin, in units of 8 bytes, above 8 bits for their width.
const HEAD: usize = 16;
/// Behind the last bits, so that eight bytes can be read wherever a number begins.
const PADDING: usize = 8;
/// Wider numbers may cross eight bytes: they get all 64.
const WIDEST_PACKED: u64 = 56;

/// Numbers that do not change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    len: usize,
    /// No number is given out that is larger, whatever the bytes say: checked once, it holds for all.
    most: u64,
    heads: Bytes,
    bits: Bytes,
}

/// A column in the making.
#[derive(Clone, Debug)]
pub(crate) struct Packer {
    len: usize,
    most: u64,
    heads: Vec<u8>,
    bits: Vec<u8>,
    /// The block that is not full.
    open: [u64; BLOCK],
}

impl Default for Packer {
    fn default() -> Self {
        Self { len: 0, most: 0, heads: Vec::new(), bits: Vec::new(), open: [0; BLOCK] }
    }
}

/// The number at a place of some blocks.
#[inline(always)]
fn read(heads: &[u8], bits: &[u8], at: usize) -> u64 {
    let (least, first, mask, width) = block(heads, at);
    let bit = (at % BLOCK) as u64 * width;
    least.wrapping_add(word(bits, first + bit as usize / 8) >> (bit % 8) & mask)
}

/// Of the block of a place: its least number, where its bits begin, a mask for a number of its width, and that width.
#[inline(always)]
fn block(heads: &[u8], at: usize) -> (u64, usize, u64, u64) {
    let head = &heads[at / BLOCK * HEAD..][..HEAD];
    let (least, place) = (word(head, 0), word(head, 8));
    let width = place & 0xff;
    (least, (place >> 8) as usize * 8, mask(width), width)
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline(always)]
fn mask(width: u64) -> u64 {
    u64::MAX.checked_shr(64 - width as u32).unwrap_or(0)
}

/// Writes numbers of so many bits one after another, to zeros.
#[inline(always)]
fn put(numbers: impl Iterator<Item = u64>, width: u32, bits: &mut [u8]) {
    let mut units = bits.as_chunks_mut().0.iter_mut();
    let (mut open, mut used) = (0_u64, 0);
    for number in numbers {
        open |= number << used;
        used += width;
        if used >= 64 {
            used -= 64;
            if let Some(unit) = units.next() {
                *unit = open.to_le_bytes();
            }
            open = number.unbounded_shr(width - used);
        }
    }
    if let Some(unit) = units.next() {
        *unit = open.to_le_bytes();
    }
}

impl Packer {
    /// Adds a number.
    #[inline]
    pub(crate) fn push(&mut self, number: u64) {
        self.open[self.len % BLOCK] = number;
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            self.pack(BLOCK);
        }
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// One of them.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u64 {
        if at / BLOCK == self.len / BLOCK { self.open[at % BLOCK] } else { read(&self.heads, &self.bits, at) }
    }

    /// Packs the first numbers of the open block.
    fn pack(&mut self, count: usize) {
        let block = &self.open[..count];
        let (least, most) =
            block.iter().fold((u64::MAX, 0), |(least, most), &number| (least.min(number), most.max(number)));
        self.most = self.most.max(most);
        let width = u64::from((most - least).checked_ilog2().map_or(0, |bits| bits + 1));
        let width = if width > WIDEST_PACKED { 64 } else { width };
        // A block takes as many units of 8 bytes as its numbers have bits.
        let begin = self.bits.len().saturating_sub(PADDING);
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&least.to_le_bytes());
        head[8..].copy_from_slice(&((begin as u64 / 8) << 8 | width).to_le_bytes());
        self.heads.extend_from_slice(&head);
        self.bits.resize(begin + width as usize * 8 + PADDING, 0);
        if width > 0 {
            put(block.iter().map(|number| number - least), width as u32, &mut self.bits[begin..]);
        }
    }

    /// All of them.
    pub(crate) fn finish(mut self) -> Column {
        let rest = self.len % BLOCK;
        if rest > 0 {
            self.pack(rest);
        }
        // What growing took too much is given back.
        self.heads.shrink_to_fit();
        self.bits.shrink_to_fit();
        Column { len: self.len, most: self.most, heads: self.heads.into(), bits: self.bits.into() }
    }
}

impl FromIterator<u64> for Column {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut packer = Packer::default();
        numbers.into_iter().for_each(|number| packer.push(number));
        packer.finish()
    }
}

impl Column {
    /// Its bytes, in three pieces, for [`Self::open`].
    pub(crate) fn pieces(&self) -> [Bytes; 3] {
        let mut sizes = (self.len as u64).to_le_bytes().to_vec();
        sizes.extend(self.most.to_le_bytes());
        [sizes.into(), self.heads.clone(), self.bits.clone()]
    }

    /// A column of bytes that were written. None if they are none of [`Self::pieces`]; whatever is in them else, no number is
    /// looked for outside.
    pub(crate) fn open(bytes: &Bytes) -> Option<Self> {
        let number = |at| bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (len, most) = (usize::try_from(number(0)?).ok()?, number(8)?);
        let heads_end = len.div_ceil(BLOCK).checked_mul(HEAD)?.checked_add(16)?;
        let heads = bytes.get(16..heads_end).map(|_| bytes.slice(16..heads_end))?;
        let bits = bytes.slice(heads_end..);
        let inside = heads.chunks_exact(HEAD).all(|head| {
            let place = word(head, 8);
            let width = place & 0xff;
            // In units of 8 bytes, of which a block has as many as its numbers have bits.
            let end = (place >> 8) + width + PADDING as u64 / 8;
            (width <= WIDEST_PACKED || width == 64) && end <= bits.len() as u64 / 8
        });
        inside.then_some(Self { len, most, heads, bits })
    }

    /// No number is larger.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// How many numbers there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number at a place before the end.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u64 {
        read(&self.heads, &self.bits, at).min(self.most)
    }

    /// The number at a place, and the next one.
    #[inline]
    pub(crate) fn pair(&self, at: usize) -> (u64, u64) {
        if at % BLOCK == BLOCK - 1 {
            return (self.get(at), self.get(at + 1));
        }
        let (least, first, mask, width) = block(&self.heads, at);
        let bit = (at % BLOCK) as u64 * width;
        let number = |bit| least.wrapping_add(word(&self.bits, first + bit as usize / 8) >> (bit % 8) & mask);
        (number(bit).min(self.most), number(bit + width).min(self.most))
    }

    /// All numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let mut reader = self.reader();
        (0..self.len).map(move |at| reader.get(at))
    }

    /// For numbers that are read one after another.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { column: self, block: usize::MAX, open: [0; BLOCK] }
    }

    /// Bytes of memory taken.
    pub(crate) fn memory(&self) -> usize {
        self.heads.len() + self.bits.len()
    }
}

/// Reads a column, block by block.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    column: &'a Column,
    /// The one that is open.
    block: usize,
    open: [u64; BLOCK],
}

impl Reader<'_> {
    /// The number at a place before the end.
    #[inline]
    pub(crate) fn get(&mut self, at: usize) -> u64 {
        if at / BLOCK != self.block {
            self.unpack(at / BLOCK);
        }
        self.open[at % BLOCK]
    }

    fn unpack(&mut self, block: usize) {
        let Column { heads, bits, most, .. } = self.column;
        let (least, first, mask, width) = self::block(heads, block * BLOCK);
        let bits = &bits[first..][..width as usize * 8 + PADDING];
        let mut bit = 0;
        for number in &mut self.open {
            let packed = word(bits, bit as usize / 8) >> (bit % 8) & mask;
            *number = least.wrapping_add(packed).min(*most);
            bit += width;
        }
        self.block = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_back(
            numbers in prop::collection::vec((0..64_u32, any::<u64>()).prop_map(|(shift, bits)| bits >> shift), 0..300),
            base: u64,
        ) {
            for numbers in [numbers.clone(), numbers.iter().map(|number| base.saturating_add(number >> 40)).collect()] {
                let mut packer = Packer::default();
                for (at, &number) in numbers.iter().enumerate() {
                    packer.push(number);
                    prop_assert_eq!(packer.get(at / 2), numbers[at / 2]);
                    prop_assert_eq!(packer.get(at), number);
                }
                let column = packer.finish();
                prop_assert_eq!(column.len(), numbers.len());
                prop_assert_eq!(column.iter().collect::<Vec<_>>(), numbers.clone());
                prop_assert!(numbers.iter().enumerate().all(|(at, &number)| column.get(at) == number));
            }
        }
    }

    /// Neighbours take what tells them apart: here 5 bits, and the head of a block.
    #[test]
    fn numbers_that_are_near_each_other_take_few_bits() {
        let column: Column = (0..6400_u64).map(|number| (1 << 40) + number % 32).collect();
        assert_eq!(column.memory(), 100 * (HEAD + 5 * 8) + PADDING);
        let constant: Column = (0..6400_u64).map(|_| 7).collect();
        assert_eq!(constant.memory(), 100 * HEAD + PADDING);
    }
}
