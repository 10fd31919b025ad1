//! Which processor a library is built for, what it asks of the C library of the process that loads it, and whether that has it.
//!
//! Not here: what follows from it (`library_copy`).

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::session::process::Process;

/// How each file begins.
const ELF: &[u8] = b"\x7fELF";
const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
/// What versions of symbols are asked for, by the library that has them.
const DT_VERNEED: u64 = 0x6fff_fffe;
/// More than a library has; what is damaged may go round in a circle.
const MOST: usize = 4096;
/// How names go on that musl's loader takes for itself, behind `lib`.
const OF_MUSL: [&str; 7] = ["c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."];

/// What an ELF file is built for: bits, and `e_machine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    bits: u8,
    number: u16,
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.bits, self.number) {
            (64, 62) => write!(f, "x86-64"),
            (32, 62) => write!(f, "x32"),
            (_, 3) => write!(f, "32-bit x86"),
            (_, 183) => write!(f, "aarch64"),
            (_, 40) => write!(f, "32-bit ARM"),
            (bits, number) => write!(f, "{bits}-bit machine {number}"),
        }
    }
}

impl Machine {
    /// That of a file, by its first bytes (`elf(5)`).
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let mut head = [0; 20];
        File::open(path).ok()?.read_exact(&mut head).ok()?;
        Self::in_head(&head)
    }

    fn in_head(head: &[u8; 20]) -> Option<Self> {
        let bits = match head[..5].strip_prefix(ELF)? {
            [1] => 32,
            [2] => 64,
            _ => return None,
        };
        let number = [head[18], head[19]];
        let number = if head[5] == 2 { u16::from_be_bytes(number) } else { u16::from_le_bytes(number) };
        Some(Self { bits, number })
    }
}

/// Whether it is an ELF file, and as long as it says: its section headers come last (`e_shoff` at 40, `e_shentsize` and
/// `e_shnum` at 58 and 60).
pub(crate) fn is_whole(path: &Path) -> io::Result<bool> {
    let mut head = [0; 64];
    let mut file = File::open(path)?;
    file.read_exact(&mut head)?;
    let field = |at, size| number(&head, at, size).unwrap_or(0);
    let end = field(40, 8).saturating_add(field(58, 2) * field(60, 2));
    // Others are named by their architecture.
    let is_known = head[4..6] == [2, 1];
    Ok(head.starts_with(ELF) && (!is_known || file.metadata()?.len() >= end))
}

/// A version of glibc.
pub(crate) type Version = (u32, u32);

/// The C library of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CLibrary {
    /// GNU's; its version, if that is found.
    Glibc(Option<Version>),
    /// Alpine's.
    Musl,
}

impl CLibrary {
    /// That of a process with these files mapped; `None` if it is neither.
    pub(crate) fn of(process: &Process, files: &[String]) -> Option<Self> {
        let name = |file: &String| file.rsplit('/').next().unwrap_or_default().to_owned();
        let is_musl =
            |name: &str| name.starts_with("ld-musl-") || name.starts_with("libc.musl-") || name == "libc.so";
        if files.iter().any(|file| is_musl(&name(file))) {
            return Some(Self::Musl);
        }
        let is_glibc =
            |name: &str| name == "libc.so.6" || (name.starts_with("libc-2.") && name.ends_with(".so"));
        let file = files.iter().find(|file| is_glibc(&name(file)))?;
        Some(Self::Glibc(fs::read(process.path(file)).ok().and_then(|bytes| newest_named(&bytes))))
    }
}

impl std::fmt::Display for CLibrary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Glibc(Some((major, minor))) => write!(f, "glibc {major}.{minor}"),
            Self::Glibc(None) => write!(f, "glibc"),
            Self::Musl => write!(f, "musl"),
        }
    }
}

/// What a library asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// File names of libraries.
    pub(crate) libraries: Vec<String>,
    /// The newest version of glibc of which it takes a symbol.
    pub(crate) glibc: Option<Version>,
}

impl Needs {
    /// Those of a file; `None` if it is no ELF file of 64 bits, or damaged.
    pub(crate) fn of(library: &Path) -> Option<Self> {
        Self::in_bytes(&fs::read(library).ok()?)
    }

