//! An allocator that can refuse.

use std::ptr;

use rquickjs::allocator::{Allocator, RustAllocator};
use rquickjs::{Result, Runtime};

/// A runtime that asks `may_allocate` before it allocates or enlarges a block of this many bytes. If not,
/// the script gets the exception that it gets without memory. Small values share blocks.
///
/// # Errors
///
/// If there is not enough memory.
pub fn runtime(may_allocate: impl FnMut(usize) -> bool + 'static) -> Result<Runtime> {
    Runtime::new_with_alloc(Asking(may_allocate))
}

struct Asking<F>(F);

// SAFETY: Each method returns what that of `RustAllocator` does, or null instead of a new block.
unsafe impl<F: FnMut(usize) -> bool> Allocator for Asking<F> {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if (self.0)(size) {
            RustAllocator.alloc(size)
        } else {
            ptr::null_mut()
        }
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if (self.0)(count.saturating_mul(size)) {
            RustAllocator.calloc(count, size)
        } else {
            ptr::null_mut()
        }
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: The caller got the block from this allocator, which got it from this one.
        unsafe { RustAllocator.dealloc(block) }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        if (self.0)(size) {
            // SAFETY: As for `dealloc`.
            unsafe { RustAllocator.realloc(block, size) }
        } else {
            ptr::null_mut()
        }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: As for `dealloc`.
        unsafe { RustAllocator::usable_size(block) }
    }
}
