//! Integers in as few bytes as they need: seven bits a byte, least significant first (LEB128); signed ones folded so
//! that small ones of either sign are short.

/// Appends `value`.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// 0, -1, 1, -2, … as 0, 1, 2, 3, …
#[inline]
pub(crate) fn fold(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Undoes [`fold`].
#[inline]
pub(crate) fn unfold(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The integer at the start of `bytes`, and how many bytes it takes. None if it does not end in them, or is longer than
/// any `u64`.
#[inline]
pub(crate) fn get(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        if at == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((value, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_integer_comes_back(value: u64, signed: i64) {
            let mut out = Vec::new();
            put(&mut out, value);
            prop_assert_eq!(get(&out), Some((value, out.len())));
            prop_assert_eq!(get(&out[..out.len() - 1]), None);
            prop_assert_eq!(unfold(fold(signed)), signed);
        }
    }

    #[test]
    fn what_is_longer_than_any_integer_is_none() {
        assert_eq!(get(&[0x80; 11]), None);
        assert_eq!(get(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), None);
        assert_eq!(get(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), Some((u64::MAX, 10)));
    }
}
