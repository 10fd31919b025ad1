//! Screens as text: reviewed snapshots at three sizes, and what holds of every screen at every size.

use insta::assert_snapshot;
use mayfly_live::{Key, Look, State};
use mayfly_profile::{ClassId, ClassProfile, Lifetimes, Profile, RunInfo, Tally, Tracking, Update};

use crate::streams::{self, PLAIN, advance, after, screen, start, step, types};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

#[test]
fn the_overview_at_three_sizes() {
    let state = after(42);
    for size in SIZES {
        assert_snapshot!(format!("overview_{}x{}", size.0, size.1), screen(&state, size, PLAIN));
    }
}

#[test]
fn a_class_at_three_sizes() {
    let mut state = after(42);
    types(&mut state, "ss");
    press(&mut state, &[Key::Down, Key::Enter]);
    for size in SIZES {
        assert_snapshot!(format!("class_{}x{}", size.0, size.1), screen(&state, size, PLAIN));
    }
}

#[test]
fn the_other_screens() {
    let size = SIZES[0];
    let mut state = after(42);
    state.key(Key::Tab);
    assert_snapshot!("sites", screen(&state, size, PLAIN));
    state.key(Key::Enter);
    assert_snapshot!("site", screen(&state, size, PLAIN));
    state.key(Key::Char('?'));
    assert_snapshot!("help", screen(&state, size, PLAIN));
    state.show_text("What holds com.acme.shop.Order", "a static field\n  of a map");
    assert_snapshot!("text", screen(&state, size, PLAIN));
}

#[test]
fn nothing_yet_and_ascii() {
    assert_snapshot!("nothing_yet", screen(&State::new(), SIZES[0], PLAIN));
    let mut state = after(42);
    types(&mut state, "c");
    let text = screen(&state, SIZES[0], Look { unicode: false, colour: false });
    assert!(text.is_ascii(), "{text}");
    assert_snapshot!("ascii", text);
}

#[test]
fn counts_alone_leave_out_what_is_not_known() {
    let mut state = State::new();
    let Update::Start(run) = start() else { panic!("a start") };
    let run = RunInfo { lifetimes: false, stacks: false, tracking: Tracking::Off, ..*run };
    state.apply(Update::Start(Box::new(run)));
    streams::names().into_iter().take(5).for_each(|update| state.apply(update));
    let mut progress = step(9).progress().cloned().expect("a step");
    progress.sites.clear();
    progress.classes.iter_mut().for_each(|counts| counts.lifetimes = None);
    state.apply(Update::from(progress));
    state.refresh();
    assert_snapshot!("counts_only", screen(&state, SIZES[0], PLAIN));
    state.key(Key::Tab);
    assert!(screen(&state, SIZES[0], PLAIN).contains("no stacks are taken"));
    press(&mut state, &[Key::Tab, Key::Enter]);
    assert!(screen(&state, SIZES[0], PLAIN).contains("objects"));
}

/// The first screen of a service with two leaks had no word of them.
#[test]
fn what_surely_grows_stands_above_the_table() {
    let mut lifetimes = Lifetimes::default();
    for age in 1..=100 {
        lifetimes.ms.record_living(age * 1_000, 40);
        lifetimes.bytes.record_living(age << 20, 40);
    }
    let all = Tally::of(4_000, 400);
    let class = ClassProfile {
        name: "a.Session".into(),
        allocated: all,
        live: Some(all),
        lifetimes: Some(lifetimes),
        ..ClassProfile::default()
    };
    let mut profile = Profile { classes: vec![class], gcs: 9, duration_ms: 100_000, ..Profile::default() };
    (profile.run.lifetimes, profile.run.tracking) = (true, Tracking::EveryObject);
    let mut state = State::new();
    profile.updates().into_iter().for_each(|update| state.apply(update));
    state.refresh();
    for size in SIZES {
        let text = screen(&state, size, PLAIN);
        assert!(text.contains("! growing: a.Session, 15.6 KiB/s"), "{text}");
    }
    state.apply(Update::Reset);
    state.refresh();
    assert!(!screen(&state, SIZES[0], PLAIN).contains("growing"), "it begins again");
}

#[test]
fn a_terminal_that_is_too_small_is_told_so() {
    for size in [(79, 24), (80, 23), (1, 1), (30, 2)] {
        let text = screen(&after(3), size, PLAIN);
        assert!(size.0 < 60 || text.contains("needs 80 x 24"), "{text}");
    }
}

#[test]
fn the_trust_line_is_on_every_screen() {
    let keys: [&[Key]; 6] = [
        &[],
        &[Key::Tab],
        &[Key::Enter],
        &[Key::Tab, Key::Enter],
        &[Key::Char('?')],
        &[Key::Char('/'), Key::Char('x')],
    ];
    for keys in keys {
        let mut state = after(12);
        keys.iter().for_each(|&key| assert_eq!(state.key(key), None));
        for size in [(80, 24), (81, 25), (109, 24), (110, 24), (200, 60)] {
            let text = screen(&state, size, PLAIN);
            assert!(text.contains("trust: "), "{keys:?} at {size:?}:\n{text}");
            assert_eq!(text.lines().count(), usize::from(size.1));
        }
    }
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut state = after(1);
    state.apply(Update::Class { id: ClassId(0), name: "evil\u{1b}[2J\u{202e}\nx".into() });
    advance(&mut state, 2..=3);
    for keys in [vec![], vec![Key::Enter], vec![Key::Tab], vec![Key::Char('p')]] {
        keys.into_iter().for_each(|key| drop(state.key(key)));
        let text = screen(&state, SIZES[1], PLAIN);
        assert!(text.contains("evil\\u{1b}[2J\\u{202e}\\nx"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}

fn press(state: &mut State, keys: &[Key]) {
    keys.iter().for_each(|&key| assert_eq!(state.key(key), None, "{key:?}"));
}
