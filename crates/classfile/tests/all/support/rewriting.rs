//! The patcher without places or scopes, and with places alone.

use mayfly_classfile::Refusal;
use mayfly_classfile::allocation::{self, Options, Places, Rewritten, Scopes};

pub(crate) fn rewrite(class: &[u8], options: Options) -> Result<Rewritten, Refusal> {
    rewrite_counting(class, options, None)
}

pub(crate) fn rewrite_counting(
    class: &[u8],
    options: Options,
    places: Option<&mut dyn Places>,
) -> Result<Rewritten, Refusal> {
    allocation::rewrite(class, options, places, Scopes::default())
}
