//! Horizontal bars, in eighths of a character where the terminal shows block characters.

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of `columns` columns for `value` = `largest`. Whatever is not zero shows.
pub fn bar(value: u64, largest: u64, columns: usize, unicode: bool) -> String {
    if value == 0 || largest == 0 || columns == 0 {
        return String::new();
    }
    let eighths = (value as f64 / largest as f64 * columns as f64 * 8.0).round() as usize;
    let eighths = eighths.clamp(1, columns * 8);
    match unicode {
        true => "█".repeat(eighths / 8) + EIGHTHS[eighths % 8],
        false if eighths < 8 => ".".to_owned(),
        false => "#".repeat(eighths / 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_fills_the_columns() {
        assert_eq!(bar(80, 80, 4, true), "████");
        assert_eq!(bar(80, 80, 4, false), "####");
    }

    #[test]
    fn parts_of_a_character() {
        assert_eq!(bar(3, 16, 2, true), "▍");
        assert_eq!(bar(13, 16, 2, true), "█▋");
        assert_eq!(bar(13, 16, 2, false), "#");
    }

    #[test]
    fn little_is_more_than_nothing() {
        assert_eq!(bar(1, u64::MAX, 10, true), "▏");
        assert_eq!(bar(1, u64::MAX, 10, false), ".");
        assert_eq!(bar(0, 5, 10, true), "");
    }
}
