//! Structures as Thrift's compact protocol spells them, as much as footers and page headers of Parquet take
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>).
//!
//! Not here: which fields there are (`file`).

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// Lists that are longer have their length in bytes of its own.
const SHORT_LIST: usize = 14;

/// A structure in the making. Fields are written in ascending order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(super) fn i32(mut self, field: u8, value: i32) -> Self {
        self.field(field, I32);
        zigzag(&mut self.bytes, value.into());
        self
    }

    pub(super) fn i64(mut self, field: u8, value: i64) -> Self {
        self.field(field, I64);
        zigzag(&mut self.bytes, value);
        self
    }

    pub(super) fn text(mut self, field: u8, text: &str) -> Self {
        self.field(field, BINARY);
        binary(&mut self.bytes, text);
        self
    }

    pub(super) fn structure(mut self, field: u8, value: Self) -> Self {
        self.field(field, STRUCT);
        self.bytes.extend(value.end());
        self
    }

    pub(super) fn structures(mut self, field: u8, values: Vec<Self>) -> Self {
        self.list(field, STRUCT, values.len());
        self.bytes.extend(values.into_iter().flat_map(Self::end));
        self
    }

    pub(super) fn texts(mut self, field: u8, texts: &[&str]) -> Self {
        self.list(field, BINARY, texts.len());
        texts.iter().for_each(|text| binary(&mut self.bytes, text));
        self
    }

    pub(super) fn i32s(mut self, field: u8, values: &[i32]) -> Self {
        self.list(field, I32, values.len());
        values.iter().for_each(|&value| zigzag(&mut self.bytes, value.into()));
        self
    }

    /// The bytes of the whole structure.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// The difference to the last field's number, and the kind. No field of Parquet's is 16 or more after the one before.
    fn field(&mut self, field: u8, kind: u8) {
        debug_assert!(field > self.last && field - self.last < 16, "fields ascend");
        self.bytes.push(((field - self.last) << 4) | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        self.field(field, LIST);
        if length <= SHORT_LIST {
            self.bytes.push(((length as u8) << 4) | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, length as u64);
        }
    }
}

fn zigzag(out: &mut Vec<u8>, value: i64) {
    varint(out, ((value << 1) ^ (value >> 63)) as u64);
}

fn binary(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Seven bits a byte, the lowest first.
pub(super) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_spelled_as_the_specification_says() {
        let inner = Struct::default().i32(1, -1);
        let bytes = Struct::default().i32(1, 1).i64(3, 300).text(4, "ab").structure(5, inner).end();
        assert_eq!(
            bytes,
            [0x15, 2, 0x26, 0xd8, 4, 0x18, 2, b'a', b'b', 0x1c, 0x15, 1, 0, 0],
            "delta and kind, then the value: zigzag, length and bytes, fields and a zero"
        );
    }

    #[test]
    fn long_lists_have_their_length_apart() {
        let short = Struct::default().i32s(2, &[0; 14]).end();
        assert_eq!((&short[..2], short.len()), (&[0x29, 0xe5][..], 17));
        let long = Struct::default().i32s(2, &[0; 200]).end();
        assert_eq!((&long[..4], long.len()), (&[0x29, 0xf5, 0xc8, 1][..], 205));
        assert_eq!(Struct::default().texts(1, &["a"]).end(), [0x19, 0x18, 1, b'a', 0]);
    }
}
