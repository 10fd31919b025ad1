//! `--phase`: start-up and work of a recorded program.

use std::fs;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{
    AT_START_UP, ClassCounts, ClassId, HeldSteps, ProfileBuilder, Progress, Remainder, Section, Tally, Trust,
    Update,
};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

/// Each of four seconds 200 classes come; then none for twenty. Each second has a hundred objects of 16 bytes of the newest class.
fn service(launched: bool) -> Vec<u8> {
    let mut writer = RecordingWriter::new();
    updates(launched).iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
}

/// The same as a file whose steps of long ago were made coarser: each third is there.
fn coarse_service() -> Vec<u8> {
    let mut all = ProfileBuilder::new();
    updates(true).into_iter().for_each(|update| all.apply(update).expect("fits"));
    let (mut writer, mut held, mut steps) = (RecordingWriter::new(), HeldSteps::default(), 0);
    let mut bytes = Vec::new();
    let mut write = |update: Update| bytes.extend(writer.encode(&update).expect("fits a frame"));
    for update in updates(true) {
        match update {
            Update::Step(step) => {
                assert_eq!(held.add(step, 0), []);
                steps += 1;
                if steps % 3 == 0 {
                    write(Update::Step(held.release().expect("there are some")));
                }
            }
            Update::End => {
                write(Update::Step(vec![Section::Course(Box::new(all.course()))]));
                write(Update::End);
            }
            other => write(other),
        }
    }
    bytes
}

#[test]
fn where_steps_are_coarse_the_start_up_is_as_long_and_its_parts_are_the_whole() {
    let screen = String::from_utf8(report(&coarse_service(), &[]).stdout).expect("UTF-8");
    assert!(screen.contains("start-up      4.00 s, 6.25 KiB, 800 classes"), "{screen}");
    let objects = |phase| objects_of(&coarse_service(), &["--phase", phase]);
    // The step in which it ends is its own.
    assert_eq!((objects("start"), objects("work")), (600, 1_800));
}

fn updates(launched: bool) -> Vec<Update> {
    let mut updates = vec![Update::Start(Box::default())];
    for second in 1..=24u64 {
        let newest = 200 * second.min(4) as u32 - 1;
        if second <= 4 {
            let names = newest - 199..=newest;
            updates
                .extend(names.map(|id| Update::Class { id: ClassId(id), name: format!("shop.Class{id}") }));
        }
        let cause =
            if launched { AT_START_UP } else { "before counting began (since profiling was started)" };
        let trust = Trust {
            accounted_bytes: second * 1_600,
            jvm_allocated_bytes: Some(second * 1_600),
            remainder: vec![Remainder::exact(cause, 0)],
            ..Trust::default()
        };
        let times = second.saturating_sub(3).max(1);
        let allocated = Tally::of(100 * if second <= 4 { 1 } else { times }, 16);
        updates.push(Update::from(Progress {
            duration_ms: second * 1_000,
            trust,
            classes: vec![ClassCounts { id: ClassId(newest), allocated, lifetimes: None }],
            ..Progress::default()
        }));
    }
    updates.push(Update::End);
    updates
}

fn report(recording: &[u8], options: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("r.mayfly");
    fs::write(&file, recording).expect("write");
    Command::new(cargo_bin("mayfly")).arg("report").args(options).arg(&file).output().expect("runs")
}

/// Objects of all classes.
fn objects(options: &[&str]) -> u64 {
    objects_of(&service(true), options)
}

fn objects_of(recording: &[u8], options: &[&str]) -> u64 {
    let json = report(recording, &[&["--json"], options].concat()).stdout;
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let classes = json["classes"].as_array().expect("a list");
    classes.iter().filter_map(|class| class["allocated"]["objects"].as_u64()).sum()
}

#[test]
fn start_up_and_work_are_the_whole() {
    let json: Value = serde_json::from_slice(&report(&service(true), &["--json"]).stdout).expect("JSON");
    let start_up = &json["start_up"];
    assert_eq!(
        (&start_up["ends_s"], &start_up["classes"], &start_up["allocated_bytes"]),
        (&4.0.into(), &800.into(), &6_400.into())
    );
    assert_eq!((objects(&["--phase", "start"]), objects(&["--phase", "work"])), (400, 2_000));
    assert_eq!(objects(&[]), 2_400);
    let screen = String::from_utf8(report(&service(true), &[]).stdout).expect("UTF-8");
    assert!(screen.contains("start-up      4.00 s, 6.25 KiB, 800 classes"), "{screen}");
}

#[test]
fn where_it_did_not_begin_with_the_jvm_this_is_said() {
    let output = report(&service(false), &["--phase", "work"]);
    let message = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(message.contains("--during FROM..TO") && output.stdout.is_empty(), "{message}");
    assert_ne!(output.status.code(), Some(0));
}