    fn in_bytes(bytes: &[u8]) -> Option<Self> {
        let elf = Elf::new(bytes)?;
        let libraries = elf.dynamic(DT_NEEDED).filter_map(|at| elf.text(at)).collect();
        let versions = elf.versions().into_iter().filter_map(|name| version(&name));
        Some(Self { libraries, glibc: versions.max() })
    }

    /// Why it can't be loaded where that is the C library.
    pub(crate) fn missing_in(&self, c_library: CLibrary) -> Option<String> {
        match c_library {
            CLibrary::Musl => {
                let is_there = |name: &&String| {
                    name.strip_prefix("lib").is_some_and(|rest| OF_MUSL.iter().any(|of| rest.starts_with(of)))
                };
                let missing = self.libraries.iter().find(|name| !is_there(name))?;
                Some(format!("it needs {missing}, which musl does not have"))
            }
            CLibrary::Glibc(theirs) => {
                if self.libraries.iter().any(|name| name == "libc.so" || name.starts_with("libc.musl-")) {
                    return Some("it is built for musl, and the JVM has glibc".to_owned());
                }
                let (asked, theirs) = (self.glibc?, theirs?);
                let (major, minor) = asked;
                (asked > theirs).then(|| {
                    format!("it needs glibc {major}.{minor}, and the JVM has {}.{}", theirs.0, theirs.1)
                })
            }
        }
    }
}

/// `2.17` of `GLIBC_2.17`.
fn version(name: &str) -> Option<Version> {
    let (major, minor) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    // Of 2.2.5 the last number does not matter.
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The newest version whose name is somewhere in the bytes: glibc carries those of all its symbols.
fn newest_named(bytes: &[u8]) -> Option<Version> {
    let names = bytes.split(|&byte| byte == 0).filter(|name| name.starts_with(b"GLIBC_"));
    names.filter_map(|name| version(std::str::from_utf8(name).ok()?)).max()
}

/// An ELF file of 64 bits, little-endian (`elf(5)`).
struct Elf<'a> {
    bytes: &'a [u8],
    /// Tags and values of the dynamic section.
    entries: Vec<(u64, u64)>,
}

