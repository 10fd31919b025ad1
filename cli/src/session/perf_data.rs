//! HotSpot's performance counters in a file (`/tmp/hsperfdata_USER/PID`): what a JVM tells of itself without being asked.
//!
//! Version 2 of the buffer, as `jvmstat` describes it. The file belongs to a running JVM and may be cut off or changing:
//! what does not fit is not there. Not here: where the file lies (`jvms`).

const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Of the systems that Mayfly is for.
const LITTLE_ENDIAN: u8 = 1;
const MAJOR_VERSION: u8 = 2;
const PROLOGUE_BYTES: usize = 32;
const ENTRY_BYTES: usize = 20;
/// More entries than any JVM has.
const MOST_ENTRIES: usize = 100_000;

/// The counters of one JVM.
#[derive(Clone, Debug)]
pub(crate) struct PerfData {
    bytes: Vec<u8>,
}

/// One counter.
struct Entry<'a> {
    name: &'a [u8],
    /// Where its value begins, and how many elements it may have.
    value: usize,
    most: usize,
}

/// How names of a generation's spaces go on.
const SPACE: &[u8] = b".space.";

/// Where new objects are made.
const EDEN: &[u8] = b"0.space.0.used";
const SURVIVORS: &[u8] = b"0.space.1.";

/// The Java heap of a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    /// Now, or as of a moment ago.
    pub(crate) used_bytes: u64,
    /// Of that what is not in the space where new objects are made: what the last collection left, and the little that was made
    /// elsewhere since. `None` where the collector has no such space.
    pub(crate) left_bytes: Option<u64>,
    pub(crate) committed_bytes: u64,
}

/// What the JVM knows of its classes takes, outside of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Metaspace {
    pub(crate) used_bytes: u64,
    pub(crate) committed_bytes: u64,
}

impl PerfData {
    /// Takes the contents of a file; `None` if they are none.
    pub(crate) fn of(bytes: Vec<u8>) -> Option<Self> {
        let known = bytes.len() >= PROLOGUE_BYTES && bytes[..4] == MAGIC;
        (known && bytes[4..6] == [LITTLE_ENDIAN, MAJOR_VERSION]).then_some(Self { bytes })
    }

