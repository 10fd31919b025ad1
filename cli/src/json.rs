//! JSON objects whose keys stand beside their values, once, in the order in which they are written.
//!
//! Not here: the report's, which has keys that may be absent (`report/json`).

/// An object of these keys and values.
macro_rules! object {
    ($($(#[doc = $doc:literal])* $key:ident $(: $value:expr)?),+ $(,)?) => {{
        mod shape {
            #![allow(non_camel_case_types)] // The type of each value is named after its key.

            #[derive(serde::Serialize)]
            pub(super) struct Object<$($key),+> {
                $(pub(super) $key: $key),+
            }
        }
        shape::Object { $($key $(: $value)?),+ }
    }};
}

pub(crate) use object;
