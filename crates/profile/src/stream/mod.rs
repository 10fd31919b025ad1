//! One run as it is recorded: updates, the profile they are folded into, and going back in them.

pub(crate) mod builder;
pub(crate) mod catch_up;
pub(crate) mod course;
pub(crate) mod dictionary;
pub(crate) mod earlier;
pub(crate) mod held;
pub(crate) mod history;
pub(crate) mod id_map;
pub(crate) mod kind;
pub(crate) mod kinds;
pub(crate) mod names;
pub(crate) mod naming;
pub(crate) mod order;
pub(crate) mod point;
pub(crate) mod profile;
pub(crate) mod remembered;
pub(crate) mod replay;
pub(crate) mod site_rows;
pub(crate) mod update;
pub(crate) mod versions;
pub(crate) mod window;
