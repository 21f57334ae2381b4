//! The memory of the process: how much of its limit is used, and returning what is free to the
//! operating system. It has unsafe code, because it calls the C library.

mod pressure;
mod usage;

pub use pressure::Pressure;
pub use usage::{Usage, resident_bytes};

/// Returns the freed memory of the allocator to the operating system. It takes milliseconds, so it
/// must not run on the event loop.
///
/// The GNU C library returns memory by itself only from the end of a heap, so one object that
/// outlives a burst of connections keeps the memory of all of them (`malloc_trim(3)`). With other C
/// libraries nothing happens.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` has no preconditions, and any thread may call it at any time. It releases only pages that no
    // allocation uses.
    unsafe {
        libc::malloc_trim(0);
    }
}
