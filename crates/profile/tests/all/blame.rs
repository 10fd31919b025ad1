//! InMemProfiler's worked example of blame, as a ladder of rules over one set of stacks.
//!
//! App allocates 320 bytes itself and 300 through Storage, all inside StringBuilder, which logging also uses for 1,000;
//! everything runs on the server's ServerThread.

use mayfly_profile::{BlameRules, BlamedClass, Frame, Stack, Tally, blame};

const BUILDER: &str = "java.lang.StringBuilder.append";
const THREAD: &str = "org.server.ServerThread.run";

fn stack(frames: &[&str]) -> Stack {
    let frame = |name: &&str| {
        let (class, method) = name.rsplit_once('.').expect("class.method");
        Frame { class: class.into(), method: method.into(), ..Default::default() }
    };
    frames.iter().map(frame).collect()
}

fn server() -> Vec<(Stack, Tally)> {
    vec![
        (stack(&[BUILDER, "com.yourorg.App.handle", THREAD]), Tally::of(20, 16)),
        (
            stack(&[BUILDER, "com.yourorg.App$Storage.store", "com.yourorg.App.handle", THREAD]),
            Tally::of(10, 30),
        ),
        (stack(&[BUILDER, "org.logging.Log.info", THREAD]), Tally::of(100, 10)),
    ]
}

fn blamed(allocations: &[(Stack, Tally)], ignore: &[&str], target: &[&str]) -> Vec<BlamedClass> {
    let strings = |list: &[&str]| list.iter().map(|&entry| entry.to_owned()).collect();
    let rules = BlameRules { ignore: strings(ignore), target: strings(target) };
    blame(allocations.iter().map(|(stack, tally)| (stack, *tally)), &rules)
}

fn bytes(classes: &[BlamedClass]) -> Vec<(&str, u64)> {
    classes.iter().map(|row| (row.class.as_str(), row.tally.bytes)).collect()
}

#[test]
fn without_rules_what_everything_goes_through_comes_first() {
    let rows = blamed(&server(), &[], &[]);
    let expected = [
        ("java.lang.StringBuilder", 1620),
        ("org.server.ServerThread", 1620),
        ("org.logging.Log", 1000),
        ("com.yourorg.App", 620),
        ("com.yourorg.App$Storage", 300),
    ];
    assert_eq!(bytes(&rows), expected);
}

#[test]
fn ignored_classes_are_passed_over() {
    let rows = blamed(&server(), &["java"], &[]);
    assert_eq!(bytes(&rows)[0], ("org.server.ServerThread", 1620));
    assert!(rows.iter().all(|row| !row.class.starts_with("java")));
}

#[test]
fn without_a_target_callers_are_charged_too() {
    let rows = blamed(&server(), &["java", "sun", "org.server", "org.logging"], &[]);
    assert_eq!(bytes(&rows), [("com.yourorg.App", 620), ("com.yourorg.App$Storage", 300)]);
}

#[test]
fn a_target_ends_the_walk_and_is_charged_itself() {
    let rows = blamed(&server(), &["java", "sun", "org.server", "org.logging"], &["com.yourorg"]);
    assert_eq!(bytes(&rows), [("com.yourorg.App", 320), ("com.yourorg.App$Storage", 300)]);
}

#[test]
fn an_ignored_frame_is_never_a_target() {
    let rows = blamed(&server(), &["java", "com.yourorg.App$Storage"], &["com.yourorg"]);
    assert_eq!(bytes(&rows)[..2], [("org.logging.Log", 1000), ("org.server.ServerThread", 1000)]);
    assert_eq!(bytes(&rows)[2..], [("com.yourorg.App", 620)]);
}

#[test]
fn recursion_and_several_methods_of_a_class_charge_it_once() {
    let stack = stack(&["a.A.walk", "a.A.walk", "a.A.run", "a.A.walk"]);
    let rows = blamed(&[(stack, Tally::of(2, 8))], &[], &[]);
    assert_eq!(bytes(&rows), [("a.A", 16)]);
    let methods: Vec<_> = rows[0].methods.iter().map(|row| (row.method.as_str(), row.tally.bytes)).collect();
    assert_eq!(methods, [("run", 16), ("walk", 16)]);
}

#[test]
fn empty_tallies_charge_nobody() {
    assert_eq!(blamed(&[(stack(&["a.A.run"]), Tally::default())], &[], &[]), []);
}
