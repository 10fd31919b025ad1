//! What a run's options said of its reports. The agent had accepted them before it recorded them, so that nothing is
//! refused here; what can't be read asks for nothing.

use mayfly_profile::View;
use mayfly_profile::option_value::{list, rows, size};

/// The view that these options ask for. A later option replaces an earlier one.
pub(super) fn view(options: &str) -> View {
    let mut view = View::default();
    // Before the first # stand options of heap summaries.
    for option in options.split('#').skip(1).map(str::trim) {
        let (name, value) = option.split_once('-').unwrap_or((option, ""));
        match name {
            "include" => view.classes.include = list(value).unwrap_or_default(),
            "exclude" => view.classes.exclude = list(value).unwrap_or_default(),
            "exactmatch" => view.classes.exact_match = true,
            "largerthan" => view.min_bytes = size(value).unwrap_or_default(),
            "outputlimit" => view.rows = rows(value).ok(),
            "noblame" => view.blame = false,
            "traceignore" => view.rules.ignore = list(value).unwrap_or_default(),
            "tracetarget" => view.rules.target = list(value).unwrap_or_default(),
            "detailedtrace" => view.detailed_trace = true,
            _ => {}
        }
    }
    view
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{BlameRules, ClassFilter};

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn every_option_about_reports_is_read() {
        let options = "#detailedtrace#include-a.,b.#exclude-a.x#exactmatch#traceignore-java.#tracetarget-a.\
                       #noblame#largerthan-32#outputlimit-5";
        let classes =
            ClassFilter { include: words(&["a.", "b."]), exclude: words(&["a.x"]), exact_match: true };
        let rules = BlameRules { ignore: words(&["java."]), target: words(&["a."]) };
        let expected =
            View { classes, min_bytes: 32, rows: Some(5), blame: false, rules, detailed_trace: true };
        assert_eq!(view(options), expected);
    }

    #[test]
    fn sizes_have_suffixes_and_later_options_win() {
        assert_eq!(view("#largerthan-1k").min_bytes, 1024);
        assert_eq!(view("#largerthan-2M#gc-every-64m").min_bytes, 2 << 20);
        assert_eq!(view("#include-a# include-b, c").classes.include, words(&["b", "c"]));
    }

    #[test]
    fn other_options_and_heap_summaries_in_front_ask_for_nothing() {
        assert_eq!(view("dir=noblame,sort=count#trackcollections#trace-all"), View::default());
        assert_eq!(view(""), View::default());
    }
}
