//! Fields of HotSpot's own classes, by the table that libjvm exports for the serviceability agent (`gHotSpotVMStructs`).
//!
//! Not here: what a field means, and reading it while the JVM runs.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

/// A table that libjvm exports, and the variable that says how many bytes a row has.
type Table = (&'static CStr, &'static CStr);

const FIELDS: Table = (c"gHotSpotVMStructs", c"gHotSpotVMStructEntryArrayStride");
const TYPES: Table = (c"gHotSpotVMTypes", c"gHotSpotVMTypeEntryArrayStride");
const INTS: Table = (c"gHotSpotVMIntConstants", c"gHotSpotVMIntConstantEntryArrayStride");
const LONGS: Table = (c"gHotSpotVMLongConstants", c"gHotSpotVMLongConstantEntryArrayStride");

/// The address of a static field; `None` if this VM does not export it.
pub(crate) fn static_field(class: &CStr, field: &CStr) -> Option<*const c_void> {
    pointer_at(of_field(class, field, c"gHotSpotVMStructEntryAddressOffset")?.cast())
}

/// The offset of a field in objects of its class, in bytes; `None` if this VM does not export it.
pub(crate) fn field_offset(class: &CStr, field: &CStr) -> Option<usize> {
    let at = of_field(class, field, c"gHotSpotVMStructEntryOffsetOffset")?;
    // SAFETY: this column holds a `uint64_t` (`vmStructs.hpp`).
    usize::try_from(unsafe { at.cast::<u64>().read_unaligned() }).ok()
}

fn of_field(class: &CStr, field: &CStr, column: &CStr) -> Option<*const u8> {
    let names =
        [(c"gHotSpotVMStructEntryTypeNameOffset", class), (c"gHotSpotVMStructEntryFieldNameOffset", field)];
    cell(FIELDS, names, column)
}

/// The size of objects of a class, in bytes; `None` if this VM does not export it.
pub(crate) fn type_size(class: &CStr) -> Option<usize> {
    let at = cell(TYPES, [(c"gHotSpotVMTypeEntryTypeNameOffset", class)], c"gHotSpotVMTypeEntrySizeOffset")?;
    // SAFETY: this column holds a `uint64_t` (`vmStructs.hpp`).
    usize::try_from(unsafe { at.cast::<u64>().read_unaligned() }).ok()
}

/// The value of a named constant; `None` if this VM does not export it.
pub(crate) fn constant(name: &CStr) -> Option<i64> {
    let names = [(c"gHotSpotVMIntConstantEntryNameOffset", name)];
    if let Some(at) = cell(INTS, names, c"gHotSpotVMIntConstantEntryValueOffset") {
        // SAFETY: the column of values in the table of `int` constants holds an `int32_t` (`vmStructs.hpp`).
        return Some(i64::from(unsafe { at.cast::<i32>().read_unaligned() }));
    }
    let names = [(c"gHotSpotVMLongConstantEntryNameOffset", name)];
    let at = cell(LONGS, names, c"gHotSpotVMLongConstantEntryValueOffset")?;
    // SAFETY: in the other table it holds a `uint64_t`.
    Some(unsafe { at.cast::<u64>().read_unaligned() } as i64)
}

/// Where a column has the value of the row with these names in their columns.
fn cell<const N: usize>(table: Table, names: [(&CStr, &CStr); N], column: &CStr) -> Option<*const u8> {
    let (stride, column) = (offset(table.1)?, offset(column)?);
    let mut columns = [0; N];
    for (at, (column, _)) in columns.iter_mut().zip(names) {
        *at = offset(column)?;
    }
    let mut row = exported::<*const u8>(table.0)?;
    loop {
        // SAFETY: an exported table has rows of this stride, with pointers to C strings at these offsets, and ends with one whose
        // first name is null (`vmStructs.cpp`).
        unsafe {
            let text = |at: usize| {
                let text = row.add(at).cast::<*const c_char>().read_unaligned();
                (!text.is_null()).then(|| CStr::from_ptr(text))
            };
            text(columns[0])?;
            if columns.iter().zip(names).all(|(&at, (_, name))| text(at) == Some(name)) {
                return Some(row.add(column));
            }
            row = row.add(stride);
        }
    }
}

/// What libjvm exports of HotSpot's own classes, by name: where their fields are, and the values of constants. Nothing is read there.
#[derive(Clone, Copy, Debug)]
pub struct VmStructs;

impl VmStructs {
    /// Where a field is in objects of a class, in bytes.
    pub fn offset(self, class: &CStr, field: &CStr) -> Option<u64> {
        field_offset(class, field).map(|offset| offset as u64)
    }

    /// The address of a static field.
    pub fn address(self, class: &CStr, field: &CStr) -> Option<u64> {
        static_field(class, field).map(|address| address as u64)
    }

    /// A named constant.
    pub fn constant(self, name: &CStr) -> Option<i64> {
        constant(name)
    }
}

/// The pointer at an address that the table gave; `None` if it is null.
pub(crate) fn pointer_at(address: *const c_void) -> Option<*const c_void> {
    // SAFETY: the caller's address is one of the table's own columns, or of a variable of type pointer that it names; both
    // live as long as libjvm, which is never unloaded.
    let pointer = unsafe { address.cast::<*const c_void>().read_volatile() };
    (!pointer.is_null()).then_some(pointer)
}

/// The `int` at an address that the table gave for a variable of that type.
pub(crate) fn int_at(address: *const c_void) -> i32 {
    // SAFETY: as for `pointer_at`, of a variable of type int.
    unsafe { address.cast::<i32>().read_volatile() }
}

fn offset(name: &CStr) -> Option<usize> {
    exported::<u64>(name).and_then(|offset| usize::try_from(offset).ok())
}

/// The value of a variable that libjvm exports.
fn exported<T: Copy>(name: &CStr) -> Option<T> {
    // SAFETY: dlsym with a NUL-terminated name; the symbol, if there is one, is a variable of type T (`vmStructs.cpp`).
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        (!ptr::eq(symbol, ptr::null())).then(|| symbol.cast::<T>().read_unaligned())
    }
}
