//! What class initialisers allocate, told apart from the rest by its stacks.

use mayfly_profile::SiteProfile;

/// Whether a class initialiser (`<clinit>`) is on the stack.
pub(crate) fn initialises_a_class(site: &SiteProfile) -> bool {
    site.stack.iter().any(|frame| &*frame.method == "<clinit>")
}
