//! By how many operations numbers of recordings are divided, and who says so.
//!
//! Not here: the comparison (`diff`), and budgets, which may name a number of their own (`budget`).

use mayfly_profile::Profile;

/// Who counted the operations that numbers are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedBy {
    /// Nobody: whole runs are compared.
    #[default]
    Nobody,
    /// The user.
    User,
    /// The program, by what it reported in each recording.
    Program,
    /// The program, but not in each recording: whole runs are compared.
    ProgramInSome {
        /// In how many recordings.
        recordings: usize,
    },
}

/// The operations that a program reported; `None` if it reported none.
pub(crate) fn reported(profile: &Profile) -> Option<f64> {
    (profile.operations > 0).then_some(profile.operations as f64)
}

/// The operations of each run where the user gives none: what each reported, or 1 where not all did.
pub fn by_program(profiles: &[Profile]) -> (CountedBy, Vec<f64>) {
    let known: Vec<f64> = profiles.iter().filter_map(reported).collect();
    match known.len() {
        0 => (CountedBy::Nobody, vec![1.0; profiles.len()]),
        all if all == profiles.len() => (CountedBy::Program, known),
        recordings => (CountedBy::ProgramInSome { recordings }, vec![1.0; profiles.len()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_to_report_operations_for_any_to_count() {
        let profiles = |operations: &[u64]| -> Vec<Profile> {
            operations.iter().map(|&operations| Profile { operations, ..Profile::default() }).collect()
        };
        assert_eq!(by_program(&profiles(&[10, 20])), (CountedBy::Program, vec![10.0, 20.0]));
        let some = CountedBy::ProgramInSome { recordings: 2 };
        assert_eq!(by_program(&profiles(&[10, 0, 20])), (some, vec![1.0; 3]));
        assert_eq!(by_program(&profiles(&[0, 0])), (CountedBy::Nobody, vec![1.0; 2]));
    }
}
