//! The global allocator: when memory runs out, it prints one line, removes unfinished files and exits.
//!
//! The standard library would print a backtrace instead, which needs memory itself and can deadlock. This is the only
//! module of the program with `unsafe` code, which every allocator needs.

#![allow(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use quaich::treebank::remove_unfinished;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

/// The system's allocator; exits the program when an allocation fails.
struct ExitingAllocator;

// SAFETY: every method forwards its arguments to the system's allocator, which fulfils the contract of the trait, and
// returns its result; it never returns null.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of the system's allocator.
        not_null(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        not_null(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        not_null(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

#[inline]
fn not_null(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        exit_out_of_memory(size);
    }
    memory
}

/// Exits without running anything else that could allocate.
#[cfg(unix)]
fn exit_immediately() -> ! {
    unsafe extern "C" {
        fn _exit(status: std::ffi::c_int) -> !;
    }
    // SAFETY: `_exit` accepts any status in any state of the program and does not return.
    unsafe { _exit(1) }
}

#[cfg(not(unix))]
fn exit_immediately() -> ! {
    std::process::abort()
}

/// Prints the error and exits. Nothing here allocates, unless paths are very long.
#[cold]
fn exit_out_of_memory(size: usize) -> ! {
    thread_local! {
        static EXITING: Cell<bool> = const { Cell::new(false) };
    }
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if EXITING.replace(true) {
        // Even the report ran out of memory.
        exit_immediately();
    }
    // Several threads may arrive here at once. A message that cannot be written is dropped.
    if !REPORTED.swap(true, Ordering::Relaxed) {
        let _ = writeln!(
            std::io::stderr(),
            "error: out of memory: cannot allocate {size} bytes; fewer threads (--jobs) need less"
        );
    }
    remove_unfinished();
    #[allow(clippy::exit, reason = "an allocation failure cannot be returned")]
    std::process::exit(1)
}
