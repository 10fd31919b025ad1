//! What a heap dump says of itself.

use mayfly_heap::dump::{Facts, TEXT_LIMIT};

use crate::target_jvm::Target;

/// Of a dump made now; `texts`: whether texts are in it.
pub(crate) fn dump_facts(target: &Target, texts: bool) -> Facts {
    let jvm = target.info();
    Facts {
        pid: jvm.pid,
        taken_at_ms: jiff::Timestamp::now().as_millisecond().try_into().unwrap_or(0),
        jvm_version: jvm.version.into(),
        collector: jvm.gc.name().into(),
        text_limit: texts.then_some(TEXT_LIMIT),
    }
}
