//! Agreement of two tokens in a single value.

/// The relation of two values, each of which may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Agreement {
    BothMissing,
    OneMissing,
    Different,
    Same,
}

impl Agreement {
    /// All values in numeric order.
    pub(crate) const ALL: [Self; 4] = [Self::BothMissing, Self::OneMissing, Self::Different, Self::Same];

    /// Compares two values.
    #[inline]
    pub(crate) fn of<T: PartialEq>(a: Option<T>, b: Option<T>) -> Self {
        match (a, b) {
            (Some(a), Some(b)) if a == b => Self::Same,
            (Some(_), Some(_)) => Self::Different,
            (None, None) => Self::BothMissing,
            _ => Self::OneMissing,
        }
    }

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BothMissing => "both missing",
            Self::OneMissing => "one missing",
            Self::Different => "different",
            Self::Same => "same",
        }
    }
}
