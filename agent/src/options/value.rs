//! Values of options: seconds, bounds, templates. Knows no option by name.
//!
//! Not here: numbers, sizes and lists, which the command line takes, too (`mayfly_profile::option_value`).

use std::time::Duration;

pub(super) use mayfly_profile::option_value::{Why, list, number, rows, size};
use mayfly_profile::{BucketBounds, EngineKind};

use super::name;
use super::settings::{Bounds, Periodic, Resets, SampleRate, ScopeMethod};

/// 31 years: far beyond any run, and small enough for milliseconds in 64 bits.
const MOST_SECONDS: u64 = 1_000_000_000;

/// One word.
pub(super) fn word(text: &str, word: &str) -> Result<(), Why> {
    if text.trim() == word { Ok(()) } else { Err(format!("{text:?} is not {word:?}")) }
}

/// The name of an engine.
pub(super) fn engine(text: &str) -> Result<EngineKind, Why> {
    let named = |engine: &EngineKind| engine.name() == text.trim();
    [EngineKind::Exact, EngineKind::Sampled]
        .into_iter()
        .find(named)
        .ok_or_else(|| format!("{text:?} is neither exact nor sampled"))
}

/// `N` or `N..M`: samples a second.
pub(super) fn sample_rate(text: &str) -> Result<SampleRate, Why> {
    let (paid, cheap) = text.split_once("..").unwrap_or((text, text));
    let (paid, cheap) = (number(paid, 1)?, number(cheap, 1)?);
    if cheap < paid {
        return Err(format!("{cheap} is less than {paid}"));
    }
    Ok(SampleRate { paid, cheap })
}

/// Whole seconds, from `least` up.
pub(super) fn seconds(text: &str, least: u64) -> Result<Duration, Why> {
    let value = number(text, least)?;
    if value > MOST_SECONDS {
        return Err(format!("must be at most {MOST_SECONDS} seconds"));
    }
    Ok(Duration::from_secs(value))
}

/// A time (`3600`, `90s`, `30min`, `1h`, `7d`) or a size (`64mb`, `1g`), which is noted in `into`; a size is at least `least` bytes.
pub(super) fn bound(text: &str, into: &mut Bounds, least: u64) -> Result<(), Why> {
    let text = text.trim().to_ascii_lowercase();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - unit.len()];
    let of_unit = match unit {
        "" | "s" => 1,
        "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "k" | "kb" | "mb" | "g" | "gb" => {
            let bytes = size(text.trim_end_matches('b'))?;
            if bytes < least {
                return Err(format!("must be at least {}mb", least >> 20));
            }
            into.bytes = Some(bytes);
            return Ok(());
        }
        "m" => return Err(format!("may be minutes or megabytes: write {digits}min or {digits}mb")),
        _ => return Err(format!("{text:?} is neither a time (30min, 1h, 7d) nor a size (64mb, 1g)")),
    };
    let seconds = number(digits, 1)?.saturating_mul(of_unit);
    if seconds > MOST_SECONDS {
        return Err(format!("must be at most {MOST_SECONDS} seconds"));
    }
    into.time = Some(Duration::from_secs(seconds));
    Ok(())
}

/// Milliseconds, with or without their unit.
pub(super) fn milliseconds(text: &str) -> Result<Duration, Why> {
    let number = text.strip_suffix("ms").unwrap_or(text).parse::<u32>();
    match number {
        Ok(number) if number <= 60_000 => Ok(Duration::from_millis(number.into())),
        _ => Err(Why::from("expected milliseconds up to 60000, e.g. 5ms")),
    }
}

/// A size within `least..=most`, both also given in words.
pub(super) fn size_within(text: &str, least: (u64, &str), most: (u64, &str)) -> Result<u64, Why> {
    let value = size(text)?;
    if value < least.0 {
        return Err(format!("must be at least {}", least.1));
    }
    if value > most.0 {
        return Err(format!("must be at most {}", most.1));
    }
    Ok(value)
}

/// Comma-separated ascending seconds.
pub(super) fn buckets(text: &str) -> Result<BucketBounds, Why> {
    let bounds = text
        .split(',')
        .map(|bound| seconds(bound, 1).map(|bound| bound.as_secs()))
        .collect::<Result<Vec<_>, _>>()?;
    BucketBounds::new(bounds).ok_or_else(|| "the bounds must ascend".to_owned())
}

/// `SECONDS` or `SECONDS,RESETS`.
pub(super) fn periodic(text: &str) -> Result<Periodic, Why> {
    let (every, count) = text.split_once(',').unwrap_or((text, "0"));
    let count: i64 = count.trim().parse().map_err(|_| format!("{count:?} is not a number of resets"))?;
    let resets = match count {
        0 => Resets::Never,
        ..0 => Resets::Always,
        _ => Resets::First(u32::try_from(count).map_err(|_| "must be at most 4294967295 resets".to_owned())?),
    };
    Ok(Periodic { every: seconds(every, 1)?, resets })
}

/// `package.Class.method`.
pub(super) fn scope(text: &str) -> Result<ScopeMethod, Why> {
    let (class, method) = text.rsplit_once('.').unwrap_or(("", text));
    let named = |part: &str| !part.is_empty() && !part.contains(['/', ';', '[', '(', ' ', ',']);
    if method.starts_with('<') {
        return Err(
            "a constructor can't be a scope, as its object is not there yet: name the method that calls it"
                .into(),
        );
    }
    if class.split('.').any(|part| !named(part)) || !named(method) {
        return Err("write the class's name with dots, a dot and the method's name".into());
    }
    Ok(ScopeMethod { class: class.into(), method: method.into() })
}

/// `NAME=VALUE`.
pub(super) fn label(text: &str) -> Result<(String, String), Why> {
    let (name, value) = text.split_once('=').ok_or("write a name, = and a value")?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(is_of_name) {
        return Err("the name is made of letters, digits, '.', '_' and '-'".into());
    }
    if value.is_empty() || value.len() > 256 {
        return Err("the value has 1 to 256 bytes".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A file name in which every `%` code is known.
pub(super) fn template(text: &str) -> Result<String, Why> {
    match name::unknown_code(text) {
        Some(code) => Err(format!("'{}' stands for nothing: {}", code.escape_debug(), name::CODES)),
        None => Ok(text.to_owned()),
    }
}
