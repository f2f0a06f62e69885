//! Any text, taken for a feature model of MaltParser.
#![no_main]

#[path = "../exercise.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::malt_features(bytes));
