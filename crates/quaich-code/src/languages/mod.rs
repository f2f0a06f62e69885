//! One file per language.

pub(crate) mod c;
pub(crate) mod cpp;
pub(crate) mod java;
pub(crate) mod python;
pub(crate) mod rust;
