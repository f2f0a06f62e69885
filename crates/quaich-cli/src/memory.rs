//! Running out of memory: said in one line, with nothing unfinished left behind.
//!
//! The standard library ends the program with a backtrace instead, for which it needs memory, and may wait for itself
//! for ever. This is the program's only module with `unsafe` code: allocators cannot do without.

#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use quaich::treebank::remove_unfinished;

#[global_allocator]
static ALLOCATOR: OrLeave = OrLeave;

/// The system's allocator; where it has nothing to give the program ends.
struct OrLeave;

// SAFETY: every method hands its arguments on to the system's allocator, which keeps the promises of the trait, and returns
// what it returned; it never returns null.
unsafe impl GlobalAlloc for OrLeave {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what the system's allocator asks for.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        leave(size);
    }
    memory
}

/// Ends the program without anything more that could need memory.
#[cfg(unix)]
fn leave_at_once() -> ! {
    unsafe extern "C" {
        fn _exit(status: std::ffi::c_int) -> !;
    }
    // SAFETY: it takes any status, in any state of the program, and does not return.
    unsafe { _exit(1) }
}

#[cfg(not(unix))]
fn leave_at_once() -> ! {
    std::process::abort()
}

/// Ends the program. Nothing here allocates, unless paths are very long.
#[cold]
fn leave(size: usize) -> ! {
    thread_local! {
        static LEAVING: Cell<bool> = const { Cell::new(false) };
    }
    static SAID: AtomicBool = AtomicBool::new(false);
    if LEAVING.replace(true) {
        // Not even that could be done.
        leave_at_once();
    }
    // Several threads may come here at once. What cannot be said is dropped.
    if !SAID.swap(true, Ordering::Relaxed) {
        let _ = writeln!(
            std::io::stderr(),
            "error: out of memory: {size} bytes more are needed; with fewer threads (--jobs) less is"
        );
    }
    remove_unfinished();
    #[allow(clippy::exit, reason = "there is no way back from here")]
    std::process::exit(1)
}
