//! Changes of bytes as a fuzzer makes them, the same for the same seed.
//!
//! Not here: what is done with the bytes (`targets`).

/// The longest input that is made.
const MOST_BYTES: usize = 64 << 10;
/// Numbers at which code that counts goes wrong.
const EDGES: [u64; 10] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// A generator of numbers without a pattern (xorshift64*).
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end
    }

    /// A place in `bytes`, and how many there are from it on, 24 at most.
    fn piece(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(bytes.len());
        from..(from + 1 + self.below(24)).min(bytes.len())
    }
}

/// One of the seeds with some changes.
pub(crate) fn mutated(seeds: &[Vec<u8>], noise: &mut Noise) -> Vec<u8> {
    let mut bytes = seeds[noise.below(seeds.len())].clone();
    for _ in 0..=noise.below(6) {
        if bytes.is_empty() {
            break;
        }
        change(&mut bytes, &seeds[noise.below(seeds.len())], noise);
    }
    bytes.truncate(MOST_BYTES);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], noise: &mut Noise) {
    let at = noise.below(bytes.len());
    match noise.below(16) {
        0..4 => bytes[at] ^= 1 << noise.below(8),
        4..7 => bytes[at] = noise.next() as u8,
        7..10 => {
            let number = EDGES[noise.below(EDGES.len())];
            let number = if noise.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
            let length = (1 << noise.below(4)).min(bytes.len() - at);
            bytes[at..at + length].copy_from_slice(&number[..length]);
        }
        // The largest number as a varint.
        10 => drop(bytes.splice(at..=at, [[0xff; 9].as_slice(), &[1]].concat())),
        11 => drop(bytes.drain(noise.piece(bytes))),
        12 | 13 => {
            let piece = bytes[noise.piece(bytes)].to_vec();
            bytes.splice(at..at, piece);
        }
        14 if !other.is_empty() => {
            let piece = other[noise.piece(other)].to_vec();
            bytes.splice(at..at, piece);
        }
        _ if noise.below(4) == 0 => bytes.truncate(at),
        _ => bytes[at] = bytes[at].wrapping_add(1),
    }
}

/// Gives the frames behind a header of 12 bytes, as recordings, dumps and messages have them, lengths and checksums that fit: whoever
/// forges a file does so, too.
pub(crate) fn mend_frames(bytes: &mut [u8]) {
    const HEADER: usize = 12;
    const HEAD: usize = 13;
    let mut at = HEADER;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| rest.len() > HEAD) {
        let (head, payload) = rest.split_at_mut(HEAD);
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let payload = &payload[..length.min(payload.len())];
        head[1..5].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        let checksum = crc32fast::hash(&head[..5]);
        head[5..9].copy_from_slice(&checksum.to_le_bytes());
        head[9..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
        at += HEAD + payload.len();
    }
}

/// The same of the parts of an index.
pub(crate) fn mend_parts(bytes: &mut [u8]) {
    const HEADER: usize = 36;
    const HEAD: usize = 20;
    let mut at = HEADER;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| rest.len() > HEAD) {
        let (head, payload) = rest.split_at_mut(HEAD);
        let length = u64::from_le_bytes(head[8..16].try_into().unwrap_or_default());
        let payload = &payload[..usize::try_from(length).unwrap_or(usize::MAX).min(payload.len())];
        head[4..8].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
        head[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        let checksum = crc32fast::hash(&head[..16]);
        head[16..].copy_from_slice(&checksum.to_le_bytes());
        at += HEAD + payload.len();
    }
}
