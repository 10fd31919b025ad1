//! Ids for the names of a profile, where it becomes a stream again.
//!
//! Not here: the names of a stream that is read (`dictionary`).

use std::collections::HashMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::facts::frame::Frame;
use crate::facts::ids::{ClassId, FrameId, SiteId};
use crate::facts::stack::Stack;
use crate::stream::profile::SiteProfile;
use crate::stream::update::Update;

/// Gives out ids, and says what they name.
#[derive(Default)]
pub(crate) struct Naming<'a> {
    classes: FxHashMap<&'a str, ClassId>,
    frames: FxHashMap<&'a Frame, FrameId>,
    /// What named them, in the order in which they were asked for.
    pub(crate) updates: Vec<Update>,
}

impl<'a> Naming<'a> {
    pub(crate) fn class(&mut self, name: &'a str) -> ClassId {
        id_of(&mut self.classes, name, ClassId::of_row, |id| {
            self.updates.push(Update::Class { id, name: name.to_owned() })
        })
    }

    fn frame(&mut self, frame: &'a Frame) -> FrameId {
        id_of(&mut self.frames, frame, FrameId::of_row, |id| {
            self.updates.push(Update::Frame { id, frame: frame.clone() })
        })
    }

    /// Names the site that is at this place among those of the profile, which is its id.
    pub(crate) fn site(&mut self, row: usize, site: &'a SiteProfile) {
        let class = self.class(&site.class);
        let stack = site.stack.iter().map(|frame| self.frame(frame)).collect();
        self.updates.push(Update::Site { id: SiteId::of_row(row), class, stack });
    }
}

/// The ids of sites, by the name of the class and the stack.
pub(crate) fn ids_of_sites(sites: &[SiteProfile]) -> HashMap<(&str, &Stack), SiteId> {
    let rows = sites.iter().enumerate();
    rows.map(|(row, site)| ((site.class.as_str(), &site.stack), SiteId::of_row(row))).collect()
}

fn id_of<K: Hash + Eq, I: Copy>(
    ids: &mut FxHashMap<K, I>,
    key: K,
    of_row: fn(usize) -> I,
    say: impl FnOnce(I),
) -> I {
    let next = of_row(ids.len());
    *ids.entry(key).or_insert_with(|| {
        say(next);
        next
    })
}
