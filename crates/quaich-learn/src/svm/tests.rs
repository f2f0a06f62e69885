//! Properties of the whole.
