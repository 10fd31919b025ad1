//! A profile as a stream again: the shortest one that a [`crate::stream::builder::ProfileBuilder`] folds into the same profile.
//!
//! Not here: bytes (`mayfly-recording`).

use crate::stream::kinds::Facts;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Update;

impl Profile {
    /// The updates that give this profile: what a recording holds that begins and ends at one moment.
    pub fn updates(&self) -> Vec<Update> {
        let start = Update::Start(Box::new(self.run.clone()));
        let mut naming = Naming::default();
        naming.updates.push(start);
        let kinds = Facts::default();
        let sections =
            kinds.all().into_iter().filter_map(|kind| kind.section_of(self, &mut naming)).collect();
        let mut updates = naming.updates;
        // Before the counts: a reset clears them.
        updates.extend((0..self.resets).map(|_| Update::Reset));
        updates.push(Update::Step(sections));
        updates.extend(self.complete.then_some(Update::End));
        updates
    }
}
