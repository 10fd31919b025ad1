//! A log-linear grid over `u64`: exact below 32, then 16 steps per octave (at most 6.25 % apart).
//!
//! Not here: what is counted on it (`ages`).

const STEPS_PER_OCTAVE: u64 = 16;
const FIRST_OCTAVE: u64 = STEPS_PER_OCTAVE.ilog2() as u64;
/// The step that stands for `u64::MAX` and for whatever lies above the last true step.
pub(crate) const TOP: u16 = ((64 - FIRST_OCTAVE + 1) * STEPS_PER_OCTAVE) as u16;

/// The last step whose value is at most `value`.
fn step_down(value: u64) -> u16 {
    if value < STEPS_PER_OCTAVE {
        return value as u16;
    }
    let octave = u64::from(value.ilog2());
    let within = (value >> (octave - FIRST_OCTAVE)) % STEPS_PER_OCTAVE;
    ((octave - FIRST_OCTAVE + 1) * STEPS_PER_OCTAVE + within) as u16
}

/// The first step whose value is at least `value`.
pub(crate) fn step_up(value: u64) -> u16 {
    let step = step_down(value);
    if value_of(step) == value { step } else { step + 1 }
}

/// The value at a step; `u64::MAX` from [`TOP`] on.
pub(crate) fn value_of(step: u16) -> u64 {
    let step_64 = u64::from(step);
    if step_64 < STEPS_PER_OCTAVE {
        return step_64;
    }
    if step >= TOP {
        return u64::MAX;
    }
    let (octave, within) = (step_64 / STEPS_PER_OCTAVE - 1, step_64 % STEPS_PER_OCTAVE);
    (STEPS_PER_OCTAVE + within) << octave
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_values_are_steps_of_their_own() {
        for value in 0..=32 {
            assert_eq!((value_of(step_down(value)), value_of(step_up(value))), (value, value));
        }
        assert_eq!((value_of(step_down(33)), value_of(step_up(33))), (32, 34));
    }

    #[test]
    fn the_largest_value_rounds_up_to_itself() {
        assert_eq!(step_up(u64::MAX), TOP);
        assert_eq!(value_of(TOP), u64::MAX);
        assert!(value_of(TOP - 1) < u64::MAX);
    }

    proptest! {
        #[test]
        fn a_value_lies_between_its_steps(value in any::<u64>(), shift in 0u32..64) {
            let value = value >> shift;
            let (below, above) = (value_of(step_down(value)), value_of(step_up(value)));
            prop_assert!(below <= value && value <= above);
            prop_assert!(above - below <= value / 16);
        }

        #[test]
        fn steps_ascend(step in 0..TOP) {
            prop_assert!(value_of(step) < value_of(step + 1));
            prop_assert_eq!(step_down(value_of(step)), step);
        }
    }
}
