//! Faults made on purpose, in debug builds only: how a test sees that a fault of ours, or of what we believe of a JVM, ends no more than it has to.

/// Panics if the environment names this point of the agent.
pub(crate) fn point(name: &str) {
    if cfg!(debug_assertions) && std::env::var("MAYFLY_PANIC_AT").is_ok_and(|at| at == name) {
        panic!("asked for at {name}");
    }
}

/// What a table of the JVM's has of a name, as it is, or as the environment will have it: `MAYFLY_WRONG_TABLE` is a name and what is added
/// to its value, `_top=8`, or `missing`.
pub(crate) fn table_entry(name: &str, value: Option<u64>) -> Option<u64> {
    if !cfg!(debug_assertions) {
        return value;
    }
    let wanted = std::env::var("MAYFLY_WRONG_TABLE").ok();
    wrong(wanted.as_deref().unwrap_or_default(), name, value)
}

fn wrong(wanted: &str, name: &str, value: Option<u64>) -> Option<u64> {
    match wanted.split_once('=') {
        Some((wrong, "missing")) if wrong == name => None,
        Some((wrong, more)) if wrong == name => {
            let more = more.parse::<i64>().expect("MAYFLY_WRONG_TABLE is NAME=NUMBER or NAME=missing");
            value.map(|value| value.wrapping_add_signed(more))
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_wrong() {
        assert_eq!([wrong("", "_top", Some(8)), wrong("_end=8", "_top", Some(8))], [Some(8); 2]);
        let wrongs = ["_top=8", "_top=-16", "_top=missing"].map(|wanted| wrong(wanted, "_top", Some(8)));
        assert_eq!(wrongs, [Some(16), Some(u64::MAX - 7), None]);
    }
}
