//! Names and modifiers of methods' parameters (`MethodParameters`, JVMS §4.7.24), given back to a class that lost them.
//!
//! HotSpot before 19 leaves them out when it writes a loaded class for retransformation (JDK-8240908). Not here: where they are known from.

use alloc::vec::Vec;

use crate::bytes::{put_u2, put_u4, set_u2, u2_at};
use crate::class::ClassFile;
use crate::pool::PoolTail;
use crate::refusal::{Malformed, Refusal};

const ATTRIBUTE: &[u8] = b"MethodParameters";

/// A parameter of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in modified UTF-8; empty if it has none.
    pub name: Vec<u8>,
    /// `final`, `synthetic`, `mandated` (JVMS §4.7.24).
    pub flags: u16,
}

/// Those of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodParameters {
    /// The method's name.
    pub method: Vec<u8>,
    /// Its descriptor.
    pub descriptor: Vec<u8>,
    /// In order.
    pub parameters: Vec<Parameter>,
}

/// The class with the parameters that `of` tells of its methods; one that has some in the file keeps them. `None`:
/// there are none to add, and `of` is not asked where the constants show that there never were any.
///
/// # Errors
/// A [`Refusal`] if the class can't be read, or has no room for the names.
pub fn with_parameters(
    class: &[u8],
    of: impl FnOnce() -> Vec<MethodParameters>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let mut had_some = false;
    let file = ClassFile::parse_seeing(class, |utf8| had_some |= utf8 == ATTRIBUTE)?;
    if !had_some || file.methods().iter().any(|method| file.has_attribute(method, ATTRIBUTE)) {
        return Ok(None);
    }
    let known = of();
    let mut pool = PoolTail::behind(file.pool());
    let mut out = Vec::with_capacity(class.len() + class.len() / 8);
    let mut copied = 0;
    for method in file.methods() {
        let (name, descriptor) = (file.member_name(method), file.member_descriptor(method));
        let is_it = |known: &&MethodParameters| known.method == name && known.descriptor == descriptor;
        let Some(known) = known.iter().find(is_it) else { continue };
        let span = method.span();
        out.extend_from_slice(class.get(copied..span.start).ok_or(Malformed("class structure"))?);
        copied = span.end;
        let start = out.len();
        out.extend_from_slice(class.get(span).ok_or(Malformed("class structure"))?);
        add(&known.parameters, start, &mut pool, &mut out)?;
    }
    if copied == 0 {
        return Ok(None);
    }
    out.extend_from_slice(class.get(copied..).ok_or(Malformed("class structure"))?);
    set_u2(&mut out, 8, pool.count()).ok_or(Malformed("constant pool"))?;
    let end = file.pool().end();
    out.splice(end..end, pool.bytes().iter().copied());
    Ok(Some(out))
}

/// Appends the attribute to the method that begins at `start` and is the last so far.
fn add(
    parameters: &[Parameter],
    start: usize,
    pool: &mut PoolTail,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    /// From a method's start to the number of its attributes.
    const COUNT: usize = 6;
    let malformed = Malformed("attributes of a method");
    let count = u2_at(out, start + COUNT).and_then(|count| count.checked_add(1)).ok_or(malformed)?;
    set_u2(out, start + COUNT, count).ok_or(malformed)?;
    let number = u8::try_from(parameters.len()).map_err(|_| malformed)?;
    put_u2(out, pool.utf8(ATTRIBUTE)?);
    put_u4(out, 1 + 4 * u32::from(number));
    out.push(number);
    for parameter in parameters {
        let name = if parameter.name.is_empty() { 0 } else { pool.utf8(&parameter.name)? };
        put_u2(out, name);
        put_u2(out, parameter.flags);
    }
    Ok(())
}
