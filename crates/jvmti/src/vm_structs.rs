//! Fields of HotSpot's own classes, by the table that libjvm exports for the serviceability agent (`gHotSpotVMStructs`).
//!
//! Not here: what a field means, and reading it while the JVM runs.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

/// An entry of the table: its address.
#[derive(Clone, Copy)]
struct Entry(*const u8);

/// The address of a static field; `None` if this VM does not export it.
pub(crate) fn static_field(class: &CStr, field: &CStr) -> Option<*const c_void> {
    let at = entry(class, field)?.0.wrapping_add(offset(c"gHotSpotVMStructEntryAddressOffset")?);
    pointer_at(at.cast())
}

/// The offset of a field in objects of its class, in bytes; `None` if this VM does not export it.
pub(crate) fn field_offset(class: &CStr, field: &CStr) -> Option<usize> {
    let at = entry(class, field)?.0.wrapping_add(offset(c"gHotSpotVMStructEntryOffsetOffset")?);
    // SAFETY: the column at this offset of an entry holds a `uint64_t` (`vmStructs.hpp`).
    usize::try_from(unsafe { at.cast::<u64>().read_unaligned() }).ok()
}

/// The size of objects of a class, in bytes; `None` if this VM does not export it.
pub(crate) fn type_size(class: &CStr) -> Option<usize> {
    let stride = offset(c"gHotSpotVMTypeEntryArrayStride")?;
    let (name_at, size_at) =
        (offset(c"gHotSpotVMTypeEntryTypeNameOffset")?, offset(c"gHotSpotVMTypeEntrySizeOffset")?);
    let mut entry = exported::<*const u8>(c"gHotSpotVMTypes")?;
    loop {
        // SAFETY: as for `entry`: the table of types has entries of this stride, with a pointer to a C string and a `uint64_t` at
        // these offsets, and ends with one whose name is null.
        unsafe {
            let name = entry.add(name_at).cast::<*const c_char>().read_unaligned();
            if name.is_null() {
                return None;
            }
            if CStr::from_ptr(name) == class {
                return usize::try_from(entry.add(size_at).cast::<u64>().read_unaligned()).ok();
            }
            entry = entry.add(stride);
        }
    }
}

/// The value of a named constant; `None` if this VM does not export it.
pub(crate) fn constant(name: &CStr) -> Option<i64> {
    let int = constant_at(
        (c"gHotSpotVMIntConstants", c"gHotSpotVMIntConstantEntryArrayStride"),
        (c"gHotSpotVMIntConstantEntryNameOffset", c"gHotSpotVMIntConstantEntryValueOffset"),
        name,
    );
    // SAFETY: the column of values in the table of `int` constants holds an `int32_t` (`vmStructs.hpp`).
    if let Some(value) = int.map(|at| unsafe { at.cast::<i32>().read_unaligned() }) {
        return Some(i64::from(value));
    }
    let long = constant_at(
        (c"gHotSpotVMLongConstants", c"gHotSpotVMLongConstantEntryArrayStride"),
        (c"gHotSpotVMLongConstantEntryNameOffset", c"gHotSpotVMLongConstantEntryValueOffset"),
        name,
    );
    // SAFETY: in the other table it holds a `uint64_t`.
    long.map(|at| unsafe { at.cast::<u64>().read_unaligned() } as i64)
}

/// Where the value of a constant is in one of the two tables: its symbols, and those of its columns.
fn constant_at(table: (&CStr, &CStr), columns: (&CStr, &CStr), name: &CStr) -> Option<*const u8> {
    let (stride, name_at, value_at) = (offset(table.1)?, offset(columns.0)?, offset(columns.1)?);
    let mut entry = exported::<*const u8>(table.0)?;
    loop {
        // SAFETY: as for `entry`: such a table has entries of this stride, with a pointer to a C string at this offset, and ends with
        // one whose name is null.
        unsafe {
            let found = entry.add(name_at).cast::<*const c_char>().read_unaligned();
            if found.is_null() {
                return None;
            }
            if CStr::from_ptr(found) == name {
                return Some(entry.add(value_at));
            }
            entry = entry.add(stride);
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

fn entry(class: &CStr, field: &CStr) -> Option<Entry> {
    let stride = offset(c"gHotSpotVMStructEntryArrayStride")?;
    let class_at = offset(c"gHotSpotVMStructEntryTypeNameOffset")?;
    let field_at = offset(c"gHotSpotVMStructEntryFieldNameOffset")?;
    let mut entry = exported::<*const u8>(c"gHotSpotVMStructs")?;
    loop {
        // SAFETY: the exported table has entries of this stride, with pointers to C strings at these offsets, and ends with
        // one whose type name is null (`vmStructs.cpp`).
        unsafe {
            let text = |at| {
                let text = entry.add(at).cast::<*const c_char>().read_unaligned();
                (!text.is_null()).then(|| CStr::from_ptr(text))
            };
            if text(class_at)? == class && text(field_at) == Some(field) {
                return Some(Entry(entry));
            }
            entry = entry.add(stride);
        }
    }
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
