//! Whether two tokens agree in a single value.

/// How two values are to each other, each of which may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Agreement {
    BothMissing,
    OneMissing,
    Different,
    Same,
}

impl Agreement {
    /// In the order of their numbers.
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

    /// What it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BothMissing => "both missing",
            Self::OneMissing => "one missing",
            Self::Different => "different",
            Self::Same => "same",
        }
    }
}
