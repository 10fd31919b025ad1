//! What the JVM said of itself, a line each. Not here: what is outside of the heap (`off_heap`).

use mayfly_profile::Profile;

use crate::units;

/// `metaspace used after the last GC: 3.20 MiB`.
pub fn reading_lines(profile: &Profile) -> Vec<String> {
    let text = |bytes: bool, value| if bytes { units::bytes(value) } else { units::grouped(value) };
    let known = profile.readings.known().filter(|(reading, _)| reading.alone);
    known.map(|(reading, value)| format!("{}: {}", reading.label, text(reading.bytes, value))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mayfly_profile::Readings;

    use super::*;

    #[test]
    fn what_was_read_is_shown_and_what_is_not_known_is_not() {
        let readings = Readings(BTreeMap::from([(1, 3 << 20), (3, 5), (250, 7)]));
        let profile = Profile { readings, ..Profile::default() };
        assert_eq!(reading_lines(&profile), ["metaspace used after the last GC: 3.00 MiB"]);
        assert_eq!(reading_lines(&Profile::default()), [""; 0]);
    }
}
