//! Numbers, texts and events as a chunk has them.

/// Octets that the length of an event takes, whatever it is.
const LENGTH: usize = 4;

/// Bytes so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// A number without a sign: seven bits an octet, the least first; the ninth octet has eight.
    pub(super) fn number(&mut self, mut number: u64) {
        for _ in 0..8 {
            if number < 0x80 {
                break;
            }
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number of 32 bits with a sign.
    pub(super) fn int(&mut self, number: i32) {
        self.number(u64::from(number as u32));
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    /// A text: an empty one, or its length and UTF-8.
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return self.0.push(1);
        }
        self.0.push(3);
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// What was written so far, behind it.
    pub(super) fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// As an event: its length, its type by number, and this.
    pub(super) fn of_type(self, kind: u64) -> Vec<u8> {
        let mut head = Self::default();
        head.number(kind);
        let length = LENGTH + head.0.len() + self.0.len();
        let octet = |at: usize| (length >> (7 * at)) as u8 & 0x7f | if at + 1 < LENGTH { 0x80 } else { 0 };
        let mut event: Vec<u8> = (0..LENGTH).map(octet).collect();
        event.extend(head.0);
        event.extend(self.0);
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_one_to_nine_octets() {
        let octets = |number: u64| {
            let mut bytes = Bytes::default();
            bytes.number(number);
            bytes.0
        };
        assert_eq!(octets(0x7f), [0x7f]);
        assert_eq!(octets(0x80), [0x80, 1]);
        assert_eq!(octets(u64::MAX), [0xff; 9]);
        let mut unknown = Bytes::default();
        unknown.int(-1);
        assert_eq!(unknown.0, [0xff, 0xff, 0xff, 0xff, 0x0f]);
    }
}
