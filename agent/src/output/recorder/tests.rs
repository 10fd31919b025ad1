//! Recordings in one file and in several, on disks that stall, fill up, and have room again.

use std::io::ErrorKind;
use std::sync::mpsc::{Receiver, Sender, channel};

use mayfly_profile::{
    ClassCounts, ClassId, LifetimeCounts, Merging, Profile, Progress, RunInfo, Tally, Trust,
};
use mayfly_recording::read_profile;

use super::super::fan_out::FanOut;
use super::super::numbered::NumberedFiles;
use super::*;
use crate::options::Bounds;

const PATIENCE: Duration = Duration::from_secs(60);

/// A disk that stalls until its gate is gone.
struct Stalling {
    gate: Receiver<()>,
    written: Sender<Vec<u8>>,
}

impl Place for Stalling {
    fn bytes(&self) -> u64 {
        0
    }
}

impl Write for Stalling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.gate.recv();
        self.written.send(bytes.to_vec()).map_err(|_| io::Error::from(ErrorKind::StorageFull))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// There is but one file.
struct OneFile;

impl Files for OneFile {
    type File = Stalling;
    type Written = ();

    fn open(&mut self, _: u32, _: u64) -> io::Result<(Stalling, PathBuf)> {
        Err(ErrorKind::Unsupported.into())
    }

    fn written(_: &Stalling) -> Option<()> {
        None
    }

    fn remove(&mut self, (): ()) -> bool {
        false
    }
}

/// A recording of so many classes, each named once, on a disk that stalls meanwhile.
fn stalled(classes: u32) -> (FanOut, Sender<()>, Receiver<Vec<u8>>, Arc<State>) {
    let ((open_gate, gate), (written, bytes)) = (channel(), channel());
    let stream = FanOut::default();
    let state = Arc::new(State::of(PathBuf::new()));
    let file = Stalling { gate, written };
    Recorder::<OneFile>::new(stream.subscribe().0, file, Arc::clone(&state), None).start();
    stream.send(vec![Update::Start(Box::default())]);
    for id in 0..classes {
        let counts = ClassCounts { id: ClassId(id), allocated: Tally::of(3, 16), lifetimes: None };
        let progress = Progress { classes: vec![counts], ..Progress::default() };
        let named = Update::Class { id: ClassId(id), name: format!("a.C{id}") };
        stream.send(vec![named, Update::from(progress)]);
    }
    (stream, open_gate, bytes, state)
}

#[test]
fn a_disk_that_stalls_loses_nothing_for_good_and_it_is_said() {
    let (stream, gate, bytes, _) = stalled(100);
    drop(gate);
    stream.close(vec![Update::from(Section::Progress(Box::default())), Update::End], PATIENCE);
    let bytes: Vec<_> = bytes.try_iter().flatten().collect();
    let (profile, damage) = read_profile(&bytes).expect("a recording");
    assert_eq!(damage, None);
    assert_eq!((profile.classes.len(), profile.complete), (100, true));
    let [dropped] = &profile.trust.dropped[..] else { panic!("{:?}", profile.trust.dropped) };
    assert!(dropped.cause.contains("while its disk stalled"), "{}", dropped.cause);
}

#[test]
fn a_full_disk_ends_the_recording_without_an_end() {
    let (stream, gate, bytes, state) = stalled(1);
    gate.send(()).expect("it writes");
    let first = bytes.recv_timeout(PATIENCE).expect("the header");
    drop((bytes, gate));
    stream.close(vec![Update::End], PATIENCE);
    assert!(state.is_cut_off());
    assert!(!read_profile(&first).expect("a recording").0.complete);
}

/// A disk in memory: what is in each file by its number, and how many bytes find room.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<(Contents, Option<usize>)>>);

type Contents = Vec<(u32, Vec<u8>)>;

struct OnDisk(Disk, u32);

impl Disk {
    fn files(&self) -> Contents {
        self.0.lock().expect("no panic").0.clone()
    }

    fn has_room(&self, bytes: Option<usize>) {
        self.0.lock().expect("no panic").1 = bytes;
    }
}

impl Place for OnDisk {
    fn bytes(&self) -> u64 {
        let disk = self.0.0.lock().expect("no panic");
        disk.0.iter().find(|file| file.0 == self.1).map_or(0, |file| file.1.len() as u64)
    }
}

impl Write for OnDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (files, room) = &mut *self.0.0.lock().expect("no panic");
        let fits = room.map_or(bytes.len(), |room| room.min(bytes.len()));
        if fits == 0 && !bytes.is_empty() {
            return Err(ErrorKind::StorageFull.into());
        }
        room.iter_mut().for_each(|room| *room -= fits);
        let file = files.iter_mut().find(|file| file.0 == self.1).expect("it was opened");
        file.1.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Files for Disk {
    type File = OnDisk;
    type Written = u32;

    fn open(&mut self, number: u32, _: u64) -> io::Result<(OnDisk, PathBuf)> {
        self.0.lock().expect("no panic").0.push((number, Vec::new()));
        Ok((OnDisk(self.clone(), number), PathBuf::from(number.to_string())))
    }

    fn written(file: &OnDisk) -> Option<u32> {
        Some(file.1)
    }

    fn remove(&mut self, number: u32) -> bool {
        self.0.lock().expect("no panic").0.retain(|file| file.0 != number);
        true
    }
}

