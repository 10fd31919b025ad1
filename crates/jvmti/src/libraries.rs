//! The libraries loaded into this process, and marks that they export.

use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The path of another loaded library that exports a flag of this name which is set; `own` is this library's.
///
/// # Safety
/// Every library that exports the name must export an `AtomicBool` by it.
pub unsafe fn other_library_marked(name: &CStr, own: &AtomicBool) -> Option<PathBuf> {
    let is_marked = |path: &CString| {
        let library = Library::loaded(path)?;
        let flag = library.symbol(name)?.cast::<AtomicBool>();
        // SAFETY: by the caller's contract; the library stays loaded while `library` lives.
        (!ptr::eq(flag, own) && unsafe { (*flag).load(Relaxed) }).then_some(())
    };
    let path = loaded_paths().into_iter().find(|path| is_marked(path).is_some())?;
    Some(PathBuf::from(OsStr::from_bytes(path.as_bytes())))
}

/// Whether a library whose path ends so is loaded into this process.
pub fn is_library_loaded(path_ends: &str) -> bool {
    loaded_paths().iter().any(|path| path.as_bytes().ends_with(path_ends.as_bytes()))
}

/// Keeps the library that holds this value in the process until its end, whoever closes it. Without effect in a program's own file, which
/// stays anyway, and under musl, which unloads nothing.
pub fn keep_library<T>(held: &'static T) {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: any address may be asked about, and the out-pointer outlives the call, which fills it unless it returns 0; the path is the
    // loader's own, and with NOLOAD nothing is loaded or run. The handle is not closed, on purpose.
    unsafe {
        if libc::dladdr(ptr::from_ref(held).cast(), info.as_mut_ptr()) != 0 {
            let flags = libc::RTLD_NOLOAD | libc::RTLD_NODELETE | libc::RTLD_LAZY;
            libc::dlopen(info.assume_init().dli_fname, flags);
        }
    }
}

/// How many libraries were loaded into this process so far, those that are gone included.
pub(crate) fn libraries_ever_loaded() -> u64 {
    let mut loaded = 0u64;
    // SAFETY: `note_loaded` gets back the pointer to `loaded`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(note_loaded), ptr::from_mut(&mut loaded).cast()) };
    loaded
}

/// # Safety
/// To be called by `dl_iterate_phdr` with a pointer to a `u64`.
unsafe extern "C" fn note_loaded(info: *mut libc::dl_phdr_info, _size: usize, loaded: *mut c_void) -> c_int {
    // SAFETY: by the contract; glibc since 2.4 and musl since 0.9.13 have this field.
    unsafe { *loaded.cast::<u64>() = (*info).dlpi_adds };
    // The same with each library: the first will do.
    1
}

/// Paths of the loaded libraries; the program itself has none.
pub(crate) fn loaded_paths() -> Vec<CString> {
    let mut paths: Vec<CString> = Vec::new();
    // SAFETY: `add` gets back the pointer to `paths`, which outlives the call. It calls nothing of the loader's, whose
    // lock is held meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(add), ptr::from_mut(&mut paths).cast()) };
    paths
}

/// # Safety
/// To be called by `dl_iterate_phdr` with a pointer to a `Vec<CString>`.
unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, paths: *mut c_void) -> c_int {
    // SAFETY: by the contract; the name is a string of the loader's, or null.
    unsafe {
        let name = (*info).dlpi_name;
        if !name.is_null() && !CStr::from_ptr(name).is_empty() {
            (*paths.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
        }
    }
    0
}

/// A library that is loaded, held so.
pub(crate) struct Library(*mut c_void);

impl Library {
    /// `None` if it is not loaded (any more), or no library (the kernel's own page).
    pub(crate) fn loaded(path: &CStr) -> Option<Self> {
        // SAFETY: a path; with NOLOAD nothing is loaded or run.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
        (!handle.is_null()).then_some(Self(handle))
    }

    /// Address of what it exports by this name, itself or by what it depends on.
    pub(crate) fn symbol(&self, name: &CStr) -> Option<*const c_void> {
        Self::symbol_of(self.0, name)
    }

    /// The same of a library that is kept ([`Self::kept`]).
    pub(crate) fn symbol_of(kept: *mut c_void, name: &CStr) -> Option<*const c_void> {
        // SAFETY: a handle from `dlopen` that was not closed, and a name.
        let symbol = unsafe { libc::dlsym(kept, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol.cast_const())
    }

    /// Stays loaded until the process ends.
    pub(crate) fn kept(self) -> *mut c_void {
        ManuallyDrop::new(self).0
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: a handle from `dlopen`, closed once.
        unsafe { libc::dlclose(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_loaded_and_exports_its_names() {
        let paths = loaded_paths();
        let exporting = |name| {
            let has =
                |path: &&CString| Library::loaded(path).is_some_and(|library| library.symbol(name).is_some());
            paths.iter().filter(has).count()
        };
        assert!(exporting(c"malloc") > 0, "{paths:?}");
        assert_eq!(exporting(c"mayfly_has_no_such_name"), 0);
    }

    #[test]
    fn a_name_that_no_library_exports_marks_none() {
        // SAFETY: no library exports it.
        assert_eq!(unsafe { other_library_marked(c"mayfly_has_no_such_name", &AtomicBool::new(true)) }, None);
    }
}
