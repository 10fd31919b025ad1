//! Each option's documented meaning, and each refusal word for word.

use std::time::Duration;

use mayfly_profile::{BucketBounds, HeapOrder};

use super::{Bounds, Live, Options, Periodic, Resets, help, spec, table};

fn parse(text: &str) -> Options {
    Options::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> String {
    match Options::parse(text) {
        Ok(options) => panic!("{text} was accepted: {options:?}"),
        Err(error) => error.to_string(),
    }
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn bounds(bounds: &[u64]) -> BucketBounds {
    BucketBounds::new(bounds.to_vec()).expect("ascending")
}

#[test]
fn nothing_given_is_the_defaults() {
    for text in ["", "#", "##", "  "] {
        assert_eq!(parse(text), Options::default(), "{text:?}");
    }
    let defaults = Options::default();
    assert_eq!(defaults.buckets, bounds(&[5, 30, 60, 300, 1800]));
    assert!(defaults.view.blame && defaults.every == 1 && defaults.mem_limit == 268_435_456);
}

#[test]
fn bucket() {
    assert_eq!(parse("#trackcollections#bucket-5,10,15").buckets, bounds(&[5, 10, 15]));
    assert_eq!(parse("#bucket-7#sample-512k").buckets, bounds(&[7]));
    for (value, why) in [
        ("30,5", "the bounds must ascend"),
        ("5,5", "the bounds must ascend"),
        ("0,5", "must be at least 1"),
        ("5,,6", "\"\" is not a whole number"),
        ("-5", "\"-5\" is not a whole number"),
        ("1.5", "\"1.5\" is not a whole number"),
        ("18446744073709551615", "must be at most 1000000000 seconds"),
    ] {
        let expected = format!("#bucket-{value}: {why}; e.g. #bucket-1,10,60");
        assert_eq!(refusal(&format!("#trackcollections#bucket-{value}")), expected);
    }
}

#[test]
fn include_and_exclude() {
    let options = parse("#include-org.server,[C#exclude-org.server.Server$Req");
    assert_eq!(options.view.classes.include, ["org.server", "[C"]);
    assert_eq!(options.view.classes.exclude, ["org.server.Server$Req"]);
    let filter = options.view.classes;
    assert!(filter.admits("org.server.ServerThread") && filter.admits("[C"));
    assert!(!filter.admits("org.server.Server$Request") && !filter.admits("java.lang.String"));
    assert!(!parse("#exclude-java.").view.classes.admits("java.lang.String"));
    assert_eq!(
        refusal("#include-a,,b"),
        "#include-a,,b: a name between the commas is empty; e.g. #include-com.acme.,[C"
    );
    assert!(refusal("#exclude-a,").contains("is empty"));
}

#[test]
fn exactmatch() {
    let options = parse("#include-org.server.A,org.server.B#exclude-org.server.B#exactmatch");
    let filter = options.view.classes;
    assert!(filter.exact_match && filter.admits("org.server.A"));
    assert!(!filter.admits("org.server.A$Inner") && !filter.admits("org.server.B"));
    assert_eq!(
        refusal("#exactmatch"),
        "#exactmatch has no effect without #include or #exclude: add one of them"
    );
}

#[test]
fn gc() {
    assert_eq!(parse("#gc-5").gc_every, Some(secs(5)));
    assert!(parse("").last_gc && !parse("#engine-sampled#nolastgc").last_gc);
    assert_eq!(refusal("#gc-0"), "#gc-0: must be at least 1; e.g. #gc-5");
    assert_eq!(refusal("#gc-x"), "#gc-x: \"x\" is not a whole number; e.g. #gc-5");
}

#[test]
fn gc_every() {
    let options = parse("#trackcollections#gc-every-64m");
    assert_eq!((options.gc_every_bytes, options.gc_every), (Some(64 << 20), None));
    let both = parse("#gc-5#gc-every-1g#sample-512k");
    assert_eq!((both.gc_every_bytes, both.gc_every), (Some(1 << 30), Some(secs(5))));
    assert_eq!(
        refusal("#gc-every-64m"),
        "#gc-every has no effect without #trackcollections or #track-balanced or #sample or #engine-sampled: add one of them"
    );
    assert!(refusal("#gc-every-64k#trackcollections").contains("must be at least 1m"));
    assert!(refusal("#gc-every#trackcollections").starts_with("#gc-every needs a value"));
    assert!(refusal("#gc-everything").starts_with("#gc-everything: \"everything\" is not a whole number"));
}

#[test]
fn periodic() {
    let with = |resets| Some(Periodic { every: secs(3), resets });
    assert_eq!(parse("#periodic-3").periodic, with(Resets::Never));
    assert_eq!(parse("#periodic-3,0").periodic, with(Resets::Never));
    assert_eq!(parse("#periodic-3,2").periodic, with(Resets::First(2)));
    assert_eq!(parse("#periodic-3,-1").periodic, with(Resets::Always));
    assert!(refusal("#periodic-0,1").contains("must be at least 1"));
    assert!(refusal("#periodic-1,x").contains("\"x\" is not a number of resets"));
    assert!(refusal("#periodic-1,2,3").contains("\"2,3\" is not a number of resets"));
    assert!(refusal("#periodic-1,4294967296").contains("at most 4294967295"));
}

#[test]
fn output() {
    assert_eq!(parse("#output-logs").output_dir.as_deref(), Some("logs"));
    assert_eq!(parse("#output-my-logs/%p/").output_dir.as_deref(), Some("my-logs/%p/"));
    assert_eq!(
        refusal("#output-logs/%x"),
        "#output-logs/%x: '%x' stands for nothing: %p is the pid, %h the host, %t the start time, %% a percent \
         sign; e.g. #output-logs/%p"
    );
}

#[test]
fn trackcollections_in_both_spellings() {
    for text in ["#trackcollection", "#trackcollections"] {
        let options = parse(text);
        assert!(options.track_collections, "{text}");
    }
    assert!(parse("#bucket-5#trackcollection").track_collections, "the alias satisfies a need, too");
}

#[test]
fn trace_and_detailedtrace() {
    let plain = parse("#trace");
    assert!(plain.trace && !plain.view.detailed_trace);
    let detailed = parse("#detailedtrace");
    assert!(detailed.trace && detailed.view.detailed_trace, "#detailedtrace implies #trace");
    let lines = parse("#trace#lines");
    assert!(lines.lines && !lines.view.detailed_trace, "other tools get what they got");
    assert!(refusal("#lines").starts_with("#lines has no effect without #trace"));
}

#[test]
fn threads_are_named_in_stacks() {
    let options = parse("#trackcollections#threads");
    assert!(options.threads && options.trace && !options.trace_all);
    assert!(parse("#trace-all#threads").trace_all);
    assert!(!parse("#trace").threads);
}

#[test]
fn loaders_are_named_in_stacks() {
    let options = parse("#engine-sampled#loaders#threads");
    assert!(options.loaders && options.threads && options.trace);
    assert!(!parse("#trace#threads").loaders);
}

#[test]
fn noblame_traceignore_tracetarget() {
    let options = parse("#trace#noblame#traceignore-java,sun#tracetarget-com.yourorg");
    assert!(!options.view.blame);
    assert_eq!(options.view.rules.ignore, ["java", "sun"]);
    assert_eq!(options.view.rules.target, ["com.yourorg"]);
    assert!(!parse("#noblame#detailedtrace").view.blame);
    for option in ["noblame", "traceignore-a", "tracetarget-a"] {
        let name = option.trim_end_matches("-a");
        let expected = format!(
            "#{name} has no effect without #trace or #detailedtrace or #engine-sampled: add one of them"
        );
        assert_eq!(refusal(&format!("#{option}#trackcollections")), expected);
    }
}

#[test]
fn every() {
    let options = parse("#every-20#trackcollections");
    assert_eq!(options.every, 20);
    assert_eq!(parse("#every-1#trace").every, 1);
    assert_eq!(refusal("#every-0#trace"), "#every-0: must be at least 1; e.g. #every-20");
    assert!(refusal("#every-20").starts_with("#every has no effect without #trackcollections or #trace"));
    assert_eq!(
        refusal("#every-20#sample-512k"),
        "#every and #sample exclude each other: both choose the objects that are tracked; give one of them"
    );
}

#[test]
fn largerthan() {
    assert_eq!(parse("#largerthan-16").view.min_bytes, 16);
    assert_eq!(parse("#largerthan-2k").view.min_bytes, 2048);
    assert_eq!(parse("#largerthan-0").view.min_bytes, 0);
    assert!(refusal("#largerthan-16x").contains("\"16x\" is not a size"));
}

#[test]
fn outputlimit() {
    assert_eq!(parse("#outputlimit-2").view.rows, Some(2));
    assert_eq!(refusal("#outputlimit-0"), "#outputlimit-0: must be at least 1; e.g. #outputlimit-10");
}

#[test]
fn delayprofiling() {
    assert!(parse("#delayprofiling").delay_profiling);
    assert_eq!(
        refusal("#delayprofiling-5"),
        "#delayprofiling takes no value, but \"5\" was given: write #delayprofiling"
    );
}

#[test]
fn live() {
    assert_eq!(parse("#trace").live, Live::Auto);
    assert_eq!(parse("#live").live, Live::Every(secs(1)));
    assert_eq!(parse("#live-5").live, Live::Every(secs(5)));
    assert_eq!(parse("#live-0").live, Live::Off);
    assert_eq!(refusal("#live-"), "#live needs a value: write #live[-SECONDS], e.g. #live-5");
}

#[test]
fn track_balanced() {
    let options = parse("#track-balanced#trace#bucket-1");
    assert!(options.track_balanced);
    assert_eq!(
        refusal("#track-balanced-5"),
        "#track-balanced takes no value, but \"5\" was given: write #track-balanced"
    );
    for other in ["#trackcollections", "#sample-1m", "#every-5", "#engine-sampled"] {
        let refused = refusal(&format!("#track-balanced{other}"));
        assert!(refused.contains("exclude each other") && refused.contains("#track-balanced"), "{refused}");
    }
}

#[test]
fn sample() {
    let options = parse("#sample-512k");
    assert_eq!(options.sample_bytes, Some(524_288));
    assert!(options.sample_bytes == Some(524_288));
    assert_eq!(parse("#sample-1M").sample_bytes, Some(1 << 20));
    assert!(refusal("#sample-0").contains("must be at least 1 byte"));
    assert!(refusal("#sample-2g").contains("must be at most 2147483647 bytes"), "the JVM takes 31 bits");
    assert_eq!(
        refusal("#sample-1k#trackcollection"),
        "#trackcollections and #sample exclude each other: #sample follows the lifetimes of a sample, \
         #trackcollections of every object; give one of them"
    );
}

#[test]
fn memlimit_and_recording() {
    assert_eq!(parse("#memlimit-1g").mem_limit, 1 << 30);
    assert!(refusal("#memlimit-64").contains("must be at least 64k"));
    assert!(refusal("#memlimit-99999999999g").contains("more than 64 bits"));
    assert!(refusal("#memlimit-k").contains("is not a size"));
    assert!(refusal("#memlimit-1kk").contains("is not a size"));
    assert_eq!(parse("#recording-a-%p.mayfly").recording.as_deref(), Some("a-%p.mayfly"));
    assert!(refusal("#recording-a%").contains("'%' stands for nothing"));
}

#[test]
fn loop_and_keep() {
    let rotate = |text: &str| parse(&format!("#recording-r#loop-{text}")).rotate.expect("given");
    assert_eq!(rotate("1h"), Bounds { time: Some(secs(3_600)), bytes: None });
    assert_eq!(rotate("90").time, rotate("90s").time);
    assert_eq!(rotate("2d").time, Some(secs(172_800)));
    assert_eq!(rotate("64MB"), Bounds { time: None, bytes: Some(64 << 20) });
    assert_eq!(rotate("30min#loop-1g"), Bounds { time: Some(secs(1_800)), bytes: Some(1 << 30) });
    let kept = parse("#recording-r#loop-1h#keep-24h#keep-1gb").keep;
    assert_eq!(kept, Bounds { time: Some(secs(86_400)), bytes: Some(1 << 30) });
    assert!(refusal("#recording-r#loop-64m").contains("write 64min or 64mb"));
    assert!(refusal("#recording-r#loop-0").contains("must be at least 1"));
    assert!(refusal("#recording-r#loop-1y").contains("neither a time"));
    assert!(refusal("#recording-r#loop-512k").contains("must be at least 1mb"));
    assert!(refusal("#recording-r#loop-99999999d").contains("must be at most"));
    assert!(refusal("#loop-1h").contains("#recording"));
    assert!(refusal("#recording-r#keep-1h").contains("#loop"));
}

#[test]
fn a_later_option_replaces_an_earlier_one() {
    let options = parse("#gc-5#include-a#gc-7#include-b");
    assert_eq!((options.gc_every, options.view.classes.include), (Some(secs(7)), vec!["b".to_owned()]));
}

#[test]
fn spaces_around_options_and_list_items_do_not_count() {
    let options = parse(" #trace #include-a, b ");
    assert!(options.trace);
    assert_eq!(options.view.classes.include, ["a", "b"]);
}

#[test]
fn text_before_the_first_hash_is_refused() {
    assert_eq!(
        refusal("gc-5"),
        "options start with '#', but \"gc-5\" does not: write #gc-5 (#help lists all)"
    );
    assert!(refusal("bucket-5#gc-1").contains("write #bucket-5"));
}

#[test]
fn unknown_options_are_refused_with_what_was_meant() {
    for (wrong, meant) in [
        ("trakcollections", "#trackcollections"),
        ("trackgc", "#trackcollections"),
        ("trackbalanced", "#track-balanced"),
        ("balanced", "#track-balanced"),
        ("tracedetail", "#detailedtrace"),
        ("allocatingclasstargets-x", "#tracetarget-PREFIX,..."),
        ("buckets-5", "#bucket-SECONDS,..."),
        ("gc=5", "#gc-SECONDS"),
        ("Trace", "#trace[-all]"),
        ("delay", "#delayprofiling"),
        ("outputlimt-3", "#outputlimit-N"),
        ("livee", "#live[-SECONDS]"),
    ] {
        let name = wrong.split('-').next().unwrap_or_default();
        let expected = format!("unknown option #{name}: did you mean {meant}? (#help lists all)");
        assert_eq!(refusal(&format!("#{wrong}")), expected);
    }
    for far in ["zzzzzz", "x", "é", "verbose"] {
        assert_eq!(refusal(&format!("#{far}")), format!("unknown option #{far} (#help lists all)"));
    }
}

/// The form that HeapSummary had.
#[test]
fn the_comma_form_is_a_heap_summary() {
    let options = parse("dir=logs/,sort=count");
    assert_eq!((options.heap.dir.as_deref(), options.heap.sort), (Some("logs/"), Some(HeapOrder::Count)));
    assert!(options.heap.on_request && !options.heap.at_exit && !options.heap.all && options.heap_only);
    assert_eq!(options.heap, parse("#heapsummary#heapdir-logs/#heapsort-count").heap);
    assert_eq!(parse("all,exit,oom").heap, parse("#heapsummary#heapall#heapexit#heapoom").heap);
    let unknown = parse("sort=names").heap;
    assert_eq!((unknown.sort, unknown.unknown_sort.as_deref()), (None, Some("names")));
    assert_eq!(
        refusal("#heapexit#heapsort-names"),
        "#heapsort-names: \"names\" is neither size nor count; e.g. #heapsort-count"
    );
    assert_eq!(
        refusal("dir=logs,sise=3"),
        "\"sise=3\": there is no such option of a heap summary; before the first '#' only a heap summary's options \
         may stand: dir=DIR,sort=size|count,all,exit,oom"
    );
    assert!(refusal("dir=%q").contains("stands for nothing"));
    assert!(refusal("logs").starts_with("options start with '#'"));
}

#[test]
fn heap_options_alone_profile_nothing() {
    for text in ["#heapsummary", "#heapexit#heapall", "#heapoom#nocontrol", "dir=logs#heapexit"] {
        assert!(parse(text).heap_only, "{text}");
    }
    for text in ["", "#nocontrol", "#heapsummary#trace", "sort=size#trackcollections"] {
        assert!(!parse(text).heap_only, "{text}");
    }
    assert!(
        refusal("#heapall")
            .starts_with("#heapall has no effect without #heapsummary or #heapexit or #heapoom")
    );
    assert_eq!(parse("dir=logs#heapall").heap, parse("dir=logs,all").heap);
}

#[test]
fn values_are_required_where_they_are() {
    assert_eq!(refusal("#gc"), "#gc needs a value: write #gc-SECONDS, e.g. #gc-5");
    for spec in table::specs().filter(|spec| matches!(spec.shape, spec::Shape::Value(..))) {
        for text in [format!("#{}", spec.name), format!("#{}-", spec.name)] {
            assert!(refusal(&text).starts_with(&format!("#{} needs a value: write ", spec.name)), "{text}");
        }
    }
}

#[test]
fn help_is_not_held_up_by_combinations() {
    assert!(parse("#help").help);
    assert!(parse("#help#exactmatch").help);
}

#[test]
fn every_example_of_the_table_works() {
    /// Examples of what an option needs, and of what that needs.
    fn needed(spec: &spec::Spec) -> String {
        let named = |name: &&str| table::specs().find(|spec| spec.name == *name);
        let Some(need) = spec.needs.first() else { return String::new() };
        let need = named(need).expect("a need names an option");
        format!("{}{}", needed(need), need.example)
    }
    for spec in table::specs() {
        let need = needed(spec);
        let text = format!("{need}{}", spec.example);
        assert_ne!(parse(&text), parse(&need), "{text} changes nothing");
    }
}

#[test]
fn help_lists_every_option_within_80_columns() {
    let help = help();
    for spec in table::specs() {
        assert!(help.contains(&format!("\n  {}\n", spec.form())), "{} is missing", spec.name);
    }
    for line in help.lines() {
        assert!(line.chars().count() <= 80, "too long: {line}");
    }
}

#[test]
fn the_guide_has_a_section_for_every_option() {
    let guide = include_str!("../../../docs/guide/options.md");
    let sections: Vec<_> = guide.lines().filter(|line| line.starts_with("### ")).collect();
    for spec in table::specs() {
        let section = format!("### `{}`", spec.form());
        assert!(sections.contains(&section.as_str()), "docs/guide/options.md lacks {section}");
    }
    assert_eq!(sections.len(), table::specs().count(), "docs/guide/options.md has sections for no option");
}

#[test]
fn any_text_is_parsed_or_refused_in_one_line() {
    for text in
        ["#a\nb", "\n#\u{0}", "#gc-\n5\n6", "#é-ü", "#-", "#=", "x\ny", "#output-%\u{1b}[2J", "#include-\n"]
    {
        if let Err(error) = Options::parse(text) {
            let line = error.to_string();
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}

#[test]
fn the_sampled_engine_has_an_interval_and_stacks_and_goes_with_no_other_choice_of_objects() {
    let sampled = parse("#engine-sampled");
    assert_eq!((sampled.sample_bytes, sampled.trace), (Some(512 << 10), true));
    assert_eq!(parse("#engine-sampled#sample-1m#bucket-1").sample_bytes, Some(1 << 20));
    assert!(parse("#engine-exact#trackcollections").track_collections);
    for text in [
        "#engine-sampled#trackcollections",
        "#engine-sampled#trace#every-2",
        "#engine-fast",
        "#engine-exact#bucket-1",
    ] {
        assert!(Options::parse(text).is_err(), "{text}");
    }
}
