//! The grammar of an option string, and which options go together. What single options mean is in the table.

use mayfly_profile::EngineKind;

use super::error::OptionError;
use super::heap;
use super::settings::Options;
use super::spec::{CONTINUE, Shape, Spec};
use super::table::{CLASHES, HEAP_OCCASIONS, specs};

/// Mean bytes between two samples of the sampled engine: HotSpot's own choice, at a cost that can't be measured.
const SAMPLED_INTERVAL: u64 = 512 << 10;

impl Options {
    /// Reads an option string as it stands behind `-agentpath:libmayfly.so=`. An empty one gives the defaults.
    ///
    /// A later option replaces an earlier one of the same name, so a script can append its own. Before the first `#`
    /// the options of a heap summary may stand as HeapSummary had them.
    ///
    /// # Errors
    /// An unknown option, a bad value, or options that contradict each other or have no effect together. The error
    /// prints as one line, without the program's name.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        parse(text)
    }
}

/// Whether the program is to run without an agent that can't start (`#on-error-continue`): by the text, as another option in it may
/// be what is wrong.
pub fn continues_without(text: &str) -> bool {
    text.split('#').skip(1).any(|token| token.trim() == CONTINUE)
}

/// Parses the whole string.
fn parse(text: &str) -> Result<Options, OptionError> {
    let mut tokens = text.split('#');
    let before = tokens.next().unwrap_or_default().trim();
    let mut options = Options::default();
    if heap::is_comma_form(before) {
        options.heap = heap::parse(before)?;
    } else if !before.is_empty() {
        return Err(OptionError::NoHash { text: before.to_owned() });
    }
    let mut given = Vec::new();
    for token in tokens.map(str::trim).filter(|token| !token.is_empty()) {
        given.push(apply(&mut options, token)?);
    }
    if !options.help {
        // What goes with the sampled engine does not go with any.
        let decides = |spec: &&Spec| spec.name != "engine" || options.engine == EngineKind::Sampled;
        let deciding: Vec<_> = given.iter().copied().filter(decides).collect();
        check_needs(&deciding, options.heap.is_wanted())?;
        check_clashes(&deciding)?;
    }
    if options.engine == EngineKind::Sampled {
        options.sample_bytes.get_or_insert(SAMPLED_INTERVAL);
        options.trace = true;
    }
    options.heap_only = options.heap.is_wanted() && given.iter().all(|spec| spec.needs_no_profile());
    Ok(options)
}

fn apply(options: &mut Options, token: &str) -> Result<&'static Spec, OptionError> {
    let (name, value) = split(token);
    let Some(spec) = specs().find(|spec| spec.is_called(name)) else {
        return Err(OptionError::Unknown { name: name.to_owned(), meant: meant(name) });
    };
    set(options, spec, value)?;
    Ok(spec)
}

/// Name and value. A name with a `-` of its own goes before one that it begins with.
fn split(token: &str) -> (&str, Option<&str>) {
    let long = specs().map(|spec| spec.name).filter(|name| name.contains('-')).find_map(|name| {
        let rest = token.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with('-')).then(|| token.split_at(name.len()))
    });
    match long.map(|(name, rest)| (name, rest.strip_prefix('-'))) {
        Some(parts) => parts,
        None => token.split_once('-').map_or((token, None), |(name, value)| (name, Some(value))),
    }
}

fn set(options: &mut Options, spec: &'static Spec, value: Option<&str>) -> Result<(), OptionError> {
    let outcome = match (&spec.shape, value) {
        (Shape::Flag(set), None) => {
            set(options);
            Ok(())
        }
        (Shape::Flag(_), Some(value)) => {
            return Err(OptionError::ValueUnwanted { option: spec.name, value: value.to_owned() });
        }
        (Shape::Value(_, set) | Shape::Optional(_, _, set), Some(value)) if !value.is_empty() => {
            set(options, value)
        }
        (Shape::Optional(_, set, _), None) => {
            set(options);
            Ok(())
        }
        (Shape::Value(..) | Shape::Optional(..), _) => {
            return Err(OptionError::ValueMissing {
                option: spec.name,
                form: spec.form(),
                example: spec.example,
            });
        }
    };
    outcome.map_err(|why| OptionError::BadValue {
        option: spec.name,
        value: value.unwrap_or_default().to_owned(),
        why,
        example: spec.example,
    })
}

fn check_needs(given: &[&'static Spec], summarises: bool) -> Result<(), OptionError> {
    let is_given = |name: &&str| {
        given.iter().any(|spec| spec.name == *name) || (summarises && HEAP_OCCASIONS.contains(name))
    };
    match given.iter().find(|spec| !spec.needs.is_empty() && !spec.needs.iter().any(&is_given)) {
        None => Ok(()),
        Some(spec) => Err(OptionError::NoEffect {
            option: spec.name,
            needs: spec.needs.iter().map(written).collect::<Vec<_>>().join(" or "),
            one: spec.needs.len() == 1,
        }),
    }
}

/// An option that another one needs.
fn written(name: &&str) -> String {
    if *name == "engine" { "#engine-sampled".into() } else { format!("#{name}") }
}

fn check_clashes(given: &[&'static Spec]) -> Result<(), OptionError> {
    let is_given = |name: &str| given.iter().any(|spec| spec.name == name);
    match CLASHES.iter().find(|(option, other, _)| is_given(option) && is_given(other)) {
        None => Ok(()),
        Some(&(option, other, why)) => Err(OptionError::Clash { option, other, why }),
    }
}

/// The option that `wrong` was probably meant to be. Allows for one slip in three letters, a cut-off name, a former
/// name, and `=` or `:` in place of `-`.
fn meant(wrong: &str) -> Option<String> {
    let wrong = wrong.split(['=', ':']).next()?.to_lowercase();
    let slips = (wrong.chars().count() / 3).max(1);
    let distance = |spec: &Spec| {
        let cut_off = wrong.len() >= 3 && spec.name.starts_with(&wrong);
        if cut_off {
            return 0;
        }
        spec.names().map(|name| strsim::damerau_levenshtein(&wrong, name)).min().unwrap_or(usize::MAX)
    };
    specs()
        .map(|spec| (distance(spec), spec))
        .filter(|&(distance, spec)| distance <= slips && distance < spec.name.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, spec)| spec.form())
}