/// A program, its stream, and the recording of it, by a clock that is turned by hand.
struct Recorded<F: Files> {
    stream: FanOut,
    steps: Receiver<Step>,
    writing: Writing<F>,
    seconds: u64,
    sites: u32,
}

impl<F: Files> Recorded<F> {
    fn new(files: F, file: F::File, every: Bounds, keep: Bounds, sites: u32) -> Self {
        let stream = FanOut::default();
        let (unserved, anew) = stream.subscribe();
        let (send, steps) = channel();
        unserved.serve("test", move |step, _| {
            let _ = send.send(step);
        });
        let (unserved, _) = FanOut::default().subscribe();
        let several = Several::new(files, Rotation::new(every, keep), anew);
        let state = Arc::new(State::of(PathBuf::from("1")));
        let Recorder { writing, .. } = Recorder::new(unserved, file, state, Some(several));
        let mut recorded = Self { stream, steps, writing, seconds: 0, sites };
        let name = |id| Update::Class { id: ClassId(id), name: format!("a.C{id}") };
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        recorded.tell([Update::Start(Box::new(run))].into_iter().chain((0..sites).map(name)).collect());
        recorded
    }

    fn tell(&mut self, updates: Vec<Update>) {
        self.stream.send(updates);
        let step = self.steps.recv_timeout(PATIENCE).expect("a step");
        self.writing.take(step, Duration::from_secs(self.seconds), &Pace::default());
    }

    /// A second in which each class changes: ten objects are born, and nine of those of the second before die.
    fn second(&mut self) -> Update {
        self.seconds += 1;
        let (born, dead) = (10 * self.seconds, 9 * (self.seconds - 1));
        let classes = (0..self.sites).map(|id| {
            let tracked = LifetimeCounts {
                live: Tally::of(born - dead, 16),
                collected: vec![Tally::of(dead, 16)],
                ..LifetimeCounts::default()
            };
            ClassCounts { id: ClassId(id), allocated: Tally::of(born, 16), lifetimes: Some(tracked) }
        });
        let trust = Trust { accounted_bytes: born * 16 * u64::from(self.sites), ..Trust::default() };
        let duration_ms = self.seconds * 1_000;
        Update::from(Progress { duration_ms, classes: classes.collect(), trust, ..Progress::default() })
    }

    fn runs(&mut self, seconds: u64) {
        for _ in 0..seconds {
            let step = self.second();
            self.tell(vec![step]);
        }
    }

    fn ends(&mut self) {
        let (stream, last) = (std::mem::take(&mut self.stream), self.second());
        stream.close(vec![last, Update::End], PATIENCE);
        let step = self.steps.recv_timeout(PATIENCE).expect("a step");
        self.writing.take(step, Duration::from_secs(self.seconds), &Pace::default());
    }
}

fn on_disk(seconds: u64, keep: Bounds) -> (Disk, Recorded<Disk>) {
    let disk = Disk::default();
    let (file, _) = disk.clone().open(1, 0).expect("room");
    let every = Bounds { time: Some(Duration::from_secs(seconds)), bytes: None };
    (disk.clone(), Recorded::new(disk, file, every, keep, 3))
}

fn profiles(disk: &Disk) -> Vec<Profile> {
    let profile = |(_, bytes): &(u32, Vec<u8>)| read_profile(bytes).expect("a recording").0;
    disk.files().iter().map(profile).collect()
}

fn objects(profile: &Profile) -> Vec<u64> {
    profile.classes.iter().map(|class| class.allocated.objects).collect()
}

#[test]
fn each_file_is_whole_and_together_they_are_the_run() {
    let (disk, mut recorded) = on_disk(10, Bounds::default());
    recorded.runs(34);
    recorded.ends();
    let parts = profiles(&disk);
    assert_eq!(parts.len(), 4);
    assert!(parts.iter().all(|part| part.complete), "each is closed");
    let during: Vec<_> = parts.iter().map(|part| part.part.during_ms).collect();
    assert_eq!(during, [None, Some((11_000, 22_000)), Some((22_000, 33_000)), Some((33_000, 35_000))]);
    assert_eq!(parts.iter().map(objects).map(|all| all[0]).collect::<Vec<_>>(), [110, 110, 110, 20]);
    let mut merging = Merging::default();
    parts.into_iter().for_each(|part| merging.add(part));
    let all = merging.end().expect("some");
    assert_eq!((objects(&all), all.duration_ms), (vec![350; 3], 35_000));
    assert_eq!(all.classes[0].live.map(|live| live.objects), Some(350 - 9 * 34));
    assert_eq!(all.classes[0].collected[0].objects, 9 * 34);
}

