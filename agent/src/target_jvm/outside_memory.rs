//! Memory that the JDK's own classes took outside of the heap, by their own counts: those behind the beans `BufferPoolMXBean`, without
//! the management classes. Direct buffers and native segments of arenas are counted together.
//!
//! Not here: what they are called (`READINGS` of `mayfly-profile`); memory that other code takes (`Unsafe`, JNI), which nobody counts.

use mayfly_jvmti::{BootStatics, Jni, JvmtiEnv, StaticNumber};
use mayfly_profile::{DIRECT_BUFFERS, DIRECT_BYTES, MAPPED_BUFFERS, MAPPED_BYTES};

const DIRECT: [StaticNumber; 2] = [StaticNumber::Atomic(c"COUNT"), StaticNumber::Atomic(c"RESERVED_MEMORY")];
const MAPPED: [StaticNumber; 2] = [StaticNumber::Int(c"count"), StaticNumber::Long(c"totalSize")];

/// The classes that count.
pub(super) struct OutsideMemory {
    direct: Option<BootStatics>,
    /// None where they are not those that we know.
    mapped: Vec<BootStatics>,
}

impl OutsideMemory {
    /// Those of this JVM: from JDK 14 on mappings of persistent memory have one of their own.
    pub(super) fn find(jni: Jni<'_>) -> Self {
        let find = |name| BootStatics::find(jni, name);
        let two = [c"sun/nio/ch/FileChannelImpl$DefaultUnmapper", c"sun/nio/ch/FileChannelImpl$SyncUnmapper"];
        let mapped = two.into_iter().map(find).collect::<Option<Vec<_>>>();
        let one = || find(c"sun/nio/ch/FileChannelImpl$Unmapper").into_iter().collect();
        Self { direct: find(c"java/nio/Bits"), mapped: mapped.unwrap_or_else(one) }
    }

    /// Their counts now, by tag of the reading. What is not known is left out.
    pub(super) fn read(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) -> Vec<(u8, u64)> {
        let mut readings = Vec::new();
        let direct = self.direct.and_then(|class| class.read(jvmti, jni, DIRECT));
        if let Some([buffers, bytes]) = direct {
            readings.extend([(DIRECT_BUFFERS, buffers), (DIRECT_BYTES, bytes)]);
        }
        let mapped =
            self.mapped.iter().map(|class| class.read(jvmti, jni, MAPPED)).collect::<Option<Vec<_>>>();
        let both = mapped.and_then(|all| all.into_iter().reduce(|[a, b], [c, d]| [a + c, b + d]));
        if let Some([buffers, bytes]) = both {
            readings.extend([(MAPPED_BUFFERS, buffers), (MAPPED_BYTES, bytes)]);
        }
        readings
    }
}
