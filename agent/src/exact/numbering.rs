//! Numbers the places of a class that is being rewritten.

use mayfly_classfile::allocation::{Place, Places};
use mayfly_jvmti::modified_utf8;
use mayfly_tracking::{Numbering, PlaceTable};

use crate::tracking::Shared;

/// For one class. Places of classes that nobody asks for are left out.
pub(super) struct Numberer<'a> {
    shared: &'a Shared,
    numbering: Numbering<'a>,
}

impl<'a> Numberer<'a> {
    /// Numbers the next class.
    pub(super) fn new(places: &'a PlaceTable, shared: &'a Shared) -> Self {
        Self { shared, numbering: places.numbering() }
    }
}

impl Places for Numberer<'_> {
    fn number(&mut self, place: Place<'_>) -> Option<u32> {
        let made = place.made.class_name().map(|name| modified_utf8(&name));
        if made.as_deref().is_some_and(|made| !self.shared.plan.filter.admits(made)) {
            return None;
        }
        let class = modified_utf8(place.class).replace('/', ".");
        let method = modified_utf8(place.method);
        let file = place.file.map(modified_utf8);
        self.numbering.add([&class, &method], file.as_deref(), place.line, made.as_deref())
    }
}
