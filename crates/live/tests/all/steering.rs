//! What keys and updates do to a view, as far as it can be seen.

use mayfly_live::{Effect, Key, State};
use mayfly_profile::{ClassId, Dropped, ProfileBuilder, Tally, Update};

use crate::streams::{PLAIN, advance, after, names, screen, start, step, types};

const SIZE: (u16, u16) = (120, 40);

fn shown(state: &State) -> String {
    screen(state, SIZE, PLAIN)
}

/// First words of the rows of the table, in order.
fn rows(state: &State) -> Vec<String> {
    let text = shown(state);
    let table = text.lines().skip_while(|line| !line.contains("alloc/s") || !line.contains("bytes"));
    let rows = table.skip(1).take_while(|line| !line.is_empty());
    rows.map(|row| row.split("  ").next().unwrap_or_default().to_owned()).collect()
}

fn press(state: &mut State, keys: &[Key]) {
    keys.iter().for_each(|&key| assert_eq!(state.key(key), None, "{key:?}"));
}

#[test]
fn rows_are_sorted_by_each_column_both_ways() {
    let mut state = after(20);
    let mut seen = Vec::new();
    for column in ["alloc/s", "live", "median", "1st GC", "byte-s", "bytes"] {
        let text = shown(&state);
        assert!(text.contains(&format!("{column}▼")), "{text}");
        let largest_first = rows(&state);
        types(&mut state, "r");
        assert!(shown(&state).contains(&format!("{column}▲")));
        assert_ne!(rows(&state), largest_first);
        types(&mut state, "rs");
        seen.push(largest_first[0].clone());
    }
    let session = "com.acme.shop.Session";
    let expected = ["byte[]", session, session, "byte[]", session, "byte[]"];
    assert_eq!(seen, expected);
}

#[test]
fn a_filter_is_typed_and_cleared() {
    let mut state = after(20);
    types(&mut state, "/SESS");
    assert_eq!(rows(&state), ["com.acme.shop.Session"]);
    assert!(shown(&state).contains("filter: SESS_"));
    press(&mut state, &[Key::Backspace, Key::Backspace, Key::Backspace, Key::Enter]);
    assert!(rows(&state).len() > 1 && shown(&state).contains("with 'S'"));
    press(&mut state, &[Key::Escape]);
    assert_eq!(rows(&state).len(), 5);
    // Frames of the callers, too.
    press(&mut state, &[Key::Tab]);
    types(&mut state, "/login");
    assert_eq!(rows(&state), ["Session Login.open:12 < Main.main:9"]);
    types(&mut state, "nothing");
    assert!(shown(&state).contains("nothing passes the filter"));
    press(&mut state, &[Key::Escape]);
    assert_eq!(rows(&state).len(), 6);
}

#[test]
fn from_a_class_to_its_sites_to_a_stack_and_back() {
    let mut state = after(20);
    let overview = shown(&state);
    press(&mut state, &[Key::Enter]);
    assert_eq!(rows(&state).len(), 2, "{}", shown(&state));
    press(&mut state, &[Key::Down, Key::Enter]);
    let site = shown(&state);
    assert!(site.contains("java.util.Arrays.copyOf(Arrays.java:3537)\n"), "{site}");
    assert!(site.contains("com.acme.shop.Checkout.order(Checkout.java:71)\n"), "{site}");
    press(&mut state, &[Key::Escape, Key::Escape]);
    assert_eq!(shown(&state), overview);
}

#[test]
fn a_paused_view_stands_still_and_loses_nothing() {
    let mut state = after(20);
    types(&mut state, " ");
    let before = shown(&state);
    assert!(before.contains("PAUSED"));
    state.apply(Update::Class { id: ClassId(9), name: "a.New".into() });
    advance(&mut state, 21..=30);
    assert_eq!(shown(&state), before);
    assert_eq!(state.profile().duration_ms, 30_000);
    types(&mut state, " ");
    let later = shown(&state);
    assert!(later.contains("0:00:30") && !later.contains("PAUSED"), "{later}");
    assert_eq!(later.replace("0:00:30", ""), shown(&after(30)).replace("0:00:30", ""));
}

