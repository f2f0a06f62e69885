//! Precision and recall of a kind of arc.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::percent::{Percent, Share};

/// Arcs of one kind on both sides.
///
/// The two numbers of correct arcs differ if the kind depends on more than the arc itself: an arc that is
/// non-projective in one tree may be projective in another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agreement {
    /// Arcs of this kind in the gold standard.
    pub gold: u64,
    /// Those also in the system's analysis.
    pub gold_found: u64,
    /// Arcs of this kind in the system's analysis.
    pub system: u64,
    /// Those that are correct.
    pub system_right: u64,
}

impl Agreement {
    /// Counts an arc of this kind in the gold standard.
    pub fn add_gold(&mut self, found: bool) {
        self.gold += 1;
        self.gold_found += u64::from(found);
    }

    /// Counts an arc of this kind in the system's analysis.
    pub fn add_system(&mut self, right: bool) {
        self.system += 1;
        self.system_right += u64::from(right);
    }

    /// Returns the share of the system's arcs that are correct.
    pub fn precision(&self) -> Percent {
        Share::new(self.system_right, self.system).percent()
    }

    /// Returns the share of the gold standard's arcs that the system has.
    pub fn recall(&self) -> Percent {
        Share::new(self.gold_found, self.gold).percent()
    }

    /// Returns the harmonic mean of precision and recall.
    pub fn f1(&self) -> Percent {
        self.precision().harmonic_mean(self.recall())
    }
}

impl Serialize for Agreement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("precision", &self.precision())?;
        map.serialize_entry("recall", &self.recall())?;
        map.serialize_entry("f1", &self.f1())?;
        map.serialize_entry("gold", &self.gold)?;
        map.serialize_entry("gold_found", &self.gold_found)?;
        map.serialize_entry("system", &self.system)?;
        map.serialize_entry("system_right", &self.system_right)?;
        map.end()
    }
}
