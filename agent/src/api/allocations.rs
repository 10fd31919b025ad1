//! What a thread allocates while a body runs: each object by class and by the program's own frame, what happens once only told apart,
//! and what of it is left later.
//!
//! The first objects are taken one by one, of many a sample. Not here: which part of a stack means what (`own_frame`).

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mayfly_jvmti::{AllocationWatch, Jni, SampledAllocation, StackFrame, TakesAllocations, Weak};
use mayfly_profile::Estimate;

use super::error::ApiError;
use super::own_frame::{Known, Made, Method, made};

/// So many objects are taken one by one, and looked for later; from there on one per so many bytes is.
const EXACT: u64 = 10_000;
const THEN_EVERY: u64 = 64 << 10;
/// So many are looked for later at most.
const MOST_WEAK: usize = 20_000;
/// Frames of a stack that are looked at.
const FRAMES: usize = 256;

/// Rows by number, for those who ask what is left.
static KEPT: Mutex<Vec<(i64, Taken)>> = Mutex::new(Vec::new());

/// What one body allocated.
#[derive(Default)]
struct Taken {
    rows: HashMap<Row, usize>,
    /// Rows of stacks that were seen, by class.
    known: HashMap<(String, Vec<StackFrame>), usize>,
    counted: Vec<Counted>,
    /// Row and bytes of each object that is looked for later.
    weak: Vec<(Weak, usize, f64)>,
    methods: HashMap<u64, Option<Arc<Method>>>,
    events: u64,
    /// Bytes between two that are taken; 0: each is.
    interval: u64,
    /// Not all of them are looked for.
    lost: bool,
}

/// What is told apart.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Row {
    class: String,
    made: Made,
}

#[derive(Clone, Copy, Default)]
struct Counted {
    objects: f64,
    bytes: f64,
    left_objects: f64,
    left_bytes: f64,
}

impl TakesAllocations for Taken {
    fn take(&mut self, watch: &AllocationWatch, jni: Jni<'_>, allocation: SampledAllocation<'_>) {
        let jvmti = watch.jvmti();
        self.events += 1;
        let stands_for = stands_for(allocation.size, self.interval);
        if self.events == EXACT {
            self.interval = THEN_EVERY;
            watch.set_interval(THEN_EVERY);
        }
        let class = jvmti.class_name(allocation.class).unwrap_or_default();
        let stack: Vec<StackFrame> = jvmti.with_stack(jni, FRAMES, |frames| frames.collect());
        let key = (class, stack);
        let at = match self.known.get(&key) {
            Some(&at) => at,
            None => {
                let at = self.row(watch, jni, &key.0, &key.1);
                self.known.insert(key, at);
                at
            }
        };
        if let Some(counted) = self.counted.get_mut(at) {
            counted.objects += stands_for;
            counted.bytes += stands_for * allocation.size as f64;
        }
        match jni.weak(allocation.object) {
            Some(weak) if self.weak.len() < MOST_WEAK => {
                self.weak.push((weak, at, allocation.size as f64 * stands_for));
            }
            Some(weak) => {
                jni.release(weak);
                self.lost = true;
            }
            None => self.lost = true,
        }
    }
}

/// How many objects one of this size stands for, of a sample at a mean of so many bytes.
fn stands_for(size: u64, interval: u64) -> f64 {
    1.0 / Estimate::probability(size, interval)
}

impl Taken {
    /// The row of such an object.
    fn row(&mut self, watch: &AllocationWatch, jni: Jni<'_>, class: &str, stack: &[StackFrame]) -> usize {
        let jvmti = watch.jvmti();
        let facts = |&frame: &StackFrame| {
            let method = self.methods.entry(frame.method).or_insert_with(|| {
                let facts = jvmti.method_facts(jni, frame.method)?;
                let code = jvmti.method_code(jni, frame.method).map(|code| code.code);
                Some(Arc::new(Method { class: facts.class, name: facts.name, file: facts.file, code }))
            });
            method.clone().map(|method| Known { method, frame })
        };
        let made = made(class, stack.iter().map(facts), |frame| jvmti.line(frame));
        let next = self.counted.len();
        let at = *self.rows.entry(Row { class: class.to_owned(), made }).or_insert(next);
        if at == next {
            self.counted.push(Counted::default());
        }
        at
    }

    /// What is needed no more when the body is done.
    fn forget_stacks(&mut self) {
        (self.known, self.methods) = Default::default();
    }

    /// A line with its number and whether it is an estimate, then one for each row.
    fn lines(&self, number: i64) -> String {
        let mut text = format!("{number}\t{}\t{}\n", u8::from(self.interval > 0), u8::from(self.lost));
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, at)| **at);
        for (row, &at) in rows {
            let Some(counted) = self.counted.get(at) else { continue };
            let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
            // Writing into a string can't fail.
            let _ = writeln!(
                text,
                "{}\t{:.0}\t{:.0}\t{:.0}\t{:.0}\t{}\t{}",
                row.made.kind(),
                counted.objects,
                counted.bytes,
                counted.left_objects,
                counted.left_bytes,
                clean(&row.class),
                clean(row.made.frame())
            );
        }
        text
    }

    /// Those that are still there, counted; all are given back.
    fn look(&mut self, jni: Jni<'_>) {
        for (weak, at, bytes) in std::mem::take(&mut self.weak) {
            if let Some(counted) = self.counted.get_mut(at).filter(|_| !jni.is_cleared(&weak)) {
                counted.left_objects += 1.0;
                counted.left_bytes += bytes;
            }
            jni.release(weak);
        }
    }
}

/// Runs a body, and says what this thread allocated meanwhile; `None` if it threw. The lines begin with a number for [`left`].
pub(crate) fn allocations(jni: Jni<'_>, body: impl FnOnce() -> bool) -> Result<Option<String>, ApiError> {
    let watch = watch(jni)?;
    let mut taken = Taken::default();
    let done = watch.during(jni, &mut taken, body)?;
    taken.forget_stacks();
    if !done {
        taken.look(jni);
        return Ok(None);
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let number = kept.last().map_or(1, |(last, _)| last + 1);
    let lines = taken.lines(number);
    kept.push((number, taken));
    Ok(Some(lines))
}

/// After a collection: the lines of that number, with what is left. It is forgotten then.
pub(crate) fn left(jni: Jni<'_>, number: i64) -> Option<String> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let at = kept.iter().position(|(known, _)| *known == number)?;
    let (_, mut taken) = kept.remove(at);
    drop(kept);
    taken.look(jni);
    Some(taken.lines(number))
}

/// The sampler, from the first call on for the life of the process.
fn watch(jni: Jni<'_>) -> Result<&'static AllocationWatch, ApiError> {
    static WATCH: OnceLock<AllocationWatch> = OnceLock::new();
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let watch = AllocationWatch::new(jni.vm().ok_or(ApiError::NoMemory)?).map_err(ApiError::NoSampler)?;
    Ok(WATCH.get_or_init(|| watch))
}

/// Whether the sampler can be had.
pub(crate) fn can_watch(jni: Jni<'_>) -> bool {
    watch(jni).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_stands_for_as_many_as_were_passed_over() {
        assert_eq!(stands_for(16, 0), 1.0);
        assert!((stands_for(16, 64 << 10) - 4096.5).abs() < 0.1);
        assert!(stands_for(1 << 20, 64 << 10) < 1.000_001);
    }
}
