//! Values in an option string: numbers, sizes, lists. The one grammar of them: the agent reads its options by it, and the
//! first format of recordings holds options as text.
//!
//! Not here: which options there are.

/// What is wrong with a value, to follow "#option-value: ".
pub type Why = String;

/// A whole number of at least `least`.
///
/// # Errors
/// It is no number, or less.
pub fn number(text: &str, least: u64) -> Result<u64, Why> {
    let value: u64 = text.trim().parse().map_err(|_| format!("{text:?} is not a whole number"))?;
    if value < least { Err(format!("must be at least {least}")) } else { Ok(value) }
}

/// A number of rows, one at least.
///
/// # Errors
/// It is none.
pub fn rows(text: &str) -> Result<usize, Why> {
    number(text, 1).map(|rows| usize::try_from(rows).unwrap_or(usize::MAX))
}

/// Bytes, or KiB, MiB, GiB with the suffix k, m, g, also in capitals.
///
/// # Errors
/// It is no such size, or more than 64 bits hold.
pub fn size(text: &str) -> Result<u64, Why> {
    let text = text.trim();
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b'k') => (&text[..text.len() - 1], 10),
        Some(b'm') => (&text[..text.len() - 1], 20),
        Some(b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let value: u64 = digits
        .parse()
        .map_err(|_| format!("{text:?} is not a size: digits, then k, m or g for KiB, MiB or GiB"))?;
    value.checked_mul(1 << shift).ok_or_else(|| "is more than 64 bits hold".to_owned())
}

/// Comma-separated names, none of them empty: an empty prefix would match everything.
///
/// # Errors
/// One is empty.
pub fn list(text: &str) -> Result<Vec<String>, Why> {
    text.split(',')
        .map(|item| match item.trim() {
            "" => Err("a name between the commas is empty".to_owned()),
            item => Ok(item.to_owned()),
        })
        .collect()
}
