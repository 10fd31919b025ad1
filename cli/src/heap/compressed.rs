//! Dumps that were packed by gzip, as `jcmd PID GC.heap_dump -gz=1` writes them: unpacked into a file without a name.
//!
//! Not here: what is in them. Questions jump about in a dump, which a packed one does not allow.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use flate2::read::MultiGzDecoder;
use mayfly_heap::{Dump, HeapError};

use crate::heap::progress::Progress;

/// First bytes of what gzip packed (RFC 1952, 2.3.1).
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// So much is unpacked at a time.
const PIECE: usize = 256 << 10;

/// Why a packed dump can't be had.
#[derive(Debug)]
pub(crate) enum Failed {
    /// It can't be read, or is cut off or damaged: before so many bytes of it.
    Packed { offset: u64, source: io::Error },
    /// What is in it is no dump: so say its first bytes, before the others are unpacked.
    Foreign(HeapError),
    /// There is no room for what is in it.
    Unpacked(io::Error),
}

/// What is in a packed file; none if it is not packed. The file is gone with the handle, whatever happens.
pub(crate) fn unpacked(packed: &mut File) -> Result<Option<File>, Failed> {
    let at = |offset, source| Failed::Packed { offset, source };
    let mut magic = Vec::new();
    packed.take(2).read_to_end(&mut magic).map_err(|error| at(0, error))?;
    packed.rewind().map_err(|error| at(0, error))?;
    if magic != MAGIC {
        return Ok(None);
    }
    let length = packed.metadata().map_err(|error| at(0, error))?.len();
    let progress = Progress::bytes("unpacking", length);
    let mut decoder = MultiGzDecoder::new(BufReader::new(&*packed));
    let mut piece = Vec::with_capacity(PIECE);
    let begun = decoder.by_ref().take(PIECE as u64).read_to_end(&mut piece);
    begun.map_err(|error| at(position(packed), error))?;
    Dump::open(&piece).map_err(Failed::Foreign)?;
    let mut unpacked = BufWriter::new(tempfile::tempfile().map_err(Failed::Unpacked)?);
    unpacked.write_all(&piece).map_err(Failed::Unpacked)?;
    piece.resize(PIECE, 0);
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => unpacked.write_all(&piece[..read]).map_err(Failed::Unpacked)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(at(position(packed), error)),
        }
        progress.at(position(packed), length);
    }
    unpacked.into_inner().map(Some).map_err(|error| Failed::Unpacked(error.into_error()))
}

fn position(mut file: &File) -> u64 {
    file.stream_position().unwrap_or(0)
}
