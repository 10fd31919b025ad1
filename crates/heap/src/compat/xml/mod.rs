//! INSANE's heap dumps, as NetBeans' `SimpleXmlVisitor` wrote them: one element per line.
//!
//! ```text
//! <insane>
//! <object id='54361a9' type='Ins2$Node' size='32'/>
//! <object id='2416a51' type='[C' size='40' value='it"s _a> _ ..'/>
//! <ref from='54361a9' name='Ins2$Node.next' to='6e9319f'/>        an instance field, by the class that declares it
//! <ref from='6e9319f' name='0' to='639d7ac4'/>                     an array element
//! <ref name='java.util.OptionalInt.EMPTY' to='5680a178'/>          a static field
//! </insane>
//! ```
//!
//! Elements name only what stands before them; ids are hexadecimal. Classes are no objects, and roots are not told: an object that
//! nothing refers to was one.
//!
//! No XML crate: files are in the charset of the machine that wrote them and do not say which, and texts are given out as
//! they lie in the file. The reader takes these three elements and the five entities of XML, and nothing else.

mod element;
mod load;
mod writer;

pub use element::START;
pub(crate) use load::{Loader, visit_texts};
pub use load::{histogram, read};
pub use writer::write;
pub(crate) use writer::{Mirrors, field_text};
