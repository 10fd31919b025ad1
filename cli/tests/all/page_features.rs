//! What a reader does with the page of `mayfly report --html`, one test per row of the comparison in docs/design/reports.md.
//!
//! In the browser of `browser`; without it these tests are skipped, and say so.

use mayfly_profile::{ClassCounts, ClassId, Frame, FrameId, Progress, Tally, Tracking, Update};

use crate::browser;
use crate::recorded::{Recording, updates};

/// Frames of the recording without those that are added: main, serve, load.
const FRAMES: u32 = 3;
/// Frames that are added: class, method, line.
const ADDED: [(&str, &str, u32); 7] = [
    ("java.util.HashMap", "put", 610),
    ("java.util.HashMap", "putVal", 628),
    ("java.util.HashMap", "resize", 702),
    ("org.springframework.web.Servlet", "service", 500),
    ("org.springframework.aop.Proxy", "invoke", 90),
    ("java.lang.Thread", "run", 840),
    ("a.Main", "serve", 9),
];

/// Stacks through the JDK and a framework; one method of them at two lines.
fn through_frameworks(updates: Vec<Update>) -> Vec<Update> {
    let added = |at: u32| FrameId(FRAMES + at);
    let mut found = Vec::new();
    for update in updates {
        let Update::Site { id, class, stack } = update else {
            found.push(update);
            continue;
        };
        if id.0 == 0 {
            let frames = ADDED.iter().enumerate().map(|(at, &(class, method, line))| {
                let (class, method) = (class.into(), method.into());
                Update::Frame {
                    id: added(at as u32),
                    frame: Frame { class, method, file: None, line: Some(line) },
                }
            });
            found.extend(frames);
        }
        // In turn by either line of the method.
        let own = if stack[0] == FrameId(1) && id.0 > 2 { added(6) } else { stack[0] };
        let stack = vec![added(2), added(1), added(0), own, added(4), added(3), FrameId(0), added(5)];
        found.push(Update::Site { id, class, stack });
    }
    found
}

/// What the script of this name finds wrong on the recording's page: nothing.
#[track_caller]
fn follows(recording: &Recording, name: &str) {
    let page = recording.text(&["--html"], &[]);
    let script = format!("{}.{name}()", include_str!("recorded/features.js").trim_end());
    let Some(found) = browser::driven(&page, &script, recording.folder(), 1_240, &[]) else { return };
    assert_eq!(found["wrong"], serde_json::json!([]), "{name}: {found}");
    assert!(found["checks"].as_u64() >= Some(3), "{name}: {found}");
}

fn recording() -> Recording {
    Recording::with(through_frameworks(updates(Tracking::EveryObject, 0)))
}

#[test]
fn the_tooltip_at_the_pointer_has_frame_lines_numbers_lifetime_and_share() {
    follows(&recording(), "tooltip");
}

#[test]
fn frames_of_the_jdk_and_of_frameworks_are_folded_and_opened() {
    follows(&recording(), "fold");
}

#[test]
fn what_is_too_narrow_to_be_drawn_is_found_and_counted() {
    let much = 1_000_000;
    follows(&Recording::with(through_frameworks(updates(Tracking::EveryObject, much))), "search");
}

#[test]
fn colours_have_a_legend() {
    follows(&recording(), "legend");
}

#[test]
fn words_are_explained_where_they_stand() {
    follows(&recording(), "words");
}

#[test]
fn the_browsers_back_undoes_a_choice() {
    follows(&recording(), "back");
}

#[test]
fn all_classes_are_there() {
    const MORE: u32 = 5_100;
    let mut all = updates(Tracking::EveryObject, 0);
    let end = all.pop().expect("an end");
    let ids = 3..3 + MORE;
    all.extend(ids.clone().map(|id| Update::Class { id: ClassId(id), name: format!("many.Class{id}") }));
    let classes =
        ids.map(|id| ClassCounts { id: ClassId(id), allocated: Tally::of(1, 16), lifetimes: None }).collect();
    all.push(Update::from(Progress { duration_ms: 61_000, gcs: 60, classes, ..Progress::default() }));
    all.push(end);
    follows(&Recording::with(all), "classes");
}

#[test]
fn causes_of_collections_are_on_the_timeline() {
    follows(&recording(), "causes");
}

#[test]
fn survival_is_of_the_selection() {
    follows(&recording(), "survival");
}

#[test]
fn the_first_view_says_what_is_old_and_alive_and_what_was_found() {
    let recording = recording();
    follows(&recording, "old");
    let page = recording.text(&["--html"], &[]);
    let screen = recording.text(&["--text"], &[]);
    let findings = page.split("id=\"findings\"").nth(1).and_then(|rest| rest.split("</ol>").next());
    let sentences = findings.expect("findings").split("<li>").skip(1).map(|one| {
        let text = one.split('<').next().expect("a text");
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&#62;", ">").replace("&#60;", "<")
    });
    // The screen breaks sentences between words.
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences: Vec<_> = sentences.collect();
    assert!(sentences.len() > 1, "{sentences:?}");
    for sentence in sentences {
        assert!(screen.contains(&sentence), "{sentence:?} is not on the first screen: {screen}");
    }
}
