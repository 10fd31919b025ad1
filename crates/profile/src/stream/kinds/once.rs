//! What is recorded once, as it is: flags of the JVM, what tells this stream from those of other JVMs, and the recordings that it was merged from.
//!
//! A kind here is a row of the table at the end.

use std::mem;

use crate::facts::collection::Flag;
use crate::facts::source::{Labels, Source};
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// Kinds by their section, the list in it, and where a profile has that.
macro_rules! recorded_once {
    ($($section:ident($list:ty) is $field:ident;)+) => {$(
        impl Kind for $list {
            fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
                if let Section::$section(new) = section {
                    *self = new;
                }
                Ok(())
            }

            fn take(&mut self) -> Vec<Section> {
                let all = mem::take(self);
                if all.is_empty() { Vec::new() } else { vec![Section::$section(all)] }
            }

            fn is_cumulative(&self) -> bool {
                false
            }

            fn write_into(&self, _: &Dictionary, profile: &mut Profile) {
                profile.$field = self.clone();
            }

            fn section_of<'a>(&self, profile: &'a Profile, _: &mut Naming<'a>) -> Option<Section> {
                profile.$field.clone().take().pop()
            }
        }
    )+};
}

recorded_once! {
    Flags(Vec<Flag>) is flags;
    Labels(Labels) is labels;
    Sources(Vec<Source>) is sources;
}
