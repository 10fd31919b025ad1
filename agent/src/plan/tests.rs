//! Each line of the table of options gives the plan that it says, and so do the lines that other pages show.

use super::*;

fn plan(text: &str) -> Plan {
    Plan::of(&Options::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// Hooks, whom to follow, whether to death, stacks.
type Way = (Counting, Tracking, bool, Stacks);

const SAMPLE: Tracking = Tracking::ByteSample(512 << 10);

const fn hooks(handed_over: HandedOver, tracking: Tracking, lifetimes: bool, stacks: Stacks) -> Way {
    (Counting::Hooks(handed_over), tracking, lifetimes, stacks)
}

const WAYS: &[(&str, Way)] = &[
    ("", hooks(HandedOver::Nothing, Tracking::Off, false, Stacks::None)),
    ("#live-5#gc-5", hooks(HandedOver::Nothing, Tracking::Off, false, Stacks::None)),
    ("#scope-a.B.c", hooks(HandedOver::Nothing, Tracking::Off, false, Stacks::None)),
    ("#trace", hooks(HandedOver::Nothing, Tracking::EveryObject, false, Stacks::ByPlace)),
    ("#detailedtrace", hooks(HandedOver::Nothing, Tracking::EveryObject, false, Stacks::ByPlace)),
    ("#trace-all", hooks(HandedOver::Each, Tracking::EveryObject, false, Stacks::OfEach)),
    ("#trace#every-20", hooks(HandedOver::Each, Tracking::EveryNth(20), false, Stacks::OfFollowed)),
    ("#trace-all#every-20", hooks(HandedOver::Each, Tracking::EveryNth(20), false, Stacks::OfFollowed)),
    ("#trackcollections", hooks(HandedOver::Each, Tracking::EveryObject, true, Stacks::None)),
    ("#trackcollections#trace", hooks(HandedOver::Each, Tracking::EveryObject, true, Stacks::ByPlace)),
    ("#trackcollections#trace-all", hooks(HandedOver::Each, Tracking::EveryObject, true, Stacks::OfEach)),
    ("#trackcollections#every-20", hooks(HandedOver::Each, Tracking::EveryNth(20), true, Stacks::None)),
    (
        "#trackcollections#every-20#trace",
        hooks(HandedOver::Each, Tracking::EveryNth(20), true, Stacks::OfFollowed),
    ),
    (
        "#trackcollections#every-1#trace",
        hooks(HandedOver::Each, Tracking::EveryObject, true, Stacks::ByPlace),
    ),
    ("#track-balanced", hooks(HandedOver::Due, Tracking::Balanced, true, Stacks::None)),
    ("#track-balanced#trace", hooks(HandedOver::Due, Tracking::Balanced, true, Stacks::OfFollowed)),
    ("#track-balanced#trace-all", hooks(HandedOver::Due, Tracking::Balanced, true, Stacks::OfFollowed)),
    ("#sample-512k", hooks(HandedOver::Nothing, SAMPLE, true, Stacks::None)),
    ("#sample-512k#trace", hooks(HandedOver::Nothing, SAMPLE, true, Stacks::OfFollowed)),
    ("#sample-512k#trace#scope-survivors", hooks(HandedOver::Due, SAMPLE, true, Stacks::OfFollowed)),
    ("#sample-512k#trace-all", hooks(HandedOver::Nothing, SAMPLE, true, Stacks::OfFollowed)),
    ("#engine-exact#trackcollections", hooks(HandedOver::Each, Tracking::EveryObject, true, Stacks::None)),
    ("#engine-sampled", (Counting::Samples, SAMPLE, true, Stacks::OfFollowed)),
    (
        "#engine-sampled#sample-64k",
        (Counting::Samples, Tracking::ByteSample(64 << 10), true, Stacks::OfFollowed),
    ),
    ("#engine-sampled#trace", (Counting::Samples, SAMPLE, true, Stacks::OfFollowed)),
];

#[test]
fn each_line_of_options_goes_its_way() {
    for (text, way) in WAYS {
        let plan = plan(text);
        assert_eq!((plan.counting, plan.tracking, plan.lifetimes, plan.stacks), *way, "{text:?}");
    }
}

#[test]
fn counters_are_prepared_where_no_object_has_to_be_looked_at() {
    for text in ["", "#trace", "#sample-512k", "#track-balanced", "#track-balanced#trace", "#include-a."] {
        assert!(plan(text).can_prepare(), "{text}");
    }
    for text in ["#trackcollections", "#trace-all", "#largerthan-100", "#track-balanced#largerthan-100"] {
        assert!(!plan(text).can_prepare(), "{text}");
    }
}

#[test]
fn survivors_of_scopes_are_known_where_objects_of_all_classes_are_followed() {
    for (text, known) in [
        ("#scope-a.B.c", false),
        ("#scope-a.B.c#sample-64k", false),
        ("#scope-a.B.c#sample-64k#scope-survivors", true),
        ("#scope-a.B.c#trackcollections", true),
        ("#scope-a.B.c#track-balanced", true),
    ] {
        let plan = plan(text);
        assert_eq!((plan.scope_survivors, plan.scopes.len()), (known, 1), "{text}");
    }
}

#[test]
fn filters_are_those_of_the_options() {
    let filter = plan("#include-com.acme.#exclude-com.acme.Log#largerthan-100").filter;
    assert!(filter.admits("com.acme.Order") && !filter.admits("com.acme.Log") && !filter.admits("a.B"));
    assert!(filter.admits_size(100) && !filter.admits_size(99));
    assert!(plan("").filter.admits("a.B") && plan("").filter.admits_size(0));
}

#[test]
fn lines_and_depth_of_stacks() {
    for (text, lines, cuts) in [
        ("#trace", false, false),
        ("#trace#lines", true, false),
        ("#detailedtrace", true, false),
        ("#trace-all", false, true),
        ("#engine-sampled", true, false),
    ] {
        let plan = plan(text);
        assert_eq!((plan.lines, plan.cuts_stacks), (lines, cuts), "{text}");
    }
}

#[test]
fn half_of_the_memory_is_for_stacks_if_any_are_taken() {
    let memory = |text| plan(text).memory;
    assert_eq!(memory("#trackcollections#memlimit-4m"), Memory { objects: 4 << 20, stacks: 0 });
    assert_eq!(memory("#trackcollections#trace#memlimit-4m"), Memory { objects: 2 << 20, stacks: 2 << 20 });
}

#[test]
fn a_rate_is_of_the_samples_that_were_asked_for() {
    let rate = |paid, cheap| Some(SampleRate { paid, cheap });
    assert_eq!(plan("#sample-64k#sample-rate-200").sample_rate, rate(200, 200));
    assert_eq!(plan("#engine-sampled#sample-rate-200..900").sample_rate, rate(200, 900));
    assert_eq!(plan("#sample-64k").sample_rate, None);
}
