//! One frame of a stack.
//!
//! Not here: which frames are blamed (`blame`), how stacks are taken, which is the agent's.

use std::fmt;
use std::sync::Arc;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// One frame of a stack. Texts are shared: a frame stands in thousands of stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Declaring class, as `Class.getName()` gives it.
    #[serde(deserialize_with = "shared")]
    pub class: Arc<str>,
    /// Method name.
    #[serde(deserialize_with = "shared")]
    pub method: Arc<str>,
    /// Source file, if the class tells.
    #[serde(deserialize_with = "shared_if_any")]
    pub file: Option<Arc<str>>,
    /// Line; only with `#lines` or `#detailedtrace`, or by the sampled engine.
    pub line: Option<u32>,
}

impl Frame {
    /// Whether its class starts with one of these.
    pub(crate) fn starts_with_any(&self, prefixes: &[String]) -> bool {
        prefixes.iter().any(|prefix| self.class.starts_with(prefix))
    }
}

/// A text that is shared from the start: a recording has thousands, which serde would copy twice.
fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    struct Text;

    impl Visitor<'_> for Text {
        type Value = Arc<str>;

        fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
            to.write_str("a text")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
            Ok(text.into())
        }
    }

    deserializer.deserialize_str(Text)
}

fn shared_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text(#[serde(deserialize_with = "shared")] Arc<str>);

    Ok(Option::<Text>::deserialize(deserializer)?.map(|text| text.0))
}