#[test]
fn since_a_mark_tables_tell_what_changed() {
    let mut state = after(20);
    types(&mut state, "m");
    assert!(shown(&state).contains("marked"));
    advance(&mut state, 21..=28);
    let text = shown(&state);
    let row = text.lines().find(|line| line.starts_with("com.acme.shop.AuditEvent")).expect("a row");
    // 20 objects of 64 bytes a second, which live for ever.
    for cell in ["1.25 KiB", "+10.0 KiB"] {
        assert!(row.contains(cell), "{row}");
    }
    assert_eq!(text.matches("+ live").count(), 1, "{text}");
    types(&mut state, "m");
    advance(&mut state, 29..=30);
    press(&mut state, &[Key::Up]);
    assert_eq!(shown(&state), shown(&after(30)));
}

#[test]
fn the_heap_is_walked_only_after_a_yes() {
    let mut state = after(20);
    types(&mut state, "p");
    assert!(shown(&state).contains("What holds [B? This stops the program"));
    assert_eq!(state.key(Key::Enter), None, "no yes");
    types(&mut state, "p");
    assert_eq!(state.key(Key::Char('y')), Some(Effect::HeapPath("[B".into())));
    state.show_text("What holds [B", "a path");
    assert!(shown(&state).contains("a path"));
    press(&mut state, &[Key::Escape]);
    state.heap_is_closed(Some("the JVM is gone".into()));
    types(&mut state, "py");
    let mut state = after(20);
    state.heap_is_closed(Some("the JVM is gone".into()));
    types(&mut state, "p");
    assert!(shown(&state).contains("the JVM is gone"));
}

#[test]
fn what_is_to_be_done_outside_is_said() {
    let mut state = after(3);
    assert_eq!(state.key(Key::Char('w')), Some(Effect::Snapshot));
    assert_eq!(state.key(Key::Char('q')), Some(Effect::Quit));
    types(&mut state, "/q");
    assert_eq!(state.key(Key::Interrupt), Some(Effect::Quit), "whatever is typed");
}

#[test]
fn a_view_that_missed_steps_says_so_and_is_right_again() {
    let mut all = ProfileBuilder::new();
    let mut state = State::new();
    let told = |state: &mut State, all: &mut ProfileBuilder, update: Update| {
        all.apply(update.clone()).expect("fits");
        state.apply(update);
    };
    told(&mut state, &mut all, start());
    names().into_iter().take(3).for_each(|update| told(&mut state, &mut all, update));
    let mut last = step(7).progress().cloned().expect("a step");
    let cause = "4 steps left out of this view".to_owned();
    last.trust.dropped.push(Dropped { cause, objects: 0 });
    for update in names().into_iter().skip(3).chain([step(1), Update::Reset, step(2), Update::from(last)]) {
        all.apply(update).expect("fits");
    }
    all.catch_up(0).into_iter().for_each(|update| state.apply(update));
    state.refresh();
    assert_eq!(state.profile(), all.profile());
    let before = shown(&state);
    assert!(before.contains("; 4 steps left out of this view"), "{before}");
    all.catch_up(1).into_iter().for_each(|update| state.apply(update));
    state.refresh();
    assert_eq!(rows(&state).len(), 5);
    assert_eq!(before.lines().count(), shown(&state).lines().count());
    press(&mut state, &[Key::Enter]);
    assert_eq!(rows(&state).len(), 2, "no site is there twice");
}

#[test]
fn a_reset_empties_the_tables() {
    let mut state = after(20);
    state.apply(Update::Reset);
    state.refresh();
    assert!(shown(&state).contains("all counts were set to zero"));
    assert!(shown(&state).contains("nothing allocated yet"), "{}", shown(&state));
    advance(&mut state, 1..=9);
    let fresh = after(9);
    let table = |state: &State| shown(state).lines().skip(8).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table(&state)[..6], table(&fresh)[..6]);
}

#[test]
fn rates_of_a_run_that_is_over_are_those_of_all_of_it() {
    let mut state = after(20);
    // In its last second nothing was allocated.
    let mut last = step(20).progress().cloned().expect("a step");
    last.duration_ms += 1_000;
    state.apply(Update::from(last));
    state.refresh();
    assert!(shown(&state).lines().any(|line| line.starts_with("byte[] ") && line.contains(" 0 B")));
    state.apply(Update::End);
    state.refresh();
    assert!(shown(&state).contains("ended"));
    let rate = Tally::of(900 * 20, 1_024).bytes / 21;
    let text = shown(&state);
    assert!(
        text.lines().any(|line| line.starts_with("byte[] ") && line.contains(&mayfly_report::size(rate))),
        "{text}"
    );
}