    /// The text of that name, e.g. `sun.rt.javaCommand`.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.entries().find(|entry| entry.name == name.as_bytes()).and_then(|entry| {
            Some(String::from_utf8_lossy(self.zero_ended(entry.value, entry.most)?).into_owned())
        })
    }

    /// What of the heap is used, and what it has, in bytes; `None` if the collector does not tell. Collectors keep these counters
    /// up while the program runs.
    pub(crate) fn heap(&self) -> Option<Heap> {
        let mut heap = Heap { used_bytes: 0, left_bytes: None, committed_bytes: 0 };
        let mut left = 0;
        let mut eden = false;
        for entry in self.entries() {
            let Some(space) = entry.name.strip_prefix(b"sun.gc.generation.") else { continue };
            let of_space = space.windows(SPACE.len()).any(|part| part == SPACE);
            if of_space && space.ends_with(b".used") {
                let used = self.long(entry.value)?;
                heap.used_bytes += used;
                left += if space == EDEN { 0 } else { used };
                // Those with survivors have it.
                eden |= space.starts_with(SURVIVORS);
            } else if of_space && space.ends_with(b".capacity") {
                heap.committed_bytes += self.long(entry.value)?;
            }
        }
        heap.left_bytes = eden.then_some(left);
        (heap.committed_bytes > 0).then_some(heap)
    }

    /// What classes take; `None` if the JVM does not tell.
    pub(crate) fn metaspace(&self) -> Option<Metaspace> {
        let used_bytes = self.counter(b"sun.gc.metaspace.used")?;
        Some(Metaspace { used_bytes, committed_bytes: self.counter(b"sun.gc.metaspace.capacity")? })
    }

    /// When, in milliseconds of the JVM's life, the last collection of the whole heap ended in which the program stood still; `None`: there was
    /// none, or it is not told.
    pub(crate) fn collected_whole_at_ms(&self) -> Option<u64> {
        self.counter(b"sun.gc.collector.1.invocations").filter(|&number| number > 0)?;
        let ticks = self.counter(b"sun.gc.collector.1.lastExitTime").filter(|&ticks| ticks > 0)?;
        let per_second = self.counter(b"sun.os.hrt.frequency").filter(|&frequency| frequency > 0)?;
        u64::try_from(u128::from(ticks) * 1_000 / u128::from(per_second)).ok()
    }

    /// A counter of that name.
    fn counter(&self, name: &[u8]) -> Option<u64> {
        self.entries().find(|entry| entry.name == name).and_then(|entry| self.long(entry.value))
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let (mut at, entries) = (self.number(24).unwrap_or(0), self.number(28).unwrap_or(0));
        (0..entries.min(MOST_ENTRIES)).map_while(move |_| {
            let length = self.number(at)?;
            if length < ENTRY_BYTES {
                return None;
            }
            let name = self.zero_ended(at + self.number(at + 4)?, length)?;
            let (most, value) = (self.number(at + 8)?, at + self.number(at + 16)?);
            at += length;
            Some(Entry { name, value, most })
        })
    }

    fn long(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..)?.first_chunk::<8>()?;
        u64::try_from(i64::from_le_bytes(*bytes)).ok()
    }

    fn zero_ended(&self, at: usize, most: usize) -> Option<&[u8]> {
        let rest = self.bytes.get(at..)?;
        rest[..most.min(rest.len())].split(|&byte| byte == 0).next()
    }

    fn number(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..)?.first_chunk::<4>()?;
        usize::try_from(i32::from_le_bytes(*bytes)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer with these texts.
    fn buffer(texts: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 0];
        bytes.resize(PROLOGUE_BYTES, 0);
        bytes[24..28].copy_from_slice(&32i32.to_le_bytes());
        bytes[28..32].copy_from_slice(&(texts.len() as i32).to_le_bytes());
        for (name, value) in texts {
            let value_at = ENTRY_BYTES + name.len() + 1;
            let numbers = [value_at + value.len() + 1, ENTRY_BYTES, value.len() + 1, 0, value_at];
            bytes.extend(numbers.iter().flat_map(|&number| (number as i32).to_le_bytes()));
            bytes.extend([name.as_bytes(), &[0], value.as_bytes(), &[0]].concat());
        }
        bytes
    }

    #[test]
    fn texts_are_found_by_name() {
        let data =
            PerfData::of(buffer(&[("a.b", "1"), ("sun.rt.javaCommand", "org.Main -v")])).expect("known");
        assert_eq!(data.text("sun.rt.javaCommand").as_deref(), Some("org.Main -v"));
        assert_eq!(data.text("a.b").as_deref(), Some("1"));
        assert_eq!(data.text("a"), None);
    }

    #[test]
    fn the_heap_is_the_sum_of_its_spaces() {
        let long = |value: u64| String::from_utf8(value.to_le_bytes().to_vec()).expect("ASCII");
        let numbers = [("sun.gc.generation.0.space.0", 3, 70), ("sun.gc.generation.1.space.0", 4, 80)];
        let spaces: Vec<_> = numbers
            .iter()
            .flat_map(|(name, used, all)| {
                [(format!("{name}.used"), long(*used)), (format!("{name}.capacity"), long(*all))]
            })
            .chain([("sun.gc.generation.0.capacity".to_owned(), long(7))])
            .collect();
        let entries: Vec<_> = spaces.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let heap = PerfData::of(buffer(&entries)).expect("known").heap();
        assert_eq!(heap, Some(Heap { used_bytes: 7, left_bytes: None, committed_bytes: 150 }));
        assert_eq!(PerfData::of(buffer(&[("a", "1")])).expect("known").heap(), None);
    }

    #[test]
    fn what_collections_left_is_not_what_is_used_now() {
        let long = |value: u64| String::from_utf8(value.to_le_bytes().to_vec()).expect("ASCII");
        let spaces: Vec<_> = [("0.space.0", 100), ("0.space.1", 0), ("0.space.2", 5), ("1.space.0", 20)]
            .iter()
            .flat_map(|(name, used)| {
                let name = format!("sun.gc.generation.{name}");
                [(format!("{name}.used"), long(*used)), (format!("{name}.capacity"), long(120))]
            })
            .collect();
        let entries: Vec<_> = spaces.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let heap = PerfData::of(buffer(&entries)).expect("known").heap();
        assert_eq!(heap, Some(Heap { used_bytes: 125, left_bytes: Some(25), committed_bytes: 480 }));
    }

    #[test]
    fn when_the_whole_heap_was_collected_is_told_in_milliseconds() {
        let long = |value: u64| String::from_utf8(value.to_le_bytes().to_vec()).expect("ASCII");
        let at = |number, ticks| {
            let counters = [
                ("sun.gc.collector.1.invocations", long(number)),
                ("sun.gc.collector.1.lastExitTime", long(ticks)),
                ("sun.os.hrt.frequency", long(100)),
            ];
            let entries: Vec<_> = counters.iter().map(|(name, value)| (*name, value.as_str())).collect();
            PerfData::of(buffer(&entries)).expect("known").collected_whole_at_ms()
        };
        assert_eq!((at(2, 42), at(0, 42), at(1, 0)), (Some(420), None, None));
        assert_eq!(PerfData::of(buffer(&[("a", "1")])).expect("known").collected_whole_at_ms(), None);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_survived() {
        let whole = buffer(&[("a.b", "1"), ("c", "org.Main -v")]);
        for length in 0..whole.len() {
            if let Some(data) = PerfData::of(whole[..length].to_vec()) {
                let _ = data.text("c");
            }
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] = value;
                if let Some(data) = PerfData::of(changed) {
                    let _ = (data.text("c"), data.heap());
                }
            }
        }
    }
}
