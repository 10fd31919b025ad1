//! Where this JVM has what is read of its heap, by libjvm's tables: looked up once, for the census and for large objects.

use mayfly_census::{Collector, Layout};
use mayfly_jvmti::{Jni, Management, OwnMemory, VmFlags};
use mayfly_profile::Gc;

use super::memory::{OfJvm, Running};

/// The heap of this JVM.
#[derive(Clone)]
pub(crate) struct HeapLayout {
    pub(super) collector: Collector,
    pub(super) memory: OwnMemory,
    pub(super) layout: Layout,
}

impl HeapLayout {
    /// # Errors
    /// Why it can't be read.
    pub(crate) fn find(gc: Gc, jni: Jni<'_>) -> Result<Self, String> {
        let collector = match gc {
            Gc::Serial => Collector::Serial,
            Gc::Parallel => Collector::Parallel,
            Gc::G1 => Collector::G1,
            other => {
                return Err(format!(
                    "{} leaves nothing behind to read; Serial, Parallel and G1 do",
                    match other.name() {
                        "" => "this collector",
                        name => name,
                    }
                ));
            }
        };
        let memory = OwnMemory::find().ok_or("the kernel does not let a process copy its own memory")?;
        let flags = VmFlags::find().ok_or("this JVM exports no flags")?;
        let alignment = Management::find().and_then(|jvm| jvm.number(jni, c"ObjectAlignmentInBytes"));
        let layout = Layout::find(&OfJvm(flags), &Running(memory), (collector, alignment.unwrap_or(8)));
        Ok(Self { collector, memory, layout: layout.map_err(|missing| missing.to_string())? })
    }
}
