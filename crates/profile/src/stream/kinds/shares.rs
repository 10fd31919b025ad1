//! Of how many objects of a class lifetimes are known, where not each was followed.

use crate::facts::ids::ClassId;
use crate::facts::share::Share;
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;
use crate::stream::versions::Versions;

/// By class.
pub(crate) type Shares = Versions<ClassId, Share>;

impl Kind for Shares {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Shares(mut shares) = section else { return Ok(()) };
        let named = keep_named_classes(&mut shares, names, |row| row.0);
        self.extend(shares);
        named
    }

    fn take(&mut self) -> Vec<Section> {
        section(Versions::take(self)).into_iter().collect()
    }

    fn clear(&mut self) {
        Versions::clear(self);
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        section(profile.shares.iter().map(|(name, &share)| (naming.class(name), share)).collect())
    }

    fn since(&self, later: &mut Profile, earlier: &Profile) {
        for (name, share) in &mut later.shares {
            // A class without a share was followed whole until then.
            let whole = || earlier.classes.iter().find(|class| class.name == *name);
            let whole = || Share::whole(whole().map_or(0, |class| class.allocated.objects));
            *share = share.since(earlier.shares.get(name).copied().unwrap_or_else(whole));
        }
    }
}

fn section(shares: Vec<(ClassId, Share)>) -> Option<Section> {
    (!shares.is_empty()).then_some(Section::Shares(shares))
}
