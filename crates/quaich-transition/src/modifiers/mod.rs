//! Modifiers: extensions of systems that do not change them.

mod buffer_arcs;
mod right_to_left;
mod second_pass;

pub use buffer_arcs::{BufferArcs, LengthPolicy};
pub use right_to_left::{mirror, mirrored};
pub use second_pass::SecondPass;
