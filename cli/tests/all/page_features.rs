//! What a reader does with the page of `mayfly report --html`, one test per row of the comparison in docs/design/reports.md.
//!
//! In the browser of `browser`; without it these tests are skipped, and say so.

use mayfly_profile::{
    ByteAges, ClassCounts, ClassId, Frame, FrameId, Held, HolderCount, HolderCounts, LifetimeCounts,
    LifetimeHistograms, Lifetimes, Load, Progress, Section, SiteCounts, SiteId, SiteLifetimes, Stamp, Tally,
    Tracking, Trust, Update,
};

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

/// Each second `a.Main.serve` makes an object that stays.
pub(crate) fn leaking() -> Vec<Update> {
    const SECONDS: u64 = 100;
    const SIZE: u64 = 4_096;
    let tally = Tally::of(SECONDS, SIZE);
    let (mut lifetimes, mut of_site, mut ages) =
        (Lifetimes::default(), SiteLifetimes::default(), ByteAges::default());
    for second in 1..=SECONDS {
        let age = second * 1_000;
        lifetimes.ms.record_living(age, 1);
        lifetimes.bytes.record_living(age << 10, 1);
        of_site.ms.record_living(age, Load::held(Tally::of(1, SIZE), (age, age)));
        of_site.bytes.record_living(age << 10, Load::held(Tally::of(1, SIZE), (age << 10, age << 10)));
        ages.ms.record_living(age, SIZE);
        ages.bytes.record_living(age << 10, SIZE);
    }
    of_site.survived = tally;
    let collected = vec![Tally::default(); 3];
    let counts = LifetimeCounts { live: tally, collected: collected.clone(), lifetimes };
    let class = ClassCounts { id: ClassId(1), allocated: tally, lifetimes: Some(counts) };
    let site = SiteCounts {
        id: SiteId(1),
        allocated: tally,
        live: Some(tally),
        collected,
        byte_seconds: 0.0,
        error: 0.0,
    };
    let stamp = Stamp { ms: SECONDS * 1_000, alive: (SECONDS * 1_000, (SECONDS * 1_000) << 10) };
    let (classes, sites) = (vec![(ClassId(1), ages)], vec![(SiteId(1), of_site)]);
    let histograms = LifetimeHistograms { stamp, classes, sites };
    let progress = Progress {
        duration_ms: SECONDS * 1_000,
        gcs: SECONDS as u32,
        classes: vec![class],
        sites: vec![site],
        trust: Trust { accounted_bytes: tally.bytes, ..Trust::default() },
        ..Progress::default()
    };
    let names = |update: &Update| {
        matches!(update, Update::Start(_) | Update::Class { .. } | Update::Frame { .. } | Update::Site { .. })
    };
    let mut all: Vec<_> = updates(Tracking::EveryObject, 0).into_iter().filter(names).collect();
    let lives = Update::from(Section::Lifetimes(Box::new(histograms)));
    all.extend([Update::from(progress), lives, Update::End]);
    all
}

#[test]
fn what_grows_is_on_the_page_in_the_words_of_the_first_screen_with_where_its_holders_are_found() {
    let recording = Recording::with(leaking());
    follows(&recording, "growing");
    let page = recording.text(&["--html"], &[]);
    let script = "[...document.querySelectorAll('#growing tr')].map(row => [...row.children].map(cell => [...cell.childNodes].map(one => one.textContent).join('\\n')))";
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    let rows: Vec<[String; 4]> = serde_json::from_value(found).expect("rows");
    let screen = recording.text(&["--text"], &[]).split_whitespace().collect::<Vec<_>>().join(" ");
    let [what, rate, live, since] = &rows[0];
    let (what, details) = what.split_once('\n').expect("what it is");
    assert!(screen.contains(&format!("! growing: {what}, lately {rate} ")), "{rows:?}: {screen}");
    let sentence = format!("{live} live since {since}, {details}");
    assert!(screen.contains(&sentence), "{sentence:?}: {screen}");
    assert!(screen.contains("who holds them: mayfly leaks PID"), "{screen}");
}

/// Buffers outside of the heap, by who made them.
#[test]
fn what_is_outside_of_the_heap_is_on_the_page_by_who_made_it() {
    let mut all = updates(Tracking::EveryObject, 0);
    let end = all.pop().expect("an end");
    let (id, name) = (ClassId(3), "java.nio.DirectByteBuffer$Deallocator".to_owned());
    let site = Update::Site { id: SiteId(6), class: id, stack: vec![FrameId(1), FrameId(0)] };
    let held = Held { number: 12, bytes: 12 << 20 };
    let rows = vec![HolderCount { class: id, site: Some(SiteId(6)), held, born_ms: 2_000 }];
    let counts = HolderCounts { rows, unknown: 2, ..HolderCounts::default() };
    all.extend([Update::Class { id, name }, site, Update::from(Section::Holders(counts)), end]);
    let recording = Recording::with(all);
    let page = recording.text(&["--html"], &[]);
    let script = "[...document.querySelectorAll('.of-outside tr')].map(row => [...row.children].map(cell => cell.textContent))";
    let full = recording.text(&["--full"], &[]).split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(found) = browser::driven(&page, script, recording.folder(), 1_240, &[]) else { return };
    let rows: Vec<Vec<String>> = serde_json::from_value(found).expect("rows");
    assert_eq!(rows.len(), 2, "{rows:?}");
    for row in rows {
        assert!(full.contains(&row.join(" ")), "{row:?}: {full}");
    }
    assert!(page.contains("of 2 more the size is not known (?)") && page.contains("12.0 MiB in 12"));
}
