//! What can be had of a dump without its graph: who wrote it, the texts of its strings, and its histogram.
//!
//! Not here: what is counted or sought in the texts.

use super::class_table::ClassTable;
use super::decoder::{Decoder, Record};
use crate::error::HeapError;
use crate::progress::Progress;
use crate::text::{Text, TextEncoding};
use mayfly_counts::{HeapSummary, Total};

/// Whether it was packed from an hprof file, which does not name the JVM's version; every walk does.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    Decoder::new(bytes).is_ok_and(|decoder| decoder.facts().jvm_version.is_empty())
}

/// Calls `visit` for each string whose text is in the dump.
pub(crate) fn visit_texts<'a>(
    bytes: &'a [u8],
    progress: Progress<'_>,
    visit: &mut dyn FnMut(Text<'a>),
) -> Result<(), HeapError> {
    let mut decoder = Decoder::new(bytes)?;
    while let Some(record) = decoder.next(progress)? {
        let Record::Text(text) = record else { continue };
        let encoding = if text.wide { TextEncoding::Utf16Le } else { TextEncoding::Latin1 };
        visit(Text { id: u64::from(text.string.0), length: text.units, kept: text.kept, encoding });
    }
    Ok(())
}

/// Counts the objects by class.
pub(crate) fn histogram(bytes: &[u8], progress: Progress<'_>) -> Result<HeapSummary, HeapError> {
    let mut decoder = Decoder::new(bytes)?;
    let mut table = ClassTable::default();
    // By class number; 0: of no known class.
    let mut counts = vec![Total::default()];
    let mut mirrors = Total::default();
    while let Some(record) = decoder.next(progress)? {
        match record {
            Record::Class(class) => {
                mirrors.add(Total::one(class.mirror_size));
                counts.push(Total::default());
                table.push(class);
            }
            Record::Object { class, size, .. } => {
                counts[class.0 as usize].add(Total::one(size));
            }
            _ => {}
        }
    }
    let named = table.iter().map(|(number, class)| (class.name, counts[number.0 as usize]));
    Ok(named.chain([("java.lang.Class", mirrors), (super::load::NOT_KNOWN, counts[0])]).collect())
}
