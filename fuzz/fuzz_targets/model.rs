//! Changes of a model file, its checksum put right.
#![no_main]

#[path = "../exercise.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::changed_model(bytes));
