//! A JVM with millions of objects that waits to be asked: its native memory by the kernel's and by its own account, its pauses and CPU time.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{error, fs};

use crate::jdk::Jdk;
use crate::pauses::{PauseLog, Pauses};
use crate::process::cpu_s;

/// A running `HeapScale`. Dropping it ends it.
pub(crate) struct HeapTarget {
    jvm: Child,
    jcmd: Command,
    pauses: PauseLog,
}

/// What something cost the target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Felt {
    /// How long it stood still.
    pub(crate) pauses: Pauses,
    /// CPU time of its threads, in seconds.
    pub(crate) cpu_s: f64,
}

/// Native memory of the target, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NativeMemory {
    /// Resident; all that changes is native, as the heap is touched at the start.
    pub(crate) resident: u64,
    /// The JVM's tag maps, if it says so.
    pub(crate) jvm_tags: Option<u64>,
}

impl HeapTarget {
    /// Starts it, and waits until all objects are there.
    pub(crate) fn start(jdk: &Jdk, folder: &Path, objects: u64) -> Result<Self, Box<dyn error::Error>> {
        jdk.compile("HeapScale.java", folder)?;
        // Some 28 bytes per object; room for the young generation and to copy.
        let heap = format!("{}m", objects * 28 * 2 / (1 << 20) + 256);
        let mut command = Command::new(jdk.java());
        command.args([format!("-Xms{heap}"), format!("-Xmx{heap}")]);
        let pauses = PauseLog::in_folder(folder);
        command.args(["-XX:+AlwaysPreTouch", "-XX:NativeMemoryTracking=summary", &pauses.option()]);
        // Or newer JVMs warn of it on our screen.
        command.args(["-XX:+EnableDynamicAgentLoading", "-cp"]).arg(folder);
        command.args(["HeapScale", &objects.to_string()]);
        let mut jvm = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut said = String::new();
        if let Some(stdout) = jvm.stdout.take() {
            BufReader::new(stdout).read_line(&mut said)?;
        }
        let mut jcmd = Command::new(jdk.home.join("bin/jcmd"));
        jcmd.args([&jvm.id().to_string(), "VM.native_memory", "summary"]);
        let target = Self { jvm, jcmd, pauses };
        if said.trim() == "READY" {
            Ok(target)
        } else {
            Err(format!("HeapScale said {said:?}, not READY").into())
        }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.jvm.id()
    }

    /// Does something, and what that costs the target.
    pub(crate) fn feels<R>(&self, what: impl FnOnce() -> R) -> io::Result<(R, Felt)> {
        let (before, end) = (cpu_s(self.pid())?, self.pauses.end()?);
        let done = what();
        Ok((done, Felt { pauses: self.pauses.since(end)?, cpu_s: cpu_s(self.pid())? - before }))
    }

    /// What it has now; from here on the kernel keeps the most it has.
    pub(crate) fn begin_native_peak(&self) -> io::Result<NativeMemory> {
        // proc_pid_clear_refs(5): 5 sets the peak to what is resident now.
        fs::write(format!("/proc/{}/clear_refs", self.pid()), "5")?;
        Ok(NativeMemory { resident: self.status("VmRSS:")?, jvm_tags: Some(0) })
    }

    /// The most it had since.
    pub(crate) fn native_peak(&self) -> io::Result<NativeMemory> {
        Ok(NativeMemory { resident: self.status("VmHWM:")?, jvm_tags: self.serviceability_peak() })
    }

    fn status(&self, field: &str) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        let kib = status.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB"));
        let kib = kib.and_then(|kib| kib.trim().parse::<u64>().ok());
        kib.map(|kib| kib * 1024).ok_or_else(|| io::Error::other(format!("no {field} in /proc/PID/status")))
    }

    fn serviceability_peak(&self) -> Option<u64> {
        let mut command = Command::new(self.jcmd.get_program());
        let output = command.args(self.jcmd.get_args()).output().ok()?;
        peak_of(&String::from_utf8_lossy(&output.stdout), "Serviceability")
    }
}

impl Drop for HeapTarget {
    fn drop(&mut self) {
        drop(self.jvm.stdin.take());
        // It ends by itself then; a JVM that hangs is killed.
        let _ = self.jvm.kill();
        let _ = self.jvm.wait();
    }
}

/// `peak=NKB` of the `malloc` line of a category in `VM.native_memory summary` (JDK 21 and later print it).
fn peak_of(text: &str, category: &str) -> Option<u64> {
    let mut lines = text.lines().skip_while(|line| !line.contains(category));
    let malloc = lines.find(|line| line.contains("malloc="))?;
    let (_, peak) = malloc.split_once("peak=")?;
    peak.split_once("KB")?.0.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_a_category_is_found_where_the_jvm_tells_it() {
        let text = "-                   Internal (reserved=9KB, committed=9KB)\n  (malloc=9KB #9) (peak=11KB #9)\n\
                    -            Serviceability (reserved=18KB, committed=18KB)\n  (malloc=18KB #6) (peak=19KB #21) \n";
        assert_eq!(peak_of(text, "Serviceability"), Some(19 * 1024));
        assert_eq!(peak_of(&text.replace("peak", "at"), "Serviceability"), None);
    }
}