#[test]
fn what_is_older_than_is_kept_is_removed_and_the_next_file_says_so() {
    let keep = Bounds { time: Some(Duration::from_secs(25)), bytes: None };
    let (disk, mut recorded) = on_disk(10, keep);
    recorded.runs(200);
    recorded.ends();
    let parts = profiles(&disk);
    let numbers: Vec<_> = disk.files().iter().map(|file| file.0).collect();
    assert!((3..=4).contains(&numbers.len()) && numbers.last() == Some(&19), "{numbers:?}");
    let newest = parts.last().and_then(|part| part.rotation).expect("one of several");
    assert!(newest.removed >= 14 && newest.removed < numbers[0], "{newest:?} {numbers:?}");
    assert_eq!(parts[1].trust.accounted_bytes, 11 * 10 * 16 * 3);
}

#[test]
fn after_a_full_disk_it_goes_on_and_says_what_is_lost() {
    let (disk, mut recorded) = on_disk(10, Bounds::default());
    recorded.runs(5);
    disk.has_room(Some(10));
    recorded.runs(20);
    assert!(recorded.writing.state.is_cut_off());
    assert_eq!(disk.files().len(), 1, "what could not be begun is not left");
    disk.has_room(None);
    recorded.runs(20);
    assert!(!recorded.writing.state.is_cut_off());
    recorded.ends();
    let parts = profiles(&disk);
    assert!(!parts[0].complete && parts[0].duration_ms == 5_000);
    let (from_ms, _) = parts[1].part.during_ms.expect("a part");
    let [lost] = &parts[1].trust.dropped[..] else { panic!("{:?}", parts[1].trust.dropped) };
    assert!(lost.cause.starts_with(&format!("{} s of the recording", from_ms / 1_000 - 5)), "{}", lost.cause);
    let last = parts.last().expect("some");
    assert!(last.complete && last.trust.dropped.len() == 1, "{:?}", last.trust.dropped);
    let sum: u64 = parts.iter().map(|part| objects(part)[0]).sum();
    assert_eq!(sum, recorded.seconds * 10 - (from_ms / 1_000 - 5) * 10, "all but what was lost");
}

/// Bytes in a folder of files, and their number.
fn in_folder(folder: &std::path::Path) -> (u64, usize) {
    let files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file")).collect();
    (files.iter().map(|file| file.metadata().expect("there").len()).sum(), files.len())
}

/// Two days of a program of so many classes, of which all change each second: the most bytes and files in the first day and in the
/// second.
fn two_days(classes: u32, step: u64, most: u64) -> [(u64, usize); 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let (files, file, _) = NumberedFiles::first(&folder.path().join("app.mayfly")).expect("opened");
    let hours = |hours: u64| Some(Duration::from_secs(hours * 3_600));
    let (every, keep) =
        (Bounds { time: hours(1), bytes: None }, Bounds { time: hours(24), bytes: Some(most) });
    let mut recorded = Recorded::new(files, file, every, keep, classes);
    let mut days = [(0, 0); 2];
    for (day, largest) in days.iter_mut().enumerate() {
        for second in (1..=86_400 / step).map(|at| day as u64 * 86_400 + at * step) {
            recorded.seconds = second - 1;
            recorded.runs(1);
            if second % (60 * step) == 0 {
                let now = in_folder(folder.path());
                *largest = (largest.0.max(now.0), largest.1.max(now.1));
            }
        }
    }
    recorded.ends();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|it| it.expect("it").path()).collect();
    files.sort();
    let mut merging = Merging::default();
    for file in &files {
        merging.add(read_profile(&std::fs::read(file).expect("there")).expect("a recording").0);
    }
    let kept = merging.end().expect("some");
    let rotation = kept.rotation.expect("files");
    assert_eq!((rotation.missing(), rotation.files as usize), (0, files.len()));
    let (from_ms, to_ms) = kept.part.during_ms.expect("a part");
    assert_eq!(objects(&kept), vec![(to_ms - from_ms) / 100; classes as usize], "from {from_ms} to {to_ms}");
    days
}

#[test]
fn two_days_take_no_more_than_one() {
    let [first, second] = two_days(3, 30, 1 << 30);
    assert!(second.1 <= 26 && second.0 <= first.0 * 11 / 10, "{first:?} {second:?}");
}

/// `cargo test --release -p mayfly-agent two_days_of_a_busy -- --ignored --nocapture`
#[test]
#[ignore = "minutes, and a gigabyte of disk"]
fn two_days_of_a_busy_service_take_no_more_than_what_is_kept() {
    let most = 512 << 20;
    let [first, second] = two_days(4_000, 1, most);
    println!("most bytes and files, first day {first:?}, second {second:?}");
    assert!(first.0 <= most && second.0 <= most, "{first:?} {second:?}");
}
