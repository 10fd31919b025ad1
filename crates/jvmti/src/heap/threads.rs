//! The threads whose stacks a walk starts from.

use std::ptr;

use jvmti_bindings::sys::jvmti as sys;

use super::environment::{HeapWalk, call};
use crate::error::JvmtiError;
use crate::fields::Field;
use crate::fields::OfThread;
use crate::jvmti_env::StackFrame;
use crate::refs::Thread;

/// A live thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFacts {
    /// `Thread.getId()`, as [`super::StackSlot`] has it.
    pub id: i64,
    /// Its tag, 0 if it has none.
    pub tag: i64,
    /// Its name.
    pub name: String,
}

impl HeapWalk<'_> {
    /// All live platform threads (`GetAllThreads`).
    ///
    /// # Errors
    /// Refused by the VM, or out of native memory.
    pub fn threads(&self) -> Result<Vec<ThreadFacts>, JvmtiError> {
        self.in_frame(|| {
            let (mut count, mut threads) = (0, ptr::null_mut());
            call!(self, GetAllThreads, &raw mut count, &raw mut threads)?;
            let threads = self.take(threads, count).into_iter();
            // SAFETY: fresh local references of this frame.
            let threads = threads.filter_map(|raw| unsafe { Thread::from_raw(raw) });
            Ok(threads.map(|thread| self.thread(thread)).collect())
        })?
    }

    /// The threads that carry one of these tags: for virtual threads, which are in no list.
    ///
    /// # Errors
    /// As [`Self::threads`].
    pub fn threads_with_tags(&self, tags: &[i64]) -> Result<Vec<ThreadFacts>, JvmtiError> {
        self.in_frame(|| {
            let class = self.jni.find_class(c"java/lang/Thread");
            let found = self.objects_with_tags(tags)?.into_iter().map(|(object, _)| object);
            let threads =
                found.filter(|object| class.is_some_and(|class| self.jni.is_instance(*object, class)));
            // SAFETY: as it was just found.
            Ok(threads.map(|thread| self.thread(unsafe { thread.as_thread() })).collect())
        })?
    }

    fn thread(&self, thread: Thread<'_>) -> ThreadFacts {
        let id =
            Field::<OfThread, i64>::of_thread(self.jni, c"tid").map_or(0, |tid| tid.get(self.jni, thread));
        ThreadFacts { id, tag: self.tag(thread.as_object()).unwrap_or(0), name: self.thread_name(thread) }
    }

    /// `Thread.getId()` of this thread.
    pub fn own_id(&self) -> Option<i64> {
        self.in_frame(|| {
            let mut thread = ptr::null_mut();
            call!(self, GetCurrentThread, &raw mut thread).ok()?;
            // SAFETY: a fresh local reference of this frame.
            let thread = unsafe { Thread::from_raw(thread) }?;
            Some(Field::<OfThread, i64>::of_thread(self.jni, c"tid")?.get(self.jni, thread))
        })
        .ok()?
    }

    /// The innermost frames of this thread, at most `most` (`GetStackTrace`).
    pub fn own_stack(&self, most: usize) -> Vec<StackFrame> {
        let mut frames = vec![sys::jvmtiFrameInfo::default(); most];
        let mut count = 0;
        let room = i32::try_from(most).unwrap_or(i32::MAX);
        let taken = call!(self, GetStackTrace, ptr::null_mut(), 0, room, frames.as_mut_ptr(), &raw mut count);
        frames.truncate(if taken.is_ok() { usize::try_from(count).unwrap_or(0) } else { 0 });
        let frame = |frame: sys::jvmtiFrameInfo| StackFrame {
            method: frame.method.expose_provenance() as u64,
            location: frame.location,
        };
        frames.into_iter().map(frame).collect()
    }

    fn thread_name(&self, thread: Thread<'_>) -> String {
        let mut info = sys::jvmtiThreadInfo {
            name: ptr::null_mut(),
            priority: 0,
            is_daemon: 0,
            thread_group: ptr::null_mut(),
            context_class_loader: ptr::null_mut(),
        };
        match call!(self, GetThreadInfo, thread.as_object().raw(), &raw mut info) {
            Ok(()) => self.take_text(info.name),
            Err(_) => String::new(),
        }
    }

    /// Class, as `Class.getName()` gives it, and name of a method met on a stack. `None` if its class was unloaded.
    pub fn method(&self, method: u64) -> Option<(String, String)> {
        let id = ptr::with_exposed_provenance_mut(usize::try_from(method).ok().filter(|&id| id != 0)?);
        self.in_frame(|| {
            let (mut name, mut class) = (ptr::null_mut(), ptr::null_mut());
            call!(self, GetMethodName, id, &raw mut name, ptr::null_mut(), ptr::null_mut()).ok()?;
            let name = self.take_text(name);
            call!(self, GetMethodDeclaringClass, id, &raw mut class).ok()?;
            // SAFETY: a fresh local reference of this frame, to a class.
            let class = unsafe { crate::refs::Object::from_raw(class)?.as_class() };
            Some((self.class_name(class).ok()?, name))
        })
        .ok()?
    }
}
