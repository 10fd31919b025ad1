//! The buffer from which a thread allocates (HotSpot's TLAB), as its own thread may look at it: plain loads, no call of the JVM.
//!
//! Where its fields are, a table of libjvm says (`vm_structs`). Found only if a check on the thread at hand comes out right.
//! Not here: what follows for samples.

use std::ffi::CStr;

use crate::fields::{Field, OfThread};
use crate::jni::Jni;
use crate::refs::{Object, Thread};
use crate::vm_structs::field_offset;

/// HotSpot's thread, as a number in `java.lang.Thread`.
const NATIVE_THREAD_FIELD: &CStr = c"eetop";
/// A JNI environment is a part of its thread.
const MOST_BETWEEN: usize = 64 << 10;
/// Of addresses that collectors colour, what is the address. Others are told apart by it just as well.
const ADDRESS_BITS: usize = (1 << 42) - 1;
const CHECK_LENGTH: i32 = 512;
/// With its header.
const CHECK_BYTES: u64 = 528;
const CHECKS: usize = 4;

/// Where in this VM a thread has its buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferLayout {
    /// From the thread to its JNI environment, in bytes.
    environment: usize,
    allocated: usize,
    start: usize,
    top: usize,
    end: usize,
    desired: usize,
    refills: usize,
    outside: usize,
}

/// A thread's buffer, and what it allocated, as of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes allocated outside of buffers, and in buffers that were given up.
    pub settled: u64,
    /// Where this buffer begins, as a number; 0: there is none.
    pub start: u64,
    /// Bytes used of it.
    pub used: u64,
    /// Bytes of it that can be used.
    pub capacity: u64,
    /// Bytes that the next one will have.
    pub next_capacity: u64,
    /// Buffers since the last collection.
    pub refills: u32,
    /// Objects allocated outside of buffers since the last collection.
    pub outside: u32,
    /// Where the used part of it ends, as a number.
    pub last: u64,
}

impl Buffer {
    /// All bytes that the thread allocated so far.
    pub fn allocated(&self) -> u64 {
        self.settled + self.used
    }

    /// Whether it ends with this object, of so many bytes: asked of the newest object, whether it is in the buffer.
    pub fn ends_with(&self, object: Object<'_>, size: u64) -> bool {
        // SAFETY: a local reference is the address of a slot that holds the object's, from JDK 11 to 24 without marks. The
        // slot lives as long as the reference. A collector may change it meanwhile: then it is not the buffer's end.
        let address = unsafe { object.raw().cast::<usize>().read_volatile() };
        self.used >= size && (address & ADDRESS_BITS) + size as usize == self.last as usize & ADDRESS_BITS
    }
}

impl BufferLayout {
    /// That of this VM, checked on the current thread; `None` if it is not what we know.
    pub fn find(jni: Jni<'_>, current: Thread<'_>) -> Option<Self> {
        let native = Field::<OfThread, i64>::of_thread(jni, NATIVE_THREAD_FIELD)?.get(jni, current);
        let environment = (jni.raw() as usize).checked_sub(usize::try_from(native).ok()?)?;
        let buffer = field_offset(c"Thread", c"_tlab")?;
        let part = |name| Some(buffer + field_offset(c"ThreadLocalAllocBuffer", name)?);
        let layout = Self {
            environment,
            allocated: field_offset(c"Thread", c"_allocated_bytes")?,
            start: part(c"_start")?,
            top: part(c"_top")?,
            end: part(c"_end")?,
            desired: part(c"_desired_size")?,
            refills: part(c"_number_of_refills")?,
            outside: part(c"_slow_allocations")?,
        };
        (environment < MOST_BETWEEN && layout.passes_check(jni)).then_some(layout)
    }

    /// The current thread's.
    pub fn of_this_thread(&self, jni: Jni<'_>) -> Buffer {
        let word = |at: usize| self.read::<usize>(jni, at);
        let (start, top, end) = (word(self.start), word(self.top), word(self.end));
        Buffer {
            settled: self.read::<u64>(jni, self.allocated),
            start: start as u64,
            used: top.saturating_sub(start) as u64,
            capacity: end.saturating_sub(start) as u64,
            // In words.
            next_capacity: 8 * word(self.desired) as u64,
            refills: self.read::<u32>(jni, self.refills),
            outside: self.read::<u32>(jni, self.outside),
            last: top as u64,
        }
    }

    fn read<T: Copy>(&self, jni: Jni<'_>, at: usize) -> T {
        let thread = jni.raw().cast::<u8>().wrapping_sub(self.environment);
        // SAFETY: the environment is a part of the current thread's own structure at the distance that `find` measured, and
        // the VM's tables say which of its fields is there. Nobody else writes it but at safepoints, where this thread is
        // not: it may see a field before and another after one, so what is read is only ever compared.
        unsafe { thread.wrapping_add(at).cast::<T>().read_volatile() }
    }

    /// Whether small arrays move it as they should; a new buffer or a collection may come between once.
    fn passes_check(&self, jni: Jni<'_>) -> bool {
        (0..CHECKS).filter(|_| self.moves(jni)).count() + 1 >= CHECKS
    }

    fn moves(&self, jni: Jni<'_>) -> bool {
        let before = self.of_this_thread(jni);
        let Some(array) = jni.new_byte_array(CHECK_LENGTH) else { return false };
        let after = self.of_this_thread(jni);
        let is_last = after.ends_with(array, CHECK_BYTES);
        jni.forget(array);
        is_last
            && after.used <= after.capacity
            && after.allocated().wrapping_sub(before.allocated()) == CHECK_BYTES
    }
}
