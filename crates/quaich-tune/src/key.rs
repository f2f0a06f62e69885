//! Fingerprints: the names of trials in files, the same on every machine.

use std::fmt;

/// The FNV-1a hash of texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// The fingerprint of the texts before and this one.
    pub(crate) fn with(self, text: &str) -> Self {
        // A byte that is not in UTF-8 separates the texts.
        let bytes = text.bytes().chain([0xff]);
        Self(bytes.fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// A seed.
    pub(crate) fn seed(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