impl<'a> Elf<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        if bytes.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let mut elf = Self { bytes, entries: Vec::new() };
        let (offset, length) =
            elf.segments().find(|part| part[0] == PT_DYNAMIC).map(|part| (part[1], part[3]))?;
        let entries = (0..length / 16).map_while(|n| {
            let at = offset.checked_add(n * 16)?;
            Some((elf.number(at, 8)?, elf.number(at + 8, 8)?))
        });
        let entries = entries.take(MOST).take_while(|&(tag, _)| tag != 0).collect();
        elf.entries = entries;
        Some(elf)
    }

    /// Type, offset in the file, address and length there of each segment.
    fn segments(&self) -> impl Iterator<Item = [u64; 4]> {
        let start = self.number(32, 8).unwrap_or(0);
        let (size, count) = (self.number(54, 2).unwrap_or(0), self.number(56, 2).unwrap_or(0));
        (0..count).filter_map(move |n| {
            let at = start.checked_add(n * size)?;
            Some([
                self.number(at, 4)?,
                self.number(at + 8, 8)?,
                self.number(at + 16, 8)?,
                self.number(at + 32, 8)?,
            ])
        })
    }

    fn dynamic(&self, tag: u64) -> impl Iterator<Item = u64> {
        self.entries.iter().filter(move |entry| entry.0 == tag).map(|entry| entry.1)
    }

    /// Names of the versions that are asked for: a list of libraries, each with a list.
    fn versions(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = self.dynamic(DT_VERNEED).next().and_then(|address| self.place(address));
        while let Some(library) = at.filter(|_| names.len() < MOST) {
            let mut version = self.number(library + 8, 4).and_then(|next| library.checked_add(next));
            while let Some(entry) = version.filter(|_| names.len() < MOST) {
                let Some(name) = self.number(entry + 8, 4).and_then(|at| self.text(at)) else { break };
                names.push(name);
                version = self.number(entry + 12, 4).filter(|&next| next > 0).map(|next| entry + next);
            }
            at = self.number(library + 12, 4).filter(|&next| next > 0).map(|next| library + next);
        }
        names
    }

    /// Where in the file an address is.
    fn place(&self, address: u64) -> Option<u64> {
        let holds = |part: &[u64; 4]| part[0] == PT_LOAD && address >= part[2] && address - part[2] < part[3];
        let part = self.segments().find(holds)?;
        (address - part[2]).checked_add(part[1])
    }

    fn text(&self, at: u64) -> Option<String> {
        let table = self.place(self.dynamic(DT_STRTAB).next()?)?;
        let rest = self.bytes.get(usize::try_from(table.checked_add(at)?).ok()?..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn number(&self, at: u64, size: usize) -> Option<u64> {
        number(self.bytes, at, size)
    }
}

fn number(bytes: &[u8], at: u64, size: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(libraries: &[&str], glibc: Option<Version>) -> Needs {
        Needs { libraries: libraries.iter().map(|&name| name.to_owned()).collect(), glibc }
    }

    #[test]
    fn what_fits_which_c_library() {
        let packaged = needs(&["libm.so.6", "libc.so.6", "libpthread.so.0", "libdl.so.2"], Some((2, 17)));
        let built_here = needs(&["libgcc_s.so.1", "libc.so.6"], Some((2, 35)));
        let of_musl = needs(&["libc.so"], None);
        for (needs, c_library, why) in [
            (&packaged, CLibrary::Musl, None),
            (&packaged, CLibrary::Glibc(Some((2, 17))), None),
            (&packaged, CLibrary::Glibc(Some((2, 12))), Some("it needs glibc 2.17, and the JVM has 2.12")),
            (&built_here, CLibrary::Musl, Some("it needs libgcc_s.so.1, which musl does not have")),
            (&built_here, CLibrary::Glibc(Some((2, 31))), Some("it needs glibc 2.35, and the JVM has 2.31")),
            (&built_here, CLibrary::Glibc(Some((2, 36))), None),
            (&built_here, CLibrary::Glibc(None), None),
            (&of_musl, CLibrary::Musl, None),
            (&of_musl, CLibrary::Glibc(Some((2, 36))), Some("it is built for musl, and the JVM has glibc")),
        ] {
            assert_eq!(needs.missing_in(c_library).as_deref(), why, "{needs:?} {c_library}");
        }
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(version("GLIBC_PRIVATE"), None);
        assert_eq!(newest_named(b"x\0GLIBC_2.9\0GLIBC_2.31\0GLIBC_2.4\0GLIBC_PRIVATE\0"), Some((2, 31)));
    }

    /// Of a program that really is linked, in which a bad place is found nowhere.
    #[test]
    fn this_program_needs_the_c_library_that_it_has() {
        let bytes = fs::read(std::env::current_exe().expect("a path")).expect("readable");
        let own = Needs::in_bytes(&bytes).expect("an ELF file");
        let process = Process::find(std::process::id()).expect("alive");
        let c_library = CLibrary::of(&process, &process.mapped_files().expect("ours"));
        if let Some(c_library) = c_library {
            assert!(!own.libraries.is_empty());
            assert_eq!(own.missing_in(c_library), None, "{own:?} {c_library}");
        }
        for length in (0..bytes.len()).step_by(bytes.len() / 200 + 1) {
            let _ = Needs::in_bytes(&bytes[..length]);
        }
        assert_eq!(Needs::in_bytes(b"#!/bin/sh\n"), None);
    }

    fn head(class: u8, order: u8, machine: [u8; 2]) -> [u8; 20] {
        let mut head = [0; 20];
        head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
        head[18..].copy_from_slice(&machine);
        head
    }

    #[test]
    fn machines_are_named() {
        for (head, name) in [
            (head(2, 1, [62, 0]), "x86-64"),
            (head(1, 1, [3, 0]), "32-bit x86"),
            (head(2, 1, [183, 0]), "aarch64"),
            (head(2, 2, [0, 22]), "64-bit machine 22"),
        ] {
            assert_eq!(Machine::in_head(&head).map(|machine| machine.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Machine::in_head(&[0; 20]), None);
    }
}
